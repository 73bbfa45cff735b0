/** The URL of an outbound call, without a call: values of a request inside it, and what they can never change. */
import { expect } from 'chai';
import { ExactNumber } from '../../../contract/exact-number.js';
import { BootError } from '../../../contract/boot-error.js';
import type { Json } from '../../../contract/json.js';
import { compileAddress } from '../../../plugins/modes/http-request/address.js';
import { compileQuery } from '../../../plugins/modes/http-request/query.js';
import { catchThrownFault, createPayloadFrame, createFrameTools } from '../../support/frame-tools.js';

type Values = Readonly<Record<string, unknown>>;

const tools = createFrameTools({ BASE: 'https://api.example:8443/v1', HASH: '/a#b', QUERY: '?k=1', KEY: 'key' });
const compile = (url: string, query?: Json, dynamic = false) => compileAddress(url, query, tools, dynamic);
const address = (url: string, values: Values = {}, query?: Json, dynamic = false): string =>
  compile(url, query, dynamic).read(createPayloadFrame(values)).href;

describe('URL of a call', () => {
  const made: readonly (readonly [url: string, values: Values, expected: string, query?: Json])[] = [
    ['https://a.example', {}, 'https://a.example/'],
    ['HTTP://A.example/x', {}, 'http://a.example/x'],
    ['https://a.example/x?y=1', {}, 'https://a.example/x?y=1'],
    ['https://a.example?y=1', {}, 'https://a.example/?y=1'],
    ['https://a.example:8443/x', {}, 'https://a.example:8443/x'],
    ['https://a.example/$PAYLOAD.v', { v: 'one' }, 'https://a.example/one'],
    ['https://a.example/$PAYLOAD.v/', { v: 7 }, 'https://a.example/7/'],
    ['https://a.example/x-$PAYLOAD.v/$PAYLOAD.w', { v: true, w: 'b c' }, 'https://a.example/x-true/b%20c'],
    ['https://a.example/$PAYLOAD.v', { v: 'a/b?c#d' }, 'https://a.example/a%2Fb%3Fc%23d'],
    ['https://a.example/$PAYLOAD.v', { v: '...' }, 'https://a.example/...'],
    ['https://a.example/$PAYLOAD.v', { v: 'a..b' }, 'https://a.example/a..b'],
    ['https://a.example/$PAYLOAD.v', { v: '.a' }, 'https://a.example/.a'],
    ['https://a.example/$PAYLOAD.v', { v: 'é&=' }, 'https://a.example/%C3%A9%26%3D'],
    ['https://a.example/a$PAYLOAD.v', { v: '' }, 'https://a.example/a'],
    ['https://a.example?q=$PAYLOAD.v', { v: 'a&b=c' }, 'https://a.example/?q=a%26b%3Dc'],
    ['https://a.example/x?q=$PAYLOAD.v&r=$PAYLOAD.w', { v: '../..', w: '' }, 'https://a.example/x?q=..%2F..&r='],
    [
      'https://a.example/$PAYLOAD.v/x?q=$PAYLOAD.w&s=/?$PAYLOAD.v',
      { v: 'a', w: 'b' },
      'https://a.example/a/x?q=b&s=/?a',
    ],
    ['https://a.example/x', { v: 'a b' }, 'https://a.example/x?q=a+b', { q: '$PAYLOAD.v' }],
    ['https://a.example/x?y=1', { v: 'a' }, 'https://a.example/x?y=1&q=a', { q: '$PAYLOAD.v' }],
    ['https://a.example/$PAYLOAD.v', { v: 'a' }, 'https://a.example/a?q=a', { q: '$PAYLOAD.v' }],
    ['https://a.example/x', { v: null }, 'https://a.example/x', { q: '$PAYLOAD.v' }],
    ['https://a.example/x?y=1', {}, 'https://a.example/x?y=1', { q: '$PAYLOAD.v' }],
    ['$ENV.BASE', {}, 'https://api.example:8443/v1'],
    ['$ENV.BASE/$PAYLOAD.v', { v: 'a' }, 'https://api.example:8443/v1/a'],
    ['https://a.example/x$ENV.QUERY', {}, 'https://a.example/x?k=1'],
    ['https://a.example/$PAYLOAD.v$ENV.QUERY&l=$PAYLOAD.v', { v: '/' }, 'https://a.example/%2F?k=1&l=%2F'],
  ];
  for (const [url, values, expected, query] of made)
    it(`is ${expected} for ${url} with ${JSON.stringify(values)}`, () => {
      expect(address(url, values, query)).to.equal(expected);
    });

  for (const v of ['', '.', '..', 'a/../b', '..\\a', 'a/.', './a', '\\..', 'a\nb', '\0', '\u0085', null])
    it(`rejects ${JSON.stringify(v)} as a path segment`, () => {
      const { code, options } = catchThrownFault(() => address('https://a.example/x/$PAYLOAD.v/y', { v }));
      expect([code, options.issues?.map(({ pointer }) => pointer)]).to.deep.equal(['OUT_VALUE', ['/v']]);
    });

  it('rejects a segment that becomes one of dots together with the text around it', () => {
    expect(catchThrownFault(() => address('https://a.example/.$PAYLOAD.v', { v: '' })).code).to.equal('OUT_VALUE');
    expect(catchThrownFault(() => address('https://a.example/$PAYLOAD.v$PAYLOAD.w', { v: '', w: '' })).code).to.equal(
      'OUT_VALUE',
    );
    expect(catchThrownFault(() => address('https://a.example/%2e$PAYLOAD.v?a', { v: '' })).code).to.equal('OUT_VALUE');
  });

  it('rejects values that are not text, and text that is not well-formed', () => {
    for (const v of [{}, ['a'], '\ud800'])
      for (const url of ['https://a.example/$PAYLOAD.v', 'https://a.example/?q=$PAYLOAD.v'])
        expect(catchThrownFault(() => address(url, { v })).code, `${url} ${JSON.stringify(v)}`).to.equal('OUT_VALUE');
    expect(catchThrownFault(() => address('https://a.example/?q=$PAYLOAD.v', { v: null })).code).to.equal('OUT_VALUE');
  });

  const rejected: Readonly<Record<string, string>> = {
    'a.example/x': 'it has no scheme http or https with a host',
    'ftp://a.example/x': 'it has no scheme http or https with a host',
    'xhttp://a.example/x': 'it has no scheme http or https with a host',
    'https:///x': 'it has no scheme http or https with a host',
    'https://a.example:99999/x': 'it has no scheme http or https with a host',
    'https://a b/x': 'it has no scheme http or https with a host',
    'https://a.example$PAYLOAD.v': 'its host would come from a request',
    'https://$PAYLOAD.v/x': 'it has no scheme http or https with a host',
    '$PAYLOAD.v/x': 'its host would come from a request',
    '$PAYLOAD.v': 'its host would come from a request',
    '': 'it has no scheme http or https with a host',
    'https://a.example/x#y': 'it has a fragment',
    'https://a.example/$PAYLOAD.v#y': 'it has a fragment',
    'https://a.example/$PAYLOAD.v$ENV.HASH': 'it has a fragment',
    'https://user@a.example/x': 'it holds credentials; send them in a header',
    'https://:pass@a.example/x': 'it holds credentials; send them in a header',
  };
  for (const [url, what] of Object.entries(rejected))
    it(`cannot be ${url || 'empty'}: ${what}`, () => {
      expect(() => compile(url))
        .to.throw(BootError)
        .that.deep.include({ code: 'OUT_URL', params: { place: 'call#1', what } });
    });

  it('has its origin resolved at load, unless it is from a request', () => {
    expect(compile('https://a.example:443/$PAYLOAD.v').origin).to.equal('https://a.example');
    expect(compile('$ENV.BASE').origin).to.equal('https://api.example:8443');
    expect(compile('$PAYLOAD.url', undefined, true).origin).to.equal(null);
  });

  it('is built once if it is constant, and for each request otherwise', () => {
    const once = compile('https://a.example/x');
    expect(once.read(createPayloadFrame({}))).to.equal(once.read(createPayloadFrame({})));
    const anew = compile('https://a.example/x', { q: 1 });
    expect(anew.read(createPayloadFrame({}))).to.not.equal(anew.read(createPayloadFrame({})));
  });
});

describe('whole URL from a request', () => {
  const buildAddress = (url: unknown, query?: Json): string => address('$PAYLOAD.url', { url, v: 'b' }, query, true);

  it('is used without its fragment, with the query of the definition appended', () => {
    expect(buildAddress('https://a.example/x#y')).to.equal('https://a.example/x');
    expect(buildAddress('HTTP://a.example/x')).to.equal('http://a.example/x');
    expect(buildAddress('https://a.example/x', { q: '$PAYLOAD.v' })).to.equal('https://a.example/x?q=b');
    expect(buildAddress('https://a.example/x?y=1', { q: '$PAYLOAD.v' })).to.equal('https://a.example/x?y=1&q=b');
    expect(buildAddress('https://a.example/x?y=1', { q: null })).to.equal('https://a.example/x?y=1');
  });

  for (const url of [
    'ftp://a.example',
    'https:a.example',
    'xhttps://a',
    'https://',
    '//a.example',
    'a',
    '',
    null,
    7,
    {},
  ])
    it(`is rejected as ${JSON.stringify(url)}`, () => {
      expect(catchThrownFault(() => buildAddress(url)).code).to.equal('OUT_VALUE');
    });

  it('is rejected with a user name or a password', () => {
    for (const url of ['https://user@a.example/', 'https://:pass@a.example/', 'https://u:p@a.example/'])
      expect(catchThrownFault(() => buildAddress(url)).params['what'], url).to.equal('must not hold credentials');
  });

  it('is rejected with constant text around it', () => {
    expect(() => compile('$PAYLOAD.url/x', undefined, true)).to.throw(BootError);
    expect(() => compile('$PAYLOAD.url', undefined, false)).to.throw(BootError);
  });
});

describe('query of a call', () => {
  const query = (json: Json, values: Values = {}): string | undefined =>
    compileQuery(json, tools)?.(createPayloadFrame(values));

  it('repeats a name for each value of a list, and omits null', () => {
    expect(query({ a: '$PAYLOAD.v', b: false, c: 0, d: '' }, { v: ['x', 1, true] })).to.equal(
      'a=x&a=1&a=true&b=false&c=0&d=',
    );
    expect(query({ a: '$PAYLOAD.v', b: null }, { v: [] })).to.equal('');
    expect(query({ a: '$PAYLOAD.v' }, {})).to.equal('');
    expect(query({ 'a b&': '$PAYLOAD.v' }, { v: 'c d+&' })).to.equal('a+b%26=c+d%2B%26');
  });

  it('has every digit of a number that a double would change', () => {
    const v = [new ExactNumber('12345678901234567890.5')];
    expect(query({ a: '$PAYLOAD.v' }, { v })).to.equal('a=12345678901234567890.5');
  });

  for (const v of [{}, [[]], [null], [{}], '\ud800', ['a', '\udc00']])
    it(`rejects ${JSON.stringify(v)}, by the name of the value`, () => {
      const { code, params } = catchThrownFault(() => query({ a: '$PAYLOAD.v' }, { v }));
      expect([code, params['name']]).to.deep.equal(['OUT_VALUE', '$PAYLOAD.v']);
    });

  it('is absent without parameters, and names the parameter of a value without an accessor', () => {
    expect(compileQuery(undefined, tools)).to.equal(null);
    expect(compileQuery('a=1', tools)).to.equal(null);
    expect(catchThrownFault(() => query({ a: { b: 1 } })).params['name']).to.equal('a');
  });
});

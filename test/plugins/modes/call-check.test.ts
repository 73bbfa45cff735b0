/** Checks of the URL of a call: hosts and ports, values of a request, placeholders of other systems. */
import { expect } from 'chai';
import type { Json } from '../../../contract/json.js';
import { OUTBOUND, type Outbound } from '../../../contract/outbound.js';
import type { CheckPlace, Finding } from '../../../contract/plugin.js';
import { check } from '../../../plugins/modes/http-request/check.light.js';

type DefinitionJson = Readonly<Record<string, Json>>;

const findings = (http: DefinitionJson, outbound: Partial<Outbound> | null = {}): readonly Finding[] =>
  check({ value: { http }, outbound: outbound && { ...OUTBOUND, ...outbound } } as unknown as CheckPlace);

/** Code, reason, and the text that is underlined where it is a part of the URL. */
const summarizeFindings = (url: string, outbound: Partial<Outbound> | null = {}): readonly (readonly unknown[])[] =>
  findings({ url }, outbound).map(({ code, span, params }) => [
    code,
    params?.['what'] ?? params?.['name'],
    ...(span === undefined ? [] : [url.slice(...span)]),
  ]);

describe('URL in the check of a call', () => {
  const SCHEME = 'it begins with "http://" or "https://"';
  const HOST = 'it has no valid host';
  const PORT = 'its port is not valid';
  const PATH = 'its path leads elsewhere';
  const rejected: Readonly<Record<string, string>> = {
    'ftp://a.example/': SCHEME,
    'xhttp://a.example/': SCHEME,
    'httpss://a.example/': SCHEME,
    'https:a.example/': SCHEME,
    '/path': SCHEME,
    'https:///path': HOST,
    'https://': HOST,
    'https://a b/': 'it has blanks or backslashes',
    'https://a.example\\b': 'it has blanks or backslashes',
    'https://a.example/b c': 'it has blanks or backslashes',
    'https://user@a.example/': 'it holds credentials; send them in a header',
    'https://a.example/./b': PATH,
    'https://a.example/b/..': PATH,
    'https://a.example/b/%2E%2e/c': PATH,
    'https://a.example/..?b': PATH,
    'https://-a.example/': HOST,
    'https://a-.example/': HOST,
    'https://a..example/': HOST,
    'https://.example/': HOST,
    'https://a.example../': HOST,
    'https://é.example/': HOST,
    'https://127.1/': HOST,
    'https://2130706433/': HOST,
    'https://0x7f000001/': HOST,
    'https://0X7F.1/': HOST,
    'https://1.2.3.256/': HOST,
    'https://256.2.3.4/': HOST,
    'https://1.2.3.260/': HOST,
    'https://1.2.3/': HOST,
    'https://1.2.3.4.5/': HOST,
    'https://[::1': HOST,
    'https://[g::1]/': HOST,
    'https://a.example:/': PORT,
    'https://a.example:0/': PORT,
    'https://a.example:65536/': PORT,
    'https://a.example:a/': HOST,
    'https://a.example:99999/': PORT,
    'https://127.0.0.1:/': PORT,
    'https://[2606:4700::1]:0/': PORT,
    'https://1.2.3.0400/': HOST,
    'https://1.2.3.0x4/': HOST,
    'https://a.example.7/': HOST,
    'https://a.example/b/.': PATH,
    'https://a.example/%2e/b': PATH,
    'https://a.example/b/.%2E?c': PATH,
  };
  for (const [url, what] of Object.entries(rejected))
    it(`is rejected as ${url}: ${what}`, () => {
      expect(summarizeFindings(url)).to.deep.equal([['OUT_URL', what]]);
    });

  for (const url of [
    'https://a.example',
    'HTTPS://A.example/',
    'http://a.example.',
    'https://_a.b_c.example/',
    'https://a/',
    'https://a-b.x9/',
    'https://1and1.example/',
    'https://a.example:1/',
    'https://a.example:65535/',
    'https://a.example?b',
    'https://a.example/.well-known/b..c/.../d.',
    'https://a.example/x?y=/../z',
    'https://8.8.8.8/',
    'https://255.249.199.99.example/',
    'https://199.250.255.9/',
    'https://[2606:4700::1111]/',
    'https://[3fff::1]:443/',
    '$ENV.A',
    '$ENV.A/..',
    'https://$ENV.A/x',
    'https://$ENV.A:$ENV.B/x',
    'https://a.example:$ENV.A/x',
  ])
    it(`is accepted as ${url}`, () => {
      expect(summarizeFindings(url)).to.deep.equal([]);
    });

  const reserved: Readonly<Record<string, string>> = {
    localhost: 'this machine',
    LOCALHOST: 'this machine',
    'localhost.': 'this machine',
    'a.localhost': 'this machine',
    '127.0.0.1': 'this machine',
    '127.255.0.1': 'this machine',
    '10.0.0.1': 'a private range',
    '172.16.0.1': 'a private range',
    '172.31.0.1': 'a private range',
    '192.168.0.1': 'a private range',
    '169.254.1.1': 'link-local',
    '0.1.2.3': 'a reserved range',
    '100.64.0.1': 'a reserved range',
    '100.127.0.1': 'a reserved range',
    '224.0.0.1': 'a reserved range',
    '255.255.255.255': 'a reserved range',
    '[::1]': 'a reserved range',
    '[fd00::2]': 'a reserved range',
    '[fe80::3]': 'a reserved range',
  };
  for (const [host, what] of Object.entries(reserved))
    it(`requires the config to open ${host}`, () => {
      expect(summarizeFindings(`http://${host}/x`)).to.deep.equal([['OUT_PRIVATE', what, host]]);
      expect(summarizeFindings(`http://${host}:3000/x`)).to.deep.equal([['OUT_PRIVATE', what, host]]);
      const bare = host.toLowerCase().replace(/\.$/, '');
      for (const entry of [bare, `${bare}:3000`, '0.0.0.0/0'])
        expect(summarizeFindings(`http://${host}:3000/x`, { allow: [entry] }), entry).to.deep.equal([]);
      expect(
        summarizeFindings(`http://${host}:3000/x`, { connect_to: { [`${bare}:3000`]: '127.0.0.1:1' } }),
      ).to.deep.equal([]);
      expect(
        summarizeFindings(`http://${host}/x`, { allow: ['other'], connect_to: { 'other:1': bare } }),
      ).to.have.length(1);
      expect(summarizeFindings(`http://${host}/x`, null), 'without a config').to.deep.equal([]);
    });

  it('can be every public address next to a reserved range', () => {
    for (const host of [
      '126.0.0.1',
      '128.0.0.1',
      '9.1.1.1',
      '11.1.1.1',
      '172.15.0.1',
      '172.32.0.1',
      '171.16.0.1',
      '173.16.0.1',
      '192.167.0.1',
      '192.169.0.1',
      '191.168.0.1',
      '169.253.0.1',
      '169.255.0.1',
      '168.254.0.1',
      '1.0.0.1',
      '223.0.0.1',
      '100.63.0.1',
      '100.128.0.1',
      '101.64.0.1',
      '99.64.0.1',
      '101.100.0.1',
      '101.127.0.1',
      '99.127.0.1',
      'notlocalhost',
      'localhost.example',
    ])
      expect(summarizeFindings(`http://${host}/`), host).to.deep.equal([]);
  });

  it('accepts a value of a request only after its host', () => {
    const name = '$PAYLOAD.v';
    for (const url of [
      `https://${name}/x`,
      `${name}://a.example/`,
      `https://a.example${name}`,
      `https://a.example:${name}/`,
      `$ENV.A${name}`,
      `${name}`,
      `${name}/x`,
      `https://$ENV.A${name}`,
    ])
      expect(summarizeFindings(url), url).to.deep.equal([['OUT_HOST', name, name]]);
    for (const url of [
      `https://a.example/${name}`,
      `https://a.example?${name}`,
      `$ENV.A/${name}`,
      `https://$ENV.A?${name}`,
    ])
      expect(summarizeFindings(url), url).to.deep.equal([]);
  });

  it('may be a whole value of a request if the config allows it', () => {
    expect(summarizeFindings('$PAYLOAD.v', { dynamic_hosts: true })).to.deep.equal([]);
    expect(summarizeFindings('$PAYLOAD.v/x', { dynamic_hosts: true })).to.have.length(1);
    expect(summarizeFindings('$PAYLOAD.v', null)).to.have.length(1);
  });

  it('has no fragment', () => {
    expect(summarizeFindings('https://a.example/#b')).to.deep.equal([
      ['OUT_URL', 'what stands behind "#" is never sent', '#b'],
    ]);
    expect(summarizeFindings('https://a.example/$PAYLOAD.v#')).to.have.length(1);
  });

  const blanks: Readonly<Record<string, readonly (readonly [text: string, fix: string])[]>> = {
    'https://a.example/{id}/x': [['{id}', '$PAYLOAD.id']],
    '$ENV.A/{ user.id }': [['{ user.id }', '$PAYLOAD.user.id']],
    'https://a.example/:id/:_b9': [
      [':id', '$PAYLOAD.id'],
      [':_b9', '$PAYLOAD._b9'],
    ],
    'https://a.example/x?y=<id>': [['<id>', '$PAYLOAD.id']],
    'https://a.example/$PAYLOAD.a/{b}': [['{b}', '$PAYLOAD.b']],
    'https://a.example/a:b/${c}/{{d}}/{1}/<1>/:1/{}': [],
  };
  for (const [url, expected] of Object.entries(blanks))
    it(`has ${expected.length} placeholders of other systems in ${url}`, () => {
      const found = findings({ url }).map(({ span = [0, 0], fix }) => [
        url.slice(...span),
        fix && 'text' in fix && fix.text,
      ]);
      expect(found).to.deep.equal(expected);
    });

  it('gets its missing scheme only if it begins with a host', () => {
    const getFirstFix = (url: string): unknown => findings({ url })[0]?.fix;
    for (const url of ['a.example', 'a.example/x', 'a.b-c.example:80/x', 'A.example?b'])
      expect(getFirstFix(url), url).to.deep.equal({
        title: `change to "https://${url}"`,
        text: JSON.stringify(`https://${url}`),
      });
    for (const url of ['a', '/a.example', 'a.example:x', 'a_b.example', 'ftp://a.example', 'a.example#'])
      expect(getFirstFix(url), url).to.equal(undefined);
  });

  it('is shown without its query, with its path', () => {
    const url = 'https://a.example/$ENV.A?b=$ENV.B&c=$PAYLOAD.c&d=$ENV.D';
    expect(summarizeFindings(url)).to.deep.equal([
      ['OUT_SECRET_QUERY', '$ENV.B', '$ENV.B'],
      ['OUT_SECRET_QUERY', '$ENV.D', '$ENV.D'],
    ]);
    const query = { 'a/b': 'Bearer $ENV.A', c: '$PAYLOAD.c', d: 1 };
    expect(findings({ url: 'https://a.example', query })).to.deep.equal([
      { code: 'OUT_SECRET_QUERY', at: '/http/query/a~1b', params: { name: '$ENV.A' } },
    ]);
  });

  it('is checked whatever other fields there are', () => {
    for (const value of [{}, { http: 1 }, { http: { url: 5, headers: [], query: [] } }])
      expect(() => check({ value, outbound: null } as unknown as CheckPlace)).not.to.throw();
  });
});

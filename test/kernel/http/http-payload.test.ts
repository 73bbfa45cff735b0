/**
 * Payload of a request: query strings, JSON bodies, path parameters, repeated headers, and the client address behind
 * proxies.
 */
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import type { BodyFormat } from '../../../contract/body-format.js';
import type { Fault } from '../../../contract/fault.js';
import { listHeaderValues, mergeParameters } from '../../../contract/invocation.js';
import { resolveClientAddress, HttpInvocation } from '../../../kernel/http/invocation.js';
import {
  findFormat,
  isInQuery,
  readJsonPayload,
  parseQueryPayload,
  rejectEncoding,
} from '../../../kernel/http/payload.js';

type Headers = Readonly<Record<string, string>>;
const LIMITS = { body: 100, depth: 5, keys: 20, array: 10, parts: 5, field: 50 };
const CLOSE = { connection: 'close' };
const FORM: BodyFormat = { read: () => expect.fail('it is not read') };
const FORMATS = new Map([['multipart/form-data', FORM]]);

const request = (method: string, headers: Headers = {}, body = ''): IncomingMessage => {
  const stream = new PassThrough();
  stream.end(body);
  const rawHeaders = Object.entries(headers).flat();
  return Object.assign(stream, { method, headers, rawHeaders, socket: { remoteAddress: '::ffff:192.0.2.1' } }) as never;
};
const catchFaultParts = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
  } catch (error) {
    const { code, options } = error as Fault;
    return options.headers === undefined ? code : [code, options.headers];
  }
  return 'no fault';
};

describe('payload in the query string', () => {
  it('is read for GET, HEAD and DELETE only', () => {
    const verbs = ['GET', 'HEAD', 'DELETE', 'POST', 'PUT', 'PATCH', 'OPTIONS'];
    expect(verbs.filter((method) => isInQuery(request(method)))).to.deep.equal(['GET', 'HEAD', 'DELETE']);
  });

  it('contains text; a repeated name becomes a list', () => {
    const cases: Readonly<Record<string, object>> = {
      '': {},
      'a=1': { a: '1' },
      'a=1&b=x%20y': { a: '1', b: 'x y' },
      'a=1&a=2': { a: ['1', '2'] },
      'a=1&a=2&a=3': { a: ['1', '2', '3'] },
      'a=&a=': { a: ['', ''] },
      'a.b=1&c[0]=2': { 'a.b': '1', 'c[0]': '2' },
      'toString=1': { toString: '1' },
    };
    for (const [query, expected] of Object.entries(cases))
      expect({ ...parseQueryPayload(query) }, query).to.deep.equal(expected);
  });

  it('is rejected if a name would change the prototype of an object', async () => {
    for (const name of ['__proto__', 'constructor', 'prototype'])
      expect(await catchFaultParts(() => parseQueryPayload(`a=1&${name}=2`))).to.equal('REQ_NAME_REFUSED');
  });
});

describe('type of a request body', () => {
  it('is a form if its Content-Type is one', () => {
    const types = ['multipart/form-data; boundary=a', 'Multipart/Form-Data', 'multipart/form-data ;boundary=a'];
    const others = ['application/json', 'multipart/form-data-x', 'x multipart/form-data', 'multipart/mixed', ''];
    const isFormType = (type: string) => findFormat(request('POST', { 'content-type': type }), FORMATS) === FORM;
    expect([types.map(isFormType), others.map(isFormType)]).to.deep.equal([
      types.map(() => true),
      others.map(() => false),
    ]);
    expect(findFormat(request('POST'), FORMATS)).to.equal(null);
  });

  it('returns 415 for a Content-Encoding', async () => {
    const encoded = (encoding: string) =>
      catchFaultParts(() => rejectEncoding(request('POST', { 'content-encoding': encoding })));
    expect(await Promise.all(['gzip', 'br', ''].map(encoded))).to.deep.equal(
      [1, 2, 3].map(() => ['REQ_ENCODING', CLOSE]),
    );
    expect(await encoded('identity')).to.equal('no fault');
    expect(await catchFaultParts(() => rejectEncoding(request('POST')))).to.equal('no fault');
  });
});

describe('JSON body', () => {
  const JSON_TYPE = { 'content-type': 'application/json' };
  const read = (body: string, headers: Headers = { ...JSON_TYPE, 'content-length': String(body.length) }) =>
    readJsonPayload(request('POST', headers, body), null, LIMITS);

  it('is an object or a list', async () => {
    expect(await read('{"a":1}')).to.deep.equal({ a: 1 });
    expect(await read('[1]')).to.deep.equal([1]);
    for (const other of ['null', '5', '"a"', 'true'])
      expect(await catchFaultParts(() => read(other)), other).to.equal('VAL_NOT_OBJECT');
  });

  it('is absent if no bytes are sent, whatever the Content-Type is', async () => {
    for (const headers of [{}, { 'content-length': '0' }, { 'content-length': '0', 'content-type': 'text/plain' }])
      expect(await read('', headers)).to.deep.equal({});
    expect(await read('', { ...JSON_TYPE, 'transfer-encoding': 'chunked' })).to.deep.equal({});
    expect(await read('{"a":1}', { ...JSON_TYPE, 'transfer-encoding': 'chunked' })).to.deep.equal({ a: 1 });
  });

  it('is rejected before it is read if its type or encoding is not supported', async () => {
    const length = { 'content-length': '1' };
    expect(await catchFaultParts(() => read('x', length))).to.deep.equal(['REQ_MEDIA_TYPE', CLOSE]);
    expect(await catchFaultParts(() => read('x', { ...length, 'content-type': 'text/plain' }))).to.deep.equal([
      'REQ_MEDIA_TYPE',
      CLOSE,
    ]);
    const encoded = { ...length, ...JSON_TYPE, 'content-encoding': 'gzip' };
    expect(await catchFaultParts(() => read('x', encoded))).to.deep.equal(['REQ_ENCODING', CLOSE]);
  });

  it('is not read again after a guard has read it', async () => {
    const req = request('POST', { ...JSON_TYPE, 'content-length': '9' }, 'unread');
    expect(await readJsonPayload(req, Promise.resolve(Buffer.from('{"b":2}')), LIMITS)).to.deep.equal({ b: 2 });
  });
});

describe('path parameters', () => {
  it('override payload fields, and are not added to a list', async () => {
    expect(mergeParameters({ id: 5, a: 1 }, { id: '7' })).to.deep.equal({ id: '7', a: 1 });
    expect(await catchFaultParts(() => mergeParameters([1] as never, { id: '7' }))).to.equal('VAL_NOT_OBJECT');
  });
});

describe('request as plans read it', () => {
  const arrival = { id: 'id', startedAt: 5, clock: 0, query: 'a=1' };
  const intake = { limits: LIMITS, timeouts: { idle: 1 }, trusted_proxies: 0, formats: FORMATS };
  const invocation = (
    req: IncomingMessage,
    { parameters = null, timed = false }: { parameters?: Record<string, string> | null; timed?: boolean } = {},
  ) => new HttpInvocation(req, arrival, parameters, { ...intake, timed } as never);
  const listTexts = (...given: Parameters<typeof invocation>) => {
    const { texts } = invocation(...given);
    return texts instanceof Set ? [...(texts as Set<string>)] : texts;
  };

  it('contains text values if the payload is in the URL or in a form', () => {
    const parameters = { id: '7' };
    const form = { 'content-type': 'multipart/form-data; boundary=a' };
    expect([listTexts(request('POST')), listTexts(request('GET')), listTexts(request('POST', form))]).to.deep.equal([
      null,
      'all',
      'all',
    ]);
    expect([listTexts(request('POST'), { parameters }), listTexts(request('GET'), { parameters })]).to.deep.equal([
      ['id'],
      'all',
    ]);
  });

  it('contains the payload merged with the path parameters', async () => {
    const parameters = { id: '7' };
    expect({ ...(await invocation(request('GET')).readPayload(null)) }).to.deep.equal({ a: '1' });
    expect(await invocation(request('GET'), { parameters }).readPayload(null)).to.deep.equal({ a: '1', id: '7' });
    const headers = { 'content-type': 'application/json', 'content-length': '7' };
    expect(await invocation(request('POST', headers, '{"a":1}'), { parameters }).readPayload(null)).to.deep.equal({
      a: 1,
      id: '7',
    });
  });

  it('reads its bytes once, has none with a payload in the URL, and measures time on demand', async () => {
    const one = invocation(request('POST', { 'content-type': 'application/json', 'content-length': '7' }, '{"a":1}'));
    expect([(await one.readRawBody()).toString(), (await one.readRawBody()).toString()]).to.deep.equal([
      '{"a":1}',
      '{"a":1}',
    ]);
    expect(await one.readPayload(null)).to.deep.equal({ a: 1 });
    expect(await invocation(request('GET', {}, 'body')).readRawBody()).to.have.lengthOf(0);
    expect(
      await catchFaultParts(() => invocation(request('POST', { 'content-encoding': 'gzip' })).readRawBody()),
    ).to.deep.equal(['REQ_ENCODING', CLOSE]);
    expect([one.timings, invocation(request('GET'), { timed: true }).timings]).to.deep.equal([null, []]);
    expect(one.remote).to.equal('192.0.2.1');
  });

  it('releases its resources once', async () => {
    const one = invocation(request('GET'));
    let count = 0;
    expect(one.hasCleanup).to.equal(false);
    one.onFinish(() => void count++);
    one.onFinish(() => void count++);
    expect(one.hasCleanup).to.equal(true);
    await one.dispose(true);
    await one.dispose(true);
    expect([count, one.hasCleanup]).to.deep.equal([2, false]);
  });
});

describe('request headers', () => {
  it('return all values of a name in any case', () => {
    const raw = ['X-A', '1', 'x-ab', '2', 'x-a', '3', 'x-b', 'x-a'];
    expect([listHeaderValues(raw, 'x-a'), listHeaderValues(raw, 'x-b'), listHeaderValues(raw, '1')]).to.deep.equal([
      ['1', '3'],
      ['x-a'],
      [],
    ]);
  });
});

describe('client address', () => {
  const cases: readonly (readonly [peer: string, forwarded: readonly string[], proxies: number, expected: string])[] = [
    ['192.0.2.1', [], 0, '192.0.2.1'],
    ['::ffff:192.0.2.1', [], 0, '192.0.2.1'],
    ['::FFFF:192.0.2.1', [], 0, '192.0.2.1'],
    ['::ffff:c000:201', [], 0, '::ffff:c000:201'],
    ['2001:db8::1', [], 0, '2001:db8::1'],
    ['192.0.2.1', ['198.51.100.7'], 0, '192.0.2.1'],
    ['192.0.2.1', ['198.51.100.7'], 1, '198.51.100.7'],
    ['192.0.2.1', ['203.0.113.9, 198.51.100.7'], 1, '198.51.100.7'],
    ['192.0.2.1', ['203.0.113.9, 198.51.100.7'], 2, '203.0.113.9'],
    ['192.0.2.1', ['203.0.113.9', '198.51.100.7'], 2, '203.0.113.9'],
    ['192.0.2.1', ['203.0.113.9', ' ::ffff:198.51.100.7 '], 1, '198.51.100.7'],
    ['192.0.2.1', ['198.51.100.7'], 2, '192.0.2.1'],
    ['192.0.2.1', ['unknown'], 1, '192.0.2.1'],
    ['192.0.2.1', ['198.51.100.7:80'], 1, '192.0.2.1'],
    ['192.0.2.1', [''], 1, '192.0.2.1'],
    ['192.0.2.1', ['2001:db8::1'], 1, '2001:db8::1'],
    ['', [], 0, ''],
  ];
  for (const [peer, forwarded, proxies, expected] of cases)
    it(`is ${expected} for peer ${peer}, ${JSON.stringify(forwarded)} and ${proxies} proxies`, () => {
      expect(resolveClientAddress(peer, forwarded, proxies)).to.equal(expected);
    });
});

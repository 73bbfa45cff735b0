/** The HTTP layer, over real HTTP: accepted requests, the status of rejected ones, and their format. */
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { formatRequestHead, parseRaw, type Loose } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const LIMIT = 4096;
const FILES = {
  'definitions/a.json': [
    defineReturnResource('echo', '$PAYLOAD'),
    {
      id: 'ruled',
      resource: 'ruled',
      actionables: [{ id: 1, mode: 'RETURN', value: 1, payload_validation: [{ field: { a: { type: 'NUMBER' } } }] }],
    },
  ],
};
const limits = { body: LIMIT, depth: 4, keys: 20, array: 30 };

describe('HTTP layer', () => {
  let kernel: TestKernel;
  before(async () => (kernel = await startKernel({ files: FILES, config: { http: { limits } } })));
  after(() => kernel.close());

  /** Every rejection has exactly this format, whatever its source. */
  function expectProblem(
    answer: { status: number; headers: Headers; body: Loose },
    status: number,
    code: string,
  ): void {
    const { body, headers } = answer;
    expect([answer.status, body['code']], JSON.stringify(body)).to.deep.equal([status, code]);
    expect(headers.get('content-type')).to.equal('application/problem+json; charset=utf-8');
    const id = headers.get('x-request-id');
    expect(id).to.match(UUID);
    const { title, detail, errors, ...rest } = body;
    expect(title).to.be.a('string').with.length.greaterThan(3);
    expect(detail).to.be.a('string').with.length.greaterThan(10);
    if (errors !== undefined) {
      expect(errors).to.be.an('array').with.length.greaterThan(0);
      for (const issue of errors as Loose[]) expect(issue).to.have.all.keys('pointer', 'code', 'detail');
    }
    expect(rest).to.deep.equal({
      type: `urn:lintel:error:${code}`,
      status,
      instance: `urn:request:${id}`,
      code,
      success: false,
      message: detail,
    });
  }

  const expectRejected = async (status: number, code: string, body?: unknown, init: RequestInit = {}): Promise<void> =>
    expectProblem(await kernel.post('/echo', body, init), status, code);
  const createTypeInit = (type: string): RequestInit => ({ headers: { 'content-type': type } });

  describe('paths and verbs', () => {
    it('returns 404 for an unknown path, with any headers and body', async () => {
      expectProblem(await kernel.post('/nowhere', '{broken'), 404, 'REQ_NOT_FOUND');
      expectProblem(await kernel.request('DELETE', '/nowhere'), 404, 'REQ_NOT_FOUND');
    });

    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      it(`returns 405 with Allow for ${method}`, async () => {
        const answer = await kernel.request(method, '/echo');
        expectProblem(answer, 405, 'REQ_METHOD');
        expect(answer.headers.get('allow')).to.equal('POST');
      });
    }

    it('returns 405 for HEAD, without a body', async () => {
      const answer = parseRaw(await kernel.raw(formatRequestHead('HEAD', '/echo', { connection: 'close' })));
      expect(answer.status).to.equal(405);
      expect(answer.head).to.contain('allow: post');
      expect(answer.body).to.equal('');
    });

    it('returns 414 for a URL beyond 8 KiB', async () => {
      expectProblem(await kernel.post(`/echo?${'a'.repeat(8200)}`), 414, 'REQ_URL_TOO_LONG');
      expect((await kernel.post(`/echo?${'a'.repeat(8100)}`)).status).to.equal(200);
    });

    it('returns 431 for headers beyond 16 KiB, and for more than a hundred', async () => {
      const large = { connection: 'close', 'x-large': 'a'.repeat(17_000) };
      expect(parseRaw(await kernel.raw(formatRequestHead('POST', '/echo', large))).status).to.equal(431);
      const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x-${i}`, 'v']));
      const body = '{"a":1}';
      // A header that is silently dropped could be the Content-Length.
      const flood = formatRequestHead('POST', '/echo', {
        ...many,
        'content-type': 'application/json',
        'content-length': body.length,
      });
      expect(parseRaw(await kernel.raw(flood + body)).status).to.equal(431);
    });

    it('returns 400 for bytes that are not HTTP', async () => {
      expect(parseRaw(await kernel.raw('NONSENSE\r\n\r\n')).status).to.equal(400);
      const hosts = 'POST /echo HTTP/1.1\r\nHost: a.example\r\nHOST: b.example\r\nContent-Length: 0\r\n\r\n';
      expect(parseRaw(await kernel.raw(hosts)).status).to.equal(400);
    });
  });

  describe('content types', () => {
    for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']) {
      it(`accepts ${type}`, async () => {
        expect((await kernel.post('/echo', '{"a":1}', createTypeInit(type))).body).to.deep.equal({ a: 1 });
      });
    }
    for (const type of [
      'text/plain',
      'text/json',
      'application/problem+json',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
      'application/json; charset=utf-16',
      '',
    ]) {
      it(`returns 415 for ${JSON.stringify(type)}`, () =>
        expectRejected(415, 'REQ_MEDIA_TYPE', '{}', createTypeInit(type)));
    }

    it('returns 415 for a compressed body', async () => {
      const body = gzipSync('{"a":1}');
      await expectRejected(415, 'REQ_ENCODING', body, { headers: { 'content-encoding': 'gzip' } });
    });

    it('needs no content type without a body', async () => {
      expect((await kernel.post('/echo')).body).to.deep.equal({});
      const raw = formatRequestHead('POST', '/echo', { connection: 'close' });
      expect(parseRaw(await kernel.raw(raw)).status).to.equal(200);
    });
  });

  describe('bodies', () => {
    for (const [what, body] of [
      ['half an object', '{"a":1'],
      ['words', 'hello'],
      ['two values', '{} {}'],
      ['a trailing comma', '{"a":1,}'],
      ['a comment', '{"a":1} // no'],
      ['single quotes', "{'a':1}"],
      ['NaN', '{"a":NaN}'],
      ['only blanks', '   '],
      ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])],
      ['overlong UTF-8', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
      ['a surrogate in UTF-8', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
      ['UTF-16', Buffer.from('\ufeff{"a":1}', 'utf16le')],
      ['a byte order mark', Buffer.from('\ufeff{"a":1}')],
      ['a lone surrogate as an escape', '{"a":"\\ud800"}'],
      ['a lone surrogate in a name', '{"\\udc00":1}'],
    ] as const) {
      it(`returns 400 for ${what}`, () =>
        expectRejected(400, 'REQ_MALFORMED', typeof body === 'string' ? body : new Uint8Array(body)));
    }

    for (const body of ['[]', '[{"a":1}]', 'null', '5', '"text"', 'true']) {
      it(`returns 422 for ${body}: not an object`, () => expectRejected(422, 'VAL_NOT_OBJECT', body));
    }

    it('uses the last of duplicate keys', async () => {
      expect((await kernel.post('/echo', '{"a":1,"b":2,"a":3}')).body).to.deep.equal({ a: 3, b: 2 });
    });

    for (const body of [
      '{"__proto__":{"admin":true}}',
      '{"a":[{"b":{"__proto__":1}}]}',
      '{"constructor":1}',
      '{"a":{"prototype":{}}}',
      '{"\\u005f\\u005fproto__":1}',
      '{"a":[{"con\\u0073tructor":1}]}',
      '{"a":1,"__proto__":null}',
    ]) {
      it(`returns 400 for the reserved name in ${body}`, () => expectRejected(400, 'REQ_NAME_REFUSED', body));
    }

    it('accepts reserved words as values, and names that only look like them', async () => {
      const body = { a: '__proto__', b: ['constructor'], prototypes: 1, __proto: 2, constructors: 3 };
      expect((await kernel.post('/echo', body)).body).to.deep.equal(body);
    });

    const nestJson = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    const wide = (keys: number): string =>
      JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, 1])));
    const long = (items: number): string => JSON.stringify({ a: Array(items).fill(1) });
    for (const [what, fits, beyond] of [
      ['levels', nestJson(4), nestJson(5)],
      ['properties', wide(20), wide(21)],
      ['items', long(30), long(31)],
    ] as const) {
      it(`returns 413 for too many ${what}, and not one too early`, async () => {
        expect((await kernel.post('/echo', fits)).status).to.equal(200);
        await expectRejected(413, 'REQ_TOO_COMPLEX', beyond);
      });
    }

    it('counts properties and items by structure, not by characters in strings', async () => {
      const body = { text: ':,'.repeat(500), quotes: '\\"[[[[[[{{{{{{' };
      expect((await kernel.post('/echo', body)).body).to.deep.equal(body);
    });
  });

  describe('sizes', () => {
    const createBodyOfSize = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;

    it('accepts a body of exactly the limit, in bytes', async () => {
      expect(createBodyOfSize(LIMIT)).to.have.length(LIMIT);
      expect((await kernel.post('/echo', createBodyOfSize(LIMIT))).status).to.equal(200);
      await expectRejected(413, 'REQ_TOO_LARGE', createBodyOfSize(LIMIT + 1));
      await expectRejected(413, 'REQ_TOO_LARGE', `{"a":"${'é'.repeat(LIMIT / 2)}"}`);
    });

    it('returns 413 immediately for an announced length, without reading, and closes the connection', async () => {
      const announced = formatRequestHead('POST', '/echo', {
        'content-type': 'application/json',
        'content-length': 10_000_000_000,
      });
      const answer = parseRaw(await kernel.raw(announced));
      expect(answer.status).to.equal(413);
      expect(answer.head).to.contain('connection: close');
      expect(JSON.parse(answer.body)).to.include({ code: 'REQ_TOO_LARGE' });
    });

    it('returns 413 in the middle of a stream that is too long, and closes the connection', async () => {
      const chunk = `400\r\n${'x'.repeat(1024)}\r\n`;
      const start = formatRequestHead('POST', '/echo', {
        'content-type': 'application/json',
        'transfer-encoding': 'chunked',
      });
      const answer = parseRaw(await kernel.raw([start, chunk, chunk, chunk, chunk, chunk]));
      expect(answer.status).to.equal(413);
      expect(answer.head).to.contain('connection: close');
    });

    it('reads a body that arrives byte by byte', async () => {
      const body = Buffer.from('{"a":"é👍"}');
      const start = formatRequestHead('POST', '/echo', {
        'content-type': 'application/json',
        'content-length': body.length,
        connection: 'close',
      });
      const answer = parseRaw(await kernel.raw([start, ...Array.from(body, (_, i) => body.subarray(i, i + 1))]));
      expect(answer.status).to.equal(200);
      expect(JSON.parse(Buffer.from(answer.body, 'latin1').toString())).to.deep.equal({ a: 'é👍' });
    });

    it('closes the connection after an early rejection, so that the remaining bytes are never read as a request', async () => {
      const smuggled = formatRequestHead('POST', '/echo', { 'content-length': 0, connection: 'close' });
      const start = formatRequestHead('POST', '/echo', {
        'content-type': 'text/plain',
        'content-length': smuggled.length,
      });
      const answer = await kernel.raw(start + smuggled);
      expect(answer.match(/HTTP\/1\.1/g)).to.have.length(1);
      expect(parseRaw(answer).status).to.equal(415);
    });

    it('keeps serving after a client disconnects in the middle of its body', async () => {
      const { connect } = await import('node:net');
      const socket = connect(kernel.server.port, '127.0.0.1');
      const start = formatRequestHead('POST', '/echo', { 'content-type': 'application/json', 'content-length': 1000 });
      await new Promise<void>((resolve) => socket.write(`${start}{"a":`, () => resolve()));
      const line = (): boolean => kernel.log.some(({ fields }) => fields['code'] === 'REQ_ABORTED');
      socket.destroy();
      const end = Date.now() + 5000;
      while (!line() && Date.now() < end) await new Promise(setImmediate);
      expect(line()).to.equal(true);
      expect(kernel.log.filter(({ level }) => level === 'error')).to.deep.equal([]);
      expect((await kernel.post('/echo', { a: 1 })).status).to.equal(200);
    });
  });

  // A suite of its own, because mocha runs it after the ones above.
  describe('ids and the log', () => {
    it('assigns every response its own id, and does not accept one from outside', async () => {
      const one = await kernel.post('/echo', {}, { headers: { 'x-request-id': 'forged\u00e9' } });
      const two = await kernel.post('/echo', {});
      expect(one.headers.get('x-request-id')).to.match(UUID).and.not.equal(two.headers.get('x-request-id'));
    });

    it('writes ids and codes to the log, never values of the request', () => {
      const lines = JSON.stringify(kernel.log);
      for (const value of ['forged', 'xxxx', 'smuggled', 'admin']) expect(lines).not.to.contain(value);
      const row = kernel.log.find(({ fields }) => fields['code'] === 'REQ_TOO_COMPLEX');
      expect(row?.fields).to.include({ resource: 'echo', status: 413 });
      expect(row?.fields['id']).to.match(UUID);
    });
  });
});

describe('configured verbs', () => {
  let kernel: TestKernel;
  const methods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'];
  before(async () => (kernel = await startKernel({ files: FILES, config: { http: { methods } } })));
  after(() => kernel.close());

  for (const method of ['GET', 'DELETE']) {
    it(`read the payload of ${method} from the query string`, async () => {
      const { body } = await kernel.request(method, '/echo?a=1&b=x%20y&b=z&c=&%C3%A9=%F0%9F%91%8D&d');
      expect(body).to.deep.equal({ a: '1', b: ['x y', 'z'], c: '', é: '👍', d: '' });
      expect((await kernel.request(method, '/echo')).body).to.deep.equal({});
    });
  }

  it('ignore the body of a GET', async () => {
    const bytes = formatRequestHead('GET', '/echo?a=1', { 'content-length': 7, connection: 'close' });
    expect(parseRaw(await kernel.raw(`${bytes}{"b":2}`)).body).to.equal('{"a":"1"}');
  });

  for (const method of ['PUT', 'PATCH']) {
    it(`accept a JSON body for ${method}`, async () => {
      const init = { body: '{"a":1}', headers: { 'content-type': 'application/json' } };
      expect((await kernel.request(method, '/echo?b=2', init)).body).to.deep.equal({ a: 1 });
    });
  }

  it('reject reserved names in a query string, and text if a rule requires a number', async () => {
    for (const query of ['__proto__=1', 'constructor=1', 'a=1&%5f%5fproto__=1']) {
      expect((await kernel.request('GET', `/echo?${query}`)).body).to.include({ code: 'REQ_NAME_REFUSED' });
    }
    expect((await kernel.request('GET', '/ruled?a=five')).body).to.include({ code: 'VAL_PAYLOAD' });
  });

  it('are all named in Allow', async () => {
    const { status, headers } = await kernel.request('OPTIONS', '/echo');
    expect(status).to.equal(405);
    expect(headers.get('allow')).to.equal('POST, GET, HEAD, PUT, PATCH, DELETE');
  });

  it('serve HEAD like GET without the body', async () => {
    const answer = parseRaw(await kernel.raw(formatRequestHead('HEAD', '/echo?a=1', { connection: 'close' })));
    expect([answer.status, answer.body]).to.deep.equal([200, '']);
    expect(answer.head).to.contain(`content-length: ${'{"a":"1"}'.length}`);
    expect(parseRaw(await kernel.raw(formatRequestHead('HEAD', '/nowhere', { connection: 'close' }))).status).to.equal(
      404,
    );
  });
});

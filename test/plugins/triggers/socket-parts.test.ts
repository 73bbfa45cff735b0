/** Messages of connections as text, the check of a handshake, the rate of a sender, and a message as plans read it. */
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { Fault } from '../../../contract/fault.js';
import { RawJson } from '../../../contract/raw-json.js';
import { createHandshakeCheck, type HandshakeInput } from '../../../plugins/triggers/websocket/handshake.js';
import { SocketInvocation } from '../../../plugins/triggers/websocket/invocation.js';
import * as frames from '../../../plugins/triggers/websocket/message.js';
import { createRateLimiter } from '../../../plugins/triggers/websocket/connection.js';
import {
  createPeerHeaders,
  extractProofs,
  ConnectionRejection,
  parseUid,
} from '../../../plugins/triggers/websocket/peer.js';
import { createSenderResolver } from '../../../kernel/http/cross-site.js';
const LIMITS = { depth: 3, keys: 4, array: 5 };

// The types of `ws` lack it.
const { Sender } = createRequire(import.meta.url)('ws') as {
  readonly Sender: { frame(data: Buffer, options: object): Buffer[] };
};

describe('socket message', () => {
  const read = (json: unknown) =>
    frames.readMessage(Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)), LIMITS);

  it('names a resource, and has an action, an id and a payload if they are sent', () => {
    expect(read({ resource: 'notes' })).to.deep.equal({
      resource: 'notes',
      action: null,
      requestId: null,
      payload: undefined,
      flaw: null,
    });
    expect(read({ resource: '/a', action: 'b', request_id: 'c', payload: [1] })).to.deep.equal({
      ...{ resource: '/a', action: 'b', requestId: 'c', payload: [1], flaw: null },
    });
    expect(read({ resource: 'a', action: null, request_id: null })).to.deep.include({
      action: null,
      requestId: null,
      flaw: null,
    });
    const long = 'x'.repeat(256);
    expect(read({ resource: 'a', action: long, request_id: long })).to.deep.include({
      action: long,
      requestId: long,
      flaw: null,
    });
  });

  const issues: readonly (readonly [unknown, string | undefined, object])[] = [
    ['[]', 'it is not an object', { action: null, requestId: null }],
    ['5', 'it is not an object', {}],
    ['null', 'it is not an object', {}],
    [
      { resource: 'a', action: 5, request_id: 'c' },
      '`action` is not a text of at most 256 characters',
      { action: null, requestId: 'c' },
    ],
    [{ resource: 'a', action: 'x'.repeat(257) }, '`action` is not a text of at most 256 characters', { action: null }],
    [
      { resource: 'a', action: 'b', request_id: {} },
      '`request_id` is not a text of at most 256 characters',
      { action: 'b', requestId: null },
    ],
    [
      { resource: 'a', request_id: 'x'.repeat(257) },
      '`request_id` is not a text of at most 256 characters',
      { requestId: null },
    ],
    [
      { action: 'b', request_id: 'c' },
      '`resource` does not name one by its id or its path',
      { action: 'b', requestId: 'c' },
    ],
    [{ resource: '' }, '`resource` does not name one by its id or its path', {}],
    [{ resource: 5 }, '`resource` does not name one by its id or its path', {}],
  ];
  for (const [json, what, rest] of issues)
    it(`is invalid: ${JSON.stringify(json).slice(0, 60)}`, () => {
      const { flaw, ...message } = read(json);
      expect([flaw?.code, flaw?.params['what']]).to.deep.equal(['WS_MESSAGE', what]);
      expect(message).to.deep.include({ resource: '', payload: undefined, ...rest });
    });

  it('can have a payload as deep and with as many names as a body', () => {
    const code = (payload: unknown) =>
      read({ resource: 'a', action: 'b', request_id: 'c', payload }).flaw?.code ?? null;
    expect([code([[[1]]]), code([[[[1]]]])]).to.deep.equal([null, 'REQ_TOO_COMPLEX']);
    expect([code({ a: 1, b: 2, c: 3, d: 4 }), code({ a: 1, b: 2, c: 3, d: 4, e: 5 })]).to.deep.equal([
      null,
      'REQ_TOO_COMPLEX',
    ]);
    expect([code([1, 2, 3, 4, 5]), code([1, 2, 3, 4, 5, 6])]).to.deep.equal([null, 'REQ_TOO_COMPLEX']);
    expect(read('{').flaw?.code).to.equal('REQ_MALFORMED');
  });

  it('is answered with the values it repeats, and the result unchanged', () => {
    const named = { action: 'a"b', requestId: 'r' };
    const none = { action: null, requestId: null };
    const text = (frame: Buffer): string => frame.toString();
    expect(text(frames.createResponseFrame('u', named, { x: 1 }))).to.equal(
      '{"uid":"u","action":"a\\"b","request_id":"r","data":{"x":1}}',
    );
    expect(text(frames.createResponseFrame(null, none, undefined))).to.equal('{"uid":null,"action":null,"data":null}');
    const rendered = new RawJson(Buffer.from('[1]'), () => null);
    expect(text(frames.createResponseFrame(null, none, rendered))).to.equal('{"uid":null,"action":null,"data":[1]}');
    expect(text(frames.createResponseFrame('u', named, rendered))).to.equal(
      '{"uid":"u","action":"a\\"b","request_id":"r","data":[1]}',
    );
    expect(text(frames.createErrorFrame('u', named, { code: 'C' }))).to.equal(
      '{"uid":"u","action":"a\\"b","request_id":"r","error":{"code":"C"}}',
    );
    expect(text(frames.createErrorFrame(null, none, {}))).to.equal('{"uid":null,"action":null,"error":{}}');
    expect(text(frames.createDeliveryFrame('u', frames.serializeShared('told', [1], null)).text)).to.equal(
      '{"uid":"u","action":"told","data":[1]}',
    );
    expect(text(frames.createDeliveryFrame(null, frames.serializeShared('told', 1, 'i')).text)).to.equal(
      '{"uid":null,"action":"told","data":1,"id":"i"}',
    );
  });

  it('for many connections has the bytes that `ws` sends', () => {
    for (const length of [0, 125, 126, 65_535, 65_536]) {
      const text = Buffer.alloc(length, 'x');
      const options = { fin: true, opcode: 1, mask: false, readOnly: true, rsv1: false };
      const sent = Buffer.concat(Sender.frame(text, options));
      expect(new frames.SharedFrame(text).bytes.equals(sent), String(length)).to.equal(true);
    }
  });
});

describe('handshake', () => {
  const KEY = 'AAAAAAAAAAAAAAAAAAAAAA==';
  type SentHeaders = Readonly<Record<string, string | readonly string[]>>;
  const FINE: SentHeaders = {
    'sec-websocket-key': KEY,
    'sec-websocket-version': '13',
    upgrade: 'websocket',
    host: 'api.example.com',
  };
  const checkHandshake = (
    sent: SentHeaders = {},
    rest: Partial<HandshakeInput> & { method?: string; origins?: readonly string[]; open?: number } = {},
  ) => {
    const all: SentHeaders = { ...FINE, ...sent };
    const header = (name: string): readonly string[] => [all[name] ?? []].flat();
    const input = {
      limits: { connections: 2, per_address: 9 },
      ...{ closing: () => false, count: () => rest.open ?? 0, countConnections: () => 0, ...rest },
    } as unknown as HandshakeInput;
    const rejection = createHandshakeCheck(input)({
      method: rest.method ?? 'GET',
      ...{ remote: '', header, sender: createSenderResolver(rest.origins ?? [])(header) },
    });
    return rejection === null
      ? 'fine'
      : rejection.code === 'WS_HANDSHAKE'
        ? String(rejection.params['what'])
        : rejection.code;
  };

  it('is WebSocket version 13, with GET and a key of 16 bytes', () => {
    expect([checkHandshake(), checkHandshake({ upgrade: 'WebSocket' })]).to.deep.equal(['fine', 'fine']);
    expect([
      checkHandshake({}, { method: 'POST' }),
      checkHandshake({ upgrade: 'h2c' }),
      checkHandshake({ upgrade: [] }),
    ]).to.deep.equal(Array(3).fill('WS_UPGRADE'));
    for (const version of ['12', '', '130'])
      expect(checkHandshake({ 'sec-websocket-version': version })).to.equal('its version is not 13');
    for (const key of ['', KEY.slice(1), `A${KEY}`, `${KEY}A`, KEY.replace('A', '-'), [KEY, KEY]])
      expect(checkHandshake({ 'sec-websocket-key': key })).to.equal('`sec-websocket-key` is not 16 bytes in base64');
  });

  it('is accepted from a program, from a page of the same host, or from an allowed origin', () => {
    const fine: readonly (readonly [sent: SentHeaders, origins?: readonly string[]])[] = [
      [{ origin: 'https://api.example.com' }],
      [{ origin: 'http://api.example.com' }],
      [{ origin: 'http://api.example.com:8080', host: 'api.example.com:8080' }],
      [{ origin: 'https://api.example.com', host: 'api.example.com:443' }],
      [{ origin: 'https://app.example.com' }, ['https://APP.example.com:443']],
      [{ origin: 'null' }, ['*']],
    ];
    for (const [sent, origins = []] of fine)
      expect(checkHandshake(sent, { origins }), JSON.stringify(sent)).to.equal('fine');
    const rejected: readonly (readonly [sent: SentHeaders, origins?: readonly string[]])[] = [
      [{ origin: 'https://app.example.com' }],
      [{ origin: 'null' }],
      [{ origin: 'ftp://api.example.com' }],
      [{ origin: 'http://api.example.com:8080' }],
      [{ origin: 'https://' }],
      [{ origin: 'https://api.example.com', host: ['api.example.com', 'api.example.com'] }],
      [{ origin: ['https://app.example.com', 'https://app.example.com'] }, ['https://app.example.com']],
      [{ origin: 'http://app.example.com' }, ['https://app.example.com']],
    ];
    for (const [sent, origins = []] of rejected)
      expect(checkHandshake(sent, { origins }), JSON.stringify(sent)).to.equal('WS_ORIGIN');
  });

  it('has no sub-protocols, or the name of a header and a token', () => {
    const offered = (protocols: string | readonly string[]) => checkHandshake({ 'sec-websocket-protocol': protocols });
    for (const fine of ['Authorization, a.b.c', 'x-key , t', ['a', 't'], `${'a'.repeat(64)}, t`])
      expect(offered(fine)).to.equal('fine');
    for (const bad of ['', 'a,', 'a b, c', 'a, a', 'a;b, c', ['a', 'a']])
      expect(offered(bad), String(bad)).to.equal('the list of sub-protocols is not valid');
    for (const bad of ['a', 'a.b, c', '1a, b', `${'a'.repeat(65)}, t`])
      expect(offered(bad), bad).to.equal('the sub-protocols have to be the name of a header, then the token');
  });

  it('is rejected temporarily if the server stops or is full', () => {
    expect([
      checkHandshake({}, { closing: () => true }),
      checkHandshake({}, { open: 2 }),
      checkHandshake({}, { open: 1 }),
    ]).to.deep.equal(['WS_CLOSING', 'WS_FULL', 'fine']);
  });
});

describe('rate of a client', () => {
  it('allows a number a second, with a burst of one second, and closes on a flood', () => {
    const pace = createRateLimiter(2);
    const at = (...moments: number[]) => moments.map((now) => pace(now));
    expect(at(0, 0, 0)).to.deep.equal(['fine', 'fine', 'over']);
    // Half a second is one more; the burst is never more than that of a second.
    expect(at(500, 500)).to.deep.equal(['fine', 'over']);
    expect(at(60_000, 60_000, 60_000)).to.deep.equal(['fine', 'fine', 'over']);
    expect(at(...Array<number>(8).fill(60_000))).to.deep.equal([...Array<string>(7).fill('over'), 'flood']);
    // The tolerance recovers as fast as the allowance.
    expect(at(60_500, 60_500)).to.deep.equal(['fine', 'flood']);
    expect(at(...Array<number>(6).fill(62_500))).to.deep.equal(['fine', 'fine', 'over', 'over', 'over', 'flood']);
  });
});

describe('socket message as plans read it', () => {
  const values = () => ['1'];
  const peer = (uid: string | null) =>
    ({ headers: { all: { a: '1' }, values }, remote: '192.0.2.7', connection: { uid } }) as never;
  const arrival = {
    id: 'i',
    startedAt: 5,
    deadline: Infinity,
    payload: { a: 1 } as unknown,
    parameters: null,
    timed: false,
  };
  const invocation = (rest: object = {}, uid: string | null = null) =>
    new SocketInvocation({ ...arrival, ...rest }, peer(uid));
  const received = (...given: Parameters<typeof invocation>): unknown => invocation(...given).readPayload();

  it('has its payload, with the uid as id where it names none, and the parameters of the path', () => {
    expect(received()).to.deep.equal({ a: 1 });
    expect(received({ payload: undefined })).to.deep.equal({});
    expect(received({}, 'u')).to.deep.equal({ a: 1, id: 'u' });
    expect(received({ payload: { id: null } }, 'u')).to.deep.equal({ id: null });
    expect(received({ payload: [1] }, 'u')).to.deep.equal([1]);
    expect(received({ parameters: { id: 'p' } }, 'u')).to.deep.equal({ a: 1, id: 'p' });
    for (const payload of [null, 5, 'x']) expect(() => received({ payload })).to.throw(Fault, 'VAL_NOT_OBJECT');
    expect(() => received({ payload: [1], parameters: { id: 'p' } })).to.throw(Fault, 'VAL_NOT_OBJECT');
  });

  it('has no bytes, and texts in its path only', async () => {
    const failure: unknown = await invocation()
      .readRawBody()
      .catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'WS_REQUEST_ONLY');
    const { texts } = invocation({ parameters: { id: 'p' } });
    expect([invocation().texts, [...(texts ?? [])]]).to.deep.equal([null, ['id']]);
    expect([invocation().timings, invocation({ timed: true }).timings]).to.deep.equal([null, []]);
  });

  it('releases its resources once', async () => {
    let count = 0;
    const one = invocation();
    one.onFinish(() => void count++);
    await one.dispose(true);
    await one.dispose(true);
    expect(count).to.equal(1);
  });
});

describe('client of a connection', () => {
  const request = (...rawHeaders: string[]) => {
    const headers: Record<string, string> = {};
    for (let i = 0; i < rawHeaders.length; i += 2)
      headers[(rawHeaders[i] ?? '').toLowerCase()] = rawHeaders[i + 1] ?? '';
    return { rawHeaders, headers } as unknown as IncomingMessage;
  };
  const catchRejection = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      return error instanceof ConnectionRejection ? [error.code, error.fault.code, error.fault.params['what']] : error;
    }
  };

  it('has headers for its messages, without those of the upgrade and of a body', () => {
    const own = [
      'Connection',
      'Upgrade',
      'Keep-Alive',
      'TE',
      'Trailer',
      'Transfer-Encoding',
      'Expect',
      'Content-Length',
      'Content-Type',
    ];
    const skipped = [...own, 'Sec-WebSocket-Key', 'Sec-WebSocket-Protocol'].flatMap((name) => [name, 'x']);
    const kept = ['x-content-type', 'x-upgrade', 'connection-id', 'test'].flatMap((name) => [name, name]);
    const { all, values } = createPeerHeaders(request(...skipped, 'X-A', '1', 'x-a', '2', ...kept), []);
    expect(Object.keys(all)).to.deep.equal(['x-a', 'x-content-type', 'x-upgrade', 'connection-id', 'test']);
    expect([values('x-a'), values('upgrade'), Object.getPrototypeOf(all)]).to.deep.equal([['1', '2'], [], null]);
  });

  it('has its token in the header that it is for', () => {
    const { all, values } = createPeerHeaders(request('X-Key', 'other', 'x-b', '2'), [['x-key', 'token']]);
    expect([{ ...all }, values('x-key')]).to.deep.equal([{ 'x-b': '2', 'x-key': 'token' }, ['token']]);
  });

  it('sends its token in the sub-protocols, for a header from which a resource reads one', () => {
    const identities = ['authorization', 'x-key'].map((header) => ({ key: header, identity: { header } })) as never;
    const proofIn = (profile: string | null, lines: readonly string[]) =>
      catchRejection(() =>
        extractProofs(request(...lines.flatMap((line) => ['Sec-WebSocket-Protocol', line])), identities, profile),
      );
    const proof = (...lines: string[]) => proofIn(null, lines);
    expect(proof()).to.deep.equal([]);
    expect(proof('Authorization, aB.c')).to.deep.equal([['authorization', 'Bearer aB.c']]);
    expect(proof('x-key', 'T')).to.deep.equal([['x-key', 'T']]);
    expect(proofIn('sub0', ['x-access-token, T'])).to.deep.equal([['authorization', 'Bearer T']]);
    const what = 'no resource reads a token from the header that the sub-protocols name';
    for (const lines of ['x-access-token, T', 'x-other, t', 'x-key, a, b', 'x-key'])
      expect(proof(lines), lines).to.deep.equal([4400, 'WS_HANDSHAKE', what]);
  });

  it('has a uid of 1 to 256 plain characters, once, if required or sent', () => {
    const uid = (query: string, force_uid = false) =>
      catchRejection(() => parseUid(new URLSearchParams(query), { force_uid } as never));
    expect([uid('a=1'), uid('uid=ada'), uid(`uid=${'x'.repeat(256)}`)]).to.deep.equal([null, 'ada', 'x'.repeat(256)]);
    const createUidRejection = (what: string) => [4400, 'WS_UID', what];
    expect(uid('', true)).to.deep.equal(createUidRejection('is missing'));
    expect(uid('uid=a&uid=a')).to.deep.equal(createUidRejection('is given twice'));
    for (const odd of ['', 'x'.repeat(257), 'a%00', 'a%1Fb', '%7f', '%0A'])
      expect(uid(`uid=${odd}`), odd).to.deep.equal(createUidRejection('is not 1 to 256 plain characters'));
    expect(uid('uid=%20%C3%A4~')).to.equal(' ä~');
  });
});

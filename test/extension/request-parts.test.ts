/** The parts of the request panel that need no editor: building a request, reading an answer, finding tokens, sending. */
import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toShownAnswer, parseTimings, type ShownBody } from '../../extension/src/panels/response.js';
import {
  buildRequest,
  isLoopback,
  type BuiltRequest,
  type RequestForm,
} from '../../extension/src/panels/build-request.js';
import { isRefused, NoResponseError, send } from '../../extension/src/panels/send.js';
import { createTokenStore } from '../../extension/src/panels/token-store.js';
import { decodeClaims, getExpiry, findTokens, getOwnerLabel } from '../../extension/src/panels/tokens.js';

const FORM: RequestForm = {
  base: 'http://127.0.0.1:8080/',
  method: 'POST',
  path: '/a',
  parameters: {},
  headers: [],
  payload: '{"a": 1}',
  withoutBody: false,
  multipart: false,
  files: [],
};
const built = (form: Partial<RequestForm>): BuiltRequest => {
  const found = buildRequest({ ...FORM, ...form });
  if ('mistake' in found) throw new Error(found.mistake);
  return found;
};
const mistake = (form: Partial<RequestForm>): string => {
  const found = buildRequest({ ...FORM, ...form });
  return 'mistake' in found ? found.mistake : '';
};
const part = (json: object): string => Buffer.from(JSON.stringify(json)).toString('base64url');
const jwt = (claims: object): string => `${part({ alg: 'HS256' })}.${part(claims)}.c2lnbmF0dXJl`;

describe('extension: building a request', () => {
  it('sends JSON with its media type to the URL of the form', () => {
    const { url, method, headers, body } = built({
      headers: [
        ['X-Door', 'open'],
        ['', ''],
      ],
    });
    expect([url, method, body]).to.deep.equal(['http://127.0.0.1:8080/a', 'POST', '{"a": 1}']);
    expect([...headers]).to.deep.equal([
      ['content-type', 'application/json'],
      ['x-door', 'open'],
    ]);
  });

  it('encodes values in the path, and reports missing ones', () => {
    const path = '/notes/:note/of/:who';
    const { url } = built({ path, parameters: { note: 'a/b?', who: 'ü' } });
    expect(url).to.equal('http://127.0.0.1:8080/notes/a%2Fb%3F/of/%C3%BC');
    expect(mistake({ path, parameters: { note: 'x' } })).to.equal('The path needs a value for "who".');
  });

  it('sends a query string where there is no body', () => {
    const { url, body } = built({ method: 'GET', withoutBody: true, payload: '{"a": "x y", "b": [1]}' });
    expect([url, body]).to.deep.equal(['http://127.0.0.1:8080/a?a=x+y&b=%5B1%5D', null]);
    expect(mistake({ method: 'GET', withoutBody: true, payload: '[1]' })).to.contain('names');
    expect(built({ method: 'GET', withoutBody: true, payload: ' ' }).url).to.equal('http://127.0.0.1:8080/a');
  });

  it('sends a form with files, whose type is optional', async () => {
    const files = [{ part: 'file', name: 'a.png', type: 'image/png', bytes: new Uint8Array([1, 2]) }];
    const { body, headers } = built({
      multipart: true,
      files,
      payload: '{"title": "t"}',
      headers: [['Content-Type', 'x/y']],
    });
    expect(headers.has('content-type')).to.equal(false);
    const form = body as FormData;
    expect(form.get('title')).to.equal('t');
    const file = form.get('file') as File;
    expect([file.name, file.type, file.size]).to.deep.equal(['a.png', 'image/png', 2]);
  });

  it('reports mistakes', () => {
    expect(mistake({ payload: '{"a": ' })).to.match(/^The payload is no JSON: /);
    expect(mistake({ base: 'nowhere' })).to.contain('"nowhere" is no address');
    expect(mistake({ base: 'file:///etc' })).to.contain('is no address');
    expect(mistake({ headers: [['a b', '1']] })).to.contain('"a b"');
    expect(mistake({ headers: [['a', 'x\ny']] })).to.contain('"a"');
  });

  it('sends a payload with a member "mistake"', () => {
    expect(built({ payload: '{"mistake": 1}' }).body).to.equal('{"mistake": 1}');
  });

  it('recognizes loopback addresses', () => {
    for (const host of ['localhost:8080', '127.0.0.1', '127.1.2.3', '[::1]:1', 'a.localhost'])
      expect(isLoopback(`http://${host}/`), host).to.equal(true);
    for (const host of ['example.com', '127.0.0.1.example.com', 'localhost.example.com', '10.0.0.1'])
      expect(isLoopback(`http://${host}/`), host).to.equal(false);
  });
});

describe('extension: reading a response', () => {
  const showAnswer = (text: string | Uint8Array, type: string, status = 200) =>
    toShownAnswer({
      ...{ status, statusText: 'OK', took: 1.5 },
      headers: new Headers({
        ...(type !== '' && { 'content-type': type }),
        'server-timing': 'admit;dur=1, run;desc="the work, all";dur=2.5',
      }),
      bytes: typeof text === 'string' ? new TextEncoder().encode(text) : text,
    });
  const body = (text: string | Uint8Array, type: string): ShownBody => showAnswer(text, type).body;

  it('formats JSON; invalid JSON is text', () => {
    expect(body('{"a":1}', 'application/json; charset=utf-8')).to.deep.equal({
      as: 'json',
      text: '{\n  "a": 1\n}',
      cut: false,
    });
    expect(body('{"a":', 'application/json')).to.include({ as: 'text', text: '{"a":' });
    expect(body('', 'application/json')).to.deep.equal({ as: 'nothing' });
  });

  it('shows images, offers to save other bytes, and shows active content as text', () => {
    expect(body(new Uint8Array([1, 2]), 'image/png')).to.deep.equal({
      as: 'image',
      source: 'data:image/png;base64,AQI=',
    });
    expect(body('<svg onload="x">', 'image/svg+xml')).to.include({ as: 'text' });
    expect(body(new Uint8Array([0, 1]), 'application/pdf')).to.deep.equal({ as: 'file', type: 'application/pdf' });
    expect(body(new Uint8Array([0, 1]), '')).to.deep.equal({ as: 'file', type: 'bytes' });
  });

  it('truncates long text', () => {
    expect(body('x'.repeat(500_000), 'text/plain')).to.include({ cut: true });
  });

  it('shows a problem document field by field', () => {
    const json = { title: 'T', detail: 'D', code: 'C', errors: [{ pointer: '/a', detail: 'is wrong' }, 7] };
    expect(showAnswer(JSON.stringify(json), 'application/problem+json', 422).problem).to.deep.equal({
      ...{ title: 'T', detail: 'D', code: 'C' },
      errors: [{ at: '/a', detail: 'is wrong' }],
    });
    expect(showAnswer('{}', 'application/json').problem).to.equal(null);
    expect(showAnswer('[', 'application/problem+json').problem).to.equal(null);
  });

  it('reads Server-Timing with commas in descriptions', () => {
    expect(showAnswer('', '').timings).to.deep.equal([
      { name: 'admit', text: 'admit', took: 1 },
      { name: 'run', text: 'the work, all', took: 2.5 },
    ]);
    for (const header of ['', ';', 'a', 'a;dur=x', ',,"', 'a;desc="']) expect(parseTimings(header)).to.deep.equal([]);
  });
});

describe('extension: tokens', () => {
  const token = jwt({ id: 'u1', email: 'ada@example.com', exp: 2_000_000_000 });

  it('are found by their form and by their name, each once', () => {
    const paseto = `v4.local.${'x'.repeat(40)}`;
    const answer = {
      id: 'a.b.c',
      session: token,
      list: [{ deep: paseto }],
      access_token: 'opaque-123456',
      again: token,
      token: 'no token',
    };
    expect(findTokens(answer).map(({ path }) => path)).to.deep.equal(['session', 'list.0.deep', 'access_token']);
    expect(findTokens(token)).to.have.lengthOf(1);
    for (const none of [null, 7, 'text', 'www.example.com', {}, []]) expect(findTokens(none)).to.deep.equal([]);
  });

  it('show their claims, their owner and their expiry', () => {
    expect(decodeClaims(token)).to.deep.equal({ id: 'u1', email: 'ada@example.com', exp: 2_000_000_000 });
    expect(getOwnerLabel(decodeClaims(token))).to.equal('ada@example.com');
    expect(getExpiry(decodeClaims(token))).to.equal(2_000_000_000_000);
    const signed = Buffer.concat([Buffer.from('{"sub":"x","exp":"2030-01-01T00:00:00Z"}'), Buffer.alloc(64, 0x7d)]);
    const open = `v4.public.${signed.toString('base64url')}`;
    expect(decodeClaims(open)).to.include({ sub: 'x' });
    expect(getExpiry(decodeClaims(open))).to.equal(Date.parse('2030-01-01T00:00:00Z'));
    expect(decodeClaims(`v4.local.${'x'.repeat(40)}`)).to.equal(null);
    expect([decodeClaims('opaque'), getOwnerLabel(null), getExpiry(null)]).to.deep.equal([null, '', null]);
  });

  it('are stored by origin, the latest first, and are read only by their key', async () => {
    const kept = new Map<string, string>();
    const store = createTokenStore({
      get: async (key: string) => kept.get(key),
      store: async (key: string, value: string) => void kept.set(key, value),
      delete: async (key: string) => void kept.delete(key),
    } as never);
    const here = 'http://127.0.0.1:8080/';
    await store.add(here, [token], '/sign-in');
    await store.add(here, [jwt({ id: 'u2' })], '/sign-up');
    const [second, first] = await store.list('http://127.0.0.1:8080');
    expect([first?.label, second?.label]).to.deep.equal(['ada@example.com, from /sign-in', 'u2, from /sign-up']);
    expect(JSON.stringify([first, second])).not.to.contain(token.split('.')[1]);
    expect(await store.getToken(here, first!.key)).to.equal(token);
    expect(await store.list('http://127.0.0.1:9')).to.deep.equal([]);
    expect(await store.getToken('http://example.com', first!.key)).to.equal(null);
    await store.remove(here, first!.key);
    await store.remove(here, second!.key);
    expect(kept.size).to.equal(0);
  });
});

describe('extension: sending a request', () => {
  let server: Server;
  let base: string;
  before(async () => {
    server = createServer((request, response) => {
      if (request.url === '/wait') return;
      if (request.url === '/moved') return void response.writeHead(302, { location: 'http://example.com/' }).end();
      response.setHeader('content-type', 'application/json').end(JSON.stringify(request.headers));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const go = (path: string, signal = new AbortController().signal) => send(built({ base, path }), signal);
  const failure = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => '',
      (error: unknown) => (error instanceof NoResponseError ? error.message : `thrown: ${String(error)}`),
    );

  it('returns status, body and time; follows no redirect', async () => {
    const answer = await go('/a');
    expect(answer.status).to.equal(200);
    expect(answer.took).to.be.greaterThan(0);
    expect(new TextDecoder().decode(answer.bytes)).to.contain('application/json');
    expect((await go('/moved')).status).to.equal(302);
  });

  it('can be cancelled', async () => {
    const controller = new AbortController();
    const waiting = failure(go('/wait', controller.signal));
    await once(server, 'request');
    controller.abort();
    expect(await waiting).to.equal('The request was cancelled.');
  });

  it('reports that no server listens', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    other.close();
    await once(other, 'close');
    const reason = await failure(send(built({ base: `http://127.0.0.1:${port}` }), new AbortController().signal));
    expect(reason).to.contain('the kernel does not run');
    expect(isRefused(reason)).to.equal(true);
  });
});

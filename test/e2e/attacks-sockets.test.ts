/**
 * Attacks on connections: outdated rights, outdated messages, names with a meaning in JavaScript, ambiguous handshakes.
 * Floods are in `sockets-faults`, tokens in `sockets-tokens`.
 */
import { expect } from 'chai';
import type { Delivery } from '../../contract/delivery.js';
import { parseRaw } from '../support/client.js';
import type { TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { createSocketFixture, UPGRADE, type SocketClient } from '../support/sockets.js';
import { signJwt, KEY, OTHER_KEY } from '../support/tokens.js';
import { toRoomKey } from '../../plugins/shared/room-names.js';

const TEAM_A = toRoomKey(['team ', ['a']]);

const TOKENS = { tokenize: { type: 'JWT', encryption_key: '$ENV.KEY' } };
const GUARD = { ...TOKENS, protected: { extract_claims: ['id'] } };
const OPEN = defineReturnResource('open', { ok: true });
const JOIN = {
  id: 'join',
  resource: 'join',
  actionables: [{ id: 1, mode: 'RETURN', value: 1, join_room: 'team $PAYLOAD.team' }],
};
const ME = { ...defineReturnResource('me', { id: '$PROTECTED.id' }), ...GUARD };
const FILES = {
  'definitions/open.json': OPEN,
  'definitions/join.json': JOIN,
  'definitions/me.json': ME,
};
const ENV = { KEY, OTHER: OTHER_KEY };
const createConnectOptions = async (id: string) => ({
  protocols: ['Authorization', await signJwt({ id })],
  query: `?uid=${id}`,
});

/** The close frame. */
const CLOSE = Buffer.from('888000000000', 'hex');

describe('attacks on connections', function () {
  const { start: begin, open, farewell } = createSocketFixture(FILES);
  const start = (files: Readonly<Record<string, unknown>> = FILES, websocket: object = {}): Promise<TestKernel> =>
    begin({ files, env: ENV }, websocket);
  const deliverTo = ({ kernel }: TestKernel, to: Delivery['to'], data: Delivery['data']): void =>
    kernel.running.deliverMessage({ action: 'told', data, to, id: null });
  const readDelivered = async (client: SocketClient): Promise<unknown[]> => {
    await client.sendRequest('open');
    return client.frames.filter(({ action }) => action === 'told').map(({ data }) => data);
  };
  const reload = async (kernel: TestKernel, files: Readonly<Record<string, unknown>>): Promise<void> => {
    for (const [file, content] of Object.entries(files))
      await (content === null ? kernel.project.remove(file) : kernel.project.write(file, content));
    expect((await kernel.kernel.reload()).applied).to.equal(true);
  };

  describe('after a reload', () => {
    it('leave rooms that they cannot join any more', async () => {
      for (const change of [{ ...JOIN, ...GUARD }, null]) {
        const kernel = await start();
        const [spy, other] = [await open(kernel.url), await open(kernel.url)];
        await spy.sendRequest('join', { team: 'a' });
        await other.sendRequest('open');
        await reload(kernel, { 'definitions/join.json': change });
        deliverTo(kernel, { rooms: [TEAM_A] }, 'secret');
        expect((await spy.closed).code).to.equal(1012);
        expect(spy.frames.map(({ action }) => action)).not.to.contain('told');
        // A client without rooms has nothing to lose.
        expect(await readDelivered(other)).to.deep.equal([]);
      }
    });

    it('stay in their rooms when no guard has changed', async () => {
      const kernel = await start();
      const one = await open(kernel.url);
      await one.sendRequest('join', { team: 'a' });
      await reload(kernel, {
        'definitions/open.json': defineReturnResource('open', { ok: 2 }),
        'definitions/new.json': defineReturnResource('new', 1),
      });
      deliverTo(kernel, { rooms: [TEAM_A] }, 1);
      expect(await readDelivered(one)).to.deep.equal([1]);
    });

    it('are closed immediately when the key of their token is removed', async () => {
      const kernel = await start();
      const ada = await open(kernel.url, await createConnectOptions('ada'));
      expect((await ada.sendRequest('me')).data).to.deep.equal({ id: 'ada' });
      await reload(kernel, {
        'definitions/me.json': { ...ME, tokenize: { type: 'JWT', encryption_key: '$ENV.OTHER' } },
      });
      expect((await ada.closed).code).to.equal(4401);
      expect(ada.frames.at(-1)?.error).to.include({ code: 'TOK_REFUSED' });
    });

    it('close immediately when no guard accepts tokens from that header', async () => {
      const kernel = await start();
      const ada = await open(kernel.url, await createConnectOptions('ada'));
      await ada.sendRequest('me');
      await reload(kernel, {
        'definitions/me.json': { ...ME, protected: { extract_claims: ['id'], provide_as: 'x-access' } },
      });
      expect((await ada.closed).code).to.equal(4401);
    });
  });

  it('receive after reconnecting no message of a room from before they joined it', async () => {
    const kernel = await start();
    let answer: (missed: readonly Delivery[]) => void = () => undefined;
    kernel.kernel.running.registerReplay(() => new Promise((resolve) => (answer = resolve)));
    const message = (n: number, to: Delivery['to']): Delivery => ({ action: 'told', data: n, to, id: `m-${n}` });
    const spy = await open(kernel.url, { query: '?last_id=m-0' });
    await spy.sendRequest('join', { team: 'a' });
    const [before, meanwhile] = [message(1, { rooms: [TEAM_A] }), message(2, { rooms: [TEAM_A] })];
    kernel.kernel.running.deliverMessage(meanwhile);
    answer([before, message(3, { all: true }), meanwhile]);
    await spy.next(({ data }) => data === 3);
    expect(await readDelivered(spy)).to.deep.equal([2]);
  });

  it('cannot access inherited members of JavaScript objects', async () => {
    const kernel = await start();
    for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
      const client = await open(kernel.url, { query: `?uid=${name}&__proto__=x&constructor=y` });
      expect((await client.sendRequest(name, {})).error, name).to.include({ code: 'REQ_NOT_FOUND' });
      expect(await client.sendRequest('open', {}, { action: name, request_id: name })).to.deep.include({
        uid: name,
        action: name,
        request_id: name,
        data: { ok: true },
      });
      await client.sendRequest('join', { team: name });
      deliverTo(kernel, { rooms: [toRoomKey(['team ', [name]])] }, name);
      expect(await readDelivered(client)).to.deep.equal([name]);
      client.send(`{"resource":"open","__proto__":{"resource":"me"},"request_id":"p"}`);
      expect((await client.next(({ error }) => error !== undefined)).error).to.include({ code: 'REQ_NAME_REFUSED' });
    }
    const ada = await open(kernel.url, await createConnectOptions('ada'));
    deliverTo(kernel, { uids: ['__proto__', 'constructor', 'toString'] }, 'x');
    expect(await readDelivered(ada)).to.deep.equal([]);
  });

  it('with a token are one caller, in every notation of a name', async () => {
    const kernel = await start();
    const composed = 'Zo\u00eb';
    const { protocols } = await createConnectOptions(composed);
    const own = await open(kernel.url, { protocols, query: `?uid=${encodeURIComponent(composed)}` });
    for (const uid of ['Zoe\u0308', 'ZO\u00cb', `${composed} `, `${composed}\u200b`])
      expect(await farewell(kernel.url, { protocols, query: `?uid=${encodeURIComponent(uid)}` }), uid).to.include({
        code: 'WS_NOT_YOURS',
      });
    for (const query of [`?uid=${encodeURIComponent(composed)}&uid=eve`, '?uid=eve&%75id=ada'])
      expect(await farewell(kernel.url, { protocols, query }), query).to.include({ closed: 4400 });
    deliverTo(kernel, { uids: ['Zoe\u0308'] }, 'twin');
    deliverTo(kernel, { uids: [composed] }, 'own');
    expect(await readDelivered(own)).to.deep.equal(['own']);
  });

  it('cannot call a resource that HTTP cannot call, and share its limits', async () => {
    const kernel = await start({
      'definitions/all.json': [
        OPEN,
        { ...defineReturnResource('few', 1), rate_limit: { limit: 3, identifier: '$HEADER.ip', expires_after: 600 } },
        {
          id: 'inner',
          resource: 'inner',
          actionables: [{ id: 1, mode: 'RETURN', value: 1, no_op: true }],
        },
        {
          ...OPEN,
          id: 'uses',
          resource: 'uses',
          actionables: [{ id: 1, mode: 'RETURN', value: 1, depends_on: [{ resource_id: 'inner', action_ids: [1] }] }],
        },
      ],
    });
    const one = await open(kernel.url);
    for (const resource of [
      'inner',
      '/inner',
      'inner#1',
      '../inner',
      'open/../inner',
      'open?x=1',
      '//open',
      'ws',
      'status',
      '',
    ])
      expect((await one.sendRequest(resource, {})).error?.['status'], resource).to.be.oneOf([400, 404]);
    expect((await kernel.post('/few')).status).to.equal(200);
    expect((await one.sendRequest('few')).data).to.equal(1);
    // A connection of its own is not a budget of its own.
    const two = await open(kernel.url, { headers: { 'x-forwarded-for': '203.0.113.7' } });
    expect((await two.sendRequest('few')).data).to.equal(1);
    expect((await two.sendRequest('few')).error).to.include({ status: 429 });
    expect((await one.sendRequest('few')).error).to.include({ status: 429 });
    expect((await kernel.post('/few')).status).to.equal(429);
  });

  describe('during the handshake', () => {
    const raw = (kernel: TestKernel, lines: readonly string[], more = ''): Promise<string> =>
      kernel.raw([`GET /ws HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${more}`, CLOSE]);
    const LINES = [
      'host: localhost',
      ...Object.entries({ ...UPGRADE, connection: 'Upgrade, close' }).map(([name, value]) => `${name}: ${value}`),
    ];

    it('smuggle no request after it', async () => {
      const kernel = await start();
      const inner = 'GET /open HTTP/1.1\r\nhost: localhost\r\n\r\n';
      for (const extra of [[`content-length: ${inner.length}`], ['transfer-encoding: chunked'], []]) {
        const answer = await raw(kernel, [...LINES, ...extra], inner);
        expect(answer.split('HTTP/1.1 ').length - 1, extra.join()).to.equal(1);
        expect(answer).not.to.contain('"ok":true');
      }
      expect((await kernel.post('/open')).status).to.equal(200);
    });

    it('repeat no value that could be a header, and no token', async () => {
      const kernel = await start();
      const token = await signJwt({ id: 'ada' });
      for (const protocol of [
        'Authorization\tx-evil: 1, token',
        `${token}, Authorization`,
        `Authorization, ${token}, ${token}`,
        'Authorization,',
        '"Authorization", x',
      ]) {
        const answer = await raw(kernel, [...LINES, `sec-websocket-protocol: ${protocol}`]);
        expect(parseRaw(answer).status, protocol).to.equal(400);
        expect(answer).not.to.contain(token).and.not.contain('x-evil: 1');
      }
      const twice = await raw(kernel, [
        ...LINES,
        'sec-websocket-protocol: Authorization',
        `sec-websocket-protocol: ${token}`,
      ]);
      expect(twice).to.contain('101 Switching').and.not.contain(token);
      const both = await raw(kernel, [...LINES, 'sec-websocket-key: BBBBBBBBBBBBBBBBBBBBBB==']);
      expect(parseRaw(both).status).to.equal(400);
    });

    it('are accepted only from allowed pages, whatever origin the page claims', async () => {
      const kernel = await start();
      for (const origin of [
        'null',
        'http://evil.test',
        'http://x.evil.test',
        'http://x@evil.test',
        'file://',
        'http://x:81',
        '',
      ])
        expect(parseRaw(await raw(kernel, [...LINES, `origin: ${origin}`])).status, origin).to.equal(403);
      expect(parseRaw(await raw(kernel, [...LINES, 'origin: http://x', 'origin: http://evil.test'])).status).to.equal(
        403,
      );
    });
  });
});

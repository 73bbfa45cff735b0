/** Messages to connected clients: recipients, format, and missed messages of a reconnecting client. */
import { join } from 'node:path';
import { expect } from 'chai';
import type { Delivery, Target } from '../../contract/delivery.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { PLUGIN_FIXTURES, defineReturnResource } from '../support/project.js';
import { connect, type ConnectOptions, type SocketClient } from '../support/sockets.js';
import { signJwt, KEY, getSeconds } from '../support/tokens.js';

const ROOMS = [
  { ...defineReturnResource('enter', null), enter: true },
  { ...defineReturnResource('quit', null), enter: false },
];
const OPEN = { 'definitions/a.json': [defineReturnResource('open', { ok: true }), ...ROOMS] };
const ME = {
  ...defineReturnResource('me', { id: '$PROTECTED.id' }),
  tokenize: { type: 'JWT', encryption_key: '$ENV.KEY' },
  protected: { extract_claims: ['id'] },
};
const GUARDED = { 'definitions/a.json': [defineReturnResource('open', { ok: true }), ME, ...ROOMS] };
const PLUGINS = ['builtin:*', join(PLUGIN_FIXTURES, 'rooms')];

describe('messages to connected clients', () => {
  const kernels: TestKernel[] = [];
  const clients: SocketClient[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await Promise.all(kernels.splice(0).map((kernel) => kernel.close()));
  });
  const start = async (
    files: Readonly<Record<string, unknown>> = OPEN,
    websocket: object = {},
  ): Promise<TestKernel> => {
    const config = { plugins: PLUGINS, websocket: { enabled: true, ...websocket } };
    const kernel = await startKernel({ files, config, env: { KEY } });
    kernels.push(kernel);
    return kernel;
  };
  const open = async (kernel: TestKernel, uid: string | null, options: ConnectOptions = {}): Promise<SocketClient> => {
    const client = await connect(kernel.url, { query: uid === null ? '' : `?uid=${uid}`, ...options });
    clients.push(client);
    // The connection is open on the other side, too.
    await client.sendRequest('open');
    return client;
  };
  const send = ({ kernel }: TestKernel, to: Target, data: Delivery['data'], id: string | null = null): void =>
    kernel.running.deliverMessage({ action: 'told', data, to, id });
  /** Frames received so far: a response arrives after everything that was sent before it. */
  const readDelivered = async (client: SocketClient): Promise<unknown[]> => {
    await client.sendRequest('open');
    return client.frames.filter(({ action }) => action === 'told').map(({ data }) => data);
  };

  it('reach all, each with its own uid, and have no other members', async () => {
    const kernel = await start();
    const [ada, bob, nobody] = [await open(kernel, 'ada'), await open(kernel, 'bob'), await open(kernel, null)];
    send(kernel, { all: true }, { n: [1, null, 'ü'] });
    for (const [client, uid] of [
      [ada, 'ada'],
      [bob, 'bob'],
      [nobody, null],
    ] as const)
      expect(await client.next()).to.deep.equal({ uid, action: 'told', data: { n: [1, null, 'ü'] } });
    send(kernel, { all: true }, null, 'm-1');
    expect(await ada.next()).to.deep.equal({ uid: 'ada', action: 'told', data: null, id: 'm-1' });
  });

  it('reach each of the uids they name, on all of its connections, once', async () => {
    const kernel = await start();
    const [ada, again, bob, eve] = [
      await open(kernel, 'ada'),
      await open(kernel, 'ada'),
      await open(kernel, 'bob'),
      await open(kernel, 'eve'),
    ];
    send(kernel, { uids: ['ada'] }, 1);
    send(kernel, { uids: ['ada', 'bob', 'ada', 'nobody'] }, 2);
    send(kernel, { uids: [] }, 3);
    expect(await Promise.all([ada, again, bob, eve].map(readDelivered))).to.deep.equal([[1, 2], [1, 2], [2], []]);
    await again.close();
    send(kernel, { uids: ['ada'] }, 4);
    expect(await readDelivered(ada)).to.deep.equal([1, 2, 4]);
  });

  it('reach the rooms that a connection has joined, until it leaves them or is closed', async () => {
    const kernel = await start();
    const [ada, bob] = [await open(kernel, 'ada'), await open(kernel, 'bob')];
    expect((await ada.sendRequest('enter', { room: 'a' })).data).to.equal(true);
    expect((await ada.sendRequest('enter', { room: 'b' })).data).to.equal(true);
    expect((await bob.sendRequest('enter', { room: 'b' })).data).to.equal(true);
    expect((await kernel.post<unknown>('/enter', { room: 'a' })).body).to.equal(null);
    send(kernel, { rooms: ['a'] }, 1);
    send(kernel, { rooms: ['a', 'b'] }, 2);
    send(kernel, { rooms: ['c'] }, 3);
    expect([await readDelivered(ada), await readDelivered(bob)]).to.deep.equal([[1, 2], [2]]);
    await ada.sendRequest('quit', { room: 'a' });
    send(kernel, { rooms: ['a'] }, 4);
    send(kernel, { rooms: ['b'] }, 5);
    expect([await readDelivered(ada), await readDelivered(bob)]).to.deep.equal([
      [1, 2, 5],
      [2, 5],
    ]);
    await bob.close();
    const back = await open(kernel, 'bob');
    send(kernel, { rooms: ['b'] }, 6);
    expect(await readDelivered(back)).to.deep.equal([]);
  });

  it('limit the number of rooms of a connection', async () => {
    const kernel = await start(OPEN, { limits: { rooms: 2 } });
    const ada = await open(kernel, 'ada');
    const joined = [];
    for (const room of ['a', 'b', 'c', 'a']) joined.push((await ada.sendRequest('enter', { room })).data);
    expect(joined).to.deep.equal([true, true, false, true]);
    await ada.sendRequest('quit', { room: 'a' });
    expect((await ada.sendRequest('enter', { room: 'c' })).data).to.equal(true);
    send(kernel, { rooms: ['a', 'c'] }, 1);
    expect(await readDelivered(ada)).to.deep.equal([1]);
  });

  it('keep their order', async () => {
    const kernel = await start();
    const ada = await open(kernel, 'ada');
    const wanted = Array.from({ length: 200 }, (_, n) => n);
    for (const n of wanted) send(kernel, n % 2 === 0 ? { all: true } : { uids: ['ada'] }, n);
    expect(await readDelivered(ada)).to.deep.equal(wanted);
  });

  it('reach hundreds of clients, each with its own uid and in order, also with other messages in between', async function () {
    const kernel = await start();
    const many = await Promise.all(Array.from({ length: 520 }, (_, n) => connect(kernel.url, { query: `?uid=u${n}` })));
    clients.push(...many);
    const wanted = Array.from({ length: 5 }, (_, n) => n);
    for (const n of wanted) send(kernel, n === 3 ? { uids: ['u0', 'u519'] } : { all: true }, n);
    for (const [index, client] of many.entries()) {
      const meant = index === 0 || index === 519 ? wanted : wanted.filter((n) => n !== 3);
      for (const n of meant) expect(await client.next()).to.deep.equal({ uid: `u${index}`, action: 'told', data: n });
    }
    // More than is sent at once; `hub.test.ts` has more than may wait to be sent.
    for (let n = 0; n < 20; n++) send(kernel, { all: true }, n);
    const [first, last] = [many[0], many.at(-1)];
    for (let n = 0; n < 20; n++)
      expect([(await first?.next())?.data, (await last?.next())?.data]).to.deep.equal([n, n]);
    await Promise.all(many.map((client) => client.close()));
  });

  describe('with a token that identifies the caller', () => {
    const withToken = async (claims: Readonly<Record<string, unknown>>): Promise<ConnectOptions> => ({
      protocols: ['Authorization', await signJwt(claims)],
    });

    it('reach for one user only connections that prove the uid', async () => {
      const kernel = await start(GUARDED);
      const ada = await open(kernel, 'ada', await withToken({ id: 'ada' }));
      const liar = await open(kernel, 'ada');
      const other = await open(kernel, null, await withToken({ id: 'ada' }));
      send(kernel, { uids: ['ada'] }, 'private');
      send(kernel, { all: true }, 'public');
      expect(await Promise.all([ada, liar, other].map(readDelivered))).to.deep.equal([
        ['private', 'public'],
        ['public'],
        ['public'],
      ]);
    });

    it('do so also when the resource that requires tokens is added later, or has errors', async () => {
      const kernel = await start(OPEN);
      const liar = await open(kernel, 'ada');
      send(kernel, { uids: ['ada'] }, 1);
      await kernel.project.write('definitions/b.json', ME);
      await kernel.kernel.reload();
      send(kernel, { uids: ['ada'] }, 2);
      expect(await readDelivered(liar)).to.deep.equal([1]);
      const broken = { ...ME, actionables: [{ id: 1, mode: 'RETURN' }] };
      const skipping = await startKernel({
        files: { ...OPEN, 'definitions/b.json': broken },
        config: { plugins: PLUGINS, websocket: { enabled: true } },
        env: { KEY },
        onProblem: 'skip',
      });
      kernels.push(skipping);
      const again = await open(skipping, 'ada');
      send(skipping, { uids: ['ada'] }, 3);
      expect(await readDelivered(again)).to.deep.equal([]);
    });

    it('reach for a user no connection with an expired token', async () => {
      const kernel = await start(GUARDED);
      const exp = getSeconds(2);
      const ada = await open(kernel, 'ada', await withToken({ id: 'ada', exp }));
      await ada.sendRequest('enter', { room: 'a' });
      send(kernel, { uids: ['ada'] }, 'in time');
      expect(await readDelivered(ada)).to.deep.equal(['in time']);
      // Sent as long as the connection is open, and a little longer.
      const sending = setInterval(() => {
        const over = Date.now() >= exp * 1000;
        send(kernel, { uids: ['ada'] }, over);
        send(kernel, { rooms: ['a'] }, over);
      }, 5);
      const { code } = await ada.closed;
      clearInterval(sending);
      expect(code).to.equal(4401);
      expect(ada.frames.filter(({ data }) => data === true)).to.deep.equal([]);
      expect(ada.frames.filter(({ data }) => data === false)).not.to.deep.equal([]);
    });
  });

  describe('sent while a client was disconnected', () => {
    const message = (n: number, to: Target = { all: true }): Delivery => ({
      action: 'told',
      data: n,
      to,
      id: `m-${n}`,
    });
    /** A relay whose responses the test sets. */
    const replaying = ({ kernel }: TestKernel) => {
      const asked: string[] = [];
      let answer: (missed: readonly Delivery[] | null | Error) => void = () => undefined;
      kernel.running.registerReplay((id) => {
        asked.push(id);
        return new Promise((resolve, reject) => {
          answer = (missed) => (missed instanceof Error ? reject(missed) : resolve(missed));
        });
      });
      return { asked, answer: (missed: readonly Delivery[] | null | Error) => answer(missed) };
    };

    it('are received before newer ones, only those for the client, each once', async () => {
      const kernel = await start();
      const { asked, answer } = replaying(kernel);
      const ada = await open(kernel, null, { query: '?uid=ada&last_id=m-0' });
      expect(asked).to.deep.equal(['m-0']);
      kernel.kernel.running.deliverMessage(message(3, { uids: ['ada'] }));
      kernel.kernel.running.deliverMessage(message(4, { uids: ['bob'] }));
      kernel.kernel.running.deliverMessage(message(5));
      expect(await readDelivered(ada)).to.deep.equal([]);
      answer([message(1), message(2, { uids: ['bob'] }), message(3, { uids: ['ada'] })]);
      await ada.next(({ data }) => data === 5);
      kernel.kernel.running.deliverMessage(message(6));
      expect(await readDelivered(ada)).to.deep.equal([1, 3, 6]);
    });

    it('are reported once as missing when they are no longer stored, and newer ones follow', async () => {
      const kernel = await start();
      const { answer } = replaying(kernel);
      for (const missed of [null, new Error('the relay is away')]) {
        const ada = await open(kernel, null, { query: '?uid=ada&last_id=m-0' });
        kernel.kernel.running.deliverMessage(message(7));
        answer(missed);
        const frame = await ada.next();
        expect({ ...frame, error: frame.error?.['code'] }).to.deep.equal({
          uid: 'ada',
          action: 'replay',
          error: 'WS_REPLAY_GAP',
        });
        expect(await ada.next()).to.include({ data: 7 });
        kernel.kernel.running.deliverMessage(message(8));
        expect(await readDelivered(ada)).to.deep.equal([8]);
        await ada.close();
      }
    });

    it('are missing if messages are not stored', async () => {
      const kernel = await start();
      const ada = await open(kernel, null, { query: '?last_id=m-0' });
      expect((await ada.next(({ action }) => action === 'replay')).error).to.include({
        code: 'WS_REPLAY_GAP',
        status: 410,
      });
    });

    it('do not reach a connection that only declares the uid', async () => {
      const kernel = await start(GUARDED);
      const { answer } = replaying(kernel);
      const liar = await open(kernel, null, { query: '?uid=ada&last_id=m-0' });
      answer([message(1, { uids: ['ada'] }), message(2)]);
      await liar.next(({ data }) => data === 2);
      expect(await readDelivered(liar)).to.deep.equal([]);
    });

    it('may be larger together than the limit of waiting bytes of a client', async () => {
      const kernel = await start(OPEN, { limits: { buffered: 10_000 } });
      const { answer } = replaying(kernel);
      const ada = await open(kernel, null, { query: '?last_id=m-0' });
      const data = 'x'.repeat(100_000);
      answer(Array.from({ length: 200 }, (_, n) => ({ ...message(n), data: `${n} ${data}` })));
      for (let n = 0; n < 200; n++) expect(String((await ada.next()).data)).to.match(new RegExp(`^${n} x`));
      kernel.kernel.running.deliverMessage(message(200));
      expect(await readDelivered(ada)).to.deep.equal([200]);
    });

    it('are limited in number while they are requested', async () => {
      const kernel = await start();
      replaying(kernel);
      const ada = await open(kernel, null, { query: '?last_id=m-0' });
      for (let n = 0; n <= 1001; n++) kernel.kernel.running.deliverMessage(message(n));
      expect((await ada.closed).code).to.equal(1013);
    });
  });
});

/**
 * Broadcasts across processes and connections: two kernels on one Redis with clients on both, messages for reconnecting
 * clients, and an unavailable Redis.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { pickFreePort } from '../support/guarded-server.js';
import { startRedis } from '../support/redis.js';
import { connect, type Frame, type SocketClient } from '../support/sockets.js';
import { createBearerInit, signJwt, KEY, OTHER_KEY } from '../support/tokens.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';

const defineBroadcast = (id: string, message: object, rest: object = {}): object => ({
  id,
  resource: id,
  actionables: [
    { id: 1, mode: 'RETURN', value: { n: '$PAYLOAD.n' }, broadcast_websocket_message: { action: 'told', ...message } },
  ],
  ...rest,
});
const FILES = {
  'definitions/all.json': [
    defineBroadcast('all', { broadcast_type: 'ALL' }),
    defineBroadcast('one', { broadcast_type: 'SINGLE', broadcast_to: '$PAYLOAD.to' }),
    defineBroadcast('room', { broadcast_type: 'ROOM', broadcast_to_room: 'lobby' }),
    { id: 'join', resource: 'join', actionables: [{ id: 1, mode: 'RETURN', value: {}, join_room: 'lobby' }] },
  ],
};
const GUARDED = {
  'definitions/all.json': FILES['definitions/all.json'].filter((one) => !JSON.stringify(one).includes('"one"')),
  'definitions/guarded.json': [
    {
      id: 'me',
      resource: 'me',
      tokenize: { type: 'JWT', encryption_key: '$ENV.KEY' },
      protected: { extract_claims: ['id'] },
      actionables: [{ id: 1, mode: 'RETURN', value: { id: '$PROTECTED.id' } }],
    },
    {
      id: 'tours',
      resource: 'tours',
      tokenize: { type: 'JWT', encryption_key: '$ENV.OTHER' },
      protected: { provide_as: 'x-courier' },
      actionables: [{ id: 1, mode: 'RETURN', value: 1 }],
    },
    defineBroadcast('owned', { broadcast_type: 'SINGLE', broadcast_to: '$PAYLOAD.to', broadcast_guard: 'me' }),
  ],
};

const kernels: TestKernel[] = [];
const clients: SocketClient[] = [];
async function start(relay: unknown, files: Readonly<Record<string, unknown>> = FILES, url = ''): Promise<TestKernel> {
  const config = { websocket: { enabled: true }, relay };
  const kernel = await startKernel({ files: files, config, env: { REDIS: url, KEY, OTHER: OTHER_KEY } });
  kernels.push(kernel);
  return kernel;
}
async function client(kernel: TestKernel, query = '', protocols: readonly string[] = []): Promise<SocketClient> {
  const made = await connect(kernel.url, { query, protocols });
  clients.push(made);
  return made;
}
const postBroadcast = async (kernel: TestKernel, path: string, n: number, rest: object = {}): Promise<void> => {
  const { status, text } = await kernel.post(path, { n, ...rest });
  expect(status, text).to.equal(200);
};
const next = async (one: SocketClient, count: number): Promise<Frame[]> => {
  const frames: Frame[] = [];
  while (frames.length < count) frames.push(await one.next());
  return frames;
};
const numbers = (frames: readonly Frame[]): unknown[] => frames.map(({ data }) => (data as { n: unknown }).n);

describe('broadcasts, clients that reconnect', () => {
  afterEach(async () => {
    for (const one of clients.splice(0)) await one.close();
    for (const kernel of kernels.splice(0)) await kernel.close();
  });

  it('receive missed messages before newer ones', async () => {
    const kernel = await start({ use: 'local', replay: true });
    const first = await client(kernel, '?uid=ada');
    await postBroadcast(kernel, '/one', 1, { to: 'ada' });
    const [seen] = await next(first, 1);
    expect(seen).to.have.all.keys('uid', 'action', 'data', 'id');
    await first.close();
    await postBroadcast(kernel, '/one', 2, { to: 'ada' });
    await postBroadcast(kernel, '/one', 3, { to: 'bob' });
    await postBroadcast(kernel, '/all', 4);
    const again = await client(kernel, `?uid=ada&last_id=${seen?.id}`);
    await postBroadcast(kernel, '/all', 5);
    const missed = await next(again, 3);
    expect(numbers(missed)).to.deep.equal([2, 4, 5]);
    expect(missed.map(({ uid }) => uid)).to.deep.equal(['ada', 'ada', 'ada']);
  });

  it('are notified when the missed messages are unknown', async () => {
    const kernel = await start({ use: 'local', replay: true });
    const one = await client(kernel, '?uid=ada&last_id=unknown.5');
    const frame = await one.next();
    expect(frame).to.include({ uid: 'ada', action: 'replay' });
    expect(frame.error?.['code']).to.equal('WS_REPLAY_GAP');
    await postBroadcast(kernel, '/all', 1);
    expect(numbers(await next(one, 1))).to.deep.equal([1]);
  });

  it('are notified if nothing is stored, with frames of the interface', async () => {
    const kernel = await start('local');
    const one = await client(kernel, '?last_id=a.1');
    expect((await one.next()).error?.['code']).to.equal('WS_REPLAY_GAP');
    await postBroadcast(kernel, '/all', 1);
    expect(await one.next()).to.deep.equal({ uid: null, action: 'told', data: { n: 1 } });
  });

  it('cannot request messages of another user', async () => {
    const kernel = await start({ use: 'local', replay: true }, GUARDED);
    const ada = await client(kernel, '?uid=ada', ['Authorization', await signJwt({ id: 'ada' })]);
    await postBroadcast(kernel, '/all', 1);
    const [seen] = await next(ada, 1);
    await postBroadcast(kernel, '/owned', 2, { to: 'ada' });
    expect(numbers(await next(ada, 1))).to.deep.equal([2]);
    const thief = await client(kernel, `?uid=ada&last_id=${seen?.id}`);
    await postBroadcast(kernel, '/all', 3);
    expect(numbers(await next(thief, 1))).to.deep.equal([3]);
    expect((await kernel.post('/me', {}, createBearerInit(await signJwt({ id: 'ada' })))).status).to.equal(200);
  });
});

describe('broadcasts, two processes', function () {
  let url = '';
  before(async function () {
    const server = await startRedis();
    if ('skip' in server) return skipTest(this, server.skip);
    ({ url } = server);
  });
  afterEach(async () => {
    for (const one of clients.splice(0)) await one.close();
    for (const kernel of kernels.splice(0)) await kernel.close();
  });
  async function pair(more: object = {}, files: typeof FILES = FILES): Promise<[TestKernel, TestKernel]> {
    const relay = { use: 'redis', url: '$ENV.REDIS', prefix: `test:${randomUUID()}:`, ...more };
    return [await start(relay, files, url), await start(relay, files, url)];
  }

  it('deliver each message once to every client, from any sender', async () => {
    const [one, two] = await pair();
    const here = [await client(one, '?uid=a'), await client(one), await client(two, '?uid=a'), await client(two)];
    for (let n = 0; n < 20; n++) await postBroadcast(n % 2 === 0 ? one : two, '/all', n);
    const got = await Promise.all(here.map(async (who) => numbers(await next(who, 20))));
    for (const list of got) expect(list).to.deep.equal(got[0]);
    expect(new Set(got[0]).size).to.equal(20);
    await postBroadcast(one, '/one', 100, { to: 'a' });
    expect(numbers([...(await next(here[0]!, 1)), ...(await next(here[2]!, 1))])).to.deep.equal([100, 100]);
    await postBroadcast(two, '/all', 101);
    expect(numbers([...(await next(here[1]!, 1)), ...(await next(here[3]!, 1))])).to.deep.equal([101, 101]);
  });

  it('tie a uid to the callers of a guard in the other process too, also after a client reconnects', async () => {
    const [one, two] = await pair({ replay: true }, GUARDED);
    const ada = await client(two, '?uid=ada', ['Authorization', await signJwt({ id: 'ada' })]);
    const courier = await client(two, '?uid=ada', ['x-courier', await signJwt({ id: 'ada' }, OTHER_KEY)]);
    await postBroadcast(one, '/all', 0);
    const [seen] = await next(courier, 1);
    await postBroadcast(one, '/owned', 1, { to: 'ada' });
    await postBroadcast(one, '/all', 2);
    expect(numbers(await next(ada, 3))).to.deep.equal([0, 1, 2]);
    expect(numbers(await next(courier, 1))).to.deep.equal([2]);
    const query = `?uid=ada&last_id=${seen?.id}`;
    const again = await client(two, query, ['x-courier', await signJwt({ id: 'ada' }, OTHER_KEY)]);
    expect(numbers(await next(again, 1))).to.deep.equal([2]);
  });

  it('have common rooms', async () => {
    const [one, two] = await pair();
    const [inside, outside] = [await client(one), await client(one)];
    await inside.sendRequest('join');
    await postBroadcast(two, '/room', 1);
    await postBroadcast(two, '/all', 2);
    expect(numbers(await next(inside, 2))).to.deep.equal([1, 2]);
    expect(numbers(await next(outside, 1))).to.deep.equal([2]);
  });

  it('deliver all messages to a client that reconnects to the other process', async () => {
    const [one, two] = await pair({ replay: true });
    const first = await client(one, '?uid=ada');
    await postBroadcast(one, '/one', 1, { to: 'ada' });
    const [seen] = await next(first, 1);
    await first.close();
    await postBroadcast(two, '/one', 2, { to: 'ada' });
    await postBroadcast(one, '/one', 3, { to: 'ada' });
    const again = await client(two, `?uid=ada&last_id=${seen?.id}`);
    await postBroadcast(one, '/one', 4, { to: 'ada' });
    const got = numbers(await next(again, 3));
    // Messages of one process keep their order; those of two processes have no common order.
    expect(got.filter((number) => number !== 2)).to.deep.equal([3, 4]);
    expect(got).to.include(2);
  });

  it('send accepted messages before they close', async () => {
    const [one, two] = await pair();
    const other = await client(two);
    await Promise.all(Array.from({ length: 20 }, (_, n) => postBroadcast(one, '/all', n)));
    await one.close();
    kernels.splice(kernels.indexOf(one), 1);
    expect(numbers(await next(other, 20)).sort((a, b) => Number(a) - Number(b))).to.deep.equal(
      Array.from({ length: 20 }, (_, n) => n),
    );
  });
});

describe('broadcasts, without the relay', () => {
  afterEach(async () => {
    for (const one of clients.splice(0)) await one.close();
    for (const kernel of kernels.splice(0)) await kernel.close();
  });

  it('respond immediately, notify clients of this process, and log one line', async () => {
    const kernel = await start({ use: 'redis', url: '$ENV.REDIS' }, FILES, `redis://127.0.0.1:${await pickFreePort()}`);
    const here = await client(kernel);
    const elapsed = startStopwatch();
    for (let n = 0; n < 5; n++) await postBroadcast(kernel, '/all', n);
    expect(numbers(await next(here, 5))).to.deep.equal([0, 1, 2, 3, 4]);
    expect(elapsed()).to.be.below(1000);
    const rows = kernel.log.filter(({ level }) => level === 'warn' || level === 'error');
    expect(rows.map(({ message }) => message)).to.deep.equal([
      'relay unavailable; messages reach only clients of this process',
    ]);
  });
});

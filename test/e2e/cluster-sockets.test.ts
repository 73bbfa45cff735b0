/**
 * Clients connected to one of three processes: messages from any process reach them once, also when their process was
 * killed and they reconnect to another; limits and revoked tokens apply to requests and messages together.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { startCluster, type Cluster, type Peer } from '../support/cluster.js';
import { defineReturnResource } from '../support/project.js';
import { connect, type ConnectOptions, type Frame, type SocketClient } from '../support/sockets.js';
import { createBearerInit, KEY } from '../support/tokens.js';
import { skipTest } from '../support/skip.js';

const JWT = { type: 'JWT', encryption_key: '$ENV.KEY' };
const defineBroadcast = (id: string, message: object): object =>
  defineReturnResource(id, { n: '$PAYLOAD.n' }, {}, { broadcast_websocket_message: { action: 'told', ...message } });
const FILES = {
  'definitions/a.json': [
    defineBroadcast('all', { broadcast_type: 'ALL' }),
    defineBroadcast('single', { broadcast_type: 'SINGLE', broadcast_to: '$PAYLOAD.to' }),
    defineBroadcast('bulk', { broadcast_type: 'BULK', broadcast_to: '$PAYLOAD.to' }),
    defineBroadcast('room', { broadcast_type: 'ROOM', broadcast_to_room: 'lobby' }),
    defineReturnResource('join', {}, {}, { join_room: 'lobby' }),
    {
      ...defineReturnResource('limited', 1),
      rate_limit: { limit: 20, identifier: '$HEADER.x-who', expires_after: 600 },
    },
    defineReturnResource('sign-in', { id: '$PAYLOAD.id' }, { tokenize: { ...JWT, custom_claim_fields: ['id'] } }),
    defineReturnResource('me', { id: '$PROTECTED.id' }, { tokenize: JWT, protected: { extract_claims: ['id'] } }),
    {
      id: 'sign-out',
      resource: 'sign-out',
      tokenize: JWT,
      protected: {},
      invalidate_tokenize: { tokens: '$HEADER.authorization' },
    },
  ],
};

describe('clients of three processes', function () {
  let cluster: Cluster;
  const clients: SocketClient[] = [];

  before(async function () {
    const found = await startCluster({
      files: FILES,
      size: 1,
      joined: 2,
      config: {
        websocket: { enabled: true, ping: 0.5 },
        relay: { use: 'redis', url: '$ENV.REDIS_URL', prefix: `sockets:${randomUUID()}:`, replay: true },
        http: { timeouts: { linger: 0 } },
      },
      env: { KEY },
    });
    if ('skip' in found) return skipTest(this, found.skip);
    cluster = found;
  });
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));
  after(() => cluster?.close());

  const at = (index: number): Peer => {
    const peer = cluster.peers[index];
    if (peer === undefined) throw new Error('no such process');
    return peer;
  };
  async function fetchToken(id: string): Promise<string> {
    return String((await at(0).client.post('/sign-in', { id })).body['token']);
  }
  async function open(index: number, options: ConnectOptions = {}): Promise<SocketClient> {
    const client = await connect(at(index).url, options);
    clients.push(client);
    return client;
  }
  const openAs = async (index: number, id: string, query = ''): Promise<SocketClient> =>
    open(index, { query: `?uid=${id}${query}`, protocols: ['Authorization', await fetchToken(id)] });
  async function postBroadcast(index: number, path: string, n: number, to?: unknown): Promise<void> {
    const { status, text } = await at(index).client.post(`/${path}`, { n, ...(to !== undefined && { to }) });
    expect(status, text).to.equal(200);
  }
  async function take(client: SocketClient, count: number): Promise<Frame[]> {
    const frames: Frame[] = [];
    while (frames.length < count) frames.push(await client.next());
    return frames;
  }
  const numbersIn = (frames: readonly Frame[]): number[] => frames.map(({ data }) => (data as { n: number }).n);

  it('receive each message once, from any sender: all, one, several, a room', async () => {
    const ada = [await openAs(0, 'ada'), await openAs(1, 'ada')];
    const bob = [await openAs(2, 'bob')];
    const nobody = [await open(0), await open(1), await open(2)];
    for (const client of [nobody[0]!, nobody[2]!, ada[1]!])
      expect((await client.sendRequest('join')).error).to.equal(undefined);
    const wanted = new Map([...ada, ...bob, ...nobody].map((client) => [client, [] as number[]]));
    const expectSent = async (path: string, receivers: readonly SocketClient[], to?: unknown): Promise<void> => {
      for (let index = 0; index < 3; index++) {
        const n = ++last;
        receivers.forEach((client) => wanted.get(client)?.push(n));
        await postBroadcast(index, path, n, to);
      }
    };
    let last = 0;
    for (let round = 0; round < 5; round++) {
      await expectSent('all', [...wanted.keys()]);
      await expectSent('single', ada, 'ada');
      await expectSent('bulk', [...ada, ...bob], ['bob', 'ada', 'bob', 'nobody']);
      await expectSent('room', [nobody[0]!, nobody[2]!, ada[1]!]);
    }
    for (const [client, numbers] of wanted) {
      const got = numbersIn(await take(client, numbers.length));
      expect([...got].sort((a, b) => a - b)).to.deep.equal(numbers);
    }
    // Nothing is left over, anywhere.
    await postBroadcast(1, 'all', 0);
    for (const client of wanted.keys()) expect(numbersIn(await take(client, 1))).to.deep.equal([0]);
  });

  it('reconnect to another process after theirs was killed, and miss nothing', async () => {
    const [killed] = cluster.members;
    const ada = await connect(killed!.url, {
      query: '?uid=ada',
      protocols: ['Authorization', await fetchToken('ada')],
    });
    clients.push(ada);
    await postBroadcast(1, 'single', 1, 'ada');
    const [seen] = await take(ada, 1);
    // It is on its way when the process goes, or is never read.
    await postBroadcast(1, 'single', 2, 'ada');
    await cluster.stopMember(killed!, 'SIGKILL');
    await ada.closed;
    await postBroadcast(0, 'single', 3, 'ada');
    await postBroadcast(1, 'bulk', 4, ['bob']);
    await postBroadcast(1, 'bulk', 5, ['ada']);
    const again = await openAs(1, 'ada', `&last_id=${seen?.id}`);
    expect(numbersIn(await take(again, 3))).to.deep.equal([2, 3, 5]);
    await cluster.join();
    // The new one has it from before its time.
    const once = await openAs(2, 'ada', `&last_id=${seen?.id}`);
    await postBroadcast(0, 'all', 6);
    expect(numbersIn(await take(once, 4))).to.deep.equal([2, 3, 5, 6]);
    expect(numbersIn(await take(again, 1))).to.deep.equal([6]);
  });

  it('are counted together with requests', async () => {
    const headers = { 'x-who': 'ada' };
    const sockets = await Promise.all([0, 1, 2].map((index) => open(index, { headers })));
    const asked = Array.from({ length: 30 }, (_, n) => n % 3);
    const codes = await Promise.all([
      ...asked.map(async (index) => (await at(index).client.post('/limited', {}, { headers })).status),
      ...asked.map(async (index) => {
        const { error } = (await sockets[index]?.sendRequest('limited', {})) ?? {};
        return error === undefined ? 200 : error['status'];
      }),
    ]);
    expect(codes.filter((code) => code === 200)).to.have.length(20);
    expect(codes.filter((code) => code === 429)).to.have.length(40);
  });

  it('lose a revoked token at every process, with their next message or without one', async () => {
    const token = await fetchToken('ada');
    const options = { query: '?uid=ada', protocols: ['Authorization', token] };
    const [busy, quiet] = [await open(1, options), await open(2, options)];
    const other = await openAs(2, 'bob');
    expect((await busy.sendRequest('me')).data).to.deep.equal({ id: 'ada' });
    expect((await at(0).client.post('/sign-out', {}, createBearerInit(token))).status).to.equal(200);
    const rejected = await busy.sendRequest('me').catch(() => null);
    if (rejected !== null) expect(rejected.error).to.include({ code: 'TOK_REFUSED' });
    expect((await busy.closed).code).to.equal(4401);
    expect((await quiet.closed).code).to.equal(4401);
    expect((await other.sendRequest('me')).data).to.deep.equal({ id: 'bob' });
    expect(await open(0, options).then(({ closed }) => closed)).to.include({ code: 4401 });
  });

  it('revoke a token for requests to all processes', async () => {
    const token = await fetchToken('ada');
    const client = await open(1, { query: '?uid=ada', protocols: ['Authorization', token] });
    const statuses = (): Promise<number[]> =>
      Promise.all(
        [0, 1, 2].map(async (index) => (await at(index).client.post('/me', {}, createBearerInit(token))).status),
      );
    expect(await statuses()).to.deep.equal([200, 200, 200]);
    expect((await client.sendRequest('sign-out')).error).to.equal(undefined);
    expect(await statuses()).to.deep.equal([401, 401, 401]);
  });
});

/**
 * Three processes with queue, relay and cache on one Redis, and their jobs and messages when it stops, restarts with
 * its data, and restarts without.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { startCluster, type Cluster, type Peer } from '../support/cluster.js';
import { waitForValue } from '../support/jobs.js';
import { startPausableUpstream, type PausableUpstream } from '../support/pausable-upstream.js';
import { defineReturnResource } from '../support/project.js';
import { startOwnRedis, type RedisServer } from '../support/redis.js';
import { connect, type Frame, type SocketClient } from '../support/sockets.js';
import { NO_REDIS, skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';

const note = (id: string, rest: object): object => ({
  id,
  resource: id,
  actionables: [
    {
      id: 1,
      mode: 'QUERY',
      sql_query: { query: 'INSERT INTO entries (id) VALUES ($1)', parameters: ['$PAYLOAD.id'] },
      ...rest,
    },
  ],
});
const FILES = {
  'definitions/_entry.json': {
    row: { type: 'Number', primary_key: true, auto_increment: true },
    id: { type: 'String' },
  },
  'definitions/a.json': [
    note('later', { queue: { delay: 3 } }),
    note('much-later', { queue: { delay: 60 } }),
    {
      id: 'both',
      resource: 'both',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: { query: 'INSERT INTO entries (id) VALUES ($1)', parameters: ['$PAYLOAD.id'] },
        },
        {
          id: 2,
          mode: 'QUERY',
          queue: {},
          sql_query: { query: "INSERT INTO entries (id) VALUES ('then ' || $1)", parameters: ['$PAYLOAD.id'] },
        },
      ],
    },
    {
      id: 'entries',
      resource: 'entries',
      actionables: [{ id: 1, mode: 'QUERY', result: 'many', sql_query: { query: 'SELECT id FROM entries' } }],
    },
    {
      id: 'call',
      resource: 'call',
      run_in_background: true,
      actionables: [
        {
          id: 1,
          mode: 'HTTPREQUEST',
          http: { url: '$ENV.REMOTE/work', method: 'POST', request_body: { who: '$ENV.MEMBER' } },
        },
      ],
    },
    defineReturnResource(
      'all',
      { n: '$PAYLOAD.n' },
      {},
      {
        broadcast_websocket_message: { action: 'told', broadcast_type: 'ALL' },
      },
    ),
  ],
};

describe('three processes and their Redis', function () {
  let folder: string;
  let server: RedisServer & { readonly port: number };
  let upstream: PausableUpstream;
  let cluster: Cluster;
  let clients: readonly SocketClient[] = [];

  async function startServer(port?: number): Promise<boolean> {
    const found = await startOwnRedis(port, `--dir '${folder}' --appendonly yes --appendfsync always`);
    if ('skip' in found) return false;
    server = found;
    return true;
  }
  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'lintel-redis-data-'));
    if (!(await startServer())) return skipTest(this, NO_REDIS);
    upstream = await startPausableUpstream();
    const url = '$ENV.REDIS_URL';
    const found = await startCluster({
      files: FILES,
      size: 1,
      joined: 2,
      redis: server.url,
      config: {
        websocket: { enabled: true },
        relay: { use: 'redis', url, replay: true },
        queue: { use: 'redis', url, lease: 10, backoff: 0.05, poll: 0.2 },
        outbound: { allow: [`127.0.0.1:${upstream.port}`] },
        http: { timeouts: { linger: 0 } },
      },
      env: { REMOTE: upstream.url },
    });
    if ('skip' in found) return skipTest(this, found.skip);
    cluster = found;
  });
  beforeEach(async () => {
    clients = await Promise.all(cluster.peers.map(({ url }) => connect(url)));
  });
  afterEach(() => Promise.all(clients.map((client) => client.close())));
  after(async () => {
    await cluster?.close();
    await upstream?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const at = (index: number): Peer => cluster.peers[index]!;
  const entries = async (): Promise<string[]> =>
    (await at(0).client.post<readonly { id: string }[]>('/entries')).body.map(({ id }) => id);
  const post = async (index: number, path: string, body: object, status: number): Promise<void> => {
    const answer = await at(index).client.post(path, body);
    expect(answer.status, answer.text).to.equal(status);
  };
  const numbers = async (client: SocketClient, count: number): Promise<unknown[]> => {
    const frames: Frame[] = [];
    while (frames.length < count) frames.push(await client.next());
    return frames.map(({ data }) => (data as { n: unknown }).n);
  };
  /** Each process logs it, `times` times since its start. */
  const waitForLog = async (text: string, times = 1): Promise<void> => {
    const counts = (): number[] => cluster.peers.map(({ output }) => output().split(text).length - 1);
    await waitForValue(counts, (found) => found.every((count) => count >= times));
    expect(counts(), text).to.deep.equal([times, times, times]);
  };

  it('reject requests that need an unavailable Redis in time and serve others; afterwards all work and messages are there', async () => {
    upstream.holdAnswers(true);
    await post(0, '/call', {}, 202);
    await waitForValue(
      () => upstream.calls,
      ({ length }) => length === 1,
    );
    for (const [index, id] of ['a', 'b', 'c'].entries()) await post(index, '/later', { id }, 202);
    await server.stop();
    const elapsed = startStopwatch();
    await post(1, '/call', {}, 503);
    expect(elapsed()).to.be.lessThan(1500);
    await post(1, '/both', { id: 'd' }, 200);
    for (const index of [0, 1, 2]) await post(index, '/all', { n: index }, 200);
    // Each process has its own clients, at least.
    for (const [index, client] of clients.entries()) expect(await numbers(client, 1)).to.deep.equal([index]);
    await waitForLog('relay unavailable; messages reach only clients of this process');
    await waitForLog('queue store unavailable; jobs are neither accepted nor run');
    expect(await entries()).to.deep.equal(['d']);

    await startServer(server.port);
    upstream.holdAnswers(false);
    await waitForLog('relay available');
    await waitForLog('queue store available');
    await waitForValue(entries, ({ length }) => length === 5);
    expect((await entries()).sort()).to.deep.equal(['a', 'b', 'c', 'd', 'then d']);
    for (const index of [0, 1, 2]) await post(index, '/all', { n: 10 + index }, 200);
    // Including messages of the other processes meanwhile.
    for (const [index, client] of clients.entries()) {
      const missed = [0, 1, 2].filter((other) => other !== index);
      expect(await numbers(client, 5)).to.have.members([...missed, 10, 11, 12]);
    }
    const operator = new Redis(server.url);
    await waitForValue(
      () => operator.zcard('lintel:{queue}:running'),
      (count) => count === 0,
    );
    operator.disconnect();
    // The call was under way all the time, and counted.
    expect(upstream.calls).to.have.length(1);
    for (const { output } of cluster.peers) expect(output()).not.to.contain('is empty after a reconnect');
  });

  it('log what is lost when Redis is emptied, and keep serving', async () => {
    await post(0, '/all', { n: 1 }, 200);
    await Promise.all(clients.map((client) => numbers(client, 1)));
    await post(0, '/much-later', { id: 'lost' }, 202);
    const operator = new Redis(server.url);
    await operator.flushall();
    operator.disconnect();
    await waitForLog('queue store is empty after a reconnect: accepted jobs are lost');
    for (const { client } of cluster.peers) {
      const { status, body } = await client.request('GET', '/status');
      expect(status).to.equal(200);
      expect(JSON.stringify(body)).to.contain('is empty after a reconnect');
      expect((await client.request('GET', '/status/ready')).status).to.equal(200);
    }
    for (const index of [0, 1, 2]) await post(index, '/all', { n: 20 + index }, 200);
    for (const client of clients) expect(await numbers(client, 3)).to.have.members([20, 21, 22]);
    await waitForLog('relay is empty after a reconnect: earlier messages are lost');
    await post(1, '/later', { id: 'after' }, 202);
    await waitForValue(entries, (ids) => ids.includes('after'));
  });
});

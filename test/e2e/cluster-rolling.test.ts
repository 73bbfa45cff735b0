/**
 * Processes behind a balancer that never retries are replaced and killed while requests arrive, jobs run and clients
 * stay connected. Every request has a number; the rows of the database are the ledger. Clients behave like a browser: a
 * client that is closed with 1001 reconnects and sends the last message id it has seen.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { startCluster, type Cluster } from '../support/cluster.js';
import { waitForValue } from '../support/jobs.js';
import { CALLERS, startLoad, type Ledger } from '../support/load.js';
import { defineQueryResource, defineReturnResource } from '../support/project.js';
import { openQueue } from '../support/queues.js';
import { connect, type Frame, type SocketClient } from '../support/sockets.js';
import { skipTest } from '../support/skip.js';

/** A number may be there twice: only so a request that was done twice can be seen. */
const ENTRY = {
  row: { type: 'Number', primary_key: true, auto_increment: true },
  id: { type: 'Number', indexable: true },
};
const insert = 'INSERT INTO entries (id) VALUES ($1) RETURNING *';
/** Every column is read: a table that gets a column changes the result type of a prepared statement. */
const RESOURCES = [
  {
    id: 'add',
    resource: 'add',
    actionables: [
      { id: 1, mode: 'QUERY', sql_query: { query: insert, parameters: ['$PAYLOAD.id'] } },
      {
        id: 2,
        mode: 'QUERY',
        sql_query: { query: 'SELECT * FROM entries WHERE id = $1', parameters: ['$PAYLOAD.id'] },
      },
    ],
  },
  {
    id: 'later',
    resource: 'later',
    run_in_background: true,
    actionables: [{ id: 1, mode: 'QUERY', sql_query: { query: insert, parameters: ['$PAYLOAD.id'] } }],
  },
  defineReturnResource(
    'tell',
    { id: '$PAYLOAD.id' },
    {},
    { broadcast_websocket_message: { action: 'told', broadcast_type: 'ALL' } },
  ),
  defineQueryResource('newest', 'SELECT * FROM entries ORDER BY row DESC LIMIT 1'),
];
const FILES = {
  'definitions/_entry.json': ENTRY,
  'definitions/a.json': [...RESOURCES, defineReturnResource('version', { version: 1 })],
};
/** The request bodies. */
const PATHS = ['/tell', '/later', '/add'] as const;
type Path = (typeof PATHS)[number];
/** Milliseconds between two requests of a caller. */
const PACE = 40;

/** A client that stays until the test ends it. */
interface StayingClient {
  /** Numbers that it received. */
  readonly received: readonly number[];
  /** The close codes of its connections. */
  readonly codes: readonly number[];
  /** Messages that were no broadcast. */
  readonly other: readonly Frame[];
  end(): Promise<void>;
}

async function stay(url: string): Promise<StayingClient> {
  const [received, codes, other]: [number[], number[], Frame[]] = [[], [], []];
  let [over, last] = [false, ''];
  let current: SocketClient;
  const open = (): Promise<SocketClient> =>
    // No process may be ready to take it for a moment.
    waitForValue(
      () => connect(url, { query: last === '' ? '' : `?last_id=${last}` }).catch(() => null),
      (client) => client !== null,
    ) as Promise<SocketClient>;
  function take({ action, data, id, ...rest }: Frame): void {
    if (action !== 'told') return void other.push({ action, data, ...rest });
    received.push((data as { id: number }).id);
    last = id ?? last;
  }
  async function receive(): Promise<void> {
    while (!over) {
      const frame = await current.next().catch(() => null);
      if (frame !== null) take(frame);
      else if (current.socket.readyState === 3 && !over) {
        codes.push((await current.closed).code);
        current = await open();
      }
    }
  }
  current = await open();
  const receiving = receive();
  return {
    received,
    codes,
    other,
    async end() {
      over = true;
      await current.close();
      await receiving;
    },
  };
}

async function readRows(url: string): Promise<Map<number, number>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; n: string }>('SELECT id, count(*) AS n FROM entries GROUP BY id');
    return new Map(rows.map(({ id, n }) => [Number(id), Number(n)]));
  } finally {
    await client.end();
  }
}

describe('processes that are replaced under load', function () {
  let cluster: Cluster;
  const clients: StayingClient[] = [];
  /** The request of each number. */
  const asked: Path[] = [];
  const askedFor = (ids: readonly number[], ...paths: readonly Path[]): number[] =>
    ids.filter((id) => paths.includes(asked[id]!));

  before(async function () {
    const found = await startCluster({
      files: FILES,
      size: 1,
      joined: 1,
      config: {
        websocket: { enabled: true },
        relay: { use: 'redis', url: '$ENV.REDIS_URL', prefix: `rolling:${randomUUID()}:`, replay: true, most: 100_000 },
        queue: { use: 'postgres', url: '$ENV.DATABASE_URL' },
        // The balancer asks ten times a second, later on a busy machine.
        http: { timeouts: { linger: 2 } },
      },
    });
    if ('skip' in found) return skipTest(this, found.skip);
    cluster = found;
    for (let n = 0; n < 6; n++) clients.push(await stay(cluster.balancer.url));
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await cluster?.close();
  });

  /** Everything that is sent during `work`, and for a while before and after; numbers go on from test to test. */
  async function underLoad(work: () => Promise<void>, paths: readonly Path[] = PATHS): Promise<Ledger> {
    const from = asked.length;
    const load = startLoad(async (n) => {
      const id = from + n;
      const path = (asked[id] = paths[n % paths.length]!);
      const answer = await cluster.client.post(path, { id });
      return answer.status === 202 ? { ...answer, status: 200 } : answer;
    }, PACE);
    await load.waitForMore(100);
    await work();
    await load.waitForMore(100);
    const { sent, acknowledged, failed } = await load.stop();
    return {
      sent,
      acknowledged: acknowledged.map((id) => from + id),
      failed: failed.map(({ id, what }) => ({ id: from + id, what })),
    };
  }

  /** Acknowledged work exists, and nothing is repeated; deferred work ends first. */
  async function expectWhole({ sent, acknowledged, failed }: Ledger): Promise<Map<number, number>> {
    const { queue, close } = await openQueue({ plugin: 'postgres', options: { url: cluster.database } });
    await waitForValue(
      () => queue.list({ limit: 1 }),
      ({ length }) => length === 0,
    ).finally(close);
    const rows = await readRows(cluster.database);
    const twice = [...rows].filter(([, count]) => count > 1);
    expect(twice, 'done twice').to.deep.equal([]);
    const missing = askedFor(acknowledged, '/add', '/later').filter((id) => !rows.has(id));
    expect(missing, 'answered, and not there').to.deep.equal([]);
    expect(acknowledged.length + failed.length).to.equal(sent);
    return rows;
  }

  const sort = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);
  const reported: number[] = [];
  /** Every client has every message that was acknowledged, once. */
  async function expectReceived({ acknowledged }: Ledger): Promise<void> {
    reported.push(...askedFor(acknowledged, '/tell'));
    for (const { received, other } of clients) {
      await waitForValue(
        () => received,
        ({ length }) => length >= reported.length,
      );
      expect(sort(received)).to.deep.equal(sort(reported));
      expect(other).to.deep.equal([]);
    }
  }

  it('are replaced one by one on the same port: no request fails, no work is lost or doubled, every client has every message once', async () => {
    const [leaving] = cluster.members;
    const ledger = await underLoad(async () => {
      expect((await cluster.stopMember(leaving!)).code).to.equal(0);
      await cluster.start(leaving!.port);
    });
    expect(ledger.failed).to.deep.equal([]);
    await expectWhole(ledger);
    await expectReceived(ledger);
    const codes = clients.flatMap((client) => client.codes);
    // Closed by the process that ended, and by no other.
    expect(codes.filter((code) => code !== 1001)).to.deep.equal([]);
    expect(codes.length).to.be.within(1, clients.length);
  });

  it('are replaced by new ones with new definitions that start first: no request fails, and the tables have new columns', async () => {
    await cluster.project.write('definitions/_entry.json', { ...ENTRY, note: { type: 'String', optional: true } });
    await cluster.project.write('definitions/a.json', [...RESOURCES, defineReturnResource('version', { version: 2 })]);
    const [leaving] = cluster.members;
    const [kernel] = cluster.peers.filter((peer) => peer !== leaving);
    const ledger = await underLoad(async () => {
      await cluster.start();
      expect((await cluster.stopMember(leaving!)).code).to.equal(0);
      await cluster.join();
      await cluster.removePeer(kernel!);
    });
    expect(ledger.failed).to.deep.equal([]);
    await expectWhole(ledger);
    await expectReceived(ledger);
    const answers = await Promise.all([1, 2, 3, 4].map(() => cluster.client.post('/version', {})));
    expect(answers.map(({ body }) => body)).to.deep.equal(answers.map(() => ({ version: 2 })));
    expect((await cluster.client.post('/newest', {})).body).to.include.keys('id', 'note');
  });

  it('lose only running requests when killed, and nothing that was acknowledged', async () => {
    const [killed] = cluster.members;
    // Work that it did is done again, perhaps twice: `kills.test.ts`.
    const ledger = await underLoad(async () => void (await cluster.stopMember(killed!, 'SIGKILL')), ['/add']);
    // Interrupted: the outcome is unknown. Rejected before the balancer had noticed: certainly not executed.
    const rejected = ledger.failed.filter(({ what }) => what === `502 ${killed!.port}: ECONNREFUSED`);
    const cut = ledger.failed.filter(({ what }) => /^502 \d+: (ECONNRESET|socket hang up)/.test(what));
    expect(rejected.length + cut.length, JSON.stringify(ledger.failed)).to.equal(ledger.failed.length);
    expect(cut.every(({ what }) => what.startsWith(`502 ${killed!.port}:`))).to.equal(true);
    expect(cut.length).to.be.at.most(CALLERS);
    const rows = await expectWhole(ledger);
    expect(rejected.filter(({ id }) => rows.has(id))).to.deep.equal([]);
  });
});

/**
 * The fault matrix: twelve faults of the database and six of Redis, each under load. Nothing that was acknowledged is lost, nothing is
 * done twice, no job is lost, balances are true, no cached value stays old, and the server is back soon after its servers are.
 * A check runs one fault, chosen by the commit; `npm run test:deep -- e2e/faults` runs all and prints a table.
 */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.js';
import { pause, pickFreePort } from '../support/guarded-server.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { startLoad, type Ledger } from '../support/load.js';
import { controlPostgres, startOwnPostgres } from '../support/postgres.js';
import { defineQueryResource } from '../support/project.js';
import { createSeededRandom } from '../support/random-edits.js';
import { startOwnRedis } from '../support/redis.js';
import { isDeepRun, runSeed } from '../support/sample.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';

/** Milliseconds that a fault lasts, and for which all is well before it. */
const LASTS = 1200;
const BEFORE = 300;
/** Milliseconds after the fault within which requests are served again. */
const BACK = 5000;
const START = 1_000_000;

const query = (id: number, text: string, rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  sql_query: { query: text, parameters: ['$PAYLOAD.id'] },
  ...rest,
});
const FILES = {
  'definitions/_move.model.json': { id: { type: 'Number', primary_key: true } },
  'definitions/_done.model.json': {
    n: { type: 'Number', primary_key: true, auto_increment: true },
    id: { type: 'Number' },
  },
  'definitions/_account.model.json': { id: { type: 'Number', primary_key: true }, balance: { type: 'Number' } },
  'definitions/a.json': [
    {
      id: 'move',
      resource: 'move',
      cacheable: { invalidate_cache_keys: ['sum'] },
      actionables: [
        query(1, 'INSERT INTO moves (id) VALUES ($1)'),
        query(2, 'UPDATE accounts SET balance = balance - 1 WHERE id = 1 AND $1::bigint > 0'),
        query(3, 'UPDATE accounts SET balance = balance + 1 WHERE id = 2 AND $1::bigint > 0'),
        query(4, 'INSERT INTO dones (id) VALUES ($1)', { queue: { retries: 20 } }),
      ],
    },
    defineQueryResource('sum', 'SELECT balance::bigint AS n FROM accounts WHERE id = 2', [], {
      returnables: ['n'],
      cacheable: { read_from_cache: true, duration: 600, cache_key: 'sum' },
    }),
  ],
};

interface Servers {
  readonly database: FaultProxy;
  readonly redis: FaultProxy;
  readonly admin: pg.Pool;
  readonly data: string;
}
/** Begins a fault and returns a function that ends it. */
type Begin = (servers: Servers) => Promise<() => Promise<unknown>>;

/** The postmaster and all its processes. */
async function listServerProcesses(data: string): Promise<number[]> {
  const main = Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const children = await Promise.all(
    all.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === main ? [Number(pid)] : [];
    }),
  );
  return [main, ...children.flat()];
}
const signalAll = (pids: readonly number[], signal: NodeJS.Signals): void =>
  pids.forEach((pid) => void process.kill(pid, signal));
const terminate = (admin: pg.Pool): Promise<unknown> =>
  admin.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL',
  );

/** Faults of the network, of either server. */
const createNetworkFaults = (of: 'database' | 'redis'): Readonly<Record<string, Begin>> => {
  const begin =
    (change: (proxy: FaultProxy) => unknown, losesBytes = false): Begin =>
    async (servers) => {
      const proxy = servers[of];
      await change(proxy);
      return async () => {
        // After lost bytes no connection continues: TCP delivers them, or ends it.
        if (losesBytes) proxy.reset();
        await proxy.passTraffic();
      };
    };
  return {
    'connections refused': begin((proxy) => proxy.rejectConnections()),
    'connections reset': begin((proxy) => proxy.reset()),
    'half open': begin((proxy) => proxy.stall(), true),
    mute: begin((proxy) => proxy.muteResponses(), true),
    'latency of 300 ms': begin((proxy) => proxy.delayTraffic(150)),
    'cut in the middle': begin((proxy) => proxy.cutAfter(3000, 'refuse')),
  };
};

const DATABASE: Readonly<Record<string, Begin>> = {
  ...createNetworkFaults('database'),
  'backends terminated': async ({ admin }) => {
    let isOver = false;
    const ended = (async () => {
      for (; !isOver; await pause(100)) await terminate(admin);
    })();
    return () => ((isOver = true), ended);
  },
  'process killed': async ({ admin, data }) => {
    const { rows } = await admin.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const all = await listServerProcesses(data);
    // The server ends all others and recovers.
    process.kill(rows[0]?.pid ?? all[1] ?? 0, 'SIGKILL');
    return () => Promise.resolve();
  },
  restarted: async ({ data }) => {
    await controlPostgres(data, 'restart', '-m', 'fast');
    return () => Promise.resolve();
  },
  frozen: async ({ data }) => {
    const all = await listServerProcesses(data);
    signalAll(all, 'SIGSTOP');
    return async () => signalAll(all, 'SIGCONT');
  },
  'connections not allowed': async ({ admin }) => {
    await admin.query('ALTER ROLE served NOLOGIN');
    await terminate(admin);
    return () => admin.query('ALTER ROLE served LOGIN');
  },
  'table locked': async ({ admin }) => {
    const client = await admin.connect();
    await client.query('BEGIN; LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE');
    return async () => {
      await client.query('ROLLBACK');
      client.release();
    };
  },
};
const FAULTS = [
  ...Object.entries(DATABASE).map(([name, begin]) => ({ name: `database: ${name}`, begin })),
  ...Object.entries(createNetworkFaults('redis')).map(([name, begin]) => ({ name: `redis: ${name}`, begin })),
];
const chosen = isDeepRun ? FAULTS : [createSeededRandom(`${runSeed} faults`).pick(FAULTS)];

describe('faults under load', () => {
  let kernel: TestKernel;
  let servers: Servers;
  const ends: (() => Promise<unknown>)[] = [];
  const table: string[][] = [
    ['fault', 'sent', 'acknowledged', 'refused', 'longest ms', 'back after ms', 'lost or twice'],
  ];
  let [moved, probes] = [0, 0];
  let stopLoad: (() => Promise<Ledger>) | null = null;

  before(async function () {
    if (process.platform !== 'linux') return skipTest(this, 'processes of the server are read from /proc');
    const password = 'of the tests';
    const server = await startOwnPostgres(await pickFreePort(), password);
    if ('skip' in server) return skipTest(this, server.skip);
    const redis = await startOwnRedis();
    if ('skip' in redis) return skipTest(this, redis.skip);
    ends.push(
      () => server.stop(),
      () => redis.stop(),
    );
    const url = new URL(server.url);
    const admin = new pg.Pool({ connectionString: url.href, max: 2 });
    admin.on('error', () => undefined);
    admin.on('connect', (client) => client.on('error', () => undefined));
    await admin.query(`CREATE ROLE served LOGIN SUPERUSER PASSWORD '${password}'`);
    const data = (await admin.query<{ data_directory: string }>('SHOW data_directory')).rows[0]?.data_directory ?? '';
    const proxies = await Promise.all([
      startFaultProxy({ host: url.hostname, port: Number(url.port) }),
      startFaultProxy({ host: '127.0.0.1', port: redis.port }),
    ]);
    servers = { database: proxies[0], redis: proxies[1], admin, data };
    ends.push(() => controlPostgres(data, 'stop', '-m', 'immediate').catch(() => undefined));
    ends.push(() => admin.end(), ...proxies.map((proxy) => () => proxy.close()));
    url.username = 'served';
    url.port = String(proxies[0].port);
    kernel = await startKernel({
      files: FILES,
      config: {
        http: { timeouts: { request: 2 } },
        cache: { use: 'redis', url: '$ENV.CACHE_URL' },
        // A job whose process lost it runs again after that.
        queue: { use: 'postgres', url: '$ENV.DATABASE_URL', lease: 5 },
      },
      env: {
        DATABASE_URL: url.href,
        CACHE_URL: `redis://127.0.0.1:${proxies[1].port}`,
        QUEUE_ENCRYPTION_KEY: 'a key of the queue with 32 bytes, or more',
      },
    });
    await admin.query('INSERT INTO accounts (id, balance) VALUES (1, $1), (2, 0)', [START]);
  });
  // A fault that fails leaves no load to the next.
  afterEach(async () => {
    const ledger = await stopLoad?.();
    moved += ledger?.sent ?? 0;
    stopLoad = null;
  });
  after(async () => {
    await kernel?.close();
    for (const end of ends.reverse()) await end();
    if (!isDeepRun || table.length < 2) return;
    const widths = table[0]?.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0))) ?? [];
    for (const row of table)
      process.stdout.write(`      ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}\n`);
  });

  const count = async (text: string): Promise<number> => {
    for (let tries = 0; ; tries++) {
      try {
        return Number((await servers.admin.query<{ n: string }>(`SELECT (${text}) AS n`)).rows[0]?.n);
      } catch (error) {
        if (tries > 100) throw error;
        await pause(100);
      }
    }
  };
  async function waitFor(isSo: () => Promise<boolean>, what: string, milliseconds: number): Promise<number> {
    const [began, elapsed] = [performance.now(), startStopwatch()];
    while (!(await isSo())) {
      if (elapsed() > milliseconds) throw new Error(`${what} is not so after ${milliseconds} ms`);
      await pause(20);
    }
    return performance.now() - began;
  }

  for (const { name, begin } of chosen)
    it(`${name}: lose nothing acknowledged, repeat nothing, and recover`, async function () {
      this.timeout(240_000);
      let longest = 0;
      const from = moved;
      const send = async (id: number): Promise<{ status: number; text: string }> => {
        const began = performance.now();
        if (id % 3 === 0) await kernel.post('/sum');
        const answer = await kernel.post('/move', { id: from + id });
        longest = Math.max(longest, performance.now() - began);
        return answer;
      };
      const load = startLoad(send, 5);
      stopLoad = () => load.stop();
      await pause(BEFORE);
      const end = await begin(servers);
      await pause(LASTS);
      await end();
      const isServed = async (): Promise<boolean> =>
        (await kernel.post('/move', { id: ++probes + 1_000_000_000 })).status === 200;
      const back = await waitFor(isServed, 'an answer with 200', BACK);
      await pause(BEFORE);
      const { sent, acknowledged, failed } = await load.stop();

      const ids = acknowledged.map((id) => from + id);
      const { rows } = await servers.admin.query<{ id: string }>('SELECT id FROM moves WHERE id = ANY($1)', [ids]);
      const committed = await count('SELECT count(*) FROM moves');
      expect(rows.length, 'acknowledged moves that are there').to.equal(ids.length);
      expect(await count('SELECT balance FROM accounts WHERE id = 1'), 'what is left').to.equal(START - committed);
      expect(await count('SELECT balance FROM accounts WHERE id = 2'), 'what has come').to.equal(committed);
      const countOpen = (): Promise<number> =>
        count('SELECT count(*) FROM moves WHERE NOT EXISTS (SELECT 1 FROM dones WHERE dones.id = moves.id)');
      await waitFor(async () => (await countOpen()) === 0, 'every job done', 180_000);
      expect(await count('SELECT count(*) - count(DISTINCT id) FROM dones'), 'jobs done twice').to.equal(0);
      const isTrue = async (): Promise<boolean> => Number((await kernel.post('/sum')).body['n']) === committed;
      await waitFor(isTrue, 'the cached value is the true one', BACK);
      // A conflict that was repeated until the deadline, after which nothing was written, is 409.
      const isRight = (what: string): boolean => what.startsWith('503') || what.includes('QRY_SERIALIZATION');
      expect(failed.map(({ what }) => what).filter((what) => !isRight(what))).to.deep.equal([]);
      table.push(
        [name, sent, acknowledged.length, failed.length, Math.round(longest), Math.round(back), 0].map(String),
      );
    });
});

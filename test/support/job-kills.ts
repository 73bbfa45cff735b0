/**
 * Processes that are killed (`kill -9`) between the groups of a job: during a call, or moments after its response, when
 * notes and the next transaction follow. Collects every row and every call; asserts nothing.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { startCluster, type Cluster } from './cluster.js';
import { pause, type ServerOrSkip } from './guarded-server.js';
import { defineCallAction, defineExtraction, defineQueuedResource, defineSqlAction } from './job-steps.js';
import { openQueue, type Address } from './queues.js';

export interface KillStore {
  /** Of the config. */
  readonly queue: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** The same queue, for operators; null: in the database of the rows. */
  readonly address: Address | null;
}

export interface StepCall {
  readonly job: number;
  /** Which call of the job. */
  readonly step: number;
  readonly key: string;
  /** The value that the database, or a generator, assigned to the row before it. */
  readonly made: unknown;
}

export interface StepEvidence {
  readonly kills: number;
  /** Numbers of the acknowledged jobs; whether others were accepted is unknown. */
  readonly acknowledged: readonly number[];
  readonly calls: readonly StepCall[];
  /** How often each job is in a table, by table. */
  readonly tables: Readonly<Record<string, ReadonlyMap<number, number>>>;
  /** The remaining jobs of the queue and the inbox. */
  readonly left: readonly unknown[];
  readonly notes: number;
}

export const TABLES = ['firsts', 'pairs', 'mates', 'lists', 'lasts'] as const;
/** Of a list. */
export const ITEMS = 3;

const NUMBERED = { n: { type: 'Number', primary_key: true, auto_increment: true }, job: { type: 'Number' } };
const insert = (id: number, table: string, rest: object = {}): object =>
  defineSqlAction(id, `INSERT INTO ${table} (job) VALUES ($1) RETURNING n, job`, ['$PAYLOAD.job'], rest);
const defineCall = (id: number, step: number, made: string, rest: object): object =>
  defineCallAction(id, { job: '$PAYLOAD.job', step, made, by: '$ENV.MEMBER' }, rest);

const FILES = {
  'definitions/models.json': Object.fromEntries(TABLES.map((table) => [`_${table}`, NUMBERED])),
  'definitions/all.json': [
    defineQueuedResource(
      'chain',
      [
        insert(1, 'firsts'),
        defineCall(2, 1, '$PAYLOAD.first', defineExtraction(1, 'n', 'first')),
        insert(3, 'pairs'),
        insert(4, 'mates'),
        defineCall(5, 2, '$PAYLOAD.pair', defineExtraction(3, 'n', 'pair')),
        {
          id: 6,
          mode: 'QUERY',
          sql_query: { query: 'INSERT INTO lists (job) VALUES ($1)', parameters: ['$PAYLOAD.job'], multi: 'items' },
        },
        defineCall(7, 3, '$PAYLOAD.first', {}),
        insert(8, 'lasts'),
      ],
      { queue: { retries: 50 } },
    ),
  ],
};

/** Kills so many times, with as many jobs as that takes. */
export async function killBetweenSteps(
  { queue, env, address }: KillStore,
  kills: number,
): Promise<ServerOrSkip<StepEvidence>> {
  const calls: StepCall[] = [];
  let killed = 0;
  let cluster: Cluster | undefined;
  const starting: Promise<unknown>[] = [];
  const killMember = (by: string): void => {
    const member = cluster?.members.find(({ name }) => name === by);
    if (member === undefined || cluster === undefined || killed >= kills) return;
    killed++;
    const within = cluster;
    starting.push(within.stopMember(member, 'SIGKILL').then(() => within.start(member.port)));
  };
  const service = createServer((req, res) => {
    let text = '';
    req.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    req.on('error', () => undefined);
    req.on('end', () => {
      const { job, step, made, by } = JSON.parse(text) as StepCall & { by: string };
      calls.push({ job, step, made, key: String(req.headers['idempotency-key']) });
      const moment = Math.random();
      if (moment < 0.15) return killMember(by);
      res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      if (moment < 0.6) setTimeout(() => killMember(by), moment * 25);
    });
  });
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  try {
    const started = await startCluster({
      files: FILES,
      size: 2,
      redis: null,
      config: {
        outbound: { allow: ['127.0.0.1'] },
        connections: { main: { use: 'postgres', url: '$ENV.DATABASE_URL' } },
        queue: { ...queue, lease: 1, backoff: 0.05, poll: 0.1, concurrency: 4 },
      },
      env: { ...env, SERVICE: `http://127.0.0.1:${(service.address() as AddressInfo).port}` },
    });
    if ('skip' in started) return started;
    cluster = started;
    return await collectEvidence(started, address, () => killed >= kills, starting, calls);
  } finally {
    killed = Infinity;
    await cluster?.close();
    service.close();
    service.closeAllConnections();
  }
}

async function collectEvidence(
  cluster: Cluster,
  address: Address | null,
  isOver: () => boolean,
  starting: readonly Promise<unknown>[],
  calls: readonly StepCall[],
): Promise<StepEvidence> {
  const { queue, close } = await openQueue(address ?? { plugin: 'postgres', options: { url: cluster.database } });
  const client = new pg.Client({ connectionString: cluster.database });
  await client.connect();
  try {
    const acknowledged: number[] = [];
    let sent = 0;
    const end = Date.now() + 110_000;
    const open = async (): Promise<number> => (await queue.list({})).filter(({ state }) => state !== 'dead').length;
    for (let waiting = 0; !isOver() || waiting > 0; waiting = await open()) {
      if (Date.now() > end) throw new Error(`not over in time: ${JSON.stringify((await queue.list({})).slice(0, 4))}`);
      if (!isOver() && waiting < 8) {
        const items = Array.from({ length: ITEMS }, () => ({}));
        const answer = await cluster.client.post('/chain', { job: ++sent, items }).catch(() => null);
        if (answer?.status === 202) acknowledged.push(sent);
      }
      await pause(20);
    }
    await Promise.all(starting);
    const countJobs = async (table: string): Promise<readonly [string, ReadonlyMap<number, number>]> => {
      const { rows } = await client.query<{ job: string; n: string }>(
        `SELECT job, count(*) AS n FROM ${table} GROUP BY job`,
      );
      return [table, new Map(rows.map(({ job, n }) => [Number(job), Number(n)]))];
    };
    const tables: [string, ReadonlyMap<number, number>][] = [];
    for (const table of TABLES) tables.push([...(await countJobs(table))]);
    const { rows } = await client.query<{ n: string }>('SELECT count(*) AS n FROM lintel_inbox');
    const evidence = { acknowledged, calls, tables: Object.fromEntries(tables), left: await queue.list({}) };
    return { ...evidence, kills: starting.length, notes: Number(rows[0]?.n) };
  } finally {
    await client.end();
    await close();
  }
}

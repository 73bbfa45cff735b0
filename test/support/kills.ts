/**
 * Three processes under load, killed (`kill -9`) at random moments and restarted immediately, repeatedly: rows, chains
 * in a transaction, deferred work, and work accepted in a transaction. Collects what happened; `kill-report.ts` checks
 * it.
 */
import type { JobView } from '../../contract/deferred.js';
import type { Queue } from '../../plugins/queues/kind.js';
import pg from 'pg';
import { startCluster, type Cluster, type Member } from './cluster.js';
import { startEffects, type Effect } from './effects.js';
import { pause, type ServerOrSkip } from './guarded-server.js';
import { startLoad, type Ledger } from './load.js';
import { openQueue } from './queues.js';

export interface KillOptions {
  readonly kills: number;
  /** Processes; three when it is left out. */
  readonly size?: number;
  /** The minimum of requests with status 200. */
  readonly requests?: number;
  /** Milliseconds between kills, on average. */
  readonly every: number;
  /** Milliseconds between two requests of one of eight callers, on average. */
  readonly pace: number;
  readonly say?: (line: string) => void;
}

export interface Kill {
  readonly member: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds until another process served in its place. */
  recovered: number;
}

/** How often a number is in a table, and for jobs: by which processes, in their order. */
export interface Tables {
  readonly entries: ReadonlyMap<number, number>;
  readonly debits: ReadonlyMap<number, number>;
  readonly credits: ReadonlyMap<number, number>;
  readonly orders: ReadonlyMap<number, number>;
  readonly notes: ReadonlyMap<number, readonly string[]>;
}

export interface DeadJob extends JobView {
  /** The number of its request. */
  readonly request: number;
}

export interface Evidence {
  readonly kills: readonly Kill[];
  readonly load: Ledger;
  readonly tables: Tables;
  readonly effects: readonly Effect[];
  readonly dead: readonly DeadJob[];
}

/** The request of each number. */
export const KINDS = ['row', 'chain', 'background', 'order'] as const;
export const getKind = (id: number): (typeof KINDS)[number] => KINDS[id % KINDS.length] ?? 'row';

/** Work of one process at the same time. */
export const CONCURRENCY = 10;
/** Seconds. */
const LEASE = 4;

const COUNTED = {
  n: { type: 'Number', primary_key: true, auto_increment: true },
  id: { type: 'Number', indexable: true },
};
const insert = (id: number, table: string, rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  sql_query: { query: `INSERT INTO ${table} (id) VALUES ($1) RETURNING id`, parameters: ['$PAYLOAD.id'] },
  ...rest,
});
const call = {
  id: 1,
  mode: 'HTTPREQUEST',
  http: { url: '$ENV.EFFECTS/', method: 'POST', request_body: { id: '$PAYLOAD.id', by: '$ENV.MEMBER' } },
};
const noteQuery = {
  query: 'INSERT INTO notes (id, member) VALUES ($1, $2) RETURNING id',
  parameters: ['$PAYLOAD.id', '$ENV.MEMBER'],
};
const FILES = {
  'definitions/models.json': {
    _entry: COUNTED,
    _debit: COUNTED,
    _credit: COUNTED,
    _order: COUNTED,
    _note: { ...COUNTED, member: { type: 'String' } },
  },
  'definitions/all.json': [
    { id: 'row', resource: 'row', actionables: [insert(1, 'entries')] },
    { id: 'chain', resource: 'chain', actionables: [insert(1, 'debits'), insert(2, 'credits')] },
    { id: 'background', resource: 'background', run_in_background: true, actionables: [call] },
    {
      id: 'order',
      resource: 'order',
      actionables: [insert(1, 'orders'), { id: 2, mode: 'QUERY', queue: { retries: 4 }, sql_query: noteQuery }],
    },
  ],
};

/** Around a mean, and never far from anything: moments are as random as that. */
const aboutMs = (mean: number): number => Math.random() * 2 * mean;

export async function killUnderLoad(options: KillOptions): Promise<ServerOrSkip<Evidence>> {
  const effects = await startEffects(60);
  try {
    const cluster = await startCluster({
      files: FILES,
      size: options.size ?? 3,
      config: {
        outbound: { allow: ['127.0.0.1'] },
        queue: { use: 'postgres', url: '$ENV.DATABASE_URL', lease: LEASE, concurrency: CONCURRENCY },
      },
      env: { EFFECTS: effects.url },
    });
    if ('skip' in cluster) return cluster;
    try {
      return await collectEvidence(cluster, effects.all, options);
    } finally {
      await cluster.close();
    }
  } finally {
    await effects.close();
  }
}

async function collectEvidence(cluster: Cluster, effects: readonly Effect[], options: KillOptions): Promise<Evidence> {
  const load = startLoad(async (id) => {
    await pause(aboutMs(options.pace));
    const answer = await cluster.client.post(`/${getKind(id)}`, { id }, { signal: AbortSignal.timeout(20_000) });
    return { status: answer.status === 202 ? 200 : answer.status, text: answer.text };
  });
  const kills: Kill[] = [];
  const starting: Promise<void>[] = [];
  try {
    while (kills.length < options.kills) {
      await pause(aboutMs(options.every));
      // All of them may be starting; then there is none to kill.
      const member = cluster.members[Math.floor(Math.random() * cluster.members.length)];
      if (member !== undefined) starting.push(replaceMember(cluster, member, kills));
      if (kills.length % 20 === 0 && member) options.say?.(`${kills.length} kills, ${load.countBegun()} requests`);
    }
    await Promise.all(starting);
    while (load.countAcknowledged() < (options.requests ?? 0)) await load.waitForMore(10);
  } finally {
    await load.stop();
  }
  const ledger = await load.stop();
  const { queue, close } = await openQueue({ plugin: 'postgres', options: { url: cluster.database } });
  try {
    const dead = await waitUntilSettled(queue);
    return { kills, load: ledger, tables: await readTables(cluster.database), effects, dead };
  } finally {
    await close();
  }
}

/** Synchronous until the process has its signal: the recorded process is killed at this moment. */
async function replaceMember(cluster: Cluster, member: Member, kills: Kill[]): Promise<void> {
  const kill: Kill = { member: member.name, at: Date.now(), recovered: NaN };
  kills.push(kill);
  await cluster.stopMember(member, 'SIGKILL');
  await cluster.start(member.port);
  kill.recovered = Date.now() - kill.at;
}

const PATIENCE_MS = 90_000;

/** Waits until no job waits or runs; returns the dead ones. */
async function waitUntilSettled(queue: Queue): Promise<readonly DeadJob[]> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const views = await queue.list({ limit: 100_000 });
    const open = views.filter(({ state }) => state !== 'dead');
    if (open.length === 0) return Promise.all(views.map((view) => withRequest(queue, view)));
    if (Date.now() > end) throw new Error(`work was not done in time: ${JSON.stringify(open.slice(0, 5))}`);
    await pause(50);
  }
}

async function withRequest(queue: Queue, view: JobView): Promise<DeadJob> {
  const found = await queue.show(view.id);
  const { id } = (found?.work.state.payload ?? {}) as { id?: number };
  return { ...view, request: id ?? NaN };
}

async function readTables(url: string): Promise<Tables> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const countById = async (table: string): Promise<Map<number, number>> => {
    const { rows } = await client.query<{ id: string; n: string }>(
      `SELECT id, count(*) AS n FROM ${table} GROUP BY id`,
    );
    return new Map(rows.map(({ id, n }) => [Number(id), Number(n)]));
  };
  try {
    const notes = await client.query<{ id: string; members: string[] }>(
      'SELECT id, array_agg(member ORDER BY n) AS members FROM notes GROUP BY id',
    );
    return {
      entries: await countById('entries'),
      debits: await countById('debits'),
      credits: await countById('credits'),
      orders: await countById('orders'),
      notes: new Map(notes.rows.map(({ id, members }) => [Number(id), members])),
    };
  } finally {
    await client.end();
  }
}

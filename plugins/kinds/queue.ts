/**
 * Kind `queue`: where work waits that is done behind an answer. What was added is durable, and runs at least once: who
 * runs it holds a lease, and what it ends in counts only while the lease is held. The config chooses one.
 */
import type { Deferred, JobDesk, Journal, Outcome, Put } from '../../kernel/contract/deferred.js';
import { defineKind } from '../../kernel/contract/kind.js';
import type { Signal } from '../../kernel/contract/plan.js';
import type { CodeEntry } from '../../kernel/contract/problem.js';
import type { Statements } from './dialect.js';
import { embedded } from './embedded.js';

/** Does one run of deferred work; never rejects. `signal`: the lease is lost, or the process ends. */
export type Run = (work: Deferred, attempt: number, signal: Signal, journal: Journal) => Promise<Outcome>;

export interface Queue extends JobDesk {
  /**
   * Durable once it resolves. Work whose id is known already is left as it is. Rejects with the Fault JOB_AWAY when the store
   * cannot be reached, after a second at most.
   */
  add(work: readonly Put[]): Promise<void>;
  /**
   * As `add`, inside a transaction of a SQL connection: what is added is there if it commits, and only then. Null where the
   * queue does not lie in the database of that connection. `committed` is called after the commit.
   */
  within(statements: Statements): Promise<Within | null>;
  /** Throws the Fault with which `add` would refuse it whatever the state of the store. Absent: it refuses nothing. */
  judge?(work: readonly Put[]): void;
  /** How others that keep its work meanwhile have to keep it. Absent: as it is. */
  readonly sealing?: {
    seal(id: string, text: string): string;
    open(id: string, kept: string): string | null;
  };
  /**
   * Keeps as dead, for operators to see, what was accepted and is refused by now. Rejects as `add` does. Absent: whoever
   * has it keeps it.
   */
  bury?(work: Put, failure: { readonly code: string; readonly detail: string }): Promise<void>;
  /** Begins to take up work. */
  work(run: Run): Promise<void>;
  /** Takes up nothing more; resolves when what runs is over. */
  rest(): Promise<void>;
  /** What still runs may be taken up by others at once; what it ends in does not count here any more. */
  abandon(): Promise<void>;
}

/** Adds work inside transactions of one connection. */
export interface Within {
  add(work: readonly Put[], transaction: unknown): Promise<void>;
  /** Work was committed: processes that wait for some need not wait longer. */
  committed(): void;
}

/** Codes of every queue; the last two are never answered: they are noted of work. */
export const queueErrors = {
  JOB_AWAY: {
    status: 503,
    title: 'Queue not available',
    message: 'Work cannot be accepted at the moment.',
    help: 'The store of the queue cannot be reached. The same request may succeed later. Nothing was accepted, unless the store went silent just then. The log has the reason.',
  },
  JOB_TOO_LARGE: {
    status: 413,
    title: 'Work too large',
    message: 'The work that this request asks for is too large to be done later: {size} bytes, at most {limit}.',
    help: 'What the actionable reads (payload, claims, headers, results) travels with the work. `max_payload` of the queue in the config is the limit.',
  },
  JOB_KEY: {
    status: 500,
    title: 'Key of the queue',
    message: 'The variable `{name}` {what}: it encrypts what waits in the queue.',
    help: 'Set it to a random text, the same for all processes: `openssl rand -hex 32`. Work that waits under another key cannot be read.',
  },
  JOB_FAILED: {
    status: 500,
    title: 'Work failed',
    message: 'The work ended with an error of its own.',
    help: 'Noted of deferred work that threw, instead of ending in a fault; the log has the error.',
  },
  JOB_LOST: {
    status: 503,
    title: 'Work lost its process',
    message: 'The process that did the work ended, or did not answer for as long as its lease.',
    help: 'Noted of deferred work that another process has taken up since. Work that was begun as often as it may is dead: it may be what ends the process.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

const USE = { say: 'which one it is says `"use"`', rename: 'use' };

export const queue = defineKind<Queue>({
  kind: 'queue',
  title: 'Queue',
  summary: 'Where work waits that is done behind an answer.',
  slots: ['config.queue'],
  select: { by: 'field', field: 'use' },
  config: {
    field: 'queue',
    doc: 'Where work waits that is done behind an answer.',
    aliases: ['jobs', 'background', 'worker', 'workers', 'job_queue'],
    many: false,
    load: 'when-required',
    default: (given) => {
      const { has } = given;
      if (has('DATABASE_URL')) return { use: 'postgres', url: '$ENV.DATABASE_URL' };
      if (has('MONGO_URL')) return { use: 'mongo', url: '$ENV.MONGO_URL' };
      return has('REDIS_URL') ? { use: 'redis', url: '$ENV.REDIS_URL' } : embedded(given);
    },
  },
  mistaken: {
    'config.queue': {
      type: USE,
      kind: USE,
      driver: USE,
      provider: USE,
      backend: USE,
      adapter: USE,
      retries: 'tries are written where the work is: `"queue": {"retries": 6}` on an actionable',
      workers: { say: 'how much one process does at a time is `"concurrency"`', rename: 'concurrency' },
    },
  },
  facts: {
    shared: {
      doc: 'All processes that are configured alike take work from the same queue.',
      type: 'boolean',
      required: true,
    },
  },
  handle: ['add', 'within', 'work', 'rest', 'abandon', 'list', 'show', 'retry', 'purge'],
  host: (fragment) => ({ file: 'config', json: { queue: fragment }, at: '/queue' }),
});

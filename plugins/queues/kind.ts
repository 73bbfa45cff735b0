/**
 * Kind `queue`: durable jobs that run after the response, at least once. A run holds a lease, and its outcome counts only while
 * the lease is held. The config selects one.
 */
import type { DeferredJob, JobAdmin, Journal, Outcome, JobEntry } from '../../contract/deferred.js';
import { defineKind } from '../../contract/kind.js';
import type { Signal } from '../../contract/plan.js';
import type { CodeEntry } from '../../contract/problem.js';
import type { Statements } from '../dialects/kind.js';
import { createEmbeddedDefault } from '../shared/embedded.light.js';

/** Runs one attempt of a job; never rejects. `signal`: the lease is lost, or the process stops. */
export type Run = (work: DeferredJob, attempt: number, signal: Signal, journal: Journal) => Promise<Outcome>;

export interface Queue extends JobAdmin {
  /**
   * Resolves once the jobs are durable; ignores known ids. Rejects with the Fault JOB_AWAY within one second when the store is
   * unavailable.
   */
  add(work: readonly JobEntry[]): Promise<void>;
  /**
   * Like `add`, within a transaction of a SQL connection. Null where the queue is not stored in that database. `committed` is
   * called after the commit.
   */
  findTransactionalQueue(statements: Statements): Promise<TransactionalQueue | null>;
  /** Throws the Fault with which `add` would reject permanently. Absent: no job is rejected. */
  validate?(work: readonly JobEntry[]): void;
  /** Encryption that other stores must apply to queued jobs. Absent: none. */
  readonly sealing?: {
    seal(id: string, text: string): string;
    open(id: string, kept: string): string | null;
  };
  /**
   * Moves an accepted job that is now rejected to the dead letters. Rejects as `add` does. Absent: the caller retains the job.
   */
  moveToDeadLetter?(work: JobEntry, failure: { readonly code: string; readonly detail: string }): Promise<void>;
  startWorker(run: Run): Promise<void>;
  /** Stops taking jobs; resolves when running ones have ended. */
  drain(): Promise<void>;
  /** Releases running jobs to other processes; their outcomes are ignored here. */
  releaseClaims(): Promise<void>;
}

export interface TransactionalQueue {
  add(work: readonly JobEntry[], transaction: unknown): Promise<void>;
  /** Jobs were committed: notifies waiting processes. */
  committed(): void;
}

/** Error codes of every queue; the last two are recorded with jobs and never sent as a response. */
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
      return has('REDIS_URL') ? { use: 'redis', url: '$ENV.REDIS_URL' } : createEmbeddedDefault(given);
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
  handle: ['add', 'findTransactionalQueue', 'startWorker', 'drain', 'releaseClaims', 'list', 'show', 'retry', 'purge'],
  host: (fragment) => ({ file: 'config', json: { queue: fragment }, at: '/queue' }),
});

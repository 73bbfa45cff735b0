/**
 * Kind `queue`: durable jobs that run after the response, at least once. An outcome counts only while the run holds
 * its lease.
 */
import type { DeferredJob, JobAdmin, Journal, Outcome, JobEntry } from '../../contract/deferred.js';
import { defineKind } from '../../contract/kind.js';
import type { Signal } from '../../contract/plan.js';
import type { CodeEntry } from '../../contract/problem.js';
import type { Statements } from '../dialects/kind.js';
import { chooseServer } from '../shared/embedded.light.js';

/** Never rejects. `signal`: the lease is lost, or the process stops. */
export type Run = (work: DeferredJob, attempt: number, signal: Signal, journal: Journal) => Promise<Outcome>;

export interface Queue extends JobAdmin {
  /** Resolves once the jobs are durable; ignores known ids. Rejects with JOB_AWAY within a second when unavailable. */
  add(work: readonly JobEntry[]): Promise<void>;
  /**
   * Within a transaction of a SQL connection. Null where the queue is not in that database. `committed` is called
   * after the commit.
   */
  findTransactionalQueue(statements: Statements): Promise<TransactionalQueue | null>;
  /** Throws the Fault with which `add` would reject permanently. Absent: no job is rejected. */
  validate?(work: readonly JobEntry[]): void;
  /** Encryption that other stores must apply to queued jobs. Absent: none. */
  readonly sealing?: {
    seal(id: string, text: string): string;
    open(id: string, kept: string): string | null;
  };
  /** For an accepted job that is now rejected. Rejects as `add` does. Absent: the caller retains the job. */
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

/** The last two are recorded with jobs and never sent. */
export const queueErrors = {
  JOB_AWAY: {
    status: 503,
    title: 'Queue not available',
    message: 'The job cannot be accepted at the moment.',
    help: 'The store of the queue cannot be reached. Retry later. Nothing was accepted, unless the store became unavailable during the request. The log has the reason.',
  },
  JOB_TOO_LARGE: {
    status: 413,
    title: 'Job too large',
    message: 'The job of this request is too large: {size} bytes, at most {limit}.',
    help: 'The values that the actionable reads (payload, claims, headers, results) are stored with the job. The limit is `max_payload` of the queue in the config.',
  },
  JOB_KEY: {
    status: 500,
    title: 'Key of the queue',
    message: 'The variable `{name}` {what}: it encrypts the jobs of the queue.',
    help: 'Set it to a random text, the same for all processes: `openssl rand -hex 32`. Jobs that are encrypted with another key cannot be read.',
  },
  JOB_FAILED: {
    status: 500,
    title: 'Job failed',
    message: 'The job threw an error.',
    help: 'The error was unexpected; the log has it.',
  },
  JOB_LOST: {
    status: 503,
    title: 'Job lost its process',
    message: 'The process of the job exited or did not renew its lease in time.',
    help: 'Another process has run the job since. A job without attempts left is dead, because it may have crashed the process.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

const USE = { say: 'the plugin is set by `"use"`', rename: 'use' };

export const queue = defineKind<Queue>({
  kind: 'queue',
  title: 'Queue',
  summary: 'Where deferred work is stored until it runs.',
  slots: ['config.queue'],
  select: { by: 'field', field: 'use' },
  config: {
    field: 'queue',
    doc: 'Where deferred work is stored until it runs.',
    aliases: ['jobs', 'background', 'worker', 'workers', 'job_queue'],
    many: false,
    load: 'when-required',
    tested: { use: 'embedded' },
    default: chooseServer,
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
      workers: { say: 'the number of jobs at a time is `"concurrency"`', rename: 'concurrency' },
    },
  },
  facts: {
    shared: {
      doc: 'All processes with the same config share the queue.',
      type: 'boolean',
      required: true,
    },
  },
  handle: ['add', 'findTransactionalQueue', 'startWorker', 'drain', 'releaseClaims', 'list', 'show', 'retry', 'purge'],
  host: (fragment) => ({ file: 'config', json: { queue: fragment }, at: '/queue' }),
});

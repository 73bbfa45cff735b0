/**
 * The interface of a queue store: atomic operations of one round trip. Leases and due times use the store's clock, so
 * only durations in milliseconds are passed. Rejects when unavailable.
 */
import type { JobRepository } from 'agenda';
import type { Backlog, JobFilter, JobView } from '../../../contract/deferred.js';
import type { Row } from '../../dialects/kind.js';

export interface Entry {
  readonly id: string;
  readonly resource: string;
  readonly part: string;
  readonly acceptedAt: number;
  /** Any finite number; higher values run first. */
  readonly priority: number;
  readonly retries: number;
  /** Milliseconds before the job may run. */
  readonly delay: number;
  /** JSON text; opaque to the store. */
  readonly body: string;
}

/** A new `token` with every claim: a run that lost its lease cannot act on a later one. */
export interface JobLease {
  readonly id: string;
  readonly token: string;
}

export interface ClaimedJob extends JobLease {
  /** Including this one. */
  readonly attempt: number;
  readonly retries: number;
  readonly body: string;
  /** Never started before; absent when the store cannot determine it. */
  readonly fresh?: boolean;
  /** The last text of `note`. */
  readonly journal: string | null;
}

export interface Failure {
  readonly code: string;
  readonly detail: string;
}

export interface SweepResult {
  /** The number of jobs that became runnable. */
  readonly woken: number;
  readonly dead: readonly string[];
  /** Milliseconds until the next job is due; null: none. */
  readonly next: number | null;
}

export interface QueueStore {
  jobs(): Promise<JobRepository>;
  /** All or none; existing ids are left unchanged. Durable when it resolves. */
  add(entries: readonly Entry[]): Promise<void>;
  /** Stores a dead job; an existing id is left unchanged. */
  moveToDeadLetter(entry: Entry, failure: Failure): Promise<void>;
  /** Counts an attempt for each. Highest priority first, then first added, regardless of the due time. */
  claimJobs(token: string, limit: number, lease: number): Promise<readonly ClaimedJob[]>;
  /** Returns the ids that are still held. */
  renewLeases(held: readonly JobLease[], lease: number): Promise<ReadonlySet<string>>;
  /** Replaces the journal. False: the lease is lost. */
  saveJournal(held: JobLease, journal: string): Promise<boolean>;
  completeJob(held: JobLease): Promise<boolean>;
  /** Retries after `after` milliseconds; null: dead. `counted` false: no attempt. False: the lease is lost. */
  fail(held: JobLease, failure: Failure, after: number | null, counted?: boolean): Promise<boolean>;
  /** Returns jobs to their position; the attempt is not counted. */
  release(held: readonly JobLease[]): Promise<void>;
  /**
   * Due jobs and those with an expired lease become waiting, or dead with the failure `lost` after `retries`
   * attempts. Processes may sweep concurrently.
   */
  sweepJobs(lost: Failure): Promise<SweepResult>;
  /** Absent when processes have to poll. A lost notification does no harm. */
  notifyWorkers?(): Promise<void>;

  list(filter: JobFilter): Promise<readonly JobView[]>;
  /** Counts at most `COUNTED` of each state. */
  countBacklog(): Promise<Backlog>;
  show(id: string): Promise<{ readonly view: JobView; readonly body: string; readonly journal: string | null } | null>;
  /** Resets the attempts. */
  retry(id: string): Promise<boolean>;
  /** One job that is not running, or all dead ones. */
  purge(which: { readonly id: string } | { readonly dead: true }): Promise<number>;
}

export interface TransactionalStore {
  add(entries: readonly Entry[], transaction: unknown): Promise<void>;
  /** As `done` of the store. */
  completeJob(held: JobLease, transaction: unknown): Promise<boolean>;
}

/** `name`: a unique name of the text, for prepared statements. */
export type RunSql = (name: string, text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

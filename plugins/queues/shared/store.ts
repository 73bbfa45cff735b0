/**
 * The interface of a queue store: atomic operations of one round trip each. Only durations in milliseconds are passed, because
 * leases and due times use the store's clock. Every method rejects when the store is unavailable.
 */
import type { JobRepository } from 'agenda';
import type { Backlog, JobFilter, JobView } from '../../../kernel/contract/deferred.js';

/** A job to add. */
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
  /** The deferred work as JSON text; opaque to the store. */
  readonly body: string;
}

/** A lease. `token` is new with every claim, so that a run which lost its lease cannot act on a later one. */
export interface Held {
  readonly id: string;
  readonly token: string;
}

export interface Claimed extends Held {
  /** Attempts started so far, including this one. */
  readonly attempt: number;
  readonly retries: number;
  readonly body: string;
  /** The job was never started before; absent when the store cannot determine it. */
  readonly fresh?: boolean;
  /** The last text written by `note`; null: none. */
  readonly journal: string | null;
}

export interface Failure {
  readonly code: string;
  readonly detail: string;
}

export interface Swept {
  /** The number of jobs that became runnable. */
  readonly woken: number;
  /** Ids of jobs that became dead. */
  readonly dead: readonly string[];
  /** Milliseconds until the next job is due; null: none. */
  readonly next: number | null;
}

export interface Store {
  /** Agenda's own repository of the same jobs. */
  jobs(): Promise<JobRepository>;
  /** Adds all or none; existing ids are left unchanged. Durable when it resolves. */
  add(entries: readonly Entry[]): Promise<void>;
  /** Stores a job that could not be added as dead; an existing id is left unchanged. */
  bury(entry: Entry, failure: Failure): Promise<void>;
  /**
   * Claims up to `limit` waiting jobs and counts an attempt for each. Order: highest priority first, then first added, regardless
   * of the due time.
   */
  claim(token: string, limit: number, lease: number): Promise<readonly Claimed[]>;
  /** Renews leases; returns the ids of those that are still held. */
  renew(held: readonly Held[], lease: number): Promise<ReadonlySet<string>>;
  /** Replaces the journal of a claimed job. False: the lease is lost, and nothing was changed. */
  note(held: Held, journal: string): Promise<boolean>;
  /** Removes a completed job. False: the lease is lost, and nothing was changed. */
  done(held: Held): Promise<boolean>;
  /**
   * Records a failure: the job is retried after `after` milliseconds, or is dead (null). `counted` false: the attempt is not
   * counted. False: the lease is lost.
   */
  fail(held: Held, failure: Failure, after: number | null, counted?: boolean): Promise<boolean>;
  /** Returns claimed jobs to their position in the queue, and does not count the attempt. */
  release(held: readonly Held[]): Promise<void>;
  /**
   * Makes due jobs waiting, and jobs with an expired lease too; those with more than `retries` attempts become dead with the
   * failure `lost`. Processes may sweep concurrently.
   */
  sweep(lost: Failure): Promise<Swept>;
  /** Wakes other processes; absent when they have to poll. A lost notification does no harm. */
  notify?(): Promise<void>;

  list(filter: JobFilter): Promise<readonly JobView[]>;
  /** Counts at most `COUNTED` of each state. */
  backlog(): Promise<Backlog>;
  show(id: string): Promise<{ readonly view: JobView; readonly body: string; readonly journal: string | null } | null>;
  /** Makes a dead job waiting again and resets its attempts. */
  retry(id: string): Promise<boolean>;
  /** Removes one job that is not running, or all dead ones. */
  purge(which: { readonly id: string } | { readonly dead: true }): Promise<number>;
}

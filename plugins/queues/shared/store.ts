/**
 * What a queue needs of a store: a handful of steps, each of them one round trip and atomic. Leases and due times are judged by the
 * clock of the store alone, so only durations are passed, in milliseconds. A store decides nothing and keeps no time; the
 * queue does that. Every method rejects when the store cannot be reached.
 */
import type { JobRepository } from 'agenda';
import type { Backlog, JobFilter, JobView } from '../../../kernel/contract/deferred.js';

/** Work as it is added. */
export interface Entry {
  readonly id: string;
  readonly resource: string;
  readonly part: string;
  readonly acceptedAt: number;
  /** Any finite number; the higher one first. */
  readonly priority: number;
  readonly retries: number;
  /** Milliseconds before it may run. */
  readonly delay: number;
  /** The whole work as JSON text; opaque to the store. */
  readonly body: string;
}

/** A lease: `token` is new with every claim, so a run that lost its lease can never pass for the one after it. */
export interface Held {
  readonly id: string;
  readonly token: string;
}

export interface Claimed extends Held {
  /** Runs that were begun, this one included. */
  readonly attempt: number;
  readonly retries: number;
  readonly body: string;
  /** It was never begun before; absent where the store cannot tell. */
  readonly fresh?: boolean;
  /** What `note` wrote last; null: nothing. */
  readonly journal: string | null;
}

export interface Failure {
  readonly code: string;
  readonly detail: string;
}

/** What a sweep found. */
export interface Swept {
  /** Work that may run now and could not before. */
  readonly woken: number;
  /** Ids of work that is dead since. */
  readonly dead: readonly string[];
  /** Milliseconds until the next delayed work is due; null: there is none. */
  readonly next: number | null;
}

export interface Store {
  /** Agenda's own repository of the same jobs; rejects as the others do. */
  jobs(): Promise<JobRepository>;
  /** All of them or none; what is known by its id is left as it is. Durable once it resolves. */
  add(entries: readonly Entry[]): Promise<void>;
  /** Keeps as dead what could never be added; what is known by its id is left as it is. */
  bury(entry: Entry, failure: Failure): Promise<void>;
  /**
   * Takes up to `limit` of what waits: the highest priority first, then what was added first, whenever it became due. Counts an
   * attempt for each. In the order in which they are to begin.
   */
  claim(token: string, limit: number, lease: number): Promise<readonly Claimed[]>;
  /** Renews leases; gives the ids of those that are still held. */
  renew(held: readonly Held[], lease: number): Promise<ReadonlySet<string>>;
  /** Keeps a text with work that is held, in place of the one before. False: the lease is lost, and nothing was changed. */
  note(held: Held, journal: string): Promise<boolean>;
  /** Removes work that is done. False: the lease is lost, and nothing was changed. */
  done(held: Held): Promise<boolean>;
  /**
   * Work that failed: to be tried again after so many milliseconds, or dead (null). False: the lease is lost. `counted` false: the
   * attempt is not counted.
   */
  fail(held: Held, failure: Failure, after: number | null, counted?: boolean): Promise<boolean>;
  /** Gives work back untouched: it waits again in its place, and the attempt is not counted. */
  release(held: readonly Held[]): Promise<void>;
  /**
   * Delayed work that is due waits from now on; so does work whose lease is over, unless it was begun more than `retries` times:
   * then it is dead. `lost` is what is noted of the latter. Several processes may sweep at once.
   */
  sweep(lost: Failure): Promise<Swept>;
  /** Wakes other processes; absent where they have to look by themselves. Losing a call does no harm. */
  notify?(): Promise<void>;

  list(filter: JobFilter): Promise<readonly JobView[]>;
  /** Looks at no more than `COUNTED` of each sort. */
  backlog(): Promise<Backlog>;
  show(id: string): Promise<{ readonly view: JobView; readonly body: string; readonly journal: string | null } | null>;
  /** Dead work waits again, with no attempt counted. */
  retry(id: string): Promise<boolean>;
  /** By its id whatever its state but running, or all that is dead. */
  purge(which: { readonly id: string } | { readonly dead: true }): Promise<number>;
}

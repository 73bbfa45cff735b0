/**
 * Background work, deferred by a request or started by the scheduler. Its inputs are copied as JSON, without secrets.
 */
import type { Json } from './json.js';
import type { TelemetryEvent } from './telemetry.js';
import type { Frame, SharedUnit, Signal } from './plan.js';
import type { TriggerServices } from './trigger.js';
import type { Delivery, Replay } from './delivery.js';

/** A job: the captured inputs of deferred work. */
export interface DeferredJob {
  /** Constant across attempts; outbound calls send it as `Idempotency-Key`. */
  readonly id: string;
  readonly resource: string;
  /** The key of the part's last actionable. */
  readonly part: string;
  /** Of the part's definitions when the work was accepted. */
  readonly version: string;
  /** Inputs by kind and name (`payload:email`). Newer definitions can run the work if they read no others. */
  readonly needs: readonly string[];
  /** Milliseconds since 1970; the current time of every attempt. */
  readonly acceptedAt: number;
  readonly state: DeferredState;
  /** The outbox row of the work, if any; `begin` of the deferral uses it. */
  readonly row?: number;
}

export interface DeferredState {
  /** Fields that the part reads, hashed and encrypted where required. */
  readonly payload: Json;
  readonly claims: Readonly<Record<string, Json>> | null;
  /** Only those that the part reads, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty unless the part reads it. */
  readonly remote: string;
  /** Named values, by `resource:name`. */
  readonly names: Readonly<Record<string, Json>>;
  /** By key of the actionable. */
  readonly results: Readonly<Record<string, Json>>;
  /** Generated values (such as ids), by the place that generates them. */
  readonly made: readonly (readonly [place: string, value: string | number])[];
  /** Trace headers of the accepting request. */
  readonly trace?: Readonly<Record<string, string>>;
}

/** Records finished actionables of a job, which later attempts skip. */
export interface Note {
  /** Keys of the actionables that finished together. */
  readonly actions: readonly string[];
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds. */
  readonly took: number;
  /** One of them ended the job. */
  readonly ends?: true;
  /** The values that later actionables need, by kind and name. */
  readonly carries: readonly string[];
  /** Absent where an inbox stores the values. */
  readonly state?: Pick<DeferredState, 'names' | 'results'>;
}

/** The notes that the queue stores with the job. */
export interface Journal {
  /** The first attempt, so no notes exist anywhere. */
  readonly fresh?: boolean;
  /** Of earlier attempts. */
  readonly notes: readonly unknown[];
  /** Replaces all notes. Rejects when the claim is lost. */
  write(notes: readonly Note[]): Promise<void>;
  /**
   * Called before the job's last unit opens. Null when the queue uses another store. The function completes the job
   * within that unit; it resolves to false when it cannot now, and rejects when the claim is lost.
   */
  prepareCompletion?(shared: SharedUnit): Promise<((unit: unknown) => Promise<boolean>) | null>;
}

/** Notes committed together with the work of the actionables. */
export interface Inbox {
  /** Creates the storage, before the first unit opens. */
  ready(): Promise<void>;
  /** In any order. */
  read(job: string): Promise<readonly unknown[]>;
  /** Writes within the transaction. Rejects when the actionables are noted already. */
  write(job: string, note: Note, unit: unknown): Promise<void>;
  forget(job: string): Promise<void>;
}

/** A job as it is enqueued. */
export interface JobEntry {
  readonly work: DeferredJob;
  /** Seconds. */
  readonly delay: number;
  /** The highest runs first. */
  readonly priority: number;
  readonly retries: number;
}

/** Several deferrals of one actionable are merged. */
export interface Deferral {
  readonly delay?: number;
  readonly priority?: number;
  readonly retries?: number;
  /** Stores the work durably, within the frame's transaction if there is one. Throws a Fault (503) on failure. */
  readonly enqueue: (work: readonly JobEntry[], frame: Frame) => Promise<void>;
  /** Replacements for work accepted within a shareable transaction; called at load. */
  readonly enqueueWithin?: (shared: SharedUnit) => Pick<Deferral, 'enqueue' | 'begin'>;
  /** Called before each run. Afterwards the same work cannot be enqueued. */
  readonly begin?: (work: DeferredJob) => Promise<void>;
  /** Null where this kind of transaction cannot hold notes. */
  readonly inboxIn?: (shared: SharedUnit) => Inbox | null;
}

/** An actionable that the scheduler triggers. */
export interface Schedule {
  readonly key: string;
  readonly resource: string;
  /** Six cron fields, seconds first. */
  readonly expression: string;
  /** IANA time zone; null: UTC. */
  readonly zone: string | null;
}

/** The result of running deferred or scheduled work. */
export type Outcome =
  | {
      readonly done: true;
      /** Call it once the completion is recorded. Never rejects. */
      readonly forget?: () => Promise<void>;
    }
  | {
      readonly done: false;
      readonly code: string;
      /** The catalogue message, without values of the request. */
      readonly detail: string;
      readonly retryable: boolean;
      /** The resource does not accept work now; this is no attempt. */
      readonly waits?: true;
    };

/** Services for plugins that bring work or deliver messages, from `ready` on. */
export interface RuntimeServices extends TriggerServices {
  /** Never rejects. `signal` aborts when the claim is lost or the process ends. */
  runJob(work: DeferredJob, attempt: number, signal: Signal, journal?: Journal): Promise<Outcome>;
  /** Of the newest plans. */
  schedules(): readonly Schedule[];
  /** Never rejects. `id` is equal for one instant in all processes. */
  runSchedule(schedule: Schedule, id: string, instant: number, signal: Signal): Promise<Outcome>;
  /** Calls `listener` after each reload; the returned function unsubscribes. */
  onPlansReloaded(listener: () => void): () => void;
  /** Runs the taps of `broadcast`. */
  publish(message: Delivery, frame: Frame): Promise<Delivery>;
  /** Delivers to connections of this process. */
  deliverMessage(message: Delivery): void;
  /** All that are registered get each message. */
  registerReceiver(deliver: (message: Delivery) => void): void;
  /** Registers the source of missed messages for clients that reconnect. */
  registerReplay(replay: Replay): void;
  /** From the registered source; null where some may be missing. */
  replayMissed: Replay;
  /** Emits an event to observers. Never throws. */
  emit(event: TelemetryEvent): void;
  /** Null where there can be no deferred work, or when a store does not reply within a second. */
  backlog(): Promise<Backlog | null>;
}

/** Counts may stop at `COUNTED`: counting a long queue is expensive. */
export interface Backlog {
  /** Jobs that are due. */
  readonly ready: number;
  /** Jobs with a later due time. */
  readonly delayed: number;
  readonly running: number;
  readonly dead: number;
  /** Seconds since the oldest ready job became due, or 0. */
  readonly oldest: number;
}

/** Of two queues together. */
export const addBacklogs = (one: Backlog, other: Backlog): Backlog => ({
  ready: one.ready + other.ready,
  delayed: one.delayed + other.delayed,
  running: one.running + other.running,
  dead: one.dead + other.dead,
  oldest: Math.max(one.oldest, other.oldest),
});

export const COUNTED = 10_000;

export interface JobView {
  readonly id: string;
  readonly resource: string;
  readonly part: string;
  readonly state: 'waiting' | 'running' | 'dead';
  readonly priority: number;
  readonly attempts: number;
  readonly retries: number;
  /** Milliseconds since 1970. */
  readonly acceptedAt: number;
  /** Null for running and dead jobs. */
  readonly dueAt: number | null;
  /** Of the last attempt. */
  readonly failure: { readonly code: string; readonly detail: string; readonly at: number } | null;
}

export interface JobFilter {
  readonly state?: JobView['state'];
  readonly resource?: string;
  /** The oldest come first. */
  readonly limit?: number;
}

export interface JobAdmin {
  list(filter: JobFilter): Promise<readonly JobView[]>;
  /** Null for an unknown id. `notes` are as stored. */
  show(
    id: string,
  ): Promise<{ readonly view: JobView; readonly work: DeferredJob; readonly notes: readonly unknown[] } | null>;
  /** Requeues a dead job with all attempts; false when there is none. */
  retry(id: string): Promise<boolean>;
  /** Removes dead jobs, or one unless it is running. Returns the number. */
  purge(which: { readonly id: string } | { readonly dead: true }): Promise<number>;
  /** Absent where counting is expensive. */
  backlog?(): Promise<Backlog>;
}

/**
 * Types of background work: deferred by a request and run by any process, or started by the scheduler.
 * Everything such work needs is copied into it as JSON; it contains no secrets.
 */
import type { Json } from './json.js';
import type { Happening } from './hooks.js';
import type { Frame, SharedUnit, Signal } from './plan.js';

/** A job: the inputs with which a part of a resource runs later. */
export interface Deferred {
  /** Constant across attempts; outbound calls send it as `Idempotency-Key`. */
  readonly id: string;
  readonly resource: string;
  /** The part of the resource: the key of its last actionable. */
  readonly part: string;
  /** Version of the definitions of the part when the work was accepted. */
  readonly version: string;
  /** The inputs of the part, by kind and name (`payload:email`). Newer definitions can run it if they read no other inputs. */
  readonly needs: readonly string[];
  /** Milliseconds since 1970; every attempt sees this instant as its current time. */
  readonly acceptedAt: number;
  readonly state: DeferredState;
  /** The outbox row that the work came from, if any; the deferral's `begin` uses it. */
  readonly row?: number;
}

export interface DeferredState {
  /** Only the fields that the part reads, hashed and encrypted where the definition requires it. */
  readonly payload: Json;
  readonly claims: Readonly<Record<string, Json>> | null;
  /** Only headers that the part reads, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The client address if the part reads it, else empty. */
  readonly remote: string;
  /** Named values, by `resource:name`. */
  readonly names: Readonly<Record<string, Json>>;
  /** Results of the actionables that ran before, by key. */
  readonly results: Readonly<Record<string, Json>>;
  /** Values generated once (such as ids), by the place that generates them. */
  readonly made: readonly (readonly [place: string, value: string | number])[];
  /** Trace headers of the accepting request, where an observer set them. */
  readonly trace?: Readonly<Record<string, string>>;
}

/** Records that actionables of a job are done, so that a later attempt skips them. */
export interface Note {
  /** Keys of the actionables that were done together. */
  readonly actions: readonly string[];
  /** Completion time in milliseconds since 1970. */
  readonly at: number;
  /** Duration in milliseconds. */
  readonly took: number;
  /** One of them ended the job: the actionables after it are skipped. */
  readonly ends?: true;
  /** The values that `state` holds for later actionables, by kind and name; it also lists names without a value. */
  readonly carries: readonly string[];
  /** Absent where an inbox stores the values. */
  readonly state?: Pick<DeferredState, 'names' | 'results'>;
}

/** The notes that the queue stores with the job. */
export interface Journal {
  /** True for the first attempt: no notes exist anywhere. */
  readonly fresh?: boolean;
  /** Notes of earlier attempts. */
  readonly notes: readonly unknown[];
  /** Replaces all notes. Rejects when this process has lost its claim on the job. */
  write(notes: readonly Note[]): Promise<void>;
  /**
   * Called before the last unit of the job opens. Returns a function that completes the job within that unit, when the
   * queue uses the same store; null when it does not. That function resolves to false when it cannot complete the job now,
   * and rejects when this process has lost its claim.
   */
  ending?(shared: SharedUnit): Promise<((unit: unknown) => Promise<boolean>) | null>;
}

/** Notes in the store of the actionables themselves, so that a note exists exactly when the work it records was committed. */
export interface Inbox {
  /** Creates the storage for notes, before the first unit opens. */
  ready(): Promise<void>;
  /** All notes of one job, in any order. */
  read(job: string): Promise<readonly unknown[]>;
  /** Writes within the transaction. Rejects when the same actionables are noted already. */
  write(job: string, note: Note, unit: unknown): Promise<void>;
  /** Deletes the notes of a finished job. */
  forget(job: string): Promise<void>;
}

/** A job as it is enqueued. */
export interface Put {
  readonly work: Deferred;
  /** Seconds before it may run. */
  readonly delay: number;
  /** Among due jobs, the highest priority runs first. */
  readonly priority: number;
  /** Maximum number of retries after a failure. */
  readonly retries: number;
}

/** How a feature defers work; several deferrals of one actionable are merged. */
export interface Deferral {
  readonly delay?: number;
  readonly priority?: number;
  readonly retries?: number;
  /**
   * Stores the work durably: within the frame's transaction where there is one (so a rollback discards it), immediately
   * otherwise. Throws a Fault (503) when it cannot.
   */
  readonly put: (work: readonly Put[], frame: Frame) => Promise<void>;
  /** Returns replacements of `put` and `begin` for work accepted within a shareable transaction; called at load. */
  readonly putIn?: (shared: SharedUnit) => Pick<Deferral, 'put' | 'begin'>;
  /**
   * Called before each run. Once it resolves, the work cannot be handed over a second time, so completed jobs do not reappear.
   */
  readonly begin?: (work: Deferred) => Promise<void>;
  /** Returns the inbox for this kind of transaction; null where it cannot hold notes. */
  readonly inboxIn?: (shared: SharedUnit) => Inbox | null;
}

/** An actionable that the scheduler triggers. */
export interface Schedule {
  /** Key of the actionable. */
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
      /** To be called once the completion is recorded. Never rejects. */
      readonly forget?: () => Promise<void>;
    }
  | {
      readonly done: false;
      readonly code: string;
      /** For operators: the catalogue message, without any value of the request. */
      readonly detail: string;
      /** A retry may succeed. */
      readonly retryable: boolean;
      /** The resource does not accept work at the moment. Nothing ran, and it does not count as an attempt. */
      readonly waits?: true;
    };

/** The namespace of user ids: a uid is unique only among the callers of a guard. */
export interface Owners {
  /** Identifies the callers that the guard admits; null: no guard. Equal in all processes with these definitions; no secret. */
  readonly realm: string | null;
  /** Also includes unauthenticated connections, whatever uid they claim. */
  readonly open: boolean;
}

/** The recipients of a message. Without `of`: connections that prove the uid, or that claim it where there are no guards. */
export type Target =
  | { readonly all: true }
  | { readonly uids: readonly string[]; readonly of?: Owners }
  | { readonly rooms: readonly string[] };

/** A message to connected clients, as it is sent between processes; JSON only. */
export interface Delivery {
  readonly action: string;
  readonly data: Json;
  readonly to: Target;
  /** Stream position from which reconnecting clients resume; null where messages are not retained. */
  readonly id: string | null;
}

/** Returns the messages after this id, oldest first; null where some may be missing. */
export type Replay = (id: string) => Promise<readonly Delivery[] | null>;

/** Kernel services for plugins that bring work or deliver messages. They must not be called before `ready`. */
export interface Running {
  /** Runs the remaining actionables of a job. Never rejects. `signal` aborts when the claim is lost or the process ends. */
  resume(work: Deferred, attempt: number, signal: Signal, journal?: Journal): Promise<Outcome>;
  /** The schedules of the newest plans. */
  schedules(): readonly Schedule[];
  /** Runs a scheduled actionable. `id` is equal for one instant in all processes. Never rejects. */
  tick(schedule: Schedule, id: string, instant: number, signal: Signal): Promise<Outcome>;
  /** Calls `listener` after each reload of the plans; returns the function that unsubscribes. */
  swapped(listener: () => void): () => void;
  /** Runs the taps of `broadcast` and returns the message to send. */
  announce(message: Delivery, frame: Frame): Promise<Delivery>;
  /** Delivers a message to the matching connections of this process. */
  deliver(message: Delivery): void;
  /** Registers the source of missed messages for clients that reconnect with the id of the last one they saw. */
  replays(replay: Replay): void;
  /** Emits an event to observers. Never throws. */
  tell(event: Happening): void;
  /** The amount of deferred work; null where there can be none, or when no store replies within a second. */
  backlog(): Promise<Backlog | null>;
}

/** The amount of deferred work. Counts may stop at `COUNTED`, because counting a long queue is expensive. */
export interface Backlog {
  /** May run now. */
  readonly ready: number;
  /** Waits for its time. */
  readonly delayed: number;
  readonly running: number;
  readonly dead: number;
  /** Age in seconds of the oldest ready job among those counted, since it became due; 0 when none is ready. */
  readonly oldest: number;
}

/** The limit of each count. */
export const COUNTED = 10_000;

/** A job as operators see it. */
export interface JobView {
  readonly id: string;
  readonly resource: string;
  readonly part: string;
  readonly state: 'waiting' | 'running' | 'dead';
  readonly priority: number;
  /** Attempts that started. */
  readonly attempts: number;
  readonly retries: number;
  /** Milliseconds since 1970. */
  readonly acceptedAt: number;
  /** The earliest next run; null for running and dead jobs. */
  readonly dueAt: number | null;
  /** The failure of the last attempt. */
  readonly failure: { readonly code: string; readonly detail: string; readonly at: number } | null;
}

export interface JobFilter {
  readonly state?: JobView['state'];
  readonly resource?: string;
  /** Maximum number of rows; the oldest come first. */
  readonly limit?: number;
}

/** Operations on jobs for operators. */
export interface JobDesk {
  list(filter: JobFilter): Promise<readonly JobView[]>;
  /** Returns the complete job and its stored notes; null for an unknown id. */
  show(
    id: string,
  ): Promise<{ readonly view: JobView; readonly work: Deferred; readonly notes: readonly unknown[] } | null>;
  /** Requeues a dead job with a full set of attempts; false when there was none. */
  retry(id: string): Promise<boolean>;
  /** Removes dead jobs, or one job in any state but running. Returns the number removed. */
  purge(which: { readonly id: string } | { readonly dead: true }): Promise<number>;
  /** Counts of jobs for metrics; absent where counting is expensive. */
  backlog?(): Promise<Backlog>;
}

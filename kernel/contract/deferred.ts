/**
 * Work that is not part of an answer: put off by a request and done by whichever process takes it, or begun by the clock.
 * Everything such work needs travels by value, as JSON; no secret is in it.
 */
import type { Json } from './json.js';
import type { Happening } from './hooks.js';
import type { Frame, SharedUnit, Signal } from './plan.js';

/** What a part of a resource needs to be done later. */
export interface Deferred {
  /** The same in every run; outbound calls carry it as `Idempotency-Key`. */
  readonly id: string;
  readonly resource: string;
  /** Which part of the resource: the key of its last actionable. */
  readonly part: string;
  /** Of the definitions of the part when it was accepted. */
  readonly version: string;
  /** What the part reads, by kind and name (`payload:email`): it fits definitions that read no more than this. */
  readonly needs: readonly string[];
  /** Milliseconds since 1970; the instant that definitions see, in every run. */
  readonly acceptedAt: number;
  readonly state: DeferredState;
  /** Of the row that it was handed over from, where it was: `begin` of the deferral knows it. */
  readonly row?: number;
}

export interface DeferredState {
  /** Only what the part reads, hashed and encrypted where the definition says so. */
  readonly payload: Json;
  readonly claims: Readonly<Record<string, Json>> | null;
  /** Headers that the part reads, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The address of the client, where the part reads it; else empty. */
  readonly remote: string;
  /** Named values, by `resource:name`. */
  readonly names: Readonly<Record<string, Json>>;
  /** Results of actionables that ran before, by key. */
  readonly results: Readonly<Record<string, Json>>;
  /** Values made once (generated ids), by where they are made. */
  readonly made: readonly (readonly [place: string, value: string | number])[];
  /** Headers of the trace of the request that accepted it, where an observer made some. */
  readonly trace?: Readonly<Record<string, string>>;
}

/** What is left of actionables of deferred work that are done; they are not done again. */
export interface Note {
  /** Keys of the actionables, which are done together. */
  readonly actions: readonly string[];
  /** When they were done: milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds. */
  readonly took: number;
  /** One of them ended the work: nothing behind it is done. */
  readonly ends?: true;
  /** What `state` has for the actionables behind them, by kind and name, also where there was no value. */
  readonly carries: readonly string[];
  /** Absent where the values lie in an inbox. */
  readonly state?: Pick<DeferredState, 'names' | 'results'>;
}

/** The notes that lie in the queue, with the work itself. */
export interface Journal {
  /** The work was never begun before: nothing of it is noted anywhere. */
  readonly fresh?: boolean;
  /** Of the runs before this one. */
  readonly notes: readonly unknown[];
  /** Takes their place. Rejects when the right to do the work is lost. */
  write(notes: readonly Note[]): Promise<void>;
  /**
   * Asked before a unit of this sort is opened that is the last of the work: what ends the work as part of it, where the queue lies in
   * the same store; null where it does not. It gives false when that cannot be done now, and rejects when the right to do the work is lost.
   */
  ending?(shared: SharedUnit): Promise<((unit: unknown) => Promise<boolean>) | null>;
}

/** Notes in the store of the actionables themselves: each is there if what they did was committed, and only then. */
export interface Inbox {
  /** Makes the place for notes, before the first unit is opened. */
  ready(): Promise<void>;
  /** Of one job, in any order. */
  read(job: string): Promise<readonly unknown[]>;
  /** As part of the unit of work. Rejects when the same actionables are noted already. */
  write(job: string, note: Note, unit: unknown): Promise<void>;
  /** The job is over. */
  forget(job: string): Promise<void>;
}

/** Deferred work as it is put into a queue. */
export interface Put {
  readonly work: Deferred;
  /** Seconds before it may run. */
  readonly delay: number;
  /** Among work that is due, the higher one runs first. */
  readonly priority: number;
  /** How often it is tried again after it failed. */
  readonly retries: number;
}

/** How a feature defers: several of one actionable are laid over one another. */
export interface Deferral {
  readonly delay?: number;
  readonly priority?: number;
  readonly retries?: number;
  /**
   * Makes the work durable: inside the unit of work of the frame where there is one (never when that is rolled back), at once
   * otherwise. Throws a Fault (503) when it cannot.
   */
  readonly put: (work: readonly Put[], frame: Frame) => Promise<void>;
  /** Takes the place of `put`, asked at load, where work is accepted inside a unit that others may take part in. */
  readonly putIn?: (shared: SharedUnit) => Pick<Deferral, 'put' | 'begin'>;
  /** Called before each run: nothing hands the same work over again once it resolves, so that work which is over stays so. */
  readonly begin?: (work: Deferred) => Promise<void>;
  /** Where units of this sort note that they are done; null where they cannot. */
  readonly inboxIn?: (shared: SharedUnit) => Inbox | null;
}

/** An actionable that the clock begins. */
export interface Schedule {
  /** Key of the actionable. */
  readonly key: string;
  readonly resource: string;
  /** Six fields, seconds first. */
  readonly expression: string;
  /** IANA name; null: UTC. */
  readonly zone: string | null;
}

/** How a run of deferred or scheduled work ended. */
export type Outcome =
  | {
      readonly done: true;
      /** To be called when the end is noted. Never rejects. */
      readonly forget?: () => Promise<void>;
    }
  | {
      readonly done: false;
      readonly code: string;
      /** For operators: words of the catalogue, and never a value of the request. */
      readonly detail: string;
      /** The same may succeed when it is tried again. */
      readonly retryable: boolean;
      /** Its resource lets nothing in at the moment: nothing was begun, and it is no try. */
      readonly waits?: true;
    };

/** Whose uids are meant: a uid belongs to the callers of a guard. */
export interface Owners {
  /** Those whom this guard lets in; null: no guard. The same in all processes with these definitions; no secret is in it. */
  readonly realm: string | null;
  /** Also connections that show no token, whatever uid they say. */
  readonly open: boolean;
}

/** Whom a message to connected clients is meant for. `of` absent: whoever proves the uid, or says it where there are no guards. */
export type Target =
  | { readonly all: true }
  | { readonly uids: readonly string[]; readonly of?: Owners }
  | { readonly rooms: readonly string[] };

/** A message to connected clients, as it travels between processes; JSON only. */
export interface Delivery {
  readonly action: string;
  readonly data: Json;
  readonly to: Target;
  /** Where clients may go on reading when they come back; null where messages are not kept. */
  readonly id: string | null;
}

/** The messages after the one with this id, oldest first; null where some may be missing. */
export type Replay = (id: string) => Promise<readonly Delivery[] | null>;

/** What the running kernel does for plugins that bring work or carry messages; nothing of it may be called before `ready`. */
export interface Running {
  /** Does what is left of deferred work. Never rejects. `signal`: its right to do so is lost, or the process ends. */
  resume(work: Deferred, attempt: number, signal: Signal, journal?: Journal): Promise<Outcome>;
  /** Of the newest plans. */
  schedules(): readonly Schedule[];
  /** Runs a scheduled actionable. `id` is the same for one instant in all processes. Never rejects. */
  tick(schedule: Schedule, id: string, instant: number, signal: Signal): Promise<Outcome>;
  /** `listener` runs after each swap of plans. Gives the function that ends this. */
  swapped(listener: () => void): () => void;
  /** Asks the taps of `broadcast`; gives the message that is to be sent. */
  announce(message: Delivery, frame: Frame): Promise<Delivery>;
  /** Hands a message to the connections of this process that it is meant for. */
  deliver(message: Delivery): void;
  /** Says who is asked for what clients have missed that come back with the id of the last message they saw. */
  replays(replay: Replay): void;
  /** Tells observers what happened. Never throws. */
  tell(event: Happening): void;
  /** How much deferred work there is; null where none can be, or nobody answers within a second. */
  backlog(): Promise<Backlog | null>;
}

/** How much deferred work there is. Counting may end at `COUNTED`: a longer queue must not make looking at it dear. */
export interface Backlog {
  /** May run now. */
  readonly ready: number;
  /** Waits for its time. */
  readonly delayed: number;
  readonly running: number;
  readonly dead: number;
  /** Seconds since the oldest of what is ready could have begun, as far as was counted; 0 where nothing is. */
  readonly oldest: number;
}

/** Of each sort. */
export const COUNTED = 10_000;

/** Deferred work as operators see it. */
export interface JobView {
  readonly id: string;
  readonly resource: string;
  readonly part: string;
  readonly state: 'waiting' | 'running' | 'dead';
  readonly priority: number;
  /** Runs that were begun. */
  readonly attempts: number;
  readonly retries: number;
  /** Milliseconds since 1970. */
  readonly acceptedAt: number;
  /** When it may run; null for what runs or is dead. */
  readonly dueAt: number | null;
  /** Of the last run that failed. */
  readonly failure: { readonly code: string; readonly detail: string; readonly at: number } | null;
}

export interface JobFilter {
  readonly state?: JobView['state'];
  readonly resource?: string;
  /** Most rows; the oldest first. */
  readonly limit?: number;
}

/** What operators may do with deferred work. */
export interface JobDesk {
  list(filter: JobFilter): Promise<readonly JobView[]>;
  /** With everything that travels; null when there is none of that id. `notes`: of what is done, as they lie in the queue. */
  show(
    id: string,
  ): Promise<{ readonly view: JobView; readonly work: Deferred; readonly notes: readonly unknown[] } | null>;
  /** Puts dead work back, to be tried as often as new work; true when there was any. */
  retry(id: string): Promise<boolean>;
  /** Removes work that is dead, or one by its id whatever its state but running. Gives how many. */
  purge(which: { readonly id: string } | { readonly dead: true }): Promise<number>;
  /** How much there is, for figures; absent where that cannot be told cheaply. */
  backlog?(): Promise<Backlog>;
}

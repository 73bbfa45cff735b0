/** A part of a resource that runs apart from requests, as the kernel compiles it and a trigger runs it. */
import type { Backlog, Deferral, DeferredJob, Inbox, JobAdmin, Journal, Outcome, Schedule } from './deferred.js';
import type { TelemetryEvent } from './telemetry.js';
import type { Invocation, Payload } from './invocation.js';
import type { Json } from './json.js';
import type { Frame, PlanTools, Reader, ReadPlace, Signal, Unit } from './plan.js';

/** Actionables that share a transaction, or a single one. */
export interface PartStep {
  readonly actions: readonly { readonly key: string; readonly pure: boolean; readonly reads: boolean }[];
  readonly unit: Pick<Unit, 'shared'> | null;
}

export interface PartMember {
  readonly key: string;
  readonly value: Readonly<Record<string, Json>>;
  /** Keys of the actionables that it depends on. */
  readonly depends: readonly string[];
}

/** Key of an actionable; null for the resource. */
type Recorder = string | null;

/** Plugins recorded its inputs. */
export interface PartSource {
  readonly resource: string;
  readonly key: string;
  readonly members: readonly PartMember[];
  /** By the index of their results. */
  readonly sequence: readonly string[];
  readonly reads: readonly { readonly action: Recorder; readonly place: ReadPlace }[];
  /** Paths of results that later actionables read. */
  readonly taken: readonly { readonly action: Recorder; readonly index: number; readonly path: readonly string[] }[];
  /** Readers of required values. */
  readonly asked: readonly { readonly action: Recorder; readonly read: Reader }[];
  /** Values generated once per request. */
  readonly once: readonly { readonly action: Recorder; readonly slot: number; readonly read: Reader }[];
  /** Slots by name. */
  readonly names: ReadonlyMap<string, number>;
  readonly makers: readonly SlotInitializer[];
  /** Names of secrets in the result of an actionable. */
  readonly findSecrets: (key: string) => PlanTools['secrets'];
  /** Changes of payload fields before work of these actionables is stored. */
  readonly findPayloadForms: (keys: readonly string[]) => readonly PayloadForm[];
  /** The steps of one stage run at the same time. Null for work that is never repeated. */
  readonly stages: readonly (readonly PartStep[])[] | null;
  /** Where the completion of a step can be noted within its transaction. */
  readonly findInbox: (step: PartStep) => Inbox | null;
}

/** Stored work without the label of a field must not meet a definition that has it: the value would stay unchanged. */
export interface PayloadForm {
  readonly path: string;
  readonly label: string;
}

/** Created once per request: cached in `memo`, assigned in `slot`. */
export interface SlotInitializer {
  readonly slot: number;
  readonly memo: number;
  readonly make: () => unknown;
  /** Null for a value of the resource. */
  readonly action: string | null;
}

/** What a trigger makes of a part at load. */
export interface PartWork {
  /** By stage: the actionables of each step. Null: steps are not noted, so they may share transactions. */
  readonly stages: readonly (readonly (readonly string[])[])[] | null;
  /** `payload` is storable. Throws when an input cannot be read. */
  createJob(id: string, frame: Frame, payload: Payload): DeferredJob;
}

/** A part of the newest plans. */
export interface FoundPart<W extends PartWork = PartWork> {
  readonly resource: string;
  /** Of the resource, as written in the definition. */
  readonly path: string;
  readonly key: string;
  readonly work: W;
  /** Null for scheduled work that runs immediately. */
  readonly deferral: MergedDeferral | null;
  /** Null if a tap of `accept` ended the work. */
  begin(invocation: Invocation): Promise<Frame | null>;
  /** Rejects with a Fault if the work must not run now. */
  checkAdmission(frame: Frame): Promise<void>;
  /** Rejects with JOB_STOPPED before the next group after an abort. */
  run(frame: Frame, signal: Signal): Promise<void>;
  /**
   * Counts steps over all stages; skips actionables of `done`. `apart`: other steps run at the same time. `last` runs
   * inside its transaction.
   */
  runStep(
    step: number,
    frame: Frame,
    apart: boolean,
    done: ReadonlySet<string>,
    last: (own: Frame) => Promise<void>,
  ): Promise<void>;
}

export type MergedDeferral = Required<Pick<Deferral, 'delay' | 'priority' | 'retries' | 'enqueue'>> &
  Pick<Deferral, 'begin'>;

/** Null for an unknown part: the definitions have changed. */
export type FindPart<W extends PartWork = PartWork> = (resource: string, key: string) => FoundPart<W> | null;

/** One plugin compiles and runs all parts. */
export interface PartRunner<W extends PartWork = PartWork> {
  readonly compile: (source: PartSource) => W;
  /** Enqueues the parts of a request, each queue at once. `payload` is storable. `emit`: null without observers. */
  readonly accept: (
    parts: readonly Pick<FoundPart, 'work' | 'deferral'>[],
    frame: Frame,
    payload: Payload,
    emit: ((event: TelemetryEvent) => void) | null,
  ) => Promise<void>;
  /** Of the stores that answer within a second. */
  countBacklog(admins: readonly JobAdmin[]): Promise<Backlog | null>;
  /** As in `RuntimeServices`. */
  runJob(
    find: FindPart<W>,
    work: DeferredJob,
    attempt: number,
    signal: Signal,
    journal: Journal | undefined,
  ): Promise<Outcome>;
  runSchedule(find: FindPart<W>, schedule: Schedule, id: string, instant: number, signal: Signal): Promise<Outcome>;
}

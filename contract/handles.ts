/** The handles of the three kinds that the kernel executes. */
import type { Deferral, Schedule } from './deferred.js';
import type { Identity, ProofSort } from './invocation.js';
import type { Json } from './json.js';
import type { ModePlan, PlanTools, Reader, Step } from './plan.js';

export type CompiledAccessor = AccessorInput &
  (
    | { readonly constant: false; readonly read: Reader }
    /** Constant while the kernel runs, and read at load. */
    | { readonly constant: true; readonly read: () => unknown }
  );

interface AccessorInput {
  /** The payload field, so that a database error can name it. */
  readonly field?: string | null;
  /** Lower case; set where a header is read. */
  readonly header?: string;
  /** Reads the client address, which only such jobs store. */
  readonly remote?: true;
  /** Slot of a value created once per request, and shared with its deferred jobs. */
  readonly once?: number;
}

export interface Accessor {
  compile(tail: readonly string[], tools: PlanTools): CompiledAccessor;
}

export interface ModeHandle {
  /** `value` holds the whole actionable; `pointer` is its location in the file. */
  plan(value: Readonly<Record<string, Json>>, pointer: string, tools: PlanTools): ModePlan;
}

export interface FeaturePlace {
  readonly slot: string;
  readonly value: Readonly<Record<string, Json>>;
  /** The whole object, including fields of other plugins. */
  readonly holder: Readonly<Record<string, Json>>;
  /** JSON pointer of the object in its file. */
  readonly pointer: string;
}

export interface FeaturePlan {
  readonly steps: readonly Step[];
  /** Payload fields that the feature validates, for the table of endpoints. */
  readonly validates?: readonly string[];
  readonly sample?: Readonly<Record<string, Json>>;
  /** Short description of how the feature guards the resource. */
  readonly guard?: string;
  /** What identifies callers. Without it, requests from other origins are rejected. */
  readonly proof?: Exclude<ProofSort, 'none'>;
  /** Identifies the callers of connections, for targeted messages. */
  readonly identity?: Identity;
  /** Validates what only an HTTP request has; messages of a connection are rejected. */
  readonly requestOnly?: true;
  /** The actionables of the resource share no transaction. */
  readonly alone?: true;
  /** This actionable shares no transaction with others and reads committed data. */
  readonly apart?: true;
  /** May reject valid payloads because of stored data. */
  readonly presumes?: true;
  /** The `timing` of the spec states whether it is deferred. */
  readonly defers?: Deferral;
  readonly schedule?: Pick<Schedule, 'expression' | 'zone'>;
  /** The feature creates the response even where no actionable runs. */
  readonly answers?: true;
  /** Dotted paths of the result that are decrypted for the caller; they are no longer secret. */
  readonly reveals?: readonly string[];
}

export interface Feature {
  plan(place: FeaturePlace, tools: PlanTools): FeaturePlan;
}

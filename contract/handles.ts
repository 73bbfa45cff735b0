/** The handles of the three kinds that the kernel executes. Kinds of their groups declare the rest. */
import type { Deferral, Schedule } from './deferred.js';
import type { Identity, ProofSort } from './invocation.js';
import type { Json } from './json.js';
import type { ModePlan, PlanTools, Reader, Step } from './plan.js';

export type CompiledAccessor = AccessorInput &
  (
    | { readonly constant: false; readonly read: Reader }
    /** The value is constant while the kernel runs and is read once, at load. */
    | { readonly constant: true; readonly read: () => unknown }
  );

interface AccessorInput {
  /** The payload field that is read, so that a database error can name it. */
  readonly field?: string | null;
  /** Lower case; set where a header is read. */
  readonly header?: string;
  /** Reads the client address, which is stored only with deferred jobs that need it. */
  readonly remote?: true;
  /** Slot of a value created once per request; deferred jobs of the request receive the same value. */
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
  /**
   * What a guard identifies callers by. Without it, requests from other origins are rejected as for a resource without a guard.
   */
  readonly proof?: Exclude<ProofSort, 'none'>;
  /** Identifies the callers of connections, for targeted messages. */
  readonly identity?: Identity;
  /** Validates what only an HTTP request has, such as its bytes; messages of a connection are rejected. */
  readonly requestOnly?: true;
  /** The actionables of the resource share no transaction. */
  readonly alone?: true;
  /** This actionable shares no transaction with others and reads committed data. */
  readonly apart?: true;
  /** May reject valid payloads because of stored data, so a sample request may fail. */
  readonly presumes?: true;
  /** How the actionable is deferred; the `timing` of the spec states whether it is. */
  readonly defers?: Deferral;
  readonly schedule?: Pick<Schedule, 'expression' | 'zone'>;
  /** The feature creates the response even where no actionable runs. */
  readonly answers?: true;
  /** Dotted paths of the result that the feature decrypts for the caller; they are no longer secret. */
  readonly reveals?: readonly string[];
}

export interface Feature {
  plan(place: FeaturePlace, tools: PlanTools): FeaturePlan;
}

/**
 * Runs the steps of one feature without a request: planned with its fields as written and with tools that a test states, on a
 * result and the results of other actionables.
 */
import { Fault } from '../../contract/fault.js';
import { asText, type Json } from '../../contract/json.js';
import type { Frame, PlanTools, Step } from '../../contract/plan.js';
import type { PluginRuntime, RuntimeContext } from '../../contract/plugin.js';
import type { Feature } from '../../plugins/features/kind.js';

/** A text that is a hash, and the format of hashes. */
export const HASH = `$h$${'x'.repeat(30)}`;
export const HASHES = /\$h\$/;

export type DefinitionJson = Readonly<Record<string, Json>>;

export interface StepSetup {
  readonly slot?: 'resource' | 'actionable';
  readonly secrets?: readonly string[];
  /** The format of hashes. */
  readonly conceals?: RegExp | null;
  /** Paths that are opened for the caller. */
  readonly revealed?: readonly string[];
  /** Names of the columns that the actionables touch. */
  readonly columns?: readonly string[];
  /** Results of actionables by index; the main one is the first of `lookup`. */
  readonly results?: readonly unknown[];
  readonly lookup?: readonly number[];
  /** Values of names that other actionables set. */
  readonly names?: Readonly<Record<string, unknown>>;
  readonly main?: DefinitionJson;
}

export interface FeatureRun {
  readonly result: unknown;
  readonly slots: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
  /** Other results that the feature reads: index and path. */
  readonly resultReads: readonly (readonly [index: number, path: string])[];
}

/** Plans a feature with its fields, and runs its steps on a result. Throws what a step throws. */
export async function runFeature(
  runtime: PluginRuntime<Feature>,
  value: DefinitionJson,
  result: unknown,
  { slot = 'actionable', results = [], lookup = [0], names = {}, main = {}, ...rest }: StepSetup = {},
  resolve: () => unknown = () => null,
): Promise<FeatureRun> {
  const { secrets = [], conceals = null, revealed = [], columns = [] } = rest;
  const known = Object.keys(names);
  const taken: [number, string][] = [];
  const tools = {
    ...{ secrets: new Set(secrets), conceals, revealed, main, place: 'place' },
    columns: columns.map((name) => ({ name, type: 'text' })),
    lookupOrder: lookup,
    allocateSlot: () => 90,
    text: (json: Json) => () => asText(json),
    slot: (name: string) => (known.includes(name) ? known.indexOf(name) : null),
    action: (_resource: string, id: number) => (id < results.length ? id : null),
    recordIndexSource: () => undefined,
    recordResultRead: (index: number, path: readonly string[]) => void taken.push([index, path.join('.')]),
  } as unknown as PlanTools;
  const feature = runtime.create?.({ resolve } as unknown as RuntimeContext);
  if (feature === undefined) throw new Error('there is no feature');
  const { steps } = feature.plan({ slot, value, holder: value, pointer: '' }, tools);
  const frame = {
    results,
    slots: Object.values(names),
    headers: {},
    invocation: { startedAt: 0 },
  } as unknown as Frame;
  const state = { result };
  for (const step of steps.toSorted((a, b) => a.phase - b.phase || (a.order ?? 0) - (b.order ?? 0)))
    await step.run(frame, state);
  const slots = Object.fromEntries(known.map((name, i) => [name, frame.slots[i]]));
  return { result: state.result, slots, steps, resultReads: taken };
}

/** For work that must fail: the code of its Fault, or the other error. */
export const catchFaultCode = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no fault',
    (error: unknown) => (error instanceof Fault ? error.code : error),
  );

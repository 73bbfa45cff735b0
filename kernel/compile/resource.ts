/**
 * Compiles one checked resource: the order of its actionables is settled, every feature becomes steps, every mode a
 * closure. After this nothing reads the definition again.
 */
import { BootError } from '../contract/boot-error.js';
import type { Json } from '../contract/json.js';
import type { ModelTable } from '../contract/model.js';
import type { Execute, FileLimits, ModePlan, PlanTools, Step } from '../contract/plan.js';
import { ActionPhase, ResourcePhase, Slot } from '../contract/slot.js';
import type { ActionModel, ResourceModel } from '../analysis/model.js';
import { runningOrder } from '../analysis/order.js';
import type { Registry } from '../analysis/registry.js';
import type { PluginPlace } from '../analysis/finds.js';
import { groupActions } from './groups.js';
import type { ActionPlan, ResourcePlan } from './plan.js';
import { asJsonText } from './render.js';
import { stepsBetween } from './steps.js';
import { describe, sampleOf } from './summary.js';
import { makeTools, type Handles, type ResourceScope } from './tools.js';

/** The taps of `execute` for a mode, resolved at load; null when nobody taps it. */
export type Interceptor = (mode: string, execute: Execute, action: { key: string; mode: string }) => Execute;

export interface CompileInput {
  /** By id, of the whole set: dependencies may lead to other resources. */
  readonly resources: ReadonlyMap<string, ResourceModel>;
  /** By key, of the whole set. */
  readonly actions: ReadonlyMap<string, ActionModel>;
  readonly registry: Registry;
  readonly handles: Handles;
  readonly tables: ReadonlyMap<string, ModelTable>;
  readonly intercept: Interceptor;
  readonly profile: string | null;
  /** The config allows what only tests may do. */
  readonly testing: boolean;
  /** Ids of the plugins that the set or the config uses. */
  readonly uses: ReadonlySet<string>;
  /** Of the set, as text: changes with any of its definitions. */
  readonly version: string;
  /** Whether a plugin may look at the results of this mode on their way out; everything is watched where this is absent. */
  readonly watched?: (mode: string) => boolean;
}

/** The handles as the compiler calls them; the kinds declare them. */
interface FeatureLike {
  plan(
    place: {
      slot: string;
      value: Readonly<Record<string, Json>>;
      holder: Readonly<Record<string, Json>>;
      pointer: string;
    },
    tools: PlanTools,
  ): {
    readonly steps: readonly Step[];
    readonly validates?: readonly string[];
    readonly sample?: Readonly<Record<string, Json>>;
    readonly guard?: string;
    readonly alone?: true;
    readonly apart?: true;
    readonly presumes?: true;
    readonly answers?: true;
  };
}
interface ModeLike {
  plan(value: Readonly<Record<string, Json>>, pointer: string, tools: PlanTools): ModePlan;
}

interface Draft {
  readonly steps: Step[];
  readonly validates: string[];
  readonly sample: Record<string, Json>;
  readonly guards: string[];
  readonly touches: Set<string>;
  /** Something wants every actionable to stand for itself. */
  alone: boolean;
  /** This actionable stands for itself. */
  apart: boolean;
  presumes: boolean;
  answers: boolean;
  takesList: boolean;
  needsList: boolean;
  files: FileLimits | null;
}

const emptyDraft = (): Draft => ({
  steps: [],
  validates: [],
  sample: {},
  guards: [],
  touches: new Set(),
  alone: false,
  apart: false,
  presumes: false,
  answers: false,
  takesList: false,
  needsList: false,
  files: null,
});

export function compileResource(input: CompileInput, resource: ResourceModel): ResourcePlan {
  const { actions: all } = input;
  const sequence = runningOrder(resource.actions, (action) => action.depends.flatMap((key) => all.get(key) ?? []));
  const main = mainIndex(resource, sequence);
  const scope: ResourceScope = {
    ...input,
    resource,
    sequence,
    lookupOrder: lookupOrder(sequence, main),
    needed: [],
    slots: { count: 0, byName: new Map(), memos: [], makers: [] },
    reads: [],
  };
  const draft = emptyDraft();
  const compiled = sequence.map((action, index) => compileAction(input, scope, action, index, draft));
  const actions = compiled.map(({ plan }) => plan);
  planFeatures(scope, null, resource.places, draft);
  const [admit, check, reply, settle] = [
    [ResourcePhase.ADMIT, ResourcePhase.CHECK - 1],
    [ResourcePhase.CHECK, ResourcePhase.REPLY - 1],
    [ResourcePhase.REPLY, ResourcePhase.SETTLE - 1],
    [ResourcePhase.SETTLE, Infinity],
  ].map(([from = 0, to = 0]) => stepsBetween(draft.steps, from, to));
  const needs = sequence.map(({ depends }) =>
    sequence.flatMap(({ key }, index) => (depends.includes(key) ? [index] : [])),
  );
  const groups = groupActions(actions, draft.alone, needs);
  const route = { groups, reply: reply ?? null, settle: settle ?? null, main };
  return Object.freeze({
    id: resource.id,
    path: resource.path,
    file: resource.definition.doc.file,
    admit: admit ?? null,
    check: check ?? null,
    ...route,
    ...asJsonText(route, compiled[main]?.renders),
    slots: scope.slots.count,
    memos: scope.slots.memos,
    makers: scope.slots.makers,
    takesList: draft.takesList,
    files: draft.files,
    results: sequence.length,
    reachable: sequence.length > 0 || draft.answers,
    summary: {
      guard: draft.guards.join(', ') || 'open',
      validated: draft.validates,
      touches: [...draft.touches],
      sample: draft.needsList ? [sampleOf(draft.sample, scope.needed)] : sampleOf(draft.sample, scope.needed),
      presumes: draft.presumes,
      describe: describe(resource, draft.steps, groups, main, sequence),
    },
  });
}

function mainIndex(resource: ResourceModel, sequence: readonly ActionModel[]): number {
  const own = resource.actions.filter((action) => sequence.includes(action));
  const main = own.find((action) => action.main) ?? own.filter((action) => !action.noOp).at(-1);
  return main === undefined ? -1 : sequence.indexOf(main);
}

function lookupOrder(sequence: readonly ActionModel[], main: number): number[] {
  const others = sequence.map((_, index) => index).filter((index) => index !== main);
  return main === -1 ? [] : [main, ...others.reverse()];
}

interface CompiledAction {
  readonly plan: ActionPlan;
  readonly renders: ModePlan['renders'];
}

function compileAction(
  input: CompileInput,
  scope: ResourceScope,
  action: ActionModel,
  index: number,
  draft: Draft,
): CompiledAction {
  const direct = action.places.filter((place) => place.node === action.node);
  const steps: Step[] = [];
  const inner: Draft = { ...draft, steps };
  planFeatures(scope, action, direct, inner);
  draft.alone ||= inner.alone;
  draft.presumes ||= inner.presumes;
  draft.steps.push(...steps.filter((step) => step.phase >= ResourcePhase.ADMIT));
  const modeId = direct.find((place) => place.slot === Slot.MODE)?.plugin;
  if (modeId === undefined) throw new BootError('DEF_UNKNOWN_PLUGIN', { kind: 'mode', name: action.mode });
  const handle = scope.handles.handle(modeId) as ModeLike;
  const planned = handle.plan(action.value, action.node.pointer, makeTools(scope, action, modeId));
  const tables = action.models.map((model) => scope.tables.get(model)?.table ?? model);
  const touches = tables.length > 0 ? tables : [String(input.registry.plugins.get(modeId)?.facts?.['touches'] ?? '')];
  touches.forEach((name) => draft.touches.add(name));
  draft.takesList ||= planned.takesList === true;
  draft.needsList ||= planned.needsList === true;
  draft.files = widest(draft.files, planned.files);
  const renders = input.watched?.(action.mode) === false ? planned.renders : undefined;
  const plan = Object.freeze({
    key: action.key,
    mode: action.mode,
    index,
    before: stepsBetween(steps, 0, ActionPhase.EXECUTE - 1),
    execute: input.intercept(action.mode, planned.execute, { key: action.key, mode: action.mode }),
    after: stepsBetween(steps, ActionPhase.EXECUTE, ResourcePhase.ADMIT - 1),
    shape: stepsBetween(steps, ActionPhase.SHAPE, ResourcePhase.ADMIT - 1),
    unit: planned.unit ?? null,
    parallel: action.parallel,
    apart: inner.apart,
    always: planned.always === true,
    turns: steps.find((step) => step.phase < ResourcePhase.ADMIT && step.turns !== undefined)?.turns ?? null,
    describe: planned.describe,
  });
  return { plan, renders };
}

/** What the door lets in is for all actionables together; each judges what is its own. */
function widest(known: FileLimits | null, more: FileLimits | undefined): FileLimits | null {
  if (known === null || more === undefined) return more ?? known;
  return { count: Math.max(known.count, more.count), bytes: Math.max(known.bytes, more.bytes) };
}

function planFeatures(
  scope: ResourceScope,
  action: ActionModel | null,
  places: readonly PluginPlace[],
  draft: Draft,
): void {
  const slot = action === null ? Slot.RESOURCE : Slot.ACTIONABLE;
  const node = action?.node ?? scope.resource.definition.node;
  for (const place of places) {
    if (place.slot !== slot || place.node !== node) continue;
    const handle = scope.handles.handle(place.plugin) as FeatureLike;
    const tools = makeTools(scope, action, place.plugin);
    const { value, holder } = place;
    const planned = handle.plan({ slot, value, holder, pointer: node.pointer }, tools);
    draft.steps.push(...planned.steps);
    draft.validates.push(...(planned.validates ?? []));
    Object.assign(draft.sample, planned.sample);
    if (planned.guard !== undefined) draft.guards.push(planned.guard);
    draft.alone ||= planned.alone === true;
    draft.apart ||= planned.apart === true;
    draft.presumes ||= planned.presumes === true;
    draft.answers ||= planned.answers === true;
  }
}

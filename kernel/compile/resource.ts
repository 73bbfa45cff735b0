/**
 * Compiles one checked resource: the order of its actionables is settled, every feature becomes steps, every mode a
 * closure. After this nothing reads the definition again.
 */
import { BootError } from '../contract/boot-error.js';
import { isObject, type Json } from '../contract/json.js';
import type { ModelTable } from '../contract/model.js';
import type { Execute, FileLimits, ModePlan, PlanTools, Step } from '../contract/plan.js';
import { ActionPhase, ResourcePhase, Slot } from '../contract/slot.js';
import type { ActionModel, ResourceModel } from '../analysis/model.js';
import { runningOrder } from '../analysis/order.js';
import type { Registry } from '../analysis/registry.js';
import type { PluginPlace } from '../analysis/finds.js';
import type { ActionGroup, ActionPlan, ResourcePlan } from './plan.js';
import { asJsonText } from './render.js';
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

export function compileResource(input: CompileInput, resource: ResourceModel): ResourcePlan {
  const { actions: all } = input;
  const sequence = runningOrder(resource.actions, (action) => action.depends.flatMap((key) => all.get(key) ?? []));
  const main = mainIndex(resource, sequence);
  const scope: ResourceScope = {
    resources: input.resources,
    registry: input.registry,
    handles: input.handles,
    tables: input.tables,
    resource,
    sequence,
    lookupOrder: lookupOrder(sequence, main),
    needed: [],
    slots: { count: 0, byName: new Map(), memos: [], makers: [] },
    profile: input.profile,
    uses: input.uses,
    version: input.version,
    reads: [],
  };
  const draft: Draft = {
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
  };
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

function stepsBetween(steps: readonly Step[], from: number, to: number): readonly Step[] | null {
  const chosen = steps.filter((step) => step.phase >= from && step.phase <= to);
  if (chosen.length === 0) return null;
  return Object.freeze(chosen.sort((a, b) => a.phase - b.phase || (a.order ?? 0) - (b.order ?? 0)));
}

/** What the rules say passes, and any text where only an accessor asks for a value. */
function sampleOf(ruled: Readonly<Record<string, Json>>, needed: ResourceScope['needed']): Json {
  const sample: Record<string, Json> = { ...ruled };
  for (const [root, ...rest] of needed) {
    if (root === undefined) continue;
    // What the rules gave is right; only an object may still lack something inside.
    if (Object.hasOwn(ruled, root) && !(rest.length > 0 && isObject(ruled[root]))) continue;
    sample[root] = withText(sample[root], rest);
  }
  return sample;
}

function withText(known: Json | undefined, [segment, ...rest]: readonly string[]): Json {
  // A list has its items from the rules.
  if (segment === undefined || Array.isArray(known)) return known ?? 'text';
  const object = isObject(known) ? known : {};
  return { ...object, [segment]: withText(object[segment], rest) };
}

interface OpenGroup {
  readonly parallel: boolean;
  readonly key: string | null;
  readonly actions: ActionPlan[];
}

/** Dependencies among the members, as places among them. */
function needsWithin(members: readonly ActionPlan[], needs: readonly (readonly number[])[]): number[][] {
  const place = new Map(members.map(({ index }, at) => [index, at]));
  return members.map(({ index }) => (needs[index] ?? []).flatMap((other) => place.get(other) ?? []));
}

/** Once its work is done, nothing of this actionable can fail any more. */
const isTotal = (action: ActionPlan | undefined): boolean =>
  action?.after?.every((step) => step.total === true) ?? true;

/** Neighbours with one unit of work share it; parallel neighbours run at once; anything else stands for itself. */
function groupActions(
  actions: readonly ActionPlan[],
  alone: boolean,
  needs: readonly (readonly number[])[],
): ActionGroup[] {
  const groups: OpenGroup[] = [];
  for (const action of actions) {
    const { parallel, apart } = action;
    const key = parallel || alone || apart ? null : (action.unit?.key ?? null);
    const last = groups.at(-1);
    const joins = last !== undefined && (parallel ? last.parallel : key !== null && last.key === key);
    if (joins) last.actions.push(action);
    else groups.push({ parallel, key, actions: [action] });
  }
  return groups.map(({ parallel, actions: members }) => {
    const units = members.flatMap((action) => action.unit ?? []);
    const [first] = units;
    // Those that run at once have units of their own, if any.
    const atOnce = parallel && members.length > 1;
    const wanted = !atOnce && (members.length > 1 || members.some((action) => action.always));
    const unit =
      first !== undefined && wanted ? first.join(units, isTotal(members.at(-1)), needsWithin(members, needs)) : null;
    // One sort bounds the unit; two that wait for each other would never end.
    const turns = unit === null ? null : (members.find((action) => action.turns !== null)?.turns ?? null);
    return Object.freeze({ unit, parallel: atOnce, turns, actions: Object.freeze(members) });
  });
}

function describe(
  resource: ResourceModel,
  steps: readonly Step[],
  groups: readonly ActionGroup[],
  main: number,
  sequence: readonly ActionModel[],
): Json {
  const names = (from: number, to: number): string[] => (stepsBetween(steps, from, to) ?? []).map((step) => step.id);
  return {
    id: resource.id,
    path: resource.path,
    file: resource.definition.doc.file,
    admit: names(ResourcePhase.ADMIT, ResourcePhase.CHECK - 1),
    check: names(ResourcePhase.CHECK, ResourcePhase.REPLY - 1),
    run: groups.map((group) => ({
      together: group.parallel ? 'at once' : (group.unit?.key ?? null),
      actions: group.actions.map((action) => ({
        key: action.key,
        mode: action.mode,
        before: (action.before ?? []).map((step) => step.id),
        execute: action.describe,
        after: (action.after ?? []).map((step) => step.id),
      })),
    })),
    main: sequence[main]?.key ?? null,
    reply: names(ResourcePhase.REPLY, ResourcePhase.SETTLE - 1),
    settle: names(ResourcePhase.SETTLE, Infinity),
  };
}

/** Compiles one checked resource into a plan. After this, nothing reads the definition. */
import { ResourcePhase } from '../../contract/slot.js';
import type { ActionModel, ResourceModel } from '../../language/analysis/model.js';
import { compileAction, planFeatures } from './action.js';
import { partitionActions, createImmediateTest, findMainAction } from '../../language/analysis/foreground.js';
import { Draft } from '../../language/analysis/draft.js';
import { groupActions } from './groups.js';
import { planInheritedSteps } from './inherited-steps.js';
import { createAcceptPlan, compilePart, draftPart, listSchedules } from './parts.js';
import type { ResourcePlan } from '../../contract/resource-plan.js';
import { selectSteps } from '../../contract/steps.js';
import { describePlan } from '../../language/export/plan-description.js';
import { addNeededPaths } from '../../language/schema/sample.js';
import type { Frame, Step } from '../../contract/plan.js';
import { renderJsonText } from '../../language/analysis/rendered-route.js';
import { createClaimReader } from '../../language/strings/claim-reader.js';
import type { CompileInput, ResourceScope } from './tools.js';
import { COOKIE } from '../../language/strings/header.js';

export function compileResource(input: CompileInput, resource: ResourceModel): ResourcePlan {
  const division = partitionActions(
    resource.actions,
    (action) => action.depends.flatMap((key) => input.actions.get(key) ?? []),
    createImmediateTest(input.registry),
  );
  const { now } = division;
  const sequence = [...new Set([...now, ...division.parts.flatMap(({ actions }) => actions)])];
  const answering = findMainAction(resource.actions, division);
  const main = answering === null ? -1 : now.indexOf(answering);
  const scope: ResourceScope = {
    ...input,
    resource,
    sequence,
    lookupOrder: lookupOrder(now, main),
    needed: [],
    slots: { count: 0, byName: new Map(), memos: [], makers: [] },
    reads: [],
    revealed: [],
    asked: [],
    once: [],
    taken: [],
  };
  const draft = new Draft();
  const compiled = now.map((action, index) => compileAction(scope, action, index, draft));
  const indexOf = new Map(sequence.map(({ key }, index) => [key, index]));
  const drafted = division.parts.map((part) => draftPart(scope, part, indexOf, draft));
  planFeatures(scope, null, resource.places, draft);
  // Scheduled work is not part of a request.
  const requested = division.parts.flatMap(({ actions, scheduled }) => (scheduled ? [] : actions));
  planInheritedSteps(scope, [...now, ...requested], draft);
  draft.steps.push(...createClaimSteps(scope, [...now, ...requested]));
  const select = (from: number, next: number) => selectSteps(draft.steps, from, next - 1);
  const reply = select(ResourcePhase.REPLY, ResourcePhase.SETTLE);
  const needs = sequence.map(({ depends }) =>
    sequence.flatMap(({ key }, index) => (depends.includes(key) ? [index] : [])),
  );
  const actions = compiled.map(({ plan }) => plan);
  const isAccepting = drafted.some(({ part }) => !part.scheduled);
  const inside = reply?.some(({ undoes }) => undoes === true) === true;
  const groups = groupActions(actions, draft.alone, needs, isAccepting || inside ? 'last' : 'none');
  // Deferred work is accepted inside the unit of the last group.
  const parts = drafted.map((part) => compilePart(scope, part, draft, needs, groups.at(-1)?.unit?.shared ?? null));
  const accepts = createAcceptPlan(scope, main, parts, drafted);
  const schedules = Object.freeze(drafted.flatMap((part) => listSchedules(resource, part)));
  const settle = select(ResourcePhase.SETTLE, Infinity);
  const route = { groups, reply, settle, main };
  const shown = accepts === null ? renderJsonText(route, compiled) : route;
  const sample = addNeededPaths(draft.sample, scope.needed);
  const plan: ResourcePlan = Object.freeze({
    id: resource.id,
    path: resource.path,
    file: resource.definition.doc.file,
    plugins: input.plugins,
    admit: select(ResourcePhase.ADMIT, ResourcePhase.CHECK),
    check: select(ResourcePhase.CHECK, ResourcePhase.REPLY),
    groups: shown.groups,
    reply: shown.reply,
    settle,
    main,
    inside,
    accepts,
    parts: new Map(parts.map((part) => [part.key, part])),
    schedules,
    slots: scope.slots.count,
    names: scope.slots.byName,
    memos: scope.slots.memos,
    makers: scope.slots.makers,
    takesList: draft.takesList,
    files: draft.files,
    identities: draft.identities,
    proof: draft.proof === 'none' && readsCookie(scope) ? 'ambient' : draft.proof,
    requestOnly: draft.requestOnly,
    results: sequence.length,
    reachable: now.length > 0 || accepts !== null || draft.answers,
    summary: {
      guard: draft.guards.join(', ') || 'open',
      validated: draft.validates,
      touches: [...draft.touches],
      sample: draft.needsList ? [sample] : sample,
      presumes: draft.presumes,
      // Read late: lines move without a change of the plan.
      get describe() {
        const [main, accepted] = [answering?.key ?? null, accepts?.whole === true];
        return describePlan(scope, draft.steps, { groups, parts, schedules, main, accepted });
      },
    },
  });
  return input.planObserver?.observeResource(plan) ?? plan;
}

/** A definition that reads cookies authenticates callers by them. */
const readsCookie = ({ reads }: ResourceScope): boolean =>
  reads.some(({ place }) => place.from === 'elsewhere' && place.header === COOKIE);

/** Requires all claims of the work, deferred work included, before any of it runs, so that a rejected request has no effect. */
function createClaimSteps({ reads }: ResourceScope, actions: readonly ActionModel[]): Step[] {
  const paths = reads.flatMap(({ action, place }) =>
    place.from === 'claims' && action !== null && actions.includes(action) ? [place.path] : [],
  );
  const readers = [...new Map(paths.map((path) => [path.join('.'), createClaimReader(path)])).values()];
  if (readers.length === 0) return [];
  const run = (frame: Frame): void => {
    for (const read of readers) read(frame);
  };
  return [{ id: 'claims that the work reads', phase: ResourcePhase.CHECK, order: -950, run }];
}

function lookupOrder(sequence: readonly ActionModel[], main: number): number[] {
  const others = sequence.map((_, index) => index).filter((index) => index !== main);
  return main === -1 ? [] : [main, ...others.reverse()];
}

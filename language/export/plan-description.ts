/** Describes a plan for `lintel plan` and editors, without values. */
import type { Json } from '../../contract/json.js';
import { ResourcePhase } from '../../contract/slot.js';
import type { Schedule } from '../../contract/deferred.js';
import type { Step } from '../../contract/plan.js';
import type { MergedDeferral } from '../../contract/part.js';
import type { ModelTable } from '../../contract/model.js';
import { selectSteps } from '../../contract/steps.js';
import { buildFlows } from '../analysis/data-flow.js';
import type { ActionModel, ResourceModel } from '../analysis/model.js';
import type { Registry } from '../analysis/registry.js';
import { positionAt } from '../source/document.js';

interface PlannedAction {
  readonly key: string;
  readonly mode: string;
  readonly before: readonly Step[] | null;
  readonly after: readonly Step[] | null;
  readonly describe: Json;
}

interface PlannedGroup {
  readonly unit: { readonly key: string; readonly describe?: Readonly<Record<string, Json>> } | null;
  readonly parallel: boolean;
  readonly actions: readonly PlannedAction[];
}

interface PlannedPart {
  readonly key: string;
  readonly groups: readonly PlannedGroup[];
  readonly deferral: MergedDeferral | null;
}

interface PlannedResource {
  readonly resource: ResourceModel;
  readonly sequence: readonly ActionModel[];
  readonly registry: Registry;
  /** By model. */
  readonly tables: Pick<ReadonlyMap<string, ModelTable>, 'get'>;
}

type DescribeAction = (key: string) => Readonly<Record<string, Json>>;

const describeGroups = (groups: readonly PlannedGroup[], about: DescribeAction): Json =>
  groups.map((group) => ({
    together: group.parallel ? 'at once' : (group.unit?.key ?? null),
    ...(!group.parallel && group.unit?.describe),
    actions: group.actions.map((action) => ({
      key: action.key,
      mode: action.mode,
      ...about(action.key),
      before: (action.before ?? []).map((step) => step.id),
      execute: action.describe,
      after: (action.after ?? []).map((step) => step.id),
    })),
  }));

/** `delay` is in seconds. */
function describePart(
  { key, groups, deferral }: PlannedPart,
  schedule: Schedule | undefined,
  about: DescribeAction,
): Json {
  const begins = schedule === undefined ? 'behind the answer' : 'by the clock';
  return {
    part: key,
    begins: deferral !== null && schedule !== undefined ? `${begins}, through the queue` : begins,
    ...(schedule !== undefined && { schedule: schedule.expression, zone: schedule.zone ?? 'UTC' }),
    ...(deferral !== null && { delay: deferral.delay, priority: deferral.priority, retries: deferral.retries }),
    run: describeGroups(groups, about),
  };
}

/** Source line (from 1), dependencies with their names, and tables. */
function createActionDescriber({ sequence, registry, tables }: PlannedResource): DescribeAction {
  const flows = buildFlows(registry, sequence);
  const all = new Map(sequence.map((action) => [action.key, action]));
  return (key) => {
    const action = all.get(key);
    if (action === undefined) return {};
    const { definition, node, noOp, models } = action;
    const needs = flows.flatMap(({ from, to, names }) => (to === key ? [[from, names] as const] : []));
    return {
      line: positionAt(definition.doc, node.start).line + 1,
      ...(noOp && { begins: 'when needed' }),
      ...(needs.length > 0 && { needs: Object.fromEntries(needs) }),
      ...(models.length > 0 && { tables: models.map((model) => tables.get(model)?.table ?? model) }),
    };
  };
}

interface Described {
  readonly groups: readonly PlannedGroup[];
  readonly parts: readonly PlannedPart[];
  readonly schedules: readonly Schedule[];
  readonly main: string | null;
  /** The response only confirms the acceptance. */
  readonly accepted: boolean;
}

export function describePlan(
  scope: PlannedResource,
  steps: readonly Step[],
  { groups, parts, schedules, main, accepted }: Described,
): Json {
  const { resource } = scope;
  const about = createActionDescriber(scope);
  const listStepIds = (from: number, to: number): string[] =>
    (selectSteps(steps, from, to) ?? []).map((step) => step.id);
  return {
    id: resource.id,
    path: resource.path,
    file: resource.definition.doc.file,
    admit: listStepIds(ResourcePhase.ADMIT, ResourcePhase.CHECK - 1),
    check: listStepIds(ResourcePhase.CHECK, ResourcePhase.REPLY - 1),
    run: describeGroups(groups, about),
    ...(parts.length > 0 && {
      apart: parts.map((part) =>
        describePart(
          part,
          schedules.find(({ key }) => key === part.key),
          about,
        ),
      ),
    }),
    main,
    ...(accepted && { answer: '202, accepted' }),
    reply: listStepIds(ResourcePhase.REPLY, ResourcePhase.SETTLE - 1),
    settle: listStepIds(ResourcePhase.SETTLE, Infinity),
  };
}

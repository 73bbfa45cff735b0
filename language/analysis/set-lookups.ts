/**
 * Records what a plan reads of the whole set: it is compiled again only if an answer has changed.
 */
import type { ModelTable } from '../../contract/model.js';
import type { IsolationNeed } from '../../contract/plan.js';
import type { Analysis } from './analysis.js';
import { computeIsolations } from './isolation.js';
import { memoize } from './memoize.js';
import type { ActionModel, ResourceModel } from './model.js';
import { compileTables } from './model-tables.js';
import { hasBlindColumns } from './conceal-pattern.js';
import type { Registry } from './registry.js';
import { createSingleRun } from './single-run.js';
import { createStageCache, type Lookups, type StageCache, type StageInput } from './stage-cache.js';
import { listResourceRealms } from './uid-namespace.js';

export type Lookup<T> = Pick<ReadonlyMap<string, T>, 'get'>;

/** The whole set, because dependencies may be in other resources. */
export interface SetLookups {
  readonly resources: Lookup<ResourceModel>;
  /** By key. */
  readonly actions: Lookup<ActionModel>;
  readonly tables: Lookup<ModelTable>;
  readonly isolations: Lookup<ReadonlyMap<string, IsolationNeed>>;
  /** Hash of the set. */
  readonly version: () => string;
  readonly hasBlindColumns: () => boolean;
  readonly listRealms: () => ReadonlyMap<string, string>;
}

export interface CompiledSet extends SetLookups {
  readonly tables: ReadonlyMap<string, ModelTable>;
}

export function readSet(analysis: Analysis, registry: Registry, stages: StageCache, hash: string): CompiledSet {
  const { resources, models } = analysis;
  const tables = compileTables(models, registry);
  const realms = memoize((all: Analysis['resources']) => listResourceRealms(registry, all));
  return {
    tables,
    version: () => hash,
    hasBlindColumns: () => hasBlindColumns(tables),
    listRealms: () => realms(resources),
    isolations: computeIsolations(resources, models, registry, stages),
    resources: new Map(resources.map((resource) => [resource.id, resource])),
    actions: new Map(resources.flatMap(({ actions }) => actions.map((action) => [action.key, action]))),
  };
}

type Read = <A extends StageInput>(key: string, read: (set: CompiledSet) => A, print?: (a: A) => StageInput) => A;

/** Added to `base`. After `end`, the latest set answers, so that a plan holds no earlier one in memory. */
export function recordLookups<T extends object>(
  base: T,
  lookups: Lookups<CompiledSet>,
  holder: { readonly latest: CompiledSet | null },
): [T & SetLookups, end: () => void] {
  let isOver = false;
  const read: Read = (key, ask, print) =>
    isOver && holder.latest !== null ? ask(holder.latest) : lookups.readAnswer(key, ask, print);
  const recorded: T & SetLookups = {
    ...base,
    resources: { get: (id) => read(`resource ${id}`, ({ resources }) => resources.get(id)) },
    actions: { get: (key) => read(`action ${key}`, ({ actions }) => actions.get(key)) },
    tables: { get: (model) => read(`table ${model}`, ({ tables }) => tables.get(model), printTable) },
    isolations: { get: (id) => read(`isolation ${id}`, ({ isolations }) => isolations.get(id), printNeeds) },
    version: () => read('version', (set) => set.version()),
    hasBlindColumns: () => read('blind columns', (set) => set.hasBlindColumns()),
    listRealms: () => read('realms', (set) => set.listRealms()),
  };
  return [recorded, () => void (isOver = true)];
}

const printTable = (table: ModelTable | undefined): StageInput => table && [JSON.stringify(table), table.secrets];
const printNeeds = (needs: ReadonlyMap<string, IsolationNeed> | undefined): StageInput =>
  needs && JSON.stringify([...needs]);

/** Plans of earlier sets, reused while their inputs are unchanged. */
export interface PlanCache {
  readonly stages: StageCache;
  latest: CompiledSet | null;
  reads: readonly StageInput[];
}

/** `isRepeated`: false where no other set follows. */
export const createPlanCache = ({ codes }: Registry, isRepeated = true): PlanCache => ({
  stages: isRepeated ? createStageCache(codes) : createSingleRun(codes),
  latest: null,
  reads: [],
});

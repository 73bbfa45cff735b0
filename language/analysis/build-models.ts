/** Builds the final models of an analysis for compilers and editors. */
import { asText } from '../../contract/json.js';
import type { LinkedAction, LinkedResource } from './linked-resource.js';
import type { ResultColumns } from './checks/statements.js';
import { findResultColumns } from './checks/uses.js';
import type { Queries, QueryResults } from './link-group.js';
import { listShared } from './blocks.js';
import { memoize } from './memoize.js';
import { getResourceId } from './resource-groups.js';
import { listSecretActions } from './secret-names.js';
import type { Blocks, StageCache } from './stage-cache.js';
import type { Steps } from './steps.js';
import type { ActionModel, DataModel, Definition, ResourceModel } from './model.js';
import { toJsonObject } from '../source/tree.js';
import { trimList } from '../source/trim-list.js';
import { type Report, isInside } from './report.js';
import type { Stores } from './stores.js';
import type { TableNames } from './tables.js';
import type { UniqueFields } from './uniques.js';

export interface ModelInput {
  readonly definitions: readonly Definition[];
  readonly linked: Blocks<LinkedResource>;
  readonly tables: TableNames & { readonly uniques: UniqueFields; readonly stores: Stores };
  readonly queries: QueryResults;
  readonly broken: ReadonlySet<Definition>;
  readonly memory: StageCache;
  readonly report: Report;
}

export function* buildModels(finishing: ModelInput): Steps<{
  readonly resources: ResourceModel[];
  readonly models: DataModel[];
}> {
  const { definitions, linked, tables, broken, memory, report } = finishing;
  const secrets = collectSecrets(linked);
  const models = definitions
    .filter(({ sort }) => sort === 'model')
    .map((definition) => {
      const state = readModelState(definition.name, tables, secrets);
      const { table, added, uniques, secrets: own, stores } = state;
      const sound = !broken.has(definition);
      return memory.getOrCompute(definition, report, {
        name: 'data model',
        reads: [table, added, uniques, own, stores.map(({ kind, instance }) => `${kind} ${instance}`), sound],
        compute: () => buildDataModel(definition, state, sound),
      });
    });
  return { resources: yield* buildResourceModels(finishing, findInvalidIds(linked, broken)), models };
}

function* buildResourceModels(
  { linked, queries, tables: { stores }, memory, report }: ModelInput,
  spoiled: ReadonlySet<string>,
): Steps<ResourceModel[]> {
  const listPlaced = ({ definition }: LinkedResource) => stores.listPlacedQueries(definition);
  const listSpoiled = (at: number): readonly string[] => listShared(listIds(linked[at] ?? []), spoiled);
  const isSound = ({ id }: LinkedResource): boolean => !spoiled.has(id);
  const buildActions = (resource: LinkedResource): readonly ActionModel[] =>
    resource.actions.map((action) => buildActionModel(resource, action, stores, queries.get(resource.definition)));
  const found = yield* memory.getOrLookUpAll(linked, report, {
    name: 'model',
    reads: [],
    readsOf: (resource) => [listPlaced(resource), queries.get(resource.definition), isSound(resource)],
    readsOfBlock: (at) => [stores.placed[at], queries.lists[at], listSpoiled(at)],
    source: NO_SOURCE,
    compute: (resource, _lookups, own) => {
      const reads = [listPlaced(resource), queries.get(resource.definition)];
      const actions = memory.getOrCompute(resource, own, {
        name: 'actions',
        reads,
        compute: () => buildActions(resource),
      });
      return buildResourceModel(resource, actions, isSound(resource));
    },
  });
  return found.flat();
}

const listIds = memoize((block: readonly LinkedResource[]): ReadonlySet<string> => new Set(block.map(({ id }) => id)));

/** Of stages that look nothing up. */
const NO_SOURCE = Object.freeze({});

/** By model. */
function collectSecrets(linked: Blocks<LinkedResource>): ReadonlyMap<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { secretModels, secrets } of linked.flatMap(listSecretActions))
    for (const model of secretModels) {
      const known = found.get(model) ?? new Set<string>();
      found.set(model, known);
      for (const name of secrets) known.add(name);
    }
  return found;
}

type ModelState = Pick<DataModel, 'stores' | 'table' | 'added' | 'uniques' | 'secrets'>;

const readModelState = (
  name: string,
  tables: ModelInput['tables'],
  secrets: ReadonlyMap<string, ReadonlySet<string>>,
): ModelState => ({
  stores: tables.stores.listStores(name),
  table: tables.getTable(name),
  added: tables.listAddedFields(name),
  uniques: tables.uniques.get(name) ?? [],
  secrets: secrets.get(name) ?? NO_SECRETS,
});

const NO_SECRETS: ReadonlySet<string> = new Set();

const buildDataModel = (definition: Definition, state: ModelState, sound: boolean): DataModel => ({
  name: definition.name,
  ...state,
  definition,
  fields: definition.node.members.flatMap(({ key, value }) =>
    value === null ? [] : [{ name: key, value: toJsonObject(value) }],
  ),
  sound,
});

/** By model. */
const listUsers = memoize((block: readonly LinkedResource[]): ReadonlyMap<string, readonly string[]> => {
  const users = new Map<string, string[]>();
  for (const { id, actions } of block)
    for (const model of new Set(actions.flatMap(({ models }) => models)))
      users.set(model, [...(users.get(model) ?? []), id]);
  return users;
});

function buildResourceModel(resource: LinkedResource, actions: readonly ActionModel[], sound: boolean): ResourceModel {
  const { definition } = resource;
  return {
    id: resource.id,
    path: resource.path,
    definition,
    value: toJsonObject(definition.node),
    actions,
    places: trimList(definition.finds.places.filter((place) => place.node === definition.node)),
    payloadFields: resource.payloadFields,
    names: resource.names,
    generated: resource.generated,
    sources: resource.sources,
    sound,
  };
}

const NOTHING: ResultColumns = new Map();

function buildActionModel(
  resource: LinkedResource,
  action: LinkedAction,
  stores: Stores,
  queries: Queries | undefined,
): ActionModel {
  const value = toJsonObject(action.node);
  const placed = stores.listPlacedQueries(resource.definition);
  return {
    key: action.key,
    resource: resource.id,
    id: action.id,
    mode: asText(value['mode']),
    noOp: action.noOp,
    main: action.main,
    timing: action.timing,
    parallel: action.parallel,
    definition: resource.definition,
    node: action.node,
    value,
    places: trimList(resource.definition.finds.places.filter((place) => isInside(place.node, action.node))),
    depends: action.edges.map((edge) => edge.to),
    parameters: action.parameters,
    repeat: action.repeat,
    models: action.models,
    stores: trimList(placed.flatMap(({ query, place }) => (isInside(query.node, action.node) ? [place] : []))),
    answers: findResultColumns(resource, action.key, queries?.answers ?? NOTHING),
    secrets: action.secrets,
    secretModels: action.secretModels,
    behind: action.behind,
  };
}

/** Resources with an error, or a model with one, and those that depend on them. */
function findInvalidIds(blocks: Blocks<LinkedResource>, broken: ReadonlySet<Definition>): ReadonlySet<string> {
  const spoiled = new Set<string>();
  for (const definition of broken) {
    if (definition.sort === 'resource') spoiled.add(getResourceId(definition));
    if (definition.sort !== 'model') continue;
    for (const block of blocks) for (const id of listUsers(block).get(definition.name) ?? []) spoiled.add(id);
  }
  if (spoiled.size === 0) return spoiled;
  const dependent = blocks.flatMap(listDependent);
  if (dependent.length === 0) return spoiled;
  const owner = new Map(blocks.flatMap(listOwners));
  for (let before = -1; before !== spoiled.size;) {
    before = spoiled.size;
    for (const { id, actions } of dependent) {
      if (actions.some(({ edges }) => edges.some(({ to }) => spoiled.has(owner.get(to) ?? '')))) spoiled.add(id);
    }
  }
  return spoiled;
}

const listDependent = memoize((block: readonly LinkedResource[]) =>
  block.filter(({ actions }) => actions.some(({ edges }) => edges.length > 0)),
);

const listOwners = memoize((block: readonly LinkedResource[]) =>
  block.flatMap(({ id, actions }) => actions.map(({ key }) => [key, id] as const)),
);

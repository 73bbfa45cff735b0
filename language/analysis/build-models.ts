/** Builds the final models of an analysis for compilers and editors. */
import { asText } from '../../contract/json.js';
import type { LinkedAction, LinkedResource } from './linked-resource.js';
import type { ResultColumns } from './checks/statements.js';
import { findResultColumns } from './checks/uses.js';
import type { Queries } from './link-group.js';
import { memoize } from './memoize.js';
import type { Blocks, StageCache } from './stage-cache.js';
import type { ActionModel, DataModel, Definition, ResourceModel } from './model.js';
import { toJsonObject } from '../source/tree.js';
import { type Report, isInside } from './report.js';
import type { Stores } from './stores.js';
import type { TableNames } from './tables.js';
import type { UniqueFields } from './uniques.js';

export interface ModelInput {
  readonly definitions: readonly Definition[];
  readonly linked: readonly LinkedResource[];
  readonly tables: TableNames & { readonly uniques: UniqueFields; readonly stores: Stores };
  readonly queries: ReadonlyMap<Definition, Queries>;
  readonly broken: ReadonlySet<Definition>;
  readonly memory: StageCache;
  readonly report: Report;
}

export function buildModels(finishing: ModelInput): {
  readonly resources: ResourceModel[];
  readonly models: DataModel[];
} {
  const { definitions, linked, tables, broken } = finishing;
  const resourceBlocks = finishing.memory.splitIntoBlocks('resources', linked);
  const actions = buildActionModels(resourceBlocks, finishing);
  const secrets = collectSecrets(finishing.memory.splitIntoBlocks('actions', actions));
  const models = definitions
    .filter(({ sort }) => sort === 'model')
    .map((definition) => buildDataModel(definition, tables, secrets, !broken.has(definition)));
  const unsound = new Set(models.filter(({ sound }) => !sound).map(({ name }) => name));
  const isBroken = (resource: LinkedResource): boolean =>
    broken.has(resource.definition) || hasUnsoundModel(resource, unsound);
  const spoiled = broken.size === 0 ? new Set<string>() : findInvalidIds(linked, isBroken);
  const byResource = new Map(linked.map((resource, i) => [resource, actions[i] ?? []]));
  const listActions = (resource: LinkedResource): readonly ActionModel[] => byResource.get(resource) ?? [];
  const isSound = ({ id }: LinkedResource): boolean => !spoiled.has(id);
  const resources = finishing.memory.getOrLookUpAll(resourceBlocks, finishing.report, {
    name: 'model',
    reads: [],
    readsOf: (resource) => [listActions(resource), isSound(resource)],
    source: NO_SOURCE,
    compute: (resource) => buildResourceModel(resource, listActions(resource), isSound(resource)),
  });
  return { resources, models };
}

/** Of stages that look nothing up. */
const NO_SOURCE = Object.freeze({});

/** By model. */
function collectSecrets(blocks: Blocks<readonly ActionModel[]>): ReadonlyMap<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { secretModels, secrets } of blocks.flatMap(listSecretActions))
    for (const model of secretModels) {
      const known = found.get(model) ?? new Set<string>();
      found.set(model, known);
      for (const name of secrets) known.add(name);
    }
  return found;
}

const listSecretActions = memoize((block: readonly (readonly ActionModel[])[]) =>
  block.flat().filter(({ secretModels }) => secretModels.length > 0),
);

function buildDataModel(
  definition: Definition,
  tables: ModelInput['tables'],
  secrets: ReadonlyMap<string, ReadonlySet<string>>,
  sound: boolean,
): DataModel {
  return {
    name: definition.name,
    table: tables.getTable(definition.name),
    stores: tables.stores.listStores(definition.name),
    definition,
    fields: definition.node.members.flatMap(({ key, value }) =>
      value === null ? [] : [{ name: key, value: toJsonObject(value) }],
    ),
    added: tables.listAddedFields(definition.name),
    uniques: tables.uniques.get(definition.name) ?? [],
    secrets: new Set(secrets.get(definition.name)),
    sound,
  };
}

const hasUnsoundModel = ({ actions }: LinkedResource, unsound: ReadonlySet<string>): boolean =>
  unsound.size > 0 && actions.some(({ models }) => models.some((model) => unsound.has(model)));

function buildResourceModel(resource: LinkedResource, actions: readonly ActionModel[], sound: boolean): ResourceModel {
  const { definition } = resource;
  return {
    id: resource.id,
    path: resource.path,
    definition,
    value: toJsonObject(definition.node),
    actions,
    places: definition.finds.places.filter((place) => place.node === definition.node),
    payloadFields: resource.payloadFields,
    names: resource.names,
    generated: resource.generated,
    sources: resource.sources,
    sound,
  };
}

const NOTHING: ResultColumns = new Map();

function buildActionModels(
  blocks: Blocks<LinkedResource>,
  { tables: { stores }, queries, memory, report }: ModelInput,
): readonly (readonly ActionModel[])[] {
  const listAnswers = ({ definition }: LinkedResource): ResultColumns => queries.get(definition)?.answers ?? NOTHING;
  return memory.getOrLookUpAll(blocks, report, {
    name: 'actions',
    reads: [],
    readsOf: (resource) => [stores.listPlacedQueries(resource.definition), listAnswers(resource)],
    source: NO_SOURCE,
    compute: (resource) =>
      resource.actions.map((action) => buildActionModel(resource, action, stores, listAnswers(resource))),
  });
}

function buildActionModel(
  resource: LinkedResource,
  action: LinkedAction,
  stores: Stores,
  answers: ResultColumns,
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
    places: resource.definition.finds.places.filter((place) => isInside(place.node, action.node)),
    depends: action.edges.map((edge) => edge.to),
    parameters: action.parameters,
    repeat: action.repeat,
    models: action.models,
    stores: placed.flatMap(({ query, place }) => (isInside(query.node, action.node) ? [place] : [])),
    answers: findResultColumns(resource, action.key, answers),
    secrets: action.secrets,
    secretModels: action.secretModels,
    behind: action.behind,
  };
}

/** Ids of the invalid resources and of all that depend on them. */
function findInvalidIds(
  linked: readonly LinkedResource[],
  isBroken: (resource: LinkedResource) => boolean,
): Set<string> {
  const spoiled = new Set(linked.filter(isBroken).map(({ id }) => id));
  if (spoiled.size === 0) return spoiled;
  const owner = new Map(linked.flatMap(({ id, actions }) => actions.map(({ key }) => [key, id] as const)));
  for (let before = -1; before !== spoiled.size;) {
    before = spoiled.size;
    for (const { id, actions } of linked) {
      if (actions.some(({ edges }) => edges.some(({ to }) => spoiled.has(owner.get(to) ?? '')))) spoiled.add(id);
    }
  }
  return spoiled;
}

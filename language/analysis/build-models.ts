/** Builds the final models of an analysis for compilers and editors. */
import { asText } from '../../contract/json.js';
import type { LinkedAction, LinkedResource } from './linked-resource.js';
import type { ResultColumns } from './checks/statements.js';
import { findResultColumns } from './checks/uses.js';
import type { Queries } from './link-group.js';
import { listSecretActions } from './secret-names.js';
import type { Blocks, StageCache } from './stage-cache.js';
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
  const secrets = collectSecrets(linked);
  const models = definitions
    .filter(({ sort }) => sort === 'model')
    .map((definition) => buildDataModel(definition, tables, secrets, !broken.has(definition)));
  const unsound = new Set(models.filter(({ sound }) => !sound).map(({ name }) => name));
  const isBroken = (resource: LinkedResource): boolean =>
    broken.has(resource.definition) || hasUnsoundModel(resource, unsound);
  const spoiled = broken.size === 0 ? new Set<string>() : findInvalidIds(linked.flat(), isBroken);
  return { resources: buildResourceModels(finishing, spoiled), models };
}

function buildResourceModels(
  { linked, queries, tables: { stores }, memory, report }: ModelInput,
  spoiled: ReadonlySet<string>,
): ResourceModel[] {
  const listPlaced = ({ definition }: LinkedResource) => stores.listPlacedQueries(definition);
  const listAnswers = ({ definition }: LinkedResource): ResultColumns => queries.get(definition)?.answers ?? NOTHING;
  const isSound = ({ id }: LinkedResource): boolean => !spoiled.has(id);
  const buildActions = (resource: LinkedResource): readonly ActionModel[] =>
    resource.actions.map((action) => buildActionModel(resource, action, stores, listAnswers(resource)));
  return memory.getOrLookUpAll(linked, report, {
    name: 'model',
    reads: [],
    readsOf: (resource) => [listPlaced(resource), listAnswers(resource), isSound(resource)],
    source: NO_SOURCE,
    compute: (resource, _lookups, own) => {
      const reads = [listPlaced(resource), listAnswers(resource)];
      const actions = memory.getOrCompute(resource, own, {
        name: 'actions',
        reads,
        compute: () => buildActions(resource),
      });
      return buildResourceModel(resource, actions, isSound(resource));
    },
  });
}

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
    places: trimList(resource.definition.finds.places.filter((place) => isInside(place.node, action.node))),
    depends: action.edges.map((edge) => edge.to),
    parameters: action.parameters,
    repeat: action.repeat,
    models: action.models,
    stores: trimList(placed.flatMap(({ query, place }) => (isInside(query.node, action.node) ? [place] : []))),
    answers: findResultColumns(resource, action.key, answers),
    secrets: action.secrets,
    secretModels: action.secretModels,
    behind: action.behind,
  };
}

function findInvalidIds(
  linked: readonly LinkedResource[],
  isBroken: (resource: LinkedResource) => boolean,
): Set<string> {
  const spoiled = new Set(linked.filter(isBroken).map(({ id }) => id));
  if (spoiled.size === 0) return spoiled;
  const dependent = linked.filter(({ actions }) => actions.some(({ edges }) => edges.length > 0));
  if (dependent.length === 0) return spoiled;
  const owner = new Map(linked.flatMap(({ id, actions }) => actions.map(({ key }) => [key, id] as const)));
  for (let before = -1; before !== spoiled.size;) {
    before = spoiled.size;
    for (const { id, actions } of dependent) {
      if (actions.some(({ edges }) => edges.some(({ to }) => spoiled.has(owner.get(to) ?? '')))) spoiled.add(id);
    }
  }
  return spoiled;
}

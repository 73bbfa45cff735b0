/** Builds the final models of an analysis for compilers and editors. */
import { asText } from '../../contract/json.js';
import type { DocumentQuery, Finds, SqlText } from './finds.js';
import type { LinkedAction, LinkedResource } from './linked.js';
import type { Answers } from './checks/statements.js';
import { columnsOf } from './checks/uses.js';
import type { Queries } from './link-group.js';
import type { Memory } from './memory.js';
import type { ActionModel, DataModel, Definition, ResourceModel } from './model.js';
import { type LocatedNode, objectOf } from '../source/tree.js';
import { type Report, inside } from './report.js';
import type { Stores } from './stores.js';
import type { TableNames } from './tables.js';
import type { Uniques } from './uniques.js';

export interface Finishing {
  readonly definitions: readonly Definition[];
  readonly linked: readonly LinkedResource[];
  readonly tables: TableNames & { readonly uniques: Uniques; readonly stores: Stores };
  readonly queries: ReadonlyMap<Definition, Queries>;
  readonly broken: ReadonlySet<Definition>;
  readonly memory: Memory;
  readonly report: Report;
}

export function modelsOf(finishing: Finishing): { readonly resources: ResourceModel[]; readonly models: DataModel[] } {
  const { definitions, linked, tables, broken } = finishing;
  const actions = linked.map((resource) => actionModels(resource, finishing));
  const models = definitions
    .filter(({ sort }) => sort === 'model')
    .map((definition) => dataModel(definition, tables, actions, !broken.has(definition)));
  const unsound = new Set(models.filter(({ sound }) => !sound).map(({ name }) => name));
  const spoiled = spoiledIds(linked, (resource) => broken.has(resource.definition) || touches(resource, unsound));
  const resources = linked.map((resource, i) => {
    const [own = [], sound] = [actions[i], !spoiled.has(resource.id)];
    const work = (): ResourceModel => resourceModel(resource, own, sound);
    return finishing.memory.remember(resource, finishing.report, { name: 'model', reads: [own, sound], work });
  });
  return { resources, models };
}

function dataModel(
  definition: Definition,
  tables: Finishing['tables'],
  actions: readonly (readonly ActionModel[])[],
  sound: boolean,
): DataModel {
  const touching = actions.flatMap((own) => own.filter(({ secretModels }) => secretModels.includes(definition.name)));
  return {
    name: definition.name,
    table: tables.tableOf(definition.name),
    stores: tables.stores.of(definition.name),
    definition,
    fields: definition.node.members.flatMap(({ key, value }) =>
      value === null ? [] : [{ name: key, value: objectOf(value) }],
    ),
    added: tables.addedTo(definition.name),
    uniques: tables.uniques.get(definition.name) ?? [],
    secrets: new Set(touching.flatMap(({ secrets }) => secrets)),
    sound,
  };
}

const touches = ({ actions }: LinkedResource, unsound: ReadonlySet<string>): boolean =>
  unsound.size > 0 && actions.some(({ models }) => models.some((model) => unsound.has(model)));

function resourceModel(resource: LinkedResource, actions: readonly ActionModel[], sound: boolean): ResourceModel {
  const { definition } = resource;
  return {
    id: resource.id,
    path: resource.path,
    definition,
    value: objectOf(definition.node),
    actions,
    places: definition.finds.places.filter((place) => place.node === definition.node),
    payloadFields: resource.payloadFields,
    names: resource.names,
    generated: resource.generated,
    sources: resource.sources,
    sound,
  };
}

const NOTHING: Answers = new Map();

function actionModels(
  resource: LinkedResource,
  { tables, queries, memory, report }: Finishing,
): readonly ActionModel[] {
  const answers = queries.get(resource.definition)?.answers ?? NOTHING;
  const reads = [tables.stores.placedIn(resource.definition), answers];
  const work = () => resource.actions.map((action) => actionModel(resource, action, tables.stores, answers));
  return memory.remember(resource, report, { name: 'actions', reads, work });
}

const queriesIn = ({ statements, documents }: Finds, node: LocatedNode): readonly (SqlText | DocumentQuery)[] =>
  [...statements, ...documents].filter((query) => inside(query.node, node));

function actionModel(resource: LinkedResource, action: LinkedAction, stores: Stores, answers: Answers): ActionModel {
  const value = objectOf(action.node);
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
    places: resource.definition.finds.places.filter((place) => inside(place.node, action.node)),
    depends: action.edges.map((edge) => edge.to),
    parameters: action.parameters,
    repeat: action.repeat,
    models: action.models,
    stores: queriesIn(resource.definition.finds, action.node).flatMap((query) => stores.placeOf(query) ?? []),
    answers: columnsOf(resource, action.key, answers),
    secrets: action.secrets,
    secretModels: action.secretModels,
  };
}

/** Ids of the invalid resources and of all that depend on them. */
function spoiledIds(linked: readonly LinkedResource[], isBroken: (resource: LinkedResource) => boolean): Set<string> {
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

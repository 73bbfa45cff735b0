/**
 * The front end's spine: texts in, model and problems out. Pure and synchronous: no disk, no network, no environment
 * but the set of names it is given. The command line, the kernel and editors all run exactly this.
 */
import { asText, type Json } from '../contract/json.js';
import type { PluginId } from '../contract/plugin.js';
import type { Problem } from '../contract/problem.js';
import { Slot } from '../contract/slot.js';
import { EMPTY_OBJECT, type FieldNode } from '../schema/field-node.js';
import type { SqlParser } from '../language/sql-parser.js';
import { document, positionAt, type Document } from '../source/document.js';
import { parseSource } from '../source/tree.js';
import { CHAINS, checkChains } from './chains.js';
import { checkAccessors, type EnvFacts } from './checks/accessors.js';
import { checkModels } from './checks/models.js';
import { checkNames } from './checks/names.js';
import { checkPlugins } from './checks/plugins.js';
import { checkPurposes } from './checks/purposes.js';
import { checkOwners } from './checks/owners.js';
import { checkStatements, type Answers } from './checks/statements.js';
import { checkUses, columnsOf } from './checks/uses.js';
import type { Given } from './config.js';
import { catalogueOf } from './sql/catalogue.js';
import { checkTemplates } from './checks/templates.js';
import { classify } from './classify.js';
import { GRAMMAR } from './grammar.js';
import { checkGraph } from './graph.js';
import { inside, linkResources, objectOf, type LinkedAction, type LinkedResource } from './link.js';
import type { ActionModel, Analysis, DataModel, Definition, ResourceModel } from './model.js';
import type { Registry } from './registry.js';
import { linkParameters } from './parameters.js';
import { withRenamed } from './renamed.js';
import { byPlace, createReport, reportFaults, type Report } from './report.js';
import { linkModelReferences, resolveTables, type TableNames } from './tables.js';
import { linkRepeats } from './repeats.js';
import { modelSecrets, secretsOf } from './secret-names.js';
import { addTimestamps } from './timestamps.js';
import { collectUniques, type Uniques } from './uniques.js';
import { walk } from './walk.js';

export interface SourceFile {
  readonly file: string;
  readonly text: string;
  /** Why there is no text, when the file could not be read as UTF-8. */
  readonly unreadable?: string;
}

export interface AnalyseOptions {
  /** Environment variables that are set, with their measures; null when they are not known. */
  readonly env: EnvFacts | null;
  /** Reads SQL the way the database does; without it statements are scanned, and not judged against the models. */
  readonly sql?: SqlParser | undefined;
  /** The config, as far as definitions are judged by it; null or absent where none is known. */
  readonly given?: Given | null;
}

type Tables = TableNames & { readonly uniques: Uniques };

const RESOURCE_FIELD: FieldNode = { ...EMPTY_OBJECT, parts: [Slot.RESOURCE] };

export function analyse(files: readonly SourceFile[], registry: Registry, options: AnalyseOptions): Analysis {
  const report = createReport(registry.codes);
  const documents = new Map(files.map(({ file, text }) => [file, document(file, text)]));
  const definitions = files.flatMap((file) => read(file, documents, report));
  for (const definition of definitions) walkDefinition(definition, registry, report);
  const { env, given = null } = options;
  const context = { registry, report, env, given };
  for (const definition of definitions) {
    checkAccessors(context, definition);
    checkTemplates(registry, report, definition.doc, definition.finds);
  }
  checkPurposes(context, definitions);
  const tables = addTimestamps(definitions, resolveTables(definitions, report), report);
  const uniques = collectUniques(definitions, tables, report);
  linkModelReferences(definitions, tables, report);
  checkModels({ definitions, tables, uniques, registry, report });
  const catalogue = catalogueOf(definitions, tables);
  const answers: Answers = new Map();
  const unread = new Set(report.problems.flatMap(({ code, file }) => (code.startsWith('SRC_') ? [file] : [])));
  for (const definition of definitions) {
    // Half-typed text ends anywhere.
    if (unread.has(definition.doc.file)) continue;
    checkStatements({ registry, report, catalogue, sql: options.sql }, definition, answers);
  }
  const linked = linkResources(definitions, tables, report);
  linkRepeats(linked, registry, report);
  linkParameters(linked, { registry, tables, report });
  checkGraph(linked, registry, report);
  checkChains(linked, given?.chains ?? CHAINS, report);
  checkNames(linked, registry, report);
  const actionsOf = new Map(
    linked.map((one) => {
      const known = one.actions.map((action) => ({
        ...action,
        answers: columnsOf(one, action.key, answers),
        fields: fieldsOf(definitions, action.models),
      }));
      return [one.definition, known];
    }),
  );
  const secretsOfModel = modelSecrets(definitions, linked);
  for (const definition of definitions) {
    const actions = actionsOf.get(definition) ?? [];
    const touched = actions.flatMap(({ models }) => models.flatMap((model) => secretsOfModel.get(model) ?? []));
    const named = [...touched, ...actions.flatMap((action) => secretsOf(definition, action))];
    const secrets = withRenamed(named, definition.finds.statements);
    checkPlugins(context, definition, definition.finds.places, { actions, secrets });
  }
  checkOwners(registry, report, linked);
  const broken = brokenDefinitions(definitions, report.problems);
  checkUses({ registry, report, answers, broken }, linked);
  return finish(definitions, linked, { ...tables, uniques }, documents, report);
}

/** As models write them; what two models say differently of one name is left out. */
function fieldsOf(
  definitions: readonly Definition[],
  models: readonly string[],
): ReadonlyMap<string, Readonly<Record<string, Json>>> {
  const found = new Map<string, Readonly<Record<string, Json>> | null>();
  for (const { sort, name, node } of definitions) {
    if (sort !== 'model' || !models.includes(name)) continue;
    for (const { key, value } of node.members) {
      if (value !== null) found.set(key.toLowerCase(), found.has(key.toLowerCase()) ? null : objectOf(value));
    }
  }
  return new Map([...found].flatMap(([key, field]) => (field === null ? [] : [[key, field] as const])));
}

function read(
  { file, text, unreadable }: SourceFile,
  documents: ReadonlyMap<string, Document>,
  report: Report,
): Definition[] {
  const doc = documents.get(file) ?? document(file, text);
  if (unreadable !== undefined) {
    report.add('SRC_UNREADABLE', { doc, start: 0, end: 0 }, { what: unreadable });
    return [];
  }
  const { root, faults } = parseSource(doc);
  reportFaults(doc, faults, report);
  return root === null ? [] : classify(doc, root, report);
}

function walkDefinition({ sort, doc, node, finds }: Definition, registry: Registry, report: Report): void {
  const context = { doc, registry, report, finds };
  if (sort === 'resource') walk(context, node, RESOURCE_FIELD, 'this resource');
  else walk(context, node, GRAMMAR[Slot.MODEL] ?? EMPTY_OBJECT, 'this model');
}

function finish(
  definitions: readonly Definition[],
  linked: readonly LinkedResource[],
  tables: Tables,
  documents: ReadonlyMap<string, Document>,
  report: Report,
): Analysis {
  const problems = [...report.problems].sort(byPlace);
  const broken = brokenDefinitions(definitions, problems);
  const allActions = linked.flatMap((resource) => resource.actions.map((action) => actionModel(resource, action)));
  const models = definitions
    .filter((d) => d.sort === 'model')
    .map((d) => dataModel(d, tables, allActions, !broken.has(d)));
  const unsoundModels = new Set(models.filter((model) => !model.sound).map((model) => model.name));
  const drafts = linked.map((resource) => resourceModel(resource, broken, unsoundModels));
  const uses = new Set<PluginId>(definitions.flatMap((definition) => [...definition.finds.uses]));
  return Object.freeze({ resources: withoutBrokenTargets(drafts), models, problems, uses, documents });
}

/** An error spoils the definition it stands in; an error outside all definitions of a file spoils all of them. */
function brokenDefinitions(definitions: readonly Definition[], problems: readonly Problem[]): Set<Definition> {
  const broken = new Set<Definition>();
  for (const problem of problems) {
    if (problem.severity !== 'error') continue;
    const here = definitions.filter((definition) => definition.doc.file === problem.file);
    const around = here.filter((definition) => contains(definition, problem));
    for (const definition of around.length > 0 ? around : here) broken.add(definition);
  }
  return broken;
}

function contains({ doc, node }: Definition, problem: Problem): boolean {
  const start = positionAt(doc, node.start);
  const end = positionAt(doc, node.end);
  const at = problem.range.start;
  const afterStart = at.line > start.line || (at.line === start.line && at.character >= start.character);
  const beforeEnd = at.line < end.line || (at.line === end.line && at.character <= end.character);
  return afterStart && beforeEnd;
}

function dataModel(definition: Definition, tables: Tables, actions: readonly ActionModel[], sound: boolean): DataModel {
  const touching = actions.filter(({ models }) => models.includes(definition.name));
  return {
    name: definition.name,
    table: tables.tableOf(definition.name),
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

function resourceModel(
  resource: LinkedResource,
  broken: ReadonlySet<Definition>,
  unsoundModels: ReadonlySet<string>,
): ResourceModel {
  const { definition } = resource;
  const actions = resource.actions.map((action) => actionModel(resource, action));
  const touchesBroken = actions.some((action) => action.models.some((model) => unsoundModels.has(model)));
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
    sound: !broken.has(definition) && !touchesBroken,
  };
}

function actionModel(resource: LinkedResource, action: LinkedAction): ActionModel {
  const value = objectOf(action.node);
  return {
    key: action.key,
    resource: resource.id,
    id: action.id,
    mode: asText(value['mode']),
    noOp: action.noOp,
    main: action.main,
    parallel: action.parallel,
    definition: resource.definition,
    node: action.node,
    value,
    places: resource.definition.finds.places.filter((place) => inside(place.node, action.node)),
    depends: action.edges.map((edge) => edge.to),
    parameters: action.parameters,
    repeat: action.repeat,
    models: action.models,
    secrets: secretsOf(resource.definition, action),
  };
}

/** A resource that depends on a broken one is broken too, through any number of steps. */
function withoutBrokenTargets(resources: readonly ResourceModel[]): ResourceModel[] {
  const broken = new Set(resources.filter((resource) => !resource.sound).map((resource) => resource.id));
  const owner = new Map(resources.flatMap((resource) => resource.actions.map((action) => [action.key, resource.id])));
  for (let before = -1; before !== broken.size;) {
    before = broken.size;
    for (const resource of resources) {
      const targets = resource.actions.flatMap((action) => action.depends.map((key) => owner.get(key) ?? ''));
      if (targets.some((id) => broken.has(id))) broken.add(resource.id);
    }
  }
  return resources.map((resource) => ({ ...resource, sound: resource.sound && !broken.has(resource.id) }));
}

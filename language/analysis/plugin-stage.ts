/** Runs the checks of plugins, with the facts that they may read. */
import type { Json } from '../../contract/json.js';
import { recordEnv, type EnvFacts } from './checks/accessors.js';
import { listIssuers } from './checks/claims.js';
import { checkDocumentTypes } from './checks/document-types.js';
import { checkPlugins, type FixContext, type ModelField } from './checks/plugins.js';
import type { ResultColumns } from './checks/statements.js';
import { findResultColumns } from './checks/uses.js';
import type { WholeSet } from './link-group.js';
import { hasIdentifyingGuard, hasSafeEdits } from './fix-guards.js';
import { toJsonObject } from '../source/tree.js';
import type { LinkedAction, LinkedResource } from './linked-resource.js';
import type { Lookups, StageInput } from './stage-cache.js';
import { findStoredSecrets } from './stored-secrets.js';
import type { Definition } from './model.js';
import { memoize } from './memoize.js';
import { addRenamed, findCopies } from './renamed-columns.js';
import { mapOwners, listPathReads, listReachedResources } from './path-reads.js';
import type { Report } from './report.js';
import { createSecretTest, type SecretContext } from './result-secrets.js';
import { createSecretFlow } from './secret-flow.js';
import { listModelSecrets, findRenamedFields } from './secret-names.js';
import type { TableNames } from './tables.js';
import type { UniqueFields } from './uniques.js';

export function checkAllPlugins(
  set: WholeSet,
  definitions: readonly Definition[],
  linked: readonly LinkedResource[],
  uniques: UniqueFields,
): void {
  const { registry, memory, report, env, given, tables, queries } = set;
  const settings = given && { testing: given.testing, profile: given.profile, outbound: given.outbound };
  const connections = given?.websocket.enabled ?? null;
  const settingsText = JSON.stringify([settings, connections]);
  const resourceOf = new Map(linked.map((resource) => [resource.definition, resource]));
  const models: readonly Definition[] = definitions.filter(({ sort }) => sort === 'model');
  const secretsOfModel = listModelSecrets(definitions, linked);
  const owners = mapOwners(linked);
  const issuers = linked.flatMap((resource) => listIssuers(resource, registry));
  const tokens = issuers.map(({ place, issued }) => JSON.stringify([place.sound, issued]));
  const modelsNamed = new Map<string, readonly Definition[]>();
  for (const model of models) modelsNamed.set(model.name, [...(modelsNamed.get(model.name) ?? []), model]);
  const source: PluginFacts = set.reuseUnchanged('facts of plugins', [env, tables, models], { env, tables, models });
  const ofModel = (model: string): readonly string[] => secretsOfModel.get(model) ?? [];
  const listColumns = (names: readonly string[]): ReadonlySet<string> =>
    new Set(names.flatMap((model) => tables.listFields(model)).map((name) => name.toLowerCase()));
  const listFields = (model: string): readonly string[] => tables.listFields(model);
  const described = new Map<LinkedResource, SecretContext>();
  const describeSecrets = (resource: LinkedResource): SecretContext => {
    const known = described.get(resource);
    if (known !== undefined) return known;
    const { documents, statements } = resource.definition.finds;
    const { touched, secrets: own } = summarizeActions(resource);
    const behind = resource.actions.map((action) => action.behind);
    const names = addRenamed(
      [...[...touched, ...behind.flatMap(({ models: read }) => read)].flatMap(ofModel), ...own],
      statements,
      listColumns(touched),
      behind.flatMap(({ objects }) => objects),
    );
    const context = { ofModel, named: findRenamedFields(documents, names), own };
    described.set(resource, context);
    return context;
  };
  const listModelColumns = ({ models: used }: LinkedAction): ReadonlySet<string> => listColumns(used);
  const flow = createSecretFlow(linked, { registry, queries, describeSecrets, listColumns: listModelColumns });
  for (const definition of definitions) {
    const resource = resourceOf.get(definition);
    const queried = queries.get(definition);
    const answers: ResultColumns = queried?.answers ?? NO_ANSWERS;
    const { touched, secrets: ownSecrets, said } = resource === undefined ? NOTHING : summarizeActions(resource);
    const protectedIn = touched.map(ofModel);
    const inPath = resource === undefined ? [] : listPathReads(resource, owners, registry);
    const checkDefinition = (lookups: Lookups<PluginFacts>, own: Report): void => {
      if (resource !== undefined) checkDocumentTypes(resource, models, { registry, report: own });
      const secretContext = resource === undefined ? NO_SECRETS : describeSecrets(resource);
      const marked = new Set([...protectedIn.flat(), ...ownSecrets]);
      for (const { statement, column } of findCopies(marked, definition.finds.statements)) {
        const { start, end } = statement.node;
        own.add('LNK_SECRET_COPIED', { doc: definition.doc, start, end }, { column });
      }
      const open = (resource?.actions ?? []).map((action) =>
        resource === undefined ? [] : flow.listOpenSecrets(resource, action),
      );
      for (const { node, path, written } of open.flat())
        if (written)
          own.add(
            'LNK_SECRET_COPIED',
            { doc: definition.doc, start: node.start, end: node.end },
            { column: path.join('.') },
          );
      for (const action of resource?.actions ?? []) {
        const sent = resource === undefined ? [] : flow.listSent(resource, action);
        const byNode = new Map(sent.map((one) => [one.node, one]));
        for (const { node, name } of byNode.values())
          own.add('LNK_SECRET_SENT', { doc: definition.doc, start: node.start, end: node.end }, { name });
        for (const { spot, object, names } of findStoredSecrets(definition, action, { ofModel, listColumns }))
          own.add('LNK_SECRET_STORED', spot, { object, names: names.join(', ') });
      }
      const known = (resource?.actions ?? []).map((action, i) => ({
        ...getActionFacts(action),
        secretReads: (resource === undefined ? [] : flow.listReads(resource, action)).map(({ node, name, root }) => ({
          at: node.pointer.slice(action.node.pointer.length),
          name,
          root,
        })),
        openSecrets: (open[i] ?? []).map(({ node, name, path }) => ({
          at: node.pointer.slice(action.node.pointer.length),
          name,
          path: path.join('.'),
        })),
        answers: findResultColumns(resource, action.key, answers),
        isSecret: resource === undefined ? () => false : createSecretTest(resource, action, queried, secretContext),
        get names() {
          return [...new Set(action.models.flatMap((model) => readFields(lookups, model)))];
        },
        get fields() {
          return readDefinedFields(lookups, action.models);
        },
        fieldsOf: (table: string) => {
          const model = readModel(lookups, table);
          return model === null || !action.models.includes(model)
            ? null
            : { model, names: readFields(lookups, model), fields: readDefinedFields(lookups, [model]) };
        },
        uniques: listUniqueNames(action.models, uniques),
      }));
      const context = { registry, report: own, env: env && recordEnv(lookups, getEnv), given: settings, connections };
      const modelField: ModelField = (name) => readField(lookups, touched, name);
      const mayEdit: FixContext['mayEdit'] = (node, edits) =>
        resource === undefined || hasSafeEdits(resource, { registry, issuers }, node, edits);
      const isSecretName = (path: string): boolean =>
        resource !== undefined && flow.isSecretName(resource, path.split('.'));
      const facts = { actions: known, secrets: secretContext.named, isSecretName, inPath, modelField, mayEdit };
      checkPlugins(context, definition, definition.finds.places, facts);
    };
    const written = touched.map((model) => modelsNamed.get(model));
    const free = touched.map((model) => uniques.get(model) ?? null);
    const accepted = resource !== undefined && hasIdentifyingGuard(registry, resource) ? tokens : null;
    const reached =
      resource === undefined
        ? []
        : listReachedResources(resource, owners).map(
            (one) => [one, queries.get(one.definition), summarizeActions(one).touched.map(ofModel)] as const,
          );
    const behind = (resource?.actions ?? []).map(
      (action) => [action.behind.objects, action.behind.models.map(ofModel)] as const,
    );
    const secretNames = [
      protectedIn,
      ownSecrets,
      behind.map(([, names]) => names),
      reached.map(([one, , names]) => [names.flat(), summarizeActions(one).secrets]),
    ];
    // Only then a name that a statement makes of a column is searched for.
    const hasSecrets = secretNames.flat(3).length > 0;
    const reads = [
      behind,
      reached,
      definition.finds.documents.length > 0 ? [resource, written] : null,
      env === null,
      settingsText,
      said,
      queried,
      protectedIn,
      ownSecrets,
      hasSecrets ? [...touched, ...reached.flatMap(([one]) => summarizeActions(one).touched)].map(listFields) : null,
      free,
      inPath,
      accepted,
    ];
    memory.getOrLookUp(definition, report, { name: 'plugins', reads, source, compute: checkDefinition });
  }
}

/** What checks look up, beyond their definition and the results of earlier stages. */
interface PluginFacts {
  readonly env: EnvFacts | null;
  readonly tables: TableNames;
  readonly models: readonly Definition[];
}

// The lookups are kept: here, they hold nothing of the run that made them.
const readFields = ({ readAnswer }: Lookups<PluginFacts>, model: string): readonly string[] =>
  readAnswer(`columns of ${model}`, ({ tables }) => tables.listFields(model));

const readModel = ({ readAnswer }: Lookups<PluginFacts>, table: string): string | null =>
  readAnswer(`model of ${table}`, ({ tables }) => tables.findModel(table) ?? null);

type DefinedFields = ReturnType<typeof mapFields>;

const printFields = (fields: DefinedFields): string => JSON.stringify([...fields]);

const readDefinedFields = ({ readAnswer }: Lookups<PluginFacts>, names: readonly string[]): DefinedFields =>
  readAnswer(`fields of ${names.join()}`, ({ models }) => mapFields(models, names), printFields);

const readField = (
  { readAnswer }: Lookups<PluginFacts>,
  names: readonly string[],
  field: string,
): ReturnType<ModelField> =>
  readAnswer(
    `field ${field}`,
    ({ models }) => findField(models, names, field),
    (found) => found?.node,
  );

const getEnv = ({ env }: PluginFacts): EnvFacts | null => env;

const getActionFacts = ({ index, noOp, main, models, timing }: LinkedAction) => ({ index, noOp, main, models, timing });

/** In lower case, including the columns of combinations. */
const listUniqueNames = (models: readonly string[], uniques: UniqueFields): ReadonlySet<string> =>
  new Set(
    models.flatMap((model) => uniques.get(model) ?? []).flatMap((names) => names.map((name) => name.toLowerCase())),
  );

const NO_SECRETS: SecretContext = { ofModel: () => [], named: new Set(), own: [] };
const NO_ANSWERS: ResultColumns = new Map();
const NOTHING = { touched: [], secrets: [], said: [] };

/** `said`: the facts that checks read, as cache keys. */
const summarizeActions = memoize(({ actions }: LinkedResource) => ({
  touched: [...new Set(actions.flatMap(({ models }) => models))],
  secrets: actions.flatMap(({ secrets }) => secrets),
  said: actions.map(({ index, noOp, main, models, timing }): StageInput[] => {
    return [index, noOp, main, models, timing.scheduled, timing.later, timing.own];
  }),
}));

/** By lower-case name; a name that two models define is omitted. */
function mapFields(
  models: readonly Definition[],
  names: readonly string[],
): ReadonlyMap<string, Readonly<Record<string, Json>>> {
  const found = new Map<string, Readonly<Record<string, Json>> | null>();
  for (const { name, node } of models) {
    if (!names.includes(name)) continue;
    for (const { key, value } of node.members) {
      if (value !== null) found.set(key.toLowerCase(), found.has(key.toLowerCase()) ? null : toJsonObject(value));
    }
  }
  return new Map([...found].flatMap(([key, field]) => (field === null ? [] : [[key, field] as const])));
}

function findField(models: readonly Definition[], names: readonly string[], field: string): ReturnType<ModelField> {
  const found = models.flatMap(({ name, doc, node }) =>
    names.includes(name)
      ? node.members.flatMap(({ key, value }) => (key === field && value !== null ? [{ doc, node: value }] : []))
      : [],
  );
  return found.length === 1 ? (found[0] ?? null) : null;
}

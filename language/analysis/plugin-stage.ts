/** Runs the checks of plugins, with the facts they read. */
import { recordEnv } from './checks/accessors.js';
import { listIssuersIn, type Issuer } from './checks/claims.js';
import { checkDocumentTypes } from './checks/document-types.js';
import { checkPlugins, NO_RESOURCE, type CheckedResource, type FixContext } from './checks/plugins.js';
import type { ResultColumns } from './checks/statements.js';
import { findResultColumns } from './checks/uses.js';
import { spreadOverSet, type LinkedGroup, type WholeSet } from './link-group.js';
import { hasSafeEdits } from './fix-guards.js';
import type { LinkedAction, LinkedResource } from './linked-resource.js';
import type { Blocks, Lookups, StageInput } from './stage-cache.js';
import { flatMapInSteps, type Steps } from './steps.js';
import { findStoredSecrets } from './stored-secrets.js';
import type { Definition } from './model.js';
import { memoize, memoizeWith } from './memoize.js';
import { addRenamed, findCopies } from './renamed-columns.js';
import { mapOwners, listPathReads, listReachedResources } from './path-reads.js';
import {
  getEnv,
  readDefinedFields,
  readField,
  readFields,
  readModel,
  readModels,
  readSecrets,
  readTokens,
  readUniqueNames,
  recordSettings,
  type PluginLookups,
} from './plugin-lookups.js';
import type { Registry } from './registry.js';
import type { Report } from './report.js';
import { createSecretTest, type SecretContext } from './result-secrets.js';
import { createSecretFlow, type SecretFlow } from './secret-flow.js';
import { listModelSecrets, findRenamedFields } from './secret-names.js';
import type { UniqueFields } from './uniques.js';

export interface PluginStageInput {
  readonly definitions: readonly Definition[];
  readonly blocks: Blocks<Definition>;
  readonly groups: Blocks<LinkedGroup>;
  readonly linked: Blocks<LinkedResource>;
  readonly uniques: UniqueFields;
}

export function* checkAllPlugins(
  set: WholeSet,
  { definitions, blocks, groups, linked, uniques }: PluginStageInput,
): Steps<void> {
  const { registry, memory, report, env, given, tables, queries } = set;
  const models = new Map<string, Definition[]>();
  for (const one of definitions) if (one.sort === 'model') models.set(one.name, [...(models.get(one.name) ?? []), one]);
  const secrets = listModelSecrets(definitions, linked);
  const issuers = yield* flatMapInSteps(linked, (block) => listIssuersIn(block, registry));
  const tokens = linked.flatMap((block) => printTokens(block, registry));
  const facts: PluginLookups = { env, given, tables, models, secrets, uniques, tokens };
  const source = set.reuseUnchanged('facts of plugins', Object.values(facts), facts);
  const ofModel = (model: string): readonly string[] => secrets.get(model) ?? [];
  const listColumns = (names: readonly string[]): ReadonlySet<string> =>
    new Set(names.flatMap((model) => tables.listFields(model)).map((name) => name.toLowerCase()));
  const described = new Map<LinkedResource, SecretContext>();
  const describeSecrets = (resource: LinkedResource): SecretContext => {
    const known = described.get(resource);
    if (known !== undefined) return known;
    const { documents, statements } = resource.definition.finds;
    const { touched, secrets: own, behind } = summarizeActions(resource);
    const names = addRenamed(
      [...[...touched, ...behind].flatMap(ofModel), ...own],
      statements,
      listColumns(touched),
      resource.actions.flatMap((action) => action.behind.objects),
    );
    const context = { ofModel, named: findRenamedFields(documents, names), own };
    described.set(resource, context);
    return context;
  };
  const listModelColumns = ({ models: used }: LinkedAction): ReadonlySet<string> => listColumns(used);
  const flows = new Map<LinkedGroup, SecretFlow>();
  const getFlow = (group: LinkedGroup): SecretFlow => {
    const context = { registry, queries, describeSecrets, listColumns: listModelColumns };
    const flow = flows.get(group) ?? createSecretFlow(group.linked, context);
    flows.set(group, flow);
    return flow;
  };

  function checkResource(
    { group, resource, reached, inPath }: GroupPlace,
    lookups: Lookups<PluginLookups>,
    own: Report,
  ): void {
    const { definition, actions } = resource;
    const flow = getFlow(group);
    const queried = queries.get(definition);
    const { touched, secrets: ownSecrets } = summarizeActions(resource);
    recordSecrets(lookups, resource, reached);
    if (definition.finds.documents.length > 0)
      checkDocumentTypes(resource, readModels(lookups, touched), { registry, report: own });
    const secretContext = describeSecrets(resource);
    const marked = new Set([...touched.flatMap(ofModel), ...ownSecrets]);
    for (const { statement, column } of findCopies(marked, definition.finds.statements)) {
      const { start, end } = statement.node;
      own.add('LNK_SECRET_COPIED', { doc: definition.doc, start, end }, { column });
    }
    const open = actions.map((action) => flow.listOpenSecrets(resource, action));
    for (const { node, path, written } of open.flat())
      if (written)
        own.add(
          'LNK_SECRET_COPIED',
          { doc: definition.doc, start: node.start, end: node.end },
          { column: path.join('.') },
        );
    for (const action of actions) {
      const sent = flow.listSent(resource, action);
      const byNode = new Map(sent.map((one) => [one.node, one]));
      for (const { node, name } of byNode.values())
        own.add('LNK_SECRET_SENT', { doc: definition.doc, start: node.start, end: node.end }, { name });
      for (const { spot, object, names } of findStoredSecrets(definition, action, { ofModel, listColumns }))
        own.add('LNK_SECRET_STORED', spot, { object, names: names.join(', ') });
    }
    const known = actions.map((action, i) => ({
      ...getActionFacts(action),
      secretReads: flow.listReads(resource, action).map(({ node, name, root }) => ({
        at: node.pointer.slice(action.node.pointer.length),
        name,
        root,
      })),
      openSecrets: (open[i] ?? []).map(({ node, name, path }) => ({
        at: node.pointer.slice(action.node.pointer.length),
        name,
        path: path.join('.'),
      })),
      answers: findResultColumns(resource, action.key, queried?.answers ?? NO_ANSWERS),
      isSecret: createSecretTest(resource, action, queried, secretContext),
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
      get uniques() {
        return readUniqueNames(lookups, action.models);
      },
    }));
    const mayEdit: FixContext['mayEdit'] = (node, edits) => {
      const listAllIssuers = (): readonly Issuer[] => {
        readTokens(lookups);
        return issuers;
      };
      return hasSafeEdits(resource, { registry, listIssuers: listAllIssuers }, node, edits);
    };
    const isSecretName = (path: string): boolean => flow.isSecretName(resource, path.split('.'));
    runChecks(definition, lookups, own, {
      actions: known,
      secrets: secretContext.named,
      isSecretName,
      inPath,
      mayEdit,
      modelField: (name) => readField(lookups, touched, name),
    });
  }

  function runChecks(
    definition: Definition,
    lookups: Lookups<PluginLookups>,
    own: Report,
    place: CheckedResource,
  ): void {
    const settings = given === null ? null : recordSettings(lookups);
    const context = { registry, report: own, env: env && recordEnv(lookups, getEnv), given: settings };
    checkPlugins(context, definition, definition.finds.places, place);
  }

  yield* flatMapInSteps(groups, (block) => readGroups(block, registry));
  const places = spreadOverSet(linked, groups, (at) => readGroups(groups[at] ?? [], registry));
  const findPlace = (definition: Definition, at: number): GroupPlace | undefined =>
    places[at]?.find(({ resource }) => resource.definition === definition);
  yield* memory.getOrLookUpAll(blocks, report, {
    name: 'plugins',
    reads: [env === null, given === null],
    readsOf: (definition, at) => findPlace(definition, at)?.reads ?? null,
    readsOfBlock: (at) => places[at],
    source,
    compute: (definition, lookups: Lookups<PluginLookups>, own, at) => {
      const place = findPlace(definition, at);
      if (place === undefined) runChecks(definition, lookups, own, NO_RESOURCE);
      else checkResource(place, lookups, own);
    },
  });
}

const printTokens = memoizeWith((block: readonly LinkedResource[], registry: Registry) =>
  listIssuersIn(block, registry).map(printToken),
);

const printToken = memoize(({ place, issued }: Issuer): string => JSON.stringify([place.sound, issued]));

/** A resource with what its checks read of its group. */
interface GroupPlace {
  readonly group: LinkedGroup;
  readonly resource: LinkedResource;
  readonly reached: readonly LinkedResource[];
  readonly inPath: readonly string[];
  readonly reads: readonly StageInput[];
}

/** A group that is linked again is another object, but most resources read the same of it. */
const readGroup = memoizeWith((group: LinkedGroup, registry: Registry): readonly GroupPlace[] => {
  const { linked, queries } = group;
  const owners = mapOwners(linked);
  return linked.map((resource) => {
    const { definition, actions } = resource;
    const { said, secrets } = summarizeActions(resource);
    const reached = listReachedResources(resource, owners);
    const inPath = listPathReads(resource, owners, registry);
    const reads = [
      ...[said, secrets, inPath, queries.get(definition)],
      actions.map(({ behind }) => [behind.objects, behind.models]),
      reached.map((one) => [one, queries.get(one.definition)]),
      definition.finds.documents.length > 0 ? resource : null,
    ];
    return { group, resource, reached, inPath, reads };
  });
});

const readGroups = memoizeWith((block: readonly LinkedGroup[], registry: Registry): readonly GroupPlace[] =>
  block.flatMap((group) => readGroup(group, registry)),
);

/** The secrets that the resource and those it reaches can read, and then the columns of their tables. */
function recordSecrets(
  lookups: Lookups<PluginLookups>,
  resource: LinkedResource,
  reached: readonly LinkedResource[],
): void {
  let hasSecrets = false;
  for (const one of [resource, ...reached]) {
    const { touched, behind, secrets } = summarizeActions(one);
    if (secrets.length > 0) hasSecrets = true;
    for (const model of [...touched, ...behind]) if (readSecrets(lookups, model).length > 0) hasSecrets = true;
  }
  // Only then names that statements make of columns are searched for.
  if (!hasSecrets) return;
  for (const one of [resource, ...reached]) {
    const { touched, behind } = summarizeActions(one);
    for (const model of [...touched, ...behind]) readFields(lookups, model);
  }
}

const getActionFacts = ({ index, noOp, main, models, timing }: LinkedAction) => ({ index, noOp, main, models, timing });

const NO_ANSWERS: ResultColumns = new Map();

/** `said`: facts that checks read, as cache keys; `behind`: models of views and functions. */
const summarizeActions = memoize(({ actions }: LinkedResource) => ({
  touched: [...new Set(actions.flatMap(({ models }) => models))],
  behind: [...new Set(actions.flatMap(({ behind }) => behind.models))],
  secrets: actions.flatMap(({ secrets }) => secrets),
  said: actions.map(({ index, noOp, main, models, timing }): StageInput[] => {
    return [index, noOp, main, models, timing.scheduled, timing.later, timing.own];
  }),
}));

/** Runs the checks of plugins, with the facts that they may read. */
import type { Json } from '../contract/json.js';
import { issuersIn } from './checks/claims.js';
import { checkPlugins, type Fixing, type ModelField } from './checks/plugins.js';
import type { Answers } from './checks/statements.js';
import { columnsOf } from './checks/uses.js';
import type { WholeSet } from './link-group.js';
import { keepsGuards, tellsCallersApart } from './fix-guards.js';
import { objectOf } from '../source/tree.js';
import type { LinkedAction, LinkedResource } from './linked.js';
import type { Read } from './memory.js';
import type { Definition } from './model.js';
import { once } from './once.js';
import { withRenamed } from './renamed.js';
import { ownersOf, pathReads } from './path-reads.js';
import type { Report } from './report.js';
import { secretResult } from './result-secrets.js';
import { modelSecrets, renamedIn } from './secret-names.js';
import type { Uniques } from './uniques.js';

export function checkAllPlugins(
  set: WholeSet,
  definitions: readonly Definition[],
  linked: readonly LinkedResource[],
  uniques: Uniques,
): void {
  const { registry, memory, report, env, given, tables, queries } = set;
  const resourceOf = new Map(linked.map((resource) => [resource.definition, resource]));
  const models = definitions.filter(({ sort }) => sort === 'model');
  const secretsOfModel = modelSecrets(definitions, linked);
  const owners = ownersOf(linked);
  const issuers = linked.flatMap((resource) => issuersIn(resource, registry));
  const tokens = issuers.map(({ place, issued }) => JSON.stringify([place.sound, issued]));
  const modelsNamed = new Map<string, readonly Definition[]>();
  for (const model of models) modelsNamed.set(model.name, [...(modelsNamed.get(model.name) ?? []), model]);
  for (const definition of definitions) {
    const resource = resourceOf.get(definition);
    const queried = queries.get(definition);
    const answers: Answers = queried?.answers ?? NO_ANSWERS;
    const { touched, secrets: ownSecrets, said } = resource === undefined ? NOTHING : workOf(resource);
    const ofModel = (model: string): readonly string[] => secretsOfModel.get(model) ?? [];
    const protectedIn = touched.map(ofModel);
    const inPath = resource === undefined ? [] : pathReads(resource, owners, registry);
    const work = (own: Report): void => {
      const { documents, statements } = definition.finds;
      const secrets = renamedIn(documents, withRenamed([...protectedIn.flat(), ...ownSecrets], statements));
      const secretContext = { ofModel, named: secrets, own: ownSecrets };
      const known = (resource?.actions ?? []).map((action) => ({
        ...actionFacts(action),
        answers: columnsOf(resource, action.key, answers),
        isSecret: resource === undefined ? () => false : secretResult(resource, action, queried, secretContext),
        names: [...new Set(action.models.flatMap((model) => tables.fieldsOf(model)))],
        fields: fieldsOf(models, action.models),
        uniques: uniqueNames(action.models, uniques),
      }));
      const context = { registry, report: own, env, given };
      const modelField = fieldIn(models, touched);
      const mayEdit: Fixing['mayEdit'] = (node, edits) =>
        resource === undefined || keepsGuards(resource, { registry, issuers }, node, edits);
      const facts = { actions: known, secrets, inPath, modelField, mayEdit };
      checkPlugins(context, definition, definition.finds.places, facts);
    };
    const written = touched.map((model) => modelsNamed.get(model));
    const columns = touched.map((model) => tables.fieldsOf(model));
    const free = touched.map((model) => uniques.get(model) ?? null);
    const accepted = resource !== undefined && tellsCallersApart(registry, resource) ? tokens : null;
    const reads = [env, given, said, queried, protectedIn, ownSecrets, written, columns, free, inPath, accepted];
    memory.remember(definition, report, { name: 'plugins', reads, work });
  }
}

const actionFacts = ({ index, noOp, main, models, timing }: LinkedAction) => ({ index, noOp, main, models, timing });

/** In lower case, including the columns of combinations. */
const uniqueNames = (models: readonly string[], uniques: Uniques): ReadonlySet<string> =>
  new Set(
    models.flatMap((model) => uniques.get(model) ?? []).flatMap((names) => names.map((name) => name.toLowerCase())),
  );

const NO_ANSWERS: Answers = new Map();
const NOTHING = { touched: [], secrets: [], said: [] };

/** `said`: the facts that checks read, as cache keys. */
const workOf = once(({ actions }: LinkedResource) => ({
  touched: [...new Set(actions.flatMap(({ models }) => models))],
  secrets: actions.flatMap(({ secrets }) => secrets),
  said: actions.map(({ index, noOp, main, models, timing }): Read[] => {
    return [index, noOp, main, models, timing.scheduled, timing.later, timing.own];
  }),
}));

/** By lower-case name; a name that two models define is omitted. */
function fieldsOf(
  models: readonly Definition[],
  names: readonly string[],
): ReadonlyMap<string, Readonly<Record<string, Json>>> {
  const found = new Map<string, Readonly<Record<string, Json>> | null>();
  for (const { name, node } of models) {
    if (!names.includes(name)) continue;
    for (const { key, value } of node.members) {
      if (value !== null) found.set(key.toLowerCase(), found.has(key.toLowerCase()) ? null : objectOf(value));
    }
  }
  return new Map([...found].flatMap(([key, field]) => (field === null ? [] : [[key, field] as const])));
}

const fieldIn =
  (models: readonly Definition[], names: readonly string[]): ModelField =>
  (field) => {
    const found = models.flatMap(({ name, doc, node }) =>
      names.includes(name)
        ? node.members.flatMap(({ key, value }) => (key === field && value !== null ? [{ doc, node: value }] : []))
        : [],
    );
    return found.length === 1 ? (found[0] ?? null) : null;
  };

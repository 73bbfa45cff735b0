/** The names that are not returned by default: hashed, encrypted, or secret in a model. */
import { asText } from '../../contract/json.js';
import { listAccessors } from '../strings/accessor.js';
import { isInside } from './report.js';
import type { LinkedAction, LinkedResource } from './linked-resource.js';
import { type LocatedNode, toJsonObject } from '../source/tree.js';
import type { DocumentQuery } from './facts.js';
import { memoize } from './memoize.js';
import type { Definition } from './model.js';
import type { Blocks } from './stage-cache.js';
import { NO_INDIRECT_USES, type IndirectUses, type StoredObjects } from './stored-objects.js';
import type { TableNames } from './tables.js';

export function linkSecrets(
  resources: readonly LinkedResource[],
  tables: Pick<TableNames, 'findModel'>,
  objects: StoredObjects,
): void {
  for (const { definition, actions } of resources) {
    for (const action of actions) {
      action.behind = findBehind(definition, action, tables, objects);
      action.secrets = listSecrets(definition, action);
      action.secretModels = action.secrets.length === 0 ? [] : findSecretModels(definition, action, tables);
    }
  }
}

function findBehind(
  { finds }: Definition,
  { node }: LinkedAction,
  tables: Pick<TableNames, 'findModel'>,
  { listUsed }: StoredObjects,
): IndirectUses {
  const objects = listUsed(finds.statements.filter((one) => isInside(one.node, node)));
  if (objects.length === 0) return NO_INDIRECT_USES;
  const models = objects.flatMap(({ scan }) => scan.tables.flatMap(({ name }) => tables.findModel(name) ?? []));
  return { objects, models: [...new Set(models)] };
}

/**
 * The models that hold the secrets: those written, else those read to decrypt or compare. Sending a value makes no
 * column secret.
 */
function findSecretModels(
  { finds }: Definition,
  action: LinkedAction,
  tables: Pick<TableNames, 'findModel'>,
): readonly string[] {
  const statements = finds.statements.filter(({ node }) => isInside(node, action.node));
  const targets = statements.flatMap(({ scan: { target, verb } }) =>
    target === null || (verb !== 'INSERT' && verb !== 'UPDATE') ? [] : [target.name],
  );
  if (targets.length > 0) return targets.flatMap((name) => tables.findModel(name) ?? []);
  const isDocument = finds.documents.some(({ node }) => isInside(node, action.node));
  const secret = finds.declarations.filter(({ symbol, spot }) => symbol === 'secret' && isInside(spot, action.node));
  // Hashed or encrypted payload fields that no table stores.
  const sent = new Set(
    finds.references.flatMap(({ refers, spot }) =>
      refers.symbol === 'payload-field' && refers.named ? [spot.start] : [],
    ),
  );
  return isDocument || secret.some(({ spot }) => !sent.has(spot.start)) ? action.models : [];
}

/** The payload names and the columns they are written to. */
function listSecrets({ finds }: Definition, action: LinkedAction): string[] {
  const fields = finds.declarations
    .filter(({ symbol, spot }) => symbol === 'secret' && isInside(spot, action.node))
    .map(({ name }) => name);
  if (fields.length === 0) return [];
  // Bare, or as the path of an accessor.
  const isSecret = (text: string): boolean =>
    fields.includes(text) || listAccessors(text).some(({ tail }) => fields.includes(tail.join('.')));
  /** The column holds a value with the secret at the rest of the path. */
  const listColumnNames = (column: string, text: string): string[] => {
    if (isSecret(text)) return [column];
    const paths = [text, ...listAccessors(text).map(({ tail }) => tail.join('.'))];
    return fields.flatMap((field) =>
      paths.flatMap((path) => (field.startsWith(`${path}.`) ? [column + field.slice(path.length)] : [])),
    );
  };
  const columns = finds.statements
    .filter(({ node }) => isInside(node, action.node))
    .flatMap(({ scan, parameters }) =>
      scan.placeholders.flatMap(({ n, column }) =>
        column === null ? [] : listColumnNames(column, asText(parameters[n - 1]?.scalar)),
      ),
    );
  const written = finds.documents
    .filter(({ node }) => isInside(node, action.node))
    .flatMap(({ around, parameters }) => listFieldsHolding(around, parameters, isSecret));
  // The column of payload field `login.password` is usually `password`.
  const names = fields.map((field) => field.slice(field.lastIndexOf('.') + 1));
  return [...new Set([...fields, ...names, ...columns, ...written])];
}

/** By last path segment; for an operand, the field of its operator. */
function listFieldsHolding(
  around: LocatedNode,
  parameters: readonly LocatedNode[],
  holds: (text: string) => boolean,
): string[] {
  const found: string[] = [];
  const visit = (node: LocatedNode, field: string | null): void => {
    if (node.type === 'string' && field !== null) {
      const text = String(node.scalar);
      const n = /^\$(\d{1,5})$/.exec(text)?.[1];
      if (holds(n === undefined ? text : asText(parameters[Number(n) - 1]?.scalar))) found.push(field);
    }
    for (const item of node.items) visit(item, field);
    for (const { key, value } of node.members) {
      if (value !== null) visit(value, key.startsWith('$') ? field : (key.split('.').at(-1) ?? key));
    }
  };
  // Members of the query's own object are not document fields.
  for (const { value } of around.members) for (const part of toParts(value)) visit(part, null);
  return found;
}

const toParts = (node: LocatedNode | null): readonly LocatedNode[] =>
  node === null || node.type === 'string' ? [] : [node];

/** For example `pw` in `{"pw": "$password"}`. */
export function findRenamedFields(documents: readonly DocumentQuery[], names: Iterable<string>): ReadonlySet<string> {
  const all = new Set(names);
  if (all.size === 0) return all;
  for (let before = -1; before !== all.size;) {
    before = all.size;
    const isSecretPath = (text: string): boolean =>
      text.startsWith('$') && all.has(text.slice(text.lastIndexOf('.') + 1).replace('$', ''));
    for (const { around } of documents) for (const field of listFieldsHolding(around, [], isSecretPath)) all.add(field);
  }
  return all;
}

/** Fields that a model marks, or any resource hashes or encrypts. */
export function listModelSecrets(
  definitions: readonly Definition[],
  linked: Blocks<LinkedResource>,
): ReadonlyMap<string, readonly string[]> {
  const byModel = new Map<string, string[]>();
  const add = (model: string, names: readonly string[]): void => {
    const known = byModel.get(model);
    if (known === undefined) byModel.set(model, [...names]);
    else known.push(...names);
  };
  for (const definition of definitions)
    if (definition.sort === 'model') add(definition.name, listMarkedFields(definition));
  for (const { secretModels, secrets } of linked.flatMap(listSecretActions))
    for (const model of secretModels) add(model, secrets);
  return byModel;
}

const listMarkedFields = memoize(({ node }: Definition): readonly string[] =>
  node.members.flatMap(({ key, value }) => (value !== null && toJsonObject(value)['secret'] === true ? [key] : [])),
);

/** Actionables that write secrets into models. */
export const listSecretActions = memoize((block: readonly LinkedResource[]) =>
  block.flatMap(({ actions }) => actions.filter(({ secretModels }) => secretModels.length > 0)),
);

/**
 * Follows secrets from results, also of other resources, into results under other names and to values that leave.
 * Follows only what is certain.
 */
import { splitPointer } from '../../contract/json.js';
import { listQueryFields } from './collect-queries.js';
import { findMember, findNode } from '../source/tree.js';
import { findResultColumns } from './checks/uses.js';
import { dropIndexes, listExtractedFrom } from './extracted-names.js';
import type { DocumentQuery, SqlText } from './facts.js';
import type { Queries } from './link-group.js';
import type { LinkedAction, LinkedResource } from './linked-resource.js';
import type { Definition } from './model.js';
import type { Registry } from './registry.js';
import { addRenamed, findNamesOfValue } from './renamed-columns.js';
import { isInside } from './report.js';
import { createSecretTest, type SecretContext } from './result-secrets.js';
import { listValueReads, type ValueRead } from './value-reads.js';

type Path = readonly string[];
/** Finds secrets in the result of an actionable. */
type Find = (key: string, path: Path) => readonly { readonly name: string; readonly below: Path }[];

export interface SecretInResult {
  readonly node: ValueRead['node'];
  /** The secret, as the result that it comes from names it. */
  readonly name: string;
  /** Its place in the result, without indexes. */
  readonly path: Path;
  /** A column or field that is written with it. */
  readonly written: boolean;
}

/** A value from a result, or from the payload after an earlier actionable has protected it. */
export interface SecretRead {
  readonly node: ValueRead['node'];
  /** The secret, as the result or the payload names it. */
  readonly name: string;
  /** The first segment of the name that is read; empty for the whole payload. */
  readonly root: string;
}

interface FlowContext {
  readonly registry: Registry;
  readonly queries: { get(definition: Definition): Queries | undefined };
  /** The fields of the tables of an actionable, in lower case. */
  readonly listColumns: (action: LinkedAction) => ReadonlySet<string>;
  readonly describeSecrets: (resource: LinkedResource) => SecretContext;
}

export interface SecretFlow {
  /** Without those under names that responses omit. */
  listOpenSecrets(resource: LinkedResource, action: LinkedAction): readonly SecretInResult[];
  listReads(resource: LinkedResource, action: LinkedAction): readonly SecretRead[];
  /** A secret, or a value with one under another name. */
  isSecretName(resource: LinkedResource, path: Path): boolean;
  /** Values in the actionable that leave the project and are secrets. */
  listSent(resource: LinkedResource, action: LinkedAction): readonly SecretRead[];
}

const NO_SECRETS: readonly SecretInResult[] = [];
const NO_READS: readonly SecretRead[] = [];

const startsWith = (path: Path, start: Path): boolean => start.every((segment, i) => path[i] === segment);

export function createSecretFlow(linked: readonly LinkedResource[], context: FlowContext): SecretFlow {
  const { registry, queries } = context;
  const owners = new Map(
    linked.flatMap((resource) => resource.actions.map((action) => [action.key, { resource, action }] as const)),
  );
  const found = new Map<string, readonly SecretInResult[]>();

  /** Secrets at the path or below it; `below` is the rest of their path. */
  const findInResult: Find = (key, path) => {
    const owner = owners.get(key);
    if (owner === undefined) return [];
    const { resource, action } = owner;
    const isSecret = createSecretTest(
      resource,
      action,
      queries.get(resource.definition),
      context.describeSecrets(resource),
    );
    if (path.length > 0 && isSecret(path.join('.'))) return [{ name: path.join('.'), below: [] }];
    return listSecrets(resource, action).flatMap(({ name, path: held }) => {
      if (startsWith(path, held)) return [{ name, below: [] }];
      return startsWith(held, path) ? [{ name, below: held.slice(path.length) }] : [];
    });
  };

  /** Secrets below the path that keep their names: responses omit them, but other values may contain them. */
  const findAround: Find = (key, path) => {
    const owner = owners.get(key);
    if (owner === undefined) return [];
    const { resource, action } = owner;
    const queried = queries.get(resource.definition);
    const secrets = context.describeSecrets(resource);
    const isSecret = createSecretTest(resource, action, queried, secrets);
    const columns = queried === undefined ? null : findResultColumns(resource, key, queried.answers);
    const names = [...action.models.flatMap(secrets.ofModel), ...action.secrets, ...(columns ?? [])];
    return [...new Set(names)].flatMap((name) => {
      const held = name.split('.');
      const isThere = startsWith(held, path) && isReturned(columns, held);
      return isThere && isSecret(name) ? [{ name, below: held.slice(path.length) }] : [];
    });
  };

  function findInRead(
    resource: LinkedResource,
    action: LinkedAction,
    { source, path, form }: ValueRead,
    find: Find = findInResult,
  ) {
    const { repeat } = action;
    if (source?.sort === 'extracted') return findInName(resource, path, find);
    // Without known fields of an item, any word may be one.
    const isItem = source?.why === 'item' || (form === 'word' && repeat?.fields === null && source?.why !== 'rule');
    if (!isItem || repeat === null) return [];
    if (repeat.from === 'extracted') return findInName(resource, [...(repeat.name?.split('.') ?? []), ...path], find);
    return repeat.from === 'result' && repeat.action !== null ? find(repeat.action, dropIndexes(path)) : [];
  }

  const findInName = (resource: LinkedResource, path: Path, find: Find) =>
    listExtractedFrom(resource, path).flatMap((from) => find(from.key, from.path));

  function listSecrets(resource: LinkedResource, action: LinkedAction): readonly SecretInResult[] {
    const known = found.get(action.key);
    if (known !== undefined) return known;
    // A cycle is reported elsewhere.
    found.set(action.key, NO_SECRETS);
    const secrets =
      resource.names.size === 0 && action.repeat === null
        ? NO_SECRETS
        : listValueReads(resource, registry).flatMap((read): SecretInResult[] => {
            if (read.action !== action.key) return [];
            const inside = findInRead(resource, action, read);
            if (inside.length === 0) return [];
            return listPlaces(resource, action, read).flatMap(({ path, written }) =>
              inside.map(({ name, below }) => ({ node: read.node, name, path: [...path, ...below], written })),
            );
          });
    found.set(action.key, secrets);
    return secrets;
  }

  function listReads(resource: LinkedResource, action: LinkedAction): readonly SecretRead[] {
    if (resource.names.size === 0 && action.repeat === null) return NO_READS;
    return listValueReads(resource, registry).flatMap((read): SecretRead[] => {
      if (read.action !== action.key) return [];
      const [secret] = [...findInRead(resource, action, read), ...findInRead(resource, action, read, findAround)];
      return secret === undefined ? [] : [{ node: read.node, name: secret.name, root: read.path[0] ?? '' }];
    });
  }

  function listPlaces(resource: LinkedResource, action: LinkedAction, { node, query }: ValueRead) {
    const { definition } = resource;
    const places: { path: Path; written: boolean }[] = [];
    for (const place of definition.finds.places) {
      const field = place.node === action.node ? registry.plugins.get(place.plugin)?.facts?.returns : undefined;
      const value = typeof field === 'string' ? findMember(action.node, field)?.value : undefined;
      if (!value || !isInside(node, value)) continue;
      places.push({
        path: dropIndexes(splitPointer(node.pointer.slice(value.pointer.length))),
        written: false,
      });
    }
    const queried = queries.get(definition);
    const result = queried === undefined ? null : findResultColumns(resource, action.key, queried.answers);
    const statement = definition.finds.statements.find(({ parameters }) =>
      parameters.some((one) => isInside(node, one)),
    );
    if (statement !== undefined) places.push(...listColumnsHolding(statement, action, node, { queried, result }));
    else if (query !== null && !('scan' in query))
      places.push(...listFieldsHolding(query, node).filter(({ path }) => isReturned(result, path)));
    return places;
  }

  function listColumnsHolding(
    statement: SqlText,
    action: LinkedAction,
    node: ValueRead['node'],
    { queried, result }: { readonly queried: Queries | undefined; readonly result: Path | null },
  ): { path: Path; written: boolean }[] {
    const n = statement.parameters.findIndex((one) => isInside(node, one)) + 1;
    const origins = queried?.names.get(statement.node)?.origins;
    const inside = dropIndexes(splitPointer(node.pointer.slice(statement.parameters[n - 1]?.pointer.length)));
    return findNamesOfValue(statement, `$${n}`, context.listColumns(action)).flatMap(({ name, written = false }) => {
      // A column of a table is another value.
      const isOther = origins?.has(name) === true && !written;
      const isKept = written || (isReturned(result, [name]) && !isOther);
      return isKept ? [{ path: [name, ...inside], written }] : [];
    });
  }

  return {
    listReads,
    // A claim omits secrets that keep their names, as a response does.
    isSecretName: (resource, path) => findInName(resource, path, findInResult).length > 0,
    listSent(resource, action) {
      const sent = resource.definition.finds.accessors.flatMap((one) => (one.sent === true ? [one.node] : []));
      const here = sent.filter((node) => isInside(node, action.node));
      if (here.length === 0) return NO_READS;
      const ofPayload = listValueReads(resource, registry).flatMap((read): SecretRead[] => {
        if (read.action !== action.key || (read.source !== null && read.source.sort !== 'payload')) return [];
        const name = findProtectedBefore(resource, action, read.path);
        return name === null ? [] : [{ node: read.node, name, root: read.path[0] ?? '' }];
      });
      return [...listReads(resource, action), ...ofPayload].filter(({ node }) => here.includes(node));
    },
    listOpenSecrets(resource, action) {
      const secrets = listSecrets(resource, action);
      if (secrets.length === 0) return secrets;
      const omitted = listOmitted(resource);
      return secrets.filter(({ path }) => !path.some((segment) => omitted.has(segment)));
    },
  };

  /** Of all actionables that may run for it. */
  function listOmitted(resource: LinkedResource): ReadonlySet<string> {
    const reached = new Set(resource.actions);
    for (const { edges } of reached)
      for (const { to } of edges) {
        const other = owners.get(to);
        if (other !== undefined) reached.add(other.action);
      }
    const { ofModel } = context.describeSecrets(resource);
    const names = [...reached].flatMap(({ models, secrets, behind }) => [
      ...[...models, ...behind.models].flatMap(ofModel),
      ...secrets,
    ]);
    const statements = [...reached].flatMap(({ key, node }) =>
      (owners.get(key)?.resource.definition.finds.statements ?? []).filter((one) => isInside(one.node, node)),
    );
    const columns = new Set([...reached].flatMap((action) => [...context.listColumns(action)]));
    const objects = [...reached].flatMap(({ behind }) => behind.objects);
    return addRenamed(names, statements, columns, objects);
  }
}

/** What an earlier actionable hashes or encrypts, at, around or below the path. */
function findProtectedBefore({ definition, actions }: LinkedResource, action: LinkedAction, path: Path): string | null {
  const { references } = definition.finds;
  const found = references.find(({ refers, name, node }) => {
    // Other features refer to the field as it was sent.
    if (refers.symbol !== 'payload-field' || refers.named !== true) return false;
    const owner = actions.find((one) => isInside(node, one.node));
    const protects = String(name).split('.');
    return (
      owner !== undefined && owner.index < action.index && (startsWith(path, protects) || startsWith(protects, path))
    );
  });
  return found === undefined ? null : String(found.name);
}

const isReturned = (result: Path | null, [name = '']: Path): boolean => result === null || result.includes(name);

/** Written fields, and those that a stage makes. */
function listFieldsHolding(query: DocumentQuery, node: ValueRead['node']): { path: Path; written: boolean }[] {
  const { around, parameters } = query;
  const n = parameters.findIndex((one) => isInside(node, one)) + 1;
  const places = listQueryFields(query).flatMap(({ path, at, written }) => {
    const value = written ? findNode(around, at)?.node : undefined;
    return value !== undefined && isInside(node, value) ? [{ path: path.split('.'), written }] : [];
  });
  const visit = (at: DocumentQuery['around'], inStage: Path | null): void => {
    if (inStage !== null && (at === node || (at.type === 'string' && n > 0 && at.scalar === `$${n}`)))
      places.push({ path: [...inStage], written: false });
    for (const item of at.items) visit(item, inStage);
    for (const { key, value } of at.members) {
      if (value === null) continue;
      visit(
        value,
        query.form?.shaping.includes(key) === true
          ? []
          : inStage === null || key.startsWith('$')
            ? inStage
            : [...inStage, key],
      );
    }
  };
  for (const { key, value } of around.members) if (value !== null && key !== 'parameters') visit(value, null);
  return places;
}

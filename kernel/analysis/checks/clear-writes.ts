/**
 * If one resource hashes or encrypts a field before writing it, other writes of it from request values need the same step, or
 * some rows store plain text. Reports only certain differences.
 */
import { asText } from '../../contract/json.js';
import { accessorsIn } from '../../language/accessor.js';
import { documentFields } from '../../language/document-fields.js';
import { writtenParts } from '../../language/sql-written.js';
import { nodeAt, objectOf, type LocatedNode } from '../../source/tree.js';
import type { DocumentQuery, Reference, SqlText } from '../finds.js';
import type { LinkedAction, LinkedResource } from '../linked.js';
import type { Registry } from '../registry.js';
import { inside, type Report } from '../report.js';
import type { Source } from '../sources.js';
import type { TableNames } from '../tables.js';
import { isCovered, isProtected, mayCover } from './protections.js';
import { claimReaders, headerReaders, payloadReaders } from './readers.js';

interface Context {
  readonly registry: Registry;
  readonly report: Report;
  readonly tables: TableNames;
}

interface Write {
  readonly resource: LinkedResource;
  readonly action: LinkedAction;
  readonly model: string;
  /** Dotted for a nested field of a document. */
  readonly field: string;
  readonly value: LocatedNode;
  /** The parts of the value that the same actionable protects. */
  readonly kept: readonly { readonly field: string; readonly by: Reference }[];
}

/** `groups`: resources that reach one another share their protected values. */
export function checkClearWrites(
  { registry, report, tables }: Context,
  groups: readonly { readonly linked: readonly LinkedResource[] }[],
): void {
  if (!groups.some(({ linked }) => linked.some(protectsAny))) return;
  const readers = payloadReaders(registry);
  const writes = groups.map(({ linked }) => linked.flatMap((one) => writesIn(one, { tables, readers })));
  const first = new Map<string, { readonly id: string; readonly by: Reference }>();
  for (const { kept, model, resource } of writes.flat()) {
    for (const { field, by } of kept) {
      const key = keyOf({ model, field });
      if (!first.has(key)) first.set(key, { id: resource.id, by });
    }
  }
  if (first.size === 0) return;
  for (const [i, { linked }] of groups.entries()) {
    const sealed = linked.flatMap(({ definition }) => definition.finds.references.filter(isProtected));
    for (const write of writes[i] ?? []) {
      const other = first.get(keyOf(write));
      const text = asText(write.value.scalar);
      if (other === undefined || sealed.some(({ name }) => mayCover(text, String(name), readers))) continue;
      const { resource, value, field, model } = write;
      const spot = { doc: resource.definition.doc, start: value.start, end: value.end };
      if (isUnresolved(write)) report.withhold(spot);
      if (isToldElsewhere(write, sealed) || !isOfRequest(write, registry)) continue;
      const related = [{ message: `"${field}" is protected here`, spot: other.by.spot }];
      report.add('LNK_CLEAR_WRITE', spot, { other: other.id, column: field, model, value: text }, { related });
    }
  }
}

const protectsAny = ({ definition }: LinkedResource): boolean => definition.finds.references.some(isProtected);

const keyOf = ({ model, field }: Pick<Write, 'model' | 'field'>): string => `${model} ${field.toLowerCase()}`;

/** `checkProtections` reports writes of an actionable that protects a property of the same name. */
const isToldElsewhere = ({ action, field }: Write, sealed: readonly Reference[]): boolean =>
  sealed.some(({ name, node }) => inside(node, action.node) && lastOf(String(name)) === lastOf(field));

const lastOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1).toLowerCase();

interface Reading {
  readonly tables: TableNames;
  readonly readers: readonly string[];
}

const known = new WeakMap<LinkedResource, readonly Write[]>();

/** Cached by resource, because a resource is linked again when its tables change. */
function writesIn(resource: LinkedResource, reading: Reading): readonly Write[] {
  const seen = known.get(resource);
  if (seen !== undefined) return seen;
  const { finds } = resource.definition;
  const found = resource.actions.flatMap((action): Write[] => {
    const sealed = finds.references.filter((one) => isProtected(one) && inside(one.node, action.node));
    const own = [
      ...finds.statements.filter(({ node }) => inside(node, action.node)).flatMap((one) => inRows(one, reading)),
      ...finds.documents.filter(({ node }) => inside(node, action.node)).flatMap((one) => inDocuments(one, reading)),
    ];
    return own.map((one) => ({
      ...one,
      resource,
      action,
      kept: sealed.flatMap((by) => keptBy(by, one, action, reading)),
    }));
  });
  known.set(resource, found);
  return found;
}

/** The protected property must be the written value or nested in it. */
function keptBy(by: Reference, { field, value }: Found, { repeat }: LinkedAction, { readers }: Reading): Write['kept'] {
  const text = asText(value.scalar);
  const property = String(by.name);
  const item = typeof repeat?.name === 'string' ? `${repeat.name}.` : '';
  const own = item !== '' && property.startsWith(item) ? property.slice(item.length) : property;
  const path = accessorsIn(text)[0]?.tail.join('.') ?? text;
  const found = [property, own].find((one) => `${one}.`.startsWith(`${path}.`));
  if (found === undefined || !isCovered(text, found, readers)) return [];
  return [{ field: `${field}${found.slice(path.length)}`, by }];
}

/** Functions that leave a text readable; any other function may protect it. */
const CLEAR = new Set(['COALESCE', 'NULLIF', 'LOWER', 'UPPER', 'TRIM', 'BTRIM', 'LTRIM', 'RTRIM', 'CAST']);
const CALL = /([A-Za-z_][A-Za-z0-9_]*)\s*\(/g;
const COMPUTED = /\b(?:SELECT|CASE)\b/i;

type Found = Pick<Write, 'model' | 'field' | 'value'>;

function inRows({ scan, parameters }: SqlText, { tables }: Reading): Found[] {
  return writtenParts(scan).flatMap(({ table, column, text, start, end }): Found[] => {
    const model = table === null ? undefined : tables.modelOf(table);
    const field = model && tables.fieldsOf(model).find((one) => one.toLowerCase() === column.toLowerCase());
    // `checkBlind` checks blind-indexed fields.
    if (model === undefined || field === undefined || tables.blindIn(model).includes(field)) return [];
    const calls = [...text.matchAll(CALL)].map(([, name = '']) => name.toUpperCase());
    if (COMPUTED.test(text) || !calls.every((name) => CLEAR.has(name))) return [];
    return scan.placeholders
      .filter((one) => one.start >= start && one.end <= end)
      .flatMap(({ n }) => {
        const value = parameters[n - 1];
        return value === undefined ? [] : [{ model, field, value }];
      });
  });
}

function inDocuments({ around, collection }: DocumentQuery, { tables }: Reading): Found[] {
  const model = tables.modelOf(collection);
  if (model === undefined) return [];
  return documentFields(objectOf(around)).flatMap(({ path, at, written }) => {
    const value = written ? nodeAt(around, at)?.node : undefined;
    return value === undefined ? [] : [{ model, field: path, value }];
  });
}

/** A word without a source, which is no value that the author declares as such. */
function isUnresolved({ action, value }: Write): boolean {
  const decision = action.parameters.get(value.pointer);
  return value.type === 'string' && decision?.source === 'literal' && decision.verbatim !== true;
}

/** Excludes results, which may be protected already, and generated values. */
function isOfRequest({ resource, action, field, value }: Write, registry: Registry): boolean {
  const isDeclared = ({ why }: Source): boolean => why === 'rule' || why === 'path';
  const isSent = (source: Source | null): boolean =>
    source?.sort === 'claim' || (source?.sort === 'payload' && (isDeclared(source) || !isOfResult(action)));
  const read = resource.definition.finds.accessors.find(({ node }) => node === value);
  if (read === undefined) {
    const isName = action.parameters.get(value.pointer)?.source === 'name';
    return isName && isSent(resource.sources.bare(asText(value.scalar), action.key, [field]));
  }
  const others = [...claimReaders(registry), ...headerReaders(registry)];
  const readers = payloadReaders(registry);
  return read.parts.some(({ root, tail: [name] }) => {
    if (!readers.includes(root)) return others.includes(root);
    return name !== undefined && isSent(resource.sources.read(name, action.key));
  });
}

const isOfResult = ({ repeat }: LinkedAction): boolean => repeat?.from === 'result' || repeat?.from === 'extracted';

/**
 * Checks properties that a step hashes or encrypts: the value must exist, and its column must be written from it.
 * Otherwise plain text is stored.
 */
import { asText } from '../../../contract/json.js';
import { listAccessors } from '../../strings/accessor.js';
import { listQueryFields } from '../collect-queries.js';
import { findNearest } from '../../source/suggest.js';
import { findNode, type LocatedNode } from '../../source/tree.js';
import type { DocumentQuery, Reference, SqlText } from '../facts.js';
import type { LinkedAction, LinkedResource } from '../linked-resource.js';
import type { Definition } from '../model.js';
import type { Registry } from '../registry.js';
import { formatHint, isInside, createRenameFix, type Report, type SourceLocation } from '../report.js';
import { isWord, getRootName } from '../sources.js';
import { locateInText } from '../tables.js';
import { listValueReads } from '../value-reads.js';
import { listPayloadReaders } from './readers.js';

export function checkProtections(resources: readonly LinkedResource[], registry: Registry, report: Report): void {
  const isUsed = createUseLookup(resources, registry);
  for (const resource of resources) {
    for (const reference of resource.definition.finds.references) {
      if (!isProtected(reference)) continue;
      const action = resource.actions.find(({ node }) => isInside(reference.node, node));
      if (action === undefined) continue;
      if (!hasValueSource(resource, action, reference, registry))
        reportMissingValue(resource, action, reference, { registry, report });
      else if (!checkColumns(action, resource, reference, { registry, report }) && isQuery(resource, action)) {
        const name = String(reference.name);
        if (!isUsed(name)) report.add('LNK_PROTECTED_UNUSED', reference.spot, { name });
      }
    }
  }
}

/** Other work may read the payload itself. */
const isQuery = ({ definition: { finds } }: LinkedResource, { node, repeat }: LinkedAction): boolean =>
  finds.statements.some((one) => isInside(one.node, node)) ||
  (repeat === null && finds.documents.some((one) => isInside(one.node, node)));

/** Matches the name and any value that contains it. */
function createUseLookup(resources: readonly LinkedResource[], registry: Registry): (name: string) => boolean {
  let known: Set<string> | null = null;
  const collectWords = (): Set<string> => {
    const paths = resources.flatMap((one) => listValueReads(one, registry).map(({ path }) => path));
    const compared = resources.flatMap(({ definition }) =>
      definition.finds.references.filter(({ refers }) => refers.symbol === 'payload-field' && refers.named !== true),
    );
    return new Set(
      [...paths.map((path) => path.join('.')), ...compared.map(({ name }) => String(name))].flatMap(splitWords),
    );
  };
  return (name) => {
    known ??= collectWords();
    return known.has('') || [getRootName(name), getLastSegment(name)].some((word) => known?.has(word));
  };
}

const splitWords = (path: string): string[] => path.split('.');

export const isProtected = ({ refers }: Reference): boolean =>
  refers.symbol === 'payload-field' && refers.named === true;

/** A declaration, a result or another read must create the value. */
function hasValueSource(
  resource: LinkedResource,
  action: LinkedAction,
  { name }: Reference,
  registry: Registry,
): boolean {
  const root = getRootName(String(name));
  const [source] = resource.sources.listSources(root, action.key);
  if (source !== undefined && source.why !== 'property') return source.sort !== 'claim';
  if (action.repeat !== null && action.repeat.fields === null) return true;
  return listValueReads(resource, registry).some(({ path }) => path.length === 0 || path[0] === root);
}

function reportMissingValue(
  resource: LinkedResource,
  action: LinkedAction,
  { name, spot }: Reference,
  { registry, report }: { readonly registry: Registry; readonly report: Report },
): void {
  const text = String(name);
  const near = suggestName(text, resource, action, registry);
  const isTaken = resource.definition.finds.references.some(
    (one) => isProtected(one) && isInside(one.node, action.node) && one.name === near,
  );
  // Without rules or reads the payload is unknown.
  if (
    near === undefined &&
    resource.payloadFields.size === 0 &&
    listValueReads(resource, registry).length === 0 &&
    isWord(text)
  )
    return;
  report.add('LNK_NO_VALUE', spot, { name: text, hint: formatHint(near) }, isTaken ? {} : createRenameFix(near));
}

function suggestName(
  text: string,
  resource: LinkedResource,
  action: LinkedAction,
  registry: Registry,
): string | undefined {
  const { payloadFields, names, generated } = resource;
  const tail = listAccessors(text)[0]?.tail.join('.') ?? '';
  const reads = listValueReads(resource, registry).flatMap(({ path: [first], action: by }) =>
    first !== undefined && (by === null || by === action.key) ? [first] : [],
  );
  const known = [...payloadFields.keys(), ...names, ...generated, ...reads, ...(action.repeat?.fields ?? [])];
  if (tail !== '') return known.includes(getRootName(tail)) ? tail : undefined;
  const [root = text, ...rest] = text.split('.');
  const near = findNearest(root, known);
  return near === undefined ? undefined : [near, ...rest].join('.');
}

interface UnprotectedWrite {
  readonly column: string;
  readonly value: string;
  readonly spot: SourceLocation;
  /** A fix can replace the value with the property. */
  readonly whole: boolean;
}

/** Reports unprotected writes to the column or field; returns whether there was one. */
function checkColumns(
  action: LinkedAction,
  { definition }: LinkedResource,
  { name }: Reference,
  { registry, report }: { readonly registry: Registry; readonly report: Report },
): boolean {
  const readers = listPayloadReaders(registry);
  const property = String(name);
  // When it repeats for `users`, `users.password` is each item's `password`.
  const { repeat } = action;
  const inItem =
    typeof repeat?.name === 'string' && property.startsWith(`${repeat.name}.`)
      ? property.slice(repeat.name.length + 1)
      : property;
  const isPropertyText = (text: string): boolean =>
    isCovered(text, property, readers) || isCovered(text, inItem, readers);
  const { statements, documents } = definition.finds;
  const others = definition.finds.references.flatMap((one) =>
    isProtected(one) && one.name !== name && isInside(one.node, action.node) ? [String(one.name)] : [],
  );
  /** `password` next to `profile.password`: the column of the first is written from it. */
  const isOfOther = ({ column, value }: UnprotectedWrite): boolean =>
    others.some(
      (other) =>
        getLastSegment(other).toLowerCase() === getLastSegment(column).toLowerCase() &&
        isCoveredByItem(value, other, readers),
    );
  const written = [
    ...statements
      .filter(({ node }) => isInside(node, action.node))
      .flatMap((one) => listRowWrites(definition, one, property, isPropertyText)),
    ...documents
      .filter(({ node }) => isInside(node, action.node))
      .flatMap((one) => listDocumentWrites(definition, one, inItem, isPropertyText)),
  ].filter((one) => !isOfOther(one));
  for (const { column, value, spot, whole } of written) {
    const fix = { fix: { title: `change to "${property}"`, text: JSON.stringify(property), asks: true as const } };
    // The value of another protected property would be stored nowhere.
    const isOther = others.some((other) => isCoveredByItem(value, other, readers));
    report.add('LNK_UNPROTECTED', spot, { column, property, value }, whole && !isOther ? fix : {});
  }
  return written.length > 0;
}

function listRowWrites(
  definition: Definition,
  { node, language, scan, parameters }: SqlText,
  property: string,
  isProtectedText: (text: string) => boolean,
): UnprotectedWrite[] {
  if (scan.verb !== 'INSERT' && scan.verb !== 'UPDATE') return [];
  const last = getLastSegment(property).toLowerCase();
  const isSafe = (value: LocatedNode): boolean => value.type === 'null' || isProtectedText(asText(value.scalar));
  const where = language.findCondition(scan) ?? Infinity;
  const values = scan.placeholders.flatMap(({ n, column, start }): UnprotectedWrite[] => {
    const value = parameters[n - 1];
    if (column?.toLowerCase() !== last || value === undefined || start > where || isSafe(value)) return [];
    return [{ column, value: formatScalar(value), spot: toLocation(definition, value), whole: true }];
  });
  if (values.length > 0) return values;
  const isGiven = scan.placeholders.some(
    ({ n }) => parameters[n - 1] !== undefined && isProtectedText(asText(parameters[n - 1]?.scalar)),
  );
  return language.listWrittenParts(scan).flatMap(({ column, text, literal, isEmpty, mentions, start, end }) => {
    const isClear = literal || (!isGiven && !mentions.includes(column) && !isEmpty);
    if (column.toLowerCase() !== last || !isClear) return [];
    return [{ column, value: text, spot: locateInText(definition, node, { start, end }), whole: false }];
  });
}

/** Matches the path of the property or its last name. */
function listDocumentWrites(
  definition: Definition,
  query: DocumentQuery,
  property: string,
  isProtectedText: (text: string) => boolean,
): UnprotectedWrite[] {
  return listQueryFields(query).flatMap(({ path, value, at, written }) => {
    const text = asText(value);
    if (!written || (path !== property && path !== getLastSegment(property)) || text === '' || isProtectedText(text))
      return [];
    const node = findNode(query.around, at)?.node ?? query.around;
    return [{ column: path, value: text, spot: toLocation(definition, node), whole: true }];
  });
}

const getLastSegment = (path: string): string => path.slice(path.lastIndexOf('.') + 1);
const formatScalar = ({ scalar, type }: LocatedNode): string => asText(scalar) || String(scalar ?? type);
const toLocation = ({ doc }: Definition, { start, end }: LocatedNode): SourceLocation => ({ doc, start, end });

/** The property may begin with the name of the repeated list. */
export const isCoveredByItem = (text: string, property: string, readers: readonly string[]): boolean =>
  isCovered(text, property, readers) || isCovered(text, property.slice(property.indexOf('.') + 1), readers);

/** True for the property, a value that contains it, or the repeated item. */
export function isCovered(text: string, property: string, readers: readonly string[]): boolean {
  const [only] = listAccessors(text);
  if (only !== undefined && !readers.includes(only.root)) return false;
  const path = only === undefined ? text : only.tail.join('.');
  if (only === undefined && !isWord(text)) return false;
  return path === '' || path === property || property.startsWith(`${path}.`);
}

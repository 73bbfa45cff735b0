/**
 * If one resource hashes or encrypts a field, other writes of it from request values need the same step, or rows
 * store plain text. Reports only certain differences.
 */
import { asText } from '../../../contract/json.js';
import { listAccessors } from '../../strings/accessor.js';
import { listQueryFields } from '../collect-queries.js';
import { findNode, type LocatedNode } from '../../source/tree.js';
import type { DocumentQuery, Reference, SqlText } from '../facts.js';
import type { LinkedAction, LinkedResource } from '../linked-resource.js';
import { memoize } from '../memoize.js';
import type { Registry } from '../registry.js';
import { isInside, type Report } from '../report.js';
import type { Source } from '../model.js';
import type { Blocks, Lookups, StageCache } from '../stage-cache.js';
import type { Steps } from '../steps.js';
import { recordTables, type TableNames } from '../tables.js';
import { isCovered, isProtected, isCoveredByItem } from './protections.js';
import { listClaimReaders, listHeaderReaders, listPayloadReaders } from './readers.js';

interface Context {
  readonly registry: Registry;
  readonly memory: StageCache;
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

interface Group {
  readonly linked: readonly LinkedResource[];
}

/** `blocks`: of groups; resources that reach one another share their protected values. */
export function* checkClearWrites({ registry, memory, report, tables }: Context, blocks: Blocks<Group>): Steps<void> {
  if (!blocks.some(hasProtection)) return;
  const groups = blocks.flat();
  const readers = listPayloadReaders(registry);
  const found = yield* memory.getOrLookUpAll(blocks, report, {
    name: 'writes',
    reads: [],
    source: tables,
    compute: ({ linked }, lookups: Lookups<TableNames>) =>
      linked.flatMap((one) => listWrites(one, { tables: recordTables(lookups), readers })),
  });
  const writes = found.flat();
  const first = new Map<string, { readonly id: string; readonly by: Reference }>();
  for (const { kept, model, resource } of writes.flat()) {
    for (const { field, by } of kept) {
      const key = toFieldKey({ model, field });
      if (!first.has(key)) first.set(key, { id: resource.id, by });
    }
  }
  if (first.size === 0) return;
  for (const [i, { linked }] of groups.entries()) {
    const sealed = linked.flatMap(({ definition }) => definition.finds.references.filter(isProtected));
    for (const write of writes[i] ?? []) {
      const other = first.get(toFieldKey(write));
      const text = asText(write.value.scalar);
      if (other === undefined || sealed.some(({ name }) => isCoveredByItem(text, String(name), readers))) continue;
      const { resource, value, field, model } = write;
      const spot = { doc: resource.definition.doc, start: value.start, end: value.end };
      if (isUnresolved(write)) report.withholdClearFixes(spot);
      if (isReportedElsewhere(write, sealed) || !isFromRequest(write, registry)) continue;
      const related = [{ message: `"${field}" is protected here`, spot: other.by.spot }];
      report.add('LNK_CLEAR_WRITE', spot, { other: other.id, column: field, model, value: text }, { related });
    }
  }
}

const hasProtection = memoize((block: readonly Group[]): boolean =>
  block.some(({ linked }) => linked.some(({ definition }) => definition.finds.references.some(isProtected))),
);

const toFieldKey = ({ model, field }: Pick<Write, 'model' | 'field'>): string => `${model} ${field.toLowerCase()}`;

/** `checkProtections` reports writes of an actionable with such a property. */
const isReportedElsewhere = ({ action, field }: Write, sealed: readonly Reference[]): boolean =>
  sealed.some(
    ({ name, node }) => isInside(node, action.node) && getLastSegment(String(name)) === getLastSegment(field),
  );

const getLastSegment = (path: string): string => path.slice(path.lastIndexOf('.') + 1).toLowerCase();

interface WriteContext {
  readonly tables: TableNames;
  readonly readers: readonly string[];
}

function listWrites(resource: LinkedResource, reading: WriteContext): readonly Write[] {
  const { finds } = resource.definition;
  return resource.actions.flatMap((action): Write[] => {
    const sealed = finds.references.filter((one) => isProtected(one) && isInside(one.node, action.node));
    const own = [
      ...finds.statements
        .filter(({ node }) => isInside(node, action.node))
        .flatMap((one) => listRowWrites(one, reading)),
      ...finds.documents
        .filter(({ node }) => isInside(node, action.node))
        .flatMap((one) => listDocumentWrites(one, reading)),
    ];
    return own.map((one) => ({
      ...one,
      resource,
      action,
      kept: sealed.flatMap((by) => listProtected(by, one, action, reading)),
    }));
  });
}

/** The protected property must be the written value or nested in it. */
function listProtected(
  by: Reference,
  { field, value }: ClearValue,
  { repeat }: LinkedAction,
  { readers }: WriteContext,
): Write['kept'] {
  const text = asText(value.scalar);
  const property = String(by.name);
  const item = typeof repeat?.name === 'string' ? `${repeat.name}.` : '';
  const own = item !== '' && property.startsWith(item) ? property.slice(item.length) : property;
  const path = listAccessors(text)[0]?.tail.join('.') ?? text;
  const found = [property, own].find((one) => `${one}.`.startsWith(`${path}.`));
  if (found === undefined || !isCovered(text, found, readers)) return [];
  return [{ field: `${field}${found.slice(path.length)}`, by }];
}

type ClearValue = Pick<Write, 'model' | 'field' | 'value'>;

function listRowWrites({ language, scan, parameters }: SqlText, { tables }: WriteContext): ClearValue[] {
  return language.listWrittenParts(scan).flatMap(({ table, column, isReadable, start, end }): ClearValue[] => {
    const model = table === null ? undefined : tables.findModel(table);
    const field = model && tables.listFields(model).find((one) => one.toLowerCase() === column.toLowerCase());
    // `checkBlind` checks blind-indexed fields.
    if (model === undefined || field === undefined || tables.listBlindFields(model).includes(field)) return [];
    if (!isReadable) return [];
    return scan.placeholders
      .filter((one) => one.start >= start && one.end <= end)
      .flatMap(({ n }) => {
        const value = parameters[n - 1];
        return value === undefined ? [] : [{ model, field, value }];
      });
  });
}

function listDocumentWrites(query: DocumentQuery, { tables }: WriteContext): ClearValue[] {
  const { around, collection } = query;
  const model = tables.findModel(collection);
  if (model === undefined) return [];
  return listQueryFields(query).flatMap(({ path, at, written }) => {
    const value = written ? findNode(around, at)?.node : undefined;
    return value === undefined ? [] : [{ model, field: path, value }];
  });
}

/** A word without a source that is no literal. */
function isUnresolved({ action, value }: Write): boolean {
  const decision = action.parameters.get(value.pointer);
  return value.type === 'string' && decision?.source === 'literal' && decision.verbatim !== true;
}

/** Excludes results, which may be protected already, and generated values. */
function isFromRequest({ resource, action, field, value }: Write, registry: Registry): boolean {
  const isDeclared = ({ why }: Source): boolean => why === 'rule' || why === 'path';
  const isSent = (source: Source | null): boolean =>
    source?.sort === 'claim' || (source?.sort === 'payload' && (isDeclared(source) || !isFromResult(action)));
  const read = resource.definition.finds.accessors.find(({ node }) => node === value);
  if (read === undefined) {
    const isName = action.parameters.get(value.pointer)?.source === 'name';
    return isName && isSent(resource.sources.resolveBare(asText(value.scalar), action.key, [field]));
  }
  const others = [...listClaimReaders(registry), ...listHeaderReaders(registry)];
  const readers = listPayloadReaders(registry);
  return read.parts.some(({ root, tail: [name] }) => {
    if (!readers.includes(root)) return others.includes(root);
    return name !== undefined && isSent(resource.sources.read(name, action.key));
  });
}

const isFromResult = ({ repeat }: LinkedAction): boolean => repeat?.from === 'result' || repeat?.from === 'extracted';

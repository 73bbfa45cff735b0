/** Compiles one query at load: its parts as closures, and the mapping of store errors to payload fields. */
import { Fault } from '../../../contract/fault.js';
import type { Issue } from '../../../contract/problem.js';
import { asText, escapePointer, isObject, splitPointer, type Json } from '../../../contract/json.js';
import type { ModelTable } from '../../../contract/model.js';
import type { Frame, ParameterPlan, PlanTools, Reader } from '../../../contract/plan.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import type { BoundCall, DocumentAction, DocumentParts } from '../../document-actions/kind.js';
import type { Document, DocumentStore } from '../../document-stores/kind.js';
import { compileFilter, createFilterReader, compileNumber } from './filter.js';
import {
  createBadValueFault,
  createCheckedReader,
  convertValue,
  getHeldType,
  getInnerType,
  toPlainJson,
  toWrittenType,
  type QueryCompileContext,
  type FieldTypeLookup,
  type StoredFieldType,
} from './values.js';
import { getFieldName } from './insert-fields.light.js';
import { parsePlaceholder } from '../../../language/strings/placeholder.js';
import { compilePipeline } from './pipeline.js';
import {
  createConstantNode,
  createDynamicNode,
  compileFixed,
  createListNode,
  createObjectNode,
  toReader,
  createQueryError,
  requireList,
} from './template.js';
import type { Dynamic, Node } from './template.js';
import { followArrayFilters } from './type-flow.js';
import { compileDocument, compileProjection, compileUpdate, createStorableLeaf, type AddedFields } from './update.js';

type Fields = Readonly<Record<string, Json>>;
type Entries = readonly (readonly [string, Node])[];

export interface CompiledQuery {
  readonly collection: string;
  readonly action: DocumentAction;
  readonly collections: readonly string[];
  /** At most one document, by its id or a unique key. */
  readonly single: boolean;
  /** The filter with its placeholder values as text, for comparing filters. */
  readonly where: string;
  readonly merges: boolean;
  lock: boolean;
  readonly parameters: readonly ParameterPlan[];
  readonly bind: (frame: Frame) => BoundCall;
  /** What `bind` sends, by the name of each part. */
  readonly preview: (frame: Frame) => Readonly<Record<string, unknown>>;
  /** Returns the fault with issues that point at payload fields. */
  readonly named: (error: Fault) => Fault;
}

export function makeQuery(
  value: Fields,
  pointer: string,
  tools: PlanTools,
  store: DocumentStore,
  action: DocumentAction,
  one: boolean,
): CompiledQuery {
  const listed = Array.isArray(value['parameters']) ? (value['parameters'] as readonly Json[]) : [];
  const parameters = listed.map((json, index) => tools.parameter(json, `${pointer}/parameters/${index}`));
  const collection = asText(value['collection']);
  const typeOf = createTypeLookup(tools, collection);
  const typesIn = (other: string): FieldTypeLookup => createTypeLookup(tools, other);
  const compiling: QueryCompileContext = { typeOf, typesIn, leaf: createLeaf(parameters, pointer, tools) };
  const written = new Map<string, string | null>();
  const { parts, readParts } = recordParts(createParts(value, listed, parameters, compiling, written));
  const query: CompiledQuery = {
    collection,
    action,
    parameters,
    collections: [...new Set([collection, ...listJoined(value['pipeline'] ?? null)])],
    where: JSON.stringify([
      value['filter_predicate'] ?? null,
      hasPlaceholders(value['filter_predicate']) ? listed : null,
    ]),
    merges: value['upsert'] === true,
    single: isSingle(
      value,
      tools.tables.find(({ table }) => table === collection),
    ),
    lock: false,
    bind: action.plan(value, { ...parts, store, collection, one, lock: () => query.lock }),
    preview: readParts,
    named: createIssueMapper(written),
  };
  return query;
}

const hasPlaceholders = (json: Json | undefined): boolean => /"\$\d/.test(JSON.stringify(json ?? null));

function listJoined(json: Json): string[] {
  if (Array.isArray(json)) return (json as readonly Json[]).flatMap(listJoined);
  if (!isObject(json)) return [];
  return Object.entries(json).flatMap(([name, inner]) =>
    name === '$unionWith' || name === 'from' || name === 'coll'
      ? typeof inner === 'string'
        ? [inner]
        : listJoined(inner)
      : listJoined(inner),
  );
}

/** A plain value for the id or for every field of a unique key. */
function isSingle({ filter_predicate: filter }: Fields, table: ModelTable | undefined): boolean {
  if (!isObject(filter)) return false;
  const isPlain = (name: string): boolean => {
    const value = Object.hasOwn(filter, name) ? filter[name] : undefined;
    return (
      typeof value === 'string' || typeof value === 'number' || (isObject(value) && typeof value['$eq'] === 'string')
    );
  };
  const keys = table?.columns.filter(({ unique }) => unique).map(({ name }) => [name]) ?? [];
  return [['_id'], ...keys, ...(table?.uniques ?? [])].some((names) => names.length > 0 && names.every(isPlain));
}

/** Types of fields by the model, also inside objects and lists; an undeclared `_id` has the type `id`. */
function createTypeLookup({ tables }: PlanTools, collection: string): FieldTypeLookup {
  const columns = tables.find(({ table }) => table === collection)?.columns ?? [];
  const byName = new Map(columns.map((column) => [column.name, column] as const));
  return (path) => {
    const [root = '', ...inside] = path.split('.');
    const column = byName.get(root);
    if (column === undefined) return path === '_id' ? 'id' : null;
    if (inside.length === 0) return column.type === 'json' ? (column.holds ?? 'json') : column.type;
    return inside.reduce<StoredFieldType>(
      (type, segment) => (isListType(type) && !/^\d+$/.test(segment) ? null : getInnerType(type, segment)),
      getHeldType(column),
    );
  };
}

const isListType = (type: StoredFieldType): boolean =>
  type !== null && typeof type === 'object' && type.form === 'array';

const createLeaf =
  (parameters: readonly ParameterPlan[], pointer: string, tools: PlanTools) =>
  (text: string): Dynamic | null => {
    const place = parsePlaceholder(text);
    if (place === null) return listAccessors(text).length === 0 ? null : tools.parameter(text, pointer);
    const parameter = parameters[place - 1];
    if (parameter === undefined) throw createQueryError(`"${text}" has no parameter`);
    return parameter;
  };

type Parts = Omit<DocumentParts, 'store' | 'collection' | 'one' | 'lock'>;

function createParts(
  value: Fields,
  listed: readonly Json[],
  parameters: readonly ParameterPlan[],
  compiling: QueryCompileContext,
  written: Map<string, string | null>,
): Parts {
  const { leaf, typeOf } = compiling;
  const dates = value['with_timestamp'] === true || value['with_timestamps'] === true;
  const createTimestamp = (field: string): Node => {
    const type = toWrittenType(typeOf(field)) ?? 'timestamp';
    return createDynamicNode((frame) => convertValue(frame.now(), type, null));
  };
  const recordWritten = (entries: Entries, around = ''): void => {
    for (const [field, node] of entries) {
      if (node.constant) continue;
      if (node.field !== undefined) written.set(around + field, node.field);
      recordWritten(node.inside ?? [], `${around}${field}.`);
    }
  };
  return {
    filter: () => {
      // An upsert may create a document from equality conditions.
      const made = value['upsert'] === true ? { ...compiling, leaf: createStorableLeaf(leaf) } : compiling;
      return createFilterReader(value['filter_predicate'], made) as Reader<Document>;
    },
    update: () => {
      const added: AddedFields = {
        $set: dates ? [['updated_at', createTimestamp('updated_at')]] : [],
        $setOnInsert: dates && value['upsert'] === true ? [['created_at', createTimestamp('created_at')]] : [],
      };
      return toReader(compileUpdate(value['update_predicate'], compiling, added, recordWritten)) as Reader<Document>;
    },
    softDelete: () => {
      if (value['soft_delete'] !== true) return null;
      return toReader(
        createObjectNode([['$set', createObjectNode([['deleted_at', createTimestamp('deleted_at')]])]]),
      ) as Reader<Document>;
    },
    pipeline: () => toReader(compilePipeline(value['pipeline'], compiling)) as Reader<readonly Document[]>,
    document: () => {
      const own =
        value['document'] === undefined
          ? createParameterEntries(listed, parameters, typeOf)
          : compileDocument(value['document'], compiling);
      const names = new Set(own.map(([field]) => field));
      const times = (dates ? ['created_at', 'updated_at'] : []).filter((field) => !names.has(field));
      recordWritten(own);
      return omitNullId(
        toReader(createObjectNode([...own, ...times.map((field) => [field, createTimestamp(field)] as const)])),
      );
    },
    constant: (field) => {
      const json = value[field];
      if (json === undefined) return undefined;
      const node = compileFixed(json, leaf, `"${field}"`);
      return node.constant ? (node.value as Document) : undefined;
    },
    projection: () => {
      const json = value['projection'];
      return toReader(
        json === undefined ? createConstantNode(undefined) : compileProjection(json, compiling),
      ) as Reader<Document | undefined>;
    },
    filters: (field) => {
      const json = value[field];
      if (json === undefined) return () => undefined;
      const elements = { ...compiling, typeOf: followArrayFilters(typeOf, value['update_predicate']) };
      return toReader(
        createListNode(requireList(json, `"${field}"`).map((item) => compileFilter(item, elements))),
      ) as Reader<readonly Document[]>;
    },
    number: (field) => createCountReader(value[field], compiling),
  };
}

/** Keeps the readers that an action asks for. */
function recordParts(all: Parts): { readonly parts: Parts; readonly readParts: CompiledQuery['preview'] } {
  const asked = new Map<string, Reader>();
  const recordPart = <T extends Reader | null>(name: string, read: T): T => {
    if (read !== null) asked.set(name, read);
    return read;
  };
  const parts: Parts = {
    filter: () => recordPart('filter', all.filter()),
    update: () => recordPart('update', all.update()),
    softDelete: () => recordPart('update', all.softDelete()),
    pipeline: () => recordPart('pipeline', all.pipeline()),
    document: () => recordPart('document', all.document()),
    projection: () => recordPart('projection', all.projection()),
    filters: (field) => recordPart(field, all.filters(field)),
    number: (field) => recordPart(field, all.number(field)),
    constant: (field) => {
      const value = all.constant(field);
      recordPart(field, () => value);
      return value;
    },
  };
  const readParts = (frame: Frame): Record<string, unknown> =>
    Object.fromEntries(
      [...asked].flatMap(([name, read]) => {
        const value = read(frame);
        return value === undefined ? [] : [[name, toPlainJson(value)]];
      }),
    );
  return { parts, readParts };
}

/** An INSERT without `document`: each parameter is a field. */
function createParameterEntries(
  listed: readonly Json[],
  parameters: readonly ParameterPlan[],
  typeOf: FieldTypeLookup,
): Entries {
  return parameters.map(({ read, field, source }, index) => {
    const name = getFieldName(listed[index] ?? null);
    if (name === null || source === 'literal') {
      throw createQueryError(
        `no field is named for ${JSON.stringify(listed[index])}; write the document out in "document"`,
      );
    }
    const type = toWrittenType(typeOf(name));
    const sent = createCheckedReader({ read, field });
    return [name, createDynamicNode((frame) => convertValue(sent(frame), type, field), field)] as const;
  });
}

/** Drops a null id, so that the store generates one. */
const omitNullId =
  (read: Reader): Reader<Document> =>
  (frame) => {
    const made = read(frame) as Document;
    if (made['_id'] !== null || !Object.hasOwn(made, '_id')) return made;
    const { _id, ...rest } = made;
    return rest;
  };

function createCountReader(json: Json | undefined, { leaf }: QueryCompileContext): Reader<number | undefined> {
  if (json === undefined) return () => undefined;
  const found = typeof json === 'string' ? leaf(json) : null;
  const node = compileNumber(json, leaf);
  if (node.constant) return () => node.value as number;
  return (frame) => {
    const count = node.read(frame) as number;
    if (!Number.isSafeInteger(count) || count < 0)
      throw createBadValueFault(found?.field ?? null, 'must be a whole number from 0');
    return count;
  };
}

/** Maps fields in store errors to what the caller knows. */
function createIssueMapper(written: ReadonlyMap<string, string | null>): CompiledQuery['named'] {
  /** The written field or the nearest around it, with the path inside it. */
  const findPayloadPath = ({ pointer }: Issue): readonly string[] | null | undefined => {
    const path = splitPointer(pointer);
    for (let length = path.length; length > 0; length--) {
      const field = written.get(path.slice(0, length).join('.'));
      if (field !== undefined) return field === null ? null : [field, ...path.slice(length)];
    }
    return undefined;
  };
  return (error) => {
    const { issues } = error.options;
    if (issues === undefined || written.size === 0) return error;
    // Fields that the caller did not send are omitted where others remain.
    const sent = issues.filter((issue) => findPayloadPath(issue) !== null);
    const renamed = (sent.length > 0 ? sent : issues).map((issue) => {
      const path = findPayloadPath(issue);
      return path ? { ...issue, pointer: path.map((segment) => `/${escapePointer(segment)}`).join('') } : issue;
    });
    return new Fault(error.code, error.params, { ...error.options, issues: renamed });
  };
}

/** Description for `lintel plan`: the query as written, and its placeholder values. */
export function describeQuery(value: Fields, { collection, parameters }: CompiledQuery, connection: string): Json {
  const { collection: _, parameters: __, connection: ___, ...rest } = value;
  const labels = parameters.map(({ source, label }, index) => `$${index + 1} = ${label} (${source})`);
  return { connection, collection, ...(isObject(rest) ? rest : {}), parameters: labels };
}

/** Findings, field names and literals of document queries, checked against the model, if there is one. */
import { canHoldValue } from '../../../contract/column-values.js';
import { asText, escapePointer, isObject, getOwn, type Json } from '../../../contract/json.js';
import type { CheckPlace, Finding } from '../../../contract/plugin.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import { unwrapLiteral } from '../../../language/strings/literal.js';
import { parsePlaceholder } from '../../../language/strings/placeholder.js';

export type QueryDefinition = Readonly<Record<string, Json>>;
/** Fields by exact name; null where only the name is known. */
export type KnownFields = ReadonlyMap<string, QueryDefinition | null>;

export interface QueryCheckContext {
  readonly findings: Finding[];
  readonly model: string;
  /** What has the fields, if it is not the model. */
  readonly origin?: string | undefined;
  /** Field names at this point; null where they are unknown. */
  readonly known: KnownFields | null;
  /** Documents may have other fields too. */
  readonly isOpen: boolean;
  readonly findModel: (collection: Json | undefined) => Pick<QueryCheckContext, 'model' | 'known' | 'isOpen'>;
  readonly updates?: boolean;
  readonly parameters: readonly Json[];
  readonly root: QueryDefinition;
  readonly nearest: CheckPlace['nearest'];
  readonly facts: CheckPlace['facts'];
}

/** The field of an actionable that holds a document query. */
const QUERY = 'mongo_query';
/** Fields that every document may have, regardless of the model. */
const ALWAYS = new Set(['_id', 'created_at', 'updated_at', 'deleted_at']);
/** A list index, or a positional operator of MongoDB. */
const PLACE_IN_LIST = /^(?:\d+|\$|\$\[[a-z0-9_]*\])$/i;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*$/;

export const isOperator = (key: string): boolean => key.startsWith('$');
export const joinPointer = (at: string, key: string | number): string => `${at}/${escapePointer(String(key))}`;
export const toEntries = (json: QueryDefinition): [string, Json][] => Object.entries(json);

/** A text that represents a value: an accessor or a placeholder. */
export const isValue = (json: Json | undefined): json is string =>
  typeof json === 'string' && (parsePlaceholder(json) !== null || listAccessors(json).length > 0);

/** Placeholders are reported here, accessors by the general check. */
export function isFilledName(context: QueryCheckContext, key: string, at: string): boolean {
  if (!isValue(key)) return false;
  if (parsePlaceholder(key) !== null) context.findings.push({ code: 'DOC_NAME', at, key: true, params: { name: key } });
  return true;
}

/** Null where the field is unknown (and reported) or has no known type. */
export function findField(
  context: QueryCheckContext,
  path: string,
  spot: Pick<Finding, 'at' | 'key' | 'span'>,
): QueryDefinition | null {
  const { known, model, origin = `the model "${model}"` } = context;
  const [root = path, ...rest] = path.split('.');
  if (known === null || isValue(path)) return null;
  const found = known.get(root);
  if (found === undefined) {
    if (!ALWAYS.has(root) && !context.isOpen) reportField(context, origin, root, known.keys(), path, spot);
    return null;
  }
  let field: QueryDefinition | null = found;
  for (const [i, segment] of rest.entries()) {
    if (field === null || PLACE_IN_LIST.test(segment)) continue;
    const column = getColumnType(context, field);
    const before = [root, ...rest.slice(0, i)].join('.');
    if (column !== null && column !== 'json') {
      context.findings.push({ code: 'DOC_NO_OBJECT', ...spot, params: { name: before, type: asText(field['type']) } });
      return null;
    }
    const properties: Json | undefined = field['properties'];
    if (!isObject(properties)) return null;
    const inner: unknown = getOwn(properties, segment);
    if (inner === undefined) reportField(context, `"${before}"`, segment, Object.keys(properties), path, spot);
    field = isObject(inner) ? inner : null;
  }
  return field;
}

function reportField(
  { findings, nearest, parameters, root }: QueryCheckContext,
  where: string,
  name: string,
  candidates: Iterable<string>,
  path: string,
  spot: Pick<Finding, 'at' | 'key' | 'span'>,
): void {
  const near = nearest(name, candidates);
  const right = path.split('.').map((segment) => (segment === name ? (near ?? name) : segment));
  const text = spot.span === undefined ? JSON.stringify(right.join('.')) : right.join('.');
  // The model may be wrong, if the name is elsewhere too.
  const isMended = near !== undefined && !parameters.includes(name) && !isNamed(root, name);
  const fix = isMended ? { fix: { title: `change to "${right.join('.')}"`, text } } : {};
  findings.push({ code: 'DOC_FIELD', ...spot, params: { where, name, hint: formatHint(near) }, ...fix });
}

/** Whether a text outside document queries has the name, such as in `returnables`. */
function isNamed(json: Json, name: string): boolean {
  if (typeof json === 'string') return json.split('.').includes(name);
  if (Array.isArray(json)) return json.some((item: Json) => isNamed(item, name));
  return isObject(json) && Object.entries(json).some(([key, value]) => key !== QUERY && isNamed(value, name));
}

export const formatHint = (near: string | undefined): string => (near === undefined ? '' : ` Did you mean "${near}"?`);

export function getColumnType({ facts }: QueryCheckContext, field: QueryDefinition): string | null {
  const column = facts('field-type', asText(field['type']))?.column;
  return typeof column === 'string' ? column : null;
}

export const describeJson = (json: Json): string => {
  if (json === null) return 'null';
  if (Array.isArray(json)) return 'a list';
  if (typeof json === 'object') return 'an object';
  return typeof json === 'string' ? 'a text' : typeof json === 'number' ? 'a number' : 'true or false';
};

/** A literal that meets a field, including one behind `"$1"`. */
export function checkValue(context: QueryCheckContext, json: Json, field: QueryDefinition | null, at: string): void {
  if (field === null) return;
  const literal = findLiteral(context, json, at) ?? findWholePayload(context, json, at);
  const column = getColumnType(context, field);
  if (literal === null || column === null) return;
  const items = getItemField(context, field);
  const wrong = items === null ? null : findWrongItem(context, items, literal.json);
  if (items !== null && wrong !== null) reportType(context, items, { ...literal, json: wrong });
  else if (!canHoldValue(column, literal.json) || !isObjectLike(context, field, literal.json))
    reportType(context, field, literal);
}

function isObjectLike({ facts }: QueryCheckContext, field: QueryDefinition, json: Json): boolean {
  return facts('field-type', asText(field['type']))?.holds !== 'object' || json === null || isObject(json);
}

/** Operators that match only fields of these columns. */
const NEEDED: Readonly<Record<string, readonly [code: string, columns: readonly string[]]>> = {
  $regex: ['DOC_NOT_TEXT', ['text', 'json']],
  $size: ['DOC_NO_LIST', ['json']],
  $elemMatch: ['DOC_NO_LIST', ['json']],
  $mod: ['DOC_NOT_NUMERIC', ['integer', 'float', 'json']],
};

/** Reports an operator that matches no value of the field. */
export function checkOperatorType(
  context: QueryCheckContext,
  name: string,
  field: QueryDefinition | null,
  at: string,
): void {
  const [code, columns] = NEEDED[name] ?? [];
  const column = field === null ? null : getColumnType(context, field);
  if (code === undefined || column === null || columns?.includes(column) === true) return;
  context.findings.push({ code, at, key: true, params: { name, type: asText(field?.['type']) } });
}

function reportType(context: QueryCheckContext, field: QueryDefinition, { json, at, actual }: Literal): void {
  const [type, right] = [asText(field['type']), RIGHT[getColumnType(context, field) ?? ''] ?? 'a value of that type'];
  context.findings.push({ code: 'DOC_TYPE', at, params: { type, actual: actual ?? describeValue(json), right } });
}

/** The items of a list as a field; null where their type is unknown. */
export function getItemField({ facts }: QueryCheckContext, field: QueryDefinition | null): QueryDefinition | null {
  const type = field?.['property_type'];
  const column = typeof type === 'string' ? facts('field-type', type)?.column : undefined;
  return typeof column === 'string' && column !== 'json' && column !== 'timestamp' ? { type: type as Json } : null;
}

function findWrongItem(context: QueryCheckContext, items: QueryDefinition, json: Json): Json {
  const column = getColumnType(context, items) ?? '';
  const list = Array.isArray(json) ? (json as readonly Json[]) : [json];
  return list.find((item) => !isValue(item) && !canHoldValue(column, item)) ?? null;
}

export const toFields = (properties: QueryDefinition): [string, QueryDefinition | null][] =>
  toEntries(properties).map(([key, inner]) => [key, isObject(inner) ? (inner as QueryDefinition) : null]);

export function getElement(context: QueryCheckContext, list: QueryDefinition | null): QueryDefinition | null {
  const properties = list?.['properties'];
  return getItemField(context, list) ?? (isObject(properties) ? { properties } : null);
}

interface Literal {
  readonly json: Json;
  readonly at: string;
  readonly actual?: string;
}

/** The payload is always an object or a list. */
function findWholePayload({ parameters }: QueryCheckContext, json: Json, at: string): Literal | null {
  const n = parsePlaceholder(json);
  const text = asText(n === null ? json : (parameters[n - 1] ?? null));
  const [only] = listAccessors(text);
  if (only?.root !== 'PAYLOAD' || only.tail.length > 0 || only.end - only.start !== text.length) return null;
  return { json: {}, at: n === null ? at : `/parameters/${n - 1}`, actual: 'the whole payload' };
}

/** The literal at a location or behind its placeholder; null for runtime values. */
function findLiteral({ parameters }: QueryCheckContext, json: Json, at: string): Literal | null {
  const n = parsePlaceholder(json);
  if (n === null) return isValue(json) ? null : { json, at };
  const entry = parameters[n - 1];
  if (entry === undefined) return null;
  const literal = unwrapLiteral(entry);
  // A text that looks like a name is one, unless marked as a value.
  if (literal === entry && (isValue(entry) || (typeof entry === 'string' && IDENTIFIER.test(entry)))) return null;
  return { json: literal, at: `/parameters/${n - 1}` };
}

const RIGHT: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  float: 'a number',
  text: 'a text',
  boolean: 'true or false',
  timestamp: 'a time as ISO 8601 writes it, such as "2030-01-31T12:00:00Z"',
};
/** Integers and fractions are both shown as numbers. */
const describeValue = (json: Json): string => {
  if (typeof json === 'number' || typeof json === 'boolean') return String(json);
  return typeof json === 'string' ? 'this text' : describeJson(json);
};

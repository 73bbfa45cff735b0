/** Builds and transforms JSON Schemas of values and results. */
import type { Forms, JsonSchema } from './api.js';
import { isObject, type Json } from './json.js';

export const ANY: JsonSchema = {};
export const NULL: JsonSchema = { type: 'null' };

export const createListSchema = (items: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: 'array',
  items,
  ...more,
});

/** `required`: names that are always present; by default all. */
export function createObjectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = Object.keys(properties),
): JsonSchema {
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

export const isAny = (schema: JsonSchema): boolean => Object.keys(schema).length === 0;
export const isList = ({ type }: JsonSchema): boolean => type === 'array';
export const isNull = ({ type }: JsonSchema): boolean => type === 'null';
export const isObjectSchema = ({ type }: JsonSchema): boolean => type === 'object';

export function toNullable(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  if (isAny(schema)) return schema;
  if (Object.hasOwn(schema, 'enum') || Object.hasOwn(schema, 'const') || type === undefined)
    return { anyOf: [schema, NULL] };
  const types = (Array.isArray(type) ? type : [type]) as readonly Json[];
  return types.includes('null') ? schema : { ...schema, type: [...types, 'null'] };
}

/** Returns null if nothing is known about the properties. */
export const getProperties = ({ properties }: JsonSchema): Readonly<Record<string, JsonSchema>> | null =>
  isObject(properties) ? (properties as Readonly<Record<string, JsonSchema>>) : null;

export const listRequired = ({ required }: JsonSchema): readonly string[] =>
  Array.isArray(required) ? (required as readonly Json[]).map(String) : [];

/** Applies `change` to an object, or to those of a list; other forms are unchanged. */
export function mapRows(forms: Forms, change: (row: JsonSchema) => JsonSchema): Forms {
  return forms.map((form) => {
    if (isObjectSchema(form)) return change(form);
    const { items } = form;
    if (!isList(form) || !isObject(items)) return form;
    // An item without a row is null.
    const all = splitForms(items);
    if (!all.some(isObjectSchema)) return form;
    const rest = combineForms(
      all.filter((one) => !isNull(one)).map((one) => (isObjectSchema(one) ? change(one) : one)),
    );
    return { ...form, items: all.some(isNull) ? toNullable(rest) : rest };
  });
}

/** Null if the path certainly does not exist, any if unknown. */
export function findSchema(schema: JsonSchema, [segment, ...rest]: readonly string[]): JsonSchema | null {
  if (segment === undefined) return schema;
  const { items } = schema;
  if (isObject(items) && /^\d+$/.test(segment)) return findSchema(items, rest);
  const properties = getProperties(schema);
  if (properties === null) return schema['type'] === undefined || hasType(schema, 'object') ? ANY : null;
  const found = Object.hasOwn(properties, segment) ? properties[segment] : undefined;
  return found === undefined ? null : findSchema(found, rest);
}

const hasType = ({ type }: JsonSchema, name: string): boolean =>
  type === name || (Array.isArray(type) && (type as readonly Json[]).includes(name));

export type FindName = (name: string) => { readonly schema: JsonSchema; readonly certain: boolean } | null;

export const createNameLookup =
  (row: JsonSchema): FindName =>
  (name) => {
    const path = name.split('.');
    const schema = findSchema(row, path);
    return schema === null ? null : { schema, certain: path.length === 1 && listRequired(row).includes(name) };
  };

/** An object with these names; dotted names become nested objects. */
export function pickNames(names: readonly string[], find: FindName): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const name of names) {
    const found = find(name);
    if (found === null) continue;
    putProperty(properties, name.split('.'), found.schema);
    if (found.certain) required.push(name);
  }
  return createObjectSchema(properties, required);
}

function putProperty(
  properties: Record<string, JsonSchema>,
  [segment = '', ...rest]: readonly string[],
  value: JsonSchema,
) {
  const name = segment;
  if (rest.length === 0) {
    properties[name] = value;
    return;
  }
  const known = properties[name];
  const inside = { ...(known === undefined ? {} : getProperties(known)) };
  putProperty(inside, rest, value);
  properties[name] = createObjectSchema(inside, []);
}

export function omitNames(row: JsonSchema, hidden: (name: string) => boolean): JsonSchema {
  const properties = getProperties(row);
  if (properties === null) return row;
  const kept = Object.entries(properties).filter(([name]) => !hidden(name));
  const required = listRequired(row).filter((name) => !hidden(name));
  const { required: _, ...rest } = row;
  return { ...rest, properties: Object.fromEntries(kept), ...(required.length > 0 && { required }) };
}

/** Splits a schema into its alternatives. */
export function splitForms(schema: JsonSchema): Forms {
  const { anyOf, type } = schema;
  if (Array.isArray(anyOf)) return (anyOf as readonly JsonSchema[]).flatMap(splitForms);
  if (!Array.isArray(type)) return [schema];
  return (type as readonly Json[]).map((one) => (one === 'null' ? NULL : { ...schema, type: one }));
}

/** Combines alternatives into one schema. */
export function combineForms(forms: Forms): JsonSchema {
  if (forms.length === 0 || forms.some(isAny)) return ANY;
  const texts = new Map(forms.map((form) => [JSON.stringify(form), form]));
  const [only, ...others] = [...texts.values()];
  if (only === undefined) return ANY;
  return others.length === 0 ? only : { anyOf: [only, ...others] };
}

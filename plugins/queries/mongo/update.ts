/**
 * Compiles updates and documents to closures: operators and field names come from the definition, request values are converted
 * to field types and rejected if their keys could be interpreted.
 */
import { isObject, type Json } from '../../../contract/json.js';
import { fields as fieldsOf } from './expression.js';
import { filter, number, operandOf, operators, settled, values, type Compiling } from './filter.js';
import { BIT_FIELDS, PUSH_MODIFIERS, UPDATE_OPERATORS, UPDATE_STAGES } from './operators.light.js';
import { stage } from './pipeline.js';
import { constant, dynamic, fixed, listOf, literal, objectOf, written, wrong, type Node } from './template.js';
import { checked, convert, type FieldType } from './values.js';

type Entries = readonly (readonly [string, Node])[];

/** Fields added by options of the query, unless the update writes them. */
export type Added = Readonly<Record<'$set' | '$setOnInsert', Entries>>;

/** `note` receives the nodes written to each field. */
export function update(
  json: Json | undefined,
  compiling: Compiling,
  added: Added,
  note: (entries: Entries) => void,
): Node {
  if (Array.isArray(json)) return stages(json as readonly Json[], compiling, added);
  const entries = Object.entries(written(json, '"update_predicate"'));
  for (const [name] of entries) {
    if (!name.startsWith('$')) throw wrong(`"${name}" stands in no operator such as "$set"`);
  }
  const mentioned = new Set(entries.flatMap(([, inner]) => (isObject(inner) ? Object.keys(inner) : [])));
  const outer = new Map(entries.map(([name, inner]) => [name, changes(name, inner, compiling)] as const));
  outer.forEach(note);
  for (const [name, list] of Object.entries(added)) {
    const missing = list.filter(([field]) => !mentioned.has(field));
    if (missing.length > 0) outer.set(name, [...(outer.get(name) ?? []), ...missing]);
  }
  return objectOf([...outer].map(([name, inner]) => [name, objectOf(inner)] as const));
}

/** Appends the added fields as a last stage. */
function stages(list: readonly Json[], compiling: Compiling, added: Added): Node {
  const mentioned = new Set(list.flatMap((item) => (isObject(item) ? Object.values(item) : [])).flatMap(keysOf));
  const missing = added.$set.filter(([field]) => !mentioned.has(field));
  const last = missing.length === 0 ? [] : [objectOf([['$set', objectOf(missing)]])];
  return listOf([...list.map((item) => stage(item, compiling, UPDATE_STAGES)), ...last]);
}

const keysOf = (json: Json): string[] => (isObject(json) ? Object.keys(json) : []);

function changes(name: string, json: Json, compiling: Compiling): Entries {
  const operand = operandOf(UPDATE_OPERATORS, name, 'an update');
  return Object.entries(written(json, `"${name}"`)).map(([field, inner]) => {
    if (field.startsWith('$')) throw wrong(`"${field}" is no field`);
    const type = compiling.typeOf(field);
    switch (operand) {
      case 'value':
        return [field, stored(inner, compiling, type)] as const;
      case 'number':
        return [field, number(inner, compiling.leaf)] as const;
      case 'values':
        return [field, values(inner, compiling, null, false)] as const;
      case 'pushed':
        return [field, pushed(inner, compiling)] as const;
      case 'matching':
        return [field, pulled(inner, compiling, field)] as const;
      case 'object':
        return [field, bits(inner, compiling)] as const;
      default:
        return [field, fixed(inner, compiling.leaf, `"${name}"`)] as const;
    }
  });
}

/** A written value; client values must not contain keys that documents must not have. */
export function stored(json: Json, { leaf }: Compiling, type: FieldType): Node {
  const found = typeof json === 'string' ? leaf(json) : null;
  if (found !== null) {
    const sent = checked(found);
    return dynamic((frame) => convert(sent(frame), type, found.field), found.field);
  }
  if (typeof json !== 'object' || json === null) return constant(settled(json, type));
  return literal(json, leaf, checked);
}

function pushed(json: Json, compiling: Compiling): Node {
  const keys = keysOf(json);
  if (!keys.some((key) => key.startsWith('$'))) return stored(json, compiling, null);
  return objectOf(
    Object.entries(written(json, 'what is pushed')).map(([key, inner]) => {
      const operand = operandOf(PUSH_MODIFIERS, key, 'a push');
      if (operand === 'values') return [key, eachOf(inner, compiling)] as const;
      if (operand === 'number') return [key, number(inner, compiling.leaf)] as const;
      return [key, fixed(inner, compiling.leaf, `"${key}"`)] as const;
    }),
  );
}

const eachOf = (json: Json, compiling: Compiling): Node =>
  Array.isArray(json)
    ? listOf((json as readonly Json[]).map((item) => stored(item, compiling, null)))
    : values(json, compiling, null, false);

/** Operators or a query of the definition; a value is one that an element must equal. */
function pulled(json: Json, compiling: Compiling, field: string): Node {
  const keys = keysOf(json);
  if (isObject(json) && keys.some((key) => key.startsWith('$'))) return operators(json, compiling, field);
  if (isObject(json)) return filter(json, compiling, `${field}.`);
  const node = stored(json, compiling, null);
  if (node.constant) return constant(node.value);
  return dynamic((frame) => ({ $eq: node.read(frame) }));
}

const bits = (json: Json, compiling: Compiling): Node =>
  objectOf(
    Object.entries(written(json, '"$bit"')).map(([key, inner]) => {
      operandOf(BIT_FIELDS, key, '"$bit"');
      return [key, number(inner, compiling.leaf)] as const;
    }),
  );

export function document(json: Json, compiling: Compiling): Entries {
  return Object.entries(written(json, '"document"')).map(([field, inner]) => {
    if (field.startsWith('$') || field.includes('.')) throw wrong(`"${field}" is no name of a field`);
    return [field, stored(inner, compiling, compiling.typeOf(field))] as const;
  });
}

export const projection = (json: Json, compiling: Compiling): Node => fieldsOf(json, compiling, '"projection"');

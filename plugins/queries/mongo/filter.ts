/**
 * Compiles filters to closures: operators come from the definition, request values become literals of an operator. A client's
 * object is compared as a whole and never interpreted as operators.
 */
import { isObject, type Json, type JsonObject } from '../../../contract/json.js';
import type { Reader } from '../../../contract/plan.js';
import { expression } from './expression.js';
import { FIELD_OPERATORS, QUERY_OPERATORS, REFUSED, SEARCH_FIELDS, type Operand } from './operators.light.js';
import { pattern, sentText } from './patterns.js';
import {
  constant,
  dynamic,
  fixed,
  listOf,
  literal,
  objectOf,
  readerOf,
  written,
  writtenList,
  wrong,
} from './template.js';
import type { Dynamic, Leaf, Node } from './template.js';
import { badValue, checked, convert, refuseLeaf, refuseOddKeys, type FieldType, type TypeOf } from './values.js';

export interface Compiling {
  readonly leaf: Leaf;
  readonly typeOf: TypeOf;
}

/** A condition that matches nothing, because a missing value equals nothing, as in SQL. */
const NOTHING = Object.freeze({ $in: Object.freeze([]) });
/** Comparison operators; a missing operand matches nothing. */
const COMPARES: ReadonlySet<string> = new Set(['$eq', '$gt', '$gte', '$lt', '$lte']);

export function filter(json: Json, compiling: Compiling, prefix = ''): Node {
  const query = written(json, 'a filter');
  return objectOf(
    Object.entries(query).map(([key, inner]) => {
      if (!key.startsWith('$')) return [key, condition(inner, compiling, `${prefix}${key}`)] as const;
      return [key, ofQuery(key, inner, compiling, prefix)] as const;
    }),
  );
}

function ofQuery(name: string, json: Json, compiling: Compiling, prefix: string): Node {
  switch (operandOf(QUERY_OPERATORS, name, 'a filter')) {
    case 'queries':
      return listOf(writtenList(json, `"${name}"`).map((item) => filter(item, compiling, prefix)));
    case 'expression':
      return expression(json, compiling);
    case 'search':
      return search(written(json, `"${name}"`), compiling.leaf);
    default:
      return fixed(json, compiling.leaf, `"${name}"`);
  }
}

const search = (json: JsonObject, leaf: Leaf): Node =>
  objectOf(
    Object.entries(json).map(([key, inner]) => {
      const operand = operandOf(SEARCH_FIELDS, key, '"$text"');
      return [key, operand === 'text' ? text(inner, leaf, key) : fixed(inner, leaf, `"${key}"`)] as const;
    }),
  );

export function operandOf(table: Readonly<Record<string, Operand>>, name: string, where: string): Operand {
  const operand = table[name];
  if (operand !== undefined) return operand;
  const why = REFUSED[name];
  throw wrong(why === undefined ? `there is no "${name}" in ${where}` : `"${name}" is refused: ${why}`);
}

const isOperators = (json: Json): json is JsonObject =>
  isObject(json) && Object.keys(json).some((key) => key.startsWith('$'));

function condition(json: Json, compiling: Compiling, path: string): Node {
  if (isOperators(json)) return operators(json, compiling, path);
  const node = value(json, compiling, compiling.typeOf(path));
  if (node.constant) return constant(Object.freeze({ $eq: node.value }));
  return dynamic((frame) => {
    const found = node.read(frame);
    return found === null ? NOTHING : { $eq: found };
  });
}

export function operators(json: JsonObject, compiling: Compiling, path: string): Node {
  const entries = Object.entries(json);
  const nodes = entries.map(([name, inner]) => [name, operator(name, inner, compiling, path)] as const);
  const compared = nodes.filter(([name, node]) => COMPARES.has(name) && !node.constant).map(([name]) => name);
  const whole = objectOf(nodes);
  if (compared.length === 0 || whole.constant) return whole;
  return dynamic((frame) => {
    const found = whole.read(frame) as Record<string, unknown>;
    return compared.some((name) => found[name] === null) ? NOTHING : found;
  });
}

function operator(name: string, json: Json, compiling: Compiling, path: string): Node {
  const { leaf, typeOf } = compiling;
  const type = typeOf(path);
  const where = `"${name}"`;
  switch (operandOf(FIELD_OPERATORS, name, 'a condition')) {
    case 'value':
      return value(json, compiling, type);
    case 'values':
      return name === '$all' && Array.isArray(json) && json.some(isOperators)
        ? listOf(json.map((item) => operators(written(item as Json, where), compiling, path)))
        : values(json, compiling, type, name === '$in');
    case 'condition':
      return operators(writtenOperators(json, where), compiling, path);
    case 'element':
      return isOperators(json) && Object.keys(json).every((key) => !Object.hasOwn(QUERY_OPERATORS, key))
        ? operators(json, compiling, path)
        : filter(json, compiling, `${path}.`);
    case 'text':
      return pattern(json, leaf);
    case 'number':
      return number(json, leaf);
    case 'numbers':
      return listOf(writtenList(json, where).map((item) => number(item, leaf)));
    case 'flag':
      return flag(json, leaf);
    default:
      return fixed(json, leaf, where);
  }
}

function writtenOperators(json: Json, where: string): JsonObject {
  if (isOperators(json)) return json;
  throw wrong(`${where} takes operators that the definition writes out, never a value`);
}

/** A value in the type of its field; literal objects and lists may contain further values. */
export function value(json: Json, { leaf }: Compiling, type: FieldType): Node {
  const found = typeof json === 'string' ? leaf(json) : null;
  if (found !== null) {
    return dynamic((frame) => {
      const sent = found.read(frame);
      refuseLeaf(sent, found.field);
      return convert(sent, type, found.field);
    });
  }
  if (typeof json !== 'object' || json === null) return constant(settled(json, type));
  return literal(
    json,
    leaf,
    ({ read }) =>
      (frame) =>
        read(frame) ?? null,
  );
}

/** Converts a literal to the type of its field. */
export function settled(json: Json, type: FieldType): unknown {
  try {
    return convert(json, type, null);
  } catch {
    throw wrong(`${JSON.stringify(json)} is no value of its field`);
  }
}

/** A list of values. A list from a client must not contain keys that look like operators. */
export function values(json: Json, compiling: Compiling, type: FieldType, drops: boolean): Node {
  const found = typeof json === 'string' ? compiling.leaf(json) : null;
  const node = found === null ? listed(json, compiling, type) : dynamic((frame) => sentList(found, type)(frame));
  if (node.constant || !drops) return node;
  return dynamic((frame) => (node.read(frame) as unknown[]).filter((item) => item !== null));
}

function listed(json: Json, compiling: Compiling, type: FieldType): Node {
  return listOf(
    writtenList(json, 'a list of values').map((item) => {
      const found = typeof item === 'string' ? compiling.leaf(item) : null;
      return found === null ? value(item, compiling, type) : dynamic(keyed(found, type));
    }),
  );
}

const sentList =
  ({ read, field }: Dynamic, type: FieldType): Reader<unknown[]> =>
  (frame) => {
    const sent = read(frame);
    if (sent === null || sent === undefined) return [];
    if (!Array.isArray(sent)) throw badValue(field, 'must be a list');
    refuseOddKeys(sent, field);
    return sent.map((item) => convert(item, type, field));
  };

const keyed = (found: Dynamic, type: FieldType): Reader => {
  const sent = checked(found);
  return (frame) => convert(sent(frame), type, found.field);
};

function text(json: Json, leaf: Leaf, name: string): Node {
  if (typeof json !== 'string') throw wrong(`"${name}" takes text`);
  const found = leaf(json);
  return found === null ? constant(json) : dynamic((frame) => sentText(found, frame));
}

/** Accepts a number, also as text. */
export function number(json: Json, leaf: Leaf): Node {
  const found = typeof json === 'string' ? leaf(json) : null;
  if (found === null) return constant(json);
  return dynamic((frame) => {
    const sent = convert(found.read(frame), 'float', found.field);
    if (sent === null) throw badValue(found.field, 'must be a number');
    return sent;
  });
}

function flag(json: Json, leaf: Leaf): Node {
  const found = typeof json === 'string' ? leaf(json) : null;
  return found === null
    ? constant(json)
    : dynamic((frame) => convert(found.read(frame), 'boolean', found.field) ?? false);
}

/** A filter as a reader that always returns an object. */
export const filterReader = (json: Json | undefined, compiling: Compiling): Reader =>
  readerOf(json === undefined ? constant(Object.freeze({})) : filter(json, compiling));

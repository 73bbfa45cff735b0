/**
 * Compiles expressions to closures. Text of the definition may be a path (`"$name"`); request values never are: each is inserted
 * as `{"$literal": ...}`, which the database does not interpret.
 */
import { isObject, type Json, type JsonObject } from '../../../contract/json.js';
import type { Compiling } from './filter.js';
import { EXPRESSIONS, REFUSED } from './operators.light.js';
import { pattern } from './patterns.js';
import { constant, dynamic, fixed, listOf, literal, objectOf, wrong, type Dynamic, type Node } from './template.js';
import { checked, convert, type FieldType } from './values.js';

/** All operands of these operators have the type of the field that one of them names. */
const COMPARES: ReadonlySet<string> = new Set(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$cmp', '$in']);

export function expression(json: Json, compiling: Compiling, type: FieldType = null): Node {
  if (typeof json === 'string') {
    const found = compiling.leaf(json);
    return found === null ? constant(settledText(json, type)) : quoted(found, type);
  }
  if (Array.isArray(json)) return listOf((json as readonly Json[]).map((item) => expression(item, compiling, type)));
  if (!isObject(json)) return constant(json);
  return objectOf(
    Object.entries(json).map(([key, inner]) => {
      if (!key.startsWith('$')) return [key, expression(inner, compiling)] as const;
      if (REFUSED[key] !== undefined) throw wrong(`"${key}" is refused: ${REFUSED[key]}`);
      const operand = EXPRESSIONS[key];
      if (operand === undefined) throw wrong(`there is no "${key}" in expressions`);
      if (PATTERNS.has(key)) return [key, matching(key, inner, compiling)] as const;
      if (NAMING.has(key)) return [key, naming(key, inner, compiling)] as const;
      if (operand === 'literal') return [key, literal(inner, compiling.leaf, checked)] as const;
      return [key, expression(inner, compiling, COMPARES.has(key) ? comparedType(inner, compiling) : null)] as const;
    }),
  );
}

/** Operators with a pattern: request values are escaped in it, and a field cannot provide the pattern. */
const PATTERNS: ReadonlySet<string> = new Set(['$regexMatch', '$regexFind', '$regexFindAll']);
/** Operators with a field name, which only the definition may provide. */
const NAMING: ReadonlySet<string> = new Set(['$getField', '$setField', '$unsetField']);

function matching(name: string, json: Json, compiling: Compiling): Node {
  if (!isObject(json)) throw wrong(`"${name}" takes an object that the definition writes out`);
  return membersOf(json, compiling, (key, inner) => {
    if (key === 'options') return fixed(inner, compiling.leaf, `"options" of "${name}"`);
    return key === 'regex' ? quotedPattern(name, inner, compiling) : null;
  });
}

function quotedPattern(name: string, json: Json, { leaf }: Compiling): Node {
  const [only] = isObject(json) ? Object.entries(json) : [];
  const text = only?.[0] === '$literal' ? only[1] : json;
  const node = pattern(text, leaf);
  if (!node.constant) return dynamic((frame) => ({ $literal: node.read(frame) }));
  if (typeof json === 'string' && json.startsWith('$') && json !== '$')
    throw wrong(`the pattern of "${name}" is text, never a field`);
  return constant(json);
}

function naming(name: string, json: Json, compiling: Compiling): Node {
  const where = `the name of a field in "${name}"`;
  if (!isObject(json) || Object.keys(json).some((key) => key.startsWith('$')))
    return fixed(json, compiling.leaf, where);
  return membersOf(json, compiling, (key, inner) => (key === 'field' ? fixed(inner, compiling.leaf, where) : null));
}

const membersOf = (json: JsonObject, compiling: Compiling, special: (key: string, json: Json) => Node | null): Node =>
  objectOf(
    Object.entries(json).map(([key, inner]) => [key, special(key, inner) ?? expression(inner, compiling)] as const),
  );

/** A literal time compared with a timestamp field. */
function settledText(text: string, type: FieldType): unknown {
  return type === 'timestamp' && /^\d{4}-/.test(text) ? convert(text, type, null) : text;
}

/** The result of an expression may be stored, so its keys are validated like those of documents. */
function quoted(found: Dynamic, type: FieldType): Node {
  const read = checked(found);
  return dynamic((frame) => ({ $literal: convertedList(read(frame), type, found.field) }));
}

const convertedList = (value: unknown, type: FieldType, field: string | null): unknown =>
  Array.isArray(value) ? value.map((item) => convert(item, type, field)) : convert(value, type, field);

function comparedType(json: Json, { typeOf }: Compiling): FieldType {
  if (!Array.isArray(json)) return null;
  const paths = (json as readonly Json[]).filter((item): item is string => typeof item === 'string');
  const types = paths.map((path) => (/^\$[a-z_]/i.test(path) ? typeOf(path.slice(1)) : null));
  return types.find((type) => type === 'timestamp' || type === 'id') ?? null;
}

/** An object of names with one expression each. */
export function fields(json: Json, compiling: Compiling, where: string): Node {
  if (!isObject(json)) throw wrong(`${where} takes an object that the definition writes out`);
  return objectOf(Object.entries(json).map(([key, inner]) => [key, expression(inner, compiling)] as const));
}

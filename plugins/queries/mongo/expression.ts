/**
 * Compiles expressions. Text of the definition may be a path (`"$name"`); request values never are: each becomes
 * `{"$literal": ...}`.
 */
import { isObject, type Json, type JsonObject } from '../../../contract/json.js';
import {
  createCheckedReader,
  convertValue,
  getInnerType,
  type QueryCompileContext,
  type StoredFieldType,
} from './values.js';
import { EXPRESSIONS, REJECTED_OPERATORS } from './operators.light.js';
import { compilePattern } from './patterns.js';
import {
  createConstantNode,
  createDynamicNode,
  compileFixed,
  createListNode,
  compileLiteral,
  createObjectNode,
  createQueryError,
  type Dynamic,
  type Node,
} from './template.js';

/** All operands of these operators have the type of the field that one of them names. */
const COMPARES: ReadonlySet<string> = new Set(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$cmp', '$in']);

export function compileExpression(json: Json, compiling: QueryCompileContext, type: StoredFieldType = null): Node {
  if (typeof json === 'string') {
    const found = compiling.leaf(json);
    return found === null ? createConstantNode(convertText(json, type)) : compileDynamicLiteral(found, type);
  }
  if (Array.isArray(json))
    return createListNode((json as readonly Json[]).map((item) => compileExpression(item, compiling, type)));
  if (!isObject(json)) return createConstantNode(convertConstant(json, type));
  return createObjectNode(
    Object.entries(json).map(([key, inner]) => {
      if (!key.startsWith('$')) return [key, compileExpression(inner, compiling)] as const;
      if (REJECTED_OPERATORS[key] !== undefined)
        throw createQueryError(`"${key}" is refused: ${REJECTED_OPERATORS[key]}`);
      const operand = EXPRESSIONS[key];
      if (operand === undefined) throw createQueryError(`there is no "${key}" in expressions`);
      if (PATTERNS.has(key)) return [key, compilePatternOperator(key, inner, compiling)] as const;
      if (NAMING.has(key)) return [key, compileFieldOperator(key, inner, compiling)] as const;
      if (operand === 'literal') return [key, compileLiteral(inner, compiling.leaf, createCheckedReader)] as const;
      return [
        key,
        compileExpression(inner, compiling, COMPARES.has(key) ? findComparedType(key, inner, compiling) : null),
      ] as const;
    }),
  );
}

/** Request values are escaped in the pattern, and a field cannot provide it. */
const PATTERNS: ReadonlySet<string> = new Set(['$regexMatch', '$regexFind', '$regexFindAll']);
/** Operators with a field name, which only the definition may provide. */
const NAMING: ReadonlySet<string> = new Set(['$getField', '$setField', '$unsetField']);

function compilePatternOperator(name: string, json: Json, compiling: QueryCompileContext): Node {
  if (!isObject(json)) throw createQueryError(`"${name}" takes an object that the definition writes out`);
  return compileMembers(json, compiling, (key, inner) => {
    if (key === 'options') return compileFixed(inner, compiling.leaf, `"options" of "${name}"`);
    return key === 'regex' ? compileQuotedPattern(name, inner, compiling) : null;
  });
}

function compileQuotedPattern(name: string, json: Json, { leaf }: QueryCompileContext): Node {
  const [only] = isObject(json) ? Object.entries(json) : [];
  const text = only?.[0] === '$literal' ? only[1] : json;
  const node = compilePattern(text, leaf);
  if (!node.constant) return createDynamicNode((frame) => ({ $literal: node.read(frame) }));
  if (typeof json === 'string' && json.startsWith('$') && json !== '$')
    throw createQueryError(`the pattern of "${name}" is text, never a field`);
  return createConstantNode(json);
}

function compileFieldOperator(name: string, json: Json, compiling: QueryCompileContext): Node {
  const where = `the name of a field in "${name}"`;
  if (!isObject(json) || Object.keys(json).some((key) => key.startsWith('$')))
    return compileFixed(json, compiling.leaf, where);
  return compileMembers(json, compiling, (key, inner) =>
    key === 'field' ? compileFixed(inner, compiling.leaf, where) : null,
  );
}

const compileMembers = (
  json: JsonObject,
  compiling: QueryCompileContext,
  special: (key: string, json: Json) => Node | null,
): Node =>
  createObjectNode(
    Object.entries(json).map(
      ([key, inner]) => [key, special(key, inner) ?? compileExpression(inner, compiling)] as const,
    ),
  );

/** A literal compared with a field; a text that begins with a dollar is a path. */
function convertText(text: string, type: StoredFieldType): unknown {
  if (type === 'timestamp') return /^\d{4}-/.test(text) ? convertValue(text, type, null) : text;
  return text.startsWith('$') ? text : convertConstant(text, type);
}

function convertConstant(json: Json, type: StoredFieldType): unknown {
  try {
    return convertValue(json, type, null);
  } catch {
    throw createQueryError(`${JSON.stringify(json)} is no value of the field that it is compared with`);
  }
}

/** The result may be stored, so its keys are validated. */
function compileDynamicLiteral(found: Dynamic, type: StoredFieldType): Node {
  const read = createCheckedReader(found);
  return createDynamicNode((frame) => ({ $literal: convertList(read(frame), type, found.field) }));
}

const convertList = (value: unknown, type: StoredFieldType, field: string | null): unknown =>
  Array.isArray(value) ? value.map((item) => convertValue(item, type, field)) : convertValue(value, type, field);

/** The type of the fields that the operands name, or of the items behind `$in`. */
function findComparedType(name: string, json: Json, { leaf, typeOf }: QueryCompileContext): StoredFieldType {
  if (!Array.isArray(json)) return null;
  const types = (json as readonly Json[]).flatMap((item, i) => {
    if (typeof item !== 'string' || !/^\$[a-z_]/i.test(item) || leaf(item) !== null) return [];
    const type = typeOf(item.slice(1));
    return [name === '$in' && i === 1 ? getInnerType(type, '0') : type];
  });
  const scalars = new Set(types.filter((type) => typeof type === 'string' && type !== 'json'));
  const [only = null] = scalars;
  const exact = types.find((type) => type === 'timestamp' || type === 'id');
  return exact ?? (scalars.size === 1 && types.length === 1 ? only : null);
}

/** An object of names with one expression each. */
export function compileFieldObject(json: Json, compiling: QueryCompileContext, where: string): Node {
  if (!isObject(json)) throw createQueryError(`${where} takes an object that the definition writes out`);
  return createObjectNode(
    Object.entries(json).map(([key, inner]) => [key, compileExpression(inner, compiling)] as const),
  );
}

/**
 * Compiles filters: operators come from the definition, request values become literals. A client's object is compared
 * as a whole.
 */
import { isObject, type Json, type JsonObject } from '../../../contract/json.js';
import type { HeldJson } from '../../../contract/model.js';
import type { Reader } from '../../../contract/plan.js';
import { compileExpression } from './expression.js';
import {
  FIELD_OPERATORS,
  QUERY_OPERATORS,
  REJECTED_OPERATORS,
  SEARCH_FIELDS,
  type Operand,
} from './operators.light.js';
import { compilePattern, readSentText } from './patterns.js';
import {
  createConstantNode,
  createDynamicNode,
  compileFixed,
  createListNode,
  compileLiteral,
  createObjectNode,
  toReader,
  requireObject,
  requireList,
  createQueryError,
} from './template.js';
import type { Dynamic, Leaf, Node } from './template.js';
import {
  createBadValueFault,
  createCheckedReader,
  convertValue,
  getInnerType,
  rejectLeaf,
  rejectInvalidKeys,
  type StoredFieldType,
  type QueryCompileContext,
} from './values.js';

/** A missing value equals nothing, as in SQL. */
const NOTHING = Object.freeze({ $in: Object.freeze([]) });
/** Comparison operators; a missing operand matches nothing. */
const COMPARES: ReadonlySet<string> = new Set(['$eq', '$gt', '$gte', '$lt', '$lte']);

export function compileFilter(json: Json, compiling: QueryCompileContext, prefix = ''): Node {
  const query = requireObject(json, 'a filter');
  return createObjectNode(
    Object.entries(query).map(([key, inner]) => {
      if (!key.startsWith('$')) return [key, compileCondition(inner, compiling, `${prefix}${key}`)] as const;
      return [key, compileQueryOperator(key, inner, compiling, prefix)] as const;
    }),
  );
}

function compileQueryOperator(name: string, json: Json, compiling: QueryCompileContext, prefix: string): Node {
  switch (getOperand(QUERY_OPERATORS, name, 'a filter')) {
    case 'queries':
      return createListNode(requireList(json, `"${name}"`).map((item) => compileFilter(item, compiling, prefix)));
    case 'expression':
      return compileExpression(json, compiling);
    case 'search':
      return compileSearch(requireObject(json, `"${name}"`), compiling.leaf);
    default:
      return compileFixed(json, compiling.leaf, `"${name}"`);
  }
}

const compileSearch = (json: JsonObject, leaf: Leaf): Node =>
  createObjectNode(
    Object.entries(json).map(([key, inner]) => {
      const operand = getOperand(SEARCH_FIELDS, key, '"$text"');
      return [key, operand === 'text' ? compileText(inner, leaf, key) : compileFixed(inner, leaf, `"${key}"`)] as const;
    }),
  );

export function getOperand(table: Readonly<Record<string, Operand>>, name: string, where: string): Operand {
  const operand = table[name];
  if (operand !== undefined) return operand;
  const why = REJECTED_OPERATORS[name];
  throw createQueryError(why === undefined ? `there is no "${name}" in ${where}` : `"${name}" is refused: ${why}`);
}

const isOperators = (json: Json): json is JsonObject =>
  isObject(json) && Object.keys(json).some((key) => key.startsWith('$'));

function compileCondition(json: Json, compiling: QueryCompileContext, path: string): Node {
  if (isOperators(json)) return compileOperators(json, compiling, path);
  const node = compileTypedValue(json, compiling, compiling.typeOf(path));
  if (node.constant) return createConstantNode(Object.freeze({ $eq: node.value }));
  return createDynamicNode((frame) => {
    const found = node.read(frame);
    return found === null ? NOTHING : { $eq: found };
  });
}

export function compileOperators(json: JsonObject, compiling: QueryCompileContext, path: string): Node {
  const entries = Object.entries(json);
  const nodes = entries.map(([name, inner]) => [name, compileOperator(name, inner, compiling, path)] as const);
  const compared = nodes.filter(([name, node]) => COMPARES.has(name) && !node.constant).map(([name]) => name);
  const whole = createObjectNode(nodes);
  if (compared.length === 0 || whole.constant) return whole;
  return createDynamicNode((frame) => {
    const found = whole.read(frame) as Record<string, unknown>;
    return compared.some((name) => found[name] === null) ? NOTHING : found;
  });
}

function compileOperator(name: string, json: Json, compiling: QueryCompileContext, path: string): Node {
  const { leaf, typeOf } = compiling;
  const type = typeOf(path);
  const where = `"${name}"`;
  switch (getOperand(FIELD_OPERATORS, name, 'a condition')) {
    case 'value':
      return compileTypedValue(json, compiling, type);
    case 'values':
      return name === '$all' && Array.isArray(json) && json.some(isOperators)
        ? createListNode(json.map((item) => compileOperators(requireObject(item as Json, where), compiling, path)))
        : compileValues(json, compiling, type, name === '$in');
    case 'condition':
      return compileOperators(requireOperators(json, where), compiling, path);
    case 'element':
      return isOperators(json) && Object.keys(json).every((key) => !Object.hasOwn(QUERY_OPERATORS, key))
        ? compileOperators(json, compiling, path)
        : compileFilter(json, compiling, `${path}.`);
    case 'text':
      return compilePattern(json, leaf);
    case 'number':
      return compileNumber(json, leaf);
    case 'numbers':
      return createListNode(requireList(json, where).map((item) => compileNumber(item, leaf)));
    case 'flag':
      return compileFlag(json, leaf);
    default:
      return compileFixed(json, leaf, where);
  }
}

function requireOperators(json: Json, where: string): JsonObject {
  if (isOperators(json)) return json;
  throw createQueryError(`${where} takes operators that the definition writes out, never a value`);
}

/** Literal objects and lists may contain further values. */
export function compileTypedValue(json: Json, compiling: QueryCompileContext, type: StoredFieldType): Node {
  const { leaf } = compiling;
  const found = typeof json === 'string' ? leaf(json) : null;
  if (found !== null) {
    return createDynamicNode((frame) => {
      const sent = found.read(frame);
      rejectLeaf(sent, found.field);
      return convertValue(sent, type, found.field);
    });
  }
  if (typeof json !== 'object' || json === null) return createConstantNode(convertLiteral(json, type));
  if (type !== null && typeof type === 'object') return compileHeldValue(json, compiling, type);
  return compileLiteral(
    json,
    leaf,
    ({ read }) =>
      (frame) =>
        read(frame) ?? null,
  );
}

/** An object or a list of the definition, of which the model declares what is inside. */
function compileHeldValue(json: JsonObject | readonly Json[], compiling: QueryCompileContext, type: HeldJson): Node {
  const compileInner = (inner: Json, key: string): Node => compileTypedValue(inner, compiling, getInnerType(type, key));
  if (isObject(json))
    return createObjectNode(
      Object.entries(json).map(
        ([key, inner]) => [key, compileInner(inner, type.form === 'object' ? key : '')] as const,
      ),
    );
  return createListNode(json.map((item) => compileInner(item, type.form === 'array' ? '0' : '')));
}

export function convertLiteral(json: Json, type: StoredFieldType): unknown {
  try {
    return convertValue(json, type, null);
  } catch {
    throw createQueryError(`${JSON.stringify(json)} is no value of its field`);
  }
}

/** A list from a client must not contain keys that look like operators. */
export function compileValues(json: Json, compiling: QueryCompileContext, type: StoredFieldType, drops: boolean): Node {
  const found = typeof json === 'string' ? compiling.leaf(json) : null;
  const node =
    found === null
      ? compileList(json, compiling, type)
      : createDynamicNode((frame) => createListReader(found, type)(frame));
  if (node.constant || !drops) return node;
  return createDynamicNode((frame) => (node.read(frame) as unknown[]).filter((item) => item !== null));
}

function compileList(json: Json, compiling: QueryCompileContext, type: StoredFieldType): Node {
  return createListNode(
    requireList(json, 'a list of values').map((item) => {
      const found = typeof item === 'string' ? compiling.leaf(item) : null;
      return found === null
        ? compileTypedValue(item, compiling, type)
        : createDynamicNode(createTypedReader(found, type));
    }),
  );
}

const createListReader =
  ({ read, field }: Dynamic, type: StoredFieldType): Reader<unknown[]> =>
  (frame) => {
    const sent = read(frame);
    if (sent === null || sent === undefined) return [];
    if (!Array.isArray(sent)) throw createBadValueFault(field, 'must be a list');
    rejectInvalidKeys(sent, field);
    return sent.map((item) => convertValue(item, type, field));
  };

const createTypedReader = (found: Dynamic, type: StoredFieldType): Reader => {
  const sent = createCheckedReader(found);
  return (frame) => convertValue(sent(frame), type, found.field);
};

function compileText(json: Json, leaf: Leaf, name: string): Node {
  if (typeof json !== 'string') throw createQueryError(`"${name}" takes text`);
  const found = leaf(json);
  return found === null ? createConstantNode(json) : createDynamicNode((frame) => readSentText(found, frame));
}

/** Accepts a number, also as text. */
export function compileNumber(json: Json, leaf: Leaf): Node {
  const found = typeof json === 'string' ? leaf(json) : null;
  if (found === null) return createConstantNode(json);
  return createDynamicNode((frame) => {
    const sent = convertValue(found.read(frame), 'float', found.field);
    if (sent === null) throw createBadValueFault(found.field, 'must be a number');
    return sent;
  });
}

function compileFlag(json: Json, leaf: Leaf): Node {
  const found = typeof json === 'string' ? leaf(json) : null;
  return found === null
    ? createConstantNode(json)
    : createDynamicNode((frame) => convertValue(found.read(frame), 'boolean', found.field) ?? false);
}

/** A filter as a reader that always returns an object. */
export const createFilterReader = (json: Json | undefined, compiling: QueryCompileContext): Reader =>
  toReader(json === undefined ? createConstantNode(Object.freeze({})) : compileFilter(json, compiling));

/** Compiles pipelines: stages come from the definition, request values become literals. */
import { isObject, type Json } from '../../../contract/json.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import { compileExpression, compileFieldObject } from './expression.js';
import { compileFilter, compileNumber, getOperand, compileValues } from './filter.js';
import { createBadValueFault, createCheckedReader, findNoType, type QueryCompileContext } from './values.js';
import { parsePlaceholder } from '../../../language/strings/placeholder.js';
import { STAGES, STAGE_MEMBERS, UPDATE_STAGES, type Operand, type Operators } from './operators.light.js';
import {
  createDynamicNode,
  compileFixed,
  createListNode,
  compileLiteral,
  createObjectNode,
  requireList,
  createQueryError,
  type Node,
} from './template.js';
import { followTypes } from './type-flow.js';

/** Stages with conditions on documents. */
const TYPED: ReadonlySet<string> = new Set(['$match', '$facet']);

export function compilePipeline(json: Json | undefined, compiling: QueryCompileContext): Node {
  let { typeOf } = compiling;
  return createListNode(
    requireList(json, '"pipeline"').map((item) => {
      const [[name, inner] = ['', null]] = isObject(item) ? Object.entries(item) : [];
      const node = compileStage(item, { ...compiling, typeOf: TYPED.has(name) ? typeOf : findNoType }, STAGES);
      typeOf = followTypes(typeOf, name, inner);
      return node;
    }),
  );
}

export function compileStage(json: Json, compiling: QueryCompileContext, table: Operators): Node {
  const entries = isObject(json) ? Object.entries(json) : [];
  const [first] = entries;
  if (first === undefined || entries.length > 1) throw createQueryError('a stage is an object of one operator');
  const [name, inner] = first;
  const operand = getOperand(table, name, 'a pipeline');
  if (table === UPDATE_STAGES && name === '$replaceWith') rejectWholeValue(inner);
  if (table === UPDATE_STAGES && name === '$replaceRoot' && isObject(inner)) rejectWholeValue(inner['newRoot'] ?? null);
  return createObjectNode([[name, compilePart(name, operand, inner, compiling)]]);
}

/** Members and operators that only decide; their operands are not written. */
const DECIDING: ReadonlySet<string> = new Set(
  'if case cond $eq $ne $gt $gte $lt $lte $cmp $and $or $not $in'.split(' '),
);
/** The operand of these operators is an expression of a document, not an object of members. */
const HANDING: ReadonlySet<string> = new Set(['$mergeObjects', '$ifNull', '$literal', '$first', '$last']);

/** A client must never write a whole document. `members`: the keys belong to an operator. */
function rejectWholeValue(json: Json, members = false): void {
  if (typeof json === 'string' && (parsePlaceholder(json) !== null || listAccessors(json).length > 0))
    throw createQueryError('a document is written out, never a value as a whole');
  if (Array.isArray(json)) for (const item of json as readonly Json[]) rejectWholeValue(item);
  if (!isObject(json)) return;
  for (const [key, inner] of Object.entries(json)) {
    if (DECIDING.has(key)) continue;
    if (key === '$setField') rejectWholeValue(isObject(inner) ? (inner['input'] ?? null) : inner);
    else if (key.startsWith('$')) rejectWholeValue(inner, !HANDING.has(key));
    else if (members) rejectWholeValue(inner, key === 'vars');
  }
}

function compilePart(name: string, operand: Operand, json: Json, compiling: QueryCompileContext): Node {
  const where = `"${name}"`;
  switch (operand) {
    case 'query':
      return compileFilter(json, compiling);
    case 'fields':
      return compileFieldObject(json, compiling, where);
    case 'expression':
      return compileExpression(json, compiling);
    case 'number':
      return compileSize(name, json, compiling);
    case 'values':
      return compileValues(json, compiling, null, false);
    case 'literal':
      return compileLiteral(json, compiling.leaf, createCheckedReader);
    case 'stages':
      return compilePipeline(json, compiling);
    case 'facets':
      return createObjectNode(
        Object.entries(isObject(json) ? json : {}).map(
          ([key, inner]) => [key, compilePart(key, 'stages', inner, compiling)] as const,
        ),
      );
    case 'object':
      return compileMembers(name, json, compiling);
    default:
      return compileFixed(json, compiling.leaf, where);
  }
}

function compileMembers(name: string, json: Json, compiling: QueryCompileContext): Node {
  // `$unionWith` may be a plain collection name.
  if (name === '$unionWith' && typeof json === 'string') return compileFixed(json, compiling.leaf, '"$unionWith"');
  const table = STAGE_MEMBERS[name];
  if (!isObject(json) || table === undefined)
    throw createQueryError(`"${name}" takes an object that the definition writes out`);
  const other = json[name === '$unionWith' ? 'coll' : 'from'];
  const joined = typeof other === 'string' ? compiling.typesIn(other) : findNoType;
  return createObjectNode(
    Object.entries(json).map(([key, inner]) => {
      const operand = getOperand(table, key, `"${name}"`);
      const typeOf = operand === 'stages' || operand === 'query' ? joined : findNoType;
      return [key, compilePart(key, operand, inner, { ...compiling, typeOf })] as const;
    }),
  );
}

/** A number of documents; `$limit` must be at least one. */
function compileSize(name: string, json: Json, compiling: QueryCompileContext): Node {
  const node = compileNumber(json, compiling.leaf);
  if (node.constant) return node;
  return createDynamicNode((frame) => {
    const count = node.read(frame) as number;
    const least = name === '$skip' || name === 'maxDepth' ? 0 : 1;
    if (!Number.isSafeInteger(count) || count < least)
      throw createBadValueFault(null, `must be a whole number from ${least}`);
    return count;
  });
}

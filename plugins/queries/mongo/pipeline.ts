/**
 * Pipelines as closures: stages as the definition writes them, values of the request as literals of filters and expressions.
 */
import { isObject, type Json } from '../../../kernel/contract/json.js';
import { accessorsIn } from '../../../kernel/language/accessor.js';
import { expression, fields } from './expression.js';
import { filter, number, operandOf, values, type Compiling } from './filter.js';
import { placeholderOf } from '../../../kernel/language/placeholder.js';
import { STAGES, STAGE_MEMBERS, UPDATE_STAGES, type Operand, type Operators } from './operators.light.js';
import { dynamic, fixed, listOf, literal, objectOf, writtenList, wrong, type Node } from './template.js';
import { badValue, checked, untyped } from './values.js';

export function pipeline(json: Json | undefined, compiling: Compiling): Node {
  // What later stages see is no longer what the model says.
  return listOf(
    writtenList(json, '"pipeline"').map((item, index) => stage(item, typed(index === 0, item, compiling), STAGES)),
  );
}

/** A filter before anything else sees the documents of the collection itself. */
const typed = (first: boolean, item: Json, compiling: Compiling): Compiling =>
  first && isObject(item) && Object.hasOwn(item, '$match') ? compiling : { ...compiling, typeOf: untyped };

export function stage(json: Json, compiling: Compiling, table: Operators): Node {
  const entries = isObject(json) ? Object.entries(json) : [];
  const [first] = entries;
  if (first === undefined || entries.length > 1) throw wrong('a stage is an object of one operator');
  const [name, inner] = first;
  const operand = operandOf(table, name, 'a pipeline');
  if (table === UPDATE_STAGES && name === '$replaceWith') refuseWhole(inner);
  if (table === UPDATE_STAGES && name === '$replaceRoot' && isObject(inner)) refuseWhole(inner['newRoot'] ?? null);
  return objectOf([[name, part(name, operand, inner, compiling)]]);
}

/** Members and operators that only decide: what they look at is not written. */
const DECIDING: ReadonlySet<string> = new Set(
  'if case cond $eq $ne $gt $gte $lt $lte $cmp $and $or $not $in'.split(' '),
);
/** Their operand is an expression of a document, not members of their own. */
const HANDING: ReadonlySet<string> = new Set(['$mergeObjects', '$ifNull', '$literal', '$first', '$last']);

/**
 * A client never writes a whole document: nowhere in it, however it is put together, does a value stand that is not behind the
 * name of a field. `members`: the names are those of an operator.
 */
function refuseWhole(json: Json, members = false): void {
  if (typeof json === 'string' && (placeholderOf(json) !== null || accessorsIn(json).length > 0))
    throw wrong('a document is written out, never a value as a whole');
  if (Array.isArray(json)) for (const item of json as readonly Json[]) refuseWhole(item);
  if (!isObject(json)) return;
  for (const [key, inner] of Object.entries(json)) {
    if (DECIDING.has(key)) continue;
    if (key === '$setField') refuseWhole(isObject(inner) ? (inner['input'] ?? null) : inner);
    else if (key.startsWith('$')) refuseWhole(inner, !HANDING.has(key));
    else if (members) refuseWhole(inner, key === 'vars');
  }
}

function part(name: string, operand: Operand, json: Json, compiling: Compiling): Node {
  const where = `"${name}"`;
  switch (operand) {
    case 'query':
      return filter(json, compiling);
    case 'fields':
      return fields(json, compiling, where);
    case 'expression':
      return expression(json, compiling);
    case 'number':
      return size(name, json, compiling);
    case 'values':
      return values(json, compiling, null, false);
    case 'literal':
      return literal(json, compiling.leaf, checked);
    case 'stages':
      return listOf(writtenList(json, where).map((item) => stage(item, { ...compiling, typeOf: untyped }, STAGES)));
    case 'facets':
      return objectOf(
        Object.entries(isObject(json) ? json : {}).map(
          ([key, inner]) => [key, part(key, 'stages', inner, compiling)] as const,
        ),
      );
    case 'object':
      return members(name, json, compiling);
    default:
      return fixed(json, compiling.leaf, where);
  }
}

function members(name: string, json: Json, compiling: Compiling): Node {
  // `$unionWith` may be the name alone.
  if (name === '$unionWith' && typeof json === 'string') return fixed(json, compiling.leaf, '"$unionWith"');
  const table = STAGE_MEMBERS[name];
  if (!isObject(json) || table === undefined) throw wrong(`"${name}" takes an object that the definition writes out`);
  return objectOf(
    Object.entries(json).map(([key, inner]) => {
      const operand = operandOf(table, key, `"${name}"`);
      return [key, part(key, operand, inner, { ...compiling, typeOf: untyped })] as const;
    }),
  );
}

/** A number of documents: `$limit` must be at least one. */
function size(name: string, json: Json, compiling: Compiling): Node {
  const node = number(json, compiling.leaf);
  if (node.constant) return node;
  return dynamic((frame) => {
    const count = node.read(frame) as number;
    const least = name === '$skip' || name === 'maxDepth' ? 0 : 1;
    if (!Number.isSafeInteger(count) || count < least) throw badValue(null, `must be a whole number from ${least}`);
    return count;
  });
}

/** Compiles pipelines to closures: stages come from the definition, request values become literals of filters and expressions. */
import { isObject, type Json } from '../../../contract/json.js';
import { accessorsIn } from '../../../language/strings/accessor.js';
import { expression, fields } from './expression.js';
import { filter, number, operandOf, values, type Compiling } from './filter.js';
import { placeholderOf } from '../../../language/strings/placeholder.js';
import { STAGES, STAGE_MEMBERS, UPDATE_STAGES, type Operand, type Operators } from './operators.light.js';
import { dynamic, fixed, listOf, literal, objectOf, writtenList, wrong, type Node } from './template.js';
import { badValue, checked, untyped } from './values.js';

export function pipeline(json: Json | undefined, compiling: Compiling): Node {
  // Documents of later stages may differ from the model.
  return listOf(
    writtenList(json, '"pipeline"').map((item, index) => stage(item, typed(index === 0, item, compiling), STAGES)),
  );
}

/** Only a leading `$match` sees the documents of the collection itself. */
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

/** Members and operators that only decide; their operands are not written. */
const DECIDING: ReadonlySet<string> = new Set(
  'if case cond $eq $ne $gt $gte $lt $lte $cmp $and $or $not $in'.split(' '),
);
/** The operand of these operators is an expression of a document, not an object of members. */
const HANDING: ReadonlySet<string> = new Set(['$mergeObjects', '$ifNull', '$literal', '$first', '$last']);

/**
 * A client must never write a whole document: a value is allowed only under a field name. `members`: the keys belong to an
 * operator.
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
  // `$unionWith` may be a plain collection name.
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

/** A number of documents; `$limit` must be at least one. */
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

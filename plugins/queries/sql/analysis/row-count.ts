/** Bounds the number of rows where an aggregate, a limit or unique columns make it certain. */
import type { DescribedTable } from '../../../../contract/query-language.js';
import { isObject, type Json } from '../../../../contract/json.js';
import { findChild, listItems, readNames, unwrapNode, getWord, type Tree } from './tree.js';
import type { JsonSchema } from '../../../../contract/api.js';
import { isKnownFunction } from './row-types.js';

const AGGREGATES = new Set(['count', 'sum', 'avg', 'min', 'max', 'array_agg', 'json_agg', 'jsonb_agg', 'string_agg']);

const ONE: JsonSchema = { minItems: 1, maxItems: 1 };
const AT_MOST_ONE: JsonSchema = { maxItems: 1 };

/** `table`: what is read or written; `sources`: their number. */
export function boundRowCount(body: Tree, table: DescribedTable | null, sources: number): JsonSchema {
  const limit = readLimit(body);
  const filtered = ['whereClause', 'havingClause', 'limitOffset'].some((key) => findChild(body, key) !== null);
  if (sources === 0 && !hasUnknownCall(listItems(body, 'targetList')))
    return filtered || limit !== null ? AT_MOST_ONE : ONE;
  if (isAggregate(body))
    return findChild(body, 'havingClause') === null && limit === null && findChild(body, 'limitOffset') === null
      ? ONE
      : AT_MOST_ONE;
  if (limit === 1) return AT_MOST_ONE;
  if (sources !== 1 || table === null) return {};
  const equal = findEqualColumns(findChild(body, 'whereClause'));
  const unique = table.uniques.some((names) => names.length > 0 && names.every((name) => equal.has(name)));
  return unique ? AT_MOST_ONE : {};
}

/** An unknown function may return several rows. */
function hasUnknownCall(value: Json | undefined): boolean {
  if (Array.isArray(value)) return (value as readonly Json[]).some(hasUnknownCall);
  if (!isObject(value)) return false;
  return Object.entries(value).some(([type, body]) => {
    const name = type === 'FuncCall' && isObject(body) ? (readNames(listItems(body, 'funcname')).at(-1) ?? '') : null;
    return (name !== null && !AGGREGATES.has(name) && !isKnownFunction(name)) || hasUnknownCall(body);
  });
}

function readLimit(body: Tree): number | null {
  const value = findChild(findChild(findChild(body, 'limitCount') ?? {}, 'A_Const') ?? {}, 'ival');
  const limit = value?.['ival'];
  return typeof limit === 'number' ? limit : null;
}

const isAggregate = (body: Tree): boolean =>
  listItems(body, 'groupClause').length === 0 && listItems(body, 'targetList').some(hasAggregate);

/** Aggregates in subqueries and window functions do not count. */
function hasAggregate(value: Json | undefined): boolean {
  if (Array.isArray(value)) return (value as readonly Json[]).some(hasAggregate);
  if (!isObject(value)) return false;
  return Object.entries(value).some(([type, body]) => {
    if (type === 'SubLink' || !isObject(body)) return Array.isArray(body) && hasAggregate(body);
    if (type !== 'FuncCall') return hasAggregate(body);
    const name = readNames(listItems(body, 'funcname')).at(-1) ?? '';
    return (AGGREGATES.has(name) && findChild(body, 'over') === null) || hasAggregate(listItems(body, 'args'));
  });
}

/** Columns that must equal a single value: conditions joined by AND. */
function findEqualColumns(condition: Tree | null): Set<string> {
  const found = new Set<string>();
  const visit = (node: Tree): void => {
    const [type, body] = unwrapNode(node);
    if (type === 'BoolExpr' && getWord(body, 'boolop') === 'AND_EXPR') listItems(body, 'args').forEach(visit);
    if (type !== 'A_Expr' || getWord(body, 'kind') !== 'AEXPR_OP') return;
    if (readNames(listItems(body, 'name')).at(-1) !== '=') return;
    const [left, right] = [findChild(body, 'lexpr') ?? {}, findChild(body, 'rexpr') ?? {}];
    for (const [one, other] of [
      [left, right],
      [right, left],
    ] as const) {
      const column = findChild(one, 'ColumnRef');
      if (column !== null && isFixed(other)) found.add(readNames(listItems(column, 'fields')).at(-1) ?? '');
    }
  };
  if (condition !== null) visit(condition);
  return found;
}

/** True if the value is the same for every row. */
function isFixed(value: Tree): boolean {
  const [type, body] = unwrapNode(value);
  if (type === 'TypeCast') return isFixed(findChild(body, 'arg') ?? {});
  return type === 'ParamRef' || type === 'A_Const';
}

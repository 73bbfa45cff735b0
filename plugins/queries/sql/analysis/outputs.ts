/** The column names of a select list by PostgreSQL's rules; null where they are uncertain. */
import type { Columns } from '../../../../contract/statement-text.js';
import { listColumns, findSource, type SqlScope } from './scope.js';
import { findChild, listItems, readNames, unwrapNode, getWord, type Tree } from './tree.js';

/** Without an alias, by expression type. */
const NAMED: Readonly<Record<string, string>> = {
  CoalesceExpr: 'coalesce',
  A_ArrayExpr: 'array',
  RowExpr: 'row',
  A_Const: '?column?',
  A_Expr: '?column?',
  BoolExpr: '?column?',
  NullTest: '?column?',
  BooleanTest: '?column?',
  ParamRef: '?column?',
  GroupingFunc: 'grouping',
};

/** `list` contains ResTargets. */
export function listOutputNames(list: readonly Tree[], scope: SqlScope): Columns {
  const names: string[] = [];
  for (const item of list) {
    const found = listItemNames(item, scope);
    if (found === null) return null;
    names.push(...found);
  }
  return names;
}

function listItemNames(item: Tree, scope: SqlScope): Columns {
  const target = findChild(item, 'ResTarget');
  if (target === null) return null;
  const name = getWord(target, 'name');
  if (name !== '') return [name];
  const value = findChild(target, 'val');
  const column = value === null ? null : findChild(value, 'ColumnRef');
  const fields = column === null ? [] : readNames(listItems(column, 'fields'));
  if (fields.at(-1) !== null || fields.length === 0) {
    const derived = value === null ? null : deriveName(value);
    return derived === null ? null : [derived];
  }
  if (fields.length === 1) return listColumns(scope);
  return fields.length === 2 ? (findSource(scope, fields[0] ?? '')?.columns ?? null) : null;
}

export const listOutputAliases = (list: readonly Tree[]): string[] =>
  list.flatMap((item) => {
    const name = getWord(findChild(item, 'ResTarget'), 'name');
    return name === '' ? [] : [name];
  });

function deriveName(value: Tree): string | null {
  const [type, body] = unwrapNode(value);
  if (type === 'ColumnRef') return readNames(listItems(body, 'fields')).at(-1) ?? null;
  if (type === 'FuncCall') return readNames(listItems(body, 'funcname')).at(-1) ?? null;
  if (type === 'TypeCast') return deriveCastName(body);
  if (type === 'A_Expr' && getWord(body, 'kind') !== 'AEXPR_OP') return null;
  return Object.hasOwn(NAMED, type) ? (NAMED[type] ?? null) : null;
}

/** `message::text` is `message`; an unnamed expression has the outermost cast type. */
function deriveCastName(cast: Tree, type: Tree | null = findChild(cast, 'typeName')): string | null {
  const value = findChild(cast, 'arg');
  const nested = value === null ? null : findChild(value, 'TypeCast');
  if (nested !== null) return deriveCastName(nested, type);
  const inner = value === null ? null : deriveName(value);
  if (inner === null || inner !== '?column?') return inner;
  return type === null ? null : (readNames(listItems(type, 'names')).at(-1) ?? null);
}

export const hasStar = (list: readonly Tree[]): boolean =>
  list.some((item) => {
    const column = findChild(findChild(findChild(item, 'ResTarget') ?? {}, 'val') ?? {}, 'ColumnRef');
    return column !== null && readNames(listItems(column, 'fields')).includes(null);
  });

/** Derives the column names of a select list by PostgreSQL's rules; null where they are not certain. */
import { everyColumn, findSource, type Columns, type Scope } from './scope.js';
import { childOf, itemsOf, namesIn, typed, wordOf, type Tree } from './tree.js';

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
export function outputNames(list: readonly Tree[], scope: Scope): Columns {
  const names: string[] = [];
  for (const item of list) {
    const found = namesOf(item, scope);
    if (found === null) return null;
    names.push(...found);
  }
  return names;
}

function namesOf(item: Tree, scope: Scope): Columns {
  const target = childOf(item, 'ResTarget');
  if (target === null) return null;
  const name = wordOf(target, 'name');
  if (name !== '') return [name];
  const value = childOf(target, 'val');
  const column = value === null ? null : childOf(value, 'ColumnRef');
  const fields = column === null ? [] : namesIn(itemsOf(column, 'fields'));
  if (fields.at(-1) !== null || fields.length === 0) {
    const derived = value === null ? null : derivedName(value);
    return derived === null ? null : [derived];
  }
  if (fields.length === 1) return everyColumn(scope);
  return fields.length === 2 ? (findSource(scope, fields[0] ?? '')?.columns ?? null) : null;
}

export const aliasesIn = (list: readonly Tree[]): string[] =>
  list.flatMap((item) => {
    const name = wordOf(childOf(item, 'ResTarget'), 'name');
    return name === '' ? [] : [name];
  });

function derivedName(value: Tree): string | null {
  const [type, body] = typed(value);
  if (type === 'ColumnRef') return namesIn(itemsOf(body, 'fields')).at(-1) ?? null;
  if (type === 'FuncCall') return namesIn(itemsOf(body, 'funcname')).at(-1) ?? null;
  if (type === 'TypeCast') return castName(body);
  if (type === 'A_Expr' && wordOf(body, 'kind') !== 'AEXPR_OP') return null;
  return Object.hasOwn(NAMED, type) ? (NAMED[type] ?? null) : null;
}

/** `message::text` is named `message`; an unnamed expression is named after the outermost cast type. */
function castName(cast: Tree, type: Tree | null = childOf(cast, 'typeName')): string | null {
  const value = childOf(cast, 'arg');
  const nested = value === null ? null : childOf(value, 'TypeCast');
  if (nested !== null) return castName(nested, type);
  const inner = value === null ? null : derivedName(value);
  if (inner === null || inner !== '?column?') return inner;
  return type === null ? null : (namesIn(itemsOf(type, 'names')).at(-1) ?? null);
}

export const hasStar = (list: readonly Tree[]): boolean =>
  list.some((item) => {
    const column = childOf(childOf(childOf(item, 'ResTarget') ?? {}, 'val') ?? {}, 'ColumnRef');
    return column !== null && namesIn(itemsOf(column, 'fields')).includes(null);
  });

/** Maps names in a statement to their models. A column keeps its model until it gets an alias. */
import type { AliasedColumns, Columns, StatementName } from '../../../../contract/statement-text.js';
import { isObject, type Json } from '../../../../contract/json.js';
import { findSource, type SqlScope, type SqlSource } from './scope.js';
import { findChild, listItems, readNames, getWord, type Tree } from './tree.js';

/** By the column list of a source. */
export type Origins = Map<readonly string[], ReadonlyMap<string, string>>;

const NONE: ReadonlyMap<string, string> = new Map();

export const getOrigins = (origins: Origins, columns: Columns): ReadonlyMap<string, string> =>
  (columns === null ? undefined : origins.get(columns)) ?? NONE;

/** `made`: defined by the statement; `unknown`: any table may have it. */
type NameOrigin =
  | { readonly is: 'column'; readonly model: string }
  | { readonly is: 'row'; readonly source: SqlSource }
  | { readonly is: 'made' | 'unknown' };

function resolveOrigin(origins: Origins, scope: SqlScope, name: string): NameOrigin {
  for (let at: SqlScope | null = scope; at !== null; at = at.parent) {
    const lists = [at.names, ...at.sources.map(({ columns }) => columns)];
    const list = lists.find((columns) => columns?.includes(name) === true);
    if (list !== undefined) {
      const model = getOrigins(origins, list).get(name);
      return model === undefined ? { is: 'made' } : { is: 'column', model };
    }
    const source = at.sources.find(({ alias }) => alias === name);
    if (source !== undefined) return { is: 'row', source };
    if (at.open || lists.includes(null)) return { is: 'unknown' };
  }
  return { is: 'unknown' };
}

export function listColumnNames(origins: Origins, scope: SqlScope, column: Tree, at: number): StatementName[] {
  const [first, second] = readNames(listItems(column, 'fields'));
  if (typeof first !== 'string') return [];
  if (second === undefined) {
    const found = resolveOrigin(origins, scope, first);
    if (found.is === 'row') return listTableNames(found.source, first, at);
    return found.is === 'made' ? [] : [createColumnName(first, found.is === 'column' ? found.model : null, at)];
  }
  const source = findSource(scope, first);
  // The qualifier may have the same name.
  const behind = at + first.length;
  if (source === undefined) return typeof second === 'string' ? [createColumnName(second, null, behind)] : [];
  const table = listTableNames(source, first, at);
  if (typeof second !== 'string') return table;
  const model = getOrigins(origins, source.columns).get(second);
  if (model !== undefined) return [...table, createColumnName(second, model, behind)];
  return source.columns === null ? [...table, createColumnName(second, null, behind)] : table;
}

const createColumnName = (name: string, model: string | null, at: number): StatementName => ({
  sort: 'column',
  name,
  model,
  at,
});

/** Only without an alias, a table has its own name. */
const listTableNames = ({ table, own }: SqlSource, name: string, at: number): StatementName[] =>
  table === undefined || own !== true ? [] : [{ sort: 'table', name, model: table.model, at }];

/** `FOR UPDATE OF user`: tables or their aliases. */
export const listLockNames = (scope: SqlScope, locks: readonly Tree[]): StatementName[] =>
  locks.flatMap((lock) =>
    listItems(findChild(lock, 'LockingClause') ?? {}, 'lockedRels').flatMap((relation) => {
      const range = findChild(relation, 'RangeVar') ?? {};
      const source = findSource(scope, getWord(range, 'relname'));
      return source === undefined
        ? []
        : listTableNames(source, getWord(range, 'relname'), Number(range['location'] ?? 0));
    }),
  );

/** Columns without an alias only. */
export function findOutputOrigins(
  origins: Origins,
  list: readonly Tree[],
  scope: SqlScope,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const item of list) {
    const target = findChild(item, 'ResTarget');
    if (target === null || getWord(target, 'name') !== '') continue;
    const column = findColumnRef(findChild(target, 'val'));
    const fields = column === null ? [] : readNames(listItems(column, 'fields'));
    const last = fields.at(-1);
    if (column === null || last === undefined) continue;
    if (last === null) {
      const sources = fields.length === 1 ? scope.sources : [findSource(scope, fields[0] ?? '') ?? []].flat();
      for (const { columns } of sources)
        for (const [name, model] of getOrigins(origins, columns)) found.set(name, model);
    } else {
      const model = listColumnNames(origins, scope, column, 0).find(({ sort }) => sort === 'column')?.model;
      if (typeof model === 'string') found.set(last, model);
    }
  }
  return found;
}

/** By the column list of a source. */
export type AliasedByColumns = Map<readonly string[], AliasedColumns>;

const NO_ALIASES: AliasedColumns = new Map();

const getAliased = (aliased: AliasedByColumns, columns: Columns): AliasedColumns =>
  (columns === null ? undefined : aliased.get(columns)) ?? NO_ALIASES;

/** Also follows aliases of sub-queries and WITH entries. */
export function findAliasedColumns(
  { origins, aliased }: { readonly origins: Origins; readonly aliased: AliasedByColumns },
  list: readonly Tree[],
  scope: SqlScope,
): AliasedColumns {
  const found = new Map<string, Pick<StatementName, 'name' | 'model'> | null>();
  for (const item of list) {
    const target = findChild(item, 'ResTarget');
    if (target === null) continue;
    const alias = getWord(target, 'name');
    const column = findColumnRef(findChild(target, 'val'));
    const fields = column === null ? [] : readNames(listItems(column, 'fields'));
    const last = fields.at(-1);
    if (column !== null && last === null) {
      const sources = fields.length === 1 ? scope.sources : [findSource(scope, fields[0] ?? '') ?? []].flat();
      for (const { columns } of sources) for (const [name, one] of getAliased(aliased, columns)) found.set(name, one);
      continue;
    }
    const name = alias === '' ? (last ?? '') : alias;
    const source = column && listColumnNames(origins, scope, column, 0).find(({ sort }) => sort === 'column');
    const inner = typeof last === 'string' ? findInnerAlias(aliased, scope, fields) : undefined;
    if (inner !== undefined) found.set(name, inner);
    else if (alias === '') continue;
    else if (typeof source?.model === 'string') found.set(name, source);
    else if (!hasColumnRef(target)) found.set(name, null);
  }
  return found;
}

function findInnerAlias(
  aliased: AliasedByColumns,
  scope: SqlScope,
  [first, second]: readonly (string | null)[],
): Pick<StatementName, 'name' | 'model'> | null | undefined {
  if (typeof second === 'string')
    return getAliased(aliased, findSource(scope, first ?? '')?.columns ?? null).get(second);
  for (let at: SqlScope | null = scope; at !== null; at = at.parent) {
    const list = at.sources.find(({ columns }) => columns?.includes(first ?? '') === true);
    if (list !== undefined) return getAliased(aliased, list.columns).get(first ?? '');
    if (at.sources.some(({ columns }) => columns === null)) return undefined;
  }
  return undefined;
}

/** The sources of columns that get other names by their positions. */
export function renameSources(
  { origins, aliased }: { readonly origins: Origins; readonly aliased: AliasedByColumns },
  columns: readonly string[],
  renamed: readonly string[],
): void {
  const [models, inner] = [getOrigins(origins, columns), getAliased(aliased, columns)];
  const [kept, found] = [new Map<string, string>(), new Map<string, Pick<StatementName, 'name' | 'model'> | null>()];
  for (const [i, name] of columns.entries()) {
    const [to = name, model, one] = [renamed[i], models.get(name), inner.get(name)];
    if (one !== undefined) found.set(to, one);
    else if (model !== undefined && to === name) kept.set(to, model);
    else if (model !== undefined) found.set(to, { name, model });
  }
  origins.set(renamed, kept);
  aliased.set(renamed, found);
}

const hasColumnRef = (tree: Json): boolean => {
  if (Array.isArray(tree)) return (tree as readonly Json[]).some(hasColumnRef);
  if (!isObject(tree)) return false;
  return Object.entries(tree).some(([type, body]) => type === 'ColumnRef' || type === 'SubLink' || hasColumnRef(body));
};

/** A cast does not change the name. */
function findColumnRef(value: Tree | null): Tree | null {
  if (value === null) return null;
  const cast = findChild(value, 'TypeCast');
  return cast === null ? findChild(value, 'ColumnRef') : findColumnRef(findChild(cast, 'arg'));
}

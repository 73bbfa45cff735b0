/** Maps names in a statement to their models, for navigation and renaming. A column keeps its model until it gets an alias. */
import { isObject, type Json } from '../../../contract/json.js';
import { findSource, type Columns, type Scope, type Source } from './scope.js';
import { childOf, itemsOf, namesIn, wordOf, type Tree } from './tree.js';

export interface SqlName {
  readonly sort: 'table' | 'column';
  readonly name: string;
  /** Null if any model may have the column. */
  readonly model: string | null;
  /** Byte offset at which the search for the name begins. */
  readonly at: number;
}

export interface StatementNames {
  readonly names: readonly SqlName[];
  /** Null if they are not certain. */
  readonly columns: Columns;
  /** Models of the columns without an alias. */
  readonly origins: ReadonlyMap<string, string>;
  /** Certain sources of aliased columns. */
  readonly aliased: Aliased;
  /** True for set operations, which may take a column from another table. */
  readonly mixed: boolean;
}

/** By the column list of a source. */
export type Origins = Map<readonly string[], ReadonlyMap<string, string>>;

const NONE: ReadonlyMap<string, string> = new Map();

export const originsOf = (origins: Origins, columns: Columns): ReadonlyMap<string, string> =>
  (columns === null ? undefined : origins.get(columns)) ?? NONE;

/** `made`: defined by the statement; `unknown`: any table may have it. */
type Whence =
  | { readonly is: 'column'; readonly model: string }
  | { readonly is: 'row'; readonly source: Source }
  | { readonly is: 'made' | 'unknown' };

function whence(origins: Origins, scope: Scope, name: string): Whence {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const lists = [at.names, ...at.sources.map(({ columns }) => columns)];
    const list = lists.find((columns) => columns?.includes(name) === true);
    if (list !== undefined) {
      const model = originsOf(origins, list).get(name);
      return model === undefined ? { is: 'made' } : { is: 'column', model };
    }
    const source = at.sources.find(({ alias }) => alias === name);
    if (source !== undefined) return { is: 'row', source };
    if (at.open || lists.includes(null)) return { is: 'unknown' };
  }
  return { is: 'unknown' };
}

export function namesOfColumn(origins: Origins, scope: Scope, column: Tree, at: number): SqlName[] {
  const [first, second] = namesIn(itemsOf(column, 'fields'));
  if (typeof first !== 'string') return [];
  if (second === undefined) {
    const found = whence(origins, scope, first);
    if (found.is === 'row') return ofTable(found.source, first, at);
    return found.is === 'made' ? [] : [named(first, found.is === 'column' ? found.model : null, at)];
  }
  const source = findSource(scope, first);
  // The qualifier may have the same name.
  const behind = at + first.length;
  if (source === undefined) return typeof second === 'string' ? [named(second, null, behind)] : [];
  const table = ofTable(source, first, at);
  if (typeof second !== 'string') return table;
  const model = originsOf(origins, source.columns).get(second);
  if (model !== undefined) return [...table, named(second, model, behind)];
  return source.columns === null ? [...table, named(second, null, behind)] : table;
}

const named = (name: string, model: string | null, at: number): SqlName => ({ sort: 'column', name, model, at });

/** Only a table without an alias is referenced by its own name. */
const ofTable = ({ table, own }: Source, name: string, at: number): SqlName[] =>
  table === undefined || own !== true ? [] : [{ sort: 'table', name, model: table.model, at }];

/** `FOR UPDATE OF user`: tables or their aliases. */
export const namesOfLocks = (scope: Scope, locks: readonly Tree[]): SqlName[] =>
  locks.flatMap((lock) =>
    itemsOf(childOf(lock, 'LockingClause') ?? {}, 'lockedRels').flatMap((relation) => {
      const range = childOf(relation, 'RangeVar') ?? {};
      const source = findSource(scope, wordOf(range, 'relname'));
      return source === undefined ? [] : ofTable(source, wordOf(range, 'relname'), Number(range['location'] ?? 0));
    }),
  );

/** Columns without an alias only. */
export function outputOrigins(origins: Origins, list: readonly Tree[], scope: Scope): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const item of list) {
    const target = childOf(item, 'ResTarget');
    if (target === null || wordOf(target, 'name') !== '') continue;
    const column = columnIn(childOf(target, 'val'));
    const fields = column === null ? [] : namesIn(itemsOf(column, 'fields'));
    const last = fields.at(-1);
    if (column === null || last === undefined) continue;
    if (last === null) {
      const sources = fields.length === 1 ? scope.sources : [findSource(scope, fields[0] ?? '') ?? []].flat();
      for (const { columns } of sources)
        for (const [name, model] of originsOf(origins, columns)) found.set(name, model);
    } else {
      const model = namesOfColumn(origins, scope, column, 0).find(({ sort }) => sort === 'column')?.model;
      if (typeof model === 'string') found.set(last, model);
    }
  }
  return found;
}

/** Null for an expression that reads no table. */
export type Aliased = ReadonlyMap<string, Pick<SqlName, 'name' | 'model'> | null>;

export function aliasedIn(origins: Origins, list: readonly Tree[], scope: Scope): Aliased {
  const found = new Map<string, Pick<SqlName, 'name' | 'model'> | null>();
  for (const item of list) {
    const target = childOf(item, 'ResTarget');
    const alias = wordOf(target, 'name');
    if (target === null || alias === '') continue;
    const column = columnIn(childOf(target, 'val'));
    const source = column && namesOfColumn(origins, scope, column, 0).find(({ sort }) => sort === 'column');
    if (typeof source?.model === 'string') found.set(alias, source);
    else if (!reads(target)) found.set(alias, null);
  }
  return found;
}

const reads = (tree: Json): boolean => {
  if (Array.isArray(tree)) return (tree as readonly Json[]).some(reads);
  if (!isObject(tree)) return false;
  return Object.entries(tree).some(([type, body]) => type === 'ColumnRef' || type === 'SubLink' || reads(body));
};

/** A cast does not change the name. */
function columnIn(value: Tree | null): Tree | null {
  if (value === null) return null;
  const cast = childOf(value, 'TypeCast');
  return cast === null ? childOf(value, 'ColumnRef') : columnIn(childOf(cast, 'arg'));
}

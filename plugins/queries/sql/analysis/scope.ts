/** Looks up names at a position of a statement. What is not certain is unknown. */
import type { CatalogueTable, Columns } from '../../../../contract/statement-text.js';

export interface SqlSource {
  readonly alias: string;
  readonly columns: Columns;
  /** Only if the columns keep their own names. */
  readonly table?: CatalogueTable;
  /** True without an alias. */
  readonly own?: boolean;
}

export interface SqlScope {
  readonly sources: SqlSource[];
  /** Aliases of the select list, where clauses may use them. */
  readonly names: readonly string[];
  /** Any other name may be valid here. */
  readonly open: boolean;
  readonly tables: ReadonlyMap<string, Columns>;
  readonly parent: SqlScope | null;
}

export const createScope = (parent: SqlScope | null, rest: Partial<SqlScope> = {}): SqlScope => ({
  sources: [],
  names: [],
  open: false,
  tables: new Map(),
  parent,
  ...rest,
});

export type LookupResult = 'found' | 'unknown' | 'missing';

const SYSTEM = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid', 'oid']);

export function findColumn(scope: SqlScope | null, name: string): LookupResult {
  if (SYSTEM.has(name)) return 'found';
  let answer: LookupResult = 'missing';
  for (let at = scope; at !== null; at = at.parent) {
    if (at.names.includes(name)) return 'found';
    for (const { alias, columns } of at.sources) {
      // The alias alone is the whole row.
      if (alias === name || columns?.includes(name) === true) return 'found';
      if (columns === null) answer = 'unknown';
    }
    if (at.open) answer = 'unknown';
  }
  return answer;
}

export function findSource(scope: SqlScope | null, alias: string): SqlSource | undefined {
  for (let at = scope; at !== null; at = at.parent) {
    const found = at.sources.find((source) => source.alias === alias);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Undefined if there is no such WITH entry. */
export function findCommonTable(scope: SqlScope | null, name: string): Columns | undefined {
  for (let at = scope; at !== null; at = at.parent) {
    if (at.tables.has(name)) return at.tables.get(name) ?? null;
  }
  return undefined;
}

/** Null if a source is unknown. */
export function listColumns({ sources }: SqlScope): Columns {
  const all: string[] = [];
  for (const { columns } of sources) {
    if (columns === null) return null;
    all.push(...columns);
  }
  return all;
}

/**
 * Looks up names at a position of a statement: table aliases, outer scopes, WITH entries. What is not certain is unknown, and
 * unknown names are never reported.
 */
import type { CatalogueTable } from './catalogue.js';

/** Column names; null if they are unknown. */
export type Columns = readonly string[] | null;

export interface Source {
  readonly alias: string;
  readonly columns: Columns;
  /** The model's table, if its columns keep their own names. */
  readonly table?: CatalogueTable;
  /** True without an alias: the table's own name qualifies its columns. */
  readonly own?: boolean;
}

export interface Scope {
  readonly sources: Source[];
  /** Aliases of the select list, in clauses that may use them. */
  readonly names: readonly string[];
  /** True if any other name may be valid here. */
  readonly open: boolean;
  readonly tables: ReadonlyMap<string, Columns>;
  readonly parent: Scope | null;
}

export const scopeIn = (parent: Scope | null, rest: Partial<Scope> = {}): Scope => ({
  sources: [],
  names: [],
  open: false,
  tables: new Map(),
  parent,
  ...rest,
});

export type Answer = 'found' | 'unknown' | 'missing';

/** System columns of every table. */
const SYSTEM = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid', 'oid']);

export function findColumn(scope: Scope | null, name: string): Answer {
  if (SYSTEM.has(name)) return 'found';
  let answer: Answer = 'missing';
  for (let at = scope; at !== null; at = at.parent) {
    if (at.names.includes(name)) return 'found';
    for (const { alias, columns } of at.sources) {
      // The alias alone is a reference to the whole row.
      if (alias === name || columns?.includes(name) === true) return 'found';
      if (columns === null) answer = 'unknown';
    }
    if (at.open) answer = 'unknown';
  }
  return answer;
}

/** Returns undefined if no source has the alias. */
export function findSource(scope: Scope | null, alias: string): Source | undefined {
  for (let at = scope; at !== null; at = at.parent) {
    const found = at.sources.find((source) => source.alias === alias);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the columns of a WITH entry; undefined if there is none of that name. */
export function findCommon(scope: Scope | null, name: string): Columns | undefined {
  for (let at = scope; at !== null; at = at.parent) {
    if (at.tables.has(name)) return at.tables.get(name) ?? null;
  }
  return undefined;
}

/** Returns the columns of `*`; null if a source is unknown. */
export function everyColumn({ sources }: Scope): Columns {
  const all: string[] = [];
  for (const { columns } of sources) {
    if (columns === null) return null;
    all.push(...columns);
  }
  return all;
}

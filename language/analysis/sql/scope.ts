/** Looks up names at a position of a statement. What is not certain is unknown, and never reported. */
import type { CatalogueTable } from './catalogue.js';

/** Null if they are unknown. */
export type Columns = readonly string[] | null;

export interface Source {
  readonly alias: string;
  readonly columns: Columns;
  /** Only if the columns keep their own names. */
  readonly table?: CatalogueTable;
  /** True without an alias. */
  readonly own?: boolean;
}

export interface Scope {
  readonly sources: Source[];
  /** Aliases of the select list, where clauses may use them. */
  readonly names: readonly string[];
  /** Any other name may be valid here. */
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

const SYSTEM = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid', 'oid']);

export function findColumn(scope: Scope | null, name: string): Answer {
  if (SYSTEM.has(name)) return 'found';
  let answer: Answer = 'missing';
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

export function findSource(scope: Scope | null, alias: string): Source | undefined {
  for (let at = scope; at !== null; at = at.parent) {
    const found = at.sources.find((source) => source.alias === alias);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Undefined if there is no such WITH entry. */
export function findCommon(scope: Scope | null, name: string): Columns | undefined {
  for (let at = scope; at !== null; at = at.parent) {
    if (at.tables.has(name)) return at.tables.get(name) ?? null;
  }
  return undefined;
}

/** Null if a source is unknown. */
export function everyColumn({ sources }: Scope): Columns {
  const all: string[] = [];
  for (const { columns } of sources) {
    if (columns === null) return null;
    all.push(...columns);
  }
  return all;
}

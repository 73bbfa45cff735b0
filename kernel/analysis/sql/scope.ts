/**
 * What names mean at one place of a statement: tables under their aliases, outer scopes, WITH lists. Whatever is not
 * known for certain is unknown, and unknown is never a mistake.
 */
import type { CatalogueTable } from './catalogue.js';

/** Names of columns; null when they cannot be known. */
export type Columns = readonly string[] | null;

export interface Source {
  readonly alias: string;
  readonly columns: Columns;
  /** The table behind it, where it is one of the models and its columns have their own names. */
  readonly table?: CatalogueTable;
  /** It has no alias: the table's own name stands before its columns. */
  readonly own?: boolean;
}

export interface Scope {
  readonly sources: Source[];
  /** Names of the select list, where they may be used. */
  readonly names: readonly string[];
  /** Anything may be a name here. */
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

/** Every row of a table has these. */
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

/** Undefined when nothing is called so; a table outside any scope is none. */
export function findSource(scope: Scope | null, alias: string): Source | undefined {
  for (let at = scope; at !== null; at = at.parent) {
    const found = at.sources.find((source) => source.alias === alias);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Columns of a WITH entry; undefined when there is none of that name. */
export function findCommon(scope: Scope | null, name: string): Columns | undefined {
  for (let at = scope; at !== null; at = at.parent) {
    if (at.tables.has(name)) return at.tables.get(name) ?? null;
  }
  return undefined;
}

/** All columns of the innermost sources, as `*` gives them. */
export function everyColumn({ sources }: Scope): Columns {
  const all: string[] = [];
  for (const { columns } of sources) {
    if (columns === null) return null;
    all.push(...columns);
  }
  return all;
}

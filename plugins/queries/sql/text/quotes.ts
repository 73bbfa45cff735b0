/** Quotes names with double quotes, for every database, and finds names in backquotes. */
import { isSqlWord } from './words.js';
import { tokenizeSql } from './tokens.js';

export interface BackquotedName {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Quoted if SQL would read the name differently. `reserved` contains lower-case words. */
export const quoteIfNeeded = (name: string, reserved: ReadonlySet<string> = NONE): string =>
  /^[a-z_][a-z0-9_]*$/.test(name) && !isSqlWord(name) && !reserved.has(name) ? name : quoteSqlName(name);

const NONE: ReadonlySet<string> = new Set();

export const quoteSqlName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Ignores strings, comments and quoted names. */
function findBackquotes(text: string): number[] {
  if (!text.includes('`')) return [];
  return tokenizeSql(text).tokens.flatMap(({ type, start, end }) =>
    type !== 'operator' ? [] : [...text.slice(start, end)].flatMap((sign, i) => (sign === '`' ? [start + i] : [])),
  );
}

/** The length stays the same. */
export function replaceBackquotes(text: string): string {
  let changed = text;
  for (const at of findBackquotes(text)) changed = `${changed.slice(0, at)}"${changed.slice(at + 1)}`;
  return changed;
}

/** Null unless all backquotes are pairs around names. */
export function listBackquotedNames(text: string): BackquotedName[] | null {
  const places = findBackquotes(text);
  const names: BackquotedName[] = [];
  for (let i = 0; i < places.length; i += 2) {
    const [start, last] = [places[i] ?? 0, places[i + 1]];
    const name = text.slice(start + 1, last);
    if (last === undefined || !/^[^\s"'][^"'\n]*$/.test(name)) return null;
    names.push({ name, start, end: last + 1 });
  }
  return names;
}

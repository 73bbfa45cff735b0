/**
 * Secret columns under other names: `password AS pw` is as secret as `password`. Reads aliases alone; what an expression
 * makes of a column is its author's business.
 */
import type { SqlScan } from '../language/sql.js';
import { holderOf, isName, nameOf, significant, type Lexeme } from '../language/sql-read.js';
import type { SqlText } from './finds.js';

/** The names, and what the statements call them beside. */
export function withRenamed(names: Iterable<string>, statements: readonly SqlText[]): ReadonlySet<string> {
  const all = new Set(names);
  if (all.size === 0) return all;
  // A name may be changed more than once on its way out of a WITH list.
  for (let before = -1; before !== all.size;) {
    before = all.size;
    for (const { scan } of statements) for (const alias of aliasesOf(scan, all)) all.add(alias);
  }
  return all;
}

function aliasesOf(scan: SqlScan, names: ReadonlySet<string>): string[] {
  const words = significant(scan.text, scan.tokens);
  return words.flatMap((word, i) => {
    if (!isName(word) || !names.has(nameOf(word))) return [];
    const at = words[i + 1]?.type === 'cast' ? i + 2 : i + 1;
    // `CAST(a AS text)` names a type.
    const isType = words[holderOf(words, i) - 1]?.text === 'CAST';
    if (words[at]?.text === 'AS') return isType ? [] : nameAt(words, at + 1);
    return isListEnd(words[at + 1]) ? nameAt(words, at) : [];
  });
}

const nameAt = (words: readonly Lexeme[], i: number): string[] => {
  const word = words[i];
  return isName(word) ? [nameOf(word)] : [];
};

/** What follows a name without AS in a select list. */
const isListEnd = (word: Lexeme | undefined): boolean => word?.type === 'comma' || word?.text === 'FROM';

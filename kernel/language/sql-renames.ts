/**
 * Columns that a statement gives another name: `u.password AS word`, with or without a cast. Expressions are left alone:
 * what a function makes of a column is no longer the column.
 */
import type { SqlScan } from './sql.js';
import { holderOf, isName, nameOf, significant } from './sql-read.js';

/** The names, and all those that the statement gives to columns of these names. */
export function withRenames(names: ReadonlySet<string>, { text, tokens }: SqlScan): ReadonlySet<string> {
  if (names.size === 0) return names;
  const words = significant(text, tokens);
  const pairs = words.flatMap((word, i) => {
    const name = words[i + 1];
    if (word.type !== 'word' || word.text !== 'AS' || !isName(name)) return [];
    // `CAST(a AS text)` names a type.
    if (words[holderOf(words, i) - 1]?.text === 'CAST') return [];
    let at = i - 1;
    while (words[at]?.type === 'cast') at--;
    const column = words[at];
    return isName(column) ? [{ column: nameOf(column), name: nameOf(name) }] : [];
  });
  const all = new Set(names);
  // A sub-query may rename what another one has renamed, in whatever order they are written.
  for (let before = -1; before !== all.size;) {
    before = all.size;
    for (const { column, name } of pairs) if (all.has(column)) all.add(name);
  }
  return all;
}

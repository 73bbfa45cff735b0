/** Reads the result list of the query around a caret, in incomplete SQL. */
import { findElementStarts } from './sql-placeholders.js';
import { findClause } from './sql-clauses.js';
import { isName, getLexemeName, type Lexeme } from './sql-read.js';
import { isSqlWord } from './sql-words.js';

const LIST_ENDS = /^(?:FROM|WHERE|GROUP|HAVING|ORDER|LIMIT|OFFSET|UNION|INTERSECT|EXCEPT|RETURNING)$/;

/** Names that the result list gives to expressions, where rows are sorted or grouped. */
export function listOutputNames(words: readonly Lexeme[], i: number): readonly string[] {
  const clause = words[findClause(words, i)]?.text;
  if (clause !== 'ORDER' && clause !== 'GROUP') return [];
  return listElements(words, i).flatMap((element) => {
    const [last, second] = [element.at(-1), element.at(-2)];
    if (element.length > 1 && isName(last) && second?.type !== 'dot' && !isSqlWord(last.text))
      return [getLexemeName(last)];
    const [first, next] = element;
    // A call without an alias is named after its function.
    return isName(first) && next?.text === '(' && last?.type === 'close' ? [getLexemeName(first)] : [];
  });
}

/** Columns that stand alone in the result list. */
export const listSelected = (words: readonly Lexeme[], i: number): readonly string[] =>
  listElements(words, i).flatMap(([only, ...rest]) =>
    rest.length === 0 && isName(only) && !isSqlWord(only.text) ? [getLexemeName(only)] : [],
  );

function listElements(words: readonly Lexeme[], i: number): readonly (readonly Lexeme[])[] {
  const depth = words[i]?.depth ?? 0;
  let at = i - 1;
  while (at >= 0 && !(words[at]?.depth === depth && words[at]?.text === 'SELECT')) {
    if ((words[at]?.depth ?? 0) < depth) return [];
    at--;
  }
  if (at < 0) return [];
  const begin = /^(?:DISTINCT|ALL)$/.test(words[at + 1]?.text ?? '') ? at + 2 : at + 1;
  let end = begin;
  while (end < words.length && !isEnd(words, end, depth)) end++;
  const starts = findElementStarts(words, begin).filter((start) => start < end);
  return starts.map((start, n) => words.slice(start, n + 1 < starts.length ? (starts[n + 1] ?? end) - 1 : end));
}

const isEnd = (words: readonly Lexeme[], at: number, depth: number): boolean =>
  (words[at]?.depth ?? 0) < depth || (words[at]?.depth === depth && LIST_ENDS.test(words[at]?.text ?? ''));

/** A SELECT can lock its rows only with one table, per-row functions and a condition. */
import type { StatementText } from '../../../../contract/statement-text.js';
import { isPerRow } from './functions.js';
import { isName, getLexemeName, toLexemes, type Lexeme } from './read.js';

/** Keywords of a SELECT that combines rows or tables, or that already locks. */
const OTHER =
  /^(?:SELECT|DISTINCT|GROUP|HAVING|UNION|INTERSECT|EXCEPT|WINDOW|OVER|FILTER|OFFSET|FETCH|FOR|INTO|WITH|JOIN|LATERAL|ONLY|TABLE|TABLESAMPLE|RETURNING)$/;
const AFTER_TABLE = /^(?:WHERE|ORDER|LIMIT)$/;

/** Null if it is not certain that the rows can be locked. */
export function findLockPosition(scan: StatementText): number | null {
  if (scan.faults.length > 0 || scan.statements !== 1 || scan.tables.length !== 1) return null;
  const words = toLexemes(scan.text, scan.tokens);
  if (words.at(-1)?.type === 'semicolon') words.pop();
  // ORDER BY with LIMIT selects rows before they are locked: the selection may be outdated.
  if (!canLockRows(words) || (words.some(isWord('ORDER')) && words.some(isWord('LIMIT')))) return null;
  return words.at(-1)?.end ?? null;
}

/** Expects a SELECT without its locking clause. */
export function canLockRows(words: readonly Lexeme[]): boolean {
  const from = words.findIndex(isWord('FROM'));
  if (words[0]?.text !== 'SELECT' || from < 0) return false;
  if (words.slice(1).some(({ type, text }) => type === 'word' && OTHER.test(text))) return false;
  if (!hasRowColumns(words.slice(1, from)) || !isOneTable(words.slice(from + 1))) return false;
  // Without a condition the whole table would be locked.
  return words.some(isWord('WHERE'));
}

const isWord =
  (wanted: string) =>
  ({ type, text }: Lexeme): boolean =>
    type === 'word' && text === wanted;

const hasRowColumns = (columns: readonly Lexeme[]): boolean =>
  columns.every((word, i) => {
    const before = columns[i - 1];
    const isCall = word.text === '(' && isName(before);
    return !isCall || (before.type === 'word' && isPerRow(getLexemeName(before)) && columns[i - 2]?.type !== 'dot');
  });

/** `[schema.]table [[AS] alias]`, then a condition, an order, a limit or nothing. */
function isOneTable(words: readonly Lexeme[]): boolean {
  let at = 1;
  if (!isName(words[0])) return false;
  while (words[at]?.type === 'dot') at += 2;
  if (words[at]?.text === 'AS') at++;
  const next = words[at];
  if (isName(next) && !(next.type === 'word' && AFTER_TABLE.test(next.text))) at++;
  const end = words[at];
  return end === undefined || (end.type === 'word' && AFTER_TABLE.test(end.text));
}

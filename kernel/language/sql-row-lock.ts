/**
 * Whether a SELECT can lock the rows it reads, and where the words for it go. Says yes only to the plain form: one table,
 * columns and functions of one row, a condition. Pure, by tokens.
 */
import { isPerRow } from './sql-functions.js';
import { isName, nameOf, significant, type Lexeme } from './sql-read.js';
import type { SqlScan } from './sql.js';

/** Words with which a SELECT is no longer rows of one table, or already locks. */
const OTHER =
  /^(?:SELECT|DISTINCT|GROUP|HAVING|UNION|INTERSECT|EXCEPT|WINDOW|OVER|FILTER|OFFSET|FETCH|FOR|INTO|WITH|JOIN|LATERAL|ONLY|TABLE|TABLESAMPLE|RETURNING)$/;
const AFTER_TABLE = /^(?:WHERE|ORDER|LIMIT)$/;

/** Where a lock is put, or null where the rows cannot be locked for certain. */
export function lockPlace(scan: SqlScan): number | null {
  if (scan.faults.length > 0 || scan.statements !== 1 || scan.tables.length !== 1) return null;
  const words = significant(scan.text, scan.tokens);
  if (words.at(-1)?.type === 'semicolon') words.pop();
  // In which order rows are locked and which of them are left is not the same question.
  if (!holdsRows(words) || (words.some(isWord('ORDER')) && words.some(isWord('LIMIT')))) return null;
  return words.at(-1)?.end ?? null;
}

/** Of a SELECT without the words of a lock: what it gives are rows of one table that match a condition. */
export function holdsRows(words: readonly Lexeme[]): boolean {
  const from = words.findIndex(isWord('FROM'));
  if (words[0]?.text !== 'SELECT' || from < 0) return false;
  if (words.slice(1).some(({ type, text }) => type === 'word' && OTHER.test(text))) return false;
  if (!isOfRows(words.slice(1, from)) || !isOneTable(words.slice(from + 1))) return false;
  // Without a condition it would be every row.
  return words.some(isWord('WHERE'));
}

const isWord =
  (wanted: string) =>
  ({ type, text }: Lexeme): boolean =>
    type === 'word' && text === wanted;

/** No function in a list of columns that could make one row of many. */
const isOfRows = (columns: readonly Lexeme[]): boolean =>
  columns.every((word, i) => {
    const before = columns[i - 1];
    const isCall = word.text === '(' && isName(before);
    return !isCall || (before.type === 'word' && isPerRow(nameOf(before)) && columns[i - 2]?.type !== 'dot');
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

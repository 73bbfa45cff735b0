/**
 * Whether a SELECT can lock the rows it reads, and where the words for it go. Says yes only to the plain form: one table,
 * columns and a few harmless functions, a condition; everything else keeps its text.
 */
import type { RowLock } from '../../../kernel/contract/plan.js';
import type { SqlScan } from '../../../kernel/language/sql.js';

/** Words with which a SELECT is no longer rows of one table, or already locks. */
const OTHER =
  /^(?:SELECT|DISTINCT|GROUP|HAVING|UNION|INTERSECT|EXCEPT|WINDOW|OVER|FILTER|OFFSET|FETCH|FOR|INTO|WITH|JOIN|LATERAL|ONLY|TABLESAMPLE|RETURNING)$/;
/** Called in the list of columns, these give one value per row; any other function might be an aggregate. */
const PER_ROW =
  /^(?:COALESCE|NULLIF|GREATEST|LEAST|CAST|ABS|ROUND|FLOOR|CEIL|CEILING|LOWER|UPPER|TRIM|LENGTH|NUMERIC|DECIMAL|VARCHAR|CHAR)$/;
const AFTER_TABLE = /^(?:WHERE|ORDER|LIMIT)$/;

interface Word {
  readonly type: string;
  /** Words in upper case. */
  readonly text: string;
  readonly end: number;
}

/**
 * As strong as the UPDATE that follows: rows that only refer to these are not kept waiting. `share`: several may read the row, and
 * none of them may change it.
 */
const WORDS: Readonly<Record<RowLock, string>> = { update: 'FOR NO KEY UPDATE', share: 'FOR SHARE' };

/** The text with a lock at its end, or null where the rows cannot be locked for certain. */
export function withRowLock(scan: SqlScan, lock: RowLock = 'update'): string | null {
  const words = wordsOf(scan);
  if (words.at(-1)?.type === 'semicolon') words.pop();
  const last = words.at(-1);
  const from = words.findIndex(isWord('FROM'));
  if (last === undefined || scan.faults.length > 0 || scan.statements !== 1 || scan.tables.length !== 1) return null;
  if (words[0]?.text !== 'SELECT' || from < 0) return null;
  if (words.slice(1).some(({ type, text }) => type === 'word' && OTHER.test(text))) return null;
  if (!isPerRow(words.slice(1, from)) || !isOneTable(words.slice(from + 1))) return null;
  // Without a condition it would be every row.
  if (!words.some(isWord('WHERE'))) return null;
  // In which order rows are locked and which of them are left is not the same question.
  if (words.some(isWord('ORDER')) && words.some(isWord('LIMIT'))) return null;
  return `${scan.text.slice(0, last.end)} ${WORDS[lock]}${scan.text.slice(last.end)}`;
}

const wordsOf = (scan: SqlScan): Word[] =>
  scan.tokens
    .filter(({ type }) => type !== 'comment')
    .map(({ type, start, end }) => {
      const text = scan.text.slice(start, end);
      return { type, end, text: type === 'word' ? text.toUpperCase() : text };
    });

const isWord =
  (wanted: string) =>
  ({ type, text }: Word): boolean =>
    type === 'word' && text === wanted;

const isName = ({ type }: Word): boolean => type === 'word' || type === 'quoted-identifier';

/** No function in a list of columns that could make one row of many. */
const isPerRow = (columns: readonly Word[]): boolean =>
  columns.every((word, i) => {
    const before = columns[i - 1];
    const isCall = word.text === '(' && before !== undefined && isName(before);
    return !isCall || (before.type === 'word' && PER_ROW.test(before.text) && columns[i - 2]?.type !== 'dot');
  });

/** `[schema.]table [[AS] alias]`, then a condition, an order, a limit or nothing. */
function isOneTable(words: readonly Word[]): boolean {
  let at = 1;
  if (words[0] === undefined || !isName(words[0])) return false;
  while (words[at]?.type === 'dot') at += 2;
  if (words[at]?.text === 'AS') at++;
  const next = words[at];
  if (next !== undefined && isName(next) && !(next.type === 'word' && AFTER_TABLE.test(next.text))) at++;
  const end = words[at];
  return end === undefined || (end.type === 'word' && AFTER_TABLE.test(end.text));
}

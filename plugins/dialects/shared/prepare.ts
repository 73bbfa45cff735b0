/**
 * From a scanned statement to one that is ready for PostgreSQL or its embedded sibling. Runs once per statement at
 * load; the text of the definition is kept but for RETURNING, which an INSERT without it gains, a lock where it
 * is asked for, and quotes around tables that are called like words of SQL.
 */
import { createHash } from 'node:crypto';
import { onlyComputes } from '../../../kernel/language/sql-calls.js';
import { scanSql, type SqlScan } from '../../../kernel/language/sql.js';
import { quoteReserved } from '../../../kernel/language/sql-reserved.js';
import type { PrepareInput } from '../../kinds/dialect.js';
import { withRowLock } from './row-lock.js';
import type { PgPrepared } from './values.js';

const JSON_CAST = /^jsonb?$/;
const READS = /^(?:SELECT|VALUES|TABLE)$/;
/** Words that write or lock, wherever they stand in a SELECT: CTEs that write, SELECT INTO, FOR UPDATE. */
const WRITES = /^(?:INSERT|UPDATE|DELETE|MERGE|INTO|SHARE|LOCK)$/i;
/** An INSERT with one of these reads, changes what is there, or calls what may take long. */
const NOT_PLAIN = /^(?:SELECT|WITH|CONFLICT|TABLE)$/i;
const LISTS = /^(?:ANY|ALL|SOME)$/i;

const wordsOf = (scan: SqlScan): { text: string; start: number }[] =>
  scan.tokens
    .filter((token) => token.type !== 'comment')
    .map((token) => ({ text: scan.text.slice(token.start, token.end), start: token.start }));

/** An INSERT answers with its row (`RETURNING *`), put before a semicolon or a comment at the end of the text. */
function withReturning(scan: SqlScan): string {
  if (scan.verb !== 'INSERT' || scan.returning || scan.statements !== 1) return scan.text;
  const last = scan.tokens.findLast((token) => token.type !== 'comment' && token.type !== 'semicolon');
  const end = last?.end ?? scan.text.length;
  return `${scan.text.slice(0, end)} RETURNING *${scan.text.slice(end)}`;
}

/** `= ANY($1)` and `$1::text[]` take an array as an array; everywhere else an array is JSON. */
function isArray(scan: SqlScan, words: readonly { text: string; start: number }[], n: number): boolean {
  return scan.placeholders.some((placeholder) => {
    if (placeholder.n !== n) return false;
    if (placeholder.cast) return placeholder.cast.endsWith('[]');
    const i = words.findIndex((word) => word.start === placeholder.start);
    return words[i - 1]?.text === '(' && words[i + 1]?.text === ')' && LISTS.test(words[i - 2]?.text ?? '');
  });
}

/** A JSON cast decides; a column does where no occurrence of the parameter has a cast of its own. */
function isJson(scan: SqlScan, n: number, column: boolean): boolean {
  const casts = scan.placeholders.filter((placeholder) => placeholder.n === n).map((placeholder) => placeholder.cast);
  return (
    casts.some((cast) => cast !== null && JSON_CAST.test(cast)) || (column && casts.every((cast) => cast === null))
  );
}

/** Rows written out in the statement: it waits for nobody unless a unique value is under way elsewhere. */
function isPlainInsert(scan: SqlScan, words: readonly { text: string }[]): boolean {
  const [first] = words;
  return (
    scan.statements === 1 &&
    first !== undefined &&
    /^INSERT$/i.test(first.text) &&
    !words.slice(1).some(({ text }) => NOT_PLAIN.test(text))
  );
}

/** A table called `user` or `order` needs quotes here. */
function withQuotes(scan: SqlScan): SqlScan {
  const { text } = quoteReserved(scan);
  return text === scan.text ? scan : scanSql(text);
}

export function prepareStatement({
  scan: written,
  jsonColumns,
  lock = null,
  among = false,
  atOnce = false,
}: PrepareInput): PgPrepared {
  const scan = withQuotes(written);
  const locked = lock === null ? null : withRowLock(scan, lock);
  const text = locked ?? withReturning(scan);
  const words = wordsOf(scan);
  const count = scan.placeholders.reduce((most, placeholder) => Math.max(most, placeholder.n), 0);
  const order = Array.from({ length: count }, (_, i) => i);
  const isLeft = words.some((word) => WRITES.test(word.text)) || !onlyComputes(scan);
  const readOnly = locked === null && READS.test(scan.verb) && !isLeft;
  return Object.freeze({
    // Server-side names may have 63 bytes; the digest keeps equal texts equal and different ones apart.
    name: `lintel_${createHash('sha256').update(text).digest('base64url').slice(0, 27)}`,
    text,
    order,
    json: order.map((i) => isJson(scan, i + 1, jsonColumns[i] === true)),
    arrays: order.map((i) => isArray(scan, words, i + 1)),
    atOnce,
    readOnly,
    among: among && readOnly,
    insert: isPlainInsert(scan, words) && onlyComputes(scan),
  });
}

/** Prepares a statement for PostgreSQL at load. Adds only RETURNING, row locks and quotes around table names. */
import type { StatementText } from '../../../contract/statement-text.js';
import { createHash } from 'node:crypto';
import { isComputation } from '../../queries/sql/text/calls.js';
import { scanSql } from '../../queries/sql/text/scan.js';
import { quoteReserved } from '../../queries/sql/text/reserved.js';
import type { PrepareInput } from '../kind.js';
import type { RowLock } from '../../../contract/plan.js';
import { findLockPosition } from '../../queries/sql/text/row-lock.js';
import type { PostgresPreparedStatement } from './values.js';

const JSON_CAST = /^jsonb?$/;
const READS = /^(?:SELECT|VALUES|TABLE)$/;
const WRITES = /^(?:INSERT|UPDATE|DELETE|MERGE|INTO|SHARE|LOCK)$/i;
/** With these, an INSERT reads tables or changes rows. */
const NOT_PLAIN = /^(?:SELECT|WITH|CONFLICT|TABLE)$/i;
const LISTS = /^(?:ANY|ALL|SOME)$/i;

const listWords = (scan: StatementText): { text: string; start: number }[] =>
  scan.tokens
    .filter((token) => token.type !== 'comment')
    .map((token) => ({ text: scan.text.slice(token.start, token.end), start: token.start }));

/** Adds `RETURNING *` before a final semicolon or comment. */
function withReturning(scan: StatementText): string {
  if (scan.verb !== 'INSERT' || scan.returning || scan.statements !== 1) return scan.text;
  const last = scan.tokens.findLast((token) => token.type !== 'comment' && token.type !== 'semicolon');
  const end = last?.end ?? scan.text.length;
  return `${scan.text.slice(0, end)} RETURNING *${scan.text.slice(end)}`;
}

/** By `= ANY($1)` and `$1::text[]`; any other array is JSON. */
function isArray(scan: StatementText, words: readonly { text: string; start: number }[], n: number): boolean {
  return scan.placeholders.some((placeholder) => {
    if (placeholder.n !== n) return false;
    if (placeholder.cast) return placeholder.cast.endsWith('[]');
    const i = words.findIndex((word) => word.start === placeholder.start);
    return words[i - 1]?.text === '(' && words[i + 1]?.text === ')' && LISTS.test(words[i - 2]?.text ?? '');
  });
}

/** A JSON cast decides, or without any cast the column. */
function isJson(scan: StatementText, n: number, column: boolean): boolean {
  const casts = scan.placeholders.filter((placeholder) => placeholder.n === n).map((placeholder) => placeholder.cast);
  return (
    casts.some((cast) => cast !== null && JSON_CAST.test(cast)) || (column && casts.every((cast) => cast === null))
  );
}

/** Literal rows wait only for a concurrent insert of their key. */
function isPlainInsert(scan: StatementText, words: readonly { text: string }[]): boolean {
  const [first] = words;
  return (
    scan.statements === 1 &&
    first !== undefined &&
    /^INSERT$/i.test(first.text) &&
    !words.slice(1).some(({ text }) => NOT_PLAIN.test(text))
  );
}

/** Quotes tables named `user` or `order`. */
function withQuotes(scan: StatementText): StatementText {
  const { text } = quoteReserved(scan);
  return text === scan.text ? scan : scanSql(text);
}

export function preparePostgresStatement({
  scan: written,
  jsonColumns,
  lock = null,
  among = false,
  atOnce = false,
}: PrepareInput): PostgresPreparedStatement {
  const scan = withQuotes(written);
  const locked = lock === null ? null : withRowLock(scan, lock);
  const text = locked ?? withReturning(scan);
  const words = listWords(scan);
  const count = scan.placeholders.reduce((most, placeholder) => Math.max(most, placeholder.n), 0);
  const order = Array.from({ length: count }, (_, i) => i);
  const isLeft = words.some((word) => WRITES.test(word.text)) || !isComputation(scan);
  const readOnly = locked === null && READS.test(scan.verb) && !isLeft;
  return Object.freeze({
    // Statement names are limited to 63 bytes.
    name: `lintel_${createHash('sha256').update(text).digest('base64url').slice(0, 27)}`,
    text,
    order,
    json: order.map((i) => isJson(scan, i + 1, jsonColumns[i] === true)),
    arrays: order.map((i) => isArray(scan, words, i + 1)),
    atOnce,
    readOnly,
    among: among && readOnly,
    insert: isPlainInsert(scan, words) && isComputation(scan),
  });
}

/** `update` does not block foreign keys to the row. `share`: several transactions may read it, none change it. */
const WORDS: Readonly<Record<RowLock, string>> = { update: 'FOR NO KEY UPDATE', share: 'FOR SHARE' };

/** Null when the rows cannot be locked with certainty. */
export function withRowLock({ text, ...scan }: StatementText, lock: RowLock = 'update'): string | null {
  const place = findLockPosition({ text, ...scan });
  return place === null ? null : `${text.slice(0, place)} ${WORDS[lock]}${text.slice(place)}`;
}

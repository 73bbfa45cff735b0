/** The words that lock what a SELECT reads, on PostgreSQL. */
import type { RowLock } from '../../../kernel/contract/plan.js';
import { lockPlace } from '../../../kernel/language/sql-row-lock.js';
import type { SqlScan } from '../../../kernel/language/sql.js';

/**
 * As strong as the UPDATE that follows: rows that only refer to these are not kept waiting. `share`: several may read the row, and
 * none of them may change it.
 */
const WORDS: Readonly<Record<RowLock, string>> = { update: 'FOR NO KEY UPDATE', share: 'FOR SHARE' };

/** The text with a lock at its end, or null where the rows cannot be locked for certain. */
export function withRowLock({ text, ...scan }: SqlScan, lock: RowLock = 'update'): string | null {
  const place = lockPlace({ text, ...scan });
  return place === null ? null : `${text.slice(0, place)} ${WORDS[lock]}${text.slice(place)}`;
}

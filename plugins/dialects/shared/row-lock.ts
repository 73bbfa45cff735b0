/** Adds row locks to a SELECT, on PostgreSQL. */
import type { RowLock } from '../../../contract/plan.js';
import { findLockPosition } from '../../../language/strings/sql-row-lock.js';
import type { SqlScan } from '../../../language/strings/sql.js';

/** `update` does not block foreign keys to the row. `share`: several transactions may read the row, and none may change it. */
const WORDS: Readonly<Record<RowLock, string>> = { update: 'FOR NO KEY UPDATE', share: 'FOR SHARE' };

/** Null when the rows cannot be locked with certainty. */
export function withRowLock({ text, ...scan }: SqlScan, lock: RowLock = 'update'): string | null {
  const place = findLockPosition({ text, ...scan });
  return place === null ? null : `${text.slice(0, place)} ${WORDS[lock]}${text.slice(place)}`;
}

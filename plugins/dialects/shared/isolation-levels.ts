/** The SQL isolation level for each need of a transaction. */
import type { Isolation } from '../kind.js';

export const ISOLATION_LEVELS: Readonly<Record<Isolation['level'], string>> = {
  statement: 'read committed',
  locks: 'read committed',
  snapshot: 'repeatable read',
  serializable: 'serializable',
};

/** The SQL name of the isolation level that each need of a transaction takes. */
import type { Isolation } from '../../kinds/dialect.js';

export const ISOLATION_LEVELS: Readonly<Record<Isolation['level'], string>> = {
  statement: 'read committed',
  locks: 'read committed',
  snapshot: 'repeatable read',
  serializable: 'serializable',
};

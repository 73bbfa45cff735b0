/** The unit of work of SQL statements: neighbours on one connection are one transaction. */
import type { Unit } from '../../../kernel/contract/plan.js';
import type { Dialect, Transaction } from '../../kinds/dialect.js';

export interface SqlUnit extends Unit {
  /** A statement that merely reads makes the transaction keep its snapshot. */
  readonly reads: boolean;
}

export function unitOf(connection: Dialect, name: string, reads: boolean): SqlUnit {
  return {
    key: `transaction on ${name}`,
    reads,
    join: (units) => {
      const someRead = (units as readonly SqlUnit[]).some((unit) => unit.reads);
      return unitOf(connection, name, someRead);
    },
    open: () => connection.begin(reads),
    commit: (transaction) => connection.commit(transaction as Transaction),
    rollback: (transaction) => connection.rollback(transaction as Transaction),
    retryable: (error) => connection.retryable(error),
  };
}

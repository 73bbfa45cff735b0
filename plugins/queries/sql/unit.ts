/** The unit of work of SQL statements: neighbours on one connection are one transaction, settled when it is put together. */
import type { Unit } from '../../../kernel/contract/plan.js';
import { dialect, type Dialect, type Transaction } from '../../kinds/dialect.js';
import type { Statement } from './statement.js';

export interface SqlUnit extends Unit {
  readonly statements: readonly Statement[];
}

export function unitOf(connection: Dialect, name: string, statements: readonly Statement[]): SqlUnit {
  // A statement that merely reads makes the transaction keep its snapshot.
  const reads = statements.some(({ prepared }) => prepared.readOnly);
  return {
    key: `transaction on ${name}`,
    shared: { kind: dialect.kind, handle: connection, of: (unit) => unit },
    statements,
    join(units, closing, needs) {
      const all = (units as readonly SqlUnit[]).flatMap((unit) => unit.statements);
      lockWhatFeedsWrites(all, needs);
      const last = all.at(-1);
      if (last !== undefined) last.last = closing;
      return unitOf(connection, name, all);
    },
    open: () => connection.begin(reads),
    commit: (transaction) => connection.commit(transaction as Transaction),
    rollback: (transaction) => connection.rollback(transaction as Transaction),
    retryable: (error) => connection.retryable(error),
  };
}

const WRITES: ReadonlySet<string> = new Set(['UPDATE', 'DELETE', 'MERGE']);

/**
 * A read that feeds a statement which changes the same table locks its rows: what was read still holds when it is
 * written, and who comes second waits instead of being refused. Other reads do not: they may have read far more.
 */
function lockWhatFeedsWrites(statements: readonly Statement[], needs: readonly (readonly number[])[]): void {
  statements.forEach(({ scan: { verb, tables } }, index) => {
    if (!WRITES.has(verb)) return;
    for (const place of needs[index] ?? []) {
      const read = statements[place];
      const touches = tables.some(({ name }) => name === read?.scan.tables[0]?.name);
      if (read?.prepared.readOnly === true && touches) read.prepared = read.lock();
    }
  });
}

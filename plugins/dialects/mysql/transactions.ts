/** Transactions on leased connections of MySQL. */
import { createFault, type Fault } from '../../../contract/fault.js';
import type { Requester } from '../../../contract/requester.js';
import type { Dialect, Isolation, Row, Transaction } from '../kind.js';
import { toMysqlFault } from './errors.js';
import type { Lease, MysqlConnection } from './connection.js';
import type { Pool } from './pool.js';
import type { MysqlPreparedStatement } from './prepare.js';

const ONLY_READS = 'only a SELECT with functions that compute can run here, without locks and variables';

interface OpenTransaction {
  readonly lease: Lease;
  failed: boolean;
  over: boolean;
}

export interface MysqlTransactions {
  readonly runInside: (
    transaction: Transaction,
    prepared: MysqlPreparedStatement,
    values: readonly unknown[],
  ) => Promise<readonly Row[]>;
  readonly methods: Pick<Dialect, 'begin' | 'isolation' | 'commit' | 'rollback'> &
    Required<Pick<Dialect, 'beginReadOnly' | 'closeSession' | 'readInside'>>;
}

/** `runOn`: runs a statement on a connection. */
export function createMysqlTransactions(
  pool: () => Pool,
  isolation: (need: Isolation) => string,
  runOn: (
    wire: MysqlConnection,
    prepared: MysqlPreparedStatement,
    values: readonly unknown[],
  ) => Promise<readonly Row[]>,
  toStatementFault: (error: unknown, outcome: 'none' | 'unknown') => Fault,
): MysqlTransactions {
  async function runInside(
    { transaction }: Transaction,
    prepared: MysqlPreparedStatement,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    const open = transaction as OpenTransaction;
    if (open.over) throw createFault('QRY_FAILED', {}, { cause: new Error('the transaction is over') });
    if (open.failed)
      throw createFault('QRY_FAILED', {}, { cause: new Error('a statement of the transaction had failed') });
    try {
      return await runOn(open.lease.wire, prepared, values);
    } catch (error) {
      // A failed statement ends its transaction, as on PostgreSQL.
      open.failed = true;
      throw error;
    }
  }

  /** Other statements have effects that no savepoint undoes: locks, files, sequences, variables. */
  async function readInside(open: OpenTransaction, prepared: MysqlPreparedStatement): Promise<readonly Row[]> {
    if (!prepared.readOnly) throw createFault('QRY_FAILED', {}, { cause: new Error(ONLY_READS) });
    if (open.over || open.failed) throw createFault('QRY_FAILED', {}, { cause: new Error('the transaction is over') });
    const { wire } = open.lease;
    await wire.runCommand('SAVEPOINT lintel_read');
    try {
      return await runOn(wire, prepared, []);
    } finally {
      // Without the savepoint, the server has rolled back the whole transaction.
      open.failed = true;
      await wire.runCommand('ROLLBACK TO SAVEPOINT lintel_read');
      await wire.runCommand('RELEASE SAVEPOINT lintel_read');
      open.failed = false;
    }
  }

  async function openTransaction(
    need: Isolation,
    requester: Requester | null | undefined,
    command: string,
  ): Promise<Transaction> {
    let lease: Lease | null = null;
    try {
      lease = await pool().acquire(requester);
      const level = isolation(need).toUpperCase();
      if (level !== 'READ COMMITTED') await lease.wire.runCommand(`SET TRANSACTION ISOLATION LEVEL ${level}`);
      await lease.wire.runCommand(command);
      return { transaction: { lease, failed: false, over: false } satisfies OpenTransaction };
    } catch (error) {
      lease?.release(true);
      throw toMysqlFault(error);
    }
  }

  async function endTransaction(
    open: OpenTransaction,
    command: 'COMMIT' | 'ROLLBACK',
    isClosed = false,
  ): Promise<void> {
    if (open.over) return;
    open.over = true;
    let broken = true;
    try {
      await open.lease.wire.runCommand(command);
      broken = isClosed;
    } finally {
      // Closing the connection rolls back.
      open.lease.release(broken);
    }
  }

  return {
    runInside,
    methods: {
      begin: (need, requester) => openTransaction(need, requester, 'START TRANSACTION'),
      beginReadOnly: (need) => openTransaction(need, null, 'START TRANSACTION READ ONLY'),

      isolation,

      async commit({ transaction }) {
        const open = transaction as OpenTransaction;
        if (open.over || open.failed) {
          await endTransaction(open, 'ROLLBACK').catch(() => undefined);
          throw createFault(
            'QRY_FAILED',
            {},
            { cause: new Error('commit of a transaction that is over or in which a statement failed') },
          );
        }
        try {
          await endTransaction(open, 'COMMIT');
        } catch (error) {
          throw toMysqlFault(error, 'unknown');
        }
      },

      rollback: ({ transaction }) => endTransaction(transaction as OpenTransaction, 'ROLLBACK').catch(() => undefined),
      closeSession: ({ transaction }) =>
        endTransaction(transaction as OpenTransaction, 'ROLLBACK', true).catch(() => undefined),

      async readInside(prepared, { transaction }) {
        try {
          return await readInside(transaction as OpenTransaction, prepared as MysqlPreparedStatement);
        } catch (error) {
          throw toStatementFault(error, 'none');
        }
      },
    },
  };
}

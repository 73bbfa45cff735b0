/** The handle of a MySQL connection: leases a connection for each statement and converts errors to Faults. Repeats only reads. */
import type { RuntimeContext } from '../../../contract/plugin.js';
import type { Requester } from '../../../contract/requester.js';
import { Fault, createFault } from '../../../contract/fault.js';
import type { Dialect, Isolation, Row, Transaction } from '../kind.js';
import { createExecutor } from '../shared/execute.js';
import { bindValue, isNumeric, type BoundValue } from './bind.js';
import { readCatalogue, type MysqlCatalogue } from './catalogue.js';
import {
  isMysqlConnectionLost,
  isMysqlRetryable,
  parseErrorNames,
  parseErrorWord,
  OverdueError,
  toMysqlFault,
  type FailedStatement,
} from './errors.js';
import type { Lease, Pool, MysqlConnection } from './pool.js';
import { prepareMysqlStatement, type MysqlPreparedStatement } from './prepare.js';
import { runForm, type Bind } from './steps.js';
import type { BindType } from './bind.js';
import type { ServerFlavour } from './types.js';
import type { RenderedSql } from './words.js';

/** Warning: only the prefix of a text was used as a number or a time, such as `x` as 0. */
const READ_IN_PART = 1292;

export interface OpenServer {
  readonly pool: Pool;
  readonly flavour: ServerFlavour;
  /** Null: must be read again. */
  catalogue: Promise<MysqlCatalogue> | null;
  /** Names missing in the database; the catalogue is not read again for them. */
  readonly unknown: Set<string>;
  /** Triggers access tables that no statement names. */
  triggered: boolean;
  readonly context: Pick<RuntimeContext, 'instance' | 'log'>;
}

interface OpenTransaction {
  readonly lease: Lease;
  failed: boolean;
  over: boolean;
}

/** `met`: called with every prepared statement; throws if the open server can never run it. */
export function createMysqlDialect(
  server: () => OpenServer,
  isolation: (need: Isolation) => string,
  met: (prepared: MysqlPreparedStatement) => void,
): Dialect {
  /** Placeholder types of a statement, valid for one catalogue. */
  const types = new WeakMap<
    MysqlPreparedStatement,
    { catalogue: MysqlCatalogue; types: ReadonlyMap<number, BindType> }
  >();

  async function getCatalogue(wire: MysqlConnection, prepared: MysqlPreparedStatement): Promise<MysqlCatalogue> {
    const here = server();
    const reading = (here.catalogue ??= readCatalogue(wire));
    try {
      const known = await reading;
      const missing = prepared.tables.filter((name) => !known.has(name) && !here.unknown.has(name));
      if (missing.length === 0) return known;
      for (const name of missing) here.unknown.add(name);
      return await (here.catalogue = readCatalogue(wire));
    } catch (error) {
      here.catalogue = null;
      throw error;
    }
  }

  function getTypes(prepared: MysqlPreparedStatement, catalogue: MysqlCatalogue): ReadonlyMap<number, BindType> {
    const known = types.get(prepared);
    if (known?.catalogue === catalogue) return known.types;
    const found = prepared.typesIn(catalogue);
    types.set(prepared, { catalogue, types: found });
    return found;
  }

  /** `begin`: called before the first statement that may have to be undone. */
  async function runOn(
    wire: MysqlConnection,
    prepared: MysqlPreparedStatement,
    values: readonly unknown[],
    begin?: () => Promise<void>,
  ): Promise<readonly Row[]> {
    const catalogue = await getCatalogue(wire, prepared);
    const known = getTypes(prepared, catalogue);
    let unsure = false;
    const bind: Bind = ({ order, places }: RenderedSql) =>
      order.map((parameter, i) => {
        const type = known.get(places[i] ?? -1) ?? null;
        const value = bindParameter(values[parameter], type, parameter + 1);
        unsure ||= type === null && typeof value === 'string' && !isNumeric(value);
        return value;
      });
    try {
      const judging = createCheckedConnection(wire, () => unsure, begin);
      return await runForm(judging, prepared.forms[wire.flavour], bind, catalogue);
    } catch (error) {
      throw error instanceof Fault
        ? error
        : createStatementError(error, findColumns(error, prepared, catalogue), prepared, wire);
    } finally {
      if (prepared.changesTables) {
        server().catalogue = null;
        server().unknown.clear();
      }
    }
  }

  async function runFree(
    prepared: MysqlPreparedStatement,
    values: readonly unknown[],
    asker: Requester | null,
    tries: number,
  ): Promise<readonly Row[]> {
    const { wire, release } = await server().pool.acquire(asker);
    const steps = prepared.forms[wire.flavour].steps !== null;
    let begun = false;
    const begin = async (): Promise<void> => {
      if (begun || prepared.changesTables) return;
      begun = true;
      await wire.runCommand('START TRANSACTION');
    };
    let broken = true;
    try {
      if (steps) await begin();
      const rows = await runOn(wire, prepared, values, prepared.readOnly ? undefined : begin);
      if (begun) await wire.runCommand('COMMIT');
      broken = false;
      return rows;
    } catch (thrown) {
      const error = thrown instanceof StatementError ? thrown.error : thrown;
      broken = isMysqlConnectionLost(error);
      if (begun && !broken)
        broken = await wire.runCommand('ROLLBACK').then(
          () => false,
          () => true,
        );
      if (broken && tries > 0 && prepared.readOnly && !(error instanceof OverdueError))
        return await runFree(prepared, values, asker, tries - 1);
      throw thrown;
    } finally {
      release(broken);
    }
  }

  async function runInside(
    open: OpenTransaction,
    prepared: MysqlPreparedStatement,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    if (open.over) throw createFault('QRY_FAILED', {}, { cause: new Error('the transaction is over') });
    if (open.failed)
      throw createFault('QRY_FAILED', {}, { cause: new Error('a statement of the transaction had failed') });
    try {
      return await runOn(open.lease.wire, prepared, values);
    } catch (error) {
      // As on PostgreSQL, a failed statement ends the use of its transaction.
      open.failed = true;
      throw error;
    }
  }

  const toStatementFault = (error: unknown, outcome: 'none' | 'unknown'): Fault =>
    error instanceof StatementError ? toMysqlFault(error.error, outcome, error.failed) : toMysqlFault(error, outcome);

  async function endTransaction(open: OpenTransaction, command: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    if (open.over) return;
    open.over = true;
    let broken = true;
    try {
      await open.lease.wire.runCommand(command);
      broken = false;
    } finally {
      // A connection that cannot end its transaction is closed, which rolls it back.
      open.lease.release(broken);
    }
  }

  const dialect: Dialect = {
    execute: (text, values, transaction) => execute(text, values, transaction),
    prepare(input) {
      const prepared = prepareMysqlStatement(input);
      met(prepared);
      return prepared;
    },

    async run(statement, values, transaction, _last, asker = null) {
      const prepared = statement as MysqlPreparedStatement;
      try {
        if (!transaction) return await runFree(prepared, values, asker, 1);
        return await runInside(transaction.transaction as OpenTransaction, prepared, values);
      } catch (error) {
        throw toStatementFault(error, transaction || prepared.readOnly ? 'none' : 'unknown');
      }
    },

    async begin(need, asker): Promise<Transaction> {
      let lease: Lease | null = null;
      try {
        lease = await server().pool.acquire(asker);
        const level = isolation(need).toUpperCase();
        if (level !== 'READ COMMITTED') await lease.wire.runCommand(`SET TRANSACTION ISOLATION LEVEL ${level}`);
        await lease.wire.runCommand('START TRANSACTION');
        return { transaction: { lease, failed: false, over: false } satisfies OpenTransaction };
      } catch (error) {
        lease?.release(true);
        throw toMysqlFault(error);
      }
    },

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
    retryable: isMysqlRetryable,
  };
  const execute = createExecutor(dialect);
  return dialect;
}

/** Reads the warnings after each statement with untyped text, because the next statement clears them. */
const createCheckedConnection = (
  wire: MysqlConnection,
  unsure: () => boolean,
  begin?: () => Promise<void>,
): MysqlConnection => ({
  ...wire,
  async run(text, values, isTransient) {
    if (unsure()) await begin?.();
    const answer = await wire.run(text, values, isTransient);
    if (unsure() && (await wire.readWarnings()).includes(READ_IN_PART)) throw createFault('QRY_BAD_VALUE');
    return answer;
  },
});

class StatementError extends Error {
  constructor(
    readonly error: unknown,
    readonly failed: FailedStatement,
  ) {
    super('refused by the database', { cause: error });
  }
}

const createStatementError = (
  error: unknown,
  columns: readonly string[],
  { forms }: MysqlPreparedStatement,
  { flavour }: MysqlConnection,
): StatementError => new StatementError(error, { columns, word: parseErrorWord(error, forms[flavour].main.text) });

/** The Fault names the parameter. */
function bindParameter(value: unknown, type: BindType, n: number): BoundValue {
  try {
    return bindValue(value, type);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const detail = 'does not fit the type that the query expects';
    throw createFault(error.code, {}, { ...error.options, issues: [{ pointer: `$${n}`, code: error.code, detail }] });
  }
}

function findColumns(error: unknown, { tables }: MysqlPreparedStatement, catalogue: MysqlCatalogue): readonly string[] {
  const { key, columns, check } = parseErrorNames(error);
  if (columns !== undefined) return columns;
  if (check !== undefined) return tables.flatMap((table) => parseLengthCheck(table, check));
  if (key === undefined) return [];
  const names = key.table === null ? tables : [key.table];
  for (const name of names) {
    const found = catalogue.get(name)?.keys.find((one) => one.name === key.name);
    if (found) return found.columns;
  }
  return [];
}

/** The migration names its length checks `<table>_<column>_length`. */
function parseLengthCheck(table: string, check: string): string[] {
  const column = check.slice(table.length + 1, -'_length'.length);
  return column !== '' && check === `${table}_${column}_length` ? [column] : [];
}

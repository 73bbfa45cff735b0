/** The handle of a MySQL connection: leases a connection for each statement and converts errors to Faults. Repeats only reads. */
import type { Asker } from '../../../contract/asker.js';
import { Fault, fault } from '../../../contract/fault.js';
import type { Dialect, Isolation, Row, Transaction } from '../kind.js';
import { executor } from '../shared/execute.js';
import { bindValue, isNumeric, type Bound } from './bind.js';
import { readCatalogue, type Catalogue } from './catalogue.js';
import { isLost, isRetryable, namedIn, Overdue, toFault } from './errors.js';
import type { Lease, Pool, Wire } from './pool.js';
import { prepareStatement, type MyPrepared } from './prepare.js';
import { runForm, type Bind } from './steps.js';
import type { BindType } from './bind.js';
import type { Flavour } from './types.js';
import type { Rendered } from './words.js';

/** Warning: only the prefix of a text was used as a number or a time, such as `x` as 0. */
const READ_IN_PART = 1292;

export interface Server {
  readonly pool: Pool;
  readonly flavour: Flavour;
  /** Null: must be read again. */
  catalogue: Promise<Catalogue> | null;
  /** Names missing in the database; the catalogue is not read again for them. */
  readonly unknown: Set<string>;
  /** Triggers access tables that no statement names. */
  readonly triggered: boolean;
}

interface OpenTransaction {
  readonly lease: Lease;
  failed: boolean;
  over: boolean;
}

/** `met`: called with every prepared statement; throws if the open server can never run it. */
export function createDialect(
  server: () => Server,
  isolation: (need: Isolation) => string,
  met: (prepared: MyPrepared) => void,
): Dialect {
  /** Placeholder types of a statement, valid for one catalogue. */
  const types = new WeakMap<MyPrepared, { catalogue: Catalogue; types: ReadonlyMap<number, BindType> }>();

  async function catalogueFor(wire: Wire, prepared: MyPrepared): Promise<Catalogue> {
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

  function typesFor(prepared: MyPrepared, catalogue: Catalogue): ReadonlyMap<number, BindType> {
    const known = types.get(prepared);
    if (known?.catalogue === catalogue) return known.types;
    const found = prepared.typesIn(catalogue);
    types.set(prepared, { catalogue, types: found });
    return found;
  }

  /** `begin`: called before the first statement that may have to be undone. */
  async function runOn(
    wire: Wire,
    prepared: MyPrepared,
    values: readonly unknown[],
    begin?: () => Promise<void>,
  ): Promise<readonly Row[]> {
    const catalogue = await catalogueFor(wire, prepared);
    const known = typesFor(prepared, catalogue);
    let unsure = false;
    const bind: Bind = ({ order, places }: Rendered) =>
      order.map((parameter, i) => {
        const type = known.get(places[i] ?? -1) ?? null;
        const value = bound(values[parameter], type, parameter + 1);
        unsure ||= type === null && typeof value === 'string' && !isNumeric(value);
        return value;
      });
    try {
      const judging = judged(wire, () => unsure, begin);
      return await runForm(judging, prepared.forms[wire.flavour], bind, catalogue);
    } catch (error) {
      throw error instanceof Fault ? error : new Unnamed(error, columnsOf(error, prepared, catalogue));
    } finally {
      if (prepared.changesTables) {
        server().catalogue = null;
        server().unknown.clear();
      }
    }
  }

  async function runFree(
    prepared: MyPrepared,
    values: readonly unknown[],
    asker: Asker | null,
    tries: number,
  ): Promise<readonly Row[]> {
    const { wire, release } = await server().pool.lease(asker);
    const steps = prepared.forms[wire.flavour].steps !== null;
    let begun = false;
    const begin = async (): Promise<void> => {
      if (begun || prepared.changesTables) return;
      begun = true;
      await wire.command('START TRANSACTION');
    };
    let broken = true;
    try {
      if (steps) await begin();
      const rows = await runOn(wire, prepared, values, prepared.readOnly ? undefined : begin);
      if (begun) await wire.command('COMMIT');
      broken = false;
      return rows;
    } catch (thrown) {
      const error = thrown instanceof Unnamed ? thrown.error : thrown;
      broken = isLost(error);
      if (begun && !broken)
        broken = await wire.command('ROLLBACK').then(
          () => false,
          () => true,
        );
      if (broken && tries > 0 && prepared.readOnly && !(error instanceof Overdue))
        return await runFree(prepared, values, asker, tries - 1);
      throw thrown;
    } finally {
      release(broken);
    }
  }

  async function runInside(
    open: OpenTransaction,
    prepared: MyPrepared,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    if (open.over) throw fault('QRY_FAILED', {}, { cause: new Error('the transaction is over') });
    if (open.failed) throw fault('QRY_FAILED', {}, { cause: new Error('a statement of the transaction had failed') });
    try {
      return await runOn(open.lease.wire, prepared, values);
    } catch (error) {
      // As on PostgreSQL, a failed statement ends the use of its transaction.
      open.failed = true;
      throw error;
    }
  }

  const faultOf = (error: unknown, outcome: 'none' | 'unknown'): Fault =>
    error instanceof Unnamed ? toFault(error.error, outcome, error.columns) : toFault(error, outcome);

  async function finish(open: OpenTransaction, command: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    if (open.over) return;
    open.over = true;
    let broken = true;
    try {
      await open.lease.wire.command(command);
      broken = false;
    } finally {
      // A connection that cannot end its transaction is closed, which rolls it back.
      open.lease.release(broken);
    }
  }

  const dialect: Dialect = {
    execute: (text, values, transaction) => execute(text, values, transaction),
    prepare(input) {
      const prepared = prepareStatement(input);
      met(prepared);
      return prepared;
    },

    async run(statement, values, transaction, _last, asker = null) {
      const prepared = statement as MyPrepared;
      try {
        if (!transaction) return await runFree(prepared, values, asker, 1);
        return await runInside(transaction.transaction as OpenTransaction, prepared, values);
      } catch (error) {
        throw faultOf(error, transaction || prepared.readOnly ? 'none' : 'unknown');
      }
    },

    async begin(need, asker): Promise<Transaction> {
      let lease: Lease | null = null;
      try {
        lease = await server().pool.lease(asker);
        const level = isolation(need).toUpperCase();
        if (level !== 'READ COMMITTED') await lease.wire.command(`SET TRANSACTION ISOLATION LEVEL ${level}`);
        await lease.wire.command('START TRANSACTION');
        return { transaction: { lease, failed: false, over: false } satisfies OpenTransaction };
      } catch (error) {
        lease?.release(true);
        throw toFault(error);
      }
    },

    isolation,

    async commit({ transaction }) {
      const open = transaction as OpenTransaction;
      if (open.over || open.failed) {
        await finish(open, 'ROLLBACK').catch(() => undefined);
        throw fault(
          'QRY_FAILED',
          {},
          { cause: new Error('commit of a transaction that is over or in which a statement failed') },
        );
      }
      try {
        await finish(open, 'COMMIT');
      } catch (error) {
        throw toFault(error, 'unknown');
      }
    },

    rollback: ({ transaction }) => finish(transaction as OpenTransaction, 'ROLLBACK').catch(() => undefined),
    retryable: isRetryable,
  };
  const execute = executor(dialect);
  return dialect;
}

/** Reads the warnings after each statement with untyped text, because the next statement clears them. */
const judged = (wire: Wire, unsure: () => boolean, begin?: () => Promise<void>): Wire => ({
  ...wire,
  async run(text, values) {
    if (unsure()) await begin?.();
    const answer = await wire.run(text, values);
    if (unsure() && (await wire.remarks()).includes(READ_IN_PART)) throw fault('QRY_BAD_VALUE');
    return answer;
  },
});

class Unnamed extends Error {
  constructor(
    readonly error: unknown,
    readonly columns: readonly string[],
  ) {
    super('refused by the database', { cause: error });
  }
}

/** The Fault names the parameter. */
function bound(value: unknown, type: BindType, n: number): Bound {
  try {
    return bindValue(value, type);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const detail = 'does not fit the type that the query expects';
    throw fault(error.code, {}, { ...error.options, issues: [{ pointer: `$${n}`, code: error.code, detail }] });
  }
}

function columnsOf(error: unknown, { tables }: MyPrepared, catalogue: Catalogue): readonly string[] {
  const { key, columns, check } = namedIn(error);
  if (columns !== undefined) return columns;
  if (check !== undefined) return tables.flatMap((table) => lengthOf(table, check));
  if (key === undefined) return [];
  const names = key.table === null ? tables : [key.table];
  for (const name of names) {
    const found = catalogue.get(name)?.keys.find((one) => one.name === key.name);
    if (found) return found.columns;
  }
  return [];
}

/** The migration names its length checks `<table>_<column>_length`. */
function lengthOf(table: string, check: string): string[] {
  const column = check.slice(table.length + 1, -'_length'.length);
  return column !== '' && check === `${table}_${column}_length` ? [column] : [];
}

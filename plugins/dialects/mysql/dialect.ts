/** The handle of a MySQL connection: leases a connection for each statement. Repeats only reads. */
import type { RuntimeContext } from '../../../contract/plugin.js';
import type { Requester } from '../../../contract/requester.js';
import { Fault, createFault } from '../../../contract/fault.js';
import type { JsonStream } from '../../../contract/json-stream.js';
import type { RawJson } from '../../../contract/raw-json.js';
import type { Dialect, Isolation, Rendering, Row } from '../kind.js';
import { createExecutor } from '../shared/execute.js';
import { writeObjects, toRawJson } from '../shared/json-objects.js';
import { createBinder } from './bind.js';
import { readCatalogue, type MysqlCatalogue } from './catalogue.js';
import {
  isMysqlConnectionLost,
  LargeTextError,
  isMysqlRetryable,
  OverdueError,
  toMysqlFault,
  createStatementError,
  findColumns,
  StatementError,
} from './errors.js';
import type { Pool } from './pool.js';
import type { MysqlConnection } from './connection.js';
import { prepareMysqlStatement, type MysqlPreparedStatement } from './prepare.js';
import { runForm } from './steps.js';
import { streamText } from './streaming.js';
import { createMysqlTransactions } from './transactions.js';
import type { MysqlOptions } from './options.js';
import type { BindType } from './bind.js';
import type { ServerFlavour } from './types.js';

/** Milliseconds for which a statement counts as one with a large result. */
const LARGE_FOR_MS = 60_000;

/** Warning: only the prefix of a text was used, such as `x` as 0. */
const READ_IN_PART = 1292;

export interface OpenServer {
  readonly pool: Pool;
  readonly options: Pick<MysqlOptions, 'streams' | 'deadline' | 'isReplica'>;
  readonly flavour: ServerFlavour;
  /** Null: must be read again. */
  catalogue: Promise<MysqlCatalogue> | null;
  /** Missing in the database, so the catalogue is not read again for them. */
  readonly unknown: Set<string>;
  /** Triggers access tables that no statement names. */
  triggered: boolean;
  readonly context: Pick<RuntimeContext, 'instance' | 'log'>;
}

/** `met`: called with every prepared statement; throws for what never runs. */
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

  const largeUntil = new Map<string, number>();

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

  /** `begin`: before the first statement to undo. */
  async function runOn(
    wire: MysqlConnection,
    prepared: MysqlPreparedStatement,
    values: readonly unknown[],
    begin?: () => Promise<void>,
  ): Promise<readonly Row[]> {
    const catalogue = await getCatalogue(wire, prepared);
    const { bind, isUnsure } = createBinder(getTypes(prepared, catalogue), values);
    try {
      const judging = createCheckedConnection(wire, isUnsure, begin);
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
    requester: Requester | null,
    tries: number,
  ): Promise<readonly Row[]> {
    const { wire, release } = await server().pool.acquire(requester);
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
        return await runFree(prepared, values, requester, tries - 1);
      throw thrown;
    } finally {
      release(broken);
    }
  }

  /** Of one that only reads, outside a transaction. */
  async function renderFree(
    prepared: MysqlPreparedStatement,
    values: readonly unknown[],
    rendering: Rendering,
    requester: Requester,
    tries: number,
  ): Promise<RawJson | JsonStream> {
    const lease = await server().pool.acquire(requester);
    const { wire, release } = lease;
    const form = prepared.forms[wire.flavour];
    const bindValues = async () => {
      const catalogue = await getCatalogue(wire, prepared);
      const { bind, isUnsure } = createBinder(getTypes(prepared, catalogue), values);
      return { catalogue, bound: bind(form.main), isUnsure: isUnsure() };
    };
    const { catalogue, bound, isUnsure } = await bindValues().catch((error: unknown) => {
      release(isMysqlConnectionLost(error));
      throw error;
    });
    if (form.steps !== null || form.isTransient === true || isUnsure) {
      release(false);
      return toRawJson(writeObjects(rendering, await runFree(prepared, values, requester, tries)));
    }
    const { deadline } = server().options;
    const isLarge = performance.now() < (largeUntil.get(prepared.name) ?? 0);
    const toError = (error: unknown): Error =>
      createStatementError(error, findColumns(error, prepared, catalogue), prepared, wire);
    const sent = { text: form.main.text, values: bound, outputs: form.outputs, rendering, requester };
    try {
      return await streamText(lease, { ...sent, deadline: isLarge ? deadline : null }, (error) =>
        toStatementFault(toError(error), 'none'),
      );
    } catch (error) {
      if (error instanceof LargeTextError) {
        largeUntil.set(prepared.name, performance.now() + LARGE_FOR_MS);
        return renderFree(prepared, values, rendering, requester, tries);
      }
      if (tries > 0 && isMysqlConnectionLost(error) && !(error instanceof OverdueError))
        return renderFree(prepared, values, rendering, requester, tries - 1);
      throw toError(error);
    }
  }

  const toStatementFault = (error: unknown, outcome: 'none' | 'unknown'): Fault =>
    error instanceof StatementError ? toMysqlFault(error.error, outcome, error.failed) : toMysqlFault(error, outcome);

  const { runInside, methods } = createMysqlTransactions(() => server().pool, isolation, runOn, toStatementFault);

  const dialect: Dialect = {
    execute: (text, values, transaction) => execute(text, values, transaction),
    prepare(input) {
      const prepared = prepareMysqlStatement(input);
      met(prepared);
      return prepared;
    },

    async render(statement, values, rendering, requester = null) {
      const prepared = statement as MysqlPreparedStatement;
      const isStreamed = server().options.streams && prepared.readOnly && rendering.streams === true;
      try {
        if (isStreamed && requester?.invocation.streams === true)
          return await renderFree(prepared, values, rendering, requester, 1);
        return toRawJson(writeObjects(rendering, await runFree(prepared, values, requester, 1)));
      } catch (error) {
        throw toStatementFault(error, prepared.readOnly ? 'none' : 'unknown');
      }
    },

    async run(statement, values, transaction, _last, requester = null) {
      const prepared = statement as MysqlPreparedStatement;
      try {
        if (!transaction) return await runFree(prepared, values, requester, 1);
        return await runInside(transaction, prepared, values);
      } catch (error) {
        throw toStatementFault(error, transaction || prepared.readOnly ? 'none' : 'unknown');
      }
    },

    ...methods,
    retryable: isMysqlRetryable,
  };
  const execute = createExecutor(dialect);
  return dialect;
}

/** After each statement with untyped text, before the next clears them. */
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

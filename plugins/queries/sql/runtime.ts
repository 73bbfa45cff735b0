/** One closure per actionable, which runs the statement once, or for each item of a list. */
import type { Frame, IsolationNeed, PlanTools, Preview } from '../../../contract/plan.js';
import { JsonStream } from '../../../contract/json-stream.js';
import type { RawJson } from '../../../contract/raw-json.js';
import { Fault } from '../../../contract/fault.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { dialect, type BoundStatement, type Dialect, type Row, type Transaction } from '../../dialects/kind.js';
import { query, type QueryPlan } from '../kind.js';
import { createRepeatedRun, type Repeatable } from '../shared/repeat.js';
import { createIndexFactory } from './blind.js';
import { makeStatement, type SqlConnection, type SqlStatement } from './statement.js';
import { createSqlUnit } from './unit.js';

export default defineRuntime(query, {
  create: ({ resolve, env }) => ({
    plan: (value, pointer, tools) => {
      const name = tools.connection(dialect);
      const connection = { name, dialect: resolve(dialect, name) };
      return plan(makeStatement(value, pointer, tools, connection, createIndexFactory(env)), tools, connection);
    },
  }),
});

function plan(statement: SqlStatement, tools: PlanTools, { name, dialect: connection }: SqlConnection): QueryPlan {
  const { repeat } = tools;
  const { need } = statement;
  const unit = createSqlUnit(connection, name, [statement], need);
  const reads = statement.prepared.readOnly && { reads: true as const };
  if (repeat === null)
    return {
      ...createExecution(connection, statement),
      ...reads,
      unit,
      ...(need !== null && isUnit(need, statement) && { always: true }),
      preview: (frame) => previewStatement(statement, frame),
      describe: statement.describe,
    };
  const repeated = createRepeatedRun(toRepeatable(connection, statement), repeat, tools);
  return {
    execute: repeated.execute,
    preview: (frame) => repeated.previewFirst(frame, (item) => previewStatement(statement, item)),
    unit,
    always: true,
    list: true,
    ...(repeat.body && { takesList: true }),
    ...(repeat.body && repeat.pointer === null && { needsList: true }),
    describe: { ...statement.describe, each: repeat.name ?? (repeat.body ? 'the body' : 'the result before') },
  };
}

/** The values as the driver gets them, by placeholder and name. */
function previewStatement({ describe, parameters, values }: SqlStatement, frame: Frame): Preview {
  const named = values(frame).map((value, at) => [`$${at + 1} ${parameters[at]?.label ?? ''}`.trim(), value] as const);
  return { sql: describe.sql, values: Object.fromEntries(named), connection: describe.connection };
}

/** A single statement that needs a transaction: serializable, or a write that others must detect. */
const isUnit = ({ level, among }: IsolationNeed, { prepared }: SqlStatement): boolean =>
  level === 'serializable' || (among && !prepared.readOnly);

const PORTION = 100;

const toRepeatable = (connection: Dialect, statement: SqlStatement): Repeatable<readonly unknown[]> => ({
  parameters: statement.parameters,
  batchSize: PORTION,
  bind: statement.values,
  run: (values, unit) => hideColumns(statement, connection.run(statement.prepared, values, unit as Transaction)),
  named: statement.named,
});

const hideColumns = ({ hide }: SqlStatement, rows: Promise<readonly Row[]>): Promise<readonly Row[]> =>
  hide === null ? rows : rows.then((all) => hide(all) as readonly Row[]);

function createExecution(connection: Dialect, statement: SqlStatement): Pick<QueryPlan, 'execute' | 'render'> {
  const { values, named, hide } = statement;
  const showRows = hide === null ? undefined : (rows: readonly Row[]): unknown => hide(rows);
  const renameFields = (error: unknown): unknown => (error instanceof Fault ? named(error) : error);
  const throwRenamed = (error: unknown): never => {
    throw renameFields(error);
  };
  const renameLater = (result: RawJson | JsonStream): RawJson | JsonStream =>
    result instanceof JsonStream
      ? new JsonStream((sink) => result.open({ ...sink, fail: (error) => sink.fail(renameFields(error)) }))
      : result;
  const { render, renderInside, runWhole } = connection;

  function run(transaction: Transaction | null, frame: Frame): Promise<readonly Row[]> {
    const { prepared, last, fused } = statement;
    if (transaction?.rowsOfLast !== undefined) return Promise.resolve(transaction.rowsOfLast);
    const runOwn = () => connection.run(prepared, values(frame), transaction, last, frame);
    if (fused === null || transaction === null || runWhole === undefined) return runOwn();
    let bound: BoundStatement;
    try {
      bound = fused.bind(frame);
    } catch {
      // A value that cannot be bound is the failure of its own statement.
      return runOwn();
    }
    return runWhole(bound, transaction).then((rows) => {
      if (rows === null) return runOwn();
      const { first, last: rowsOfLast } = fused.splitRows(rows);
      transaction.rowsOfLast = rowsOfLast;
      return first;
    });
  }

  return {
    execute: (frame: Frame): Promise<unknown> =>
      run(frame.unit as Transaction | null, frame).then(showRows, throwRenamed),
    ...(render !== undefined && {
      render(rendering, inside) {
        if (!inside)
          return async (frame) =>
            render(statement.prepared, values(frame), rendering, frame).then(renameLater, throwRenamed);
        // Others may be sent with the statement before.
        if (renderInside === undefined || statement.scan.verb !== 'SELECT') return null;
        return async (frame) =>
          renderInside(
            statement.prepared,
            values(frame),
            rendering,
            frame.unit as Transaction,
            statement.last,
            frame,
          ).catch(throwRenamed);
      },
    }),
  };
}

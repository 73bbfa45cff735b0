/** Plans a SQL statement: one closure per actionable, which runs it once, or once for each item of a list. */
import type { Frame, IsolationNeed, PlanTools } from '../../../contract/plan.js';
import type { Rendered } from '../../../contract/rendered.js';
import { Fault } from '../../../contract/fault.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { dialect, type Dialect, type Rendering, type Row, type Transaction } from '../../dialects/kind.js';
import { query, type QueryPlan } from '../kind.js';
import { repeated, type Repeatable } from '../shared/repeat.js';
import { indexesOf } from './blind.js';
import { makeStatement, type Connection, type Statement } from './statement.js';
import { unitOf } from './unit.js';

export default defineRuntime(query, {
  create: ({ resolve, env }) => ({
    plan: (value, pointer, tools) => {
      const name = tools.connection(dialect);
      const connection = { name, dialect: resolve(dialect, name) };
      return plan(makeStatement(value, pointer, tools, connection, indexesOf(env)), tools, connection);
    },
  }),
});

function plan(statement: Statement, tools: PlanTools, { name, dialect: connection }: Connection): QueryPlan {
  const { repeat } = tools;
  const { need } = statement;
  const unit = unitOf(connection, name, [statement], need);
  const reads = statement.prepared.readOnly && { reads: true as const };
  if (repeat === null)
    return {
      ...execution(connection, statement),
      ...reads,
      unit,
      ...(need !== null && isUnit(need, statement) && { always: true }),
      describe: statement.describe,
    };
  return {
    execute: repeated(repeatable(connection, statement), repeat, tools),
    unit,
    always: true,
    list: true,
    ...(repeat.body && { takesList: true }),
    ...(repeat.body && repeat.pointer === null && { needsList: true }),
    describe: { ...statement.describe, each: repeat.name ?? (repeat.body ? 'the body' : 'the result before') },
  };
}

/**
 * True for a single statement that needs a transaction: serializable, or a write that other serializable transactions must
 * detect.
 */
const isUnit = ({ level, among }: IsolationNeed, { prepared }: Statement): boolean =>
  level === 'serializable' || (among && !prepared.readOnly);

const PORTION = 100;

const repeatable = (connection: Dialect, statement: Statement): Repeatable<readonly unknown[]> => ({
  parameters: statement.parameters,
  portion: PORTION,
  bind: statement.values,
  run: (values, unit) => shown(statement, connection.run(statement.prepared, values, unit as Transaction)),
  named: statement.named,
});

const shown = ({ hide }: Statement, rows: Promise<readonly Row[]>): Promise<readonly Row[]> =>
  hide === null ? rows : rows.then((all) => hide(all) as readonly Row[]);

function execution(connection: Dialect, statement: Statement): Pick<QueryPlan, 'execute' | 'render'> {
  const { values, named } = statement;
  const refuse = (error: unknown): never => {
    throw error instanceof Fault ? named(error) : error;
  };
  const { render } = connection;
  return {
    execute: async (frame: Frame): Promise<unknown> => {
      const { prepared, last } = statement;
      return shown(
        statement,
        connection.run(prepared, values(frame), frame.unit as Transaction | null, last, frame),
      ).catch(refuse);
    },
    ...(render !== undefined && {
      render: async (frame: Frame, rendering: Rendering): Promise<Rendered> =>
        render(statement.prepared, values(frame), rendering, frame).catch(refuse),
    }),
  };
}

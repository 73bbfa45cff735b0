/** Plans a SQL statement: one closure per actionable, which runs it once, or once for each item of a list. */
import type { Json } from '../../../kernel/contract/json.js';
import type { Frame, PlanTools } from '../../../kernel/contract/plan.js';
import { Fault } from '../../../kernel/contract/fault.js';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { dialect, type Dialect, type Transaction } from '../../kinds/dialect.js';
import { query, type QueryPlan } from '../../kinds/query.js';
import { repeated } from './repeat.js';
import { makeStatement, type Statement } from './statement.js';
import { unitOf } from './unit.js';

const CONNECTION = 'main';

export default defineRuntime(query, {
  create: ({ resolve }) => ({
    plan: (value, pointer, tools) => plan(value, pointer, tools, resolve(dialect, CONNECTION)),
  }),
});

function plan(
  value: Readonly<Record<string, Json>>,
  pointer: string,
  tools: PlanTools,
  connection: Dialect,
): QueryPlan {
  const statement = makeStatement(value, pointer, tools, connection);
  const unit = unitOf(connection, CONNECTION, statement.prepared.readOnly);
  const describe = { connection: CONNECTION, sql: statement.prepared.text, parameters: statement.labels };
  const { repeat } = tools;
  if (repeat === null) return { execute: execution(connection, statement), unit, describe };
  return {
    execute: repeated(connection, statement, repeat, tools),
    unit,
    always: true,
    list: true,
    ...(repeat.body && { takesList: true }),
    ...(repeat.body && repeat.pointer === null && { needsList: true }),
    describe: { ...describe, each: repeat.name ?? (repeat.body ? 'the body' : 'the result before') },
  };
}

function execution(connection: Dialect, { prepared, values, named }: Statement) {
  return async (frame: Frame): Promise<unknown> => {
    const bound = values(frame);
    try {
      return await connection.run(prepared, bound, frame.unit as Transaction | null);
    } catch (error) {
      throw error instanceof Fault ? named(error) : error;
    }
  };
}

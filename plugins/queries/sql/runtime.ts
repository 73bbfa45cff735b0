/** Prepares a SQL statement at load: text for the dialect, readers for the parameters, one closure per actionable. */
import { asText, type Json } from '../../../kernel/contract/json.js';
import type { Frame, ModePlan, ParameterPlan, PlanTools, Unit } from '../../../kernel/contract/plan.js';
import { Fault } from '../../../kernel/contract/fault.js';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { scanSql } from '../../../kernel/language/sql.js';
import { dialect, type Dialect, type Prepared, type Transaction } from '../../kinds/dialect.js';
import { query } from '../../kinds/query.js';

const CONNECTION = 'main';

export default defineRuntime(query, {
  create: ({ resolve }) => ({
    plan: (value, pointer, tools) => plan(value, pointer, tools, resolve(dialect, CONNECTION)),
  }),
});

function plan(value: Readonly<Record<string, Json>>, pointer: string, tools: PlanTools, connection: Dialect): ModePlan {
  const scan = scanSql(asText(value['query']));
  const written = Array.isArray(value['parameters']) ? (value['parameters'] as readonly Json[]) : [];
  const parameters = written.map((json, index) => tools.parameter(json, `${pointer}/parameters/${index}`));
  const jsonNames = new Set(tools.columns.filter((column) => column.type === 'json').map((column) => column.name));
  const jsonColumns = written.map((_, index) =>
    scan.placeholders.some(({ n, column }) => n === index + 1 && column !== null && jsonNames.has(column)),
  );
  const prepared = connection.prepare({ scan, jsonColumns, atOnce: tools.parallel });
  const columnOf = fieldsByColumn(scan.placeholders, parameters);
  return {
    execute: execution(connection, bindings(prepared, parameters, written), prepared, columnOf),
    unit: unitOf(connection, prepared.readOnly),
    describe: {
      connection: CONNECTION,
      sql: prepared.text,
      parameters: parameters.map(({ source, label }, index) => `$${index + 1} = ${label} (${source})`),
    },
  };
}

type Bind = (frame: Frame) => unknown;

/** Text of the definition that already is JSON goes to a JSON column as it stands; every other value is made JSON. */
function bindings(prepared: Prepared, parameters: readonly ParameterPlan[], written: readonly Json[]): readonly Bind[] {
  return parameters.map(({ read, source }, index) => {
    const literal = written[index];
    if (prepared.json[index] !== true || source !== 'literal' || typeof literal !== 'string') return read;
    const parsed = parsedJson(literal);
    return parsed === undefined ? read : () => parsed;
  });
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function execution(
  connection: Dialect,
  binds: readonly Bind[],
  prepared: Prepared,
  fieldOf: ReadonlyMap<string, string>,
) {
  return async (frame: Frame): Promise<unknown> => {
    const values = new Array<unknown>(binds.length);
    for (let i = 0; i < binds.length; i++) values[i] = binds[i]?.(frame);
    try {
      return await connection.run(prepared, values, frame.unit as Transaction | null);
    } catch (error) {
      throw error instanceof Fault ? named(error, fieldOf) : error;
    }
  };
}

/** The database complains about columns; the caller knows payload fields. */
function named(error: Fault, fieldOf: ReadonlyMap<string, string>): Fault {
  const { issues } = error.options;
  if (issues === undefined) return error;
  const renamed = issues.map((issue) => {
    const field = fieldOf.get(issue.pointer.slice(1));
    return field === undefined ? issue : { ...issue, pointer: `/${field}` };
  });
  return new Fault(error.code, error.params, { ...error.options, issues: renamed });
}

function fieldsByColumn(
  placeholders: readonly { readonly n: number; readonly column: string | null }[],
  parameters: readonly ParameterPlan[],
): Map<string, string> {
  const fields = new Map<string, string>();
  for (const { n, column } of placeholders) {
    const field = parameters[n - 1]?.field;
    if (column !== null && field !== null && field !== undefined) fields.set(column, field);
  }
  return fields;
}

/** Neighbouring statements on one connection are one transaction; one that only reads makes it keep its snapshot. */
function unitOf(connection: Dialect, reads: boolean): SqlUnit {
  return {
    key: `transaction on ${CONNECTION}`,
    reads,
    join: (units) =>
      unitOf(
        connection,
        (units as readonly SqlUnit[]).some((unit) => unit.reads),
      ),
    open: () => connection.begin(reads),
    commit: (transaction) => connection.commit(transaction as Transaction),
    rollback: (transaction) => connection.rollback(transaction as Transaction),
    retryable: (error) => connection.retryable(error),
  };
}

interface SqlUnit extends Unit {
  readonly reads: boolean;
}

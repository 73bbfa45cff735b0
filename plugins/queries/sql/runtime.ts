/** Prepares a SQL statement at load: text for the dialect, readers for the parameters, one closure per actionable. */
import { asText, type Json } from '../../../kernel/contract/json.js';
import type { Frame, ParameterPlan, PlanTools, Unit } from '../../../kernel/contract/plan.js';
import { Fault } from '../../../kernel/contract/fault.js';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { scanSql, type SqlScan } from '../../../kernel/language/sql.js';
import type { Rendered } from '../../../kernel/contract/rendered.js';
import { dialect, type Dialect, type Prepared, type Rendering, type Transaction } from '../../kinds/dialect.js';
import { query, type QueryPlan } from '../../kinds/query.js';

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
  const scan = scanSql(asText(value['query']));
  const written = Array.isArray(value['parameters']) ? (value['parameters'] as readonly Json[]) : [];
  const parameters = written.map((json, index) => tools.parameter(json, `${pointer}/parameters/${index}`));
  const jsonNames = new Set(tools.columns.filter((column) => column.type === 'json').map((column) => column.name));
  const jsonColumns = written.map((_, index) =>
    scan.placeholders.some(({ n, column }) => n === index + 1 && column !== null && jsonNames.has(column)),
  );
  const prepared = connection.prepare({ scan, jsonColumns });
  const describe = {
    connection: CONNECTION,
    sql: prepared.text,
    parameters: parameters.map(({ source, label }, index) => `$${index + 1} = ${label} (${source})`),
  };
  const lock = (): Prepared => {
    const locked = connection.prepare({ scan, jsonColumns, lock: true });
    describe.sql = locked.text;
    return locked;
  };
  const statement: Statement = { scan, lock, prepared, last: false };
  const columnOf = fieldsByColumn(scan.placeholders, parameters);
  return {
    ...execution(connection, bindings(prepared, parameters, written), statement, columnOf),
    unit: unitOf(connection, [statement]),
    describe,
  };
}

/** What a transaction decides about one of its statements, when it is put together at load. */
interface Statement {
  readonly scan: SqlScan;
  /** Prepares it anew, so that it locks what it reads. */
  readonly lock: () => Prepared;
  prepared: Prepared;
  /** Ends its transaction: the commit may travel with it. */
  last: boolean;
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
  statement: Statement,
  fieldOf: ReadonlyMap<string, string>,
): Pick<QueryPlan, 'execute' | 'render'> {
  const read = (frame: Frame): unknown[] => {
    const values = new Array<unknown>(binds.length);
    for (let i = 0; i < binds.length; i++) values[i] = binds[i]?.(frame);
    return values;
  };
  const refuse = (error: unknown): never => {
    throw error instanceof Fault ? named(error, fieldOf) : error;
  };
  const { render } = connection;
  return {
    execute: async (frame: Frame): Promise<unknown> => {
      const { prepared, last } = statement;
      return connection.run(prepared, read(frame), frame.unit as Transaction | null, last).catch(refuse);
    },
    ...(render !== undefined && {
      render: async (frame: Frame, rendering: Rendering): Promise<Rendered> =>
        render(statement.prepared, read(frame), rendering).catch(refuse),
    }),
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

/** Neighbouring statements on one connection are one transaction; one that only reads makes it keep its snapshot. */
function unitOf(connection: Dialect, statements: readonly Statement[]): SqlUnit {
  const reads = statements.some(({ prepared }) => prepared.readOnly);
  return {
    key: `transaction on ${CONNECTION}`,
    statements,
    join(units, closing, needs) {
      const all = (units as readonly SqlUnit[]).flatMap((unit) => unit.statements);
      lockWhatFeedsWrites(all, needs);
      const last = all.at(-1);
      if (last !== undefined) last.last = closing;
      return unitOf(connection, all);
    },
    open: () => connection.begin(reads),
    commit: (transaction) => connection.commit(transaction as Transaction),
    rollback: (transaction) => connection.rollback(transaction as Transaction),
    retryable: (error) => connection.retryable(error),
  };
}

interface SqlUnit extends Unit {
  readonly statements: readonly Statement[];
}

/** Rows that a debugger reads, inside the transaction of the stopped request if it has one. */
import type { Kernel } from '../../kernel/runtime/kernel.js';
import type { StatementText } from '../../contract/statement-text.js';
import { scanSql } from '../../plugins/queries/sql/text/scan.js';
import { runStatement } from '../statements/run-statement.js';
import { ExpressionError } from './expression.js';
import type { PlanFacts, ReachedPlace } from './observer.js';
import { maskRows, NO_MASK, type SecretMask } from './secrets.js';

type Rows = readonly unknown[];

/** What is read here of the handle of a database. */
interface RowSource {
  execute(text: string, values: readonly unknown[], transaction: unknown): Promise<Rows>;
  prepare(input: { readonly scan: StatementText; readonly jsonColumns: readonly boolean[] }): unknown;
  readInside?(prepared: unknown, transaction: unknown): Promise<Rows>;
}

const MOST_ROWS = 200;

export const isStatement = (text: string): boolean => /^\s*(?:select|with|values|table)\s/i.test(text);

/** Throws an ExpressionError where that is impossible. The transaction and its session stay as they are. */
export async function readRows(
  text: string,
  { frame, action }: ReachedPlace,
  { facts, kernel, mask }: { readonly facts: PlanFacts; readonly kernel: Kernel; readonly mask: () => SecretMask },
): Promise<Rows> {
  const shared = action === null ? undefined : facts.shared.get(action.key);
  const found = shared && findConnection(kernel, shared.handle);
  if (shared === undefined || found === undefined)
    throw new ExpressionError('Statements can be read at an actionable that uses a SQL database.');
  const scan = scanSql(text);
  if (scan.statements > 1) throw new ExpressionError('One statement at a time can be read.');
  const transaction = frame.unit === null ? null : shared.of(frame.unit);
  if (transaction === null) return readOutside(text, found.name, kernel);
  const source = shared.handle as RowSource;
  const rows =
    source.readInside === undefined
      ? readBehindSavepoint(text, source, transaction)
      : source.readInside(source.prepare({ scan, jsonColumns: [] }), transaction);
  const shown = (await rows).slice(0, MOST_ROWS);
  return mask() === NO_MASK ? shown : maskRows(shown, scan, mask());
}

async function readBehindSavepoint(text: string, source: RowSource, transaction: unknown): Promise<Rows> {
  const run = (statement: string): Promise<Rows> => source.execute(statement, [], transaction);
  await run('SAVEPOINT lintel_debugger');
  try {
    await run('SET LOCAL transaction_read_only = on');
    return await run(text);
  } finally {
    await run('ROLLBACK TO SAVEPOINT lintel_debugger');
    await run('RELEASE SAVEPOINT lintel_debugger');
  }
}

async function readOutside(sql: string, connection: string, kernel: Kernel): Promise<Rows> {
  const answer = await runStatement(kernel, { sql, connection, parameters: [], explain: false, confirmed: false });
  if ('message' in answer) throw new ExpressionError(answer.message);
  return answer.rows;
}

function findConnection({ instances, project: { registry } }: Kernel, handle: unknown): { name: string } | undefined {
  const instance = instances.find((one) => one.handle() === handle);
  if (instance === undefined || registry.plugins.get(instance.id)?.facts?.syntax === undefined) return undefined;
  return { name: instance.key.slice(instance.key.lastIndexOf('/') + 1) };
}

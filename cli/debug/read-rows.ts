/** Statements of a developer that only read, in the view of the stopped transaction. */
import type { Kernel } from '../../kernel/runtime/kernel.js';
import { scanSql } from '../../language/strings/sql.js';
import type { Debugger } from './debugger.js';
import { ExpressionError } from './expression.js';
import type { ReachedPlace } from './observer.js';

/** What is read here of the handle of a database. */
interface RowSource {
  readonly execute: (text: string, values: readonly unknown[], transaction: unknown) => Promise<readonly unknown[]>;
}

const MOST_ROWS = 200;

export const isStatement = (text: string): boolean => /^\s*(?:select|with|values|table)\s/i.test(text);

/**
 * The database itself refuses to write: the statement runs read-only behind a savepoint, to which the transaction returns. Throws
 * an ExpressionError where that is impossible.
 */
export async function readRows(
  text: string,
  { frame, action }: ReachedPlace,
  { facts, kernel }: Debugger,
): Promise<readonly unknown[]> {
  const shared = action === null ? undefined : facts.shared.get(action.key);
  if (frame.unit === null || shared === undefined)
    throw new ExpressionError('No transaction is open here: statements can be read at an actionable in a transaction.');
  if (!isPostgres(kernel, shared.handle))
    throw new ExpressionError('Only a transaction of PostgreSQL can be read from: others cannot be made read-only.');
  if (scanSql(text).statements > 1) throw new ExpressionError('One statement at a time can be read.');
  const { execute } = shared.handle as RowSource;
  const transaction = shared.of(frame.unit);
  const run = (statement: string): Promise<readonly unknown[]> => execute(statement, [], transaction);
  await run('SAVEPOINT lintel_debugger');
  try {
    await run('SET LOCAL transaction_read_only = on');
    return (await run(text)).slice(0, MOST_ROWS);
  } finally {
    await run('ROLLBACK TO SAVEPOINT lintel_debugger');
    await run('RELEASE SAVEPOINT lintel_debugger');
  }
}

function isPostgres({ instances, project: { registry } }: Kernel, handle: unknown): boolean {
  const instance = instances.find((one) => one.handle() === handle);
  return instance !== undefined && registry.plugins.get(instance.id)?.facts?.['syntax'] === 'postgresql';
}

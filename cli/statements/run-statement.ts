/**
 * Runs a statement of an editor on a database of the kernel, in a transaction that is always rolled back. Without a confirmation the
 * database itself refuses to write.
 */
import type { Json } from '../../contract/json.js';
import { Fault } from '../../contract/fault.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';
import { isClause } from '../../language/strings/sql-clauses.js';
import { isUnqualified, toLexemes } from '../../language/strings/sql-read.js';
import { scanSql, type SqlScan } from '../../language/strings/sql.js';
import { createSecretMask, maskValue } from '../debug/secrets.js';

export interface StatementRequest {
  readonly sql: string;
  /** In the order of the placeholders. */
  readonly parameters: readonly Json[];
  /** Null: the default connection. */
  readonly connection: string | null;
  /** The plan of the database instead of the rows; the statement does not run. */
  readonly explain: boolean;
  /** The caller has confirmed that a statement that writes may run before it is rolled back. */
  readonly confirmed: boolean;
}

export type StatementAnswer =
  | {
      readonly rows: readonly unknown[];
      /** The database has more rows than these. */
      readonly hasMore: boolean;
      /** Milliseconds. */
      readonly took: number;
      readonly isWrite: boolean;
    }
  | { readonly message: string; readonly needsConfirmation: boolean };

const MOST_ROWS = 200;
const TIMEOUT = 10_000;

interface Prepared {
  readonly text: string;
  readonly order: readonly number[];
}

/** What is used here of the handle of a database. */
interface Database {
  prepare(input: { readonly scan: SqlScan; readonly jsonColumns: readonly boolean[] }): Prepared;
  run(prepared: Prepared, values: readonly unknown[], transaction: unknown): Promise<readonly unknown[]>;
  begin(isolation: { readonly level: 'locks'; readonly among: boolean }): Promise<unknown>;
  rollback(transaction: unknown): Promise<void>;
}

export async function runStatement(kernel: Kernel, request: StatementRequest): Promise<StatementAnswer> {
  const createRefusal = (message: string, needsConfirmation = false): StatementAnswer => ({
    message,
    needsConfirmation,
  });
  const scan = scanSql(request.sql.replace(/(?:\s|;)+$/, ''));
  const highest = Math.max(0, ...scan.placeholders.map(({ n }) => n));
  if (scan.statements !== 1) return createRefusal('One statement at a time can run.');
  if (!READS.has(scan.verb) && !WRITES.has(scan.verb))
    return createRefusal(
      `Only SELECT, INSERT, UPDATE and DELETE can run here, and this statement begins with ${scan.verb || 'no keyword'}.`,
    );
  if (request.parameters.length < highest)
    return createRefusal(`The statement has $${highest}, and ${request.parameters.length} values are there.`);
  const database = findDatabase(kernel, request.connection ?? 'main');
  if (typeof database === 'string') return createRefusal(database);
  const isWrite = writesOrLocks(scan);
  if (isWrite && !request.explain && !request.confirmed)
    return createRefusal(
      'The statement writes or locks rows. It runs only after a confirmation, and is rolled back.',
      true,
    );
  const begun = performance.now();
  try {
    const rows = await runAndRollBack(database, scan, request, isWrite);
    const shown = rows.slice(0, MOST_ROWS);
    const mask = createSecretMask(kernel);
    return {
      rows: request.explain ? shown : (maskValue(shown, mask, []) as unknown[]),
      hasMore: rows.length > MOST_ROWS,
      took: Math.round((performance.now() - begun) * 10) / 10,
      isWrite,
    };
  } catch (error) {
    const { text, isReadOnly } = describeError(error);
    return isReadOnly
      ? createRefusal(
          'The statement calls a function that writes. It runs only after a confirmation, and is rolled back.',
          true,
        )
      : createRefusal(text);
  }
}

const READS = new Set(['SELECT', 'VALUES', 'TABLE']);
const WRITES = new Set(['INSERT', 'UPDATE', 'DELETE']);

/** Any write within, as in a WITH list, and locks of rows. The database decides about functions. */
function writesOrLocks({ text, tokens }: SqlScan): boolean {
  const words = toLexemes(text, tokens);
  return words.some(({ text: word }, i) => {
    if (!isUnqualified(words, i)) return false;
    if (WRITES.has(word)) return isClause(words, i) || word !== 'UPDATE';
    return word === 'MERGE' || (word === 'FOR' && /^(?:UPDATE|SHARE|NO|KEY)$/.test(words[i + 1]?.text ?? ''));
  });
}

function findDatabase({ instances, project: { registry } }: Kernel, name: string): Database | string {
  const instance = instances.find(
    ({ key, id }) => key.endsWith(`/${name}`) && registry.plugins.get(id)?.facts?.syntax !== undefined,
  );
  if (instance === undefined) return `The server has no open connection "${name}".`;
  if (registry.plugins.get(instance.id)?.facts?.syntax !== 'postgresql')
    return 'Statements run on PostgreSQL and the embedded database only: others cannot be made read-only here.';
  return instance.handle() as Database;
}

async function runAndRollBack(
  database: Database,
  scan: SqlScan,
  { parameters, explain, confirmed }: StatementRequest,
  isWrite: boolean,
): Promise<readonly unknown[]> {
  const prepareText = (text: string): Prepared => {
    const read = scanSql(text);
    return database.prepare({ scan: read, jsonColumns: parameters.map(() => false) });
  };
  const run = (text: string, values: readonly unknown[]): Promise<readonly unknown[]> =>
    database.run(prepareText(text), values, transaction);
  const transaction = await database.begin({ level: 'locks', among: false });
  try {
    if (!confirmed || explain) await run('SET LOCAL transaction_read_only = on', []);
    await run(`SET LOCAL statement_timeout = ${TIMEOUT}`, []);
    // The end of the line ends a comment of the statement.
    const bounded = isWrite ? scan.text : `SELECT * FROM (${scan.text}\n) AS lintel_rows LIMIT ${MOST_ROWS + 1}`;
    return await run(explain ? `EXPLAIN ${scan.text}` : bounded, parameters.map(toBound));
  } finally {
    await database.rollback(transaction);
  }
}

/** Objects are bound as JSON text, lists as lists. */
const toBound = (value: Json): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? JSON.stringify(value) : value;

/** The words of the database: the caller is its developer. */
function describeError(error: unknown): { readonly text: string; readonly isReadOnly: boolean } {
  const cause = error instanceof Fault && error.cause instanceof Error ? error.cause : error;
  const text = cause instanceof Error ? cause.message : String(cause);
  return { text, isReadOnly: (cause as { readonly code?: unknown } | null)?.code === '25006' };
}

/**
 * Runs a statement of an editor on a database of the kernel, in a transaction that is always rolled back. Without a confirmation the
 * database itself refuses to write.
 */
import type { StatementText } from '../../contract/statement-text.js';
import type { Json } from '../../contract/json.js';
import { Fault } from '../../contract/fault.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';
import { isClause } from '../../plugins/queries/sql/text/clauses.js';
import { isUnqualified, toLexemes } from '../../plugins/queries/sql/text/read.js';
import { scanSql } from '../../plugins/queries/sql/text/scan.js';
import { createSecretMask, maskRows } from '../debug/secrets.js';

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

interface Prepared {
  readonly text: string;
  readonly order: readonly number[];
}

interface Isolation {
  readonly level: 'locks';
  readonly among: boolean;
}

/** How a statement is bounded and explained, by the fact `syntax` of a dialect. */
interface StatementSyntax {
  /** Statements at the beginning of the transaction. */
  readonly listSettings: (isReadOnly: boolean) => readonly string[];
  /** The statement with a limit of rows. */
  readonly limit: (scan: StatementText) => string;
  readonly explain: string;
  /** Also a write is explained where the database refuses to write. */
  readonly explainsReadOnly: boolean;
}

const MOST_ROWS = 200;
const TIMEOUT = 10_000;
/** One more, to know that there are more. */
const LIMIT = `LIMIT ${MOST_ROWS + 1}`;

/** The end of the line ends a comment of the statement. */
const limitOutside = ({ text }: StatementText): string => `SELECT * FROM (${text}\n) AS lintel_rows ${LIMIT}`;

/** A sub-query would lose its order, and may not name two columns alike. */
function limitAtEnd({ text, tokens }: StatementText): string {
  const isLimited = toLexemes(text, tokens).some(
    ({ type, text: word, depth }) => type === 'word' && depth === 0 && word === 'LIMIT',
  );
  return isLimited ? text : `${text}\n${LIMIT}`;
}

const SYNTAXES: Readonly<Record<string, StatementSyntax>> = {
  postgresql: {
    listSettings: (isReadOnly) => [
      ...(isReadOnly ? ['SET LOCAL transaction_read_only = on'] : []),
      `SET LOCAL statement_timeout = ${TIMEOUT}`,
    ],
    limit: limitOutside,
    explain: 'EXPLAIN',
    explainsReadOnly: true,
  },
  // The connection has a time limit of its own.
  mysql: {
    listSettings: () => [],
    limit: limitAtEnd,
    explain: 'EXPLAIN FORMAT=JSON',
    explainsReadOnly: false,
  },
};

/** What is used of the handle of a database. */
export interface Database {
  prepare(input: { readonly scan: StatementText; readonly jsonColumns: readonly boolean[] }): Prepared;
  run(prepared: Prepared, values: readonly unknown[], transaction: unknown): Promise<readonly unknown[]>;
  begin(isolation: Isolation): Promise<unknown>;
  beginReadOnly?(isolation: Isolation): Promise<unknown>;
  commit(transaction: unknown): Promise<void>;
  rollback(transaction: unknown): Promise<void>;
  closeSession?(transaction: unknown): Promise<void>;
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
  const found = findDatabase(kernel, request.connection ?? 'main');
  if (typeof found === 'string') return createRefusal(found);
  const isWrite = writesOrLocks(scan);
  if (isWrite && !request.explain && !request.confirmed)
    return createRefusal(
      'The statement writes or locks rows. It runs only after a confirmation, and is rolled back.',
      true,
    );
  const begun = performance.now();
  try {
    const isReadOnly = request.explain ? !isWrite || found.syntax.explainsReadOnly : !request.confirmed;
    const obstacle = isReadOnly ? null : await found.findObstacle();
    if (obstacle !== null) return createRefusal(obstacle);
    const rows = await runAndRollBack(found, scan, request, { isWrite, isReadOnly });
    const shown = rows.slice(0, MOST_ROWS);
    return {
      rows: request.explain ? shown : maskRows(shown, scan, createSecretMask(kernel)),
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
function writesOrLocks({ text, tokens }: StatementText): boolean {
  const words = toLexemes(text, tokens);
  return words.some(({ text: word }, i) => {
    if (!isUnqualified(words, i)) return false;
    if (WRITES.has(word)) return isClause(words, i) || word !== 'UPDATE';
    return word === 'MERGE' || (word === 'FOR' && /^(?:UPDATE|SHARE|NO|KEY)$/.test(words[i + 1]?.text ?? ''));
  });
}

interface FoundDatabase {
  readonly database: Database;
  readonly syntax: StatementSyntax;
  /** Why a write cannot be rolled back; null where it can. */
  readonly findObstacle: () => Promise<string | null>;
}

function findDatabase({ instances, project: { registry } }: Kernel, name: string): FoundDatabase | string {
  const getSyntax = (id: string): string | undefined => registry.plugins.get(id)?.facts?.syntax;
  const instance = instances.find(({ key, id }) => key.endsWith(`/${name}`) && getSyntax(id) !== undefined);
  if (instance === undefined) return `The server has no open connection "${name}".`;
  const syntax = SYNTAXES[getSyntax(instance.id) ?? ''];
  if (syntax === undefined)
    return 'Statements run on PostgreSQL, MySQL, MariaDB and the embedded database only: others cannot be made read-only here.';
  const handle = instance.handle();
  const rows = instance.runtime.createRowSource?.(handle);
  return { database: handle as Database, syntax, findObstacle: async () => (await rows?.findObstacle()) ?? null };
}

async function runAndRollBack(
  { database, syntax }: FoundDatabase,
  scan: StatementText,
  { parameters, explain }: StatementRequest,
  { isWrite, isReadOnly }: { readonly isWrite: boolean; readonly isReadOnly: boolean },
): Promise<readonly unknown[]> {
  const prepareText = (text: string): Prepared => {
    const read = scanSql(text);
    return database.prepare({ scan: read, jsonColumns: parameters.map(() => false) });
  };
  const run = (text: string, values: readonly unknown[]): Promise<readonly unknown[]> =>
    database.run(prepareText(text), values, transaction);
  const isolation: Isolation = { level: 'locks', among: false };
  const transaction = await (isReadOnly && database.beginReadOnly !== undefined
    ? database.beginReadOnly(isolation)
    : database.begin(isolation));
  try {
    for (const text of syntax.listSettings(isReadOnly)) await run(text, []);
    const bounded = isWrite ? scan.text : syntax.limit(scan);
    return await run(explain ? `${syntax.explain} ${scan.text}` : bounded, parameters.map(toBound));
  } finally {
    // What the statement has left in the session must not meet a request.
    await (database.closeSession?.(transaction) ?? database.rollback(transaction));
  }
}

/** Objects are bound as JSON text, lists as lists. */
const toBound = (value: Json): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? JSON.stringify(value) : value;

/** The words of the database: the caller is its developer. */
export function describeError(error: unknown): { readonly text: string; readonly isReadOnly: boolean } {
  const cause = error instanceof Fault && error.cause instanceof Error ? error.cause : error;
  const text = cause instanceof Error ? cause.message : String(cause);
  return { text, isReadOnly: READ_ONLY_CODES.has((cause as { readonly code?: unknown } | null)?.code) };
}

const READ_ONLY_CODES = new Set<unknown>(['25006', 'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION']);

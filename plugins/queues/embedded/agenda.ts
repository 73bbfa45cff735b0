/**
 * The embedded database as Agenda wants it: what its driver would do with statements, here on `execute` of the connection. Knows the
 * columns of Agenda's table that hold a time, and nothing else of it.
 */
import type { JobRepository } from 'agenda';
import type { Pool } from 'pg';
import type { Dialect, Row } from '../../kinds/dialect.js';
import { TABLE } from '../shared/sql-schema.js';

const TIMES =
  /^(?:next_run|locked|last_finished|failed|last_run|debounce_started|created|updated)_at$|^(?:start|end)_date$/;

/** Statements of a text; what stands between `$$` is one word. */
function statementsOf(text: string): string[] {
  const found = [''];
  text.split('$$').forEach((piece, at, { length }) => {
    const [first = '', ...others] = at % 2 === 0 ? piece.split(';') : [piece];
    found.push((found.pop() ?? '') + first, ...others);
    if (at < length - 1) found.push(`${found.pop() ?? ''}$$`);
  });
  return found.filter((statement) => statement.trim() !== '');
}

/** Runs the statements of a text, which take no values; gives the rows of the last. */
export async function runAll(main: Dialect, text: string): Promise<readonly Row[]> {
  let rows: readonly Row[] = [];
  for (const statement of statementsOf(text)) rows = await main.execute(statement, [], null);
  return rows;
}

/** Its driver has a Date where this one has text. */
const withDates = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && TIMES.test(name) ? new Date(value) : value,
    ]),
  );

/** Its driver counts the rows that a statement without an answer has changed, and takes a Date for a time. */
const counted = (text: string): string =>
  /^\s*(?:UPDATE|DELETE)\b/.test(text) && !/\bRETURNING\b/.test(text) ? `${text} RETURNING 1 AS one` : text;
const bound = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value);

/** Agenda's repository on the table, which is made elsewhere. */
export function repositoryOn(main: Dialect): () => Promise<JobRepository> {
  const query = async (text: string, values: readonly unknown[] = []): Promise<object> => {
    const rows = await main.execute(counted(text), values.map(bound), null);
    return { rows: rows.map(withDates), rowCount: rows.length };
  };
  const session = { query, release: () => undefined };
  const pool = { query, connect: () => Promise.resolve(session) } as unknown as Pool;
  let made: Promise<JobRepository> | null = null;
  async function make(): Promise<JobRepository> {
    const { PostgresBackend } = await import('@agendajs/postgres-backend');
    return new PostgresBackend({ pool, tableName: TABLE, ensureSchema: false, disableNotifications: true }).repository;
  }
  return () => (made ??= make());
}

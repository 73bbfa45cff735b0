/** Adapts the embedded database to the `pg` pool that Agenda expects. */
import type { JobRepository } from 'agenda';
import type { Dialect, Row } from '../../dialects/kind.js';
import { createPool, TABLE } from '../shared/sql-schema.js';

const TIMES =
  /^(?:next_run|locked|last_finished|failed|last_run|debounce_started|created|updated)_at$|^(?:start|end)_date$/;

/** A text between `$$` is not split. */
function splitStatements(text: string): string[] {
  const found = [''];
  text.split('$$').forEach((piece, at, { length }) => {
    const [first = '', ...others] = at % 2 === 0 ? piece.split(';') : [piece];
    found.push((found.pop() ?? '') + first, ...others);
    if (at < length - 1) found.push(`${found.pop() ?? ''}$$`);
  });
  return found.filter((statement) => statement.trim() !== '');
}

/** Returns the rows of the last statement. */
export async function runAll(main: Dialect, text: string): Promise<readonly Row[]> {
  let rows: readonly Row[] = [];
  for (const statement of splitStatements(text)) rows = await main.execute(statement, [], null);
  return rows;
}

/** Agenda expects a Date where this connection returns text. */
const withDates = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && TIMES.test(name) ? new Date(value) : value,
    ]),
  );

/** Agenda reads the number of changed rows and passes Dates, which `execute` does not support. */
const addReturning = (text: string): string =>
  /^\s*(?:UPDATE|DELETE)\b/.test(text) && !/\bRETURNING\b/.test(text) ? `${text} RETURNING 1 AS one` : text;
const toBindValue = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value);

/** Agenda's repository on an existing table. */
export function createEmbeddedRepository(main: Dialect): () => Promise<JobRepository> {
  const query = async (text: string, values: readonly unknown[] = []): Promise<object> => {
    const rows = await main.execute(addReturning(text), values.map(toBindValue), null);
    return { rows: rows.map(withDates), rowCount: rows.length };
  };
  const pool = createPool(query);
  let made: Promise<JobRepository> | null = null;
  async function make(): Promise<JobRepository> {
    const { PostgresBackend } = await import('@agendajs/postgres-backend');
    return new PostgresBackend({ pool, tableName: TABLE, ensureSchema: false, disableNotifications: true }).repository;
  }
  return () => (made ??= make());
}

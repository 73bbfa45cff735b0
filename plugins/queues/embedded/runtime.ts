/** The queue `embedded`: the embedded database has one session, so the queue waits during transactions of requests. */
import { BootError } from '../../../contract/boot-error.js';
import { asText } from '../../../contract/json.js';
import { defineRuntime } from '../../../contract/plugin.js';
import type { RuntimeContext } from '../../../contract/plugin.js';
import { dialect, type Dialect, type Row } from '../../dialects/kind.js';
import { queue, type Queue } from '../kind.js';
import { createQueue } from '../shared/queue.js';
import { readSettings } from '../shared/settings.js';
import { createPool, makeTables, TABLE } from '../shared/sql-schema.js';
import { createSqlStore, createTransactionalStore } from '../shared/sql-store.js';
import type { RunSql } from '../shared/store.js';
import type { JobRepository } from 'agenda';
import { worker } from '../shared/worker.js';

/** No other process adds jobs, so polling is rare. */
const POLL_SECONDS = 5;

interface EmbeddedQueue extends Queue {
  readonly ensureTables: () => Promise<void>;
}

function resolveConnection({ options, resolve }: RuntimeContext): Dialect {
  const connection = asText(options['connection']) || 'main';
  try {
    return resolve(dialect, connection);
  } catch (error) {
    if (error instanceof BootError && /^PLG_(?:UNDECLARED|NO_RUNTIME)$/.test(error.code))
      throw new BootError('JOB_NOT_EMBEDDED', { connection }, error);
    throw error;
  }
}

export default defineRuntime<Queue, EmbeddedQueue>(queue, {
  create(context) {
    const main = resolveConnection(context);
    let making: Promise<void> | null = null;
    const ensureTables = (): Promise<void> =>
      (making ??= makeTables((text) => runAll(main, text)).catch((error: unknown) => {
        making = null;
        throw error;
      }));
    const run: RunSql = async (_name, text, values) => {
      await ensureTables();
      return main.execute(text, values, null);
    };
    const made = createQueue({
      store: createSqlStore(run, createEmbeddedRepository(main)),
      settings: readSettings(context.options, POLL_SECONDS, context.env),
      log: context.log,
      emit: (event) => context.running?.emit(event),
      patience: Infinity,
      resolveTransactionalStore: (statements) =>
        Promise.resolve(statements === main ? createTransactionalStore(main) : null),
    });
    return { ...made, ensureTables };
  },

  open: (handle) => handle.ensureTables(),
  ...worker,
  close: (handle) => handle.drain(),
  // The connection empties its tables.
  openTestStore: () => ({ reset: () => Promise.resolve() }),
});

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

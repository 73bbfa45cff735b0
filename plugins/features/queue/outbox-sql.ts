/** SQL of the outbox for PostgreSQL and MySQL; the dialect is detected from the database. */
import { BY_LOCKS, type Dialect, type Row } from '../../dialects/kind.js';

export const BATCH = 100;

export interface OutboxSql {
  /** Creates the table if absent, within `transaction` where the database supports it. */
  make(transaction: unknown): Promise<void>;
  add(id: string, body: string, transaction: unknown): Promise<void>;
  /** The oldest, for 5 seconds, longer than a queue takes. */
  claimRows(): Promise<readonly OutboxRow[]>;
  remove(rows: readonly OutboxRow[]): Promise<void>;
  /** For one row; also compares the id, because the row may be of another table. */
  removeOne(row: Pick<OutboxRow, 'place' | 'id'>): Promise<void>;
  releaseRows(rows: readonly OutboxRow[]): Promise<void>;
  markRejected(rows: readonly OutboxRow[], code: string): Promise<void>;
}

export interface OutboxRow {
  readonly place: number;
  readonly id: string;
  readonly body: string;
}

const ADD = 'INSERT INTO lintel_outbox (id, body) VALUES ($1, $2)';
/** For any number of rows: the last id is repeated. */
const THESE = `WHERE place IN (${Array.from({ length: BATCH }, (_, n) => `$${n + 1}`).join(', ')})`;
const REMOVE = `DELETE FROM lintel_outbox ${THESE}`;
const REMOVE_ONE = 'DELETE FROM lintel_outbox WHERE place = $1 AND id = $2';
const GIVE_BACK = `UPDATE lintel_outbox SET taken_until = NULL ${THESE}`;
const REFUSE = `UPDATE lintel_outbox SET refused = $${BATCH + 1} ${THESE}`;

const listPlaces = (rows: readonly OutboxRow[]): readonly number[] =>
  Array.from({ length: BATCH }, (_, n) => rows[Math.min(n, rows.length - 1)]?.place ?? -1);
const sortRows = (rows: readonly Row[]): readonly OutboxRow[] =>
  rows
    .map(({ place, id, body }) => ({ place: Number(place), id: String(id), body: String(body) }))
    .sort((a, b) => a.place - b.place);

type Making = Pick<OutboxSql, 'make' | 'claimRows'>;

/** Commits all statements of `work` or none. */
async function inTransaction<T>(connection: Dialect, work: (transaction: unknown) => Promise<T>): Promise<T> {
  const transaction = await connection.begin(BY_LOCKS);
  try {
    const result = await work(transaction);
    await connection.commit(transaction);
    return result;
  } catch (error) {
    await connection.rollback(transaction);
    throw error;
  }
}

/** Key of the advisory lock for creating the table, since processes that start simultaneously would collide. */
const MAKING = 7_120_417_305;

function createPostgresSql(connection: Dialect): Making {
  const LOCK = 'SELECT pg_advisory_xact_lock($1)';
  const MAKE = `CREATE TABLE IF NOT EXISTS lintel_outbox (
  place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL, body text NOT NULL, taken_until timestamptz,
  refused text)`;
  const TAKE = `UPDATE lintel_outbox SET taken_until = now() + interval '5 seconds' WHERE place IN (
  SELECT place FROM lintel_outbox WHERE refused IS NULL AND (taken_until IS NULL OR taken_until < now())
  ORDER BY place LIMIT ${BATCH} FOR UPDATE SKIP LOCKED) RETURNING place, id, body`;
  const makeIn = async (transaction: unknown): Promise<void> => {
    await connection.execute(LOCK, [MAKING], transaction);
    await connection.execute(MAKE, [], transaction);
  };
  return {
    make: (transaction) => (transaction === null ? inTransaction(connection, makeIn) : makeIn(transaction)),
    claimRows: async () => sortRows(await connection.execute(TAKE, [], null)),
  };
}

function createMysqlSql(connection: Dialect): Making {
  const MAKE = `CREATE TABLE IF NOT EXISTS lintel_outbox (
  place bigint NOT NULL AUTO_INCREMENT PRIMARY KEY, id varchar(255) NOT NULL, body longtext NOT NULL, taken_until datetime(3),
  refused varchar(255))`;
  const FREE = `SELECT place, id, body FROM lintel_outbox
  WHERE refused IS NULL AND (taken_until IS NULL OR taken_until < UTC_TIMESTAMP(3))
  ORDER BY place LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`;
  const TAKE = `UPDATE lintel_outbox SET taken_until = UTC_TIMESTAMP(3) + INTERVAL 5 SECOND ${THESE}`;
  return {
    // DDL commits the open transaction on MySQL.
    make: async () => void (await connection.execute(MAKE, [], null)),
    claimRows: () =>
      inTransaction(connection, async (transaction) => {
        const rows = sortRows(await connection.execute(FREE, [], transaction));
        if (rows.length > 0) await connection.execute(TAKE, listPlaces(rows), transaction);
        return rows;
      }),
  };
}

/** Detects the database of `connection`; rejects when it is unavailable. */
export async function createOutboxSql(connection: Dialect, transaction: unknown): Promise<OutboxSql> {
  const [row] = await connection.execute('SELECT version() AS version', [], transaction);
  const making = String(row?.['version']).startsWith('PostgreSQL')
    ? createPostgresSql(connection)
    : createMysqlSql(connection);
  const run = async (text: string, values: readonly unknown[], inside: unknown = null): Promise<void> =>
    void (await connection.execute(text, values, inside));
  return {
    ...making,
    add: (id, body, inside) => run(ADD, [id, body], inside),
    remove: (rows) => run(REMOVE, listPlaces(rows)),
    removeOne: ({ place, id }) => run(REMOVE_ONE, [place, id]),
    releaseRows: (rows) => run(GIVE_BACK, listPlaces(rows)),
    markRejected: (rows, code) => run(REFUSE, [...listPlaces(rows), code]),
  };
}

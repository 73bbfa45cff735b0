/**
 * Migrates MySQL and MariaDB. Table changes cannot be undone there: they are made one by one under a server lock, and a second
 * run completes an interrupted migration.
 */
import { createHash } from 'node:crypto';
import type { Change, MigrationPlan, PlanWarning } from '../shared/changes.js';
import type { Flavour } from '../shared/known.js';
import type { Migrated } from '../shared/migrate.js';
import type { Session, WithSession } from '../shared/session.js';
import { quote, writeDdl } from './ddl.js';
import { isLost } from './errors.js';
import { introspect } from './introspect.js';
import { collationsOf, shapeOf } from './shape.js';

interface DriverError {
  readonly errno?: unknown;
  readonly code?: unknown;
  readonly sqlState?: unknown;
}
const asError = (cause: unknown): DriverError => (typeof cause === 'object' && cause !== null ? cause : {});

const DUPLICATE: ReadonlySet<unknown> = new Set([1062, 1586]);

/** The server's message may quote a value of a row. */
function clean(cause: unknown): unknown {
  const { errno, code, sqlState } = asError(cause);
  if (!(cause instanceof Error) || typeof errno !== 'number' || errno <= 0) return cause;
  const quotes = DUPLICATE.has(errno) || String(sqlState).startsWith('22');
  return Object.assign(new Error(quotes ? `database error ${errno}` : cause.message), {
    name: 'DatabaseError',
    errno,
    code,
  });
}

/** Replaces checks that existing rows violate by warnings, because the server validates all rows immediately. */
async function settle(session: Session, plan: MigrationPlan): Promise<MigrationPlan> {
  const changes: Change[] = [];
  const warnings: PlanWarning[] = [...plan.warnings];
  const fresh = new Set(plan.changes.flatMap((one) => (one.change === 'create-table' ? [one.table] : [])));
  const added = new Set(
    plan.changes.flatMap((one) => (one.change === 'add-column' ? [`${one.table} ${one.column.name}`] : [])),
  );
  for (const one of plan.changes) {
    const isNew = fresh.has(one.table) || (one.change === 'add-length' && added.has(`${one.table} ${one.column}`));
    const count = one.change === 'add-length' && !isNew ? await longer(session, one) : 0;
    if (count === 0 || one.change !== 'add-length') {
      changes.push(one);
      continue;
    }
    const message = `${count} value${count === 1 ? ' is' : 's are'} longer than ${one.length} characters: no check is added while they are there`;
    warnings.push({ table: one.table, column: one.column, message, serious: true });
  }
  return { changes, warnings };
}

async function longer(session: Session, { table, column, length }: Change & { change: 'add-length' }): Promise<number> {
  const sql = `SELECT count(*) AS n FROM ${quote(table)} WHERE char_length(${quote(column)}) > ${length}`;
  return Number((await session.query(sql))[0]?.['n'] ?? 0);
}

/** A year in seconds: MariaDB has no infinite timeout. */
const EVER = 31_536_000;

async function lock(session: Session, mariadb: boolean): Promise<() => Promise<void>> {
  // Request timeouts are too short for building an index or waiting for another process.
  await session.query(`SET SESSION ${mariadb ? 'max_statement_time' : 'max_execution_time'} = 0`);
  await session.query(`SET SESSION lock_wait_timeout = ${EVER}`);
  const [row] = await session.query('SELECT database() AS d');
  // Lock names are global on the server and limited to 64 characters.
  const name = `lintel_${createHash('sha256').update(String(row?.['d'])).digest('hex').slice(0, 40)}`;
  await session.query(`SELECT GET_LOCK('${name}', ${EVER}) AS l`);
  return async () => {
    await session.query(`SELECT RELEASE_LOCK('${name}') AS l`);
  };
}

function flavourOf(mariadb: boolean): Flavour {
  const collations = collationsOf(mariadb);
  return {
    transactional: false,
    introspect: (session, tables) => introspect(session, tables, mariadb),
    shape: (_, known) => shapeOf(known, collations),
    settle,
    write: (changes) => Promise.resolve(writeDdl(changes, collations.exact)),
    quote,
    lock: (session) => lock(session, mariadb),
    isDuplicate: (cause) => DUPLICATE.has(asError(cause).errno),
    isAway: (cause) => isLost(cause),
    clean,
  };
}

const FLAVOURS = { mysql: flavourOf(false), mariadb: flavourOf(true) };

async function flavour(session: Session): Promise<Flavour> {
  const [row] = await session.query('SELECT version() AS v');
  return /mariadb/i.test(String(row?.['v'])) ? FLAVOURS.mariadb : FLAVOURS.mysql;
}

/** Settings made by a migration must end with its session. */
export const mysqlMigrated = (withSession: WithSession, store: string): Migrated => ({ withSession, flavour, store });

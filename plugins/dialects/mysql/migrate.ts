/**
 * Migrates MySQL and MariaDB. Changes cannot be undone there: they are made one by one under a server lock, and a
 * second run completes them.
 */
import { createHash } from 'node:crypto';
import type { TableChange, MigrationPlan, PlanWarning } from '../shared/changes.js';
import type { Flavour, MigrationTarget } from '../shared/migration-types.js';
import type { MigrationSession, WithSession } from '../shared/session.js';
import { quoteMysqlName, writeMysqlDdl } from './ddl.js';
import { isMysqlConnectionLost } from './errors.js';
import { introspectMysql } from './introspect.js';
import { getCollations, createTypeMapping } from './type-mapping.js';

interface DriverError {
  readonly errno?: unknown;
  readonly code?: unknown;
  readonly sqlState?: unknown;
}
const asError = (cause: unknown): DriverError => (typeof cause === 'object' && cause !== null ? cause : {});

const DUPLICATE: ReadonlySet<unknown> = new Set([1062, 1586]);

/** The server's message may quote a value of a row. */
function sanitizeDriverError(cause: unknown): unknown {
  const { errno, code, sqlState } = asError(cause);
  if (!(cause instanceof Error) || typeof errno !== 'number' || errno <= 0) return cause;
  const quotes = DUPLICATE.has(errno) || String(sqlState).startsWith('22');
  return Object.assign(new Error(quotes ? `database error ${errno}` : cause.message), {
    name: 'DatabaseError',
    errno,
    code,
  });
}

/** By warnings, because the server validates all rows immediately. */
async function removeViolatedChecks(session: MigrationSession, plan: MigrationPlan): Promise<MigrationPlan> {
  const changes: TableChange[] = [];
  const warnings: PlanWarning[] = [...plan.warnings];
  const fresh = new Set(plan.changes.flatMap((one) => (one.change === 'create-table' ? [one.table] : [])));
  const added = new Set(
    plan.changes.flatMap((one) => (one.change === 'add-column' ? [`${one.table} ${one.column.name}`] : [])),
  );
  for (const one of plan.changes) {
    const isNew = fresh.has(one.table) || (one.change === 'add-length' && added.has(`${one.table} ${one.column}`));
    const count = one.change === 'add-length' && !isNew ? await countLongerValues(session, one) : 0;
    if (count === 0 || one.change !== 'add-length') {
      changes.push(one);
      continue;
    }
    const message = `${count} value${count === 1 ? ' is' : 's are'} longer than ${one.length} characters: no check is added while they are there`;
    warnings.push({ table: one.table, column: one.column, message, serious: true });
  }
  return { changes, warnings };
}

async function countLongerValues(
  session: MigrationSession,
  { table, column, length }: TableChange & { change: 'add-length' },
): Promise<number> {
  const sql = `SELECT count(*) AS n FROM ${quoteMysqlName(table)} WHERE char_length(${quoteMysqlName(column)}) > ${length}`;
  return Number((await session.query(sql))[0]?.['n'] ?? 0);
}

/** A year in seconds: MariaDB has no infinite timeout. */
const EVER = 31_536_000;

async function lock(session: MigrationSession, mariadb: boolean): Promise<void> {
  // Building an index or waiting for a process takes longer than requests.
  await session.query(`SET SESSION ${mariadb ? 'max_statement_time' : 'max_execution_time'} = 0`);
  await session.query(`SET SESSION lock_wait_timeout = ${EVER}`);
  const [row] = await session.query('SELECT database() AS d');
  // Global on the server, with at most 64 characters.
  const name = `lintel_${createHash('sha256').update(String(row?.['d'])).digest('hex').slice(0, 40)}`;
  await session.query(`SELECT GET_LOCK('${name}', ${EVER}) AS l`);
}

function createFlavour(mariadb: boolean): Flavour {
  const collations = getCollations(mariadb);
  return {
    transactional: false,
    introspect: (session, tables) => introspectMysql(session, tables, mariadb),
    mapTypes: (_, known) => createTypeMapping(known, collations),
    removeViolatedChecks,
    write: (changes) => Promise.resolve(writeMysqlDdl(changes, collations.exact)),
    quote: quoteMysqlName,
    placeholder: () => '?',
    lock: (session) => lock(session, mariadb),
    isDuplicate: (cause) => DUPLICATE.has(asError(cause).errno),
    isUnavailable: (cause) => isMysqlConnectionLost(cause),
    sanitizeError: sanitizeDriverError,
  };
}

const FLAVOURS = { mysql: createFlavour(false), mariadb: createFlavour(true) };

async function detectFlavour(session: MigrationSession): Promise<Flavour> {
  const [row] = await session.query('SELECT version() AS v');
  return /mariadb/i.test(String(row?.['v'])) ? FLAVOURS.mariadb : FLAVOURS.mysql;
}

/** Settings made by a migration must end with its session. */
export const createMysqlTarget = (withSession: WithSession, store: string, isReplica = false): MigrationTarget => ({
  withSession,
  flavour: detectFlavour,
  store,
  isReplica,
});

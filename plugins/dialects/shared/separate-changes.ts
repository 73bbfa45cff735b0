/**
 * Changes tables in use on a PostgreSQL server without blocking others, by `CONCURRENTLY` and NOT VALID. Interrupted
 * changes are repeated.
 */
import { setTimeout } from 'node:timers/promises';
import type { TableChange } from './changes.js';
import { getSqlState } from './errors.js';
import type { MigrationSession } from './session.js';
import { quoteSqlName } from '../../queries/sql/text/quotes.js';

/** Short, because other sessions queue behind a waiting ALTER TABLE. */
export const LOCK_WAIT = "SET lock_timeout = '1s'";
export const LOCK_WAIT_LOCAL = "SET LOCAL lock_timeout = '1s'";
const LOCK_TRIES = 8;
/** Milliseconds between attempts, and between checks of another build. */
const PAUSE = 400;

/** The lock timeout expired, or a deadlock was ended: another attempt can succeed. */
export const isLocked = (error: unknown): boolean => /^(?:55P03|40P01)$/.test(getSqlState(error));

export async function retryWhileLocked<T>(locked: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (error) {
      if (!locked(error) || tried === LOCK_TRIES) throw error;
      await setTimeout(PAUSE);
    }
  }
}

/** Made outside the transaction when the table existed before. */
const APART: ReadonlySet<TableChange['change']> = new Set([
  'add-index',
  'add-unique',
  'add-search',
  'add-foreign',
] as const);

/** Marks such changes and moves them after all others. */
export function markSeparate(changes: readonly TableChange[]): TableChange[] {
  const made = new Set(changes.flatMap(({ change, table }) => (change === 'create-table' ? [table] : [])));
  const isApart = (one: TableChange): boolean =>
    (!made.has(one.table) && (APART.has(one.change) || (one.change === 'set-nullable' && !one.nullable))) ||
    // One of those changes may make the referenced column unique.
    (one.change === 'add-foreign' && !made.has(one.target.table));
  const isAny = changes.some(isApart);
  // Data is dropped only after everything else has succeeded.
  const marked = changes.map((one): TableChange =>
    isApart(one) || (isAny && one.change === 'drop-column') ? { ...one, separate: true } : one,
  );
  return [...marked.filter(({ separate }) => separate !== true), ...marked.filter(({ separate }) => separate === true)];
}

/** `undo` removes what a failure leaves. */
export function createSeparateStatements(change: TableChange): {
  readonly statements: readonly string[];
  readonly undo: string | null;
} {
  const on = quoteSqlName(change.table);
  switch (change.change) {
    case 'add-index':
    case 'add-search':
    case 'add-unique': {
      const unique = change.change === 'add-unique';
      const columns = (unique ? change.columns : [change.column]).map(quoteSqlName).join(', ');
      const what = change.change === 'add-search' ? `using gin (to_tsvector('english', ${columns}))` : `(${columns})`;
      const statement = `create ${unique ? 'unique ' : ''}index concurrently ${quoteSqlName(change.name)} on ${on} ${what}`;
      return { statements: [statement], undo: `drop index concurrently if exists ${quoteSqlName(change.name)}` };
    }
    case 'add-foreign': {
      const { column, table } = change.target;
      const key = `foreign key (${quoteSqlName(change.column)}) references ${quoteSqlName(table)} (${quoteSqlName(column)})`;
      return createCheckedConstraint(on, change.name, key, []);
    }
    case 'set-nullable': {
      const column = quoteSqlName(change.column.name);
      const name = `${change.column.name}_required`;
      const after = [`alter column ${column} set not null`, `drop constraint ${quoteSqlName(name)}`];
      return createCheckedConstraint(on, name, `check (${column} is not null)`, after);
    }
    case 'drop-column':
      return { statements: [`alter table ${on} drop column ${quoteSqlName(change.column)}`], undo: null };
    default:
      throw new Error(`${change.change} is not made apart`);
  }
}

/** Existing rows are validated without blocking writes. */
function createCheckedConstraint(on: string, name: string, constraint: string, after: readonly string[]) {
  const words = [
    `add constraint ${quoteSqlName(name)} ${constraint} not valid`,
    `validate constraint ${quoteSqlName(name)}`,
    ...after,
  ];
  return {
    statements: words.map((text) => `alter table ${on} ${text}`),
    undo: `alter table ${on} drop constraint if exists ${quoteSqlName(name)}`,
  };
}

/** A row that violates the change; null: unknown beforehand. */
function createViolationQuery(change: TableChange): string | null {
  const on = quoteSqlName(change.table);
  if (change.change === 'add-unique') {
    const columns = change.columns.map(quoteSqlName);
    const given = columns.map((column) => `${column} IS NOT NULL`).join(' AND ');
    return `SELECT 1 FROM ${on} WHERE ${given} GROUP BY ${columns.join(', ')} HAVING count(*) > 1 LIMIT 1`;
  }
  if (change.change === 'add-foreign') {
    const { table, column } = change.target;
    const [mine, theirs] = [`x.${quoteSqlName(change.column)}`, `y.${quoteSqlName(column)}`];
    const there = `EXISTS (SELECT FROM ${quoteSqlName(table)} y WHERE ${theirs} = ${mine})`;
    return `SELECT 1 FROM ${on} x WHERE ${mine} IS NOT NULL AND NOT ${there} LIMIT 1`;
  }
  if (change.change !== 'set-nullable' || change.nullable) return null;
  return `SELECT 1 FROM ${on} WHERE ${quoteSqlName(change.column.name)} IS NULL LIMIT 1`;
}

/** False for columns and tables that do not exist yet. */
export async function isViolatedByRows(session: MigrationSession, change: TableChange): Promise<boolean> {
  const text = change.separate === true ? createViolationQuery(change) : null;
  if (text === null) return false;
  await session.query('SET statement_timeout = 0');
  return session.query(text).then(
    (rows) => rows.length > 0,
    (error: unknown) => {
      if (getSqlState(error).startsWith('42')) return false;
      throw error;
    },
  );
}

export async function applySeparateChange(
  session: MigrationSession,
  change: TableChange,
  onStatement: (sql: string) => void,
): Promise<void> {
  const { statements, undo } = createSeparateStatements(change);
  const run = (sql: string): Promise<void> =>
    retryWhileLocked(isLocked, async () => {
      await session.query(sql);
      onStatement(sql);
    });
  await session.query('SET statement_timeout = 0');
  try {
    if ('name' in change && change.change !== 'add-foreign') await buildIndex(session, change.name, statements, run);
    else await runAll(session, statements, run);
  } catch (error) {
    await session.query('SET lock_timeout = 0').catch(() => undefined);
    if (undo !== null) await session.query(undo).catch(() => undefined);
    throw error;
  }
}

async function runAll(
  session: MigrationSession,
  statements: readonly string[],
  run: (sql: string) => Promise<void>,
): Promise<void> {
  await session.query(LOCK_WAIT);
  for (const sql of statements) {
    try {
      await run(sql);
    } catch (error) {
      // Another process or an interrupted run has created it.
      if (getSqlState(error) !== '42710') throw error;
    }
  }
}

/** No row: no such index. `building`: in another session. */
const STATE = `SELECT i.indisvalid AS valid, EXISTS (SELECT FROM pg_catalog.pg_stat_progress_create_index p
    WHERE p.relid = i.indrelid AND p.pid <> pg_backend_pid()) AS building
  FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
  JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
  WHERE s.nspname = current_schema() AND c.relname = $1`;

async function buildIndex(
  session: MigrationSession,
  name: string,
  statements: readonly string[],
  run: (sql: string) => Promise<void>,
): Promise<void> {
  // A concurrent build waits, and blocks no other session.
  await session.query('SET lock_timeout = 0');
  for (;;) {
    const [state] = await session.query(STATE, [name]);
    if (state?.['valid'] === true) return;
    if (state?.['building'] === true) {
      await setTimeout(PAUSE);
      continue;
    }
    // Of an interrupted build: unused, but updated by every write.
    if (state !== undefined) await run(`drop index concurrently if exists ${quoteSqlName(name)}`);
    try {
      for (const sql of statements) await run(sql);
      return;
    } catch (error) {
      // Another process was faster.
      if (getSqlState(error) !== '42P07') throw error;
    }
  }
}

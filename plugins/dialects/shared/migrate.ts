/**
 * Brings a database to the shape of the models: look, plan, and only when something is missing lock, look again and
 * change, all in one transaction. Two processes that start together meet at the lock; the second finds nothing to do.
 */
import { Fault, fault } from '../../../kernel/contract/fault.js';
import type { MigrationOutline, MigrationProgress } from '../../../kernel/contract/migration.js';
import type { ModelTable } from '../../../kernel/contract/model.js';
import type { Log } from '../../../kernel/contract/plugin.js';
import { arrayLiteral } from './arrays.js';
import { sqlState, toFault } from './errors.js';
import { introspect } from './introspect.js';
import { outlineOf, stepOf } from './outline.js';
import { planMigration } from './plan.js';
import type { Change, MigrationPlan } from './plan.js';
import type { Session, WithSession } from './session.js';

/** Any number, as long as every process of this product takes the same one. */
const LOCK = '7306089142510571';

async function look(session: Session, tables: readonly ModelTable[]): Promise<MigrationPlan> {
  const names = arrayLiteral(
    tables.map(({ table }) => table),
    (name) => String(name),
  );
  return planMigration(tables, await introspect(session, names));
}

/** Who migrates, and who hears of it. */
export interface Migrating {
  /** Name of the connection. */
  readonly store: string;
  readonly log: Log;
  readonly progress?: MigrationProgress | undefined;
}

async function change(session: Session, tables: readonly ModelTable[], who: Migrating): Promise<void> {
  const { log, store, progress } = who;
  // Deadlines of requests do not fit here: an index on a large table takes its time, and so may the other process.
  await session.query('SET LOCAL statement_timeout = 0');
  await session.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
  const { changes } = await look(session, tables);
  if (changes.length === 0) return;
  const { writeDdl } = await import('./ddl.js');
  for (const [index, one] of changes.entries()) {
    progress?.(stepOf(store, one), index + 1, changes.length);
    for (const { table, sql } of await writeDdl([one])) {
      try {
        await session.query(sql);
      } catch (cause) {
        throw refusal(one, cause);
      }
      log.debug({ table, sql }, 'migration');
    }
  }
  const changed = [...new Set(changes.map(({ table }) => table))];
  log.info({ tables: changed, changes: changes.length }, 'tables brought to the shape of the models');
}

/** Rows that are there already can stand against a unique index. */
function refusal(change: Change, cause: unknown): Fault {
  const { table } = change;
  if (change.change !== 'add-unique' || sqlState(cause) !== '23505')
    return fault('QRY_MIGRATION', { table }, { cause });
  const params = { table, columns: change.columns.join(', ') };
  return fault('QRY_DUPLICATES', params, { cause: toFault(cause).options.cause });
}

/** True when the database was changed. Throws QRY_MIGRATION or QRY_DUPLICATES, never what a driver throws. */
export async function migrate(
  withSession: WithSession,
  tables: readonly ModelTable[],
  who: Migrating,
): Promise<boolean> {
  if (tables.length === 0) return false;
  try {
    const { changes, warnings } = await withSession((session) => look(session, tables));
    for (const { message, ...place } of warnings) who.log.warn(place, message);
    if (changes.length === 0) return false;
    await withSession((session) => change(session, tables, who));
    return true;
  } catch (cause) {
    if (cause instanceof Fault && /^QRY_(?:MIGRATION|DUPLICATES)$/.test(cause.code)) throw cause;
    throw fault('QRY_MIGRATION', { table: tables.map(({ table }) => table).join(', ') }, { cause });
  }
}

/** What `migrate` would do now. Reads only. */
export async function outline(
  withSession: WithSession,
  tables: readonly ModelTable[],
  store: string,
): Promise<MigrationOutline> {
  if (tables.length === 0) return { steps: [], warnings: [] };
  try {
    return await outlineOf(store, await withSession((session) => look(session, tables)));
  } catch (cause) {
    throw fault('QRY_MIGRATION', { table: tables.map(({ table }) => table).join(', ') }, { cause });
  }
}

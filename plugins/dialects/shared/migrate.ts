/**
 * Brings a database to the shape of the models: look, plan, and only when something is missing lock, look again and
 * change, all in one transaction. Two processes that start together meet at the lock; the second finds nothing to do.
 */
import { Fault, fault } from '../../../kernel/contract/fault.js';
import type { ModelTable } from '../../../kernel/contract/model.js';
import type { Log } from '../../../kernel/contract/plugin.js';
import { arrayLiteral } from './arrays.js';
import { sqlState, toFault } from './errors.js';
import { introspect } from './introspect.js';
import { planMigration } from './plan.js';
import type { MigrationPlan } from './plan.js';
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

async function change(session: Session, tables: readonly ModelTable[], log: Log): Promise<void> {
  // Deadlines of requests do not fit here: an index on a large table takes its time, and so may the other process.
  await session.query('SET LOCAL statement_timeout = 0');
  await session.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
  const { changes } = await look(session, tables);
  if (changes.length === 0) return;
  const { writeDdl } = await import('./ddl.js');
  for (const { table, sql, change: made } of await writeDdl(changes)) {
    try {
      await session.query(sql);
    } catch (cause) {
      if (made.change !== 'add-unique' || sqlState(cause) !== '23505')
        throw fault('QRY_MIGRATION', { table }, { cause });
      throw fault(
        'QRY_DUPLICATES',
        { table, columns: made.columns.join(', ') },
        { cause: toFault(cause).options.cause },
      );
    }
    log.debug({ table, sql }, 'migration');
  }
  const changed = [...new Set(changes.map(({ table }) => table))];
  log.info({ tables: changed, changes: changes.length }, 'tables brought to the shape of the models');
}

/** True when the database was changed. Throws QRY_MIGRATION or QRY_DUPLICATES, never what a driver throws. */
export async function migrate(withSession: WithSession, tables: readonly ModelTable[], log: Log): Promise<boolean> {
  if (tables.length === 0) return false;
  try {
    const { changes, warnings } = await withSession((session) => look(session, tables));
    for (const { message, ...place } of warnings) log.warn(place, message);
    if (changes.length === 0) return false;
    await withSession((session) => change(session, tables, log));
    return true;
  } catch (cause) {
    if (cause instanceof Fault && /^QRY_(?:MIGRATION|DUPLICATES)$/.test(cause.code)) throw cause;
    throw fault('QRY_MIGRATION', { table: tables.map(({ table }) => table).join(', ') }, { cause });
  }
}

/**
 * Migrates a database to the models: introspect and plan; only if something is missing, lock, plan again and change. Changes are
 * one transaction where possible, except those of `apart.ts`; otherwise a second run completes an interrupted migration.
 */
import { Fault, fault } from '../../../contract/fault.js';
import type { MigrationHow, MigrationOutline, MigrationProgress } from '../../../contract/migration.js';
import type { ModelTable } from '../../../contract/model.js';
import type { Log } from '../../../contract/plugin.js';
import { patiently, setApart } from './apart.js';
import type { Change, MigrationPlan, PlanWarning } from './changes.js';
import type { Flavour, KnownTables } from './known.js';
import { outlineOf, stepOf } from './outline.js';
import { planMigration } from './plan.js';
import { runScripts, scriptOutline, scriptsLeft } from './scripts.js';
import type { Session, WithSession } from './session.js';

export interface Migrated {
  readonly withSession: WithSession;
  /** Sessions without a transaction, for databases in use during a migration. */
  readonly outside?: WithSession;
  readonly flavour: (session: Session) => Promise<Flavour> | Flavour;
  readonly store: string;
}

export interface Migrating {
  readonly log: Log;
  readonly progress?: MigrationProgress | undefined;
  readonly how?: MigrationHow | undefined;
}

async function look(
  session: Session,
  flavour: Flavour,
  tables: readonly ModelTable[],
  how: MigrationHow | undefined,
  isInUse: boolean,
): Promise<MigrationPlan> {
  const known = await flavour.introspect(session, tables);
  const plan = planMigration(tables, known, flavour.shape(tables, known), how?.destroy === true);
  const warnings = [...plan.warnings, ...(await unindexed(session, flavour, tables, known))];
  const changes = isInUse ? setApart(plan.changes) : plan.changes;
  return flavour.settle(session, { changes, warnings });
}

/** Encrypted values written before the column had a blind index have none. */
async function unindexed(
  session: Session,
  { quote }: Flavour,
  tables: readonly ModelTable[],
  known: KnownTables,
): Promise<PlanWarning[]> {
  const found: PlanWarning[] = [];
  for (const { table, columns } of tables) {
    const there = known.get(table);
    for (const { name, blindOf } of columns) {
      if (blindOf === undefined || there?.table !== true || !there.columns.has(blindOf)) continue;
      const lacks = there.columns.has(name) ? ` AND ${quote(name)} IS NULL` : '';
      const rows = await session.query(
        `SELECT 1 FROM ${quote(table)} WHERE ${quote(blindOf)} IS NOT NULL${lacks} LIMIT 1`,
      );
      if (rows.length === 0) continue;
      const message = `rows that are there have no index: none is found by "${blindOf}" until it is written again (docs/migrating.md, "Rows that are encrypted already")`;
      found.push({ table, column: name, message, serious: true });
    }
  }
  return found;
}

async function change(
  session: Session,
  flavour: Flavour,
  { store, outside }: Migrated,
  tables: readonly ModelTable[],
  who: Migrating,
): Promise<readonly Change[]> {
  const unlock = await flavour.lock(session);
  try {
    const { changes } = await look(session, flavour, tables, who.how, outside !== undefined);
    for (const [index, one] of changes.entries()) {
      if (one.apart === true) break;
      who.progress?.(stepOf(store, one), index + 1, changes.length);
      const outcome = outcomeOf(flavour, index, changes.length);
      await make(session, flavour, one, who.log, outcome);
    }
    return changes;
  } finally {
    await unlock().catch(() => undefined);
  }
}

/** All changes in one transaction, retried while another session holds a lock; then those marked `apart`. */
async function changeAll(
  migrated: Migrated,
  flavour: Flavour,
  planned: readonly Change[],
  tables: readonly ModelTable[],
  who: Migrating,
): Promise<void> {
  const { withSession, outside, store } = migrated;
  await outside?.(async (session) => {
    for (const one of planned)
      if ((await flavour.isRefusedByRows?.(session, one)) === true)
        throw refusal(flavour, one, new Error('rows that are there stand against it'), 'Nothing was changed.', true);
  });
  const isLockedOut = (error: unknown): boolean =>
    error instanceof Fault && flavour.isLocked?.(error.options.cause) === true;
  const changes = await patiently(isLockedOut, () =>
    withSession((session) => change(session, flavour, migrated, tables, who)),
  );
  for (const [index, one] of changes.entries()) {
    if (one.apart !== true || outside === undefined) continue;
    who.progress?.(stepOf(store, one), index + 1, changes.length);
    await outside(async (session) => {
      const said = (sql: string): void => who.log.debug({ table: one.table, sql }, 'migration');
      await flavour.apart?.(session, one, said).catch((cause: unknown) => {
        throw refusal(flavour, one, cause, outcomeOf({ transactional: false }, index, changes.length));
      });
    });
  }
  if (changes.length === 0) return;
  const changed = [...new Set(changes.map(({ table }) => table))];
  who.log.info({ tables: changed, changes: changes.length }, 'tables brought to the shape of the models');
}

const outcomeOf = ({ transactional }: Pick<Flavour, 'transactional'>, done: number, of: number): string =>
  transactional || done === 0
    ? 'Nothing was changed.'
    : `${done} of ${of} changes were made and stay; the rest was left undone.`;

async function make(session: Session, flavour: Flavour, one: Change, log: Log, outcome: string): Promise<void> {
  for (const { table, sql } of await flavour.write([one])) {
    try {
      await session.query(sql);
    } catch (cause) {
      throw refusal(flavour, one, cause, outcome);
    }
    log.debug({ table, sql }, 'migration');
  }
}

/** Existing rows can violate a unique index. */
function refusal(flavour: Flavour, change: Change, cause: unknown, outcome: string, byRows = false): Fault {
  const { table } = change;
  const clean = flavour.clean(cause);
  if (flavour.isLocked?.(cause) === true) {
    const locked = `${outcome} Another session holds a lock on the table: a transaction that is open, or a dump.`;
    return fault('QRY_MIGRATION', { table, outcome: locked }, { cause: clean, retryable: true });
  }
  if (change.change !== 'add-unique' || !(byRows || flavour.isDuplicate(cause)))
    return fault('QRY_MIGRATION', { table, outcome }, { cause: clean, retryable: flavour.isAway(cause) });
  return fault('QRY_DUPLICATES', { table, columns: change.columns.join(', ') }, { cause: clean });
}

/** Converts all errors except the Faults of a migration. */
async function guarded<T>(
  tables: readonly ModelTable[],
  at: { flavour?: Flavour },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Fault && /^QRY_(?:MIGRATION|DUPLICATES|SCRIPT)$/.test(cause.code)) throw cause;
    const table = tables.map((one) => one.table).join(', ');
    const away = cause instanceof Fault ? cause.code === 'QRY_UNAVAILABLE' : at.flavour?.isAway(cause) === true;
    throw fault('QRY_MIGRATION', { table }, { cause, retryable: away });
  }
}

/** True when the database was changed. Throws only QRY_MIGRATION, QRY_DUPLICATES or QRY_SCRIPT. */
export async function migrate(migrated: Migrated, tables: readonly ModelTable[], who: Migrating): Promise<boolean> {
  const { withSession, outside, flavour: find } = migrated;
  const { scripts = [] } = who.how ?? {};
  if (tables.length === 0 && scripts.length === 0) return false;
  const at: { flavour?: Flavour } = {};
  return guarded(tables, at, async () => {
    const { changes, warnings, flavour } = await withSession(async (session) => {
      const found = (at.flavour = await find(session));
      return { ...(await look(session, found, tables, who.how, outside !== undefined)), flavour: found };
    });
    for (const { message, serious, ...place } of warnings) if (serious) who.log.warn(place, message);
    if (changes.length > 0) await changeAll(migrated, flavour, changes, tables, who);
    const ran = await runScripts(migrated, scripts, who);
    return ran || changes.length > 0;
  });
}

/** Reads only. */
export async function outline(
  { withSession, outside, flavour: find, store }: Migrated,
  tables: readonly ModelTable[],
  how?: MigrationHow,
): Promise<MigrationOutline> {
  const { scripts = [] } = how ?? {};
  if (tables.length === 0 && scripts.length === 0) return { steps: [], warnings: [] };
  const at: { flavour?: Flavour } = {};
  return guarded(tables, at, () =>
    withSession(async (session) => {
      const flavour = (at.flavour = await find(session));
      const shown = await outlineOf(
        session,
        flavour,
        store,
        await look(session, flavour, tables, how, outside !== undefined),
      );
      const more = scriptOutline(store, await scriptsLeft(session, flavour, scripts));
      return { steps: [...shown.steps, ...more.steps], warnings: [...shown.warnings, ...more.warnings] };
    }),
  );
}

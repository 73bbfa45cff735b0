/**
 * Migrates a database to the models: plan; only if something is missing, lock, plan again and change. One transaction
 * where possible, except `separate-changes.ts`; otherwise a second run completes it.
 */
import { Fault, createFault } from '../../../contract/fault.js';
import type { MigrationOptions, MigrationOutline } from '../../../contract/migration.js';
import type { ModelTable } from '../../../contract/model.js';
import type { Log } from '../../../contract/plugin.js';
import { retryWhileLocked, markSeparate } from './separate-changes.js';
import type { TableChange, MigrationPlan, PlanWarning } from './changes.js';
import type { Flavour, KnownTables, MigrationTarget, MigrationContext } from './migration-types.js';
import { createOutline, toMigrationStep } from './outline.js';
import { planMigration } from './plan.js';
import { runScripts, createScriptOutline, findPendingScripts } from './scripts.js';
import type { MigrationSession } from './session.js';

async function planChanges(
  session: MigrationSession,
  flavour: Flavour,
  tables: readonly ModelTable[],
  how: MigrationOptions | undefined,
  isInUse: boolean,
): Promise<MigrationPlan> {
  const known = await flavour.introspect(session, tables);
  const plan = planMigration(tables, known, flavour.mapTypes(tables, known), how?.destroy === true);
  const warnings = [...plan.warnings, ...(await findUnindexed(session, flavour, tables, known))];
  const changes = isInUse ? markSeparate(plan.changes) : plan.changes;
  return flavour.removeViolatedChecks(session, { changes, warnings });
}

/** Written before the column had a blind index. */
async function findUnindexed(
  session: MigrationSession,
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

async function changeTables(
  session: MigrationSession,
  flavour: Flavour,
  { store, withoutTransaction }: MigrationTarget,
  tables: readonly ModelTable[],
  context: MigrationContext,
): Promise<readonly TableChange[]> {
  await flavour.lock(session);
  const { changes } = await planChanges(session, flavour, tables, context.how, withoutTransaction !== undefined);
  for (const [index, one] of changes.entries()) {
    if (one.separate === true) break;
    context.progress?.(toMigrationStep(store, one), index + 1, changes.length);
    const outcome = describeOutcome(flavour, index, changes.length);
    await applyChange(session, flavour, one, context.log, outcome);
  }
  return changes;
}

/** In one transaction, retried while another session holds a lock; then the separate ones. */
async function runChanges(
  migrated: MigrationTarget,
  flavour: Flavour,
  planned: readonly TableChange[],
  tables: readonly ModelTable[],
  context: MigrationContext,
): Promise<void> {
  const { withSession, withoutTransaction, store } = migrated;
  await withoutTransaction?.(async (session) => {
    for (const one of planned)
      if ((await flavour.isViolatedByRows?.(session, one)) === true)
        throw createMigrationFault(
          flavour,
          one,
          new Error('rows that are there stand against it'),
          'Nothing was changed.',
          true,
        );
  });
  const isLockedOut = (error: unknown): boolean =>
    error instanceof Fault && flavour.isLocked?.(error.options.cause) === true;
  const changes = await retryWhileLocked(isLockedOut, () =>
    withSession((session) => changeTables(session, flavour, migrated, tables, context)),
  );
  for (const [index, one] of changes.entries()) {
    if (one.separate !== true || withoutTransaction === undefined) continue;
    context.progress?.(toMigrationStep(store, one), index + 1, changes.length);
    await withoutTransaction(async (session) => {
      const logStatement = (sql: string): void => context.log.debug({ table: one.table, sql }, 'migration');
      await flavour.applySeparately?.(session, one, logStatement).catch((cause: unknown) => {
        throw createMigrationFault(
          flavour,
          one,
          cause,
          describeOutcome({ transactional: false }, index, changes.length),
        );
      });
    });
  }
  if (changes.length === 0) return;
  const changed = [...new Set(changes.map(({ table }) => table))];
  context.log.info({ tables: changed, changes: changes.length }, 'tables migrated');
}

const describeOutcome = ({ transactional }: Pick<Flavour, 'transactional'>, done: number, of: number): string =>
  transactional || done === 0
    ? 'Nothing was changed.'
    : `${done} of ${of} changes were made and stay; the rest was left undone.`;

async function applyChange(
  session: MigrationSession,
  flavour: Flavour,
  one: TableChange,
  log: Log,
  outcome: string,
): Promise<void> {
  for (const { table, sql } of await flavour.write([one])) {
    try {
      await session.query(sql);
    } catch (cause) {
      throw createMigrationFault(flavour, one, cause, outcome);
    }
    log.debug({ table, sql }, 'migration');
  }
}

/** Existing rows can violate a unique index. */
function createMigrationFault(
  flavour: Flavour,
  change: TableChange,
  cause: unknown,
  outcome: string,
  byRows = false,
): Fault {
  const { table } = change;
  const clean = flavour.sanitizeError(cause);
  if (flavour.isLocked?.(cause) === true) {
    const locked = `${outcome} Another session holds a lock on the table: a transaction that is open, or a dump.`;
    return createFault('QRY_MIGRATION', { table, outcome: locked }, { cause: clean, retryable: true });
  }
  if (change.change !== 'add-unique' || !(byRows || flavour.isDuplicate(cause)))
    return createFault('QRY_MIGRATION', { table, outcome }, { cause: clean, retryable: flavour.isUnavailable(cause) });
  return createFault('QRY_DUPLICATES', { table, columns: change.columns.join(', ') }, { cause: clean });
}

/** Converts all errors except the Faults of a migration. */
async function withMigrationFault<T>(
  tables: readonly ModelTable[],
  at: { flavour?: Flavour },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Fault && /^QRY_(?:MIGRATION|DUPLICATES|REPLICA|SCRIPT)$/.test(cause.code)) throw cause;
    const table = tables.map((one) => one.table).join(', ');
    const unavailable =
      cause instanceof Fault ? cause.code === 'QRY_UNAVAILABLE' : at.flavour?.isUnavailable(cause) === true;
    throw createFault('QRY_MIGRATION', { table }, { cause, retryable: unavailable });
  }
}

/** True for changes. Throws QRY_MIGRATION, QRY_DUPLICATES, QRY_REPLICA or QRY_SCRIPT. */
export async function migrate(
  migrated: MigrationTarget,
  tables: readonly ModelTable[],
  context: MigrationContext,
): Promise<boolean> {
  const { withSession, withoutTransaction, flavour: find } = migrated;
  const { scripts = [] } = context.how ?? {};
  if (tables.length === 0 && scripts.length === 0) return false;
  const at: { flavour?: Flavour } = {};
  return withMigrationFault(tables, at, async () => {
    const { changes, warnings, flavour } = await withSession(async (session) => {
      const found = (at.flavour = await find(session));
      return {
        ...(await planChanges(session, found, tables, context.how, withoutTransaction !== undefined)),
        flavour: found,
      };
    });
    for (const { message, serious, ...place } of warnings) if (serious) context.log.warn(place, message);
    if (migrated.isReplica === true) {
      const behind = [...new Set(changes.map(({ table }) => table))].join(', ');
      if (behind !== '') throw createFault('QRY_REPLICA', { tables: behind }, { retryable: true });
      return false;
    }
    if (changes.length > 0) await runChanges(migrated, flavour, changes, tables, context);
    const ran = await runScripts(migrated, scripts, context);
    return ran || changes.length > 0;
  });
}

/** Reads only. */
export async function outlineMigration(
  { withSession, withoutTransaction, flavour: find, store, isReplica }: MigrationTarget,
  tables: readonly ModelTable[],
  how?: MigrationOptions,
): Promise<MigrationOutline> {
  const { scripts = [] } = how ?? {};
  if (isReplica === true || (tables.length === 0 && scripts.length === 0)) return { steps: [], warnings: [] };
  const at: { flavour?: Flavour } = {};
  return withMigrationFault(tables, at, () =>
    withSession(async (session) => {
      const flavour = (at.flavour = await find(session));
      const shown = await createOutline(
        session,
        flavour,
        store,
        await planChanges(session, flavour, tables, how, withoutTransaction !== undefined),
      );
      const more = createScriptOutline(store, await findPendingScripts(session, flavour, scripts));
      return { steps: [...shown.steps, ...more.steps], warnings: [...shown.warnings, ...more.warnings] };
    }),
  );
}

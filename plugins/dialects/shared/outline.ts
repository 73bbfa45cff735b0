/** Describes a migration in text and statements. Changes nothing. */
import type { MigrationOutline, MigrationStep } from '../../../contract/migration.js';
import type { ModelColumn } from '../../../contract/model.js';
import { isDestructive, type TableChange, type MigrationPlan } from './changes.js';
import type { Flavour } from './migration-types.js';
import type { MigrationSession } from './session.js';

interface ChangeDescription {
  readonly change: string;
  readonly detail: string;
}

const describeColumn = ({ name, type, nullable }: ModelColumn): string =>
  `${name} ${type}${nullable ? ', optional' : ''}`;

function describeChange(change: TableChange): ChangeDescription {
  switch (change.change) {
    case 'create-table':
      return {
        change: 'create table',
        detail: change.columns.map(({ column: { name, type } }) => `${name} ${type}`).join(', '),
      };
    case 'add-column':
      return { change: 'add column', detail: describeColumn(change.column) };
    case 'add-index':
      return { change: 'add index', detail: change.column };
    case 'add-search':
      return { change: 'add search index', detail: change.column };
    case 'add-unique':
      return { change: 'add unique', detail: change.column };
    case 'add-length':
      return { change: 'add check', detail: `${change.column}: at most ${change.length} characters` };
    case 'add-foreign':
      return {
        change: 'add foreign key',
        detail: `${change.column} -> ${change.target.table}.${change.target.column}`,
      };
    case 'set-type':
      return { change: 'change type', detail: `${change.column.name}: ${change.from} -> ${change.type}` };
    case 'set-nullable':
      return { change: change.nullable ? 'allow null' : 'forbid null', detail: change.column.name };
    case 'drop-unique':
      return { change: 'drop unique', detail: `${change.column} (${change.name})` };
    case 'drop-foreign':
      return { change: 'drop foreign key', detail: `${change.column} (${change.name})` };
    case 'drop-length':
      return { change: 'drop check', detail: `${change.column} (${change.name})` };
    case 'drop-column':
      return { change: 'drop column', detail: change.column };
  }
}

export const toMigrationStep = (store: string, change: TableChange): Omit<MigrationStep, 'sql' | 'loses'> => ({
  store,
  table: change.table,
  ...describeChange(change),
  destructive: isDestructive(change),
});

/** How many values a change may lose; null: none. */
async function describeLoss(
  session: MigrationSession,
  { quote }: Flavour,
  change: TableChange,
): Promise<string | null> {
  const drops = change.change === 'drop-column';
  if (!drops && (change.change !== 'set-type' || change.exact)) return null;
  const column = drops ? change.column : change.column.name;
  const [row] = await session.query(`SELECT count(${quote(column)}) AS n FROM ${quote(change.table)}`);
  const count = Number(row?.['n'] ?? 0);
  const values = `${count} value${count === 1 ? '' : 's'}`;
  if (drops) return count === 0 ? 'no values' : values;
  return count === 0 ? null : `of ${values} what ${change.type} cannot hold; one that does not fit ends the change`;
}

export async function createOutline(
  session: MigrationSession,
  flavour: Flavour,
  store: string,
  { changes, warnings }: MigrationPlan,
): Promise<MigrationOutline> {
  const steps: MigrationStep[] = [];
  for (const change of changes) {
    const sql = (await flavour.write([change])).map((one) => one.sql);
    steps.push({ ...toMigrationStep(store, change), loses: await describeLoss(session, flavour, change), sql });
  }
  return {
    steps,
    warnings: warnings.map(({ table, column, message }) => ({ store, table, column: column ?? null, message })),
  };
}

/**
 * Compares models with existing tables and lists what is missing. Only adds by default; other differences become
 * warnings. Pure.
 */
import { createObjectName, warn, hasSameColumns, type TableDiff } from './table-diff.js';
import type { ModelColumn, ModelTable } from '../../../contract/model.js';
import { sortChanges, type TableChange, type MigrationPlan, type PlanWarning } from './changes.js';
import { compareTable } from './drift.js';
import type { KnownColumn, KnownTable, Misfit, KnownTables, TypeMapping } from './migration-types.js';

const listPrimaryKey = ({ columns }: ModelTable): string[] =>
  columns.filter(({ primaryKey }) => primaryKey).map(({ name }) => name);

function planColumn(part: TableDiff, column: ModelColumn): void {
  const { model, known, shape } = part;
  if (!known || known.columns.has(column.name)) return;
  part.changes.push({ change: 'add-column', table: model.table, column, type: shape.getType(model, column) });
  if (column.blindOf !== undefined) return;
  if (column.primaryKey)
    warn(part, column.name, 'column added, but the primary key of an existing table is left as it is');
  else if (!column.nullable && !column.autoIncrement) {
    const message =
      'required column added to an existing table: it allows NULL, because rows without a value may exist';
    warn(part, column.name, message);
  }
}

function isAble(part: TableDiff, column: ModelColumn, what: 'unique' | 'index' | 'search'): boolean {
  const reason = part.shape.explainUnsupported(column, what);
  if (reason !== null) warn(part, column.name, reason);
  return reason === null && part.unfit.get(column.name) !== 'all';
}

function planIndexes(part: TableDiff, column: ModelColumn): void {
  const { model, known } = part;
  const { table, uniques } = model;
  const indexes = known?.indexes ?? [];
  const lists = [known ? [] : listPrimaryKey(model), ...uniques, ...indexes.map((index) => index.columns)];
  const covered = lists.some(([first]) => first === column.name);
  if (column.index && !covered && isAble(part, column, 'index')) {
    const name = createObjectName(table, column.name, 'index');
    part.changes.push({ change: 'add-index', table, column: column.name, name });
  }
  const search = createObjectName(table, column.name, 'search');
  if (column.search && !indexes.some(({ name }) => name === search) && isAble(part, column, 'search')) {
    part.changes.push({ change: 'add-search', table, column: column.name, name: search });
  }
}

/** Column order is ignored. */
function planUniques(part: TableDiff): void {
  const { model, known } = part;
  const { table, uniques, columns } = model;
  for (const unique of uniques) {
    const exists = known?.indexes.some((index) => index.unique && hasSameColumns(index.columns, unique));
    if (exists === true || (!known && hasSameColumns(listPrimaryKey(model), unique))) continue;
    const involved = columns.filter(({ name }) => unique.includes(name));
    if (!involved.every((column) => isAble(part, column, 'unique'))) continue;
    const name = createObjectName(table, unique.join('_'), 'unique');
    part.changes.push({ change: 'add-unique', table, column: unique.join(', '), columns: unique, name });
  }
}

/** Columns of other tools: `varchar(50)`, `uuid`. Those of a migration take one more character than the check. */
const isBoundedByType = (there: KnownColumn, { maxLength }: ModelColumn, length: number): boolean =>
  there.length === null ? /^(?:enum|uuid)$/.test(there.type) : there.length <= Math.max(length, maxLength ?? 0);

function planLengthCheck(part: TableDiff, column: ModelColumn): void {
  const { model, known, shape } = part;
  const length = shape.getLengthLimit(model, column);
  const name = createObjectName(model.table, column.name, 'length');
  if (length === null || known?.constraints.some((constraint) => constraint.name === name) === true) return;
  const there = known?.columns.get(column.name);
  if (there && isBoundedByType(there, column, length)) return;
  part.changes.push({ change: 'add-length', table: model.table, column: column.name, name, length });
}

/** Tables of another connection cannot be referenced. */
function planForeignKey(part: TableDiff, column: ModelColumn): void {
  const { model, known, tables } = part;
  const target = column.references;
  if (
    !target ||
    (part.unfit.get(column.name) ?? 'nothing') !== 'nothing' ||
    !tables.some((one) => one.table === target.table)
  )
    return;
  const exists = known?.constraints.some(
    ({ type, columns }) => type === 'foreign' && columns.length === 1 && columns[0] === column.name,
  );
  if (exists === true) return;
  const name = createObjectName(model.table, column.name, 'foreign');
  part.changes.push({ change: 'add-foreign', table: model.table, column: column.name, name, target });
}

function findMisfits(model: ModelTable, known: KnownTable | undefined, shape: TypeMapping): TableDiff['unfit'] {
  return new Map(
    model.columns.flatMap((column) => {
      const there = known?.columns.get(column.name);
      const misfit = there === undefined ? null : shape.findMisfit(model, column, there);
      return misfit === null ? [] : [[column.name, misfit.blocks] as const];
    }),
  );
}

function planTable(part: TableDiff, destroy: boolean): void {
  const { model, known, shape } = part;
  const { table, columns } = model;
  if (known && !known.table) {
    warn(part, undefined, 'is no table (a view perhaps); it is left as it is');
    return;
  }
  if (!known) {
    const typed = columns.map((column) => ({ column, type: shape.getType(model, column) }));
    part.changes.push({ change: 'create-table', table, columns: typed });
  }
  for (const column of columns) {
    planColumn(part, column);
    planIndexes(part, column);
    planLengthCheck(part, column);
    planForeignKey(part, column);
  }
  planUniques(part);
  if (known) compareTable(part, known, destroy);
}

/** `destroy`: also removes or changes what differs from the models. */
export function planMigration(
  tables: readonly ModelTable[],
  known: KnownTables,
  shape: TypeMapping,
  destroy: boolean,
): MigrationPlan {
  const changes: TableChange[] = [];
  const warnings: PlanWarning[] = [];
  for (const model of tables) {
    const there = known.get(model.table);
    // Changing the type makes the indexes on the column possible.
    const unfit = destroy ? new Map<string, Misfit['blocks']>() : findMisfits(model, there, shape);
    planTable({ model, known: there, shape, tables, changes, warnings, unfit }, destroy);
  }
  return { changes: sortChanges(changes), warnings };
}

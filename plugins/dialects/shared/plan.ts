/**
 * Compares models with existing tables and lists what is missing. Only adds unless requested otherwise; other differences become
 * warnings. Pure.
 */
import { createHash } from 'node:crypto';
import type { ModelColumn, ModelTable } from '../../../contract/model.js';
import { inOrder, type Change, type MigrationPlan, type PlanWarning } from './changes.js';
import { driftOf } from './drift.js';
import type { KnownTable, Misfit, KnownTables, Shape } from './known.js';

/** At most 63 bytes; longer names end in a digest. */
export function objectName(table: string, column: string, suffix: string): string {
  const name = `${table}_${column}_${suffix}`;
  if (Buffer.byteLength(name) <= 63) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 10);
  return `${Buffer.from(name)
    .subarray(0, 40)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')}_${digest}_${suffix}`;
}

export interface Part {
  readonly model: ModelTable;
  readonly known: KnownTable | undefined;
  readonly shape: Shape;
  readonly tables: readonly ModelTable[];
  readonly changes: Change[];
  readonly warnings: PlanWarning[];
  /** Differing columns, with what cannot be built on them. */
  readonly unfit: ReadonlyMap<string, Misfit['blocks']>;
}

export const warn = (part: Part, column: string | undefined, message: string, serious = true): number =>
  part.warnings.push({ table: part.model.table, column, message, serious });

const keysOf = ({ columns }: ModelTable): string[] =>
  columns.filter(({ primaryKey }) => primaryKey).map(({ name }) => name);

function columnPart(part: Part, column: ModelColumn): void {
  const { model, known, shape } = part;
  if (!known || known.columns.has(column.name)) return;
  part.changes.push({ change: 'add-column', table: model.table, column, type: shape.typeOf(model, column) });
  if (column.blindOf !== undefined) return;
  if (column.primaryKey)
    warn(part, column.name, 'column added, but the primary key of an existing table is left as it is');
  else if (!column.nullable && !column.autoIncrement) {
    const message =
      'required column added to an existing table: it allows NULL, because rows without a value may exist';
    warn(part, column.name, message);
  }
}

function isAble(part: Part, column: ModelColumn, what: 'unique' | 'index' | 'search'): boolean {
  const reason = part.shape.cannot(column, what);
  if (reason !== null) warn(part, column.name, reason);
  return reason === null && part.unfit.get(column.name) !== 'all';
}

function indexPart(part: Part, column: ModelColumn): void {
  const { model, known } = part;
  const { table, uniques } = model;
  const indexes = known?.indexes ?? [];
  const lists = [known ? [] : keysOf(model), ...uniques, ...indexes.map((index) => index.columns)];
  const covered = lists.some(([first]) => first === column.name);
  if (column.index && !covered && isAble(part, column, 'index')) {
    const name = objectName(table, column.name, 'index');
    part.changes.push({ change: 'add-index', table, column: column.name, name });
  }
  const search = objectName(table, column.name, 'search');
  if (column.search && !indexes.some(({ name }) => name === search) && isAble(part, column, 'search')) {
    part.changes.push({ change: 'add-search', table, column: column.name, name: search });
  }
}

export const sameColumns = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name) => b.includes(name));

/** Column order is ignored. */
function uniquePart(part: Part): void {
  const { model, known } = part;
  const { table, uniques, columns } = model;
  for (const unique of uniques) {
    const exists = known?.indexes.some((index) => index.unique && sameColumns(index.columns, unique));
    if (exists === true || (!known && sameColumns(keysOf(model), unique))) continue;
    const involved = columns.filter(({ name }) => unique.includes(name));
    if (!involved.every((column) => isAble(part, column, 'unique'))) continue;
    const name = objectName(table, unique.join('_'), 'unique');
    part.changes.push({ change: 'add-unique', table, column: unique.join(', '), columns: unique, name });
  }
}

function lengthPart(part: Part, column: ModelColumn): void {
  const { model, known, shape } = part;
  const length = shape.bound(model, column);
  const name = objectName(model.table, column.name, 'length');
  if (length === null || known?.constraints.some((constraint) => constraint.name === name) === true) return;
  part.changes.push({ change: 'add-length', table: model.table, column: column.name, name, length });
}

/** Tables of another connection cannot be referenced. */
function foreignPart(part: Part, column: ModelColumn): void {
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
  const name = objectName(model.table, column.name, 'foreign');
  part.changes.push({ change: 'add-foreign', table: model.table, column: column.name, name, target });
}

function unfitOf(model: ModelTable, known: KnownTable | undefined, shape: Shape): Part['unfit'] {
  return new Map(
    model.columns.flatMap((column) => {
      const there = known?.columns.get(column.name);
      const misfit = there === undefined ? null : shape.misfit(model, column, there);
      return misfit === null ? [] : [[column.name, misfit.blocks] as const];
    }),
  );
}

function planTable(part: Part, destroy: boolean): void {
  const { model, known, shape } = part;
  const { table, columns } = model;
  if (known && !known.table) {
    warn(part, undefined, 'is no table (a view perhaps); it is left as it is');
    return;
  }
  if (!known) {
    const typed = columns.map((column) => ({ column, type: shape.typeOf(model, column) }));
    part.changes.push({ change: 'create-table', table, columns: typed });
  }
  for (const column of columns) {
    columnPart(part, column);
    indexPart(part, column);
    lengthPart(part, column);
    foreignPart(part, column);
  }
  uniquePart(part);
  if (known) driftOf(part, known, destroy);
}

/** `destroy`: also removes or changes what differs from the models. */
export function planMigration(
  tables: readonly ModelTable[],
  known: KnownTables,
  shape: Shape,
  destroy: boolean,
): MigrationPlan {
  const changes: Change[] = [];
  const warnings: PlanWarning[] = [];
  for (const model of tables) {
    const there = known.get(model.table);
    // Changing the type makes the indexes on the column possible.
    const unfit = destroy ? new Map<string, Misfit['blocks']>() : unfitOf(model, there, shape);
    planTable({ model, known: there, shape, tables, changes, warnings, unfit }, destroy);
  }
  return { changes: inOrder(changes), warnings };
}

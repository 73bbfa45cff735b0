/**
 * Compares models with the tables that exist and lists what is missing. Additive only: nothing is dropped, renamed or
 * narrowed; differences that adding cannot mend become warnings. Pure: no database, no SQL.
 */
import { createHash } from 'node:crypto';
import type { ColumnType, ModelColumn, ModelTable } from '../../../kernel/contract/model.js';
import type { KnownTable } from './introspect.js';

export type Change =
  | { readonly change: 'create-table'; readonly table: string; readonly columns: readonly ModelColumn[] }
  | { readonly change: 'add-column'; readonly table: string; readonly column: ModelColumn }
  | { readonly change: 'add-index'; readonly table: string; readonly column: string; readonly name: string }
  | {
      readonly change: 'add-unique';
      readonly table: string;
      /** The names of all columns, for people. */
      readonly column: string;
      readonly columns: readonly string[];
      readonly name: string;
    }
  | { readonly change: 'add-search'; readonly table: string; readonly column: string; readonly name: string }
  | {
      readonly change: 'add-length';
      readonly table: string;
      readonly column: string;
      readonly name: string;
      readonly length: number;
    }
  | {
      readonly change: 'add-foreign';
      readonly table: string;
      readonly column: string;
      readonly name: string;
      readonly target: { readonly table: string; readonly column: string };
    };

export interface MigrationWarning {
  readonly table: string;
  readonly column: string | undefined;
  readonly message: string;
}

export interface MigrationPlan {
  readonly changes: readonly Change[];
  readonly warnings: readonly MigrationWarning[];
}

/** Types of the database that can hold a column of a model. */
const FITTING: Readonly<Record<ColumnType, readonly string[]>> = {
  integer: ['int8', 'int4', 'int2', 'numeric'],
  float: ['float8', 'float4', 'numeric'],
  text: ['text', 'varchar', 'bpchar', 'citext', 'uuid', 'name'],
  boolean: ['bool'],
  timestamp: ['timestamptz', 'timestamp', 'date'],
  json: ['jsonb', 'json'],
};

/** A deterministic name; names have 63 bytes at most, longer ones end in a digest of the whole. */
function objectName(table: string, column: string, suffix: string): string {
  const name = `${table}_${column}_${suffix}`;
  if (Buffer.byteLength(name) <= 63) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 10);
  return `${Buffer.from(name)
    .subarray(0, 40)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')}_${digest}_${suffix}`;
}

interface Part {
  readonly changes: Change[];
  readonly warnings: MigrationWarning[];
}

function columnPart(table: string, column: ModelColumn, known: KnownTable | undefined, part: Part): void {
  if (!known) return;
  const type = known.columns.get(column.name);
  const warn = (message: string): number => part.warnings.push({ table, column: column.name, message });
  if (type === undefined) {
    part.changes.push({ change: 'add-column', table, column });
    if (column.primaryKey) warn('column added, but the primary key of an existing table is left as it is');
    else if (!column.nullable && !column.autoIncrement) {
      warn('required column added to an existing table: it allows NULL, because rows without a value may exist');
    }
  } else if (!FITTING[column.type].includes(type)) {
    warn(`column has type ${type}, the model says ${column.type}; it is left as it is`);
  }
}

function indexPart(
  { table, uniques, columns }: ModelTable,
  column: ModelColumn,
  known: KnownTable | undefined,
  part: Part,
): void {
  const indexes = known?.indexes ?? [];
  const primary = known ? [] : columns.filter(({ primaryKey }) => primaryKey).map(({ name }) => name);
  const lists = [primary, ...uniques, ...indexes.map((index) => index.columns)];
  const covered = lists.some(([first]) => first === column.name);
  if (column.index && !covered) {
    const name = objectName(table, column.name, 'index');
    part.changes.push({ change: 'add-index', table, column: column.name, name });
  }
  const search = objectName(table, column.name, 'search');
  if (column.search && !indexes.some(({ name }) => name === search)) {
    part.changes.push({ change: 'add-search', table, column: column.name, name: search });
  }
}

/** In any order: a unique index on the same columns is as good. */
function uniquePart({ table, uniques, columns }: ModelTable, known: KnownTable | undefined, part: Part): void {
  const same = (a: readonly string[], b: readonly string[]): boolean =>
    a.length === b.length && a.every((name) => b.includes(name));
  const primary = columns.filter(({ primaryKey }) => primaryKey).map(({ name }) => name);
  for (const unique of uniques) {
    const exists = known?.indexes.some((index) => index.unique && same(index.columns, unique));
    if (exists === true || (!known && same(primary, unique))) continue;
    const name = objectName(table, unique.join('_'), 'unique');
    part.changes.push({ change: 'add-unique', table, column: unique.join(', '), columns: unique, name });
  }
}

function lengthPart(table: string, column: ModelColumn, known: KnownTable | undefined, part: Part): void {
  const length = column.maxLength;
  if (column.type !== 'text' || length === null) return;
  const name = objectName(table, column.name, 'length');
  const check = known?.constraints.find((constraint) => constraint.name === name);
  if (!check) part.changes.push({ change: 'add-length', table, column: column.name, name, length });
  else if (!new RegExp(`<= ${length}\\)`).test(check.definition)) {
    const message = `the length check ${name} holds another bound than max_length ${length}; it is left as it is`;
    part.warnings.push({ table, column: column.name, message });
  }
}

function foreignPart(table: string, column: ModelColumn, known: KnownTable | undefined, part: Part): void {
  const target = column.references;
  if (!target) return;
  const foreign = known?.constraints.find(
    ({ type, columns }) => type === 'foreign' && columns.length === 1 && columns[0] === column.name,
  );
  const name = objectName(table, column.name, 'foreign');
  if (!foreign) part.changes.push({ change: 'add-foreign', table, column: column.name, name, target });
  else if (foreign.target !== target.table) {
    const message = `foreign key refers to ${foreign.target ?? 'another table'}, the model says ${target.table}; it is left as it is`;
    part.warnings.push({ table, column: column.name, message });
  }
}

/** Order of the list: tables, columns, indexes and checks, and foreign keys last, so that cycles are no problem. */
const ORDER: readonly Change['change'][] = [
  'create-table',
  'add-column',
  'add-unique',
  'add-length',
  'add-index',
  'add-search',
  'add-foreign',
];

export function planMigration(tables: readonly ModelTable[], known: ReadonlyMap<string, KnownTable>): MigrationPlan {
  const part: Part = { changes: [], warnings: [] };
  for (const wanted of tables) {
    const { table, columns } = wanted;
    const existing = known.get(table);
    if (existing && !existing.table) {
      part.warnings.push({ table, column: undefined, message: 'is no table (a view perhaps); it is left as it is' });
      continue;
    }
    if (!existing) part.changes.push({ change: 'create-table', table, columns });
    for (const column of columns) {
      columnPart(table, column, existing, part);
      indexPart(wanted, column, existing, part);
      lengthPart(table, column, existing, part);
      foreignPart(table, column, existing, part);
    }
    uniquePart(wanted, existing, part);
  }
  const changes = part.changes.sort((a, b) => ORDER.indexOf(a.change) - ORDER.indexOf(b.change));
  return { changes, warnings: part.warnings };
}

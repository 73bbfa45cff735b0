/** Finds differences between a table and its model. Each becomes a warning or, if requested, a change that fixes it. Pure. */
import type { ColumnType, ModelColumn } from '../../../contract/model.js';
import type { KnownColumn, KnownConstraint, KnownTable } from './migration-types.js';
import { createObjectName, hasSameColumns, warn, type TableDiff } from './table-diff.js';

/** Existing columns and data change only on explicit request. */
const LEFT = 'it is left as it is';
const MENDS = '`lintel migrate --destroy`';

/** Types between which a database can convert values. A value that cannot be converted leaves the table unchanged. */
const FAMILIES: readonly (readonly [RegExp, ColumnType])[] = [
  [/^(?:int[248]?|(?:big|medium|small|tiny)int)$/, 'integer'],
  [/^(?:float[48]?|double|numeric|decimal)$/, 'float'],
  [/^bool(?:ean)?$/, 'boolean'],
  [/^(?:timestamp(?:tz)?|date(?:time)?)$/, 'timestamp'],
  [/^jsonb?$/, 'json'],
  // PostgreSQL prefixes array types with an underscore.
  [/^(?!_).*(?:char|text|uuid|name|enum)/, 'text'],
];

/** `exact` loses nothing and cannot fail. */
const CASTS: Readonly<Record<ColumnType, Partial<Record<ColumnType, 'exact' | 'tried'>>>> = {
  integer: { integer: 'tried', float: 'tried', text: 'exact', boolean: 'tried' },
  float: { integer: 'tried', float: 'tried', text: 'exact' },
  text: { integer: 'tried', float: 'tried', text: 'tried', boolean: 'tried', timestamp: 'tried', json: 'tried' },
  boolean: { integer: 'exact', text: 'exact', boolean: 'exact' },
  timestamp: { text: 'exact', timestamp: 'tried' },
  json: { text: 'exact', json: 'exact' },
};

/** The column type that values of a database type convert to; undefined: none. */
export const findFamily = (type: string): ColumnType | undefined =>
  FAMILIES.find(([pattern]) => pattern.test(type))?.[1];

const findConversion = (from: string, to: ColumnType): 'exact' | 'tried' | undefined => {
  const family = findFamily(from);
  return family && CASTS[family][to];
};

function compareType(part: TableDiff, column: ModelColumn, known: KnownColumn, destroy: boolean): void {
  const { model, shape } = part;
  const misfit = shape.findMisfit(model, column, known);
  if (misfit === null) {
    comparePrecision(part, column, known);
    return;
  }
  const cast = findConversion(known.type, column.type);
  if (cast === undefined) {
    const remedy = destroy ? 'no cast is certain: add a column of another name and fill it by hand' : LEFT;
    warn(part, column.name, `${misfit.message}; ${remedy}`);
  } else if (destroy) {
    const { table } = model;
    const type = shape.getType(model, column);
    const exact = cast === 'exact';
    part.changes.push({
      change: 'set-type',
      table,
      column,
      type,
      from: known.written,
      exact,
      nullable: known.nullable,
    });
  } else warn(part, column.name, `${misfit.message}; ${LEFT}; ${MENDS} changes the type`, misfit.serious);
}

/** The database rounds or truncates values without an error. */
const NEARLY: Partial<Readonly<Record<ColumnType, RegExp>>> = {
  float: /^(?:(?:numeric|decimal)\(.*|float4|real|float(?:\(.*)?)(?: unsigned)?$/i,
  timestamp: /^(?:date|(?:datetime|timestamp)(?:\([0-5]\))?|timestamp\([0-5]\) with(?:out)? time zone)$/i,
};

/** Only a warning: fewer digits may be intended. */
function comparePrecision(part: TableDiff, { name, type }: ModelColumn, { written }: KnownColumn): void {
  if (NEARLY[type]?.test(written) === true)
    warn(part, name, `column has type ${written}, which changes values to fit without an error; ${LEFT}`);
}

function compareNullability(part: TableDiff, column: ModelColumn, known: KnownColumn, destroy: boolean): void {
  const { model, shape } = part;
  const wanted = column.nullable;
  if (known.nullable === wanted || column.autoIncrement || column.primaryKey) return;
  if (destroy) {
    const type = shape.getType(model, column);
    part.changes.push({ change: 'set-nullable', table: model.table, column, type, nullable: wanted });
  } else if (known.nullable) {
    warn(part, column.name, `is required in the model, and the table allows NULL; ${MENDS} forbids it`, false);
  } else warn(part, column.name, `is optional in the model, and the table demands a value; ${MENDS} allows NULL`);
}

/** `... <= 20)`, in the notations of all databases. */
export const parseLengthBound = ({ definition }: KnownConstraint): number =>
  Number(/<= \(?'?(\d+)/.exec(definition)?.[1]);

function compareLength(part: TableDiff, column: ModelColumn, known: KnownTable, destroy: boolean): void {
  const { model, shape } = part;
  const { table } = model;
  const name = createObjectName(table, column.name, 'length');
  const check = known.constraints.find((one) => one.name === name);
  const length = shape.getLengthLimit(model, column);
  if (!check || parseLengthBound(check) === length) return;
  if (destroy) {
    part.changes.push({ change: 'drop-length', table, column: column.name, name });
    if (length !== null) part.changes.push({ change: 'add-length', table, column: column.name, name, length });
    return;
  }
  const difference = length === null ? 'the model has none' : `than max_length ${length}`;
  warn(part, column.name, `the length check ${name} holds another bound ${difference}; ${LEFT}; ${MENDS} replaces it`);
}

function compareForeignKeys(part: TableDiff, known: KnownTable, destroy: boolean): void {
  const { model, tables } = part;
  const { table } = model;
  for (const { type, name, columns, target } of known.constraints) {
    if (type !== 'foreign') continue;
    const [first = ''] = columns;
    const wanted = model.columns.find((column) => column.name === first)?.references;
    const reachable = wanted && tables.some((one) => one.table === wanted.table) ? wanted : null;
    if (columns.length === 1 && reachable?.table === target) continue;
    const column = columns.join(', ');
    if (!destroy) {
      const difference = reachable ? `the model says ${reachable.table}` : 'the model says nothing of it';
      const refers = `foreign key refers to ${target ?? 'another table'}`;
      warn(part, column, `${refers}, ${difference}; ${LEFT}; ${MENDS} ${reachable ? 'replaces' : 'drops'} it`);
      continue;
    }
    part.changes.push({ change: 'drop-foreign', table, column, name });
    if (reachable && columns.length === 1) {
      const fresh = createObjectName(table, first, 'foreign');
      part.changes.push({ change: 'add-foreign', table, column: first, name: fresh, target: reachable });
    }
  }
}

/** A unique index that is not in the model rejects rows. */
function compareUniques(part: TableDiff, known: KnownTable, destroy: boolean): void {
  const { model } = part;
  const keys = model.columns.filter(({ primaryKey }) => primaryKey).map(({ name }) => name);
  for (const { name, unique, primary, constraint, columns } of known.indexes) {
    if (!unique || columns.length === 0) continue;
    const column = columns.join(', ');
    if (primary) {
      if (keys.length > 0 && !hasSameColumns(columns, keys))
        warn(part, undefined, `the primary key is ${column}, the model says ${keys.join(', ')}; ${LEFT}`);
      continue;
    }
    if ([keys, ...model.uniques].some((one) => hasSameColumns(one, columns))) continue;
    // The index is dropped with its column.
    if (!columns.every((one) => model.columns.some((known) => known.name === one))) continue;
    if (destroy) part.changes.push({ change: 'drop-unique', table: model.table, column, name, constraint });
    else warn(part, column, `unique in the table, and not in the model; ${LEFT}; ${MENDS} drops the index ${name}`);
  }
}

function compareColumns(part: TableDiff, known: KnownTable, destroy: boolean): void {
  const { model } = part;
  for (const [name, { nullable, filled }] of known.columns) {
    if (model.columns.some((column) => column.name === name)) continue;
    if (destroy) part.changes.push({ change: 'drop-column', table: model.table, column: name });
    else if (nullable || filled)
      warn(part, name, `the model does not know this column; ${LEFT}; ${MENDS} drops it`, false);
    else {
      const fails = 'the model does not know this column, which demands a value: every INSERT fails';
      warn(part, name, `${fails}; give it a default, add it to the model, or let ${MENDS} drop it`);
    }
  }
}

export function compareTable(part: TableDiff, known: KnownTable, destroy: boolean): void {
  for (const column of part.model.columns) {
    const there = known.columns.get(column.name);
    if (!there) continue;
    compareType(part, column, there, destroy);
    compareNullability(part, column, there, destroy);
    compareLength(part, column, known, destroy);
  }
  compareForeignKeys(part, known, destroy);
  compareUniques(part, known, destroy);
  compareColumns(part, known, destroy);
}

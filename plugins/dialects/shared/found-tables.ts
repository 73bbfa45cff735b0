/** The tables of a database as models, with what models cannot say of them. */
import type { FoundDifference, FoundTable, FoundTables } from '../../../contract/found-tables.js';
import type { ColumnType, HeldJson, ModelColumn, ModelTable } from '../../../contract/model.js';
import { findFamily, parseLengthBound } from './drift.js';
import type {
  KnownColumn,
  KnownConstraint,
  KnownTable,
  KnownTables,
  MigrationTarget,
  TypeMapping,
} from './migration-types.js';
import { createOutline } from './outline.js';
import { planMigration } from './plan.js';
import { createObjectName, hasSameColumns } from './table-diff.js';

/** Names that definitions and statements take everywhere. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const isName = (name: string): boolean => NAME.test(name) && name !== '__proto__';
/** Tables of queues, schedulers and migrations. */
const OWN = 'lintel_';
/** Types that say no more than their field type. */
const PLAIN =
  /^(?:(?:big|small|tiny|medium)?int|integer|numeric|decimal|double|real|float|bool|timestamp|date|json|char|varchar|text|citext|(?:tiny|medium|long)text)/;

type AddDifference = (column: string | null, message: string) => void;

interface TablePart {
  readonly name: string;
  readonly known: KnownTable;
  readonly all: KnownTables;
  readonly shape: TypeMapping;
  readonly addDifference: AddDifference;
}

/** Null: no field type holds its values. */
function findColumnType({ name, known, shape }: TablePart, column: string, there: KnownColumn): ColumnType | null {
  const family = findFamily(there.type);
  if (family === undefined) return null;
  const digits = /^(?:numeric|decimal)\((\d+)(?:,0)?\)/.exec(there.written)?.[1];
  const type = digits !== undefined && Number(digits) <= 18 ? 'integer' : family;
  const field = createColumn(column, type, { nullable: true, maxLength: there.length });
  const misfit = shape.findMisfit(createTable(name, [field]), field, there);
  const isUnfit = misfit !== null && misfit.serious && misfit.blocks !== 'nothing';
  return isUnfit || !known.table ? null : type;
}

const createColumn = (name: string, type: ColumnType, rest: Partial<ModelColumn> = {}): ModelColumn => ({
  ...{ name, type, nullable: false, primaryKey: false, autoIncrement: false, unique: false, index: false },
  ...{ search: false, maxLength: null, references: null, secret: false },
  ...rest,
});

const createTable = (
  table: string,
  columns: readonly ModelColumn[],
  uniques: readonly (readonly string[])[] = [],
): ModelTable => ({ model: table.startsWith('_') ? table : `_${table}`, table, stores: [], columns, uniques });

/** A column that gets no field. */
function explainOmission(part: TablePart, name: string, there: KnownColumn): string | null {
  if (!isName(name)) return 'no field: a name in definitions has letters, digits and "_" only';
  if (there.generated) return 'no field: the database computes it, and models have no such fields';
  return findColumnType(part, name, there) === null ? `no field: no field type holds ${there.written}` : null;
}

/** Lists only if a default or a check says so. */
function findHeldJson({ known }: TablePart, name: string, there: KnownColumn): HeldJson {
  const isListCheck = ({ columns, definition }: KnownConstraint): boolean =>
    columns.includes(name) && /typeof\(.*'array'/i.test(definition);
  const isArray = /^'?\(?'?\[/.test(there.default ?? '') || known.constraints.some(isListCheck);
  return isArray ? { form: 'array', items: null } : { form: 'object', fields: [] };
}

function describeColumn(part: TablePart, name: string, there: KnownColumn): ModelColumn | null {
  const { known, addDifference } = part;
  const omission = explainOmission(part, name, there);
  if (omission !== null) {
    const demands =
      there.nullable || there.filled || there.generated ? '' : '; it demands a value, so every INSERT fails';
    addDifference(name, `${omission}${demands}`);
    return null;
  }
  const type = findColumnType(part, name, there) ?? 'text';
  const check = known.constraints.find((one) => one.name === createObjectName(part.name, name, 'length'));
  const counts = there.counted && type === 'integer';
  if (!PLAIN.test(there.written))
    addDifference(name, `has type ${there.written}: the model says ${type}, the database takes less`);
  if (there.default !== null && !counts)
    addDifference(name, `has the default ${there.default}: models have none, an INSERT says the value`);
  return createColumn(name, type, {
    nullable: there.nullable,
    primaryKey: known.indexes.some(({ primary, columns }) => primary && columns.includes(name)),
    autoIncrement: counts,
    search: known.indexes.some((index) => index.name === createObjectName(part.name, name, 'search')),
    maxLength: type !== 'text' ? null : check ? parseLengthBound(check) : there.length,
    ...(type === 'json' && { holds: findHeldJson(part, name, there) }),
  });
}

interface IndexParts {
  readonly uniques: readonly (readonly string[])[];
  readonly indexed: ReadonlySet<string>;
}

function describeIndexes(
  { name: table, known, shape, addDifference }: TablePart,
  fields: readonly ModelColumn[],
): IndexParts {
  const uniques: (readonly string[])[] = [];
  const indexed = new Set<string>();
  const keys = fields.filter(({ primaryKey }) => primaryKey).map(({ name }) => name);
  for (const { name, unique, primary, columns } of known.indexes) {
    if (primary || fields.some((field) => name === createObjectName(table, field.name, 'search'))) continue;
    const found = fields.filter((field) => columns.includes(field.name));
    const what = unique ? 'unique index' : 'index';
    if (columns.length === 0)
      addDifference(null, `${what} ${name} is of an expression, a prefix or a part of the rows: the model has none`);
    else if (found.length < columns.length)
      addDifference(columns.join(', '), `${what} ${name} is of a column without a field: the model has none`);
    else if (unique) {
      if (!hasSameColumns(columns, keys) && !uniques.some((one) => hasSameColumns(one, columns))) uniques.push(columns);
    } else if (columns.length > 1)
      addDifference(columns.join(', '), `index ${name} is of several columns: the model has indexes of one`);
    else if (found.every((field) => shape.explainUnsupported(field, 'index') === null)) indexed.add(columns[0] ?? '');
  }
  return { uniques, indexed };
}

const listActions = (definition: string): string[] =>
  [...definition.matchAll(/ON (?:DELETE|UPDATE) (?:CASCADE|SET NULL|SET DEFAULT)/gi)].map(([action]) => action);

/** The target of a foreign key that a field can have. */
function findReference(
  { all }: TablePart,
  fields: readonly ModelColumn[],
  { columns, target, targetColumns }: KnownConstraint,
): ModelColumn['references'] {
  const there = target === null ? undefined : all.get(target);
  const [column, more] = targetColumns;
  const isField = columns.length === 1 && fields.some(({ name }) => name === columns[0]);
  if (!isField || there?.table !== true || target === null || column === undefined || more !== undefined) return null;
  return isName(target) && isName(column) ? { table: target, column } : null;
}

function describeReferences(part: TablePart, fields: readonly ModelColumn[]): Map<string, ModelColumn['references']> {
  const found = new Map<string, ModelColumn['references']>();
  for (const constraint of part.known.constraints) {
    if (constraint.type !== 'foreign') continue;
    const { name, columns, target, definition } = constraint;
    const [column = ''] = columns;
    const reference = findReference(part, fields, constraint);
    if (reference === null || found.has(column)) {
      const why = 'a field refers to one column of one table that has a model';
      part.addDifference(columns.join(', '), `foreign key ${name} to ${target ?? 'another table'}: ${why}`);
      continue;
    }
    found.set(column, reference);
    for (const action of listActions(definition))
      part.addDifference(column, `foreign key ${name} has ${action}: the model does not say it`);
  }
  return found;
}

function reportChecks({ name: table, known, addDifference }: TablePart): void {
  for (const { name, type, columns, definition } of known.constraints) {
    const isOwn = [...known.columns.keys()].some((column) => name === createObjectName(table, column, 'length'));
    const isJson = known.columns.has(name) && /^\s*\(?json_valid\(/i.test(definition);
    if (isOwn || isJson || (type === 'other' && !definition.startsWith('EXCLUDE')) || type === 'foreign') continue;
    const rule = definition.replace(/^CHECK /i, '').replaceAll(/\s+/g, ' ');
    addDifference(columns.length === 0 ? null : columns.join(', '), `check ${name} ${rule}: the model does not say it`);
  }
}

function describeTable(part: TablePart): FoundTable {
  const { name, known, addDifference } = part;
  const fields = [...known.columns].flatMap(([column, there]) => describeColumn(part, column, there) ?? []);
  const { uniques, indexed } = describeIndexes(part, fields);
  const references = describeReferences(part, fields);
  reportChecks(part);
  if (!fields.some(({ primaryKey }) => primaryKey)) addDifference(null, 'has no primary key');
  const columns = fields.map((field) => ({
    ...field,
    unique: uniques.some((one) => one.length === 1 && one[0] === field.name),
    index: indexed.has(field.name),
    references: references.get(field.name) ?? null,
  }));
  const comments = [...known.columns].flatMap(([column, { comment }]) =>
    comment === null ? [] : [[column, comment] as const],
  );
  return { table: createTable(name, columns, uniques), comment: known.comment, columnComments: new Map(comments) };
}

/** What a migration would say of the models themselves, without what is reported already. */
function compareFound(
  tables: readonly FoundTable[],
  known: KnownTables,
  shape: TypeMapping,
  reported: readonly FoundDifference[],
): FoundDifference[] {
  const places = new Set(reported.map(({ table, column }) => `${table} ${column}`));
  const { changes, warnings } = planMigration(
    tables.map(({ table }) => table),
    known,
    shape,
    false,
  );
  return [
    ...changes.map((one) => ({ table: one.table, column: null, message: `a migration would make: ${one.change}` })),
    ...warnings.flatMap(({ table, column = null, message }) =>
      places.has(`${table} ${column}`) && /^(?:the model does not know|foreign key refers)/.test(message)
        ? []
        : [{ table, column, message: message.split('; it is left as it is')[0] ?? message }],
    ),
  ];
}

/** Columns of a table with the same message are one entry. */
function groupDifferences(all: readonly FoundDifference[]): FoundDifference[] {
  const groups = new Map<string, FoundDifference>();
  for (const one of all) {
    const key = `${one.table}\n${one.message}`;
    const before = groups.get(key);
    const column =
      before === undefined || before.column === null || one.column === null
        ? one.column
        : `${before.column}, ${one.column}`;
    groups.set(key, { ...one, column });
  }
  return [...groups.values()];
}

/** Pure. */
export function describeTables(known: KnownTables, shape: TypeMapping): Omit<FoundTables, 'outline'> {
  const differences: FoundDifference[] = [];
  const tables: FoundTable[] = [];
  for (const [name, there] of known) {
    if (name.startsWith(OWN)) continue;
    const addDifference: AddDifference = (column, message) => differences.push({ table: name, column, message });
    if (!there.table) addDifference(null, 'is no table (a view perhaps): it has no model, statements may read it');
    else if (!isName(name)) addDifference(null, 'no model: a name in definitions has letters, digits and "_" only');
    else tables.push(describeTable({ name, known: there, all: known, shape, addDifference }));
  }
  return {
    tables,
    differences: groupDifferences([...differences, ...compareFound(tables, known, shape, differences)]),
  };
}

/** Reads only. */
export const readTables = (
  { withSession, flavour: find, store }: MigrationTarget,
  models: readonly ModelTable[],
): Promise<FoundTables> =>
  withSession(async (session) => {
    const flavour = await find(session);
    const known = await flavour.introspect(session, null);
    const shape = flavour.mapTypes(models, known);
    const outline = await createOutline(session, flavour, store, planMigration(models, known, shape, false));
    return { ...describeTables(known, flavour.mapTypes([], known)), outline };
  });

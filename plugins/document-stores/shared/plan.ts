/**
 * Compares models with existing collections and lists what is missing. Only adds; other differences become warnings.
 */
import type { MigrationWarning } from '../../../contract/migration.js';
import type { ColumnType, ModelColumn, ModelTable } from '../../../contract/model.js';
import { listFields, mergeRules, parseOwnRules, createRules, type Rules } from './rules.js';

export interface CollectionIndex {
  readonly name: string;
  /** In index order; empty for a text index. */
  readonly fields: readonly string[];
  readonly unique: boolean;
  /** Documents without a value are not in the index. */
  readonly partial: boolean;
  /** Null: no text index. */
  readonly words: readonly string[] | null;
}

export interface KnownCollection {
  /** False for views and similar objects. */
  readonly plain: boolean;
  readonly validator: unknown;
  /** Violations are not rejected. */
  readonly lenient: boolean;
  readonly indexes: readonly CollectionIndex[];
}

export type CollectionChange =
  | {
      readonly change: 'create' | 'add-rules' | 'change-rules';
      readonly rules: Rules;
      readonly columns: readonly ModelColumn[];
    }
  | {
      readonly change: 'add-unique' | 'add-index' | 'add-search';
      readonly name: string;
      readonly columns: readonly ModelColumn[];
    };

export type PlannedChange = CollectionChange & { readonly collection: string };

export interface CollectionPlan {
  readonly changes: readonly PlannedChange[];
  readonly warnings: readonly Omit<MigrationWarning, 'store'>[];
}

interface PlanWriter {
  add(change: CollectionChange): void;
  warn(column: string | null, message: string): void;
}

const LEFT = 'left as it is';

function planRules(table: ModelTable, known: KnownCollection, part: PlanWriter): void {
  const wanted = createRules(table);
  const columns = listFields(table);
  const found = parseOwnRules(known.validator);
  if (found === 'foreign') {
    part.warn(null, `the collection has rules of somebody else; what the model demands is not added, it is ${LEFT}`);
    return;
  }
  if (found === null) {
    if (columns.length > 0) part.add({ change: 'add-rules', rules: wanted, columns });
    return;
  }
  if (known.lenient) part.warn(null, `the rules of the collection are switched off; it is ${LEFT}`);
  const { rules, changed, demanded, narrower, forgotten } = mergeRules(found, wanted);
  if (rules !== null) {
    part.add({ change: 'change-rules', rules, columns: columns.filter(({ name }) => changed.includes(name)) });
  }
  for (const name of demanded) {
    part.warn(name, 'required field added to an existing collection: documents that are there already may lack it');
  }
  for (const name of narrower) {
    part.warn(name, `the rules of the collection let more through than the model does; the field is ${LEFT}`);
  }
  for (const name of forgotten) {
    part.warn(name, `the rules of the collection demand a field that the model does not have; it is ${LEFT}`);
  }
}

/** Without `_id`, which is always unique. */
function listUniques({ columns, uniques }: ModelTable): readonly (readonly string[])[] {
  const primary = columns.filter(({ primaryKey }) => primaryKey).map(({ name }) => name);
  return [...(primary.length > 0 ? [primary] : []), ...uniques].filter((names) => names.join() !== '_id');
}

const hasSameFields = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name) => b.includes(name));

/** Whether a query of this field can use the index. */
const canFind = ({ fields, partial }: CollectionIndex, name: string): boolean =>
  fields[0] === name && (!partial || fields.length === 1);

function planIndexes(table: ModelTable, known: readonly CollectionIndex[], part: PlanWriter): void {
  const indexes = [...known];
  const findColumns = (names: readonly string[]): ModelColumn[] =>
    names.flatMap((name) => table.columns.find((column) => column.name === name) ?? []);
  const add = (change: 'add-unique' | 'add-index' | 'add-search', fields: readonly string[], name: string): void => {
    if (indexes.some((index) => index.name === name)) {
      part.warn(fields.join(', '), `the index ${name} has other properties than the model demands; it is ${LEFT}`);
      return;
    }
    const unique = change === 'add-unique';
    indexes.push({ name, fields, unique, partial: unique, words: null });
    part.add({ change, name, columns: findColumns(fields) });
  };
  for (const names of listUniques(table)) {
    if (indexes.some(({ unique, fields }) => unique && hasSameFields(fields, names))) continue;
    add('add-unique', names, `${names.join('_')}_unique`);
  }
  for (const { name, index } of listFields(table)) {
    if (index && !indexes.some((one) => canFind(one, name))) add('add-index', [name], `${name}_index`);
  }
  const words = listFields(table)
    .filter(({ search }) => search)
    .map(({ name }) => name);
  const there = indexes.find((index) => index.words !== null)?.words;
  if (words.length === 0) return;
  if (!there) add('add-search', words, 'words_search');
  else if (!words.every((name) => there.includes(name))) {
    const fields = words.join(', ');
    part.warn(fields, `a collection has one index of words, and that of this one holds other fields; it is ${LEFT}`);
  }
}

/** Rules before indexes, so that documents are valid first. */
export function planCollections(
  tables: readonly ModelTable[],
  known: ReadonlyMap<string, KnownCollection>,
): CollectionPlan {
  const changes: PlannedChange[] = [];
  const warnings: Omit<MigrationWarning, 'store'>[] = [];
  for (const table of tables) {
    const collection = table.table;
    const part: PlanWriter = {
      add: (change) => void changes.push({ ...change, collection }),
      warn: (column, message) => void warnings.push({ table: collection, column, message }),
    };
    const existing = known.get(collection);
    if (existing?.plain === false) {
      part.warn(null, `is no collection (a view perhaps); it is ${LEFT}`);
      continue;
    }
    if (existing) planRules(table, existing, part);
    else part.add({ change: 'create', rules: createRules(table), columns: listFields(table) });
    planIndexes(table, existing?.indexes ?? [], part);
  }
  return { changes, warnings };
}

/** Less than or equal to every value of the type. */
const LEAST: Readonly<Record<ColumnType, unknown>> = {
  integer: -Infinity,
  float: -Infinity,
  text: '',
  boolean: false,
  timestamp: new Date(-8_640_000_000_000_000),
  json: undefined,
};

/** Holds the documents with all its values. Comparisons instead of `$type` let queries use it. */
export const createPartialFilter = (columns: readonly ModelColumn[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    columns.map(({ name, type }) => [
      name,
      type === 'json' ? { $type: ['object', 'array', 'string', 'bool', 'number'] } : { $gte: LEAST[type] },
    ]),
  );

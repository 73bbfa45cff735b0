/** Checks the columns that a statement writes, and the number of values of an INSERT. */
import { written } from './meetings.js';
import { hasStar } from './outputs.js';
import type { Resolving } from './resolve.js';
import type { Columns } from './scope.js';
import { bodiesOf, childOf, itemsOf, locationOf, wordOf, type Tree } from './tree.js';

/** `given`: the columns of the inserted rows, if known. */
export function checkInsert(context: Resolving, statement: Tree, relation: Tree, given: Columns): void {
  const named = itemsOf(statement, 'cols');
  checkTargets(context, relation, named);
  if (named.length === 0) return;
  const names = bodiesOf(named, 'ResTarget');
  const [first, last] = [names[0], names.at(-1)];
  const values = countOf(statement, given, names.length);
  if (values !== names.length && first !== undefined && last !== undefined) {
    const place = { at: locationOf(first), last: locationOf(last) };
    context.findings.push({ sort: 'count', names: names.length, values, ...place });
    return;
  }
  const table = tableOf(context, relation);
  if (table === undefined) return;
  const columnNames = names.map((name) => wordOf(name, 'name'));
  const rows = childOf(childOf(statement, 'selectStmt') ?? {}, 'SelectStmt');
  for (const row of bodiesOf(itemsOf(rows ?? {}, 'valuesLists'), 'List')) {
    itemsOf(row, 'items').forEach((value, i) => context.uses.push(...written(table, columnNames[i] ?? '', value)));
  }
  // A misspelt column is probably the missing one.
  if (!columnNames.every((name) => table.columns.includes(name))) return;
  const columns = table.needed.filter((column) => !columnNames.includes(column));
  if (columns.length === 0) return;
  context.findings.push({ sort: 'needed', table: wordOf(relation, 'relname'), columns, at: locationOf(relation) });
}

/** Uses the first row that differs from `expected`. */
function countOf(statement: Tree, given: Columns, expected: number): number {
  const rows = childOf(childOf(statement, 'selectStmt') ?? {}, 'SelectStmt');
  if (rows === null) return expected;
  const lists = bodiesOf(itemsOf(rows, 'valuesLists'), 'List').map((list) => itemsOf(list, 'items').length);
  if (lists.length > 0) return lists.find((count) => count !== expected) ?? expected;
  const targets = itemsOf(rows, 'targetList');
  // The database may know more columns than the models.
  if (childOf(rows, 'larg') !== null || targets.length === 0 || hasStar(targets)) return expected;
  return given?.length ?? targets.length;
}

export function checkTargets(context: Resolving, relation: Tree, targets: readonly Tree[]): void {
  const table = tableOf(context, relation);
  if (table === undefined) return;
  for (const target of bodiesOf(targets, 'ResTarget')) {
    const name = wordOf(target, 'name');
    const value = childOf(target, 'val');
    // `column[1] = $1` sets an element, not the column.
    if (value !== null && itemsOf(target, 'indirection').length === 0)
      context.uses.push(...written(table, name, value));
    if (table.columns.includes(name)) {
      context.names.push({ sort: 'column', name, model: table.model, at: locationOf(target) });
    }
    if (name === '' || table.columns.includes(name)) continue;
    const place = { at: locationOf(target) };
    const shown = wordOf(relation, 'relname');
    context.findings.push({ sort: 'column', name, table: shown, near: table.columns, ...place });
  }
}

/** The tree has no location for names in `ON CONFLICT (email)`. */
export function checkConflict(context: Resolving, relation: Tree, infer: Tree | null): void {
  const table = tableOf(context, relation);
  if (table === undefined || infer === null) return;
  for (const element of bodiesOf(itemsOf(infer, 'indexElems'), 'IndexElem')) {
    const name = wordOf(element, 'name');
    if (table.columns.includes(name)) {
      context.names.push({ sort: 'column', name, model: table.model, at: locationOf(infer) });
    }
    if (name === '' || table.columns.includes(name)) continue;
    const shown = wordOf(relation, 'relname');
    context.findings.push({ sort: 'column', name, table: shown, near: table.columns, at: locationOf(infer) });
  }
}

const tableOf = ({ catalogue }: Resolving, relation: Tree) =>
  wordOf(relation, 'schemaname') === '' ? catalogue.table(wordOf(relation, 'relname')) : undefined;

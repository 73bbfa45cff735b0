/** Checks written columns, and the number of values of an INSERT. */
import type { Catalogue, ColumnUse, Columns, StatementName } from '../../../../contract/statement-text.js';
import { listWriteUses } from './column-uses.js';
import { hasStar } from './outputs.js';
import type { Origins, AliasedByColumns } from './names.js';
import { listBodies, findChild, listItems, getByteOffset, getWord, type Tree } from './tree.js';

export type SqlFinding = {
  /** Byte offset at which the search for the name begins. */
  readonly at: number;
} & (
  | { readonly sort: 'table'; readonly name: string }
  | { readonly sort: 'alias'; readonly name: string; readonly near: readonly string[] }
  | { readonly sort: 'column'; readonly name: string; readonly table: string | null; readonly near: readonly string[] }
  | { readonly sort: 'placeholder'; readonly name: string }
  | { readonly sort: 'count'; readonly names: number; readonly values: number; readonly last: number }
  | { readonly sort: 'needed'; readonly table: string; readonly columns: readonly string[] }
);

export interface ResolveContext {
  readonly catalogue: Catalogue;
  readonly findings: SqlFinding[];
  /** Placeholders bound to columns. */
  readonly uses: ColumnUse[];
  readonly names: StatementName[];
  readonly origins: Origins;
  readonly aliased: AliasedByColumns;
  /** A set operation was found. */
  mixed: boolean;
  /** Levels deeper than `MAX_DEPTH` are not visited. */
  depth: number;
}

/** `given`: the columns of the inserted rows, if known. */
export function checkInsert(context: ResolveContext, statement: Tree, relation: Tree, given: Columns): void {
  const named = listItems(statement, 'cols');
  checkTargets(context, relation, named);
  if (named.length === 0) return;
  const names = listBodies(named, 'ResTarget');
  const [first, last] = [names[0], names.at(-1)];
  const values = countValues(statement, given, names.length);
  if (values !== names.length && first !== undefined && last !== undefined) {
    const place = { at: getByteOffset(first), last: getByteOffset(last) };
    context.findings.push({ sort: 'count', names: names.length, values, ...place });
    return;
  }
  const table = findTable(context, relation);
  if (table === undefined) return;
  const columnNames = names.map((name) => getWord(name, 'name'));
  const rows = findChild(findChild(statement, 'selectStmt') ?? {}, 'SelectStmt');
  for (const row of listBodies(listItems(rows ?? {}, 'valuesLists'), 'List')) {
    listItems(row, 'items').forEach((value, i) =>
      context.uses.push(...listWriteUses(table, columnNames[i] ?? '', value)),
    );
  }
  // A misspelt column is probably the missing one.
  if (!columnNames.every((name) => table.columns.includes(name))) return;
  const columns = table.needed.filter((column) => !columnNames.includes(column));
  if (columns.length === 0) return;
  context.findings.push({ sort: 'needed', table: getWord(relation, 'relname'), columns, at: getByteOffset(relation) });
}

/** Uses the first row that differs from `expected`. */
function countValues(statement: Tree, given: Columns, expected: number): number {
  const rows = findChild(findChild(statement, 'selectStmt') ?? {}, 'SelectStmt');
  if (rows === null) return expected;
  const lists = listBodies(listItems(rows, 'valuesLists'), 'List').map((list) => listItems(list, 'items').length);
  if (lists.length > 0) return lists.find((count) => count !== expected) ?? expected;
  const targets = listItems(rows, 'targetList');
  // The database may know more columns than the models.
  if (findChild(rows, 'larg') !== null || targets.length === 0 || hasStar(targets)) return expected;
  return given?.length ?? targets.length;
}

export function checkTargets(context: ResolveContext, relation: Tree, targets: readonly Tree[]): void {
  const table = findTable(context, relation);
  if (table === undefined) return;
  for (const target of listBodies(targets, 'ResTarget')) {
    const name = getWord(target, 'name');
    const value = findChild(target, 'val');
    // `column[1] = $1` sets an element, not the column.
    if (value !== null && listItems(target, 'indirection').length === 0)
      context.uses.push(...listWriteUses(table, name, value));
    if (table.columns.includes(name)) {
      context.names.push({ sort: 'column', name, model: table.model, at: getByteOffset(target) });
    }
    if (name === '' || table.columns.includes(name)) continue;
    const place = { at: getByteOffset(target) };
    const shown = getWord(relation, 'relname');
    context.findings.push({ sort: 'column', name, table: shown, near: table.columns, ...place });
  }
}

/** The tree has no location for names in `ON CONFLICT (email)`. */
export function checkConflict(context: ResolveContext, relation: Tree, infer: Tree | null): void {
  const table = findTable(context, relation);
  if (table === undefined || infer === null) return;
  for (const element of listBodies(listItems(infer, 'indexElems'), 'IndexElem')) {
    const name = getWord(element, 'name');
    if (table.columns.includes(name)) {
      context.names.push({ sort: 'column', name, model: table.model, at: getByteOffset(infer) });
    }
    if (name === '' || table.columns.includes(name)) continue;
    const shown = getWord(relation, 'relname');
    context.findings.push({ sort: 'column', name, table: shown, near: table.columns, at: getByteOffset(infer) });
  }
}

const findTable = ({ catalogue }: ResolveContext, relation: Tree) =>
  getWord(relation, 'schemaname') === '' ? catalogue.table(getWord(relation, 'relname')) : undefined;

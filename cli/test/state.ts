/** Rows that a step changes in a store as another program would, and the rows that `unchanged` compares. */
import { escapePointer, isObject, type Json, type JsonObject } from '../../contract/json.js';
import type { Mismatch } from '../../contract/matcher.js';
import type { ModelTable } from '../../contract/model.js';
import { describeError } from '../statements/run-statement.js';
import { summarizeFiles } from './contents.js';
import { asObject } from './definition.js';
import { show, type Match } from './match.js';
import { fillAll, type Saved } from './saved.js';
import { listRows, sortByReferences, type TestStores } from './stores.js';

export interface TestState {
  readonly tables: Map<string, readonly string[]>;
  readonly files: string;
}

/** In this order, so that one step can replace a row. */
const CHANGES = ['delete', 'update', 'insert'] as const;

export const hasChanges = (step: JsonObject): boolean => CHANGES.some((kind) => step[kind] !== undefined);

export interface ChangeContext {
  readonly stores: TestStores;
  readonly saved: Saved;
  readonly match: Match;
  readonly fail: (at: string, found: readonly Mismatch[]) => void;
}

export async function readState(stores: TestStores): Promise<TestState> {
  return { tables: await readTables(stores), files: summarizeFiles(await stores.readFiles()) };
}

async function readTables(stores: TestStores): Promise<Map<string, readonly string[]>> {
  const tables = new Map<string, readonly string[]>();
  for (const table of stores.tables) tables.set(table.model, toTexts(await stores.readRows(table)));
  return tables;
}

const toTexts = (rows: readonly JsonObject[]): string[] => rows.map((row) => JSON.stringify(row));

export function hasSameRows({ tables }: TestState, { model }: ModelTable, rows: readonly JsonObject[]): boolean {
  const known = tables.get(model) ?? [];
  return known.length === rows.length && subtractRows(toTexts(rows), known).length === 0;
}

function subtractRows(rows: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const row of others) left.set(row, (left.get(row) ?? 0) + 1);
  return rows.filter((row) => {
    const count = left.get(row) ?? 0;
    left.set(row, count - 1);
    return count <= 0;
  });
}

/** Changes rows; what follows from it (cascades, triggers) counts as before in `unchanged`. */
export async function changeStores(
  context: ChangeContext,
  step: JsonObject,
  at: string,
  before: TestState | null,
): Promise<void> {
  const { stores } = context;
  const earlier = before === null ? null : await readTables(stores);
  for (const kind of CHANGES) {
    const named = Object.entries(asObject(step[kind])).map(([name, changed]) => ({
      name,
      table: stores.getTable(name),
      changed,
    }));
    const ordered = sortByReferences(named);
    for (const { name, table, changed } of kind === 'delete' ? ordered.reverse() : ordered)
      for (const [index, row] of listRows(changed).entries()) {
        const place = `${at}/${kind}/${escapePointer(name)}/${index}`;
        await changeTable(context, { kind, table, row, place }).catch((error: unknown) =>
          context.fail(place, [{ pointer: '', message: describeError(error).text }]),
        );
      }
  }
  if (before === null || earlier === null) return;
  for (const [model, rows] of await readTables(stores)) {
    const old = earlier.get(model) ?? [];
    const rest = subtractRows(before.tables.get(model) ?? [], subtractRows(old, rows));
    before.tables.set(model, [...rest, ...subtractRows(rows, old)]);
  }
}

interface TableChange {
  readonly kind: (typeof CHANGES)[number];
  readonly table: ModelTable;
  readonly row: JsonObject;
  readonly place: string;
}

async function changeTable(
  { stores, saved, match, fail }: ChangeContext,
  { kind, table, row, place }: TableChange,
): Promise<void> {
  const fillRow = (json: Json | undefined): JsonObject => {
    const filled = fillAll(json ?? {}, saved) as Json;
    return isObject(filled) ? filled : {};
  };
  if (kind === 'insert') return stores.insertRows(table, [fillRow(row)]);
  const wanted = kind === 'delete' ? row : asObject(row['where']);
  const all = await stores.readRows(table);
  const found = all.filter((one) => match(wanted, one).length === 0);
  if (found.length === 0)
    return fail(place, [{ pointer: '', message: `"${table.table}" has no such row; it has ${show(all)}` }]);
  return stores.changeRows(table, found, kind === 'delete' ? null : fillRow(row['set']));
}

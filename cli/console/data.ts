/** Rows of tables and collections, page by page, as their stores read them. */
import type { JsonObject } from '../../contract/json.js';
import type { ColumnType, ModelColumn, ModelTable } from '../../contract/model.js';
import type { RowSource } from '../../contract/row-source.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';
import { createSecretMask, maskValue } from '../debug/secrets.js';
import { describeError } from '../statements/run-statement.js';

export interface CallReply {
  readonly status?: number;
  readonly body: unknown;
}

export interface FoundTable {
  readonly table: ModelTable;
  /** `dialect:mysql/main` */
  readonly store: string;
  readonly rows: RowSource;
}

export interface ShownColumn {
  readonly name: string;
  /** Null: not in the model. */
  readonly type: ColumnType | null;
  /** Sorted, filtered and changed. */
  readonly isOpen: boolean;
  readonly isKey: boolean;
  readonly references: ModelColumn['references'];
}

const PAGE = 50;

export const listTables = (kernel: Kernel): readonly FoundTable[] =>
  kernel.plans().tables.flatMap((table) =>
    table.stores.flatMap(({ kind, instance: name }) => {
      const found = kernel.instances.find(({ id, context }) => id.startsWith(`${kind}:`) && context.instance === name);
      const rows = found?.runtime.createRowSource?.(found.handle());
      return found === undefined || rows === undefined ? [] : [{ table, store: found.key, rows }];
    }),
  );

export function findTable(kernel: Kernel, name: string, store: string | null): FoundTable | undefined {
  const all = listTables(kernel).filter(({ table }) => table.table === name);
  return all.find((one) => one.store === store) ?? all[0];
}

/** The order of secret values, and whether one matches, would say much about them. */
export function listColumns(kernel: Kernel, { table, rows }: FoundTable): readonly ShownColumn[] {
  const mask = createSecretMask(kernel);
  const keys = rows.listKeys(table);
  const own = keys.filter((name) => !table.columns.some((one) => one.name === name));
  return [
    ...own.map((name) => ({ name, type: rows.findType(table, name), references: null, secret: false })),
    ...table.columns,
  ].map(({ name, type, references, secret }) => ({
    name,
    type,
    isOpen: !secret && !mask.isSecret(name),
    isKey: keys.includes(name),
    references,
  }));
}

/** `table`, `store`, `sort` (with `-` for descending), `column` with `contains` or `equals`, `page` from 0. */
export async function readTable(kernel: Kernel, query: URLSearchParams): Promise<CallReply> {
  const name = query.get('table') ?? '';
  const found = findTable(kernel, name, query.get('store'));
  if (found === undefined) return { status: 404, body: { message: `There is no table or collection "${name}".` } };
  const { table, rows: source } = found;
  const columns = listColumns(kernel, found);
  const [sort, column] = [query.get('sort') ?? '', query.get('column') ?? ''];
  const asked = [sort.replace(/^-/, ''), column].filter((one) => one !== '');
  const unknown = asked.find((one) => !columns.some(({ name: own, isOpen }) => isOpen && own === one));
  if (unknown !== undefined)
    return { status: 400, body: { message: `The table cannot be sorted or filtered by "${unknown}".` } };
  const page = Math.min(Math.max(0, Math.trunc(Number(query.get('page') ?? 0)) || 0), 1_000_000);
  const text = query.get('equals') ?? query.get('contains');
  const begun = performance.now();
  try {
    const rows = await source.read(table, {
      filter: column === '' || text === null ? null : { column, text, contains: !query.has('equals') },
      sort: sort === '' ? null : { column: sort.replace(/^-/, ''), descending: sort.startsWith('-') },
      skip: page * PAGE,
      limit: PAGE + 1,
    });
    const took = Math.round((performance.now() - begun) * 10) / 10;
    const shown = maskValue(rows.slice(0, PAGE), createSecretMask(kernel), []) as readonly JsonObject[];
    const all = [...columns, ...listOthers(columns, shown)];
    const hasMore = rows.length > PAGE;
    return { body: { table: name, store: found.store, columns: all, rows: shown, hasMore, page, took } };
  } catch (error) {
    const mask = createSecretMask(kernel);
    return { status: 409, body: { message: mask.maskText(describeError(error).text, []) } };
  }
}

function listOthers(columns: readonly ShownColumn[], rows: readonly JsonObject[]): ShownColumn[] {
  const known = new Set(columns.map(({ name }) => name));
  const others = new Set(rows.flatMap((row) => Object.keys(row)).filter((name) => !known.has(name)));
  return [...others].map((name) => ({ name, type: null, isOpen: false, isKey: false, references: null }));
}

/** Rows of a table, page by page, in a transaction that cannot write. */
import type { Json } from '../../contract/json.js';
import type { ModelColumn, ModelTable } from '../../contract/model.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';
import { createSecretMask } from '../debug/secrets.js';
import { runStatement } from '../statements/run-statement.js';

export interface CallReply {
  readonly status?: number;
  readonly body: unknown;
}

const PAGE = 50;

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Tables of SQL connections, with the one to read from. */
export function listTables(kernel: Kernel): { readonly table: ModelTable; readonly connection: string }[] {
  const { registry } = kernel.project;
  const connections = new Set(
    kernel.instances
      .filter(({ id }) => registry.plugins.get(id)?.facts?.syntax === 'postgresql')
      .map(({ key }) => key.slice(key.lastIndexOf('/') + 1)),
  );
  return kernel.plans().tables.flatMap((table) => {
    const place = table.stores.find(({ instance }) => connections.has(instance));
    return place === undefined ? [] : [{ table, connection: place.instance }];
  });
}

export const findTable = (kernel: Kernel, name: string): ReturnType<typeof listTables>[number] | undefined =>
  listTables(kernel).find(({ table }) => table.table === name);

/** The order of secret values, and whether one matches, would say much about them. */
export function listOpenColumns(kernel: Kernel, { columns }: ModelTable): ReadonlyMap<string, ModelColumn> {
  const mask = createSecretMask(kernel);
  return new Map(columns.filter((one) => !one.secret && !mask.isSecret(one.name)).map((one) => [one.name, one]));
}

/** `table`, `sort` (with `-` for descending), `column` with `contains` or `equals`, `page` from 0. */
export async function readTable(kernel: Kernel, query: URLSearchParams): Promise<CallReply> {
  const name = query.get('table') ?? '';
  const found = findTable(kernel, name);
  if (found === undefined) return { status: 404, body: { message: `There is no table "${name}" of PostgreSQL.` } };
  const { table, connection } = found;
  const open = listOpenColumns(kernel, table);
  const asked = [(query.get('sort') ?? '').replace(/^-/, ''), query.get('column') ?? ''].filter((one) => one !== '');
  const unknown = asked.find((one) => !open.has(one));
  if (unknown !== undefined)
    return { status: 400, body: { message: `The table cannot be sorted or filtered by "${unknown}".` } };
  const page = Math.min(Math.max(0, Math.trunc(Number(query.get('page') ?? 0)) || 0), 1_000_000);
  const { sql, parameters } = writeStatement(table, query, page);
  const answer = await runStatement(kernel, { sql, parameters, connection, explain: false, confirmed: false });
  if ('message' in answer) return { status: 409, body: { message: answer.message } };
  return {
    body: {
      table: name,
      columns: table.columns.map((column) => ({
        name: column.name,
        type: column.type,
        isOpen: open.has(column.name),
        isKey: column.primaryKey,
        references: column.references,
      })),
      rows: answer.rows.slice(0, PAGE),
      hasMore: answer.rows.length > PAGE,
      page,
      took: answer.took,
    },
  };
}

function writeStatement(
  { table, columns }: ModelTable,
  query: URLSearchParams,
  page: number,
): { readonly sql: string; readonly parameters: readonly Json[] } {
  const [sort, column] = [query.get('sort') ?? '', query.get('column') ?? ''];
  const [equals, contains] = [query.get('equals'), query.get('contains')];
  const filter = column === '' ? null : (equals ?? contains);
  const place = `CAST(${quoteName(column)} AS text)`;
  const where =
    filter === null ? '' : ` WHERE ${equals === null ? `position(lower($1) IN lower(${place})) > 0` : `${place} = $1`}`;
  const keys = columns.filter(({ primaryKey }) => primaryKey).map(({ name }) => quoteName(name));
  const first = sort === '' ? [] : [`${quoteName(sort.replace(/^-/, ''))} ${sort.startsWith('-') ? 'DESC' : 'ASC'}`];
  const order = [...first, ...keys];
  const ordered = order.length === 0 ? '' : ` ORDER BY ${order.join(', ')}`;
  return {
    sql: `SELECT * FROM ${quoteName(table)}${where}${ordered} LIMIT ${PAGE + 1} OFFSET ${page * PAGE}`,
    parameters: filter === null ? [] : [filter],
  };
}

/** Column types, to bind values, and unique keys, to find written rows. */
import { ASSUMED } from '../../queries/sql/text/objects.js';
import type { Log } from '../../../contract/plugin.js';
import type { Trigger } from '../shared/triggers.js';
import type { MysqlConnection } from './connection.js';
import { toValueType, type ValueType } from './types.js';
import { quoteSqlName } from '../../queries/sql/text/quotes.js';

export interface MysqlCatalogueTable {
  readonly columns: ReadonlyMap<string, ValueType | undefined>;
  /** The AUTO_INCREMENT column. */
  readonly auto: string | null;
  readonly keys: readonly { readonly name: string; readonly primary: boolean; readonly columns: readonly string[] }[];
}

export type MysqlCatalogue = ReadonlyMap<string, MysqlCatalogueTable>;

const COLUMNS = `SELECT table_name AS t, column_name AS c, data_type AS d, column_type AS f, extra AS e
  FROM information_schema.columns WHERE table_schema = DATABASE()`;
const KEYS = `SELECT table_name AS t, index_name AS i, column_name AS c FROM information_schema.statistics
  WHERE table_schema = DATABASE() AND non_unique = 0 ORDER BY index_name = 'PRIMARY' DESC, index_name, seq_in_index`;
const JSON_CHECKS = `SELECT table_name AS t, check_clause AS c FROM information_schema.check_constraints
  WHERE constraint_schema = DATABASE() AND check_clause LIKE 'json_valid(%'`;

const TRIGGERS = `SELECT trigger_name AS n, event_object_table AS t, action_statement AS b FROM information_schema.triggers
  WHERE trigger_schema = DATABASE()`;

const toText = (value: unknown): string => (Buffer.isBuffer(value) ? value.toString('utf8') : String(value));
const readRows = async (wire: MysqlConnection, sql: string): Promise<string[][]> =>
  ((await wire.run(sql, [])).rows ?? []).map((row) => row.map(toText));

export async function readTriggers(wire: MysqlConnection): Promise<readonly Trigger[]> {
  return (await readRows(wire, TRIGGERS)).map(([name = '', table = '', body = '']) => ({ name, table, body }));
}

const VIEWS = `SELECT table_name AS t, view_definition AS d FROM information_schema.views WHERE table_schema = DATABASE()`;
const VIEW_COLUMNS = `SELECT c.table_name AS t, c.column_name AS c FROM information_schema.columns c JOIN information_schema.views v
  ON v.table_schema = c.table_schema AND v.table_name = c.table_name WHERE c.table_schema = DATABASE()
  ORDER BY c.table_name, c.ordinal_position`;
const TABLE_COLUMNS = `SELECT c.table_name AS t, c.column_name AS c FROM information_schema.columns c JOIN information_schema.tables b
  ON b.table_schema = c.table_schema AND b.table_name = c.table_name WHERE c.table_schema = DATABASE() AND b.table_type = 'BASE TABLE'`;
const FUNCTIONS = `SELECT routine_name AS n, routine_definition AS d FROM information_schema.routines
  WHERE routine_schema = DATABASE() AND routine_type = 'FUNCTION'`;

/** Standard quotes; texts are left empty, because they name nothing. */
const toStandardQuotes = (text: string): string =>
  text.replace(/`((?:[^`]|``)*)`|'(?:[^'\\]|\\.|'')*'/gs, (_, name: string | undefined) =>
    name === undefined ? "''" : `"${name.replaceAll('``', '`').replaceAll('"', '""')}"`,
  );

const isReadable = ([, text = '']: readonly string[]): boolean => text !== '' && text !== 'null';
const listUnread = (rows: readonly (readonly string[])[]): string[] =>
  rows.filter((row) => !isReadable(row)).map(([name = '']) => name);

/** A query of one value, which may be any column. */
async function assumeQuery(wire: MysqlConnection): Promise<string> {
  const columns = await readRows(wire, TABLE_COLUMNS);
  const tables = [...new Set(columns.map(([table = '']) => quoteSqlName(table)))];
  const values = columns.map(([table = '', column = '']) => `${quoteSqlName(table)}.${quoteSqlName(column)}`);
  return `SELECT ${ASSUMED} concat(${values.join(', ')}) AS x FROM ${tables.join(', ')}`;
}

/**
 * Statements that create the database's views and functions. What may not be read is logged, and counts as returning
 * every secret.
 */
export async function readObjects(wire: MysqlConnection, log: Pick<Log, 'warn'>): Promise<readonly string[]> {
  const [views, functions] = [await readRows(wire, VIEWS), await readRows(wire, FUNCTIONS)];
  const columns = new Map<string, string[]>();
  for (const [view = '', column = ''] of views.length === 0 ? [] : await readRows(wire, VIEW_COLUMNS))
    columns.set(view, [...(columns.get(view) ?? []), quoteSqlName(column)]);
  const unread = [...listUnread(views), ...listUnread(functions)];
  if (unread.length > 0)
    log.warn(
      { unread },
      'views and functions whose definitions this user may not read are taken to return every secret: grant SHOW VIEW, SHOW_ROUTINE',
    );
  const assumed = unread.length === 0 ? '' : await assumeQuery(wire);
  return [
    ...listUnread(views).map((name) => {
      const list = columns.get(name) ?? [];
      return `CREATE VIEW ${quoteSqlName(name)} (${list.join(', ')}) AS SELECT ${list.map(() => 's.x').join(', ')} FROM (${assumed}) AS s`;
    }),
    ...listUnread(functions).map((name) => `CREATE FUNCTION ${quoteSqlName(name)} () RETURNS text RETURN (${assumed})`),
    // The definition names the columns in the words of its tables.
    ...views.filter(isReadable).map(([name = '', text = '']) => {
      const list = (columns.get(name) ?? []).join(', ');
      return `CREATE VIEW ${quoteSqlName(name)} (${list}) AS ${toStandardQuotes(text)}`;
    }),
    ...functions
      .filter(isReadable)
      .map(
        ([name = '', text = '']) => `CREATE FUNCTION ${quoteSqlName(name)} () RETURNS text ${toStandardQuotes(text)}`,
      ),
  ];
}

export async function readCatalogue(wire: MysqlConnection): Promise<MysqlCatalogue> {
  interface Table {
    columns: Map<string, ValueType | undefined>;
    auto: string | null;
    keys: { name: string; primary: boolean; columns: string[] }[];
  }
  const tables = new Map<string, Table>();
  for (const [table = '', column = '', data = '', full = '', extra = ''] of await readRows(wire, COLUMNS)) {
    const found: Table = tables.get(table) ?? { columns: new Map(), auto: null, keys: [] };
    tables.set(table, found);
    found.columns.set(column.toLowerCase(), toValueType(data.toLowerCase(), full.toLowerCase()));
    if (/auto_increment/i.test(extra)) found.auto = column;
  }
  for (const [table = '', name = '', column = ''] of await readRows(wire, KEYS)) {
    const keys = tables.get(table)?.keys;
    const known = keys?.find((key) => key.name === name);
    if (known) known.columns.push(column);
    else keys?.push({ name, primary: name === 'PRIMARY', columns: [column] });
  }
  if (wire.flavour === 'mariadb') {
    for (const [table = '', clause = ''] of await readRows(wire, JSON_CHECKS)) {
      const column = /^json_valid\([`"](.*)[`"]\)$/i.exec(clause)?.[1]?.replaceAll(/([`"])\1/g, '$1');
      if (column !== undefined) tables.get(table)?.columns.set(column.toLowerCase(), 'json');
    }
  }
  return tables;
}

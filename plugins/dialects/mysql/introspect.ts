/** Reads the current tables of the models from `information_schema` of MySQL and MariaDB. */
import type { ModelTable } from '../../../contract/model.js';
import type { KnownColumn, KnownConstraint, KnownIndex, KnownTable, KnownTables } from '../shared/known.js';
import type { Session } from '../shared/session.js';

type Cells = Readonly<Record<string, unknown>>;

/** Depending on the session, the catalogue returns text, numbers or bytes. */
function text(cell: unknown): string {
  if (cell instanceof Uint8Array) return Buffer.from(cell).toString('utf8');
  return typeof cell === 'string' || typeof cell === 'number' || typeof cell === 'bigint' ? String(cell) : '';
}
const isYes = (cell: unknown): boolean => /^(?:YES|1)$/i.test(text(cell));

const HERE = 'table_schema = DATABASE()';

const queries = (marks: string, mariadb: boolean): Readonly<Record<string, string>> => ({
  tables: `SELECT table_name AS tbl, table_type AS kind FROM information_schema.tables WHERE ${HERE} AND table_name IN (${marks})`,
  columns: `SELECT table_name AS tbl, column_name AS col, data_type AS type, column_type AS written, is_nullable AS nullable,
      column_default IS NOT NULL AS filled, extra AS extra, character_maximum_length AS chars, collation_name AS coll
    FROM information_schema.columns WHERE ${HERE} AND table_name IN (${marks}) ORDER BY table_name, ordinal_position`,
  indexes: `SELECT table_name AS tbl, index_name AS name, non_unique AS many, column_name AS col, sub_part AS part, index_type AS type
    FROM information_schema.statistics WHERE ${HERE} AND table_name IN (${marks}) ORDER BY table_name, index_name, seq_in_index`,
  foreign: `SELECT table_name AS tbl, constraint_name AS name, column_name AS col, referenced_table_name AS target
    FROM information_schema.key_column_usage
    WHERE ${HERE} AND referenced_table_name IS NOT NULL AND table_name IN (${marks}) ORDER BY constraint_name, ordinal_position`,
  // Check names are unique per schema in MySQL, and per table in MariaDB.
  checks: `SELECT t.table_name AS tbl, t.constraint_name AS name, c.check_clause AS definition
    FROM information_schema.table_constraints t JOIN information_schema.check_constraints c
      ON c.constraint_schema = t.constraint_schema AND c.constraint_name = t.constraint_name${
        mariadb ? ' AND c.table_name = t.table_name' : ''
      }
    WHERE t.constraint_type = 'CHECK' AND t.${HERE} AND t.table_name IN (${marks})`,
});

/** MariaDB has no JSON type in its catalogue; the `json_valid` check reveals it. */
function columnOf(row: Cells, jsonColumns: ReadonlySet<string>): KnownColumn {
  const written = text(row['written']);
  const type = written === 'tinyint(1)' ? 'boolean' : text(row['type']);
  const name = `${text(row['tbl'])} ${text(row['col'])}`;
  const chars = type.endsWith('char') ? Number(text(row['chars'])) : null;
  return {
    type: jsonColumns.has(name) ? 'json' : type,
    written,
    nullable: isYes(row['nullable']),
    // MariaDB reports a missing default as the text NULL; a nullable column needs none.
    filled: isYes(row['filled']) || /auto_increment|generated/i.test(text(row['extra'])),
    length: chars,
    collation: text(row['coll']) || null,
  };
}

function grouped(rows: readonly Cells[], key: (row: Cells) => string): ReadonlyMap<string, readonly Cells[]> {
  const groups = new Map<string, Cells[]>();
  for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row]);
  return groups;
}

const byName = (rows: readonly Cells[], table: string): (readonly Cells[])[] => [
  ...grouped(
    rows.filter((row) => text(row['tbl']) === table),
    (row) => text(row['name']),
  ).values(),
];

function indexOf(rows: readonly Cells[]): KnownIndex {
  const [first] = rows;
  const name = text(first?.['name']);
  const isPlain =
    text(first?.['type']) === 'BTREE' && rows.every((row) => text(row['col']) && text(row['part']) === '');
  return {
    name,
    unique: text(first?.['many']) === '0',
    primary: name === 'PRIMARY',
    constraint: false,
    columns: isPlain ? rows.map((row) => text(row['col'])) : [],
  };
}

const foreignOf = (rows: readonly Cells[]): KnownConstraint => ({
  name: text(rows[0]?.['name']),
  type: 'foreign',
  columns: rows.map((row) => text(row['col'])),
  target: text(rows[0]?.['target']),
  definition: '',
});

const checkOf = (row: Cells): KnownConstraint => ({
  name: text(row['name']),
  type: 'check',
  columns: [],
  target: null,
  definition: text(row['definition']),
});

/** MariaDB: `json_valid(`tags`)`, under the name of the column. */
function jsonColumnsOf(checks: readonly Cells[]): ReadonlySet<string> {
  return new Set(
    checks
      .filter((row) => /^\s*\(?json_valid\(/i.test(text(row['definition'])))
      .map((row) => `${text(row['tbl'])} ${text(row['name'])}`),
  );
}

/** Omits tables that do not exist. */
export async function introspect(
  session: Session,
  tables: readonly ModelTable[],
  mariadb: boolean,
): Promise<KnownTables> {
  const names = tables.map(({ table }) => table);
  const sql = queries(names.map(() => '?').join(', '), mariadb);
  const read = async (what: string): Promise<readonly Cells[]> => session.query(sql[what] ?? '', names);
  const found = await read('tables');
  if (found.length === 0) return new Map();
  const columns = await read('columns');
  const indexes = await read('indexes');
  const foreign = await read('foreign');
  const checks = await read('checks');
  const jsonColumns = jsonColumnsOf(checks);
  return new Map(
    found.map((row): [string, KnownTable] => {
      const name = text(row['tbl']);
      const here = (rows: readonly Cells[]): readonly Cells[] => rows.filter((one) => text(one['tbl']) === name);
      return [
        name,
        {
          table: text(row['kind']) === 'BASE TABLE',
          columns: new Map(here(columns).map((one) => [text(one['col']), columnOf(one, jsonColumns)])),
          indexes: byName(indexes, name).map(indexOf),
          constraints: [...byName(foreign, name).map(foreignOf), ...here(checks).map(checkOf)],
        },
      ];
    }),
  );
}

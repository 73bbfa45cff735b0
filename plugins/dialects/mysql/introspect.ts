/** The tables of the models in `information_schema`. */
import type { ModelTable } from '../../../contract/model.js';
import type { KnownColumn, KnownConstraint, KnownIndex, KnownTable, KnownTables } from '../shared/migration-types.js';
import type { MigrationSession } from '../shared/session.js';

type Cells = Readonly<Record<string, unknown>>;

/** Depending on the session, the catalogue returns text, numbers or bytes. */
function toText(cell: unknown): string {
  if (cell instanceof Uint8Array) return Buffer.from(cell).toString('utf8');
  return typeof cell === 'string' || typeof cell === 'number' || typeof cell === 'bigint' ? String(cell) : '';
}
const isYes = (cell: unknown): boolean => /^(?:YES|1)$/i.test(toText(cell));

const HERE = 'table_schema = DATABASE()';

const createQueries = (marks: string, mariadb: boolean): Readonly<Record<string, string>> => ({
  tables: `SELECT table_name AS tbl, table_type AS kind FROM information_schema.tables WHERE ${HERE} AND table_name IN (${marks})`,
  columns: `SELECT table_name AS tbl, column_name AS col, data_type AS type, column_type AS written, is_nullable AS nullable,
      column_default IS NOT NULL AS filled, extra AS extra, character_maximum_length AS chars, collation_name AS coll
    FROM information_schema.columns WHERE ${HERE} AND table_name IN (${marks}) ORDER BY table_name, ordinal_position`,
  indexes: `SELECT table_name AS tbl, index_name AS name, non_unique AS many, column_name AS col, sub_part AS part, index_type AS type
    FROM information_schema.statistics WHERE ${HERE} AND table_name IN (${marks}) ORDER BY table_name, index_name, seq_in_index`,
  foreign: `SELECT table_name AS tbl, constraint_name AS name, column_name AS col, referenced_table_name AS target
    FROM information_schema.key_column_usage
    WHERE ${HERE} AND referenced_table_name IS NOT NULL AND table_name IN (${marks}) ORDER BY constraint_name, ordinal_position`,
  // Check names are unique per schema, in MariaDB per table.
  checks: `SELECT t.table_name AS tbl, t.constraint_name AS name, c.check_clause AS definition
    FROM information_schema.table_constraints t JOIN information_schema.check_constraints c
      ON c.constraint_schema = t.constraint_schema AND c.constraint_name = t.constraint_name${
        mariadb ? ' AND c.table_name = t.table_name' : ''
      }
    WHERE t.constraint_type = 'CHECK' AND t.${HERE} AND t.table_name IN (${marks})`,
});

/** MariaDB's catalogue has no JSON, only the `json_valid` check. */
function toKnownColumn(row: Cells, jsonColumns: ReadonlySet<string>): KnownColumn {
  const written = toText(row['written']);
  const type = written === 'tinyint(1)' ? 'boolean' : toText(row['type']);
  const name = `${toText(row['tbl'])} ${toText(row['col'])}`;
  const chars = type.endsWith('char') ? Number(toText(row['chars'])) : null;
  return {
    type: jsonColumns.has(name) ? 'json' : type,
    written,
    nullable: isYes(row['nullable']),
    // MariaDB reports a missing default as NULL.
    filled: isYes(row['filled']) || /auto_increment|generated/i.test(toText(row['extra'])),
    length: chars,
    collation: toText(row['coll']) || null,
  };
}

function groupRows(rows: readonly Cells[], key: (row: Cells) => string): ReadonlyMap<string, readonly Cells[]> {
  const groups = new Map<string, Cells[]>();
  for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row]);
  return groups;
}

const groupByName = (rows: readonly Cells[], table: string): (readonly Cells[])[] => [
  ...groupRows(
    rows.filter((row) => toText(row['tbl']) === table),
    (row) => toText(row['name']),
  ).values(),
];

function toKnownIndex(rows: readonly Cells[]): KnownIndex {
  const [first] = rows;
  const name = toText(first?.['name']);
  const isPlain =
    toText(first?.['type']) === 'BTREE' && rows.every((row) => toText(row['col']) && toText(row['part']) === '');
  return {
    name,
    unique: toText(first?.['many']) === '0',
    primary: name === 'PRIMARY',
    constraint: false,
    columns: isPlain ? rows.map((row) => toText(row['col'])) : [],
  };
}

const toForeignKey = (rows: readonly Cells[]): KnownConstraint => ({
  name: toText(rows[0]?.['name']),
  type: 'foreign',
  columns: rows.map((row) => toText(row['col'])),
  target: toText(rows[0]?.['target']),
  definition: '',
});

const toCheckConstraint = (row: Cells): KnownConstraint => ({
  name: toText(row['name']),
  type: 'check',
  columns: [],
  target: null,
  definition: toText(row['definition']),
});

/** MariaDB: `json_valid(`tags`)`, under the name of the column. */
function findJsonColumns(checks: readonly Cells[]): ReadonlySet<string> {
  return new Set(
    checks
      .filter((row) => /^\s*\(?json_valid\(/i.test(toText(row['definition'])))
      .map((row) => `${toText(row['tbl'])} ${toText(row['name'])}`),
  );
}

/** Omits tables that do not exist. */
export async function introspectMysql(
  session: MigrationSession,
  tables: readonly ModelTable[],
  mariadb: boolean,
): Promise<KnownTables> {
  const names = tables.map(({ table }) => table);
  const sql = createQueries(names.map(() => '?').join(', '), mariadb);
  const read = async (what: string): Promise<readonly Cells[]> => session.query(sql[what] ?? '', names);
  const found = await read('tables');
  if (found.length === 0) return new Map();
  const columns = await read('columns');
  const indexes = await read('indexes');
  const foreign = await read('foreign');
  const checks = await read('checks');
  const jsonColumns = findJsonColumns(checks);
  return new Map(
    found.map((row): [string, KnownTable] => {
      const name = toText(row['tbl']);
      const filterRows = (rows: readonly Cells[]): readonly Cells[] =>
        rows.filter((one) => toText(one['tbl']) === name);
      return [
        name,
        {
          table: toText(row['kind']) === 'BASE TABLE',
          columns: new Map(filterRows(columns).map((one) => [toText(one['col']), toKnownColumn(one, jsonColumns)])),
          indexes: groupByName(indexes, name).map(toKnownIndex),
          constraints: [...groupByName(foreign, name).map(toForeignKey), ...filterRows(checks).map(toCheckConstraint)],
        },
      ];
    }),
  );
}

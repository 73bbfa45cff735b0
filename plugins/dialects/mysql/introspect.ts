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

/** Without names: all tables. */
const createQueries = (names: readonly string[], mariadb: boolean): Readonly<Record<string, string>> => {
  const filterNames = (column: string): string =>
    names.length === 0 ? '' : ` AND ${column} IN (${names.map(() => '?').join(', ')})`;
  return {
    tables: `SELECT table_name AS tbl, table_type AS kind, table_comment AS remark FROM information_schema.tables
    WHERE ${HERE}${filterNames('table_name')} ORDER BY table_name`,
    columns: `SELECT table_name AS tbl, column_name AS col, data_type AS type, column_type AS written, is_nullable AS nullable,
      column_default IS NOT NULL AS filled, column_default AS given, column_comment AS remark, extra AS extra, character_maximum_length AS chars, collation_name AS coll
    FROM information_schema.columns WHERE ${HERE}${filterNames('table_name')} ORDER BY table_name, ordinal_position`,
    indexes: `SELECT table_name AS tbl, index_name AS name, non_unique AS many, column_name AS col, sub_part AS part, index_type AS type
    FROM information_schema.statistics WHERE ${HERE}${filterNames('table_name')} ORDER BY table_name, index_name, seq_in_index`,
    foreign: `SELECT k.table_name AS tbl, k.constraint_name AS name, k.column_name AS col,
      CONCAT(IF(k.referenced_table_schema = k.table_schema, '', CONCAT(k.referenced_table_schema, '.')), k.referenced_table_name) AS target,
      k.referenced_column_name AS targetCol, r.update_rule AS updated, r.delete_rule AS deleted
    FROM information_schema.key_column_usage k JOIN information_schema.referential_constraints r
      ON r.constraint_schema = k.constraint_schema AND r.constraint_name = k.constraint_name AND r.table_name = k.table_name
    WHERE k.${HERE} AND k.referenced_table_name IS NOT NULL${filterNames('k.table_name')} ORDER BY k.constraint_name, k.ordinal_position`,
    // Check names are unique per schema, in MariaDB per table.
    checks: `SELECT t.table_name AS tbl, t.constraint_name AS name, c.check_clause AS definition
    FROM information_schema.table_constraints t JOIN information_schema.check_constraints c
      ON c.constraint_schema = t.constraint_schema AND c.constraint_name = t.constraint_name${
        mariadb ? ' AND c.table_name = t.table_name' : ''
      }
    WHERE t.constraint_type = 'CHECK' AND t.${HERE}${filterNames('t.table_name')}`,
  };
};

/** MariaDB's catalogue has no JSON, only the `json_valid` check. */
function toKnownColumn(row: Cells, jsonColumns: ReadonlySet<string>): KnownColumn {
  const written = toText(row['written']);
  const type = written === 'tinyint(1)' ? 'boolean' : toText(row['type']);
  const name = `${toText(row['tbl'])} ${toText(row['col'])}`;
  const chars = type.endsWith('char') ? Number(toText(row['chars'])) : null;
  const extra = toText(row['extra']);
  return {
    type: jsonColumns.has(name) ? 'json' : type,
    written,
    nullable: isYes(row['nullable']),
    // MariaDB reports a missing default as NULL.
    filled: isYes(row['filled']) || /auto_increment|generated/i.test(extra),
    length: chars,
    collation: toText(row['coll']) || null,
    counted: /auto_increment/i.test(extra),
    generated: /^(?:virtual|stored|persistent)/i.test(extra),
    default:
      row['given'] === undefined || row['given'] === null || /^null$/i.test(toText(row['given']))
        ? null
        : toText(row['given']),
    comment: toText(row['remark']) || null,
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
  targetColumns: rows.map((row) => toText(row['targetCol'])),
  definition: `ON DELETE ${toText(rows[0]?.['deleted'])} ON UPDATE ${toText(rows[0]?.['updated'])}`,
});

const toCheckConstraint = (row: Cells): KnownConstraint => ({
  name: toText(row['name']),
  type: 'check',
  columns: [],
  target: null,
  targetColumns: [],
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

/** Omits tables that do not exist. Null: all. */
export async function introspectMysql(
  session: MigrationSession,
  tables: readonly ModelTable[] | null,
  mariadb: boolean,
): Promise<KnownTables> {
  if (tables?.length === 0) return new Map();
  const names = tables?.map(({ table }) => table) ?? [];
  const sql = createQueries(names, mariadb);
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
          comment: toText(row['kind']) === 'BASE TABLE' ? toText(row['remark']) || null : null,
          columns: new Map(filterRows(columns).map((one) => [toText(one['col']), toKnownColumn(one, jsonColumns)])),
          indexes: groupByName(indexes, name).map(toKnownIndex),
          constraints: [...groupByName(foreign, name).map(toForeignKey), ...filterRows(checks).map(toCheckConstraint)],
        },
      ];
    }),
  );
}

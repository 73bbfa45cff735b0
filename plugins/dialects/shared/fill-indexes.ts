/**
 * Fills the blind indexes of rows encrypted before their column had one, in short transactions, so that others serve
 * meanwhile. The next run continues, because a filled row is not selected again.
 */
import type { BlindIndexSource, FilledIndex, FillProgress } from '../../../contract/migration.js';
import type { ModelTable } from '../../../contract/model.js';
import type { Row } from '../kind.js';
import type { Flavour, MigrationTarget } from './migration-types.js';
import type { MigrationSession } from './session.js';

const BATCH = 500;

interface IndexedColumn {
  readonly table: string;
  readonly keys: readonly string[];
  readonly column: string;
  readonly index: string;
  readonly sources: readonly BlindIndexSource[];
}

export async function fillBlindIndexes(
  target: MigrationTarget,
  tables: readonly ModelTable[],
  sources: readonly BlindIndexSource[],
  progress?: FillProgress,
): Promise<readonly FilledIndex[]> {
  const filled: FilledIndex[] = [];
  if (target.isReplica === true) return filled;
  for (const { table, columns } of tables) {
    const keys = columns.filter(({ primaryKey }) => primaryKey).map(({ name }) => name);
    for (const { name, blind } of columns) {
      if (blind === undefined) continue;
      const own = sources.filter((one) => one.table === table && one.column === name);
      const column = { table, keys, column: name, index: blind, sources: own };
      const reason = findObstacle(column);
      const counts = reason === null ? await fillColumn(target, column, progress) : NOTHING;
      filled.push({ store: target.store, table, column: name, ...counts, reason });
    }
  }
  return filled;
}

type Counts = Pick<FilledIndex, 'filled' | 'unopened' | 'duplicates'>;

const NOTHING: Counts = { filled: 0, unopened: 0, duplicates: 0 };

function findObstacle({ table, keys, sources }: IndexedColumn): string | null {
  if (keys.length === 0) return `"${table}" has no primary key`;
  if (sources.length === 0) return 'no definition encrypts the column';
  return sources.every(({ perRequest }) => perRequest) ? 'its `aad` is read from requests' : null;
}

async function fillColumn(target: MigrationTarget, column: IndexedColumn, progress?: FillProgress): Promise<Counts> {
  const counts = { ...NOTHING };
  for (let after: readonly string[] | null = null; ;) {
    const rows: readonly Row[] = await target.withSession(async (session) =>
      selectRows(session, await target.flavour(session), column, after),
    );
    const last = rows.at(-1);
    if (last === undefined) return counts;
    const opened = rows.flatMap((row) => {
      const index = createIndex(column, String(row[column.column]));
      return index === null ? [] : [{ row, index }];
    });
    counts.unopened += rows.length - opened.length;
    await updateBatch(target, column, opened, counts);
    progress?.({ table: column.table, column: column.column, filled: counts.filled });
    after = readKey(column, last);
  }
}

const createIndex = ({ sources }: IndexedColumn, stored: string): string | null => {
  for (const source of sources) {
    const index = source.createIndex(stored);
    if (index !== null) return index;
  }
  return null;
};

const readKey = ({ keys }: IndexedColumn, row: Row): string[] => keys.map((key) => String(row[key]));

const selectRows = (
  session: MigrationSession,
  { quote, placeholder }: Flavour,
  { table, keys, column, index }: IndexedColumn,
  after: readonly string[] | null,
): Promise<readonly Row[]> => {
  const names = keys.map(quote).join(', ');
  const seen = after === null ? '' : ` AND (${names}) > (${keys.map((_, i) => placeholder(i + 1)).join(', ')})`;
  const text =
    `SELECT ${names}, ${quote(column)} FROM ${quote(table)} ` +
    `WHERE ${quote(index)} IS NULL AND ${quote(column)} IS NOT NULL${seen} ORDER BY ${names} LIMIT ${BATCH}`;
  return session.query(text, after ?? []);
};

interface OpenedRow {
  readonly row: Row;
  readonly index: string;
}

/** A value that another row has fails the transaction, so the rows are then written one by one. */
async function updateBatch(
  target: MigrationTarget,
  column: IndexedColumn,
  rows: readonly OpenedRow[],
  counts: { filled: number; duplicates: number },
): Promise<void> {
  if (rows.length === 0) return;
  let flavour: Flavour | null = null;
  try {
    await target.withSession(async (session) => {
      flavour = await target.flavour(session);
      for (const one of rows) await updateRow(session, flavour, column, one);
    });
    counts.filled += rows.length;
  } catch (error) {
    if ((flavour as Flavour | null)?.isDuplicate(error) !== true) throw error;
    if (rows.length === 1) counts.duplicates++;
    else for (const one of rows) await updateBatch(target, column, [one], counts);
  }
}

/** A row written meanwhile has another ciphertext. */
const updateRow = (
  session: MigrationSession,
  { quote, placeholder }: Flavour,
  { table, keys, column, index }: IndexedColumn,
  { row, index: value }: OpenedRow,
): Promise<readonly Row[]> =>
  session.query(
    `UPDATE ${quote(table)} SET ${quote(index)} = ${placeholder(1)} WHERE ${quote(column)} = ${placeholder(2)}` +
      keys.map((key, i) => ` AND ${quote(key)} = ${placeholder(i + 3)}`).join(''),
    [value, String(row[column]), ...keys.map((key) => String(row[key]))],
  );

/**
 * Maps models to MySQL and MariaDB types. Text compares byte for byte with trailing spaces, except in full-text
 * fields. Keys need a length.
 */
import type { ColumnType, ModelColumn, ModelTable } from '../../../contract/model.js';
import type { KnownColumn, KnownTables, Misfit, TypeMapping } from '../shared/migration-types.js';

/** The two servers have no such collation in common. */
export interface Collations {
  readonly exact: string;
  /** For fields with `fts`: MATCH uses the collation of the column. */
  readonly words: string;
}

export const getCollations = (mariadb: boolean): Collations =>
  mariadb
    ? { exact: 'utf8mb4_nopad_bin', words: 'utf8mb4_unicode_520_nopad_ci' }
    : { exact: 'utf8mb4_0900_bin', words: 'utf8mb4_0900_ai_ci' };

/** The length of key columns without one in the model. */
const KEY_LENGTH = 255;
/** An index entry has 3072 bytes, a character 4. */
const INDEX_CHARS = 768;
/** Longer text is outside the row of 65535 bytes. */
const INLINE_CHARS = 1000;

const TYPES: Readonly<Record<Exclude<ColumnType, 'text'>, string>> = {
  integer: 'BIGINT',
  float: 'DOUBLE',
  boolean: 'TINYINT(1)',
  timestamp: 'DATETIME(6)',
  json: 'JSON',
};

const FITTING: Readonly<Record<ColumnType, readonly string[]>> = {
  integer: ['bigint', 'int', 'mediumint', 'smallint', 'tinyint', 'decimal'],
  float: ['double', 'float', 'decimal'],
  text: ['varchar', 'char', 'text', 'mediumtext', 'longtext', 'tinytext', 'uuid', 'enum'],
  boolean: ['boolean'],
  timestamp: ['datetime', 'timestamp', 'date'],
  json: ['json', 'longtext'],
};

const KEYABLE = ['varchar', 'char', 'uuid', 'enum'];

/** In a key, an index or a reference. */
const isKeyed = ({ uniques }: ModelTable, column: ModelColumn): boolean =>
  column.primaryKey ||
  column.index ||
  column.references !== null ||
  uniques.some((unique) => unique.includes(column.name));

function calculateKeyLength({ columns, uniques }: ModelTable, column: ModelColumn): number {
  const keys = columns.filter(({ primaryKey }) => primaryKey).map(({ name }) => name);
  const texts = [keys, ...uniques]
    .filter((names) => names.includes(column.name))
    .map((names) => columns.filter(({ name, type }) => type === 'text' && names.includes(name)).length);
  // One more character of `bound`, and 64 bytes for other columns.
  return Math.floor((INDEX_CHARS - 16) / Math.max(1, ...texts)) - 1;
}

/**
 * The limit of the check. The type allows one more character, so that the check rejects trailing spaces, which would
 * otherwise be truncated.
 */
function calculateLengthLimit(table: ModelTable, column: ModelColumn): number | null {
  if (column.type !== 'text') return null;
  if (!isKeyed(table, column)) return column.maxLength;
  return Math.min(column.maxLength ?? KEY_LENGTH, calculateKeyLength(table, column));
}

/** A referencing text must have the collation of its target. */
function resolveCollation(
  table: ModelTable,
  column: ModelColumn,
  known: KnownTables,
  { exact, words }: Collations,
): string {
  const target = column.references;
  const there = target && known.get(target.table)?.columns.get(target.column)?.collation;
  if (there) return there;
  return column.search && !isKeyed(table, column) ? words : exact;
}

/** Collation names begin with the character set. */
const getCharset = (collation: string): string => collation.split('_', 1)[0] ?? 'utf8mb4';

function formatTextType(table: ModelTable, column: ModelColumn, collation: string): string {
  const length = calculateLengthLimit(table, column);
  const short = length !== null && (isKeyed(table, column) || length < INLINE_CHARS);
  const type = short ? `VARCHAR(${length + 1})` : 'LONGTEXT';
  return `${type} CHARACTER SET ${getCharset(collation)} COLLATE ${collation}`;
}

/** Both sides of a reference have the type of an existing target. */
function getIntegerType(column: ModelColumn, known: KnownTables): string {
  const target = column.references;
  const there = target && known.get(target.table)?.columns.get(target.column);
  return there && FITTING.integer.includes(there.type) && there.type !== 'bigint'
    ? there.written
    : there?.written.includes('unsigned') === true
      ? 'BIGINT UNSIGNED'
      : TYPES.integer;
}

const createMisfit = (message: string, blocks: Misfit['blocks'] = 'all'): Misfit => ({
  message,
  blocks,
  serious: true,
});

function findTypeMisfit(column: ModelColumn, known: KnownColumn): Misfit | null {
  // A manually created flag may be wider than BOOLEAN.
  const fits = FITTING[column.type].includes(known.type) || (column.type === 'boolean' && known.type === 'tinyint');
  return fits ? null : createMisfit(`column has type ${known.written}, the model says ${column.type}`);
}

function findTextMisfit(table: ModelTable, column: ModelColumn, known: KnownColumn, collation: string): Misfit | null {
  const keyed = isKeyed(table, column);
  if (keyed && !KEYABLE.includes(known.type))
    return createMisfit(`column has type ${known.written}, which no key or index can hold`);
  const { maxLength } = column;
  const wanted = maxLength ?? (keyed ? calculateLengthLimit(table, column) : null);
  if (known.length !== null && (wanted === null || known.length < wanted)) {
    const says = maxLength === null ? (wanted === null ? 'says no bound' : `gets ${wanted}`) : `says ${maxLength}`;
    return createMisfit(`column takes ${known.length} characters, the model ${says}`, 'nothing');
  }
  return findCollationMisfit(column.search && !keyed, known.collation, collation);
}

/** Not serious, because it is common in tables made elsewhere. */
function findCollationMisfit(words: boolean, there: string | null, wanted: string): Misfit | null {
  if (there === null || there === wanted || (words && there.endsWith('_ci'))) return null;
  const effect = words
    ? 'by which words are found in their very letters alone'
    : 'by which different texts may count as equal';
  return { message: `column has collation ${there}, ${effect}`, blocks: 'references', serious: false };
}

function describeObstacle(column: ModelColumn, what: 'unique' | 'index' | 'search'): string | null {
  if (column.type === 'json')
    return `this database has no ${what === 'search' ? 'search ' : ''}index for JSON: ${what === 'unique' ? 'values may repeat' : 'none is made'}`;
  return what === 'search' && column.type !== 'text'
    ? 'this database searches for words in text alone: no index is made'
    : null;
}

export const createTypeMapping = (known: KnownTables, collations: Collations): TypeMapping => ({
  getType: (table, column) =>
    column.type === 'text'
      ? formatTextType(table, column, resolveCollation(table, column, known, collations))
      : column.type === 'integer'
        ? getIntegerType(column, known)
        : TYPES[column.type],
  findMisfit: (table, column, there) =>
    findTypeMisfit(column, there) ??
    (column.type === 'text'
      ? findTextMisfit(table, column, there, resolveCollation(table, column, known, collations))
      : null),
  getLengthLimit: calculateLengthLimit,
  explainUnsupported: describeObstacle,
});

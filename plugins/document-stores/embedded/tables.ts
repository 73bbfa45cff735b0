/** One table per collection in a PostgreSQL database. Collection names become quoted table names only here. */
import { createHash } from 'node:crypto';
import { BY_LOCKS, type Dialect, type Row, type Transaction } from '../../dialects/kind.js';
import { NO_METADATA, type CollectionMetadata } from './rules.js';
import { ORDER_INDEX } from './id-order.js';
import { quoteSqlName } from '../../queries/sql/text/quotes.js';

/** Rows per statement. */
export const BATCH_ROWS = 500;
/** An arbitrary advisory lock key. */
const LOCK = '7306089142510572';
const NAME_BYTES = 63;

/** Longer names end in a digest. */
export function fitName(name: string, suffix = ''): string {
  const whole = name + suffix;
  if (Buffer.byteLength(whole) <= NAME_BYTES) return whole;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 12);
  return `${name.slice(0, NAME_BYTES - 13 - suffix.length)}_${digest}${suffix}`;
}

/** Unambiguous, because collection names cannot contain `@`. */
export const toTableName = (collection: string, instance: string): string =>
  fitName(`lintel_docs_${collection}${instance === 'main' ? '' : `@${Buffer.from(instance).toString('hex')}`}`);

export const toIndexName = (table: string, name: string): string => fitName(`${table}_${name}`);

export const formatComment = (table: string, known: CollectionMetadata): string =>
  `COMMENT ON TABLE ${quoteSqlName(table)} IS '${JSON.stringify(known).replaceAll("'", "''")}'`;

export const parseComment = (comment: unknown): CollectionMetadata =>
  typeof comment === 'string' && comment.startsWith('{"rules":')
    ? (JSON.parse(comment) as CollectionMetadata)
    : NO_METADATA;

export interface TableStatements {
  /** Quoted. */
  readonly table: string;
  readonly create: readonly string[];
  readonly insert: string;
  /** Of one document: a fifth less processor time. */
  readonly insertOne: string;
  readonly update: string;
  readonly remove: string;
  readonly lock: string;
  readonly count: string;
  /** `$1`: the last `seq`. `early`: by the index of a condition. */
  readonly read: (conditions: readonly string[], early: boolean, size: number) => string;
}

/** Passed as text, because unnesting JSON would reject `\u0000`. */
const RECORDS = 'unnest($1::text[], $2::text[], $3::text[]) AS r(id, doc, terms)';

export const toOrderIndexName = (table: string): string => fitName(table, '_order');

export const formatOrderIndex = (table: string): string =>
  `CREATE INDEX IF NOT EXISTS ${quoteSqlName(toOrderIndexName(table))} ON ${quoteSqlName(table)} ${ORDER_INDEX}`;

export function createTexts(name: string): TableStatements {
  const table = quoteSqlName(name);
  const known = new Map<string, string>();
  function read(conditions: readonly string[], early: boolean, size: number): string {
    const key = `${String(early)} ${size} ${conditions.join(' ')}`;
    const made = known.get(key);
    if (made !== undefined) return made;
    // An expression cannot use the index on `seq`.
    const place = early ? '(seq + 0)' : 'seq';
    const all = [`${place} > $1::bigint`, ...conditions].join(' AND ');
    const text = `SELECT seq, doc FROM ${table} WHERE ${all} ORDER BY ${place} LIMIT ${size}`;
    known.set(key, text);
    return text;
  }
  return {
    table,
    create: [
      `CREATE TABLE IF NOT EXISTS ${table} (id text PRIMARY KEY, seq bigint GENERATED ALWAYS AS IDENTITY, doc json NOT NULL, terms text[] NOT NULL)`,
      `CREATE UNIQUE INDEX IF NOT EXISTS ${quoteSqlName(fitName(name, '_seq'))} ON ${table} (seq)`,
      `CREATE INDEX IF NOT EXISTS ${quoteSqlName(fitName(name, '_terms'))} ON ${table} USING gin (terms) WITH (fastupdate = off)`,
      formatOrderIndex(name),
    ],
    insert: `INSERT INTO ${table} (id, doc, terms) SELECT id, doc::json, terms::text[] FROM ${RECORDS} RETURNING 1 AS one`,
    insertOne: `INSERT INTO ${table} (id, doc, terms) VALUES ($1::text, $2::text::json, $3::text::text[]) RETURNING 1 AS one`,
    update: `UPDATE ${table} AS d SET doc = r.doc::json, terms = r.terms::text[] FROM ${RECORDS} WHERE d.id = r.id RETURNING 1 AS one`,
    remove: `DELETE FROM ${table} WHERE id = ANY($1::text[]) RETURNING 1 AS one`,
    lock: `SELECT seq, doc FROM ${table} WHERE id = ANY($1::text[]) ORDER BY seq FOR UPDATE`,
    count: `SELECT count(*) AS n FROM ${table}`,
    read,
  };
}

export interface CollectionTables {
  readonly texts: (collection: string) => TableStatements;
  readonly execute: (text: string, values: readonly unknown[], inside: Transaction | null) => Promise<readonly Row[]>;
  /** Null: no such collection. */
  readMetadata(collection: string, inside: Transaction | null): Promise<CollectionMetadata | null>;
  make(collection: string, inside: Transaction | null): Promise<CollectionMetadata>;
  /** Blocks the creation of tables by others until the transaction ends. */
  lockCreation(inside: Transaction): Promise<void>;
  clearCache(): void;
}

const LOOK = `SELECT to_regclass($1::text) IS NOT NULL AS there, obj_description(to_regclass($1::text), 'pg_class') AS known`;

export function createTables(sql: Dialect, instance: string): CollectionTables {
  const texts = new Map<string, TableStatements>();
  const there = new Map<string, CollectionMetadata>();
  /** Visible to others only after the commit. */
  const made = new WeakMap<Transaction, Set<string>>();
  const getTexts = (collection: string): TableStatements => {
    const known = texts.get(collection) ?? createTexts(toTableName(collection, instance));
    texts.set(collection, known);
    return known;
  };
  const execute: CollectionTables['execute'] = (text, values, inside) => sql.execute(text, values, inside);
  async function readMetadata(collection: string, inside: Transaction | null): Promise<CollectionMetadata | null> {
    const found = there.get(collection);
    if (found !== undefined) return found;
    if (inside !== null && made.get(inside)?.has(collection) === true) return NO_METADATA;
    const [row] = await execute(LOOK, [getTexts(collection).table], inside);
    if (row?.['there'] !== true) return null;
    const read = parseComment(row['known']);
    there.set(collection, read);
    return read;
  }
  async function lockCreation(inside: Transaction): Promise<void> {
    await execute(`SELECT pg_advisory_xact_lock(${LOCK}) IS NULL AS waited`, [], inside);
  }
  async function makeInside(collection: string, inside: Transaction): Promise<void> {
    await lockCreation(inside);
    for (const text of getTexts(collection).create) await execute(text, [], inside);
    made.set(inside, (made.get(inside) ?? new Set()).add(collection));
  }
  return {
    texts: getTexts,
    execute,
    readMetadata,
    lockCreation,
    clearCache: () => there.clear(),
    async make(collection, inside) {
      const found = await readMetadata(collection, inside);
      if (found !== null) return found;
      if (inside !== null) {
        await makeInside(collection, inside);
        return NO_METADATA;
      }
      const own = await sql.begin(BY_LOCKS);
      try {
        await makeInside(collection, own);
        await sql.commit(own);
      } catch (error) {
        await sql.rollback(own);
        throw error;
      }
      return (await readMetadata(collection, null)) ?? NO_METADATA;
    },
  };
}

/**
 * Reads from the catalogue of the database what the tables of the models look like now. Reads only, in two statements;
 * what is missing is decided elsewhere.
 */
import type { Session } from './session.js';

export interface KnownIndex {
  readonly name: string;
  readonly unique: boolean;
  /** Key columns; empty for indexes on expressions or with a condition, which stand for nothing here. */
  readonly columns: readonly string[];
}

export interface KnownConstraint {
  readonly name: string;
  readonly type: 'check' | 'foreign' | 'other';
  readonly columns: readonly string[];
  readonly target: string | null;
  readonly definition: string;
}

export interface KnownTable {
  /** False for views and the like: they are left as they are. */
  readonly table: boolean;
  /** Column name to type name (`int8`, `text`). */
  readonly columns: ReadonlyMap<string, string>;
  readonly indexes: readonly KnownIndex[];
  readonly constraints: readonly KnownConstraint[];
}

const TABLES = `
SELECT c.relname AS name, c.relkind IN ('r', 'p') AS is_table,
  (SELECT json_agg(json_build_object('name', a.attname, 'type', t.typname))
     FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
     WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
  (SELECT json_agg(json_build_object('name', i.relname, 'unique', x.indisunique, 'columns',
       CASE WHEN x.indpred IS NULL AND x.indexprs IS NULL AND x.indisvalid THEN
         (SELECT json_agg(a.attname ORDER BY k.n) FROM unnest(x.indkey::int2[]) WITH ORDINALITY AS k(attnum, n)
            JOIN pg_catalog.pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.attnum
            WHERE k.n <= x.indnkeyatts)
       END))
     FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid WHERE x.indrelid = c.oid) AS indexes,
  (SELECT json_agg(json_build_object('name', k.conname, 'type', k.contype, 'target', f.relname,
       'definition', pg_catalog.pg_get_constraintdef(k.oid), 'columns',
       (SELECT json_agg(a.attname) FROM pg_catalog.pg_attribute a
          WHERE a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey))))
     FROM pg_catalog.pg_constraint k LEFT JOIN pg_catalog.pg_class f ON f.oid = k.confrelid
     WHERE k.conrelid = c.oid) AS constraints
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND s.nspname = current_schema() AND c.relname = ANY ($1::text[])`;

interface CatalogueRow {
  readonly name: string;
  readonly is_table: boolean;
  readonly columns: readonly { name: string; type: string }[] | null;
  readonly indexes: readonly { name: string; unique: boolean; columns: readonly string[] | null }[] | null;
  readonly constraints:
    | readonly {
        name: string;
        type: string;
        target: string | null;
        definition: string;
        columns: readonly string[] | null;
      }[]
    | null;
}

const CONSTRAINT_TYPES: Readonly<Record<string, KnownConstraint['type']>> = { c: 'check', f: 'foreign' };

function knownTable(row: CatalogueRow): KnownTable {
  return {
    table: row.is_table,
    columns: new Map((row.columns ?? []).map(({ name, type }) => [name, type])),
    indexes: (row.indexes ?? []).map((index) => ({ ...index, columns: index.columns ?? [] })),
    constraints: (row.constraints ?? []).map((constraint) => ({
      ...constraint,
      type: CONSTRAINT_TYPES[constraint.type] ?? 'other',
      columns: constraint.columns ?? [],
    })),
  };
}

/** The tables of these names that exist in the current schema, with what hangs on them. */
export async function introspect(session: Session, literal: string): Promise<ReadonlyMap<string, KnownTable>> {
  const rows = (await session.query(TABLES, [literal])) as unknown as readonly CatalogueRow[];
  return new Map(rows.map((row) => [row.name, knownTable(row)]));
}

/** Reads the current tables of the models from the PostgreSQL catalogue. */
import type { KnownColumn, KnownConstraint, KnownTable, KnownTables } from './migration-types.js';
import type { Row } from '../kind.js';
import type { MigrationSession } from './session.js';

const TABLES = `
SELECT c.relname AS name, c.relkind IN ('r', 'p') AS is_table,
  (SELECT json_agg(json_build_object('name', a.attname, 'type', t.typname,
       'written', pg_catalog.format_type(a.atttypid, a.atttypmod), 'nullable', NOT a.attnotnull,
       'filled', a.atthasdef OR a.attidentity <> '',
       'length', CASE WHEN t.typname IN ('varchar', 'bpchar') AND a.atttypmod > 4 THEN a.atttypmod - 4 END) ORDER BY a.attnum)
     FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
     WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
  (SELECT json_agg(json_build_object('name', i.relname, 'unique', x.indisunique, 'primary', x.indisprimary,
       'constraint', EXISTS (SELECT FROM pg_catalog.pg_constraint o WHERE o.conindid = x.indexrelid AND o.contype IN ('p', 'u', 'x')),
       'columns',
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

interface CatalogueRow extends Row {
  readonly name: string;
  readonly is_table: boolean;
  readonly columns: readonly (Omit<KnownColumn, 'collation'> & { readonly name: string })[] | null;
  readonly indexes:
    | readonly {
        name: string;
        unique: boolean;
        primary: boolean;
        constraint: boolean;
        columns: readonly string[] | null;
      }[]
    | null;
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

function toKnownTable(row: CatalogueRow): KnownTable {
  return {
    table: row.is_table,
    columns: new Map((row.columns ?? []).map(({ name, ...column }) => [name, { ...column, collation: null }])),
    indexes: (row.indexes ?? []).map((index) => ({ ...index, columns: index.columns ?? [] })),
    constraints: (row.constraints ?? []).map((constraint) => ({
      ...constraint,
      type: CONSTRAINT_TYPES[constraint.type] ?? 'other',
      columns: constraint.columns ?? [],
    })),
  };
}

/** Omits tables that do not exist in the current schema. */
export async function introspectPostgres(session: MigrationSession, literal: string): Promise<KnownTables> {
  const rows = (await session.query(TABLES, [literal])) as readonly CatalogueRow[];
  return new Map(rows.map((row) => [row.name, toKnownTable(row)]));
}

/** Reads the current tables of the models from the PostgreSQL catalogue. */
import type { KnownColumn, KnownConstraint, KnownTable, KnownTables } from './migration-types.js';
import type { Row } from '../kind.js';
import type { MigrationSession } from './session.js';

const listNames = (relation: string, key: string): string =>
  `(SELECT json_agg(a.attname ORDER BY n) FROM unnest(k.${key}) WITH ORDINALITY AS u(attnum, n)
     JOIN pg_catalog.pg_attribute a ON a.attrelid = k.${relation} AND a.attnum = u.attnum)`;

/** A domain has the type below it, an enumeration is text of its own. */
const TABLES = `
WITH RECURSIVE base AS (
  SELECT t.oid AS domain, t.typbasetype AS oid, t.typtypmod AS modifier FROM pg_catalog.pg_type t WHERE t.typtype = 'd'
  UNION ALL SELECT b.domain, t.typbasetype, t.typtypmod FROM base b JOIN pg_catalog.pg_type t ON t.oid = b.oid AND t.typtype = 'd'
)
SELECT c.relname AS name, c.relkind IN ('r', 'p') AS is_table, pg_catalog.obj_description(c.oid, 'pg_class') AS comment,
  (SELECT json_agg(json_build_object('name', a.attname, 'type', CASE WHEN t.typtype = 'e' THEN 'enum' ELSE t.typname END,
       'written', pg_catalog.format_type(a.atttypid, a.atttypmod), 'nullable', NOT (a.attnotnull OR o.typnotnull),
       'filled', a.atthasdef OR a.attidentity <> '' OR o.typdefault IS NOT NULL,
       'counted', a.attidentity <> '' OR coalesce(pg_catalog.pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%', false),
       'generated', a.attgenerated <> '', 'default', coalesce(pg_catalog.pg_get_expr(d.adbin, d.adrelid), o.typdefault),
       'comment', pg_catalog.col_description(c.oid, a.attnum),
       'length', CASE WHEN t.typname IN ('varchar', 'bpchar') AND coalesce(b.modifier, a.atttypmod) > 4
         THEN coalesce(b.modifier, a.atttypmod) - 4 END) ORDER BY a.attnum)
     FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type o ON o.oid = a.atttypid
       LEFT JOIN base b ON b.domain = o.oid AND NOT EXISTS (SELECT FROM pg_catalog.pg_type n WHERE n.oid = b.oid AND n.typtype = 'd')
       JOIN pg_catalog.pg_type t ON t.oid = coalesce(b.oid, o.oid)
       LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
     WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
  (SELECT json_agg(json_build_object('name', i.relname, 'unique', x.indisunique, 'primary', x.indisprimary,
       'constraint', EXISTS (SELECT FROM pg_catalog.pg_constraint o WHERE o.conindid = x.indexrelid AND o.contype IN ('p', 'u', 'x')),
       'columns',
       CASE WHEN x.indpred IS NULL AND x.indexprs IS NULL AND x.indisvalid THEN
         (SELECT json_agg(a.attname ORDER BY k.n) FROM unnest(x.indkey::int2[]) WITH ORDINALITY AS k(attnum, n)
            JOIN pg_catalog.pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.attnum
            WHERE k.n <= x.indnkeyatts)
       END) ORDER BY i.relname)
     FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid WHERE x.indrelid = c.oid) AS indexes,
  (SELECT json_agg(json_build_object('name', k.conname, 'type', k.contype, 'target',
       CASE WHEN f.relnamespace <> c.relnamespace THEN pg_catalog.format('%s.%s', f.relnamespace::regnamespace, f.relname) ELSE f.relname END,
       'definition', pg_catalog.pg_get_constraintdef(k.oid), 'columns', ${listNames('conrelid', 'conkey')},
       'targetColumns', ${listNames('confrelid', 'confkey')}) ORDER BY k.conname)
     FROM pg_catalog.pg_constraint k LEFT JOIN pg_catalog.pg_class f ON f.oid = k.confrelid
     WHERE k.conrelid = c.oid) AS constraints
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND s.nspname = current_schema() AND CASE WHEN $1::text[] IS NULL
  THEN NOT c.relispartition AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend e
    WHERE e.classid = 'pg_class'::regclass AND e.objid = c.oid AND e.deptype = 'e')
  ELSE c.relname = ANY ($1::text[]) END
ORDER BY c.relname`;

interface CatalogueRow extends Row {
  readonly name: string;
  readonly is_table: boolean;
  readonly comment: string | null;
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
        targetColumns: readonly string[] | null;
      }[]
    | null;
}

const CONSTRAINT_TYPES: Readonly<Record<string, KnownConstraint['type']>> = { c: 'check', f: 'foreign' };

function toKnownTable(row: CatalogueRow): KnownTable {
  return {
    table: row.is_table,
    comment: row.comment,
    columns: new Map((row.columns ?? []).map(({ name, ...column }) => [name, { ...column, collation: null }])),
    indexes: (row.indexes ?? []).map((index) => ({ ...index, columns: index.columns ?? [] })),
    constraints: (row.constraints ?? []).map((constraint) => ({
      ...constraint,
      type: CONSTRAINT_TYPES[constraint.type] ?? 'other',
      columns: constraint.columns ?? [],
      targetColumns: constraint.targetColumns ?? [],
    })),
  };
}

/** Omits missing tables. Null: all of the current schema, without partitions and those of extensions. */
export async function introspectPostgres(session: MigrationSession, literal: string | null): Promise<KnownTables> {
  const rows = (await session.query(TABLES, [literal])) as readonly CatalogueRow[];
  return new Map(rows.map((row) => [row.name, toKnownTable(row)]));
}

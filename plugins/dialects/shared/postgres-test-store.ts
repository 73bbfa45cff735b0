/** Tables for `lintel test`. One call empties all that hold rows. */
import type { JsonObject } from '../../../contract/json.js';
import type { TestStore } from '../../../contract/tests.js';
import { postgresFlavour } from './postgres-flavour.js';

const { quote } = postgresFlavour;

/** The embedded database, or connections to a server. */
export interface TestSession {
  query<T>(text: string, values?: unknown[]): Promise<{ readonly rows: T[] }>;
  /** Several statements without values. */
  exec(text: string): Promise<unknown>;
}

/** Tables and sequences of the project, and those of plugins. */
const OWN = `n.nspname NOT IN ('pg_catalog', 'information_schema', 'lintel_test') AND n.nspname NOT LIKE 'pg\\_%'`;
const NAMED = `format('%I.%I', n.nspname, c.relname)`;
const FROM = 'FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace';

/** Rows that scripts of the project have written are copied, and put back, with the positions of sequences. */
const SETUP = `
CREATE SCHEMA lintel_test;
CREATE TABLE lintel_test.sequences AS SELECT format('%I.%I', schemaname, sequencename) AS name, last_value FROM pg_sequences;
CREATE TABLE lintel_test.kept (name text, columns text, copy text);
DO $do$
DECLARE t record; held boolean;
BEGIN
  FOR t IN SELECT c.oid, ${NAMED} AS name ${FROM} WHERE c.relkind = 'r' AND ${OWN} LOOP
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %s)', t.name) INTO held;
    IF held THEN
      EXECUTE format('CREATE TABLE lintel_test.%I AS TABLE %s', 'copy_' || t.oid, t.name);
      INSERT INTO lintel_test.kept
        SELECT t.name, string_agg(quote_ident(attname), ', ' ORDER BY attnum), format('lintel_test.%I', 'copy_' || t.oid)
        FROM pg_attribute WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
    END IF;
  END LOOP;
END $do$`;

/** Changes when a table or sequence is made or dropped. */
const VERSION = `SELECT concat(count(*), ' ', max(oid)) AS version FROM pg_class WHERE relkind IN ('r', 'S')`;
const TABLES = `SELECT ${NAMED} AS name ${FROM} WHERE c.relkind = 'r' AND ${OWN}`;
const SEQUENCES = `SELECT ${NAMED} AS name, s.start_value AS start, k.last_value AS last
  ${FROM} JOIN pg_sequences s ON s.schemaname = n.nspname AND s.sequencename = c.relname
  LEFT JOIN lintel_test.sequences k ON k.name = ${NAMED} WHERE c.relkind = 'S' AND ${OWN}`;
const KEPT = 'SELECT name, columns, copy FROM lintel_test.kept';

type Names = Readonly<Record<string, string | null>>;

/** A statement for each table, planned once. In the role `replica` neither foreign keys nor triggers run. */
async function createReset(db: TestSession): Promise<void> {
  const [tables, sequences, kept] = await Promise.all(
    [TABLES, SEQUENCES, KEPT].map(async (text) => (await db.query<Names>(text)).rows),
  );
  const steps = [
    ...(tables ?? []).map(({ name }) => `IF EXISTS (SELECT 1 FROM ${name}) THEN DELETE FROM ${name}; END IF;`),
    ...(kept ?? []).map(
      ({ name, columns, copy }) =>
        `INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM ${copy};`,
    ),
    ...(sequences ?? []).map(
      ({ name, start, last }) =>
        `IF EXISTS (SELECT 1 FROM ${name} WHERE is_called AND last_value IS DISTINCT FROM ${last ?? 'NULL'}) THEN
           PERFORM setval('${name}', ${last ?? start}, ${last !== null});
         END IF;`,
    ),
  ];
  await db.exec(
    `CREATE OR REPLACE FUNCTION lintel_test.reset() RETURNS void LANGUAGE plpgsql AS $reset$
     BEGIN SET LOCAL session_replication_role = replica; ${steps.join('\n')} END $reset$`,
  );
}

export function createTestStore(db: TestSession): TestStore {
  let ready: Promise<unknown> | null = null;
  let known = '';
  return {
    async reset() {
      await (ready ??= db.exec(SETUP));
      const [row] = (await db.query<{ version: string }>(VERSION)).rows;
      if (row?.version !== known) {
        await createReset(db);
        known = row?.version ?? '';
      }
      await db.query('SELECT lintel_test.reset()');
    },
    async insertRows({ table }, rows) {
      for (const row of rows) {
        // A cast to the name of a table may be another type: `_line` is an array type.
        const columns = Object.keys(row).map(quote).join(', ');
        const text =
          columns === ''
            ? `INSERT INTO ${quote(table)} DEFAULT VALUES`
            : `INSERT INTO ${quote(table)} (${columns}) SELECT ${columns} FROM jsonb_populate_record((SELECT lintel_row FROM ${quote(table)} lintel_row LIMIT 0), $1::jsonb)`;
        await db.query(text, columns === '' ? [] : [JSON.stringify(row)]);
      }
    },
    readRows: async ({ table }) => (await db.query<JsonObject>(`SELECT * FROM ${quote(table)}`)).rows,
  };
}

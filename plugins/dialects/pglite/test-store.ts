/** Tables for `lintel test`. One call empties all that hold rows, so that cases need no database of their own. */
import type { PGliteInterface } from '@electric-sql/pglite';
import type { JsonObject } from '../../../contract/json.js';
import type { TestStore } from '../../../contract/tests.js';
import { postgresFlavour } from '../shared/postgres-flavour.js';

const { quote } = postgresFlavour;

/**
 * Rows that are there when the store is opened come from scripts of the project; they and the positions of sequences are copied,
 * and put back. In the role `replica` neither foreign keys nor triggers run.
 */
const SETUP = `
CREATE SCHEMA lintel_test;
CREATE TABLE lintel_test.kept (name text, columns text, copy text);
CREATE TABLE lintel_test.sequences AS SELECT format('%I.%I', schemaname, sequencename) AS name, last_value, start_value FROM pg_sequences;
CREATE VIEW lintel_test.tables AS
  SELECT c.oid, format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'lintel_test') AND n.nspname NOT LIKE 'pg\\_%';
DO $$
DECLARE t record; held boolean;
BEGIN
  FOR t IN SELECT * FROM lintel_test.tables LOOP
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %s)', t.name) INTO held;
    IF held THEN
      EXECUTE format('CREATE TABLE lintel_test.%I AS TABLE %s', 'copy_' || t.oid, t.name);
      INSERT INTO lintel_test.kept
        SELECT t.name, string_agg(quote_ident(attname), ', ' ORDER BY attnum), format('lintel_test.%I', 'copy_' || t.oid)
        FROM pg_attribute WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
    END IF;
  END LOOP;
END $$;
CREATE FUNCTION lintel_test.reset() RETURNS void LANGUAGE plpgsql AS $$
DECLARE t record; held boolean;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOR t IN SELECT name FROM lintel_test.tables LOOP
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %s)', t.name) INTO held;
    IF held THEN EXECUTE format('DELETE FROM %s', t.name); END IF;
  END LOOP;
  FOR t IN SELECT * FROM lintel_test.kept LOOP
    EXECUTE format('INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s', t.name, t.columns, t.columns, t.copy);
  END LOOP;
  FOR t IN
    SELECT format('%I.%I', s.schemaname, s.sequencename) AS name, s.start_value, k.last_value
    FROM pg_sequences s LEFT JOIN lintel_test.sequences k ON k.name = format('%I.%I', s.schemaname, s.sequencename)
    WHERE s.last_value IS DISTINCT FROM k.last_value
  LOOP
    PERFORM setval(t.name::regclass, coalesce(t.last_value, t.start_value), t.last_value IS NOT NULL);
  END LOOP;
END $$;
`;

export function createTestStore(db: PGliteInterface): TestStore {
  let ready: Promise<unknown> | null = null;
  return {
    async reset() {
      await (ready ??= db.exec(SETUP));
      await db.query('SELECT lintel_test.reset()');
    },
    async insertRows({ table }, rows) {
      for (const row of rows) {
        const columns = Object.keys(row).map(quote);
        const text =
          columns.length === 0
            ? `INSERT INTO ${quote(table)} DEFAULT VALUES`
            : `INSERT INTO ${quote(table)} (${columns.join(', ')}) SELECT ${columns.join(', ')} FROM jsonb_populate_record(NULL::${quote(table)}, $1::jsonb)`;
        await db.query(text, columns.length === 0 ? [] : [JSON.stringify(row)]);
      }
    },
    readRows: async ({ table }) => (await db.query<JsonObject>(`SELECT * FROM ${quote(table)}`)).rows,
  };
}

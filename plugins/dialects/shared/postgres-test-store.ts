/** Tables for `lintel test`. One call empties all that hold rows. */
import type { JsonObject } from '../../../contract/json.js';
import type { TestStore } from '../../../contract/tests.js';
import { postgresFlavour } from './postgres-flavour.js';
import { identifyRow } from './test-rows.js';

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

const listColumns = (row: JsonObject): string => Object.keys(row).map(quote).join(', ');

// A cast to the name of a table may be another type: `_line` is an array type.
const readRecord = (table: string, json: string): string =>
  `jsonb_populate_record((SELECT lintel_empty FROM ${quote(table)} lintel_empty LIMIT 0), ${json}::jsonb)`;

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
        const columns = listColumns(row);
        const text =
          columns === ''
            ? `INSERT INTO ${quote(table)} DEFAULT VALUES`
            : `INSERT INTO ${quote(table)} (${columns}) SELECT ${columns} FROM ${readRecord(table, '$1')}`;
        await db.query(text, columns === '' ? [] : [JSON.stringify(row)]);
      }
    },
    async changeRows(model, rows, values) {
      const name = quote(model.table);
      for (const row of rows) {
        const key = identifyRow(model, row);
        const same = Object.keys(key).map(
          (one) => `lintel_row.${quote(one)} IS NOT DISTINCT FROM lintel_key.${quote(one)}`,
        );
        const where = `WHERE EXISTS (SELECT 1 FROM ${readRecord(model.table, '$1')} lintel_key WHERE ${same.join(' AND ')})`;
        const columns = listColumns(values ?? {});
        const set = `UPDATE ${name} lintel_row SET (${columns}) = (SELECT ${columns} FROM ${readRecord(model.table, '$2')})`;
        if (values === null) await db.query(`DELETE FROM ${name} lintel_row ${where}`, [JSON.stringify(key)]);
        else
          await db.query(
            `${set} ${where}`,
            [key, values].map((one) => JSON.stringify(one)),
          );
      }
    },
    readRows: async ({ table }) => (await db.query<JsonObject>(`SELECT * FROM ${quote(table)}`)).rows,
  };
}

/** A database of its own for `lintel test --database`, on the configured server, and its tables between cases. */
import mysql from 'mysql2/promise';
import { createFault } from '../../../contract/fault.js';
import type { JsonObject } from '../../../contract/json.js';
import type { RuntimeContext } from '../../../contract/plugin.js';
import type { TestDatabase, TestStore } from '../../../contract/tests.js';
import type { Dialect } from '../kind.js';
import { identifyRow } from '../shared/test-rows.js';
import { createMysqlAddressFault, createMysqlConnectFault } from './connect.js';
import { getErrno } from './errors.js';
import { readMysqlOptions } from './options.js';
import type { MysqlConnection } from './connection.js';
import { quoteSqlName } from '../../queries/sql/text/quotes.js';

const quote = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

/** The rows that scripts of the project have written. */
const nameCopies = (database: string): string => `${database}_copies`;

const FORBIDDEN = 'its user may not create a database for the tests';
const ACCESS_DENIED = 1044;

export async function createTestDatabase(
  { instance, options }: Pick<RuntimeContext, 'instance' | 'options'>,
  name: string,
): Promise<TestDatabase> {
  const configured = readMysqlOptions(options);
  if (configured === null) throw createMysqlAddressFault(instance);
  const { database: _, ...client } = configured.client;
  const runCommands = async (...texts: string[]): Promise<void> => {
    try {
      const connection = await mysql.createConnection(client);
      try {
        for (const text of texts) await connection.query(text);
      } finally {
        connection.destroy();
      }
    } catch (error) {
      const isForbidden = getErrno(error) === ACCESS_DENIED;
      throw isForbidden
        ? createFault('QRY_CONNECT', { instance, reason: FORBIDDEN })
        : createMysqlConnectFault(instance, error);
    }
  };
  const names = [name, nameCopies(name)].map(quote);
  await runCommands(...names.map((one) => `CREATE DATABASE ${one}`));
  const address = new URL(String(options['url']));
  address.pathname = `/${name}`;
  return {
    options: { ...options, url: address.href },
    drop: () => runCommands(...names.map((one) => `DROP DATABASE IF EXISTS ${one}`)),
  };
}

type WithConnection = <T>(work: (connection: MysqlConnection) => Promise<T>) => Promise<T>;

interface TestTable {
  readonly name: string;
  /** Its AUTO_INCREMENT counts on when its rows are gone. */
  readonly counts: boolean;
  /** Generated columns take no values. */
  readonly columns: string;
  readonly isTriggered: boolean;
  /** It has rows of scripts. */
  isCopied: boolean;
}

const TABLES = `SELECT c.table_name, MAX(c.extra LIKE '%auto_increment%'),
    GROUP_CONCAT(CASE WHEN c.extra LIKE '%GENERATED%' AND c.extra NOT LIKE '%DEFAULT_GENERATED%' THEN NULL
      ELSE CONCAT('\`', REPLACE(c.column_name, '\`', '\`\`'), '\`') END ORDER BY c.ordinal_position SEPARATOR ', '),
    EXISTS (SELECT 1 FROM information_schema.triggers t
      WHERE t.trigger_schema = DATABASE() AND t.event_object_table = c.table_name)
  FROM information_schema.columns c
  JOIN information_schema.tables b ON b.table_schema = c.table_schema AND b.table_name = c.table_name
  WHERE c.table_schema = DATABASE() AND b.table_type = 'BASE TABLE' GROUP BY c.table_name`;

async function readTables(connection: MysqlConnection): Promise<TestTable[]> {
  await connection.run('SET SESSION group_concat_max_len = 1000000', []);
  const { rows } = await connection.run(TABLES, []);
  return (rows ?? []).map(([name, counts, columns, isTriggered]) => ({
    name: String(name),
    counts: Number(counts) === 1,
    columns: String(columns),
    isTriggered: Number(isTriggered) === 1,
    isCopied: false,
  }));
}

async function findFilled(connection: MysqlConnection, tables: readonly TestTable[]): Promise<readonly TestTable[]> {
  if (tables.length === 0) return [];
  const checks = tables.map(({ name }, at) => `SELECT ${at} FROM DUAL WHERE EXISTS (SELECT 1 FROM ${quote(name)})`);
  const { rows } = await connection.run(checks.join(' UNION ALL '), []);
  return (rows ?? []).flatMap(([at]) => tables[Number(at)] ?? []);
}

export function createTestStore(statements: Dialect, withConnection: WithConnection): TestStore {
  let known: TestTable[] | null = null;

  async function copyRows(connection: MysqlConnection): Promise<TestTable[]> {
    const tables = await readTables(connection);
    const [row] = (await connection.run('SELECT DATABASE()', [])).rows ?? [];
    for (const table of await findFilled(connection, tables)) {
      const { name } = table;
      const copy = `${quote(nameCopies(String(row?.[0])))}.${quote(name)}`;
      await connection.run(`CREATE TABLE ${copy} AS SELECT * FROM ${quote(name)}`, []);
      table.isCopied = true;
    }
    return tables;
  }

  async function emptyTables(connection: MysqlConnection): Promise<void> {
    const tables = (known ??= await copyRows(connection));
    const filled = new Set(await findFilled(connection, tables));
    for (const table of tables)
      if (filled.has(table) || table.counts) await connection.run(`TRUNCATE TABLE ${quote(table.name)}`, []);
    const copied = tables.filter(({ isCopied }) => isCopied);
    if (copied.length === 0) return;
    const [row] = (await connection.run('SELECT DATABASE()', [])).rows ?? [];
    const copies = quote(nameCopies(String(row?.[0])));
    // Triggers cannot be switched off; what they write into other tables is removed again.
    const isLast = ({ isTriggered }: TestTable): number => (isTriggered ? 0 : 1);
    for (const { name, columns, isTriggered } of copied.sort((a, b) => isLast(a) - isLast(b))) {
      if (!isTriggered) await connection.run(`TRUNCATE TABLE ${quote(name)}`, []);
      await connection.run(
        `INSERT INTO ${quote(name)} (${columns}) SELECT ${columns} FROM ${copies}.${quote(name)}`,
        [],
      );
    }
  }

  return {
    reset: () =>
      withConnection(async (connection) => {
        await connection.run('SET SESSION foreign_key_checks = 0', []);
        try {
          await emptyTables(connection);
        } finally {
          await connection.run('SET SESSION foreign_key_checks = 1', []);
        }
      }),
    async insertRows({ table }, rows) {
      for (const row of rows) {
        const names = Object.keys(row).map(quoteSqlName);
        const places = names.map((_, at) => `$${at + 1}`);
        const text = `INSERT INTO "${table}" (${names.join(', ')}) VALUES (${places.join(', ')})`;
        await statements.execute(text, Object.values(row), null);
      }
    },
    async changeRows(model, rows, values) {
      for (const row of rows) {
        const key = Object.entries(identifyRow(model, row));
        const bound = Object.entries(values ?? {});
        const sets = bound.map(([name], at) => `${quoteSqlName(name)} = $${at + 1}`);
        const same = key.map(([name, value]) =>
          value === null ? `${quoteSqlName(name)} IS NULL` : `${quoteSqlName(name)} = $${bound.push([name, value])}`,
        );
        const work =
          values === null ? `DELETE FROM "${model.table}"` : `UPDATE "${model.table}" SET ${sets.join(', ')}`;
        const list = bound.map(([, value]) => value);
        await statements.execute(`${work} WHERE ${same.join(' AND ')}`, list, null);
      }
    },
    readRows: async ({ table }) =>
      (await statements.execute(`SELECT * FROM "${table}"`, [], null)) as readonly JsonObject[],
  };
}

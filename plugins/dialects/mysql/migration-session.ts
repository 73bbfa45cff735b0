/**
 * The session of a migration: a separate connection, so that its lock and settings end with it and request timeouts do not apply.
 */
import mysql from 'mysql2/promise';
import type { Row } from '../kind.js';
import type { MigrationSession, WithSession } from '../shared/session.js';
import type { MysqlOptions } from './options.js';

const SETTINGS =
  "SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,NO_ENGINE_SUBSTITUTION', " +
  "time_zone = '+00:00'";

export const createWithSession =
  ({ client }: Pick<MysqlOptions, 'client'>): WithSession =>
  async (work) => {
    const connection = await mysql.createConnection({ ...client, rowsAsArray: false, multipleStatements: true });
    // Without a listener, a lost connection would end the process.
    connection.on('error', () => undefined);
    const session: MigrationSession = {
      async query(text, values) {
        const [rows] =
          values === undefined ? await connection.query(text) : await connection.execute(text, [...values]);
        return Array.isArray(rows) ? (rows as Row[]) : [];
      },
    };
    try {
      await session.query(SETTINGS);
      return await work(session);
    } finally {
      connection.destroy();
    }
  };

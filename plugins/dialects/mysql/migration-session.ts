/**
 * The session of a migration: a connection of its own, because the deadlines of requests do not fit changes of large tables,
 * and because its lock and its settings end with it.
 */
import mysql from 'mysql2/promise';
import type { Row } from '../../kinds/dialect.js';
import type { Session, WithSession } from '../shared/session.js';
import type { MysqlOptions } from './options.js';

const SETTINGS =
  "SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,NO_ENGINE_SUBSTITUTION', " +
  "time_zone = '+00:00'";

export const sessionsOn =
  ({ client }: Pick<MysqlOptions, 'client'>): WithSession =>
  async (work) => {
    const connection = await mysql.createConnection({ ...client, rowsAsArray: false, multipleStatements: true });
    // Without a listener a connection that goes would end the process; the statement under way fails by itself.
    connection.on('error', () => undefined);
    const session: Session = {
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

/**
 * Number of attempts for a statement that PostgreSQL rejects before it runs: two, on scripted connections, without a
 * server.
 */
import { expect } from 'chai';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';
import { createPostgresDialect } from '../../../plugins/dialects/postgres/dialect.js';
import { createPgConnection } from '../../../plugins/dialects/postgres/connection.js';
import type { PgConnections } from '../../../plugins/dialects/postgres/connections.js';
import { catchFault } from '../../contracts/dialect-support.js';

interface Failing {
  handleError(error: unknown): void;
}

describe('statement that a PostgreSQL connection cannot run', () => {
  for (const [title, code, sql, tries, broken] of [
    ['of a closed connection', 'ECONNRESET', 'UPDATE t SET a = 1', 2, true],
    ['whose preparation the server has dropped', '26000', 'UPDATE t SET a = 1', 2, false],
    ['that reads, at a shutdown', '57P01', 'SELECT 1', 2, true],
    ['that is rejected', '23505', 'UPDATE t SET a = 1', 1, false],
  ] as const) {
    it(`${title} is sent ${tries === 1 ? 'once' : 'twice'}`, async () => {
      const given: boolean[] = [];
      const error = Object.assign(new Error('no'), { code });
      const client = { query: (statement: Failing) => statement.handleError(error) };
      const wires: Pick<PgConnections, 'all' | 'findShared' | 'acquire'> = {
        all: new Set(),
        findShared: () => undefined,
        acquire: (_asker, take) =>
          take(undefined, createPgConnection(client as never, false), (isBroken) => given.push(isBroken)),
      };
      const handle = createPostgresDialect(
        () => wires as PgConnections,
        () => 'read committed',
        false,
      );
      await catchFault(handle.run(handle.prepare({ scan: scanSql(sql), jsonColumns: [] }), [], null));
      expect(given).to.deep.equal(Array.from({ length: tries }, () => broken));
    });
  }
});

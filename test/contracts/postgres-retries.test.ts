/**
 * How often a statement is sent to PostgreSQL that the server refuses before it runs: twice, on connections that fail as they
 * are told to, without a server.
 */
import { expect } from 'chai';
import { scanSql } from '../../language/strings/sql.js';
import { createDialect } from '../../plugins/dialects/postgres/dialect.js';
import { createWire } from '../../plugins/dialects/postgres/wire.js';
import type { Wires } from '../../plugins/dialects/postgres/wires.js';
import { faultOf } from './dialect-support.js';

interface Failing {
  handleError(error: unknown): void;
}

describe('a statement that a connection of PostgreSQL cannot run', () => {
  for (const [title, code, sql, tries, broken] of [
    ['of a connection that is gone', 'ECONNRESET', 'UPDATE t SET a = 1', 2, true],
    ['that the server has forgotten', '26000', 'UPDATE t SET a = 1', 2, false],
    ['that reads, at a shutdown', '57P01', 'SELECT 1', 2, true],
    ['that is refused', '23505', 'UPDATE t SET a = 1', 1, false],
  ] as const) {
    it(`${title} is sent ${tries === 1 ? 'once' : 'twice'}`, async () => {
      const given: boolean[] = [];
      const error = Object.assign(new Error('no'), { code });
      const client = { query: (statement: Failing) => statement.handleError(error) };
      const wires: Pick<Wires, 'all' | 'shared' | 'lease'> = {
        all: new Set(),
        shared: () => undefined,
        lease: (_asker, take) =>
          take(undefined, createWire(client as never, false), (isBroken) => given.push(isBroken)),
      };
      const handle = createDialect(
        () => wires as Wires,
        () => 'read committed',
      );
      await faultOf(handle.run(handle.prepare({ scan: scanSql(sql), jsonColumns: [] }), [], null));
      expect(given).to.deep.equal(Array.from({ length: tries }, () => broken));
    });
  }
});

/**
 * On scripted connections, without a server: the number of attempts for a statement that PostgreSQL rejects before it runs, and
 * the packet of a statement that runs in place of a transaction.
 */
import { expect } from 'chai';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';
import { createPostgresDialect } from '../../../plugins/dialects/postgres/dialect.js';
import { createPgConnection } from '../../../plugins/dialects/postgres/connection.js';
import type { PgConnections } from '../../../plugins/dialects/postgres/connections.js';
import { BY_LOCKS, type Dialect } from '../../../plugins/dialects/kind.js';
import type { WireConnection } from '../../../plugins/dialects/postgres/pg-internals.js';
import { catchFault } from '../../contracts/dialect-support.js';

interface Failing {
  handleError(error: unknown): void;
}

function createDialect(client: object, release: (isBroken: boolean) => void, level = 'read committed'): Dialect {
  const wires: Pick<PgConnections, 'all' | 'findShared' | 'acquire'> = {
    all: new Set(),
    findShared: () => undefined,
    acquire: (_asker, take) => take(undefined, createPgConnection(client as never, false), release),
  };
  return createPostgresDialect(
    () => wires as PgConnections,
    () => level,
    false,
  );
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
      const handle = createDialect(client, (isBroken) => given.push(isBroken));
      await catchFault(handle.run(handle.prepare({ scan: scanSql(sql), jsonColumns: [] }), [], null));
      expect(given).to.deep.equal(Array.from({ length: tries }, () => broken));
    });
  }
});

describe('statement in place of a transaction on PostgreSQL', () => {
  for (const [title, code, outcome] of [
    ['that is rejected: the transaction goes on', '22003', null],
    ['whose rows could not be read: it may have run', undefined, 'QRY_FAILED'],
    ['of a closed connection: it may have run', 'ECONNRESET', 'QRY_UNAVAILABLE'],
    ['that has waited for too long', '57014', 'QRY_TIMEOUT'],
    ['in a deadlock', '40P01', 'QRY_SERIALIZATION'],
  ] as const) {
    it(title, async () => {
      const error = Object.assign(new Error('no'), { code });
      const handle = createDialect({ query: (one: Failing) => one.handleError(error) }, () => undefined);
      const prepared = handle.prepare({ scan: scanSql('UPDATE t SET a = 1'), jsonColumns: [] });
      const rows = handle.runWhole?.({ prepared, values: [] }, await handle.begin(BY_LOCKS));
      expect(outcome === null ? await rows : (await catchFault(rows!)).code).to.equal(outcome);
    });
  }

  it('leaves alone in one packet, at the level of the session only', async () => {
    const sent: string[] = [];
    const record = (what: string) => () => void sent.push(what);
    const stream = { cork: record('cork'), uncork: record('uncork') };
    const [parse, bind, describe, close, sendCopyFail] = Array.from({ length: 5 }, () => () => undefined);
    const [execute, sync] = [record('execute'), record('sync')];
    const connection = { stream, parse, bind, describe, execute, close, sendCopyFail, sync };
    const client = {
      query: (statement: { submit(wire: WireConnection): null }) => statement.submit(connection as WireConnection),
    };
    const handle = createDialect(client, () => undefined);
    const strict = createDialect(client, () => undefined, 'serializable');
    const bound = (sql: string) => ({ prepared: handle.prepare({ scan: scanSql(sql), jsonColumns: [] }), values: [] });
    expect(await strict.runWhole?.(bound('UPDATE t SET a = 1'), await strict.begin(BY_LOCKS))).to.equal(null);
    void handle.runWhole?.(bound('UPDATE t SET a = 1'), await handle.begin(BY_LOCKS));
    expect(sent).to.deep.equal(['cork', 'execute', 'sync', 'uncork']);
  });
});

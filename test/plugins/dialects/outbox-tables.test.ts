/** The table of the outbox, with several processes on it: it is created once, and each row is handed over by one of them. */
import { expect } from 'chai';
import type { PluginRuntime } from '../../../contract/plugin.js';
import mysql from '../../../plugins/dialects/mysql/runtime.js';
import postgres from '../../../plugins/dialects/postgres/runtime.js';
import { BY_LOCKS, type Dialect } from '../../../plugins/dialects/kind.js';
import { createOutboxSql, type OutboxSql } from '../../../plugins/features/queue/outbox-sql.js';
import { SQL, type SqlName } from '../../support/databases.js';
import { skipTest } from '../../support/skip.js';
import { waitUntil } from '../../support/until.js';
import { openDialect } from '../../contracts/dialect-open.js';
import type { OpenDialect } from '../../contracts/dialect-support.js';

const RUNTIMES: Readonly<Partial<Record<SqlName, PluginRuntime<Dialect>>>> = {
  postgres,
  mariadb: mysql,
  mysql,
};
const WAITING = `SELECT 1 AS one FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

for (const { name, make } of SQL) {
  const runtime = RUNTIMES[name];
  if (runtime === undefined || make === null) continue;
  describe(`outbox table (${name})`, () => {
    const opened: OpenDialect[] = [];
    let [one, two] = [] as unknown as [Dialect, Dialect];
    let [first, second] = [] as unknown as [OutboxSql, OutboxSql];
    before(async function () {
      const url = await make();
      if (typeof url !== 'string') return skipTest(this, url.skip);
      for (let n = 0; n < 2; n++) opened.push(await openDialect(runtime, { url, pool_size: 3 }));
      [one, two] = opened.map(({ handle }) => handle) as [Dialect, Dialect];
      first = await createOutboxSql(one, null);
      second = await createOutboxSql(two, null);
    });
    after(() => Promise.all(opened.map((each) => each.close())));

    async function takeAll(outbox: OutboxSql): Promise<string[]> {
      const rows = await outbox.claimRows();
      await outbox.remove(rows);
      return rows.map(({ id }) => id);
    }

    it('is created by two processes that start together', async () => {
      const making = await one.begin(BY_LOCKS);
      await first.make(making);
      const made = second.make(null);
      if (name === 'postgres') await waitUntil(async () => (await one.execute(WAITING, [], null)).length > 0);
      await one.commit(making);
      await made;
      await second.add('a', '{}', null);
      expect(await takeAll(first)).to.deep.equal(['a']);
    });

    it('assigns a row to one process: another that starts meanwhile finds only the rest', async () => {
      await first.add('b', '{}', null);
      const taking = await one.begin(BY_LOCKS);
      await one.execute(`SELECT id FROM lintel_outbox WHERE id = 'b' FOR UPDATE`, [], taking);
      await first.add('c', '{}', null);
      expect(await takeAll(second)).to.deep.equal(['c']);
      await one.rollback(taking);
      expect(await takeAll(second)).to.deep.equal(['b']);
    });
  });
}

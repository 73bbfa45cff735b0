/** Migrations of MariaDB and MySQL: what is special where changes of tables cannot be undone. */
import { expect } from 'chai';
import { column, faultOf, id, table } from './dialect-support.js';
import { openMysql, type Before, type Cells, type MigratedStore } from './migration-stores.js';
import { skipTest } from '../support/skip.js';
import { until } from '../support/until.js';

for (const flavour of ['mariadb', 'mysql'] as const) {
  describe(`migrations on ${flavour}`, function () {
    /** Throws where a process would end. */
    let hear: Before = () => {};
    let store: MigratedStore;
    const run = (sql: string): Promise<readonly Cells[]> => store.run(sql);
    const refused = async (sql: string): Promise<number | undefined> => {
      try {
        await run(sql);
      } catch (error) {
        return (error as { errno?: number }).errno;
      }
      return undefined;
    };

    before(async function () {
      const opened = await openMysql(flavour, (sql) => hear(sql));
      if ('skip' in opened) skipTest(this, opened.skip);
      store = opened;
    });
    after(() => store?.close());

    const users = table(
      'm_users',
      id,
      column('email', 'text', { unique: true, maxLength: 20 }),
      column('nick', 'text', { nullable: true, index: true }),
      column('body', 'text', { nullable: true, search: true }),
      column('score', 'float', { nullable: true }),
      column('active', 'boolean', { nullable: true }),
      column('born', 'timestamp', { nullable: true }),
      column('tags', 'json', { nullable: true }),
    );

    it('creates tables with every type, and finds nothing to do the second time', async () => {
      const { statements, warnings } = await store.adopt([users]);
      expect(warnings).to.deep.equal([]);
      expect(statements).to.have.length(6);
      expect(await store.adopt([users])).to.deep.equal({ warnings: [], statements: [], progress: [] });
      expect((await store.plan([users])).warnings).to.deep.equal([]);
    });

    it('keeps text as it is: case, blanks at the end, and no more characters than the model says', async () => {
      await run(`INSERT INTO m_users (email) VALUES ('a@x'), ('A@x'), ('a@x ')`);
      expect(await refused(`INSERT INTO m_users (email) VALUES ('a@x')`)).to.equal(1062);
      for (const value of ['x'.repeat(21), `x${' '.repeat(20)}`, `x${' '.repeat(30)}`]) {
        expect(await refused(`INSERT INTO m_users (email) VALUES ('${value}')`), value).to.be.a('number');
      }
      await run(`INSERT INTO m_users (email) VALUES ('${'ü'.repeat(20)}')`);
      expect(await refused(`INSERT INTO m_users (email, nick) VALUES ('b', '${'x'.repeat(256)}')`)).to.be.a('number');
      await run(`INSERT INTO m_users (email, body) VALUES ('c', '${'x'.repeat(70_000)}')`);
    });

    it('finds words in searched fields, in any case', async () => {
      await run(`INSERT INTO m_users (email, body) VALUES ('s', 'The quick brown Fox')`);
      const found = await run(`SELECT email FROM m_users WHERE MATCH (body) AGAINST ('fox' IN BOOLEAN MODE)`);
      expect(found).to.deep.equal([{ email: 's' }]);
    });

    it('two processes that start together meet at the lock', async () => {
      const late = table('m_late', id, column('name', 'text', { unique: true }));
      const all = await Promise.all([store.adopt([late]), store.adopt([late]), store.adopt([late])]);
      expect(all.map(({ statements }) => statements.length).sort()).to.deep.equal([0, 0, 3]);
    });

    it('ends its connection, whether it was able to do its work or not', async () => {
      const others = `SELECT count(*) AS n FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()`;
      await store.adopt([users]);
      hear = (sql) => {
        if (sql.includes('information_schema.tables')) throw new Error('gone');
      };
      await faultOf(store.adopt([users]));
      hear = () => {};
      await until(async () => Number((await run(others))[0]?.['n']) === 0, 'no other connection is left');
    });

    it('after an end between two steps the next run does the rest', async () => {
      const crash = table(
        'm_crash',
        id,
        column('a', 'text', { unique: true }),
        column('b', 'integer', { index: true }),
      );
      let steps = 0;
      hear = (sql) => {
        if (/^(?:CREATE|ALTER)/.test(sql) && ++steps === 3) throw new Error('gone');
      };
      const fault = await faultOf(store.adopt([crash]));
      hear = () => {};
      expect(fault.code).to.equal('QRY_MIGRATION');
      const { steps: left } = await store.plan([crash]);
      expect(left.map(({ change }) => change)).to.deep.equal(['add check', 'add index']);
      expect((await store.adopt([crash])).statements).to.have.length(2);
      expect((await store.plan([crash])).steps).to.deep.equal([]);
    });

    it('creates foreign keys in any order, of text and of numbers, also in a circle', async () => {
      const to = (name: string, field = 'id'): object => ({ references: { table: name, column: field } });
      const tables = [
        table('m_a', id, column('b_id', 'integer', { nullable: true, ...to('m_b') })),
        table(
          'm_b',
          column('id', 'integer', { primaryKey: true }),
          column('c', 'text', { nullable: true, ...to('m_c', 'code') }),
        ),
        table(
          'm_c',
          column('code', 'text', { primaryKey: true }),
          column('up', 'text', { nullable: true, ...to('m_c', 'code') }),
        ),
      ];
      await store.adopt(tables);
      expect(await refused('INSERT INTO m_a (b_id) VALUES (99)')).to.equal(1452);
      expect(await refused(`INSERT INTO m_b (id, c) VALUES (1, 'x')`)).to.equal(1452);
      expect((await store.plan(tables)).steps).to.deep.equal([]);
      await run('CREATE TABLE m_old (id INT UNSIGNED PRIMARY KEY)');
      const old = table('m_old', column('id', 'integer', { primaryKey: true }));
      const young = table('m_young', id, column('old_id', 'integer', { nullable: true, ...to('m_old') }));
      await store.adopt([old, young]);
      expect(await refused('INSERT INTO m_young (old_id) VALUES (99)')).to.equal(1452);
    });

    it('names table and columns when rows stand against a unique index, and no value', async () => {
      await run('CREATE TABLE m_dup (id INT PRIMARY KEY, name VARCHAR(300))');
      await run(`INSERT INTO m_dup VALUES (1, 'canary'), (2, 'canary')`);
      const wanted = table(
        'm_dup',
        column('id', 'integer', { primaryKey: true }),
        column('name', 'text', { unique: true }),
      );
      const fault = await faultOf(store.adopt([wanted]));
      expect([fault.code, fault.params]).to.deep.equal(['QRY_DUPLICATES', { table: 'm_dup', columns: 'name' }]);
      const { cause } = fault.options;
      expect(JSON.stringify({ ...(cause as object), message: (cause as Error).message })).not.to.contain('canary');
    });
  });
}

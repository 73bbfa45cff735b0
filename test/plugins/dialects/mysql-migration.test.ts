/** Migrations of MariaDB and MySQL, where table changes cannot be rolled back. */
import { expect } from 'chai';
import { defineColumn, catchFault, id, defineTable } from '../../contracts/dialect-support.js';
import { openMysql, type StatementListener, type Cells, type MigratedStore } from '../../contracts/migration-stores.js';
import { skipTest } from '../../support/skip.js';
import { waitUntil } from '../../support/until.js';

for (const flavour of ['mariadb', 'mysql'] as const) {
  describe(`migrations on ${flavour}`, function () {
    /** Throws where a process would end. */
    let listener: StatementListener = () => {};
    let store: MigratedStore;
    const run = (sql: string): Promise<readonly Cells[]> => store.run(sql);
    const catchErrno = async (sql: string): Promise<number | undefined> => {
      try {
        await run(sql);
      } catch (error) {
        return (error as { errno?: number }).errno;
      }
      return undefined;
    };

    before(async function () {
      const opened = await openMysql(flavour, (sql) => listener(sql));
      if ('skip' in opened) skipTest(this, opened.skip);
      store = opened;
    });
    after(() => store?.close());

    const users = defineTable(
      'm_users',
      id,
      defineColumn('email', 'text', { unique: true, maxLength: 20 }),
      defineColumn('nick', 'text', { nullable: true, index: true }),
      defineColumn('body', 'text', { nullable: true, search: true }),
      defineColumn('score', 'float', { nullable: true }),
      defineColumn('active', 'boolean', { nullable: true }),
      defineColumn('born', 'timestamp', { nullable: true }),
      defineColumn('tags', 'json', { nullable: true }),
    );

    it('create tables with every type, and find nothing to do the second time', async () => {
      const { statements, warnings } = await store.syncSchema([users]);
      expect(warnings).to.deep.equal([]);
      expect(statements).to.have.length(6);
      expect(await store.syncSchema([users])).to.deep.equal({ warnings: [], statements: [], progress: [] });
      expect((await store.plan([users])).warnings).to.deep.equal([]);
    });

    it('preserve text: case, trailing blanks, and no more characters than the model allows', async () => {
      await run(`INSERT INTO m_users (email) VALUES ('a@x'), ('A@x'), ('a@x ')`);
      expect(await catchErrno(`INSERT INTO m_users (email) VALUES ('a@x')`)).to.equal(1062);
      for (const value of ['x'.repeat(21), `x${' '.repeat(20)}`, `x${' '.repeat(30)}`]) {
        expect(await catchErrno(`INSERT INTO m_users (email) VALUES ('${value}')`), value).to.be.a('number');
      }
      await run(`INSERT INTO m_users (email) VALUES ('${'ü'.repeat(20)}')`);
      expect(await catchErrno(`INSERT INTO m_users (email, nick) VALUES ('b', '${'x'.repeat(256)}')`)).to.be.a(
        'number',
      );
      await run(`INSERT INTO m_users (email, body) VALUES ('c', '${'x'.repeat(70_000)}')`);
    });

    it('find words in searched fields, in any case', async () => {
      await run(`INSERT INTO m_users (email, body) VALUES ('s', 'The quick brown Fox')`);
      const found = await run(`SELECT email FROM m_users WHERE MATCH (body) AGAINST ('fox' IN BOOLEAN MODE)`);
      expect(found).to.deep.equal([{ email: 's' }]);
    });

    it('wait for the lock if two processes start together', async () => {
      const late = defineTable('m_late', id, defineColumn('name', 'text', { unique: true }));
      const all = await Promise.all([store.syncSchema([late]), store.syncSchema([late]), store.syncSchema([late])]);
      expect(all.map(({ statements }) => statements.length).sort()).to.deep.equal([0, 0, 3]);
    });

    it('close their connection after success and failure', async () => {
      const others = `SELECT count(*) AS n FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()`;
      await store.syncSchema([users]);
      listener = (sql) => {
        if (sql.includes('information_schema.tables')) throw new Error('gone');
      };
      await catchFault(store.syncSchema([users]));
      listener = () => {};
      await waitUntil(async () => Number((await run(others))[0]?.['n']) === 0, 'no other connection is left');
    });

    it('do the rest in the next run after an interruption', async () => {
      const crash = defineTable(
        'm_crash',
        id,
        defineColumn('a', 'text', { unique: true }),
        defineColumn('b', 'integer', { index: true }),
      );
      let steps = 0;
      listener = (sql) => {
        if (/^(?:CREATE|ALTER)/.test(sql) && ++steps === 3) throw new Error('gone');
      };
      const fault = await catchFault(store.syncSchema([crash]));
      listener = () => {};
      expect(fault.code).to.equal('QRY_MIGRATION');
      const { steps: left } = await store.plan([crash]);
      expect(left.map(({ change }) => change)).to.deep.equal(['add check', 'add index']);
      expect((await store.syncSchema([crash])).statements).to.have.length(2);
      expect((await store.plan([crash])).steps).to.deep.equal([]);
    });

    it('create foreign keys in any order, of text and of numbers, also circular ones', async () => {
      const to = (name: string, field = 'id'): object => ({ references: { table: name, column: field } });
      const tables = [
        defineTable('m_a', id, defineColumn('b_id', 'integer', { nullable: true, ...to('m_b') })),
        defineTable(
          'm_b',
          defineColumn('id', 'integer', { primaryKey: true }),
          defineColumn('c', 'text', { nullable: true, ...to('m_c', 'code') }),
        ),
        defineTable(
          'm_c',
          defineColumn('code', 'text', { primaryKey: true }),
          defineColumn('up', 'text', { nullable: true, ...to('m_c', 'code') }),
        ),
      ];
      await store.syncSchema(tables);
      expect(await catchErrno('INSERT INTO m_a (b_id) VALUES (99)')).to.equal(1452);
      expect(await catchErrno(`INSERT INTO m_b (id, c) VALUES (1, 'x')`)).to.equal(1452);
      expect((await store.plan(tables)).steps).to.deep.equal([]);
      await run('CREATE TABLE m_old (id INT UNSIGNED PRIMARY KEY)');
      const old = defineTable('m_old', defineColumn('id', 'integer', { primaryKey: true }));
      const young = defineTable('m_young', id, defineColumn('old_id', 'integer', { nullable: true, ...to('m_old') }));
      await store.syncSchema([old, young]);
      expect(await catchErrno('INSERT INTO m_young (old_id) VALUES (99)')).to.equal(1452);
    });

    it('name table and columns, but no value, if rows conflict with a unique index', async () => {
      await run('CREATE TABLE m_dup (id INT PRIMARY KEY, name VARCHAR(300))');
      await run(`INSERT INTO m_dup VALUES (1, 'canary'), (2, 'canary')`);
      const wanted = defineTable(
        'm_dup',
        defineColumn('id', 'integer', { primaryKey: true }),
        defineColumn('name', 'text', { unique: true }),
      );
      const fault = await catchFault(store.syncSchema([wanted]));
      expect([fault.code, fault.params]).to.deep.equal(['QRY_DUPLICATES', { table: 'm_dup', columns: 'name' }]);
      const { cause } = fault.options;
      expect(JSON.stringify({ ...(cause as object), message: (cause as Error).message })).not.to.contain('canary');
    });
  });
}

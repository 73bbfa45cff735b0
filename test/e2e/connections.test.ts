/**
 * Several named connections: a model or a query names its connection, writes of one request on two of them are two
 * transactions, and each is on the status page.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createMysqlDatabase, startMysql } from '../support/mysql.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { defineQueryResource } from '../support/project.js';
import { skipWithout } from '../support/skip.js';
import { outlineMigration } from '../../language/project/store-changes.js';

const id = { type: 'Number', primary_key: true, auto_increment: true };
const step = (number: number, query: string, parameters: unknown[], more: object = {}): object => ({
  id: number,
  mode: 'QUERY',
  sql_query: { query, parameters, ...more },
  returnables: ['id'],
});
const NAME = '$PAYLOAD.name';

const FILES = {
  'definitions/_note.json': { id, name: { type: 'String' } },
  'definitions/_event.json': { connection: 'reports', id, name: { type: 'String', unique: true } },
  'definitions/both.json': {
    id: 'both',
    resource: 'both',
    actionables: [
      step(1, 'INSERT INTO note (name) VALUES ($1)', [NAME]),
      step(2, 'INSERT INTO event (name) VALUES ($1)', [NAME]),
    ],
  },
  'definitions/notes.json': defineQueryResource('notes', 'SELECT id, name FROM note ORDER BY id', [], {
    result: 'many',
  }),
  'definitions/events.json': defineQueryResource('events', 'SELECT id, name FROM event ORDER BY id', [], {
    result: 'many',
  }),
  'definitions/elsewhere.json': {
    id: 'elsewhere',
    resource: 'elsewhere',
    actionables: [step(1, 'SELECT count(*) AS id FROM note', [], { connection: 'reports' })],
  },
};

const REPORTS = {
  pglite: { use: 'pglite', path: 'memory://' },
  mysql: { use: 'mysql', url: '$ENV.REPORTS_URL' },
  postgres: { use: 'postgres', url: '$ENV.REPORTS_URL' },
};

for (const [name, reports] of Object.entries(REPORTS)) {
  describe(`named connections: pglite and ${name}`, function () {
    let kernel: TestKernel;
    const names = async (path: string): Promise<unknown[]> =>
      (await kernel.post<Loose[]>(path, {})).body.map((row) => row['name']);

    before(async function () {
      const env: Record<string, string> = {};
      if (name === 'mysql') {
        await skipWithout(this, startMysql('mariadb'));
        env['REPORTS_URL'] = await createMysqlDatabase('mariadb');
      }
      if (name === 'postgres') {
        await skipWithout(this, startPostgres());
        env['REPORTS_URL'] = await createPostgresDatabase();
      }
      const connections = { main: { use: 'pglite', path: 'memory://' }, reports };
      kernel = await startKernel({ files: FILES, config: { connections }, env });
    });
    after(() => kernel?.close());

    it('contain their own tables, and one request writes to both', async () => {
      expect((await kernel.post('/both', { name: 'a' })).status).to.equal(200);
      expect([await names('/notes'), await names('/events')]).to.deep.equal([['a'], ['a']]);
    });

    it('have their own transactions: the commit of the first remains when the second rejects', async () => {
      expect((await kernel.post('/both', { name: 'a' })).status).to.equal(409);
      expect([await names('/notes'), await names('/events')]).to.deep.equal([['a', 'a'], ['a']]);
      expect((await kernel.post('/both', { name: 'b' })).status).to.equal(200);
      expect([await names('/notes'), await names('/events')]).to.deep.equal([
        ['a', 'a', 'b'],
        ['a', 'b'],
      ]);
    });

    it('can be named by a query with models of another: it has the table too, with its own rows', async () => {
      const { status, body } = await kernel.post<Loose>('/elsewhere', {});
      expect([status, body['id']]).to.deep.equal([200, 0]);
    });

    it('are each listed on the status page', async () => {
      const { body } = await kernel.request<{ plugins: Loose }>('GET', '/status/ready');
      expect(Object.keys(body.plugins).filter((key) => key.startsWith('dialect:'))).to.have.length(2);
      expect(JSON.stringify(body.plugins)).to.contain('reports').and.contain('main');
    });

    it('have their own migration plans', async () => {
      const { steps } = await outlineMigration(kernel.kernel.schemas(), { destroy: true });
      expect(steps).to.deep.equal([]);
    });
  });
}

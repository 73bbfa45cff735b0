/** A connection that is a replica: it is never migrated, is ready when it has the tables, and reads without locks. */
import { expect } from 'chai';
import pg from 'pg';
import { outlineMigration } from '../../language/project/store-changes.js';
import { runCli } from '../support/cli.js';
import { pickFreePort } from '../support/guarded-server.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { hasLocalPostgres, startOwnPostgres, startOwnReplica, type TestServer } from '../support/postgres.js';
import { createTempProject, defineQueryResource } from '../support/project.js';
import { NO_POSTGRES, skipTest } from '../support/skip.js';
import { waitUntil } from '../support/until.js';

const PASSWORD = 'replicated-1';
const READ = { query: 'SELECT text, count FROM notes WHERE id = $1', parameters: ['$PAYLOAD.id'], connection: 'copy' };
const FILES = {
  'definitions/_note.json': {
    id: { type: 'Number', primary_key: true, auto_increment: true },
    text: { type: 'String' },
    count: { type: 'Number' },
  },
  'definitions/a.json': [
    defineQueryResource('add', 'INSERT INTO notes (text, count) VALUES ($1, 1)', ['$PAYLOAD.text']),
    { id: 'read', resource: 'read', actionables: [{ id: 1, mode: 'QUERY', sql_query: READ, must_return_value: true }] },
    {
      id: 'raise',
      resource: 'raise',
      actionables: [
        { id: 1, mode: 'QUERY', sql_query: READ, must_return_value: true },
        {
          id: 2,
          mode: 'QUERY',
          depends_on: [
            { resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'count', for: 'count' }] },
          ],
          sql_query: {
            query: 'UPDATE notes SET count = $1::int + 1 WHERE id = $2',
            parameters: ['count', '$PAYLOAD.id'],
          },
        },
      ],
    },
  ],
};
const CONNECTIONS = {
  main: { use: 'postgres', url: '$ENV.MAIN' },
  copy: { use: 'postgres', url: '$ENV.COPY', replica_of: 'main', isolation: 'serializable' },
};

describe('a read replica', () => {
  it('is not migrated, responds with 503 until it has the tables, and reads what the primary wrote', async function () {
    if (!hasLocalPostgres()) return skipTest(this, NO_POSTGRES);
    const servers: TestServer[] = [];
    const open = async (server: Promise<TestServer>): Promise<string> => {
      const found = await server;
      servers.unshift(found);
      return 'skip' in found ? skipTest(this, found.skip) : found.url;
    };
    let kernel: TestKernel | undefined;
    let standby: pg.Client | undefined;
    try {
      const main = await open(startOwnPostgres(await pickFreePort(), PASSWORD));
      const copy = await open(startOwnReplica(main, await pickFreePort(), PASSWORD));
      standby = new pg.Client({ connectionString: copy });
      await standby.connect();
      await standby.query('SELECT pg_wal_replay_pause()');
      kernel = await startKernel({
        files: FILES,
        config: { connections: CONNECTIONS },
        env: { MAIN: main, COPY: copy },
        wait: true,
      });
      const running = kernel;
      const post = (path: string, body: object) => running.post(path, body);
      expect((await post('/add', { text: 'one' })).body).to.deep.equal({ id: 1, text: 'one', count: 1 });
      const early = await post('/read', { id: 1 });
      expect([early.status, early.body['code']]).to.deep.equal([503, 'REQ_WAITING']);
      await standby.query('SELECT pg_wal_replay_resume()');
      await kernel.kernel.complete();
      await waitUntil(async () => (await post('/read', { id: 1 })).text.includes('"one"'), 'the row on the replica');
      expect((await post('/raise', { id: 1 })).status).to.equal(200);
      await waitUntil(async () => (await post('/read', { id: 1 })).text.includes('2'), 'the change on the replica');
      expect((await outlineMigration(kernel.kernel.schemas(), { destroy: true })).steps).to.deep.equal([]);
    } finally {
      await kernel?.close();
      await standby?.end();
      for (const server of servers) if (!('skip' in server)) await server.stop();
    }
  });

  it('is its primary in `lintel test`', async () => {
    const project = await createTempProject({
      ...FILES,
      'lintel.config.json': { connections: CONNECTIONS },
      'definitions/a.test.json': {
        id: 'replica',
        cases: [
          {
            id: 'a row is read from the replica and changed on the primary',
            given: { tables: { note: [{ text: 'one', count: 1 }] } },
            steps: [{ request: { resource: 'raise', body: { id: 1 } } }],
            expect: { tables: { note: [{ text: 'one', count: 2 }] } },
          },
        ],
      },
    });
    const env = { MAIN: 'postgres://127.0.0.1:1/a', COPY: 'postgres://127.0.0.1:1/b' };
    const run = await runCli(['test'], { cwd: project.folder, env });
    expect(run.stdout).to.match(/1 passed/);
    await project.dispose();
  });
});

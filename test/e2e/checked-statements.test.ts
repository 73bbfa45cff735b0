/** Statements read before they are served: by a scratch database at each reload, by the server's own tables at the start. */
import { expect } from 'chai';
import pg from 'pg';
import { runCli } from '../support/cli.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { defineQueryResource, createTempProject, type TempProject } from '../support/project.js';
import { skipWithout } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';

const CAT = {
  id: { type: 'Number', primary_key: true, auto_increment: true },
  name: { type: 'String' },
  nick: { type: 'String', optional: true },
};
const list = (query: string): object =>
  defineQueryResource('list', query, [], { result: 'many', returnables: ['name'] });
const SOUND = list('SELECT name FROM cat');
const REFUSED = list('SELECT name FROM cat GROUP BY id + 1');

describe('statements that a scratch database checks at each reload', function () {
  let kernel: TestKernel;
  const codes = async (): Promise<string[]> =>
    (await kernel.kernel.reload()).problems.flatMap(({ severity, code }) => (severity === 'error' ? [code] : []));

  before(async () => {
    kernel = await startKernel({
      files: { 'definitions/_cat.json': CAT, 'definitions/list.json': SOUND },
      config: { connections: { main: { use: 'pglite', path: 'memory://' } } },
      onProblem: 'skip',
      statementChecks: 'scratch',
    });
  });
  after(() => kernel?.close());

  it('a statement that is rejected is an error, and its resource keeps its last valid state', async () => {
    await kernel.project.write('definitions/list.json', REFUSED);
    expect(await codes()).to.deep.equal(['SQL_REFUSED']);
    expect((await kernel.post('/list', {})).status).to.equal(200);
  });

  it('the next edit removes the error in less than 150 ms', async () => {
    await kernel.project.write('definitions/list.json', SOUND);
    const elapsed = startStopwatch();
    expect(await codes()).to.deep.equal([]);
    expect(elapsed()).to.be.lessThan(150);
  });

  it('statements are checked again when their model changes', async () => {
    await kernel.project.write('definitions/list.json', list("SELECT name FROM cat WHERE lower(nick) = 'x'"));
    expect(await codes()).to.deep.equal([]);
    await kernel.project.write('definitions/_cat.json', { ...CAT, nick: { type: 'Number', optional: true } });
    expect(await codes()).to.deep.equal(['SQL_REFUSED']);
    await kernel.project.write('definitions/_cat.json', CAT);
    expect(await codes()).to.deep.equal([]);
  });

  it('SQL that is added to the project is known', async () => {
    await kernel.project.write('definitions/list.json', list('SELECT loud(name) AS name FROM cat'));
    expect(await codes()).to.deep.equal(['SQL_REFUSED']);
    const script = "CREATE FUNCTION loud(t text) RETURNS text LANGUAGE sql AS $$ SELECT upper(t) || '!' $$";
    await kernel.project.write('migrations/1.sql', script);
    expect(await codes()).to.deep.equal([]);
    // A start, and a reload, run the file; once.
    expect(await codes()).to.deep.equal([]);
    expect((await kernel.post('/list', {})).body).to.deep.equal([]);
  });
});

describe('statements that a server checks before they are served', function () {
  let project: TempProject;
  let env: Record<string, string> = {};

  before(async function () {
    await skipWithout(this, startPostgres());
    env = { DATABASE_URL: await createPostgresDatabase(), PORT: '0' };
    const client = new pg.Client(env['DATABASE_URL']);
    await client.connect();
    await client.query('CREATE TABLE cat (id bigint PRIMARY KEY, name varchar(9) NOT NULL, nick text)');
    await client.end();
    const query = 'INSERT INTO cat (name, nick) VALUES ($1, $1)';
    project = await createTempProject({
      'definitions/_cat.json': CAT,
      'definitions/add.json': defineQueryResource('add', query, ['$PAYLOAD.name'], { returnables: ['name'] }),
    });
  });
  after(() => project?.dispose());

  it('reports a statement that the models accept and tables of an earlier system reject', async () => {
    const alone = await runCli(['check', '--format', 'json'], { cwd: project.folder, env });
    expect(alone.stdout).to.not.contain('SQL_REFUSED');
    for (const words of [['check', '--database'], ['serve']]) {
      const { code, stdout, stderr } = await runCli(words, { cwd: project.folder, env });
      expect(code).to.equal(1);
      expect(stdout + stderr).to.contain('inconsistent types deduced for parameter $1');
    }
  });
});

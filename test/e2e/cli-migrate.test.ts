/** `lintel migrate`: what it prints, changes, and leaves unchanged. */
import { readdir } from 'node:fs/promises';
import { expect } from 'chai';
import pg from 'pg';
import { hostCli, runCli, type Finished } from '../support/cli.js';
import { createClient, type Loose } from '../support/client.js';
import { defineDocumentResource, createDatabase, STORES } from '../support/databases.js';
import { createMysqlDatabase, startMysql } from '../support/mysql.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { defineQueryResource, createTempProject, type Files, type TempProject } from '../support/project.js';
import { chooseDatabases } from '../support/short-run.js';
import { skipTest, skipWithout } from '../support/skip.js';

const MODEL = {
  id: { type: 'Number', primary_key: true, auto_increment: true },
  name: { type: 'String', max_length: 9, unique: true },
};
const FILES = {
  'definitions/_cat.json': MODEL,
  'definitions/list.json': defineQueryResource('list', 'SELECT id, name FROM cat', [], { result: 'many' }),
};

const MEMORY = { main: { use: 'pglite', path: 'memory://' } };

for (const dialect of chooseDatabases(['pglite', 'postgres'] as const, (name) => name)) {
  // Each test continues with the database of the previous one.
  describe(`lintel migrate, on ${dialect}`, function () {
    let project: TempProject;
    let env: Record<string, string> = {};

    before(async function () {
      if (dialect === 'postgres') {
        await skipWithout(this, startPostgres());
        env = { DATABASE_URL: await createPostgresDatabase() };
      }
      project = await createTempProject({ ...FILES, 'lintel.config.json': { migrate: false } });
    });
    after(() => project?.dispose());

    const run = (...words: string[]): Promise<Finished> => runCli(['migrate', ...words], { cwd: project.folder, env });
    async function checkServed(): Promise<number> {
      const served = hostCli(['serve'], { cwd: project.folder, env: { ...env, PORT: '0' } });
      const [, url = ''] = await served.waitForOutput(/ready at (http:\S+)/);
      const { status } = await createClient(url).post('/list', {});
      await served.stop();
      return status;
    }

    it('changes nothing with --check, and fails while changes are missing', async () => {
      const { code, stdout, stderr } = await run('--check');
      expect([code, stderr]).to.deep.equal([1, '']);
      expect(stdout).to.contain('\n3 changes to apply\n').and.not.contain('changes applied');
    });

    it('shows the changes and applies them, if the start does not change tables', async () => {
      expect(await checkServed()).to.equal(500);
      const { code, stdout, stderr } = await run();
      expect([code, stderr]).to.deep.equal([0, '']);
      expect(stdout).to.match(/^cat \(main\)\n {2}\+ create table +id integer, name text\n {2}\+ add unique +name\n/);
      expect(stdout).to.contain('\n3 changes to apply\n').and.contain('\n2/3 cat: add unique name\n');
      expect(stdout).to.match(/\n3 changes applied in [\d.]+ s\n$/);
      expect(await checkServed()).to.equal(200);
    });

    it('passes with --check after the changes are applied', async () => {
      expect(await run('--check')).to.deep.equal({ code: 0, stdout: 'nothing to change\n', stderr: '' });
      const files = await readdir(project.folder, { recursive: true });
      expect(
        files.filter((name) => name.endsWith('.lock')),
        'the folder is given back before the command ends',
      ).to.deep.equal([]);
    });

    it('lists other differences with the reason, and leaves them', async () => {
      await project.write('definitions/_cat.json', { ...MODEL, name: { type: 'Boolean' }, born: { type: 'DateTime' } });
      const { code, stdout } = await run();
      expect(code).to.equal(0);
      expect(stdout).to.contain('  + add column  born timestamp\n');
      expect(stdout).to.contain(
        '  ! name: column has type text, the model says boolean; it is left as it is; `lintel migrate --destroy` changes the type\n',
      );
      expect(stdout)
        .to.contain('  ! born: required column added')
        .and.contain('1 change to apply; 4 differences not changed');
      expect((await run('--check')).code, 'a difference is nothing to make').to.equal(0);
    });
  });
}

describe('lintel migrate, on a new database', function () {
  let project: TempProject;
  beforeEach(
    async () => (project = await createTempProject({ ...FILES, 'lintel.config.json': { connections: MEMORY } })),
  );
  afterEach(() => project.dispose());
  const run = (...words: string[]): Promise<Finished> => runCli(['migrate', ...words], { cwd: project.folder });

  it('shows with --dry-run what --check shows, and does not fail', async () => {
    const dry = await run('--dry-run');
    expect([dry.code, dry.stdout.includes('changes applied')]).to.deep.equal([0, false]);
    const checked = await run('--check');
    expect([checked.code, checked.stdout]).to.deep.equal([1, dry.stdout]);
  });

  it('prints one document with --format json, with statements, also when it changes something', async () => {
    const { code, stdout, stderr } = await run('--format', 'json');
    expect([code, stderr.split('\n')[0]]).to.deep.equal([0, '1/3 cat: create table id integer, name text']);
    const { steps, warnings, applied } = JSON.parse(stdout) as {
      steps: Loose[];
      warnings: Loose[];
      applied: boolean;
    };
    expect([applied, warnings]).to.deep.equal([true, []]);
    expect(steps[0]).to.include({ store: 'main', table: 'cat', change: 'create table' });
    expect((steps[0]?.['sql'] as string[])[0]).to.match(/^create table "cat"/);
  });

  it('prints a script with --sql', async () => {
    const { stdout } = await run('--dry-run', '--sql');
    expect(stdout).to.match(/^-- main: cat, create table\ncreate table "cat" \(.*\);\n/);
  });

  it('rejects definitions with errors before anything is opened', async () => {
    await project.write('definitions/broken.json', '{ "id": "b", "resource": "b" }');
    const { code, stdout, stderr } = await run();
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.contain('definitions/broken.json:1:1').and.contain('KRN_BROKEN_SET');
  });

  it('creates the tables of valid resources if the config serves only these', async () => {
    await project.write('definitions/broken.json', '{ "id": "b", "resource": "b" }');
    await project.write('lintel.config.json', { on_problem: 'skip', connections: MEMORY });
    const { code, stdout, stderr } = await run();
    expect([code, stdout.split('\n')[0]]).to.deep.equal([0, 'cat (main)']);
    expect(stderr).to.contain('definitions/broken.json:1:1').and.not.contain('KRN_BROKEN_SET');
  });
});

describe('lintel migrate --destroy', function () {
  let project: TempProject;
  let env: Record<string, string> = {};
  const run = (...words: string[]): Promise<Finished> => runCli(['migrate', ...words], { cwd: project.folder, env });
  const connections = {
    main: { use: 'postgres', url: '$ENV.DATABASE_URL' },
    reports: { use: 'postgres', url: '$ENV.REPORTS_URL' },
  };

  before(async function () {
    await skipWithout(this, startPostgres());
    env = { DATABASE_URL: await createPostgresDatabase(), REPORTS_URL: await createPostgresDatabase() };
    project = await createTempProject({
      ...FILES,
      'lintel.config.json': { connections },
      'definitions/_event.json': { connection: 'reports', id: MODEL.id, note: { type: 'String' } },
    });
  });
  after(() => project?.dispose());

  const onServer = async (sql: string): Promise<number | null> => {
    const client = new pg.Client({ connectionString: env['DATABASE_URL'] });
    await client.connect();
    try {
      return (await client.query(sql)).rowCount;
    } finally {
      await client.end();
    }
  };

  it('shows a group for each connection', async () => {
    const { code, stdout } = await run();
    expect(code).to.equal(0);
    expect(stdout).to.match(/^connection main: 3 changes to apply\ncat \(main\)\n/);
    expect(stdout).to.match(/\n\nconnection reports: 1 change to apply\n_event \(reports\)\n/);
    expect(stdout)
      .to.contain('\n\n4 changes to apply\n')
      .and.match(/\n4 changes applied in/);
  });

  it('removes nothing unless requested, and without a terminal only with --yes', async () => {
    await onServer(`ALTER TABLE cat ADD COLUMN old text`);
    await onServer(`INSERT INTO cat (name, old) VALUES ('a', 'x'), ('b', NULL)`);
    const plain = await run();
    expect([plain.code, plain.stdout]).to.deep.equal([
      0,
      'cat (main)\n  ! old: the model does not know this column; it is left as it is; `lintel migrate --destroy` drops it\n' +
        '\nnothing to change; 1 difference not changed\n',
    ]);
    const asked = await run('--destroy');
    expect([asked.code, asked.stderr]).to.deep.equal([
      1,
      'Nothing was changed: without a terminal, destructive changes need --yes.\n',
    ]);
    expect(asked.stdout).to.contain('cat (main)\n  - drop column  old: loses 1 value\n');
    expect(asked.stdout).to.contain('1 change to apply, 1 destructive\n');
    expect((await run('--destroy', '--check')).code).to.equal(1);
    const json = await run('--destroy', '--format', 'json');
    expect(JSON.parse(json.stdout))
      .to.deep.include({ applied: false })
      .and.have.nested.property('steps[0].loses', '1 value');
    expect(await onServer('SELECT old FROM cat WHERE old IS NOT NULL')).to.equal(1);
    const done = await run('--destroy', '--yes');
    expect([done.code, done.stderr]).to.deep.equal([0, '']);
    expect(done.stdout).to.match(/1\/1 cat: drop column old\n1 change applied/);
    expect((await run('--destroy', '--check')).code).to.equal(0);
  });

  it('stops at a failed step and reports it', async () => {
    await onServer(`ALTER TABLE cat ADD COLUMN other text`);
    await onServer(`ALTER TABLE cat ALTER COLUMN name DROP NOT NULL`);
    await onServer(`INSERT INTO cat (name) VALUES (NULL)`);
    const { code, stderr } = await run('--destroy', '--yes');
    expect(code).to.equal(1);
    expect(stderr).to.contain('(table cat). Nothing was changed.');
    expect(await onServer('SELECT other FROM cat')).to.be.greaterThan(0);
  });
});

describe('lintel migrate on other databases', function () {
  let project: TempProject | undefined;
  afterEach(() => project?.dispose());

  for (const flavour of ['mariadb', 'mysql'] as const) {
    it(`${flavour}: prints a plan, checks, requires --yes to destroy, and leaves nothing to do`, async function () {
      await skipWithout(this, startMysql(flavour));
      const { folder } = (project = await createTempProject(FILES));
      const env = { MYSQL_URL: await createMysqlDatabase(flavour) };
      const run = (...words: string[]): Promise<Finished> => runCli(['migrate', ...words], { cwd: folder, env });
      const first = await run();
      expect([first.code, first.stderr]).to.deep.equal([0, '']);
      expect(first.stdout).to.match(
        /^cat \(main\)\n {2}\+ create table +id integer, name text\n {2}\+ add unique +name\n/,
      );
      expect(await run('--check')).to.deep.equal({ code: 0, stdout: 'nothing to change\n', stderr: '' });
      await project.write('definitions/_cat.json', { id: MODEL.id, called: { type: 'String', optional: true } });
      await project.write(
        'definitions/list.json',
        defineQueryResource('list', 'SELECT id, called FROM cat', [], { result: 'many' }),
      );
      const asked = await run('--destroy');
      expect([asked.code, asked.stderr]).to.deep.equal([
        1,
        'Nothing was changed: without a terminal, destructive changes need --yes.\n',
      ]);
      expect(asked.stdout).to.match(/ {2}- drop column +name: loses no values\n/);
      expect((await run('--destroy', '--check')).code).to.equal(1);
      expect((await run('--destroy', '--yes')).code).to.equal(0);
      expect((await run('--destroy', '--check')).stdout).to.equal('nothing to change\n');
    });
  }

  const DOCUMENTS = {
    ...FILES,
    'definitions/_dog.json': { name: { type: 'String', unique: true } },
    'definitions/dogs.json': defineDocumentResource(
      'dogs',
      { collection: '_dog', action: 'FETCH' },
      { result: 'many' },
    ),
  };
  for (const store of STORES) {
    it(`documents (${store.name}) next to SQL: names each collection, drops no field with --destroy, and finds nothing the second time`, async function () {
      const made = await createDatabase(store);
      if ('skip' in made) return skipTest(this, made.skip);
      const main = { use: 'pglite', path: './data' };
      const files = {
        ...DOCUMENTS,
        'lintel.config.json': { ...made.config, connections: { main } },
        'new.config.json': { ...made.config, connections: MEMORY },
      };
      const { folder } = (project = await createTempProject(files));
      const run = (...words: string[]): Promise<Finished> =>
        runCli(['migrate', ...words], { cwd: folder, env: made.env });
      const runNew = (...words: string[]): Promise<Finished> => run('--config', 'new.config.json', ...words);
      const checked = await runNew('--check');
      expect([checked.code, checked.stderr]).to.deep.equal([1, '']);
      expect(checked.stdout)
        .to.contain('connection main: 3 changes to apply\ncat (main)\n')
        .and.contain('documents.main: 2 changes to apply\n_dog (documents.main)\n  + create collection  name text\n');
      const json = JSON.parse((await runNew('--dry-run', '--format', 'json')).stdout) as { steps: Loose[] };
      expect(json.steps.map((step) => step['store'])).to.include.members(['main', 'documents.main']);
      expect((await runNew('--dry-run', '--sql')).stdout).to.contain('-- documents.main: _dog, create collection\n');
      const { code, stdout } = await run();
      expect([code, stdout.includes('\n5 changes applied in ')]).to.deep.equal([0, true]);
      expect(await run('--check')).to.deep.equal({ code: 0, stdout: 'nothing to change\n', stderr: '' });
      await project.write('definitions/_dog.json', { called: { type: 'String', optional: true } });
      const destroyed = await run('--destroy', '--yes');
      expect([destroyed.code, destroyed.stdout.includes(' - ')]).to.deep.equal([0, false]);
    });
  }
});

describe('lintel migrate', function () {
  const ended = async (files: Files, env: Record<string, string>, ...words: string[]): Promise<Finished> => {
    const project = await createTempProject(files);
    const finished = await runCli(['migrate', ...words], { cwd: project.folder, env });
    await project.dispose();
    return finished;
  };

  it('reports an unavailable database without its password', async () => {
    const { code, stdout, stderr } = await ended(FILES, { DATABASE_URL: 'postgres://ada:canary-pw@127.0.0.1:1/x' });
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.contain('nothing listens at this address').and.not.contain('canary').and.not.contain('    at ');
  });

  it('rejects an unknown format', async () => {
    expect((await ended(FILES, {}, '--format', 'xml')).code).to.equal(2);
  });

  it('opens and changes nothing without a model and a query', async () => {
    const { code, stdout } = await ended({}, { DATABASE_URL: 'postgres://ada@127.0.0.1:1/x' });
    expect([code, stdout]).to.deep.equal([0, 'nothing to change\n']);
  });
});

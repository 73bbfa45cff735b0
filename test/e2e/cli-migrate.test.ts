/** `lintel migrate` as a process: what it shows, what it changes, and what it leaves alone. */
import { expect } from 'chai';
import { runCli, startCli, type Finished } from '../support/child.js';
import { createClient, type Loose } from '../support/client.js';
import { freshDatabase, startPostgres } from '../support/postgres.js';
import { querying, tempProject, type Files, type TempProject } from '../support/project.js';

const MODEL = {
  id: { type: 'Number', primary_key: true, auto_increment: true },
  name: { type: 'String', max_length: 9, unique: true },
};
const FILES = {
  'definitions/_cat.json': MODEL,
  'definitions/list.json': querying('list', 'SELECT id, name FROM cat', [], { result: 'many' }),
};

for (const dialect of ['pglite', 'postgres'] as const) {
  describe(`lintel migrate, on ${dialect}`, function () {
    this.timeout(60_000);
    let project: TempProject;
    let env: Record<string, string> = {};

    before(async function () {
      if (dialect === 'pglite') return;
      if ('skip' in (await startPostgres())) this.skip();
    });
    beforeEach(async () => {
      project = await tempProject(FILES);
      env = dialect === 'pglite' ? {} : { DATABASE_URL: await freshDatabase() };
    });
    afterEach(() => project.dispose());

    const run = (...words: string[]): Promise<Finished> => runCli(['migrate', ...words], { cwd: project.folder, env });

    it('shows the changes, makes them, and finds nothing the second time', async () => {
      const { code, stdout, stderr } = await run();
      expect([code, stderr]).to.deep.equal([0, '']);
      expect(stdout).to.match(/^cat \(main\)\n {2}\+ create table +id integer, name text\n {2}\+ add unique +name\n/);
      expect(stdout).to.contain('\n3 changes to make\n').and.contain('\n2/3 cat: add unique name\n');
      expect(stdout).to.match(/\n3 changes made in [\d.]+ s\n$/);
      expect(await run()).to.deep.equal({ code: 0, stdout: 'nothing to change\n', stderr: '' });
    });

    it('--dry-run and --check change nothing; --check fails while there is something to change', async () => {
      const dry = await run('--dry-run');
      expect([dry.code, dry.stdout.includes('changes made')]).to.deep.equal([0, false]);
      const checked = await run('--check');
      expect([checked.code, checked.stdout]).to.deep.equal([1, dry.stdout]);
      expect((await run()).code).to.equal(0);
      expect((await run('--check')).code).to.equal(0);
    });

    it('works where starts leave the tables alone', async () => {
      await project.write('lintel.config.json', { migrate: false });
      const ask = async (): Promise<number> => {
        const child = startCli(['serve'], { cwd: project.folder, env: { ...env, PORT: '0' } });
        const [, url = ''] = await child.printed(/ready at (http:\S+)/);
        const { status } = await createClient(url).post('/list', {});
        await child.stop();
        return status;
      };
      expect(await ask()).to.equal(500);
      expect((await run()).code).to.equal(0);
      expect(await ask()).to.equal(200);
    });

    it('--format json is one document, with statements, also when it changes something', async () => {
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

    it('--sql is a script', async () => {
      const { stdout } = await run('--dry-run', '--sql');
      expect(stdout).to.match(/^-- main: cat, create table\ncreate table "cat" \(.*\);\n/);
    });

    it('differences that adding cannot mend are listed with the reason and left', async () => {
      await run();
      await project.write('definitions/_cat.json', { ...MODEL, name: { type: 'Boolean' }, born: { type: 'DateTime' } });
      const { code, stdout } = await run();
      expect(code).to.equal(0);
      expect(stdout).to.contain('  + add column  born timestamp\n');
      expect(stdout).to.contain('  ! name: column has type text, the model says boolean; it is left as it is\n');
      expect(stdout).to.contain('  ! born: required column added').and.contain('1 change to make; 2 differences left');
      expect((await run('--check')).code, 'a difference is nothing to make').to.equal(0);
    });

    it('definitions with errors are refused before anything is opened', async () => {
      await project.write('definitions/broken.json', '{ "id": "b", "resource": "b" }');
      const { code, stdout, stderr } = await run();
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.contain('definitions/broken.json:1:1').and.contain('KRN_BROKEN_SET');
    });

    it('where the config serves what is sound, that is what gets its tables', async () => {
      await project.write('definitions/broken.json', '{ "id": "b", "resource": "b" }');
      await project.write('lintel.config.json', { on_problem: 'skip' });
      const { code, stdout, stderr } = await run();
      expect([code, stdout.split('\n')[0]]).to.deep.equal([0, 'cat (main)']);
      expect(stderr).to.contain('definitions/broken.json:1:1').and.not.contain('KRN_BROKEN_SET');
    });
  });
}

describe('lintel migrate', function () {
  this.timeout(60_000);
  const ended = async (files: Files, env: Record<string, string>, ...words: string[]): Promise<Finished> => {
    const project = await tempProject(files);
    const finished = await runCli(['migrate', ...words], { cwd: project.folder, env });
    await project.dispose();
    return finished;
  };

  it('a database that cannot be reached is told without its password', async () => {
    const { code, stdout, stderr } = await ended(FILES, { DATABASE_URL: 'postgres://ada:canary-pw@127.0.0.1:1/x' });
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.contain('nothing listens at this address').and.not.contain('canary').and.not.contain('    at ');
  });

  it('an unknown format is not understood', async () => {
    expect((await ended(FILES, {}, '--format', 'xml')).code).to.equal(2);
  });

  it('no model and no query: nothing is opened, nothing to change', async () => {
    const { code, stdout } = await ended({}, { DATABASE_URL: 'postgres://ada@127.0.0.1:1/x' });
    expect([code, stdout]).to.deep.equal([0, 'nothing to change\n']);
  });
});

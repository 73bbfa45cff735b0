/**
 * SQL of a project in addition to its models, on every server: run once and in order, and known to the statement
 * checker. The embedded database: `checked-statements`.
 */
import { expect } from 'chai';
import { runCli, hostCli, type Finished } from '../support/cli.js';
import { createClient } from '../support/client.js';
import { createDatabase, SQL } from '../support/databases.js';
import { defineQueryResource, createTempProject, type TempProject } from '../support/project.js';
import { skipTest } from '../support/skip.js';

const POSTGRES = `-- Titles in a short form; with a semicolon in a text: ';'
CREATE FUNCTION twice(n bigint) RETURNS bigint LANGUAGE sql AS $$ SELECT n * 2; $$;
INSERT INTO cat (name) VALUES ('seed;1');`;
const MYSQL = `-- Titles in a short form; with a semicolon in a text: ';'
CREATE FUNCTION twice(n bigint) RETURNS bigint DETERMINISTIC BEGIN DECLARE m bigint; SET m = n * 2; RETURN m; END;
INSERT INTO cat (name) VALUES ('seed;1');`;

for (const database of SQL.filter(({ make }) => make !== null)) {
  const isMysql = database.name === 'mysql' || database.name === 'mariadb';

  // Each test continues with the database of the previous one.
  describe(`SQL of a project, on ${database.name}`, function () {
    let project: TempProject;
    let env: Record<string, string> = {};
    const run = (...words: string[]): Promise<Finished> => runCli(words, { cwd: project.folder, env });

    before(async function () {
      const place = await createDatabase(database);
      if ('skip' in place) return skipTest(this, place.skip);
      ({ env } = place);
      project = await createTempProject({
        'lintel.config.json': { ...place.config, migrate: false },
        'definitions/_cat.json': {
          id: { type: 'Number', primary_key: true, auto_increment: true },
          name: { type: 'String', max_length: 90 },
        },
        'definitions/list.json': defineQueryResource('list', 'SELECT name, twice(id) AS t FROM cat', [], {
          ...{ result: 'many', returnables: ['name', 't'] },
        }),
        'migrations/1-functions.sql': isMysql ? MYSQL : POSTGRES,
        'migrations/README.md': 'no SQL',
      });
    });
    after(() => project?.dispose());

    it('declares functions and types that `check` accepts, and `migrate --check` lists it', async () => {
      const { code, stdout } = await run('check');
      expect([code, stdout.trim().split('\n').at(-1)]).to.deep.equal([0, '0 errors, 0 warnings, 0 hints']);
      expect((await run('migrate', '--check')).stdout)
        .to.contain('migrations/1-functions.sql (main)')
        .and.contain('+ run file');
    });

    it('is run once by `migrate`, with the tables', async () => {
      const first = await run('migrate');
      expect([first.code, first.stderr]).to.deep.equal([0, '']);
      expect(first.stdout).to.contain('1/1 migrations/1-functions.sql: run file');
      expect((await run('migrate')).stdout).to.contain('nothing to change');
      expect((await run('check', '--database')).code).to.equal(0);
    });

    it('is served in statements', async () => {
      const served = hostCli(['serve'], { cwd: project.folder, env: { ...env, PORT: '0' } });
      const [, url = ''] = await served.waitForOutput(/ready at (http:\S+)/);
      const { body } = await createClient(url).post('/list', {});
      await served.stop();
      expect(body).to.deep.equal([{ name: 'seed;1', t: 2 }]);
    });

    it('is reported with its line if a file fails, and earlier files remain applied', async () => {
      await project.write('migrations/2-more.sql', "INSERT INTO cat (name) VALUES ('two');");
      await project.write('migrations/3-wrong.sql', '-- first\n\nINSERT INTO cot (name) VALUES (1);');
      const { code, stderr } = await run('migrate');
      expect(code).to.equal(1);
      expect(stderr)
        .to.contain(`migrations/3-wrong.sql${isMysql ? '' : ', line 3'}: `)
        .and.contain('cot');
      const { stdout } = await run('migrate', '--check');
      expect(stdout).to.contain('3-wrong').and.not.contain('2-more');
    });

    it('is not run again if a file is changed afterwards, which is reported', async () => {
      await project.write('migrations/2-more.sql', "INSERT INTO cat (name) VALUES ('three');");
      await project.remove('migrations/3-wrong.sql');
      const { code, stdout } = await run('migrate');
      expect(code).to.equal(0);
      expect(stdout).to.contain('! migration script changed after it was run').and.contain('nothing to change');
    });

    it('is reported by `check --database` and `serve` if the database rejects statements, with their position', async () => {
      await project.write(
        'definitions/wrong.json',
        defineQueryResource('wrong', 'SELECT name, thrice(id) AS t FROM cat', [], { returnables: ['name'] }),
      );
      for (const words of [['check', '--database'], ['serve']]) {
        const { code, stdout, stderr } = await run(...words);
        expect(code).to.equal(1);
        expect(stdout + stderr).to.match(/SQL_REFUSED The database rejects this statement: .*thrice.* does not exist/i);
        expect(stdout + stderr).to.match(/definitions\/wrong\.json:\d+:\d+\n[^\n]*thrice[^\n]*\n[^\n]* \^{6}\n/);
      }
    });
  });
}

/**
 * `lintel migrate --fill`: rows that were encrypted before their column had a blind index get it, on every SQL
 * database, while a server runs if there is one. Rows that cannot be filled are reported, and a second run changes
 * nothing.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { defineCipher, defineIndexedResource, ENCRYPT, ENV, INSERT, query } from '../support/blind-index.js';
import { runCli } from '../support/cli.js';
import { createDatabase, SQL } from '../support/databases.js';
import { startKernel } from '../support/kernel.js';
import { createTempProject, type TempProject } from '../support/project.js';
import { chooseDatabases } from '../support/short-run.js';
import { skipTest } from '../support/skip.js';
import { fillStoreIndexes } from '../../language/project/store-changes.js';

const model = (field: object): object => ({
  _people: { id: { type: 'String', primary_key: true, max_length: 40 }, email: { type: 'String', ...field } },
});
const { KEY, BLIND_INDEX_KEY } = ENV;
const foreign = { ...defineCipher('Encrypt', 'email'), options: { key: '$ENV.OTHER' } };
const BEFORE = [
  model({}),
  defineIndexedResource('add', query(INSERT, ['id', 'email'], ENCRYPT, { multi: true })),
  defineIndexedResource('add-foreign', query(INSERT, ['id', 'email'], { ciphers: [foreign] })),
];
const AFTER = [
  model({ blind_index: true, unique: true }),
  defineIndexedResource('add', query(INSERT, ['id', 'email'], ENCRYPT)),
  defineIndexedResource('find', query('SELECT id FROM people WHERE email = $1', ['email'])),
];
const ROWS = Array.from({ length: 520 }, (_, i) => ({ id: `p${i}`, email: `p${i}@example.com` }));

for (const database of chooseDatabases(SQL, (one) => one.name))
  describe(`blind indexes of existing rows (${database.name})`, () => {
    let project: TempProject;
    let folder = '';
    let env: Record<string, string> = {};
    let config: Readonly<Record<string, unknown>> = {};

    before(async function () {
      const found = await createDatabase(database);
      if ('skip' in found) return skipTest(this, found.skip);
      folder = await mkdtemp(join(tmpdir(), 'lintel-fill-'));
      config =
        database.make === null ? { connections: { main: { use: 'pglite', path: folder } } } : { ...found.config };
      env = { ...found.env, KEY, BLIND_INDEX_KEY, OTHER: 'another-field-key-Qm7xT2vLs9Rw4Z' };
      project = await createTempProject({ 'lintel.config.json': config, 'definitions/all.json': AFTER });
      const kernel = await startKernel({ files: { 'definitions/a.json': BEFORE }, config, env });
      const twice = { id: 'twice', email: 'p0@example.com' };
      for (const rows of [ROWS.slice(0, 300), [...ROWS.slice(300), twice]])
        expect((await kernel.post('/add', rows)).status).to.equal(200);
      expect((await kernel.post('/add-foreign', { id: 'foreign', email: 'f@example.com' })).status).to.equal(200);
      await kernel.close();
    });
    after(async () => {
      await (project as TempProject | undefined)?.dispose();
      await rm(folder, { recursive: true, force: true });
    });

    it('are filled in batches while others serve, except for values of another key and duplicate values', async () => {
      const kernel = await startKernel({ files: { 'definitions/a.json': AFTER }, config, env });
      const batches: number[] = [];
      const fill = () => fillStoreIndexes(kernel.kernel.schemas(), ({ filled }) => batches.push(filled));
      const column = { store: 'main', table: 'people', column: 'email', unopened: 1, duplicates: 1, reason: null };
      expect((await kernel.post('/find', { email: 'p519@example.com' })).body).to.equal(null);
      expect(await fill()).to.deep.equal([{ ...column, filled: 520 }]);
      expect(batches).to.have.length(2);
      expect(await fill(), 'again').to.deep.equal([{ ...column, filled: 0 }]);
      expect((await kernel.post('/find', { email: 'p519@example.com' })).body).to.deep.equal({ id: 'p519' });
      expect((await kernel.post('/add', { id: 'new', email: 'p7@example.com' })).status).to.equal(409);
      await kernel.close();
    });

    if (database.make === null)
      it('are reported by `lintel migrate --fill`, with its exit code', async () => {
        const { code, stdout } = await runCli(['migrate', '--fill'], { cwd: project.folder, env });
        expect(code).to.equal(1);
        expect(stdout).to.contain(
          '! people.email: blind index of 0 rows filled; 1 left, which no key of the definitions opens; 1 left, whose value',
        );
      });
  });

describe('blind indexes that cannot be filled', () => {
  it('are reported with the reason, and exit with 1', async () => {
    const aad = { ...defineCipher('Encrypt', 'email'), options: { key: '$ENV.KEY', aad: 'of $PAYLOAD.id' } };
    const definitions = [
      model({ blind_index: true }),
      defineIndexedResource('add', query(INSERT, ['id', 'email'], { ciphers: [aad] })),
    ];
    const config = { connections: { main: { use: 'pglite', path: 'memory://' } } };
    const project = await createTempProject({ 'lintel.config.json': config, 'definitions/all.json': definitions });
    const { code, stdout } = await runCli(['migrate', '--fill'], {
      cwd: project.folder,
      env: { KEY, BLIND_INDEX_KEY },
    });
    await project.dispose();
    expect(code).to.equal(1);
    expect(stdout).to.contain('! people.email: blind index not filled, because its `aad` is read from requests');
  });
});

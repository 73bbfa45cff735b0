/**
 * `lintel backup` and `lintel restore`: a copy of a running server under writes is consistent, a restored project
 * serves the same rows, documents and files, a damaged copy is reported, and an interruption loses nothing.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { Fault } from '../../contract/fault.js';
import { checkFolder } from '../../plugins/dialects/pglite/folder.js';
import { startCli } from '../support/child.js';
import { runCli, type Finished } from '../support/cli.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { PNG_RED } from '../support/pictures.js';
import { defineQueryResource, createTempProject, type TempProject } from '../support/project.js';
import { waitUntil } from '../support/until.js';

/** As an upload leaves it. */
const PICTURE = '.lintel/files/open/p/red.png';

const update = (id: number, sign: string): object => ({
  id,
  mode: 'QUERY',
  sql_query: { query: `UPDATE accounts SET balance = balance ${sign} 1 WHERE id = ${id}`, parameters: [] },
});
const FILES = {
  'lintel.config.json': { http: { port: 0 } },
  'definitions/_account.json': { id: { type: 'Number', primary_key: true }, balance: { type: 'Number' } },
  'definitions/_letter.json': { text: { type: 'String' } },
  'definitions/a.json': [
    defineQueryResource('open', 'INSERT INTO accounts (id, balance) VALUES (1, 100), (2, 100)'),
    { id: 'move', resource: 'move', actionables: [update(1, '-'), update(2, '+')] },
    defineQueryResource(
      'sum',
      'SELECT CAST(sum(balance) AS int) AS sum, CAST(min(balance) AS int) AS least FROM accounts',
    ),
    {
      id: 'write',
      resource: 'write',
      actionables: [
        { id: 1, mode: 'QUERY', mongo_query: { collection: '_letter', action: 'INSERT', parameters: ['text'] } },
      ],
    },
    {
      id: 'read',
      resource: 'read',
      returnables: ['text'],
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          main_returnable: true,
          mongo_query: { collection: '_letter', action: 'FETCH', filter_predicate: {}, parameters: [] },
        },
      ],
    },
  ],
};

describe('lintel backup and restore', () => {
  let project: TempProject;
  let copy = '';
  const projects: TempProject[] = [];
  const make = async (): Promise<TempProject> => {
    const made = await createTempProject(FILES);
    projects.push(made);
    return made;
  };
  const run = (words: readonly string[], cwd = project.folder): Promise<Finished> => runCli(words, { cwd });
  const data = (folder: string): string => join(folder, '.lintel', 'data');
  const serving = async <T>(folder: TempProject, work: (kernel: TestKernel) => Promise<T>): Promise<T> => {
    const kernel = await startKernel({ project: folder });
    try {
      return await work(kernel);
    } finally {
      await kernel.close();
    }
  };

  before(async () => {
    project = await make();
    copy = join(project.folder, 'copies', 'monday');
    await mkdir(dirname(join(project.folder, PICTURE)), { recursive: true });
    await writeFile(join(project.folder, PICTURE), PNG_RED);
  });
  after(async () => {
    for (const made of projects) await made.dispose();
  });

  it('copies a running server under writes, completely, with private files', async () => {
    await serving(project, async (kernel) => {
      await kernel.post('/open');
      await kernel.post('/write', { text: 'first' });
      let over = false;
      let moved = 0;
      const load = async (): Promise<void> => {
        for (; !over; moved += 1) expect((await kernel.post('/move')).status).to.equal(200);
      };
      const loads = load();
      await waitUntil(() => moved > 2, 'writes are under way');
      const done = await run(['backup', copy]);
      over = true;
      await loads;
      expect(done.stderr).to.equal('');
      expect(done).to.include({ code: 0 });
      expect(done.stdout).to.include('storage').and.include('dialect:main');
      expect((await stat(join(data(project.folder), 'lintel.sock'))).mode & 0o777).to.equal(0o600);
      // One that holds the database and is killed lets it go.
      const holder = createConnection(join(data(project.folder), 'lintel.sock'));
      expect(String((await once(holder, 'data'))[0])).to.equal('held\n');
      const after = kernel.post('/sum');
      holder.destroy();
      expect((await after).body).to.deep.include({ sum: 200 });
    });
    expect((await stat(copy)).mode & 0o777).to.equal(0o700);
    expect(await run(['backup', '--verify', copy])).to.include({ code: 0, stderr: '' });
    const again = await run(['backup', copy]);
    expect(again).to.include({ code: 1 });
    expect(again.stderr).to.include('already contains files');
  }).timeout(60_000);

  it('restores it into empty folders, and serves the same rows, documents and files', async () => {
    const other = await make();
    expect(await run(['restore', copy], other.folder)).to.include({ code: 0, stderr: '' });
    await serving(other, async (kernel) => {
      const { body } = await kernel.post<{ sum: number; least: number }>('/sum');
      expect(body.sum).to.equal(200);
      expect(body.least).to.be.lessThan(100);
      expect((await kernel.post('/read')).text).to.include('"first"');
      expect(await readFile(join(other.folder, PICTURE))).to.deep.equal(PNG_RED);
      const busy = await run(['restore', '--replace', copy], other.folder);
      expect(busy.stderr).to.include('in use by another process');
    });
    const rejected = await run(['restore', copy], other.folder);
    expect(rejected).to.include({ code: 1 });
    expect(rejected.stderr).to.include('is not empty');
    const replaced = await run(['restore', '--replace', copy], other.folder);
    expect(replaced).to.include({ code: 0, stderr: '' });
    const names = (await readdir(join(other.folder, '.lintel'))).filter((name) => name.includes('before'));
    expect(names.map((name) => name.split('.before')[0]).sort()).to.deep.equal(['data', 'files']);
  });

  it('reports the errors of a damaged copy, and changes nothing', async () => {
    const database = join(copy, 'dialect-main');
    const control = join(database, 'global', 'pg_control');
    const bytes = await readFile(control);
    const before = await readdir(data(project.folder), { recursive: true });
    const isRejected = async (word: string): Promise<void> => {
      for (const words of [
        ['backup', '--verify', copy],
        ['restore', '--replace', copy],
      ]) {
        const done = await run(words);
        expect(done.code, words[0]).to.equal(1);
        expect(done.stderr).to.include(word);
      }
    };
    await writeFile(control, Buffer.from(bytes).fill(bytes[100] === 0 ? 1 : 0, 100, 101));
    await isRejected('dialect-main/global/pg_control differs from the copied file');
    await truncate(control, 10);
    await isRejected('dialect-main/global/pg_control has 10 bytes');
    await rename(control, `${control}.x`);
    await isRejected('the file dialect-main/global/pg_control is missing');
    await rm(`${control}.x`);
    await writeFile(control, bytes);
    await writeFile(join(database, 'more'), '');
    await isRejected('dialect-main/more is not in its manifest');
    await rm(join(database, 'more'));
    await rename(join(database, 'pg_notify'), join(copy, 'pg_notify'));
    await isRejected('the folder dialect-main/pg_notify is missing');
    await rename(join(copy, 'pg_notify'), join(database, 'pg_notify'));
    const manifest = join(copy, 'manifest.json');
    const text = await readFile(manifest, 'utf8');
    await writeFile(manifest, text.replace('"size": 3', '"size": 4'));
    await isRejected('manifest.json is damaged');
    await writeFile(manifest, text);
    expect(await run(['backup', '--verify', copy])).to.include({ code: 0 });
    expect(await readdir(data(project.folder), { recursive: true })).to.deep.equal(before);
  });

  it('loses nothing when a copy or a restore is killed', async () => {
    const target = join(project.folder, 'copies', 'tuesday');
    const killedAt = async (words: readonly string[], file: string): Promise<void> => {
      const child = startCli(words, { cwd: project.folder });
      await waitUntil(() => existsSync(file), `${words[0]} has begun`);
      await child.stop('SIGKILL');
    };
    await killedAt(['backup', target], `${target}.unfinished`);
    expect(existsSync(target)).to.equal(false);
    expect(await run(['backup', target])).to.include({ code: 0, stderr: '' });
    expect(existsSync(`${target}.unfinished`)).to.equal(false);
    const staged = `${data(project.folder)}.restoring`;
    await killedAt(['restore', '--replace', copy], staged);
    // At any moment: a start rejects a half-restored folder, and never begins empty.
    await rename(data(project.folder), `${data(project.folder)}.before-kill`);
    await mkdir(data(project.folder));
    const rejected = await checkFolder(data(project.folder), 'main').catch((error: unknown) => error);
    expect((rejected as Fault).params['reason']).to.include('a restore into the folder was cut off');
    expect(await run(['restore', '--replace', copy])).to.include({ code: 0, stderr: '' });
    const names = async (folder: string): Promise<string[]> => (await readdir(folder, { recursive: true })).sort();
    expect(await names(data(project.folder))).to.deep.equal(await names(join(copy, 'dialect-main')));
    expect(existsSync(staged)).to.equal(false);
  }).timeout(60_000);

  it('names the backup tool for data of a server', async () => {
    const other = await make();
    const url = 'postgres://a@127.0.0.1:1/a';
    await other.write('lintel.config.json', { connections: { main: { use: 'postgres', url } } });
    const done = await run(['backup', 'x'], other.folder);
    expect(done).to.include({ code: 1 });
    expect(done.stderr)
      .to.include('dialect:main (postgres)')
      .and.include('pg_dump')
      .and.include('no data on this machine');
  });
});

/**
 * The folder of an embedded database: a foreign folder prevents the start and is not changed, other users of the
 * machine cannot read it, and a process of another container is rejected.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { checkFolder } from '../../../plugins/dialects/pglite/folder.js';
import { lockFolder } from '../../../plugins/dialects/pglite/lock.js';
import { startKernel } from '../../support/kernel.js';
import { defineQueryResource, ROOT } from '../../support/project.js';
import { skipTest } from '../../support/skip.js';
import { waitUntil } from '../../support/until.js';

const LOCK = pathToFileURL(join(ROOT, 'dist', 'plugins', 'dialects', 'pglite', 'lock.js')).href;
/** Acquires the lock, prints the outcome, and ends with its input. */
const HOLDER = `
  import { lockFolder } from '${LOCK}';
  await lockFolder(process.argv[1], 'main').then(() => console.log('held'), (error) => console.log(error.params?.reason ?? error.message));
  process.stdin.resume();`;

describe('folder of an embedded database', () => {
  let above = '';
  before(async () => {
    above = await mkdtemp(join(tmpdir(), 'lintel-test-'));
  });
  after(() => rm(above, { recursive: true, force: true }));

  const files = {
    'definitions/_note.json': { id: { type: 'Number', primary_key: true } },
    'definitions/a.json': [
      defineQueryResource('add', 'INSERT INTO notes (id) VALUES (1)'),
      defineQueryResource('all', 'SELECT count(*) AS n FROM notes'),
    ],
  };
  const start = (path: string) => startKernel({ files, config: { connections: { main: { use: 'pglite', path } } } });
  const catchReason = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      // The kernel reports it in the error of the start.
      (error: unknown) => {
        const { params = {} } = error as { params?: Readonly<Record<string, unknown>> };
        return params['reason'] ?? params['detail'];
      },
    );

  it('is private, serves its rows again, and is rejected unchanged if it lost a file', async () => {
    const data = join(above, 'data');
    const first = await start(data);
    expect((await first.post('/add')).status).to.equal(200);
    await first.close();
    expect((await stat(data)).mode & 0o777).to.equal(0o700);
    const copy = join(above, 'copy');
    await cp(data, copy, { recursive: true });
    const again = await start(data);
    expect((await again.post('/all')).body).to.deep.equal({ n: 1 });
    await again.close();
    for (const [lost, name] of [
      ['PG_VERSION', 'PG_VERSION'],
      ['global/pg_control', join('global', 'pg_control')],
    ] as const) {
      const broken = join(above, `without-${name.replaceAll(/\W/g, '-')}`);
      await cp(copy, broken, { recursive: true });
      await rm(join(broken, lost));
      const before = (await readdir(broken, { recursive: true })).sort();
      expect(await catchReason(start(broken))).to.include(`of a database it lacks ${name}`);
      expect((await readdir(broken, { recursive: true })).sort()).to.deep.equal(before);
    }
  }).timeout(60_000);

  it('is rejected if it contains other files, and created again if its creation was interrupted', async () => {
    const other = join(above, 'other');
    await mkdir(other);
    await writeFile(join(other, 'letter.txt'), 'x');
    expect(await catchReason(checkFolder(other, 'main'))).to.include('holds 1 files and folders');
    expect(await readdir(other)).to.deep.equal(['letter.txt']);
    const half = join(above, 'half');
    await mkdir(half);
    // Ends before the database has begun.
    await checkFolder(half, 'main');
    await writeFile(join(half, 'pg_hba.conf'), '');
    const begun = await checkFolder(half, 'main');
    expect(await readdir(half)).to.deep.equal([]);
    await begun();
    expect(await readdir(above)).not.to.include('half.unfinished');
  });

  it('stays locked when a supervisor ends all processes, until the database is closed', async function () {
    const children = `/proc/${process.pid}/task/${process.pid}/children`;
    if (spawnSync('flock', ['--version']).error !== undefined) return skipTest(this, 'no flock');
    if (!existsSync(children)) return skipTest(this, 'the system does not list children');
    const listChildren = async (): Promise<string[]> => (await readFile(children, 'utf8')).split(' ').filter(Boolean);
    const before = await listChildren();
    const data = join(above, 'ended');
    const unlock = await lockFolder(data, 'main');
    const isLocked = (): boolean => spawnSync('flock', ['-n', data, 'true']).status === 1;
    const holders = (await listChildren()).filter((pid) => !before.includes(pid));
    expect(holders).to.have.length(1);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      for (const pid of holders) process.kill(-Number(pid), signal);
      expect(isLocked(), signal).to.equal(true);
    }
    await unlock();
    expect(isLocked()).to.equal(false);
  });

  it('is opened although the lock holder of a killed process ends a moment later', async function () {
    const children = `/proc/${process.pid}/task/${process.pid}/children`;
    if (spawnSync('flock', ['--version']).error !== undefined) return skipTest(this, 'no flock');
    if (!existsSync(children)) return skipTest(this, 'the system does not list children');
    const countChildren = async (): Promise<number> =>
      (await readFile(children, 'utf8')).split(' ').filter(Boolean).length;
    const data = join(above, 'killed');
    await mkdir(data);
    const holder = spawn('flock', ['-n', data, 'sh', '-c', 'echo && exec cat'], { stdio: ['pipe', 'pipe', 'ignore'] });
    await once(holder.stdout, 'data');
    // No process has this number.
    await writeFile(`${data}.lock`, `${2 ** 22 + 1} flock\n`);
    const before = await countChildren();
    const locked = lockFolder(data, 'main');
    locked.catch(() => undefined);
    let hasBegun = false;
    await waitUntil(async () => {
      const count = await countChildren();
      hasBegun ||= count > before;
      return hasBegun && count === before;
    }, 'the first attempt is over');
    holder.stdin.end();
    await (
      await locked
    )();
  });

  it('belongs to one process, also of another container with other process ids', async function () {
    if (spawnSync('flock', ['--version']).error !== undefined) return skipTest(this, 'no flock');
    const apart = ['--kill-child', '--pid', '--fork', '--mount-proc', process.execPath];
    if (spawnSync('unshare', [...apart, '-e', '']).status !== 0) return skipTest(this, 'no namespaces for this user');
    const data = join(above, 'shared');
    const holder = spawn('unshare', [...apart, '--input-type=module', '-e', HOLDER, data], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [output] = (await once(holder.stdout, 'data')) as [Buffer];
    expect(String(output)).to.equal('held\n');
    expect(await catchReason(lockFolder(data, 'main'))).to.include('in use by another process');
    // Without a clean shutdown: the operating system releases the lock.
    const over = once(holder, 'close');
    holder.stdin.end();
    holder.kill('SIGKILL');
    await over;
    const locks: (() => Promise<void>)[] = [];
    const take = async (): Promise<boolean> => {
      locks.push(
        ...(await lockFolder(data, 'main').then(
          (unlock) => [unlock],
          () => [],
        )),
      );
      return locks.length > 0;
    };
    await waitUntil(take, 'the lock is given back');
    for (const unlock of locks) await unlock();
  });
});

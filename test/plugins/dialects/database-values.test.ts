/** Values as the text of PostgreSQL has them, and the lock of a data folder that only this process may take. */
import { spawn, type ChildProcess } from 'node:child_process';
import { access, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Fault } from '../../../contract/fault.js';
import { lockFolder } from '../../../plugins/dialects/pglite/lock.js';
import { parseTimestamp } from '../../../plugins/dialects/shared/types.js';

describe('PostgreSQL timestamp', () => {
  for (const [text, expected] of [
    ['2026-01-02 03:04:05+00', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02 03:04:05', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02 03:04:05.6+00', '2026-01-02T03:04:05.600Z'],
    ['2026-01-02 03:04:05.678901+00', '2026-01-02T03:04:05.678901Z'],
    ['2026-01-02 03:04:05+05:30', '2026-01-02T03:04:05.000+05:30'],
    ['2026-01-02 03:04:05.6-03', '2026-01-02T03:04:05.600-03:00'],
    ['2026-01-02 03:04:05+00:30', '2026-01-02T03:04:05.000+00:30'],
    ['12026-01-02 03:04:05+00', '12026-01-02T03:04:05.000Z'],
    ['12026-01-02 03:04:05', '12026-01-02T03:04:05.000Z'],
    ['infinity', 'infinity'],
    ['0044-03-15 00:00:00+00 BC', '0044-03-15 00:00:00+00 BC'],
  ] as const)
    it(`${text} is returned as ${expected}`, () => expect(parseTimestamp(text)).to.equal(expected));
});

describe('lock of a data folder', () => {
  let folder = '';
  // Another process; it ends with its input.
  let other: ChildProcess;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lintel-test-'));
    other = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  });
  after(async () => {
    other.stdin?.end();
    await rm(folder, { recursive: true });
  });

  it('is taken over from a process that has ended, from one with the same id, and if no process is named', async () => {
    const data = join(folder, 'a');
    for (const content of [`${process.pid}\n`, '4194304999\n', 'x', '0\n', '-1\n', '']) {
      await writeFile(`${data}.lock`, content);
      const release = await lockFolder(data, 'main');
      await release();
    }
    const isThere = await access(`${data}.lock`).then(
      () => true,
      () => false,
    );
    expect(isThere).to.equal(false);
  });

  it('is rejected while another process or this one holds it', async () => {
    const data = join(folder, 'b');
    await writeFile(`${data}.lock`, `${other.pid}\n`);
    const catchLockFault = (): Promise<Fault | null> =>
      lockFolder(data, 'main').then(
        () => null,
        (error: unknown) => error as Fault,
      );
    expect((await catchLockFault())?.code).to.equal('QRY_CONNECT');
    await rm(`${data}.lock`);
    const release = await lockFolder(data, 'main');
    expect((await catchLockFault())?.code).to.equal('QRY_CONNECT');
    await release();
  });

  it('contains the id of this process, next to a folder that need not exist, until it is released', async () => {
    const above = join(folder, 'above', 'of');
    const release = await lockFolder(join(above, 'c'), 'main');
    expect(await readdir(above)).to.deep.equal(['c', 'c.lock']);
    expect(await readFile(join(above, 'c.lock'), 'utf8')).to.match(new RegExp(`^${process.pid}( flock)?\\n$`));
    await release();
    expect(await readdir(above)).to.deep.equal(['c']);
    // After its release, it can be acquired again.
    await (
      await lockFolder(join(above, 'c'), 'main')
    )();
  });

  it('can be acquired later after a failure', async () => {
    const data = join(folder, 'd');
    await writeFile(`${data}.lock`, `${other.pid}\n`);
    const rejection = await lockFolder(data, 'second').catch((error: unknown) => error as Fault);
    expect(rejection).to.deep.include({
      code: 'QRY_CONNECT',
      params: {
        instance: 'second',
        reason: 'the data folder is in use by another process; an embedded database belongs to one at a time',
      },
    });
    // No draft is left, and the lock is that of the other process.
    expect((await readdir(folder)).filter((name) => name.startsWith('d'))).to.deep.equal(['d', 'd.lock']);
    expect(await readFile(`${data}.lock`, 'utf8')).to.equal(`${other.pid}\n`);
    await rm(`${data}.lock`);
    await (
      await lockFolder(data, 'second')
    )();
  });

  it('reports the system error if it cannot be written', async () => {
    await writeFile(join(folder, 'file'), '');
    const error = await lockFolder(join(folder, 'file', 'e'), 'main').catch((cause: unknown) => cause);
    expect(error)
      .to.have.property('code')
      .that.matches(/^E[A-Z]+$/);
  });
});

/** Values as the text of PostgreSQL has them, and the lock of a data folder that only this process may take. */
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Fault } from '../../kernel/contract/fault.js';
import { lockFolder } from '../../plugins/dialects/pglite/lock.js';
import { instant } from '../../plugins/dialects/shared/types.js';

describe('an instant of PostgreSQL', () => {
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
    it(`${text} is answered as ${expected}`, () => expect(instant(text)).to.equal(expected));
});

describe('the lock of a data folder', () => {
  let folder = '';
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'lintel-test-'))));
  after(() => rm(folder, { recursive: true }));

  it('is taken over from a process that has ended, from one with the same id, and where no process is named', async () => {
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

  it('is refused while another process runs that holds it, and while this one holds it', async () => {
    const data = join(folder, 'b');
    await writeFile(`${data}.lock`, `${process.ppid}\n`);
    const refusal = (): Promise<Fault | null> =>
      lockFolder(data, 'main').then(
        () => null,
        (error: unknown) => error as Fault,
      );
    expect((await refusal())?.code).to.equal('QRY_CONNECT');
    await rm(`${data}.lock`);
    const release = await lockFolder(data, 'main');
    expect((await refusal())?.code).to.equal('QRY_CONNECT');
    await release();
  });
});

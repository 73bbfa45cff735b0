/**
 * The folder of the storage `local-disk`: what is on the disk before a file counts as stored, and what is left after a
 * failure.
 */
import fs, {
  link,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Fault } from '../../../contract/fault.js';
import { openFolder, type Folder } from '../../../plugins/storages/local-disk/folder.js';
import { listFilesBelow, listOpenTempFiles } from '../../support/temp-files.js';
import { waitUntil } from '../../support/until.js';

/** Every handle of a file has its methods from here. */
async function handlePrototype(path: string): Promise<FileHandle> {
  const handle = await open(path);
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle;
}

describe('files of the storage local-disk', () => {
  let place = '';
  let root = '';
  let folder!: Folder;
  let restore = (): void => undefined;
  beforeEach(async () => {
    place = await mkdtemp(join(tmpdir(), 'lintel-test-'));
    root = join(place, 'files');
    await writeFile(join(place, 'sent'), 'content');
    folder = await openFolder(root);
  });
  afterEach(async () => {
    restore();
    restore = () => undefined;
    await rm(place, { recursive: true });
  });
  const createSentFile = (signed = false) => ({
    path: join(place, 'sent'),
    size: 7,
    type: 'text/plain',
    ...(signed && { signed }),
  });
  const listStoredFiles = async (): Promise<readonly string[]> =>
    (await listFilesBelow(root)).filter((path) => path !== 'signing.key');

  /** Calls `instead` in the place of `sync`; that gets the real one. */
  async function replaceSync(instead: (handle: FileHandle, sync: () => Promise<void>) => Promise<void>): Promise<void> {
    const prototype = await handlePrototype(join(place, 'sent'));
    const { sync } = prototype as { sync: (this: FileHandle) => Promise<void> };
    prototype.sync = function (this: FileHandle) {
      return instead(this, () => sync.call(this));
    };
    restore = () => void (prototype.sync = sync);
  }

  it('are synced to the disk whole, then named and reported as stored', async () => {
    const synced: string[] = [];
    const named: string[][] = [];
    let finish = (): void => undefined;
    const gate = new Promise<void>((resolve) => (finish = resolve));
    await replaceSync(async (handle, sync) => {
      synced.push((await handle.readFile()).toString());
      named.push((await listStoredFiles()).filter((path) => path.startsWith('open')));
      await gate;
      await sync();
    });
    let isStored = false;
    const storing = folder.put('a/one.txt', createSentFile()).then(() => (isStored = true));
    await waitUntil(() => named.length === 1, 'the file is being synced');
    expect([synced, named, isStored]).to.deep.equal([['content'], [[]], false]);
    finish();
    await storing;
    expect(await listStoredFiles()).to.deep.equal(['open/a/one.txt']);
    expect(synced).to.have.length(1);
    expect(await listOpenTempFiles(place), 'no descriptor stays open').to.deep.equal([]);
  });

  it('do not exist if the disk cannot sync them', async () => {
    await replaceSync(() => Promise.reject(Object.assign(new Error('no space'), { code: 'EIO' })));
    const failure: unknown = await folder.put('one.txt', createSentFile()).catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'EIO');
    expect(await listStoredFiles()).to.deep.equal([]);
  });

  it('are readable by this user only, whatever their origin', async () => {
    await folder.put('one.txt', createSentFile());
    await folder.put('two.txt', createSentFile(true));
    for (const path of ['open/one.txt', 'signed/two.txt'])
      expect((await stat(join(root, path))).mode & 0o777, path).to.equal(0o600);
    for (const path of ['', 'open', 'signed', 'incoming'])
      expect((await stat(join(root, path))).mode & 0o777, path).to.equal(0o700);
  });

  it('are never stored, found or removed through a link', async () => {
    const outside = join(place, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'other.txt'), 'other');
    await symlink(outside, join(root, 'open', 'a'));
    const failure: unknown = await folder.put('a/one.txt', createSentFile()).catch((error: unknown) => error);
    expect(String(failure)).to.contain('is no folder');
    expect(await folder.find('a/other.txt', 'open')).to.equal(null);
    await folder.remove(['a/other.txt']);
    expect(await readdir(outside)).to.deep.equal(['other.txt']);
  });

  it('have signed URLs with a key that is created once, synced and readable by this user only', async () => {
    const synced: number[] = [];
    await replaceSync(async (handle, sync) => {
      const { size, ino } = await handle.stat();
      expect(size).to.equal(32);
      synced.push(ino);
      await sync();
    });
    const [one, two] = await Promise.all([openFolder(join(place, 'other')), openFolder(join(place, 'other'))]);
    expect(one.secret).to.deep.equal(two.secret);
    expect(one.secret).to.have.length(32);
    expect(synced).to.include((await stat(join(place, 'other', 'signing.key'))).ino);
    expect((await stat(join(place, 'other', 'signing.key'))).mode & 0o777).to.equal(0o600);
    expect((await openFolder(join(place, 'other'))).secret).to.deep.equal(one.secret);
    expect(folder.secret).not.to.deep.equal(one.secret);
    expect(await readdir(join(place, 'other', 'incoming'))).to.deep.equal([]);
    expect(await listOpenTempFiles(place)).to.deep.equal([]);
  });

  it('have no signed URLs with a key that is too short, or not a plain file', async () => {
    const path = join(root, 'signing.key');
    const catchOpenError = async (): Promise<unknown> =>
      openFolder(root).then(
        () => null,
        (error: unknown) => (error as { params: Record<string, unknown> }).params['what'],
      );
    await writeFile(path, Buffer.alloc(32, 1));
    expect(await catchOpenError()).to.equal(null);
    await writeFile(path, Buffer.alloc(31, 1));
    expect(await catchOpenError()).to.equal('signing.key is too short');
    await writeFile(join(place, 'long'), Buffer.alloc(32, 1));
    await rm(path);
    await symlink(join(place, 'long'), path);
    expect(await catchOpenError()).to.equal('signing.key is no plain file');
  });

  it('are not replaced by another of the same key', async () => {
    await folder.put('one.txt', createSentFile());
    await rm(join(place, 'sent'));
    await writeFile(join(place, 'sent'), 'another');
    const failure: unknown = await folder.put('one.txt', createSentFile()).catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'EEXIST');
    expect(await listStoredFiles()).to.deep.equal(['open/one.txt']);
    expect((await readFile(join(root, 'open/one.txt'))).toString()).to.equal('content');
  });

  it('are found where they are stored, and removed only there', async () => {
    await folder.put('a/b/one.txt', createSentFile());
    await folder.put('two.txt', createSentFile(true));
    expect(await folder.find('a/b/one.txt', 'open')).to.equal(join(root, 'open/a/b/one.txt'));
    expect(await folder.find('two.txt', 'signed')).to.equal(join(root, 'signed/two.txt'));
    for (const key of ['../two.txt', '/two.txt', 'a//b', '', 'none/two.txt'])
      expect(await folder.find(key, 'signed'), key).to.equal(null);
    await folder.remove(['none/one.txt', 'two.txt/one.txt', 'a/b/one.txt', '../signing.key', 'none.txt']);
    expect(await listStoredFiles()).to.deep.equal(['signed/two.txt']);
    await folder.remove(['two.txt']);
    expect(await listStoredFiles()).to.deep.equal([]);
    const failure: unknown = await folder.put('../one.txt', createSentFile()).catch((error: unknown) => error);
    expect(String(failure)).to.contain('not a key');
  });

  it('are not reported as removed while their disk is unavailable, or cannot remove them', async () => {
    await mkdir(join(root, 'open', 'folder'));
    await folder.put('one.txt', createSentFile());
    const removal = async (...keys: string[]): Promise<string> =>
      folder.remove(keys).then(
        () => 'removed',
        (error: unknown) => (error as { code?: string }).code ?? (error as Error).message,
      );
    expect(await removal('folder')).to.match(/EISDIR|EPERM/);
    for (const part of ['open', 'signed']) {
      await rename(join(root, part), join(place, part));
      expect(await removal('one.txt')).to.equal('ENOENT');
      await writeFile(join(root, part), '');
      expect(await removal('one.txt')).to.equal('not there');
      await rm(join(root, part));
      await rename(join(place, part), join(root, part));
    }
    expect(await removal('one.txt')).to.equal('removed');
  });

  it('can be stored while the folder is writable', async () => {
    expect(await folder.isWritable()).to.equal(true);
    await rm(join(root, 'incoming'), { recursive: true });
    expect(await folder.isWritable()).to.equal(false);
  });

  describe('on a disk without links', () => {
    const real = { ...fs };
    /** Every link fails so. */
    function rejectLinks(code: string): void {
      fs.link = () => Promise.reject(Object.assign(new Error('no link'), { code }));
      syncBuiltinESMExports();
      restore = () => {
        Object.assign(fs, { link: real.link });
        syncBuiltinESMExports();
      };
    }

    for (const code of ['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'])
      it(`are copied and renamed into place, and never over another (${code})`, async () => {
        rejectLinks(code);
        await folder.put('one.txt', createSentFile());
        await writeFile(join(place, 'sent'), 'another');
        const failure: unknown = await folder.put('one.txt', createSentFile()).catch((error: unknown) => error);
        expect(failure).to.have.property('code', 'EEXIST');
        expect((await readFile(join(root, 'open/one.txt'))).toString()).to.equal('content');
        expect(await listStoredFiles()).to.deep.equal(['open/one.txt']);
      });

    it('have signed URLs with a key that is created once', async () => {
      rejectLinks('EPERM');
      const { secret } = await openFolder(join(place, 'other'));
      expect(secret).to.have.length(32);
      expect((await openFolder(join(place, 'other'))).secret).to.deep.equal(secret);
      expect(await readdir(join(place, 'other', 'incoming'))).to.deep.equal([]);
    });

    it('are not stored when the link fails for another reason', async () => {
      rejectLinks('ENOSPC');
      const failure: unknown = await folder.put('one.txt', createSentFile()).catch((error: unknown) => error);
      expect(failure).to.have.property('code', 'ENOSPC');
      expect(await listStoredFiles()).to.deep.equal([]);
      const opening: unknown = await openFolder(join(place, 'other')).catch((error: unknown) => error);
      expect(opening).to.have.property('code', 'STO_FOLDER');
      expect(await readdir(join(place, 'other', 'incoming'))).to.deep.equal([]);
    });
  });

  it('require a folder that can be created, whose parents are folders', async () => {
    const catchFolderError = async (path: string): Promise<unknown> =>
      openFolder(path).then(
        () => null,
        (error: unknown) => [(error as Fault).code, (error as Fault).params['folder']],
      );
    expect(await catchFolderError(join(place, 'sent', 'below'))).to.deep.equal([
      'STO_FOLDER',
      join(place, 'sent', 'below'),
    ]);
    await mkdir(join(place, 'other'));
    await writeFile(join(place, 'other', 'signed'), '');
    expect(await catchFolderError(join(place, 'other'))).to.deep.equal(['STO_FOLDER', join(place, 'other')]);
    await symlink(root, join(place, 'alias'));
    expect(await catchFolderError(join(place, 'alias'))).to.equal(null);
    expect(await catchFolderError(join(place, 'new', 'deeper'))).to.equal(null);
  });

  it('that were left half stored are removed an hour later', async () => {
    const left = join(root, 'incoming', 'left');
    await link(join(place, 'sent'), left);
    const { ctimeMs } = await stat(left);
    await openFolder(root, ctimeMs + 3_600_000);
    expect(await listStoredFiles()).to.deep.equal(['incoming/left']);
    await openFolder(root, ctimeMs + 3_600_001);
    expect(await listStoredFiles()).to.deep.equal([]);
  });
});

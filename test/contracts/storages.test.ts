/** The contract of storages over every one of the distribution: opened by a kernel where they need one, on a real store. */
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { specs } from '../../plugins/index.spec.js';
import type { Storage } from '../../plugins/storages/kind.js';
import { openFolder } from '../../plugins/storages/local-disk/folder.js';
import { startKernel } from '../support/kernel.js';
import { PLUGIN_FIXTURES, createTempProject } from '../support/project.js';
import { createS3Subject } from '../support/s3-storage.js';
import { listFilesBelow } from '../support/temp-files.js';
import { MIB, storageContract, type StorageBackend, type StorageSubject } from './storage.contract.js';

const STORING = join(PLUGIN_FIXTURES, 'storing');

/** Files in a folder; unavailable when a file replaces the folder. */
async function localDisk(): Promise<StorageSubject> {
  const kernel = await startKernel({
    files: { 'definitions/a.json': [{ id: 'a', resource: 'a', actionables: [{ id: 1, mode: 'STORING' }] }] },
    config: { plugins: ['builtin:*', STORING], storage: { use: 'local-disk', path: 'kept' } },
  });
  const found = (await import(pathToFileURL(join(STORING, 'runtime.js')).href)) as { chosen: { storage: Storage } };
  const folder = join(kernel.project.folder, 'kept');
  const beside = `${folder}-beside`;
  return {
    storage: found.chosen.storage,
    read: (url) => fetch(new URL(url, kernel.url)),
    listStoredKeys: async () => {
      const paths = await listFilesBelow(folder);
      return paths
        .filter((path) => path !== 'signing.key')
        .map((path) => path.replace(/^(open|signed|incoming)\//, ''));
    },
    leave: async () => {
      await rename(folder, beside);
      await mkdir(folder);
      await writeFile(join(folder, 'signed'), '');
    },
    comeBack: async () => {
      await rm(folder, { recursive: true });
      await rename(beside, folder);
    },
    close: () => kernel.close(),
  };
}

const SORTS: readonly StorageBackend[] = [
  { name: 'local-disk', sizes: [8 * MIB + 1], open: localDisk },
  // Parts of 8 MiB.
  { name: 'minio', sizes: [5 * MIB + 1, 8 * MIB, 8 * MIB + 1, 12 * MIB], open: () => createS3Subject() },
];

describe('contracts of storages', () => {
  it('check every storage of the distribution', () => {
    const names = specs.filter(({ kind }) => kind === 'storage').map(({ name }) => name);
    expect(SORTS.map(({ name }) => name)).to.have.members(names);
  });
  SORTS.forEach(storageContract);
});

describe('storage local-disk, a folder of several processes', () => {
  it('opens while another process removes its own files', async () => {
    const project = await createTempProject();
    const incoming = join(project.folder, 'incoming');
    await openFolder(project.folder);
    const names = Array.from({ length: 400 }, (_, n) => String(n).padStart(3, '0'));
    await Promise.all(names.map((name) => writeFile(join(incoming, name), 'x')));
    // Listed in one order and removed in the other: some are gone before they are looked at.
    const listed = await readdir(incoming);
    const opening = openFolder(project.folder);
    for (const name of listed.reverse()) await rm(join(incoming, name), { force: true });
    expect((await opening).secret).to.have.length(32);
    await project.dispose();
  });
});

/**
 * Files below one folder: `open` for public files, `signed` for signed URLs. Never overwrites a file or follows a
 * symbolic link.
 */
import { constants } from 'node:fs';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  access,
  chmod,
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { createFault } from '../../../contract/fault.js';
import type { TestStoredFile } from '../../../contract/tests.js';
import { isStorageKey } from '../shared/key.light.js';
import type { Storable } from '../kind.js';

export interface Folder {
  readonly secret: Buffer;
  put(key: string, file: Storable): Promise<void>;
  remove(keys: readonly string[]): Promise<void>;
  /** Null when a link or a missing folder is on the way. */
  find(key: string, part: Part): Promise<string | null>;
  /** The newest files, for the console. */
  listFiles(most: number): Promise<readonly FileFacts[]>;
  /** For tests. */
  removeAll(): Promise<void>;
  writeAll(files: readonly TestStoredFile[]): Promise<void>;
  readAll(): Promise<readonly TestStoredFile[]>;
  isWritable(): Promise<boolean>;
}

export interface FileFacts {
  readonly key: string;
  readonly bytes: number;
  readonly stored: string;
  readonly access: 'open' | 'signed';
}

export type Part = 'open' | 'signed';
const PARTS: readonly Part[] = ['open', 'signed'];

const SECRET_BYTES = 32;
const LEFT_MS = 3_600_000;

const getErrorCode = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

export async function openFolder(path: string, now = Date.now()): Promise<Folder> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    // The folder itself may be reached through links, but nothing inside it.
    const root = await realpath(path);
    for (const part of [...PARTS, 'incoming']) await createPlainFolder(join(root, part));
    await removeOldFiles(join(root, 'incoming'), now - LEFT_MS);
    return createFolder(root, await loadSecret(root));
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw createFault('STO_FOLDER', { folder: path, what }, { cause: error });
  }
}

/** Incomplete files of running processes are younger. */
async function removeOldFiles(folder: string, oldest: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // Another process may have removed the file.
    const stats = await lstat(path).catch(ignoreAbsent);
    if (stats && Math.max(stats.mtimeMs, stats.ctimeMs) < oldest) await rm(path, { force: true });
  }
}

async function loadSecret(root: string): Promise<Buffer> {
  const path = join(root, 'signing.key');
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const temporary = join(root, 'incoming', randomUUID());
  const file = await open(temporary, flags, 0o600);
  try {
    await file.writeFile(randomBytes(SECRET_BYTES));
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    // Processes that start together use the key of the first.
    await moveIntoPlace(temporary, path);
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  if (!(await lstat(path)).isFile()) throw new Error('signing.key is no plain file');
  const secret = await readFile(path);
  if (secret.length < SECRET_BYTES) throw new Error('signing.key is too short');
  return secret;
}

async function createPlainFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw error;
    if (!(await lstat(path)).isDirectory()) throw new Error(`${path} is no folder`, { cause: error });
  }
}

function createFolder(root: string, secret: Buffer): Folder {
  const toFilePath = (key: string, part: Part): string => {
    // Validated again, because the key becomes part of a path.
    if (!isStorageKey(key)) throw new Error('not a key');
    return join(root, part, key);
  };

  const find = async (key: string, part: Part): Promise<string | null> => {
    if (!isStorageKey(key)) return null;
    const path = toFilePath(key, part);
    const parent = dirname(path);
    // A symbolic link on the way would lead to another real path.
    const real = await realpath(parent).catch(() => null);
    return real === parent ? path : null;
  };

  return {
    secret,
    find,
    async put(key, file) {
      const part = file.signed === true ? 'signed' : 'open';
      const target = toFilePath(key, part);
      let folder = join(root, part);
      for (const segment of key.split('/').slice(0, -1)) await createPlainFolder((folder = join(folder, segment)));
      const temporary = join(root, 'incoming', randomUUID());
      try {
        await linkOrCopy(file.path, temporary);
        await syncFile(temporary);
        await moveIntoPlace(temporary, target);
      } finally {
        await rm(temporary, { force: true });
      }
    },
    async remove(keys) {
      // An unmounted disk contains no files either, but removal must not be reported as successful.
      for (const part of PARTS) if (!(await lstat(join(root, part))).isDirectory()) throw new Error('not there');
      for (const key of keys) {
        for (const part of PARTS) {
          const path = await find(key, part);
          if (path !== null) await unlink(path).catch(ignoreAbsent);
        }
      }
    },
    async listFiles(most) {
      const files: FileFacts[] = [];
      for (const access of PARTS)
        for (const { path, key } of await findFiles(join(root, access))) {
          const stats = await lstat(path).catch(ignoreAbsent);
          if (stats) files.push({ key, bytes: stats.size, stored: stats.mtime.toISOString(), access });
        }
      return files.sort((one, other) => (one.stored < other.stored ? 1 : -1)).slice(0, most);
    },
    async removeAll() {
      for (const part of PARTS)
        for (const name of await readdir(join(root, part))) await rm(join(root, part, name), { recursive: true });
    },
    async writeAll(files) {
      for (const { key, content } of files) {
        const target = toFilePath(key, 'open');
        await mkdir(dirname(target), { recursive: true, mode: 0o700 });
        await writeFile(target, content, { flag: 'wx', mode: 0o600 });
      }
    },
    async readAll() {
      const files: TestStoredFile[] = [];
      for (const part of PARTS)
        for (const { path, key } of await findFiles(join(root, part)))
          files.push({ key, content: await readFile(path) });
      return files;
    },
    isWritable: () =>
      access(join(root, 'incoming'), constants.W_OK).then(
        () => true,
        () => false,
      ),
  };
}

async function findFiles(start: string): Promise<{ readonly path: string; readonly key: string }[]> {
  const entries = await readdir(start, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => ({ path, key: relative(start, path).split(sep).join('/') }));
}

/** With a hard link, deleting the spooled file removes only its own name. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to, constants.COPYFILE_EXCL));
}

async function syncFile(path: string): Promise<void> {
  await chmod(path, 0o600);
  const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A hard link appears atomically and never overwrites; not every file system supports it. */
async function moveIntoPlace(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes(String(getErrorCode(error)))) throw error;
    if (await lstat(target).catch(() => null))
      throw Object.assign(new Error('the place is taken', { cause: error }), { code: 'EEXIST' });
    await rename(temporary, target);
  }
}

function ignoreAbsent(error: unknown): void {
  if (!['ENOENT', 'ENOTDIR'].includes(String(getErrorCode(error)))) throw error;
}

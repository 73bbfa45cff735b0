/** Files on the disk while forms are read: spooled files, stored files, open descriptors. Counted, never changed. */
import { readdir, readlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from './until.js';

/** Paths of all files below a folder, relative to it, sorted; empty without a folder. */
export async function listFilesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/** Files that this process has in the spool. */
export async function listTempFiles(): Promise<string[]> {
  const names = await readdir(tmpdir());
  const own = names.filter((name) => new RegExp(`^lintel-files-[0-9a-f]+-${process.pid}-`).test(name));
  return (await Promise.all(own.map((name) => listFilesBelow(join(tmpdir(), name))))).flat();
}

/** Descriptors of this process that lead into the spool, or into another folder. */
export async function listOpenTempFiles(folder = 'lintel-files-'): Promise<string[]> {
  const links = await readdir('/proc/self/fd').catch(() => []);
  const targets = await Promise.all(links.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return targets.filter((target) => target.includes(folder));
}

export const waitUntilNoTempFiles = (): Promise<void> =>
  waitUntil(async () => {
    const [files, open] = [await listTempFiles(), await listOpenTempFiles()];
    return files.length === 0 && open.length === 0;
  }, 'the spool is empty and closed');

/** Copies and digests folders, with regular files only; what it creates is private to the user. */
import { constants, type BigIntStats } from 'node:fs';
import { createHash } from 'node:crypto';
import { copyFile, lstat, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** If `isSettled`, an equal state later means equal content. */
interface Copied {
  readonly state: string;
  readonly isSettled: boolean;
}

export type Copies = Map<string, Copied>;

export interface FileEntry {
  readonly size: number;
  readonly sha256: string;
}

/** Paths relative to the folder, with `/`. */
export interface Listing {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Symbolic links, sockets and other special files. */
  readonly others: readonly string[];
}

/** Nanoseconds; file system timestamps are coarser than their resolution. */
const SETTLED = 2_000_000_000n;
const BUFFER = 1 << 17;

/** Files processed in parallel. */
const AT_ONCE = 16;

/** Up to `AT_ONCE` in parallel. Throws the first failure after all have ended. */
export async function runForEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const drainItems = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, drainItems));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}

const isAbsent = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Returns an empty listing if the folder does not exist. */
export async function listEntries(folder: string, without: readonly string[] = []): Promise<Listing> {
  const found = { files: [] as string[], folders: [] as string[], others: [] as string[] };
  const open = [''];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entries = await readdir(join(folder, at), { withFileTypes: true }).catch((error: unknown) => {
      if (isAbsent(error)) return [];
      throw error;
    });
    for (const entry of entries) {
      if (at === '' && without.includes(entry.name)) continue;
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory()) open.push(path);
      (entry.isDirectory() ? found.folders : entry.isFile() ? found.files : found.others).push(path);
    }
  }
  // Sorted, so that folders precede their content.
  for (const names of Object.values(found)) names.sort();
  return found;
}

const formatFileState = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  [ino, size, mtimeNs, ctimeNs].join(' ');

/** Updates `to` to the state of `from`; `copies` records earlier passes. Skips links, sockets and removed files. */
export async function mirrorFolder(
  from: string,
  to: string,
  without: readonly string[],
  copies: Copies,
): Promise<void> {
  const { files, folders } = await listEntries(from, without);
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const folder of folders) await mkdir(join(to, folder), { recursive: true, mode: 0o700 });
  const there = new Set(files);
  await runForEach(files, async (file) => {
    try {
      const stats = await lstat(join(from, file), { bigint: true });
      const state = formatFileState(stats);
      const known = copies.get(file);
      if (known?.state === state && known.isSettled) return;
      const isSettled = BigInt(Date.now()) * 1_000_000n - stats.mtimeNs > SETTLED;
      await copyFile(join(from, file), join(to, file), constants.COPYFILE_FICLONE);
      copies.set(file, { state, isSettled });
    } catch (error) {
      if (!isAbsent(error)) throw error;
      there.delete(file);
    }
  });
  const kept = new Set(folders);
  const before = await listEntries(to);
  for (const file of before.files) if (!there.has(file)) await rm(join(to, file), { force: true });
  for (const folder of before.folders)
    if (!kept.has(folder)) await rm(join(to, folder), { recursive: true, force: true });
}

/** Returns size and digest of a file; `durable` also syncs it to disk. */
export async function digestFile(file: string, durable = false): Promise<FileEntry> {
  const handle = await open(file, durable ? 'r+' : 'r');
  try {
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(BUFFER);
    let size = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, BUFFER, null);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
      size += bytesRead;
    }
    if (durable) await handle.sync();
    return { size, sha256: hash.digest('hex') };
  } finally {
    await handle.close();
  }
}

/** Syncs a folder's entries to disk, where the platform supports it. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

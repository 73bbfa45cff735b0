/**
 * Spools uploads to a private folder of the process until the request ends. A start removes folders of dead
 * processes.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Enough bytes to detect a file's type. */
export const HEAD_BYTES = 4100;

/** Machines and containers that share the folder have unrelated process ids. */
const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
const PREFIX = `lintel-files-${HOST}-`;

let root: Promise<string> | null = null;

/** Created for the first file. */
export async function openSpoolFolder(): Promise<string> {
  const known = await root?.catch(() => null);
  if (known !== null && known !== undefined && (await isThere(known))) return known;
  // A cleanup of the temporary folder may have removed it.
  return (root = makeFolder());
}

const isThere = (folder: string): Promise<boolean> =>
  stat(folder).then(
    () => true,
    () => false,
  );

async function makeFolder(): Promise<string> {
  // `mkdtemp` uses mode 0700 and never reuses a folder.
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Never rejects; the next start tries again. */
export async function removeStaleSpools(folder = tmpdir()): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const stale = names.filter(
    (name) => name.startsWith(PREFIX) && isDead(Number(name.slice(PREFIX.length).split('-')[0])),
  );
  await Promise.all(stale.map((name) => removeOwn(join(folder, name)).catch(() => undefined)));
}

function isDead(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

async function removeOwn(folder: string): Promise<void> {
  const { uid } = await lstat(folder);
  if (uid === process.getuid?.()) await rm(folder, { recursive: true, force: true });
}

export interface SpooledFile {
  readonly path: string;
  readonly size: number;
  readonly head: Buffer;
}

/** The caller removes the partial file of a rejected stream. */
export async function spoolStream(stream: Readable, path: string): Promise<SpooledFile> {
  let size = 0;
  let kept = 0;
  const first: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (kept >= HEAD_BYTES) return;
    const part = Buffer.from(chunk.subarray(0, HEAD_BYTES - kept));
    kept += part.length;
    first.push(part);
  });
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  const closed = new Promise<void>((resolve) => file.once('close', resolve));
  try {
    await pipeline(stream, file);
  } catch (error) {
    // The file might otherwise be created after the caller removed it.
    await closed;
    throw error;
  }
  return { path, size, head: Buffer.concat(first, kept) };
}

export const createSpoolPath = (folder: string): string => join(folder, randomUUID());

/**
 * Where files lie until the request that brought them is over: a folder of this process, private, names of nobody's choice.
 * What processes left that died is taken away at the next start. Nothing here knows what is in a file.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** So many bytes tell what a file is. */
export const HEAD_BYTES = 4100;

/** Processes of other machines or containers may share the folder, and their ids say nothing here. */
const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
const PREFIX = `lintel-files-${HOST}-`;

let root: Promise<string> | null = null;

/** The folder of this process, made when the first file comes. */
export async function spoolFolder(): Promise<string> {
  const known = await root?.catch(() => null);
  if (known !== null && known !== undefined && (await isThere(known))) return known;
  // Somebody who cleans the temporary folder must not end the service.
  return (root = makeFolder());
}

const isThere = (folder: string): Promise<boolean> =>
  stat(folder).then(
    () => true,
    () => false,
  );

async function makeFolder(): Promise<string> {
  // `mkdtemp` makes it for this user alone (0700), and never takes what is there.
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Takes away what dead processes left. Never rejects: the next start tries again. */
export async function sweepSpools(folder = tmpdir()): Promise<void> {
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

export interface Spooled {
  readonly path: string;
  readonly size: number;
  readonly head: Buffer;
}

/** Writes a file as it comes. Rejects when the stream or the disk fails; what lies there then is the caller's to remove. */
export async function spool(stream: Readable, path: string): Promise<Spooled> {
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
    // The file may not be open yet: a caller that removes it now would see it created afterwards.
    await closed;
    throw error;
  }
  return { path, size, head: Buffer.concat(first, kept) };
}

/** A name that nobody can guess. */
export const spoolPath = (folder: string): string => join(folder, randomUUID());

/**
 * One process per data folder: a lock file beside the folder holds the number of the process that uses it. A lock whose
 * process is gone is taken over; two engines on one folder would destroy it.
 */
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fault } from '../../../kernel/contract/fault.js';

/** Folders that this very process holds: after a restart in a container an old lock may carry our own number. */
const held = new Set<string>();

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The file appears together with its content, so that nobody ever reads half a lock. */
async function tryCreate(file: string): Promise<boolean> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${process.pid}\n`);
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Our own number in a lock that we do not hold is that of a process before us, in a container that was restarted. */
async function isStale(file: string): Promise<boolean> {
  const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
  return !(pid > 0) || pid === process.pid || !isAlive(pid);
}

const IN_USE = 'the data folder is in use by another process; an embedded database belongs to one at a time';

/** Takes the lock of a folder; the result gives it back. */
export async function lockFolder(folder: string, instance: string): Promise<() => Promise<void>> {
  const file = `${folder}.lock`;
  const inUse = fault('QRY_CONNECT', { instance, reason: IN_USE });
  if (held.has(file)) throw inUse;
  held.add(file);
  try {
    await mkdir(dirname(file), { recursive: true });
    let mine = await tryCreate(file);
    if (!mine && (await isStale(file))) {
      await rm(file, { force: true });
      mine = await tryCreate(file);
    }
    if (!mine) throw inUse;
  } catch (error) {
    held.delete(file);
    throw error;
  }
  return async () => {
    held.delete(file);
    await rm(file, { force: true });
  };
}

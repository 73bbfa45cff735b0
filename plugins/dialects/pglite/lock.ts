/**
 * One process per data folder; two engines on one folder would destroy it. An advisory lock of the operating system on the folder holds
 * across containers, in which numbers of processes mean different processes, and ends with its process. A lock file beside the folder
 * holds the number of the process too: not every system has `flock`. A lock file whose process is gone is taken over.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { fault } from '../../../kernel/contract/fault.js';
import { makeFolder } from './folder.js';

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

/** Behind the number: the process held the lock of the system as well. */
const LOCKED = ' flock';

/** The file appears together with its content, so that nobody ever reads half a lock. */
async function tryCreate(file: string, isLocked: boolean): Promise<boolean> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${process.pid}${isLocked ? LOCKED : ''}\n`, { mode: 0o600 });
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
async function isStale(file: string, isLocked: boolean): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  // Only the end of that process gave us the lock of the system; its number may be that of another one here.
  return !(pid > 0) || pid === process.pid || (isLocked && text.includes(LOCKED)) || !isAlive(pid);
}

type Unlock = () => Promise<void>;

/** Signals that a terminal or a supervisor sends to everything that belongs to the process: the database is closed first. */
const HOLD = "trap '' HUP INT TERM; echo && exec cat";

/** The exit code of `flock` where another process holds the lock. */
const HELD_ELSEWHERE = 1;

/**
 * Node has no call for it: a child holds the lock as long as its input is open, which the operating system closes when this process
 * ends. `held`: another process has the lock. Null where the system or the file system has no such locks.
 */
async function lockInSystem(folder: string): Promise<Unlock | 'held' | null> {
  const holder = spawn('flock', ['-n', folder, 'sh', '-c', HOLD], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const { stdin, stdout } = holder;
  // Where `flock` is not there, or has ended, there is nobody to write to.
  stdin.on('error', () => undefined);
  const ended = once(holder, 'close').then(([code]) => (code === HELD_ELSEWHERE ? ('held' as const) : null));
  const taken = once(stdout, 'data').then(() => 'taken' as const);
  taken.catch(() => undefined);
  const outcome = await Promise.race([taken, ended]).catch(() => null);
  if (outcome !== 'taken') return outcome;
  const handles = [holder, stdin as unknown as Socket, stdout as unknown as Socket];
  // A lock keeps no process running.
  for (const handle of handles) handle.unref();
  return async () => {
    for (const handle of handles) handle.ref();
    stdin.end();
    await ended;
  };
}

export const IN_USE = 'the data folder is in use by another process; an embedded database belongs to one at a time';

/** Takes the lock of a folder, which is made where it is not there; the result gives it back. */
export async function lockFolder(folder: string, instance: string): Promise<Unlock> {
  const file = `${folder}.lock`;
  const inUse = fault('QRY_CONNECT', { instance, reason: IN_USE });
  if (held.has(file)) throw inUse;
  held.add(file);
  let unlock: Unlock | 'held' | null = null;
  try {
    await makeFolder(folder);
    unlock = await lockInSystem(folder);
    if (unlock === 'held') throw inUse;
    const isLocked = unlock !== null;
    let mine = await tryCreate(file, isLocked);
    if (!mine && (await isStale(file, isLocked))) {
      await rm(file, { force: true });
      mine = await tryCreate(file, isLocked);
    }
    if (!mine) throw inUse;
  } catch (error) {
    held.delete(file);
    if (typeof unlock === 'function') await unlock();
    throw error;
  }
  return async () => {
    held.delete(file);
    await rm(file, { force: true });
    await unlock?.();
  };
}

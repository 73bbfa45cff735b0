/**
 * Locks a data folder, because two engines would destroy it. `flock` works across containers; a lock file with the
 * process id covers other systems.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { createFault } from '../../../contract/fault.js';
import { clock } from '../../../language/project/clock.js';
import { makeFolder } from './folder.js';

/** After a restart in a container, an old lock file may contain the current process id. */
const held = new Set<string>();

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Follows the process id if the process also held the `flock`. */
const LOCKED = ' flock';

/** Creates the file with its content, so that an incomplete lock is never read. */
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

/** Without a lock, the current process id is from before a restart of the container. */
async function isStale(file: string, isLocked: boolean): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  // With the `flock` here, the locking process has ended; its id may belong to another process.
  return !(pid > 0) || pid === process.pid || (isLocked && text.includes(LOCKED)) || !isAlive(pid);
}

type Unlock = () => Promise<void>;

/** Ignores signals to the whole process group: the database is closed first. */
const HOLD = "trap '' HUP INT TERM; echo && exec cat";

const HELD_ELSEWHERE = 1;

/**
 * A child process holds the `flock` until its stdin closes, at the latest with this process. `held`: by another
 * process. Null: not supported.
 */
async function lockInSystem(folder: string): Promise<Unlock | 'held' | null> {
  const holder = spawn('flock', ['-n', folder, 'sh', '-c', HOLD], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const { stdin, stdout } = holder;
  // Writing fails when `flock` is missing or has ended.
  stdin.on('error', () => undefined);
  const ended = once(holder, 'close').then(([code]) => (code === HELD_ELSEWHERE ? ('held' as const) : null));
  const taken = once(stdout, 'data').then(() => 'taken' as const);
  taken.catch(() => undefined);
  const outcome = await Promise.race([taken, ended]).catch(() => null);
  if (outcome !== 'taken') return outcome;
  const handles = [holder, ...[stdin, stdout].filter((pipe) => pipe instanceof Socket)];
  // A lock must not keep the process running.
  for (const handle of handles) handle.unref();
  return async () => {
    for (const handle of handles) handle.ref();
    stdin.end();
    await ended;
  };
}

const TRIES = 10;
/** Milliseconds. */
const PAUSE = 100;

export const IN_USE = 'the data folder is in use by another process; an embedded database belongs to one at a time';

/** Creates the folder if it is missing; the returned function unlocks it. */
export async function lockFolder(folder: string, instance: string): Promise<Unlock> {
  const file = `${folder}.lock`;
  const inUse = createFault('QRY_CONNECT', { instance, reason: IN_USE });
  if (held.has(file)) throw inUse;
  held.add(file);
  let unlock: Unlock | 'held' | null = null;
  try {
    await makeFolder(folder);
    unlock = await lockInSystem(folder);
    // The holder of a process that was killed ends shortly after it.
    for (let tries = 1; unlock === 'held' && tries < TRIES && (await isStale(file, false)); tries++) {
      await clock.wait(PAUSE);
      unlock = await lockInSystem(folder);
    }
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

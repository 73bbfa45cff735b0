/**
 * Pauses an embedded database while its folder is copied: while a socket in the folder is open, a transaction blocks
 * all others, after a checkpoint.
 */
import { once } from 'node:events';
import { chmod, open, rm, type FileHandle } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { PGliteInterface } from '@electric-sql/pglite';
import { createFault } from '../../../contract/fault.js';
import type { Log } from '../../../contract/plugin.js';
import { IN_USE, lockFolder } from './lock.js';

const NAME = 'lintel.sock';
const HELD = 'held\n';
const DONE = 'done\n';
const WHOLE = 'whole\n';

/** The most milliseconds for which a copy blocks requests. */
const LONGEST = 60_000;
/** Bytes; every system supports socket addresses of this length. */
const ADDRESS = 100;

/** Goes through the open folder when the path is too long. */
async function withAddress<T>(folder: string, work: (address: string) => Promise<T>): Promise<T> {
  const path = join(folder, NAME);
  if (Buffer.byteLength(path) <= ADDRESS || process.platform !== 'linux') return work(path);
  const handle: FileHandle = await open(folder, 'r');
  try {
    return await work(`/proc/self/fd/${handle.fd}/${NAME}`);
  } finally {
    await handle.close();
  }
}

/** Other statements and copies wait. */
async function holdForCopy(db: PGliteInterface, socket: Socket): Promise<void> {
  const over = once(socket, 'close');
  const reply = once(socket, 'data').then(([words]) => String(words));
  reply.catch(() => undefined);
  await db.transaction(async (inner) => {
    if (socket.destroyed) return;
    await inner.exec('CHECKPOINT');
    socket.write(HELD);
    const timer = setTimeout(() => socket.destroy(), LONGEST);
    const last = await Promise.race([reply, over]).finally(() => clearTimeout(timer));
    if (last === DONE) socket.end(WHOLE);
  });
}

/** Without a socket, only a closed database can be copied. */
export async function listenForCopies(folder: string, db: PGliteInterface, log: Log): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    holdForCopy(db, socket).catch((err: unknown) => {
      log.warn({ err }, 'database not paused for a backup');
      socket.destroy();
    });
  });
  server.unref();
  const path = join(folder, NAME);
  await rm(path, { force: true });
  try {
    await withAddress(folder, async (address) => {
      server.listen(address);
      await once(server, 'listening');
    });
    await chmod(path, 0o600);
  } catch (err) {
    log.warn({ err, folder }, 'no backup socket: `lintel backup` works only while the server is stopped');
  }
  return async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await rm(path, { force: true });
  };
}

/** Locks an unused folder, else asks its process to pause. */
export async function holdFolder(folder: string, instance: string): Promise<() => Promise<void>> {
  try {
    return await lockFolder(folder, instance);
  } catch (error) {
    return requestHold(folder, instance, error);
  }
}

async function requestHold(folder: string, instance: string, inUse: unknown): Promise<() => Promise<void>> {
  const failHold = (reason: string): never => {
    throw createFault('QRY_CONNECT', { instance, reason }, { cause: inUse });
  };
  const socket = await withAddress(folder, async (address) => {
    const made = createConnection(address);
    await once(made, 'connect');
    return made;
  }).catch(() => failHold(`${IN_USE}, and that process does not answer: stop it first`));
  const readReply = async (): Promise<unknown> => {
    const next = once(socket, 'data').then(([reply]) => String(reply));
    return Promise.race([next, once(socket, 'close')]);
  };
  socket.on('error', () => undefined);
  const held = readReply();
  if ((await held) !== HELD) failHold('the process that has the data folder open ended');
  let lost = false;
  socket.on('close', () => (lost = true));
  return async () => {
    if (lost)
      failHold(
        `the data folder was not held to the end: its process ended, or the copy took longer than ${LONGEST / 1000} s`,
      );
    const last = readReply();
    socket.write(DONE);
    const reply = await last;
    socket.destroy();
    if (reply !== WHOLE) failHold('the data folder was not held to the end');
  };
}

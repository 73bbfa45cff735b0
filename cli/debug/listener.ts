/**
 * Where a debugger connects: on loopback, with a token that only the owner of the project's folder can read: web
 * pages reach loopback too.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import type { Kernel } from '../../kernel/runtime/kernel.js';

export const LOOPBACK = '127.0.0.1';

/** Of a client that has not sent the token. */
const MOST_UNKNOWN_BYTES = 65_536;

export interface DebugAddress {
  readonly port: number;
  readonly token: string;
}

export interface DebugListener {
  readonly port: number;
  close(): Promise<void>;
}

const getFile = (folder: string): string => join(folder, '.lintel', 'debug.json');

export async function listenForDebugger(kernel: Kernel): Promise<DebugListener> {
  const token = randomBytes(32).toString('base64url');
  const sockets = new Set<Socket>();
  let attached: Socket | null = null;

  async function serveClient(socket: Socket): Promise<void> {
    sockets.add(socket);
    const claimServer = (): boolean => (attached ??= socket) === socket;
    const { LintelDebugSession } = await import('./session.js');
    const session = new LintelDebugSession({ kernel, token, claim: claimServer });
    socket.on('close', () => {
      sockets.delete(socket);
      // The next client attaches to plans without stops.
      void session.cutOff().finally(() => {
        if (attached === socket) attached = null;
      });
    });
    socket.on('data', () => {
      if (attached !== socket && socket.bytesRead > MOST_UNKNOWN_BYTES) socket.destroy();
    });
    session.start(socket, socket);
  }

  const server = createServer((socket) => void serveClient(socket));
  await new Promise<void>((done, failed) => server.once('error', failed).listen(0, LOOPBACK, done));
  const { port } = server.address() as AddressInfo;
  const file = getFile(kernel.project.folder);
  await mkdir(dirname(file), { recursive: true });
  // A file that exists would keep its mode.
  await rm(file, { force: true });
  await writeFile(file, JSON.stringify({ port, token }), { mode: 0o600, flag: 'wx' });
  return {
    port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
      await rm(file, { force: true });
    },
  };
}

/** Null where no server of this folder waits for a debugger. */
export async function readDebugAddress(folder: string): Promise<DebugAddress | null> {
  try {
    const { port, token } = JSON.parse(await readFile(getFile(folder), 'utf8')) as Partial<DebugAddress>;
    return typeof port === 'number' && typeof token === 'string' ? { port, token } : null;
  } catch {
    return null;
  }
}

/** Where a debugger connects: on loopback, with a token. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { Kernel } from '../../kernel/runtime/kernel.js';
import {
  createToken,
  LOOPBACK,
  readAddress,
  removeAddress,
  writeAddress,
  type LoopbackAddress,
} from '../loopback-address.js';

const FILE = 'debug';

/** Of a client that has not sent the token. */
const MOST_UNKNOWN_BYTES = 65_536;

export interface DebugListener {
  readonly port: number;
  close(): Promise<void>;
}

export async function listenForDebugger(kernel: Kernel): Promise<DebugListener> {
  const token = createToken();
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
  const { folder } = kernel.project;
  await writeAddress(folder, FILE, { port, token });
  return {
    port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
      await removeAddress(folder, FILE, { port, token });
    },
  };
}

/** Null where no server of this folder waits for a debugger. */
export const readDebugAddress = (folder: string): Promise<LoopbackAddress | null> => readAddress(folder, FILE);

/** Where a debugger connects: on loopback, with a token. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import {
  createToken,
  LOOPBACK,
  readAddress,
  removeAddress,
  writeAddress,
  type LoopbackAddress,
} from '../loopback-address.js';
import type { LeaveMode } from './attaching-session.js';
import type { LintelDebugSession } from './session.js';
import type { DebuggedServer } from './threads.js';

/** No command replaces the file of the other. */
const FILES = { dev: 'debug', test: 'debug-test' } as const;

export type DebuggedCommand = keyof typeof FILES;

/** Of a client that has not sent the token. */
const MOST_UNKNOWN_BYTES = 65_536;

export interface DebugListener {
  readonly port: number;
  /** The client and its breakpoints stay. */
  moveTo(next: DebuggedServer['kernel']): Promise<void>;
  close(): Promise<void>;
}

export interface DebugListenerOptions extends Pick<DebuggedServer, 'pauseTime'> {
  readonly onReady?: () => void;
  readonly onLeave?: (how: LeaveMode) => void;
}

export async function listenForDebugger(
  kernel: DebuggedServer['kernel'],
  command: DebuggedCommand,
  { pauseTime, onReady = () => undefined, onLeave = () => undefined }: DebugListenerOptions = {},
): Promise<DebugListener> {
  const token = createToken();
  const sockets = new Set<Socket>();
  let served: DebuggedServer = { kernel, name: `lintel ${command}`, pauseTime };
  let attached: { readonly socket: Socket; readonly session: LintelDebugSession } | null = null;

  async function serveClient(socket: Socket): Promise<void> {
    sockets.add(socket);
    const { LintelDebugSession: Session } = await import('./session.js');
    const claimServer = (): boolean => (attached ??= { socket, session }).socket === socket;
    const session = new Session({ server: () => served, token, claim: claimServer, onReady, onLeave });
    socket.on('close', () => {
      sockets.delete(socket);
      // The next client attaches to plans without stops.
      void session.cutOff().finally(() => {
        if (attached?.socket === socket) attached = null;
      });
    });
    socket.on('data', () => {
      if (attached?.socket !== socket && socket.bytesRead > MOST_UNKNOWN_BYTES) socket.destroy();
    });
    session.start(socket, socket);
  }

  const server = createServer((socket) => void serveClient(socket));
  await new Promise<void>((done, failed) => server.once('error', failed).listen(0, LOOPBACK, done));
  const { port } = server.address() as AddressInfo;
  const { folder } = kernel.project;
  await writeAddress(folder, FILES[command], { port, token });
  return {
    port,
    async moveTo(next) {
      served = { ...served, kernel: next };
      await attached?.session.moveToServer();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
      await removeAddress(folder, FILES[command], { port, token });
    },
  };
}

/** Null where no server of this folder waits for a debugger. */
export const readDebugAddress = (folder: string, command: DebuggedCommand): Promise<LoopbackAddress | null> =>
  readAddress(folder, FILES[command]);

/** Adapters and editors read this line. */
export const formatDebugger = (listener: DebugListener | null): string =>
  listener === null ? '' : `debugger at ${LOOPBACK}:${listener.port}\n`;

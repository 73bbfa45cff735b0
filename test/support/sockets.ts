/**
 * WebSocket clients of a kernel under test, created by the `ws` library: all frames are stored in order, and waiting
 * ends with the expected frame or with an error that contains the others. It asserts nothing.
 */
import { once } from 'node:events';
import { WebSocket, type ClientOptions } from 'ws';
import { startKernel, type TestKernel, type TestKernelOptions } from './kernel.js';
import type { Files } from './project.js';
import { PATIENCE_MS } from './until.js';

export interface Frame {
  readonly uid: string | null;
  readonly action: string | null;
  readonly request_id?: string;
  readonly data?: unknown;
  readonly id?: string;
  readonly error?: Readonly<Record<string, unknown>>;
}

export interface SocketClient {
  readonly socket: WebSocket;
  /** Frames that `next` has not returned. */
  readonly frames: readonly Frame[];
  /** Removes and returns the next frame that matches; rejects when the connection closes first. */
  next(fits?: (frame: Frame) => boolean): Promise<Frame>;
  /** Sends a message and returns its response. */
  sendRequest(resource: string, payload?: unknown, more?: object): Promise<Frame>;
  send(message: unknown): void;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  close(): Promise<void>;
}

export interface ConnectOptions extends ClientOptions {
  readonly path?: string;
  readonly query?: string;
  readonly protocols?: readonly string[];
}

let asked = 0;

/** Rejects with the response of the server when it rejects the upgrade. */
export async function connect(url: string, options: ConnectOptions = {}): Promise<SocketClient> {
  const { path = '/ws', query = '', protocols = [], ...rest } = options;
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}${query}`, [...protocols], rest);
  const client = createSocketClient(socket);
  await waitUntilOpen(socket);
  return client;
}

/** Status and problem of a rejected upgrade. */
export async function expectRejectedUpgrade(
  url: string,
  options: ConnectOptions = {},
): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
  const client = await connect(url, options).catch((error: unknown) => error);
  if (client instanceof RejectedUpgrade) return client;
  throw new Error(`the upgrade was not refused: ${String(client)}`);
}

class RejectedUpgrade extends Error {
  constructor(
    readonly status: number,
    readonly body: Readonly<Record<string, unknown>>,
  ) {
    super(`${status} ${JSON.stringify(body)}`);
  }
}

function waitUntilOpen(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
    socket.once('unexpected-response', (_, response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const isJson = String(response.headers['content-type']).includes('json');
        const body = (isJson ? JSON.parse(text) : { text }) as Readonly<Record<string, unknown>>;
        reject(new RejectedUpgrade(response.statusCode ?? 0, body));
      });
    });
  });
}

function createSocketClient(socket: WebSocket): SocketClient {
  const frames: Frame[] = [];
  const waiting = new Set<() => void>();
  const checkWaiting = (): void => waiting.forEach((look) => look());
  socket.on('message', (data: Buffer) => {
    frames.push(JSON.parse(data.toString('utf8')) as Frame);
    checkWaiting();
  });
  socket.on('error', () => undefined);
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      resolve({ code, reason: reason.toString('utf8') });
      checkWaiting();
    });
  });
  const next = (fits: (frame: Frame) => boolean = () => true): Promise<Frame> =>
    new Promise((resolve, reject) => {
      const settleWait = (end: () => void): void => {
        clearTimeout(timer);
        waiting.delete(checkFrames);
        end();
      };
      const checkFrames = (): void => {
        const at = frames.findIndex(fits);
        const [frame] = at === -1 ? [] : frames.splice(at, 1);
        if (frame !== undefined) settleWait(() => resolve(frame));
        else if (socket.readyState === WebSocket.CLOSED)
          settleWait(() => reject(new Error('the connection closed first')));
      };
      const timer = setTimeout(
        () => settleWait(() => reject(new Error(`nothing that fits came; there is ${JSON.stringify(frames)}`))),
        PATIENCE_MS,
      );
      waiting.add(checkFrames);
      checkFrames();
    });
  const send = (message: unknown): void =>
    socket.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  return {
    socket,
    frames,
    next,
    send,
    sendRequest(resource, payload, more = {}) {
      const request_id = `ask-${++asked}`;
      const given = (more as { request_id?: string }).request_id ?? request_id;
      send({ resource, action: `do ${resource.slice(0, 20)}`, payload, request_id, ...more });
      return next((frame) => frame.request_id === given);
    },
    closed,
    async close() {
      if (socket.readyState === WebSocket.CLOSED) return;
      const over = once(socket, 'close');
      socket.close();
      await over;
    },
  };
}

/** The request of a connecting client, for byte-level tests. */
export const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  'sec-websocket-version': 13,
};

/** For the body of a `describe`: kernels and clients that are closed after each test. */
export function createSocketFixture(files: Files) {
  const kernels: TestKernel[] = [];
  const clients: SocketClient[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await Promise.all(kernels.splice(0).map((kernel) => kernel.close()));
  });
  const open = async (url: string, options: ConnectOptions = {}): Promise<SocketClient> => {
    const client = await connect(url, options);
    clients.push(client);
    return client;
  };
  return {
    start: async (options: TestKernelOptions = {}, websocket: object = {}): Promise<TestKernel> => {
      const config = { websocket: { enabled: true, ...websocket }, ...options.config };
      const kernel = await startKernel({ files, ...options, config });
      kernels.push(kernel);
      return kernel;
    },
    open,
    /** The close frame of a connection that is accepted only to be rejected. */
    farewell: async (url: string, options: ConnectOptions) => {
      const client = await open(url, options);
      const { action, error } = await client.next();
      const { code } = await client.closed;
      return { action, code: error?.['code'], status: error?.['status'], closed: code };
    },
  };
}

/**
 * A load balancer for tests: HTTP round robin over the servers whose `/status/ready` is 200, polled every 100 ms, and
 * upgrades passed through. It never retries and never hides: a missing response is 502, and no ready server is 503.
 */
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { PATIENCE_MS } from './until.js';

export interface Balancer {
  readonly url: string;
  /** A server of this machine; it gets requests once it reports ready. */
  add(port: number): void;
  remove(port: number): void;
  /** Resolves when the balancer considers the server ready, or not ready. */
  waitForState(port: number, state: 'up' | 'down'): Promise<void>;
  /** Requests that went to a server. */
  countServed(port: number): number;
  close(): Promise<void>;
}

const CHECK_MS = 100;

interface Backend {
  readonly port: number;
  up: boolean;
  served: number;
}

export async function startBalancer(): Promise<Balancer> {
  const backends = new Map<number, Backend>();
  const agent = new Agent({ keepAlive: true });
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();
  let turn = 0;

  function next(): Backend | undefined {
    const ready = [...backends.values()].filter(({ up }) => up);
    const found = ready[turn++ % Math.max(1, ready.length)];
    if (found) found.served++;
    return found;
  }

  const server = createServer((req, res) => {
    const backend = next();
    if (!backend) sendError(res, 503, 'no server is ready');
    else forwardRequest(backend, req, res, agent);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (req, socket: Socket, head) => {
    const backend = next();
    if (backend) tunnelUpgrade(backend, req, socket, head, sockets);
    else socket.end('HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  });
  // Like real ones: an idle client is not notified.
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const timer = setInterval(() => {
    for (const backend of backends.values()) {
      void isReady(backend.port).then((up) => {
        if (up === backend.up) return;
        backend.up = up;
        for (const look of waiting) look();
      });
    }
  }, CHECK_MS);

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (port) => void backends.set(port, { port, up: false, served: 0 }),
    remove: (port) => void backends.delete(port),
    countServed: (port) => backends.get(port)?.served ?? 0,
    waitForState: (port, state) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          waiting.delete(checkState);
          reject(new Error(`the server at ${port} was never found ${state}`));
        }, PATIENCE_MS);
        const checkState = (): void => {
          if ((backends.get(port)?.up ?? false) !== (state === 'up')) return;
          clearTimeout(late);
          waiting.delete(checkState);
          resolve();
        };
        waiting.add(checkState);
        checkState();
      }),
    async close() {
      clearInterval(timer);
      agent.destroy();
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

function sendError(res: ServerResponse, status: number, text: string): void {
  if (res.headersSent) res.destroy();
  else res.writeHead(status, { 'x-balancer': 'failed' }).end(text);
}

function forwardRequest({ port }: Backend, req: IncomingMessage, res: ServerResponse, agent: Agent): void {
  const { method, url, headers } = req;
  const upstream = request({ host: '127.0.0.1', port, method, path: url, headers: createForwardedHeaders(req), agent });
  upstream.on('response', (answer) => {
    // Of this connection, not of the client's.
    const { connection: _connection, 'keep-alive': _keepAlive, 'transfer-encoding': _coding, ...rest } = answer.headers;
    res.writeHead(answer.statusCode ?? 502, rest);
    answer.pipe(res);
    answer.on('error', () => res.destroy());
  });
  upstream.on('error', (error: NodeJS.ErrnoException) =>
    sendError(
      res,
      502,
      `${port}: ${error.code ?? error.message}${upstream.reusedSocket ? ' (reused connection)' : ''}`,
    ),
  );
  res.on('close', () => {
    if (!res.writableFinished) upstream.destroy();
  });
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) upstream.end();
  else req.pipe(upstream);
}

/** The client's headers without those of its connection, and its address. */
function createForwardedHeaders({ headers, socket }: IncomingMessage): IncomingMessage['headers'] {
  const { connection: _connection, 'keep-alive': _keepAlive, 'x-forwarded-for': chain, ...rest } = headers;
  const client = socket.remoteAddress ?? '';
  return { ...rest, 'x-forwarded-for': chain === undefined ? client : `${String(chain)}, ${client}` };
}

/** Bytes both ways, from the request line on. */
function tunnelUpgrade(
  backend: Backend,
  req: IncomingMessage,
  socket: Socket,
  head: Buffer,
  sockets: Set<Socket>,
): void {
  const upstream = connect(backend.port, '127.0.0.1', () => {
    const lines = Object.entries({ ...createForwardedHeaders(req), connection: 'upgrade' })
      .flatMap(([name, value]) => [value ?? []].flat().map((text) => `${name}: ${text}\r\n`))
      .join('');
    upstream.write(`${req.method} ${req.url} HTTP/1.1\r\n${lines}\r\n`);
    upstream.write(head);
    socket.pipe(upstream).pipe(socket);
  });
  sockets.add(upstream);
  const closeBoth = (): void => {
    sockets.delete(upstream);
    upstream.destroy();
    socket.destroy();
  };
  upstream.on('error', closeBoth).on('close', closeBoth);
  socket.on('error', closeBoth).on('close', closeBoth);
}

/** Over a connection of its own each time, as the checks of most balancers. */
function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const req = request({ host: '127.0.0.1', port, path: '/status/ready', agent: false, timeout: 2000 }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    req
      .on('timeout', () => req.destroy())
      .on('error', () => resolve(false))
      .end();
  });
}

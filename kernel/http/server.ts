/** The listening socket: deadlines for slow clients, and a stop that lets requests in flight finish. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BootError } from '../contract/boot-error.js';
import type { Fault } from '../contract/fault.js';
import type { Kernel } from '../runtime/kernel.js';
import { createApp, type RequestLog } from './app.js';

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** No new requests; resolves when those in flight are answered, at the latest after `seconds`. */
  stop(seconds: number): Promise<void>;
}

const MAX_HEADER_BYTES = 16_384;
const MAX_HEADERS = 100;
const SWEEP_MS = 50;

export async function listen(kernel: Kernel, accessLog: boolean): Promise<RunningServer> {
  let closing = false;
  const app = createApp(kernel, requestLog(kernel, accessLog), () => closing);
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: 5_000,
    },
    (req, res) => {
      if (req.rawHeaders.length > 2 * MAX_HEADERS) {
        res.writeHead(431, { connection: 'close' }).end();
        return;
      }
      void handle(req, res);
    },
  );
  // Node would drop the headers beyond a count without a word, `content-length` among them; the bytes are bounded anyway.
  server.maxHeadersCount = 0;
  const handle = app.callback();
  const { port, host } = kernel.config.http;
  await listening(server, port, host);
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    port: address.port,
    url: `http://${name}:${address.port}`,
    async stop(seconds) {
      closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      // A connection that was busy just now becomes idle with its answer, and would be waited for.
      const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
      const timer = setTimeout(() => server.closeAllConnections(), seconds * 1000);
      await closed;
      clearInterval(sweep);
      clearTimeout(timer);
    },
  };
}

async function listening(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const what = error.code === 'EADDRINUSE' ? 'the port is taken' : (error.code ?? error.message);
      reject(new BootError('CFG_ADDRESS', { address: `${host}:${port}`, what }, error));
    });
    server.listen(port, host, () => resolve());
  });
}

function requestLog(kernel: Kernel, accessLog: boolean): RequestLog {
  return {
    line: accessLog ? ({ ms, ...rest }) => kernel.log.info({ ...rest, ms: Math.round(ms * 10) / 10 }, 'request') : null,
    failure: (fault: Fault, id) => {
      if (id === '-' && isGone(fault.options.cause)) {
        kernel.log.debug({ id }, 'the client left');
        return;
      }
      kernel.log.error({ id, code: fault.code, ...fault.where, err: fault.options.cause ?? fault }, 'request failed');
    },
  };
}

/** The connection ended before the request or the answer did: the client's doing, and no failure of ours. */
const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(HPE_|ECONNRESET|ECONNABORTED|EPIPE)/.test(String(error.code));

/** The listening socket: deadlines for slow clients, and a stop that lets requests in flight finish. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpConfig } from '../analysis/config.js';
import { BootError } from '../contract/boot-error.js';
import type { Fault } from '../contract/fault.js';
import type { Kernel } from '../runtime/kernel.js';
import type { Route } from '../contract/hooks.js';
import { sweepSpools } from './spool.js';
import { createApp, type TellFailure } from './app.js';

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** No new requests; resolves when those in flight are answered. False: after `seconds` some had to be cut off. */
  stop(seconds: number): Promise<boolean>;
}

const SWEEP_MS = 50;

/** `pages`: addresses beside those of resources and plugins. */
export async function listen(kernel: Kernel, pages: readonly Route[] = []): Promise<RunningServer> {
  let closing = false;
  void sweepSpools();
  const app = createApp(kernel, failureLog(kernel), () => closing, pages);
  const { limits, timeouts } = kernel.config.http;
  const server = createServer(
    {
      maxHeaderSize: limits.header_bytes,
      // Who must have come whole must have come with its headers.
      headersTimeout: Math.min(timeouts.headers, timeouts.request) * 1000,
      requestTimeout: timeouts.request * 1000,
      connectionsCheckingInterval: checkEvery(timeouts),
      keepAliveTimeout: 5_000,
    },
    (req, res) => {
      if (req.rawHeaders.length > 2 * limits.header_count) {
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
      let whole = true;
      const timer = setTimeout(() => {
        whole = false;
        server.closeAllConnections();
      }, seconds * 1000);
      await closed;
      clearInterval(sweep);
      clearTimeout(timer);
      return whole;
    },
  };
}

/** Deadlines are found to be over this much too late, at most. Milliseconds. */
const checkEvery = ({ headers, request }: HttpConfig['timeouts']): number =>
  Math.min(2000, Math.max(50, Math.min(headers, request) * 250));

async function listening(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const what = error.code === 'EADDRINUSE' ? 'the port is taken' : (error.code ?? error.message);
      reject(new BootError('CFG_ADDRESS', { address: `${host}:${port}`, what }, error));
    });
    server.listen(port, host, () => resolve());
  });
}

const failureLog =
  ({ log }: Kernel): TellFailure =>
  (fault: Fault, id) => {
    if (id === '-' && isGone(fault.options.cause)) log.debug({ id }, 'the client left');
    else log.error({ id, code: fault.code, ...fault.where, err: fault.options.cause ?? fault }, 'request failed');
  };

/** The connection ended before the request or the answer did, or the request took too long: the client's doing, and no failure of ours. */
const isGone = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  /^(HPE_|ECONNRESET|ECONNABORTED|EPIPE|ERR_HTTP_REQUEST_TIMEOUT)/.test(String(error.code));

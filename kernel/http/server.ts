/** The listening server: timeouts for slow clients, and an orderly shutdown. */
import { createServer, type Server } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import type { HttpConfig } from '../../language/analysis/config.js';
import { listHeaderValues } from '../../contract/invocation.js';
import { BootError } from '../../contract/boot-error.js';
import type { Kernel } from '../runtime/kernel.js';
import type { Route } from '../../contract/route.js';
import { isLocal } from './host-check.js';
import { createApp } from './app.js';
import { openUpgrades, type Upgrades } from './upgrades.js';

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Makes readiness fail and closes each connection after its response. */
  markClosing(): void;
  /** Waits for requests in flight and for `work`, then closes the connections that have left HTTP. Terminates the rest after `seconds`. */
  stop(seconds: number, work?: Promise<unknown>): Promise<StopResult>;
}

export interface StopResult {
  readonly requests: boolean;
  readonly work: boolean;
}

const SWEEP_MS = 50;
/** Milliseconds; younger connections may have a request on its way. */
const SILENCE_MS = 500;

/** `pages`: additional routes. */
export async function listen(kernel: Kernel, pages: readonly Route[] = []): Promise<RunningServer> {
  let closing = false;
  if ([...kernel.plans().byId.values()].some(({ files }) => files !== null)) void removeLeftovers(kernel);
  const upgrades = await openUpgrades(kernel);
  const all = upgrades === null ? pages : [...pages, ...upgrades.pages];
  const handle = await createApp(kernel, () => closing, all, upgrades?.count ?? null);
  const { limits, timeouts, port, host } = kernel.config.http;
  const server = createServer(
    {
      ...(upgrades !== null && { IncomingMessage: upgrades.Request }),
      maxHeaderSize: limits.header_bytes,
      // The header timeout cannot exceed the request timeout.
      headersTimeout: Math.min(timeouts.headers, timeouts.request) * 1000,
      requestTimeout: timeouts.request * 1000,
      connectionsCheckingInterval: getCheckInterval(timeouts),
      keepAliveTimeout: timeouts.keep_alive * 1000,
    },
    (req, res) => {
      const { rawHeaders } = req;
      // RFC 9112, section 3.2: a proxy may have used the other `host` header.
      const hasTwoHosts = listHeaderValues(rawHeaders, 'host').length > 1;
      const refusal = rawHeaders.length > 2 * limits.header_count ? 431 : hasTwoHosts ? 400 : null;
      if (refusal === null) handle(req, res);
      else res.writeHead(refusal, { connection: 'close' }).end();
    },
  );
  // Node silently drops headers beyond a count, even `content-length`; `maxHeaderSize` is the limit instead.
  server.maxHeadersCount = 0;
  if (upgrades !== null) server.on('upgrade', (req, socket, head) => upgrades.accept(req, socket, head));
  logAccessRules(kernel);
  const closeIdle = createIdleCloser(server);
  await listenOn(server, port, host);
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    port: address.port,
    url: `http://${name}:${address.port}`,
    markClosing: () => void (closing = true),
    stop(seconds, work = Promise.resolve()) {
      closing = true;
      return stop({ server, upgrades, closeIdle }, seconds, work);
    },
  };
}

function logAccessRules({ config, project, log }: Kernel): void {
  for (const { name, as } of project.taken) log.info({ variable: name, as }, 'environment variable converted');
  if (config.http.allowed_origins.length === 0)
    log.info(
      { variable: 'ALLOWED_ORIGINS' },
      'requests from other origins are rejected: set ALLOWED_ORIGINS to allow some',
    );
  if (config.http.hosts.length === 0 && isLocal(config.http, project.dev))
    log.info(
      { config: 'http.hosts' },
      'only IP addresses and localhost are accepted as host: set ALLOWED_HOSTS to add others',
    );
}

/** Requests need not wait for it. */
async function removeLeftovers({ project, running }: Kernel): Promise<void> {
  for (const [id, { facts }] of project.registry.plugins) {
    if (facts?.media_type === undefined) continue;
    const runtime = await project.runtimes.get(id)?.();
    await runtime?.removeLeftovers?.().catch((error: unknown) => running.logFailure(error, '-'));
  }
}

interface StopContext {
  readonly server: Server;
  readonly upgrades: Upgrades | null;
  readonly closeIdle: () => void;
}

async function stop(stopping: StopContext, seconds: number, work: Promise<unknown>): Promise<StopResult> {
  const { server, upgrades } = stopping;
  // `close` of an HTTP server destroys connections of clients that still read a response.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), seconds * 1000)));
  const inTime = (part: Promise<unknown>): Promise<boolean> => Promise.race([part.then(() => true), late]);
  const requests = await inTime(Promise.all([Promise.race([closed, waitForResponses(stopping)]), upgrades?.drain()]));
  const whole = await inTime(work);
  clearTimeout(timer);
  await upgrades?.close();
  server.close().closeAllConnections();
  if (requests) await closed;
  return { requests, work: whole };
}

/** A busy connection becomes idle after its response. */
function waitForResponses({ server, upgrades, closeIdle }: StopContext): Promise<void> {
  return new Promise((resolve) => {
    const sweepConnections = (): void => {
      closeIdle();
      server.getConnections((error, count) => {
        if (error === null && count > (upgrades?.count() ?? 0)) setTimeout(sweepConnections, SWEEP_MS).unref();
        else resolve();
      });
    };
    sweepConnections();
  });
}

/**
 * Destroys idle connections, and those that clients opened in advance, which Node counts as neither idle nor busy. Waits while a
 * client still reads: Node counts its connection as idle.
 */
function createIdleCloser(server: Server): () => void {
  const since = new Map<Socket, number>();
  function removeSocket(this: Socket): void {
    since.delete(this);
  }
  server.on('connection', (socket) => {
    since.set(socket, performance.now());
    socket.on('close', removeSocket);
  });
  return () => {
    const before = performance.now() - SILENCE_MS;
    for (const [socket, at] of since) if (socket.bytesRead === 0 && at < before) socket.destroy();
    if ([...since.keys()].every(({ writableLength }) => writableLength === 0)) server.closeIdleConnections();
  };
}

/** Milliseconds; also the maximum delay in detecting a timeout. */
const getCheckInterval = ({ headers, request }: HttpConfig['timeouts']): number =>
  Math.min(2000, Math.max(50, Math.min(headers, request) * 250));

async function listenOn(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const what = error.code === 'EADDRINUSE' ? 'the port is in use' : (error.code ?? error.message);
      reject(new BootError('CFG_ADDRESS', { address: `${host}:${port}`, what }, error));
    });
    server.listen(port, host, () => resolve());
  });
}

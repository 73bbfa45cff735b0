/** Hands connections over to plugins: a request that one admits leaves HTTP, others receive a response. */
import { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Route, RouteRequest } from '../../contract/route.js';
import type { ConnectionServer, UpgradeRequest } from '../../contract/trigger.js';
import type { Kernel } from '../runtime/kernel.js';
import { createSenderResolver } from './cross-site.js';
import { createHostCheck } from './host-check.js';
import { toRouteRequest } from './plugin-routes.js';

export type Upgrades = NonNullable<Awaited<ReturnType<typeof openUpgrades>>>;

/** Null where no plugin takes connections over. */
export async function openUpgrades({ upgrades, config, project }: Kernel) {
  if (upgrades.length === 0) return null;
  const { http } = config;
  const { limits, trusted_proxies: proxies } = http;
  const opened = await Promise.all(upgrades.map(async ({ path, open }) => [path, await open(config)] as const));
  const servers = new Map<string, ConnectionServer>(opened);
  const all = [...servers.values()];
  const isOwnHost = createHostCheck(http, project.dev);
  const resolveSender = createSenderResolver(http.allowed_origins);
  const findServer = ({ url = '' }: IncomingMessage) => servers.get(url.split('?', 1)[0] ?? '');
  const toUpgradeRequest = (req: IncomingMessage): UpgradeRequest => {
    const { url = '' } = req;
    const mark = url.indexOf('?');
    return addSender(toRouteRequest(req, '', mark === -1 ? '' : url.slice(mark + 1), proxies));
  };
  const addSender = (request: RouteRequest): UpgradeRequest => ({ ...request, sender: resolveSender(request.header) });
  const isAdmitted = (req: IncomingMessage): boolean =>
    isOwnHost?.(req.headers.host) !== false &&
    (req.url ?? '').length <= limits.url &&
    req.rawHeaders.length <= 2 * limits.header_count &&
    findServer(req)?.admits(toUpgradeRequest(req)) === true;

  const pages = [...servers].map(([path, server]): Route => {
    const reject = (request: RouteRequest): never => {
      throw server.reject(addSender(request));
    };
    return { path, methods: ['GET'], handle: reject };
  });
  return {
    /** Marks upgrades for Node's HTTP server. */
    Request: createRequestClass(isAdmitted),
    /** Respond to requests for the paths that are not admitted. */
    pages,
    /** The number of open connections. */
    count: () => all.reduce((sum, server) => sum + server.count(), 0),
    accept(req: IncomingMessage, socket: Duplex, head: Buffer): void {
      const server = findServer(req);
      if (server === undefined) socket.destroy();
      else server.accept(toUpgradeRequest(req), { req, socket, head });
    },
    drain: () => Promise.all(all.map((server) => server.drain())),
    close: () => Promise.all(all.map((server) => server.close())),
  };
}

/** `admits` is called once for each upgrade request. */
export function createRequestClass(admits: (req: IncomingMessage) => boolean): typeof IncomingMessage {
  return class UpgradeRequest extends IncomingMessage {
    wantsUpgrade: unknown = null;
    isAdmitted: boolean | null = null;

    get upgrade(): unknown {
      if (this.wantsUpgrade !== true || this.method === 'CONNECT') return this.wantsUpgrade;
      return (this.isAdmitted ??= admits(this));
    }
    set upgrade(value: unknown) {
      // Node's parser sets the property before it reads it.
      this.wantsUpgrade = value;
    }
  };
}

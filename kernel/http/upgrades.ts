/** Hands connections over to plugins: a request that one admits leaves HTTP, others receive a response. */
import { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Route } from '../../contract/route.js';
import { listHeaderValues } from '../../contract/invocation.js';
import type { ConnectionServer, UpgradeRequest } from '../../contract/trigger.js';
import type { Kernel } from '../runtime/kernel.js';
import { createSenderResolver } from './cross-site.js';
import { createHostCheck } from './host-check.js';
import { getRemoteAddress } from './invocation.js';

export interface Upgrades {
  /** Marks upgrades for Node's HTTP server. */
  readonly Request: typeof IncomingMessage;
  /** Respond to requests for the paths that are not admitted. */
  readonly pages: readonly Route[];
  /** The number of open connections. */
  readonly count: () => number;
  accept(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  drain(): Promise<unknown>;
  close(): Promise<unknown>;
}

/** Null where no plugin takes connections over. */
export async function openUpgrades({ upgrades, config, project }: Kernel): Promise<Upgrades | null> {
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
    const { url = '', method = '', rawHeaders } = req;
    const mark = url.indexOf('?');
    const getHeader = (name: string): readonly string[] => listHeaderValues(rawHeaders, name);
    const query = mark === -1 ? '' : url.slice(mark + 1);
    return {
      method,
      rest: '',
      query,
      remote: getRemoteAddress(req, proxies),
      header: getHeader,
      sender: resolveSender(getHeader),
    };
  };
  const isAdmitted = (req: IncomingMessage): boolean =>
    isOwnHost?.(req.headers.host) !== false &&
    (req.url ?? '').length <= limits.url &&
    req.rawHeaders.length <= 2 * limits.header_count &&
    findServer(req)?.admits(toUpgradeRequest(req)) === true;

  return {
    Request: createRequestClass(isAdmitted),
    pages: [...servers].map(([path, server]) => ({
      path,
      methods: ['GET'],
      handle(request) {
        throw server.reject({ ...request, sender: resolveSender(request.header) });
      },
    })),
    count: () => all.reduce((sum, server) => sum + server.count(), 0),
    accept(req, socket, head) {
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
  return class DoorRequest extends IncomingMessage {
    asksForUpgrade: unknown = null;
    isAdmitted: boolean | null = null;

    get upgrade(): unknown {
      if (this.asksForUpgrade !== true || this.method === 'CONNECT') return this.asksForUpgrade;
      return (this.isAdmitted ??= admits(this));
    }
    set upgrade(asks: unknown) {
      // Node's parser sets the property before it reads it.
      this.asksForUpgrade = asks;
    }
  };
}

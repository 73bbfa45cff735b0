/** Finds and serves the routes of plugins. The kernel ensures that they hide no resource. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createFault } from '../../contract/fault.js';
import type { Route, RouteReply, RouteRequest } from '../../contract/route.js';
import { listHeaderValues } from '../../contract/invocation.js';
import { getRemoteAddress } from './invocation.js';

export interface FoundRoute {
  readonly route: Route;
  readonly rest: string;
}

export type FindRoute = (path: string) => FoundRoute | null;

/** Rebuilds the finder when a reload replaced the list. */
export function createLiveRouteFinder(current: () => readonly Route[]): () => FindRoute | null {
  let routes = current();
  let find = createRouteFinder(routes);
  return () => {
    const now = current();
    if (now !== routes) {
      routes = now;
      find = createRouteFinder(now);
    }
    return find;
  };
}

/** Null without routes, to avoid overhead for resources. */
export function createRouteFinder(routes: readonly Route[]): FindRoute | null {
  if (routes.length === 0) return null;
  const exact = new Map(routes.filter(({ path }) => !path.endsWith('/')).map((route) => [route.path, route]));
  const below = routes.filter(({ path }) => path.endsWith('/'));
  return (path) => {
    const found = exact.get(path);
    if (found !== undefined) return { route: found, rest: '' };
    const route = below.find((candidate) => path.startsWith(candidate.path));
    return route === undefined ? null : { route, rest: path.slice(route.path.length) };
  };
}

export async function handleRoute(
  { route, rest }: FoundRoute,
  req: IncomingMessage,
  query: string,
  proxies: number,
): Promise<RouteReply> {
  const methods = route.methods.includes('GET') ? [...route.methods, 'HEAD'] : route.methods;
  const method = req.method ?? '';
  if (!methods.includes(method))
    throw createFault('REQ_METHOD', { method }, { headers: { allow: methods.join(', ') } });
  return route.handle(toRouteRequest(req, decodeRest(rest), query, proxies));
}

export function toRouteRequest(req: IncomingMessage, rest: string, query: string, proxies: number): RouteRequest {
  const { method = '', rawHeaders } = req;
  const remote = getRemoteAddress(req, proxies);
  return { method, rest, query, remote, header: (name) => listHeaderValues(rawHeaders, name) };
}

function decodeRest(rest: string): string {
  if (!rest.includes('%')) return rest;
  try {
    return decodeURIComponent(rest);
  } catch {
    throw createFault('REQ_NOT_FOUND');
  }
}

/** If a streamed body fails, the connection is cut, so that the client does not take it for complete. */
export async function sendRoute(
  res: ServerResponse,
  method: string | undefined,
  { status, body }: RouteReply,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) {
    const content = body ?? '';
    // For 304, `content-length` would refer to the stored response.
    const length = WITHOUT_BODY.has(status) ? {} : { 'content-length': String(Buffer.byteLength(content)) };
    res.writeHead(status, { ...length, ...headers });
    res.end(content);
    return;
  }
  res.writeHead(status, { ...headers });
  const stream = Readable.from(body, { objectMode: false });
  if (method === 'HEAD') {
    stream.destroy();
    res.end();
    return;
  }
  try {
    await pipeline(stream, res);
  } catch (error) {
    // A client that disconnects early is not a failure.
    if (!isPremature(error) || !res.closed) throw error;
  }
}

const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304]);

const isPremature = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';

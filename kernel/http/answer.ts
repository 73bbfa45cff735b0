/**
 * How an answer is written: the headers that all have, those for pages of other origins, those of its own; then everything in
 * one piece. What is answered is decided elsewhere.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { networkOf } from '../contract/asker.js';
import type { Reply } from '../contract/hooks.js';
import { Rendered } from '../contract/rendered.js';
import type { Cors } from './cors.js';
import { remoteOf } from './invocation.js';
import type { Unread } from './unread.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** What holds for every answer of a server. */
export interface Manner {
  /** Null: no page of another origin may call. */
  readonly cors: Cors | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly closing: () => boolean;
  /** Milliseconds for which a reader may rest. */
  readonly patience: number;
  /** What is not read yet. */
  readonly unread: Unread;
  readonly proxies: number;
}

/** Whom it is for. */
export interface Answered {
  readonly id: string;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** An answer is data for programs: no browser is to run it, frame it, guess its type or tell others where it was. */
const COMMON: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

export function commonHeaders(written: Readonly<Record<string, string>>): Record<string, string> {
  const lower = Object.entries(written).map(([name, value]) => [name.toLowerCase(), value] as const);
  const all = { ...COMMON, ...Object.fromEntries(lower) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

/** Answered before the body was read: a long one, or one without a length, is not read to its end for nothing. */
const isWaiting = (req: IncomingMessage): boolean =>
  !req.complete &&
  (req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > MAX_DISCARDED);

/** Bytes of a body that are read and dropped, so that the connection can be used again. */
const MAX_DISCARDED = 65_536;

const CLOSED = { connection: 'close' };

export function headersOf(
  { headers, cors, closing }: Manner,
  req: IncomingMessage,
  id: string,
): Record<string, string> {
  return {
    'x-request-id': id,
    ...headers,
    ...cors?.headers(req),
    // A connection that is kept alive would outlive the server.
    ...((closing() || isWaiting(req)) && CLOSED),
  };
}

/** Everything is known here, so the answer leaves in one piece; Koa's own way would touch each header three times. */
export function write(manner: Manner, visit: Answered, { status, headers, body }: Reply, type: string): void {
  const { req, res, id } = visit;
  const content = body instanceof Rendered ? body.json : JSON.stringify(body ?? null);
  const length = Buffer.byteLength(content);
  const common = {
    'content-type': type,
    'content-length': String(length),
    ...headersOf(manner, req, id),
  };
  res.writeHead(status, laidOver(common, headers));
  res.end(content);
  // Most answers have left by now. Who does not read the rest must not hold it for ever.
  if ((res.socket?.writableLength ?? 0) === 0) return;
  res.setTimeout(manner.patience);
  manner.unread.add(res, networkOf(remoteOf(req, manner.proxies)), length);
}

/** What an answer says of itself wins, but it varies by all that is named on either side. */
export function laidOver(common: Readonly<Record<string, string>>, own: Reply['headers']): Record<string, string> {
  const all = { ...common, ...own };
  const { vary } = common;
  if (vary !== undefined && own['vary'] !== undefined) all['vary'] = `${own['vary']}, ${vary}`;
  return all;
}

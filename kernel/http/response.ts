/** Writes HTTP responses: common, CORS and own headers and the body, in one write. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNetwork } from '../../contract/requester.js';
import { mergeHeaders, type HeaderDefaults } from '../../contract/common-headers.js';
import type { Reply } from '../../contract/reply.js';
import type { JsonStream } from '../../contract/json-stream.js';
import { RawJson } from '../../contract/raw-json.js';
import { countSent } from '../../contract/moving-deadline.js';
import type { UnreadBudget } from '../../contract/unread-budget.js';
import { createTurnQueue } from '../../language/project/turn-queue.js';
import type { Cors } from './cors.js';
import { getRemoteAddress } from './invocation.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

export interface ResponseDefaults extends HeaderDefaults {
  /** Null: cross-origin calls are not allowed. */
  readonly cors: Cors | null;
  readonly closing: () => boolean;
  /** Milliseconds without progress before a slow reader is disconnected. */
  readonly patience: number;
  readonly unread: UnreadBudget;
  readonly proxies: number;
}

export interface ResponseTarget {
  readonly id: string;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** The rest of a long or chunked body is not read after an early response. */
const isWaiting = (req: IncomingMessage): boolean =>
  !req.complete &&
  (req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > MAX_DISCARDED);

/** Maximum bytes of a body that are discarded so that the connection can be reused. */
const MAX_DISCARDED = 65_536;

const CLOSED = { connection: 'close' };

/** The headers that every response begins with. */
export function initialHeaders(
  { headers, cors }: ResponseDefaults,
  req: IncomingMessage,
  id: string,
): Record<string, string> {
  return { 'x-request-id': id, ...headers, ...cors?.getHeaders(req) };
}

/** A kept-alive connection would delay the shutdown. */
export const mustClose = ({ closing }: ResponseDefaults, req: IncomingMessage): boolean => closing() || isWaiting(req);

export function buildHeaders(defaults: ResponseDefaults, req: IncomingMessage, id: string): Record<string, string> {
  return { ...initialHeaders(defaults, req, id), ...(mustClose(defaults, req) && CLOSED) };
}

export const toContent = (body: unknown): string | Uint8Array =>
  body instanceof RawJson ? body.json : JSON.stringify(body ?? null);

/** In bytes. Larger bodies are not copied to be joined with their head. */
const LONGEST_COPY = 16_384;

const toLatin1 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1');

/**
 * One piece with the head, as two take 1.2 times the processor time of a small response. `length`: of the body, in bytes.
 * `res.end(content)` would write an empty piece too.
 */
function endWithBody(res: ServerResponse, content: string | Uint8Array, length: number): void {
  const text = typeof content === 'string' || length > LONGEST_COPY ? content : toLatin1(content);
  if (typeof text !== 'string') res.write(text);
  else res.write(text, text.length === length ? 'latin1' : 'utf8');
  res.socket?.uncork();
  res.end();
}

const writeLater = createTurnQueue(64);

export function sendResponse(
  defaults: ResponseDefaults,
  { req, res, id }: ResponseTarget,
  { status, headers, body }: Reply,
  type: string,
): void {
  const content = toContent(body);
  const length = Buffer.byteLength(content);
  const close = mustClose(defaults, req) && CLOSED;
  defaults.heads.write(res, { status, type, length, id }, defaults.cors?.getHeaders(req), close, headers);
  writeLater(() => {
    endWithBody(res, content, length);
    limitUnread(defaults, { req, res }, length);
  });
}

/**
 * Writes the body as it arrives. Resolves when it is complete, or the client has disconnected. Rejects where it fails: the
 * client must not mistake the part for the whole, so the caller closes the connection.
 */
export function sendStream(
  defaults: ResponseDefaults,
  { req, res, id }: ResponseTarget,
  { status, headers }: Reply,
  stream: JsonStream,
): Promise<void> {
  res.writeHead(status, mergeHeaders({ 'content-type': JSON_TYPE, ...buildHeaders(defaults, req, id) }, headers));
  const count = (): number => countSent(req.socket);
  const held = defaults.unread.add(res, toNetwork(getRemoteAddress(req, defaults.proxies)), 0, count);
  return new Promise((resolve, reject) => {
    /** Some of it has left, so that the store goes on long before everything has. */
    const goOn = (): void => {
      if (defaults.unread.setHeld(held, res.writableLength)) source.resume();
    };
    const source = stream.open({
      write(text) {
        if (!res.write(text, goOn)) res.setTimeout(defaults.patience);
        return defaults.unread.setHeld(held, res.writableLength);
      },
      end: () => resolve(void res.end()),
      fail: reject,
    });
    // A pause of the store is not one of the client.
    res.on('drain', () => res.setTimeout(0));
    res.once('close', () => resolve(source.cancel()));
  });
}

/** A client that does not read the rest must not hold it in memory indefinitely. */
export function limitUnread(
  defaults: ResponseDefaults,
  { req, res }: { readonly req: IncomingMessage; readonly res: ServerResponse },
  length: number,
): void {
  if ((res.socket?.writableLength ?? 0) === 0) return;
  res.setTimeout(defaults.patience);
  defaults.unread.add(res, toNetwork(getRemoteAddress(req, defaults.proxies)), length, () => countSent(req.socket));
}

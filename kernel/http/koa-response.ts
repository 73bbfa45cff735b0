/** For middlewares of plugins: responses on the Koa context before they are sent, and the errors that they throw on purpose. */
import { STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import type { ParameterizedContext } from 'koa';
import { createFault, type Fault } from '../../contract/fault.js';
import type { RouteReply } from '../../contract/route.js';
import type { Reply } from '../../contract/reply.js';
import { limitUnread, mustClose, toContent, type ResponseDefaults } from './response.js';

/** Any state and any extension of plugins. */
type Context = ParameterizedContext<object>;

export function setResponse(
  defaults: ResponseDefaults,
  ctx: Context,
  { status, headers, body }: Reply,
  type: string,
): void {
  setHead(defaults, ctx, status, { 'content-type': type, ...headers });
  ctx.body = toKoaBody(toContent(body));
  const { length } = ctx.response;
  // After `end`, which a plugin may delay.
  ctx.res.once('prefinish', () => limitUnread(defaults, ctx, length));
}

export function setRouteResponse(defaults: ResponseDefaults, ctx: Context, reply: RouteReply): void {
  setHead(defaults, ctx, reply.status, reply.headers);
  if (reply.body === null) ctx.body = reply.status === 204 || reply.status === 304 ? null : '';
  else
    ctx.body =
      typeof reply.body === 'string' || reply.body instanceof Uint8Array
        ? toKoaBody(reply.body)
        : Readable.from(reply.body, { objectMode: false });
}

/** Koa takes bytes as a Buffer only. */
const toKoaBody = (content: string | Uint8Array): string | Buffer =>
  typeof content === 'string' ? content : Buffer.from(content);

function setHead(
  defaults: ResponseDefaults,
  ctx: Context,
  status: number,
  headers: Readonly<Record<string, string>>,
): void {
  ctx.status = status;
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'vary') ctx.vary(value.split(/, */));
    else ctx.set(name, value);
  }
  if (mustClose(defaults, ctx.req)) ctx.set('connection', 'close');
}

/** Null unless it is an error of `ctx.throw` or http-errors. Only messages that their author marked as exposed reach the client. */
export function toRejection(error: unknown): Fault | null {
  if (!(error instanceof Error) || !('expose' in error) || error.expose !== true || !('status' in error)) return null;
  const { status, message } = error;
  if (typeof status !== 'number' || status < 400 || status > 499) return null;
  const headers = 'headers' in error ? (error.headers as Readonly<Record<string, string>> | undefined) : undefined;
  return createFault(
    'REQ_REJECTED',
    {},
    { status, message: message || (STATUS_CODES[status] ?? String(status)), ...(headers && { headers }) },
  );
}

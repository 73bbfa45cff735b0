/**
 * HTTP in front of the kernel: Koa with one middleware. It finds the plan, reads the payload, invokes and writes; every
 * failure passes the one error room. No rule of a resource is decided here.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Koa from 'koa';
import { fault, type Fault } from '../contract/fault.js';
import type { Reply } from '../contract/hooks.js';
import type { Invocation } from '../contract/plan.js';
import { Rendered } from '../contract/rendered.js';
import { asFault, invoke } from '../runtime/invoke.js';
import type { Kernel } from '../runtime/kernel.js';
import { refuse } from '../runtime/problem-details.js';
import { isInQuery, readPayload } from './payload.js';
import { findRoute } from './routes.js';
import { statusOf } from './status.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';
const MAX_URL = 8192;

export interface RequestLog {
  /** Null when nobody would read it. */
  readonly line:
    ((record: { id: string; resource: string | undefined; status: number; code?: string; ms: number }) => void) | null;
  readonly failure: (fault: Fault, id: string) => void;
}

/** What is known of a request while it is answered. */
interface Visit {
  readonly id: string;
  /** Milliseconds since 1970: the instant that definitions see. */
  readonly startedAt: number;
  /** Of the monotonic clock, for durations. */
  readonly clock: number;
  resource: string | undefined;
  code: string | undefined;
}

/** The Koa application of a kernel. `closing` makes readiness fail while requests in flight still finish. */
export function createApp(kernel: Kernel, log: RequestLog, closing: () => boolean): Koa {
  const app = new Koa();
  const { status_path: statusPath } = kernel.config.http;
  const methods = verbsOf(kernel.config.http.methods);
  const door: Door = { kernel, methods: new Set(methods), allow: methods.join(', '), statusPath, closing };

  app.use(async (ctx) => {
    const visit: Visit = {
      id: randomUUID(),
      startedAt: Date.now(),
      clock: performance.now(),
      resource: undefined,
      code: undefined,
    };
    try {
      await answer(door, ctx, visit);
    } catch (error) {
      answerRefusal(door, log, ctx, visit, asFault(error));
    }
    observe(kernel, log, ctx, visit);
  });

  // What Koa itself could not handle (a broken socket while writing) must not be printed as its own text.
  app.on('error', (error: Error) => log.failure(asFault(error), '-'));
  return app;
}

/** Who may GET may ask for the head of the same answer. */
const verbsOf = (methods: readonly string[]): string[] =>
  methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

/** What every request is measured against; settled when the server starts. */
interface Door {
  readonly kernel: Kernel;
  readonly methods: ReadonlySet<string>;
  readonly allow: string;
  readonly statusPath: string;
  readonly closing: () => boolean;
}

async function answer(door: Door, ctx: Koa.Context, visit: Visit): Promise<void> {
  const { kernel, methods, allow, statusPath, closing } = door;
  const { req } = ctx;
  const url = req.url ?? '/';
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  if ((req.method === 'GET' || req.method === 'HEAD') && path.startsWith(statusPath)) {
    const status = await statusOf(kernel, path.slice(statusPath.length), closing());
    if (status !== null) {
      write(door, ctx, visit, { ...status, headers: { 'cache-control': 'no-store' } }, JSON_TYPE);
      return;
    }
  }
  if (url.length > MAX_URL) throw fault('REQ_URL_TOO_LONG', { max: MAX_URL });
  const { plan, parameters } = findRoute(kernel.plans(), path);
  visit.resource = plan.id;
  if (!methods.has(req.method ?? '')) throw fault('REQ_METHOD', { method: req.method }, { headers: { allow } });
  const query = mark === -1 ? '' : url.slice(mark + 1);
  const { limits } = kernel.config.http;
  const invocation: Invocation = {
    id: visit.id,
    trigger: 'http',
    receive: () => readPayload(req, query, parameters, limits),
    texts: isInQuery(req) ? 'all' : parameters === null ? null : new Set(Object.keys(parameters)),
    headers: req.headers,
    header: (name) => headerValues(req.rawHeaders, name),
    remote: addressOf(req.socket.remoteAddress),
    startedAt: visit.startedAt,
  };
  const reply = await invoke(plan, invocation, kernel.hooks);
  write(door, ctx, visit, reply, JSON_TYPE);
}

function answerRefusal(door: Door, log: RequestLog, ctx: Koa.Context, visit: Visit, failure: Fault): void {
  const { kernel } = door;
  const refusal = refuse(failure, visit.id, kernel.project.registry.codes, kernel.config.docs);
  visit.code = refusal.body.code;
  if (refusal.status >= 500) log.failure(failure, visit.id);
  write(door, ctx, visit, refusal, PROBLEM_TYPE);
}

/** The log line now, the observers once the bytes have left. */
function observe(kernel: Kernel, log: RequestLog, ctx: Koa.Context, { id, resource, code, clock }: Visit): void {
  const tell = kernel.hooks.afterResponse;
  if (log.line === null && tell === null) return;
  const { status } = ctx;
  const milliseconds = performance.now() - clock;
  log.line?.({ id, resource, status, ...(code !== undefined && { code }), ms: milliseconds });
  if (tell === null) return;
  const left = (): void => {
    tell({ id, trigger: 'http', resource, status, code, milliseconds }).catch((error: unknown) => {
      log.failure(asFault(error), id);
    });
  };
  // A client that did not wait has closed it already, and no event will come.
  if (ctx.res.closed) left();
  else ctx.res.once('close', left);
}

/** Answered before the body was read: a long one, or one without a length, is not read to its end for nothing. */
const isWaiting = (req: IncomingMessage): boolean =>
  !req.complete &&
  (req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > MAX_DISCARDED);

/** Bytes of a body that are read and dropped, so that the connection can be used again. */
const MAX_DISCARDED = 65_536;

/** `rawHeaders` alternates names and values; the parsed form hides that a header was sent twice. */
function headerValues(raw: readonly string[], name: string): readonly string[] {
  const values: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const key = raw[i] ?? '';
    if (key.length === name.length && key.toLowerCase() === name) values.push(raw[i + 1] ?? '');
  }
  return values;
}

/** IPv4 clients on a dual-stack socket have mapped addresses. */
const addressOf = (address: string | undefined): string =>
  address === undefined ? '' : address.startsWith('::ffff:') ? address.slice(7) : address;

/** Everything is known here, so the answer leaves in one piece; Koa's own way would touch each header three times. */
function write(
  { closing }: Door,
  ctx: Koa.Context,
  { id }: Visit,
  { status, headers, body }: Reply,
  type: string,
): void {
  ctx.respond = false;
  const content = body instanceof Rendered ? body.json : JSON.stringify(body ?? null);
  ctx.res.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(content),
    'x-request-id': id,
    ...headers,
    // A connection that is kept alive would outlive the server.
    ...((closing() || isWaiting(ctx.req)) && { connection: 'close' }),
  });
  ctx.res.end(content);
}

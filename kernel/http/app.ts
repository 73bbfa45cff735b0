/**
 * HTTP in front of the kernel: Koa with one middleware. It finds who answers, invokes and writes; every failure passes the
 * one error room. No rule of a resource is decided here.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Koa from 'koa';
import { fault, type Fault } from '../contract/fault.js';
import type { Reply, Route } from '../contract/hooks.js';
import { Rendered } from '../contract/rendered.js';
import type { ResourcePlan } from '../compile/plan.js';
import { asFault, invoke } from '../runtime/invoke.js';
import type { Kernel } from '../runtime/kernel.js';
import { refuse } from '../runtime/problem-details.js';
import { createCors, type Cors } from './cors.js';
import { HttpInvocation } from './invocation.js';
import { askRoute, routeFinder, sendRoute, type FoundRoute } from './plugin-routes.js';
import { findRoute } from './routes.js';
import { statusOf } from './status.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** Told of what nobody foresaw, and of what else the operator should know: never to a client. */
export type TellFailure = (fault: Fault, id: string) => void;

/** What is known of a request while it is answered. */
interface Visit {
  readonly id: string;
  /** Milliseconds since 1970: the instant that definitions see. */
  readonly startedAt: number;
  /** Of the monotonic clock, for durations. */
  readonly clock: number;
  plan: ResourcePlan | null;
  /** Of an address that a plugin answers. */
  path: string | undefined;
  invocation: HttpInvocation | null;
  code: string | undefined;
}

/**
 * The Koa application of a kernel. `closing` makes readiness fail while requests in flight still finish; `pages` are
 * addresses beside those of the plugins, which step back as soon as a resource has them.
 */
export function createApp(
  kernel: Kernel,
  tellFailure: TellFailure,
  closing: () => boolean,
  pages: readonly Route[],
): Koa {
  const app = new Koa();
  const { http } = kernel.config;
  const methods = verbsOf(http.methods);
  const door: Door = {
    kernel,
    tellFailure,
    methods: new Set(methods),
    allow: methods.join(', '),
    cors: createCors(http.allowed_origins, methods),
    headers: Object.freeze(commonHeaders(http.headers)),
    plugin: routeFinder(kernel.routes),
    page: routeFinder(pages),
    timed: kernel.hooks.afterResponse !== null || kernel.hooks.reply !== null,
    closing,
  };

  app.use(async (ctx) => {
    const visit: Visit = {
      id: randomUUID(),
      startedAt: Date.now(),
      clock: performance.now(),
      plan: null,
      path: undefined,
      invocation: null,
      code: undefined,
    };
    ctx.respond = false;
    try {
      await answer(door, ctx, visit);
    } catch (error) {
      answerRefusal(door, ctx, visit, asFault(error));
    }
    if (visit.invocation?.holds === true)
      visit.invocation.finish(visit.code === undefined).catch((error) => tellFailure(asFault(error), visit.id));
    if (kernel.hooks.afterResponse !== null) observe(door, ctx, visit);
  });

  // What Koa itself could not handle (a broken socket while writing) must not be printed as its own text.
  app.on('error', (error: Error) => tellFailure(asFault(error), '-'));
  return app;
}

/** Who may GET may ask for the head of the same answer. */
const verbsOf = (methods: readonly string[]): string[] =>
  methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

/** An answer is data for programs: no browser is to run it, frame it, guess its type or tell others where it was. */
const COMMON: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

function commonHeaders(written: Readonly<Record<string, string>>): Record<string, string> {
  const lower = Object.entries(written).map(([name, value]) => [name.toLowerCase(), value] as const);
  const all = { ...COMMON, ...Object.fromEntries(lower) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

/** What every request is measured against; settled when the server starts. */
interface Door {
  readonly kernel: Kernel;
  readonly tellFailure: TellFailure;
  readonly methods: ReadonlySet<string>;
  readonly allow: string;
  /** Null: no page of another origin may call. */
  readonly cors: Cors | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly plugin: ReturnType<typeof routeFinder>;
  readonly page: ReturnType<typeof routeFinder>;
  /** Somebody wants to know what each actionable took. */
  readonly timed: boolean;
  readonly closing: () => boolean;
}

async function answer(door: Door, ctx: Koa.Context, visit: Visit): Promise<void> {
  const { kernel, methods, allow, closing } = door;
  const { req } = ctx;
  const { http } = kernel.config;
  const url = req.url ?? '/';
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const query = mark === -1 ? '' : url.slice(mark + 1);
  if ((req.method === 'GET' || req.method === 'HEAD') && path.startsWith(http.status_path)) {
    const status = await statusOf(kernel, path.slice(http.status_path.length), closing());
    if (status !== null) {
      write(door, ctx, visit, { ...status, headers: { 'cache-control': 'no-store' } }, JSON_TYPE);
      return;
    }
  }
  const preflight = door.cors?.preflight(req) ?? null;
  if (preflight !== null) {
    ctx.res.writeHead(204, { ...headersOf(door, ctx, visit), ...preflight }).end();
    return;
  }
  if (url.length > http.limits.url) throw fault('REQ_URL_TOO_LONG', { max: http.limits.url });
  const found = door.plugin?.(path) ?? (door.page === null ? null : pageAt(door, path));
  if (found !== null) {
    visit.path = found.route.path;
    const reply = await askRoute(found, req, query);
    await sendRoute(ctx.res, req.method, reply, laidOver(headersOf(door, ctx, visit), reply.headers));
    return;
  }
  const { plan, parameters } = findRoute(kernel.plans(), path);
  visit.plan = plan;
  if (!methods.has(req.method ?? '')) throw fault('REQ_METHOD', { method: req.method }, { headers: { allow } });
  const { id, startedAt } = visit;
  const invocation = new HttpInvocation(req, { id, startedAt, query, parameters, timed: door.timed }, http);
  visit.invocation = invocation;
  write(door, ctx, visit, await invoke(plan, invocation, kernel.hooks), JSON_TYPE);
}

/** Definitions may have taken the address since the start. */
function pageAt({ kernel, page }: Door, path: string): FoundRoute | null {
  const found = page?.(path) ?? null;
  const { byPath, broken } = kernel.plans();
  return found !== null && (byPath.has(path) || broken.has(path)) ? null : found;
}

function answerRefusal(door: Door, ctx: Koa.Context, visit: Visit, failure: Fault): void {
  const { kernel } = door;
  const refusal = refuse(failure, visit.id, kernel.project.registry.codes, kernel.config.docs);
  visit.code = refusal.body.code;
  if (refusal.status >= 500) door.tellFailure(failure, visit.id);
  // Too late for another answer: half of one must not be taken for a whole one.
  if (ctx.res.headersSent) ctx.res.destroy();
  else write(door, ctx, visit, refusal, PROBLEM_TYPE);
}

/** Told once the bytes have left. */
function observe({ kernel, tellFailure }: Door, ctx: Koa.Context, visit: Visit): void {
  const tell = kernel.hooks.afterResponse;
  if (tell === null) return;
  const { id, plan, path, startedAt, code, clock, invocation } = visit;
  const { method } = ctx;
  const milliseconds = performance.now() - clock;
  const record = {
    id,
    trigger: 'http',
    resource: plan?.id,
    path: plan === null ? path : `/${plan.path}`,
    method,
    startedAt,
    status: ctx.status,
    code,
    milliseconds,
    actions: invocation?.timings ?? [],
  };
  const left = (): void => {
    tell(record).catch((error: unknown) => tellFailure(asFault(error), id));
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

const CLOSED = { connection: 'close' };

function headersOf({ headers, cors, closing }: Door, { req }: Koa.Context, { id }: Visit): Record<string, string> {
  return {
    'x-request-id': id,
    ...headers,
    ...cors?.headers(req),
    // A connection that is kept alive would outlive the server.
    ...((closing() || isWaiting(req)) && CLOSED),
  };
}

/** Everything is known here, so the answer leaves in one piece; Koa's own way would touch each header three times. */
function write(door: Door, ctx: Koa.Context, visit: Visit, { status, headers, body }: Reply, type: string): void {
  const content = body instanceof Rendered ? body.json : JSON.stringify(body ?? null);
  ctx.res.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(content),
    ...laidOver(headersOf(door, ctx, visit), headers),
  });
  ctx.res.end(content);
}

/** What an answer says of itself wins, but it varies by all that is named on either side. */
function laidOver(common: Readonly<Record<string, string>>, own: Reply['headers']): Record<string, string> {
  const all = { ...common, ...own };
  const { vary } = common;
  if (vary !== undefined && own['vary'] !== undefined) all['vary'] = `${own['vary']}, ${vary}`;
  return all;
}

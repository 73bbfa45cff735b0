/** The HTTP application: middlewares, first to last, and Koa in front where plugins have middlewares. All errors go through one function. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type Koa from 'koa';
import { createHeaderDefaults, mergeHeaders } from '../../contract/common-headers.js';
import { createFault, ensureFault } from '../../contract/fault.js';
import { JsonStream } from '../../contract/json-stream.js';
import type { Route, RouteReply } from '../../contract/route.js';
import type { InvocationRecord } from '../../contract/telemetry.js';
import type { Reply } from '../../contract/reply.js';
import { getProblemType } from '../../contract/profile.js';
import type { ResourcePlan } from '../../contract/resource-plan.js';
import { invokePlan } from '../runtime/invoke.js';
import type { Kernel } from '../runtime/kernel.js';
import { buildHeaders, initialHeaders, JSON_TYPE, sendResponse, sendStream } from './response.js';
import type { ResponseDefaults } from './response.js';
import { createCors } from './cors.js';
import { createHostCheck, isLocal } from './host-check.js';
import { hasLongList } from '../../language/strings/json-pieces.js';
import { writeLongBody } from '../../language/project/long-json.js';
import { countSent } from '../../contract/moving-deadline.js';
import { UnreadBudget } from '../../contract/unread-budget.js';
import { HttpInvocation } from './invocation.js';
import { createFormats } from './payload.js';
import { toRejection, setResponse, setRouteResponse } from './koa-response.js';
import { createLiveRouteFinder, createRouteFinder, handleRoute, sendRoute } from './plugin-routes.js';
import type { FindRoute, FoundRoute } from './plugin-routes.js';
import { findRoute } from '../plan/patterns.js';
import { createForgeryCheck, type IsForged } from './cross-site.js';
import { getStatus } from './status.js';

/** Does not keep the process alive. */
const CLOCK = { now: () => performance.now(), wait: (time: number) => wait(time, undefined, { ref: false }) };

/** What is known of a request until its response has been written. */
class RequestContext {
  readonly id: string = randomUUID();
  /** Milliseconds since 1970: the instant that definitions see. */
  readonly startedAt = Date.now();
  /** Monotonic milliseconds. */
  readonly clock = performance.now();
  path = '';
  /** Without its question mark. */
  query = '';
  plan: ResourcePlan | null = null;
  /** The path of a plugin's route. */
  route: string | undefined = undefined;
  invocation: HttpInvocation | null = null;
  /** The code of an error response. */
  code: string | undefined = undefined;

  /** `koa`: null where no plugin has a middleware. Responses are written at once then; Koa touches each header three times. */
  constructor(
    readonly req: IncomingMessage,
    readonly res: ServerResponse,
    readonly koa: KoaContext | null,
  ) {}
}

type KoaContext = Koa.ParameterizedContext<{ request: RequestContext }>;
type KoaMiddleware = (ctx: KoaContext, next: () => Promise<void>) => Promise<void> | void;

type Handler = (context: RequestContext) => Promise<void> | void;
/** Is linked to the next one at the start, so that a request creates no functions. */
type Middleware = (next: Handler) => Handler;
/** Where the config leaves nothing to do. */
const skipMiddleware: Middleware = (next) => next;

/** Constant after the start. */
interface Transport extends ResponseDefaults {
  readonly kernel: Kernel;
  readonly problemType: string;
  /** A hook needs the timings of actionables. */
  readonly timed: boolean;
  readonly plugins: readonly KoaMiddleware[];
}

/**
 * While `closing` is true, readiness fails but requests are served. `pages` are additional routes, unless a resource has their
 * path. `connections` counts those that have left HTTP; null where none can.
 */
export function createApp(
  kernel: Kernel,
  closing: () => boolean,
  pages: readonly Route[],
  connections: (() => number) | null,
): RequestListener | Promise<RequestListener> {
  const { http } = kernel.config;
  const methods = http.methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const cors = createCors(http.allowed_origins, methods);
  const transport: Transport = {
    kernel,
    problemType: `${getProblemType(kernel.config.profile)}; charset=utf-8`,
    timed: kernel.running.timed,
    plugins: kernel.middlewares as readonly KoaMiddleware[],
    cors,
    ...createHeaderDefaults(http.headers),
    closing,
    patience: http.timeouts.idle * 1000,
    unread: new UnreadBudget(http.limits.unread, CLOCK),
    proxies: http.trusted_proxies,
  };
  const middlewares: readonly Middleware[] = [
    checkHost(transport),
    splitUrl(http.limits.url),
    serveStatus(transport, connections),
    answerPreflight(transport),
    serveRoutes(transport, pages),
  ];
  const serve = middlewares.reduceRight((next, middleware) => middleware(next), serveResources(transport, methods));
  return transport.plugins.length === 0 ? createListener(transport, serve) : createKoaListener(transport, serve);
}

/** For servers without middlewares of plugins. Through Koa, a small response takes 1.3 to 1.5 times the processor time. */
function createListener(transport: Transport, serve: Handler): RequestListener {
  const { logFailure } = transport.kernel.running;
  const handleRequest = async (context: RequestContext): Promise<void> => {
    try {
      try {
        await serve(context);
      } catch (error) {
        sendError(transport, context, error);
      }
      finishRequest(transport, context);
    } catch (error) {
      logFailure(ensureFault(error), context.id);
      context.res.destroy();
    }
  };
  return (req, res) => void handleRequest(new RequestContext(req, res, null));
}

/** Plugins see error responses too, so their headers and encodings apply to them. */
async function createKoaListener(transport: Transport, serve: Handler): Promise<RequestListener> {
  const app = new (await import('koa')).default<KoaContext['state']>();
  const handleErrors: KoaMiddleware = async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      sendError(transport, ctx.state.request, error);
    }
  };
  app.use(async (ctx, next) => {
    const context = new RequestContext(ctx.req, ctx.res, ctx);
    ctx.state.request = context;
    ctx.set(initialHeaders(transport, ctx.req, context.id));
    await next();
    finishRequest(transport, context);
  });
  app.use(handleErrors);
  for (const middleware of transport.plugins) app.use(middleware).use(handleErrors);
  app.use((ctx) => serve(ctx.state.request));
  // Koa would print its own errors to stderr.
  app.on('error', (error: Error) => transport.kernel.running.logFailure(error, '-'));
  const handleRequest = app.callback();
  return (req, res) => void handleRequest(req, res);
}

function finishRequest({ kernel }: Transport, context: RequestContext): void {
  const { logFailure, notifyObservers: notify } = kernel.running;
  const { invocation, code, id } = context;
  if (invocation?.hasCleanup === true) invocation.dispose(code === undefined).catch((error) => logFailure(error, id));
  if (notify !== null) notifyObservers(notify, context);
}

function sendError(transport: Transport, context: RequestContext, error: unknown): void {
  const { kernel, problemType } = transport;
  const { id, plan, res } = context;
  const failure = toRejection(error) ?? ensureFault(error);
  const isCut = res.headersSent;
  if (isCut && plan !== null) failure.where = { resource: plan.id, action: plan.groups[0]?.actions[0]?.key ?? '' };
  const refusal = kernel.running.respondToFailure(failure, id);
  context.code = refusal.body.code;
  // Where no response can describe the failure, the log does.
  if (isCut && refusal.status < 500) kernel.running.logFailure(failure, id);
  // The client must not mistake a partial response for a complete one.
  if (isCut) res.destroy();
  else respond(transport, context, refusal, problemType);
}

function checkHost({ kernel }: Transport): Middleware {
  const isOwnHost = createHostCheck(kernel.config.http, kernel.project.dev);
  if (isOwnHost === null) return skipMiddleware;
  return (next) => (context) => {
    if (!isOwnHost(context.req.headers.host)) throw createFault('REQ_HOST');
    return next(context);
  };
}

/** As sent: a path is decoded where it is matched. Behind the middlewares of plugins, which may change the URL. */
function splitUrl(max: number): Middleware {
  return (next) => (context) => {
    const { url = '/' } = context.req;
    if (url.length > max) throw createFault('REQ_URL_TOO_LONG', { max });
    const mark = url.indexOf('?');
    context.path = mark === -1 ? url : url.slice(0, mark);
    context.query = mark === -1 ? '' : url.slice(mark + 1);
    return next(context);
  };
}

function serveStatus(transport: Transport, connections: (() => number) | null): Middleware {
  const { kernel, closing } = transport;
  const prefix = kernel.config.http.status_path;
  return (next) => (context) => {
    const { req, path } = context;
    if ((req.method !== 'GET' && req.method !== 'HEAD') || !path.startsWith(prefix)) return next(context);
    return getStatus(kernel, path.slice(prefix.length), closing(), connections).then((status) =>
      status === null
        ? next(context)
        : respond(transport, context, { ...status, headers: { 'cache-control': 'no-store' } }, JSON_TYPE),
    );
  };
}

function answerPreflight(transport: Transport): Middleware {
  const { cors } = transport;
  if (cors === null) return skipMiddleware;
  return (next) => (context) => {
    const preflight = cors.handlePreflight(context.req);
    return preflight === null
      ? next(context)
      : respondToRoute(transport, context, { status: 204, headers: preflight, body: null });
  };
}

/** Serves the routes of plugins, then `pages`. */
function serveRoutes(transport: Transport, pages: readonly Route[]): Middleware {
  const { kernel, proxies } = transport;
  const findOfPlugins = createLiveRouteFinder(() => kernel.routes());
  const findPage = createRouteFinder(pages);
  const serve = async (context: RequestContext, found: FoundRoute): Promise<void> => {
    context.route = found.route.path;
    const reply = await handleRoute(found, context.req, context.query, proxies);
    context.res.setTimeout(transport.patience);
    await respondToRoute(transport, context, reply);
  };
  return (next) => (context) => {
    const { path } = context;
    const found = findOfPlugins()?.(path) ?? (findPage === null ? null : pageAt(kernel, findPage, path));
    return found === null ? next(context) : serve(context, found);
  };
}

/** A reload may have given the path to a resource. */
function pageAt(kernel: Kernel, findPage: FindRoute, path: string): FoundRoute | null {
  const found = findPage(path);
  const { byPath, broken } = kernel.plans();
  return found !== null && (byPath.has(path) || broken.has(path)) ? null : found;
}

function serveResources(transport: Transport, methods: readonly string[]): Handler {
  const { kernel, timed, plugins } = transport;
  const { http } = kernel.config;
  const formats = createFormats(kernel.project);
  const intake = { ...http, formats, timed, streams: plugins.length === 0 };
  const allow = methods.join(', ');
  const allowed: ReadonlySet<string> = new Set(methods);
  const isForged: IsForged = createForgeryCheck(http.allowed_origins, isLocal(http, kernel.project.dev));
  return async (context) => {
    const { req } = context;
    const { method = '' } = req;
    const { plan, parameters } = findRoute(kernel.plans(), context.path);
    context.plan = plan;
    if (!allowed.has(method)) throw createFault('REQ_METHOD', { method }, { headers: { allow } });
    if (isForged(req, plan.proof)) throw createFault('REQ_CROSS_SITE');
    const invocation = new HttpInvocation(req, context, parameters, intake);
    context.invocation = invocation;
    const reply = await invokePlan(plan, invocation, kernel.hooks);
    if (reply.body instanceof JsonStream) {
      invocation.limit.followClient(CLOCK, () => countSent(req.socket));
      await sendStream(transport, context, reply, reply.body);
    } else respond(transport, context, hasLongList(reply.body) ? await writeLongBody(reply) : reply, JSON_TYPE);
  };
}

function respond(transport: Transport, context: RequestContext, reply: Reply, type: string): void {
  const { koa } = context;
  if (koa === null) sendResponse(transport, context, reply, type);
  else setResponse(transport, koa, reply, type);
}

async function respondToRoute(transport: Transport, context: RequestContext, reply: RouteReply): Promise<void> {
  const { koa, req, res, id } = context;
  if (koa !== null) return setRouteResponse(transport, koa, reply);
  const headers = mergeHeaders(buildHeaders(transport, req, id), reply.headers);
  await sendRoute(res, req.method, reply, headers);
}

function notifyObservers(notify: (record: InvocationRecord) => void, context: RequestContext): void {
  const { id, req, res, plan, route, startedAt, code, clock, invocation } = context;
  const record = {
    id,
    trigger: 'http',
    resource: plan?.id,
    path: plan === null ? route : `/${plan.path}`,
    unserved: plan === null && route === undefined ? context.path.slice(0, 200) : undefined,
    method: req.method,
    startedAt,
    status: res.statusCode,
    code,
    milliseconds: performance.now() - clock,
    actions: invocation?.timings ?? [],
  };
  // No event follows after an early close.
  if (res.closed) notify(record);
  else res.once('close', () => notify(record));
}

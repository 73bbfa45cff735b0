/** The HTTP application: a list of Koa middlewares, first to last. All errors go through one function. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import Koa from 'koa';
import { createCommonHeaders, mergeHeaders } from '../../contract/common-headers.js';
import { createFault, ensureFault } from '../../contract/fault.js';
import { JsonStream } from '../../contract/json-stream.js';
import type { Route, RouteReply } from '../../contract/route.js';
import type { InvocationRecord } from '../../contract/telemetry.js';
import type { Reply } from '../../contract/reply.js';
import { getProblemType } from '../../contract/profile.js';
import type { ResourcePlan } from '../plan/plan.js';
import { invokePlan } from '../runtime/invoke.js';
import type { Kernel } from '../runtime/kernel.js';
import { buildHeaders, JSON_TYPE, listHeaders, sendResponse, sendStream, type ResponseDefaults } from './response.js';
import { createCors, type Cors } from './cors.js';
import { createHostCheck, isLocal } from './host-check.js';
import { countTaken } from '../../contract/taken-bytes.js';
import { UnreadBudget } from '../../contract/unread-budget.js';
import { HttpInvocation } from './invocation.js';
import { createFormats } from './payload.js';
import { rejectionOf, setInitialHeaders, setResponse, setRouteResponse } from './koa-response.js';
import {
  handleRoute,
  createLiveRouteFinder,
  createRouteFinder,
  sendRoute,
  type FindRoute,
  type FoundRoute,
} from './plugin-routes.js';
import { findRoute } from '../plan/patterns.js';
import { createForgeryCheck, type IsForged } from './cross-site.js';
import { getStatus } from './status.js';

/** Does not keep the process alive. */
const CLOCK = { now: () => performance.now(), wait: (time: number) => wait(time, undefined, { ref: false }) };

/** `ctx.state` of a request. */
interface RequestState {
  readonly id: string;
  /** Milliseconds since 1970: the instant that definitions see. */
  readonly startedAt: number;
  /** Monotonic milliseconds. */
  readonly clock: number;
  path: string;
  /** Without its question mark. */
  query: string;
  plan: ResourcePlan | null;
  /** The path of a plugin's route. */
  route: string | undefined;
  invocation: HttpInvocation | null;
  /** The code of an error response. */
  code: string | undefined;
}

type Context = Koa.ParameterizedContext<RequestState>;
type Middleware = (ctx: Context, next: () => Promise<void>) => Promise<void> | void;

/** Constant after the start. */
interface Transport extends ResponseDefaults {
  readonly kernel: Kernel;
  readonly problemType: string;
  /** A hook needs the timings of actionables. */
  readonly timed: boolean;
  /** No plugin has a middleware: responses are written at once, since Koa's own handling touches each header three times. */
  readonly direct: boolean;
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
): Koa<RequestState> {
  const { http } = kernel.config;
  const methods = http.methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const plugins = kernel.middlewares as readonly Middleware[];
  const cors = createCors(http.allowed_origins, methods);
  const headers = Object.freeze(createCommonHeaders(http.headers));
  const transport: Transport = {
    kernel,
    problemType: `${getProblemType(kernel.config.profile)}; charset=utf-8`,
    timed: kernel.running.timed,
    cors,
    headers,
    headerList: listHeaders(headers, cors),
    closing,
    patience: http.timeouts.idle * 1000,
    unread: new UnreadBudget(http.limits.unread, CLOCK),
    proxies: http.trusted_proxies,
    direct: plugins.length === 0,
  };
  const app = new Koa<RequestState>();
  const middlewares: readonly Middleware[] = [
    beginRequest(transport),
    handleErrors(transport),
    // Plugins see error responses too, so their headers and encodings apply to them.
    ...plugins.flatMap((middleware) => [middleware, handleErrors(transport)]),
    ...checkHost(transport),
    splitUrl(http.limits.url),
    serveStatus(transport, connections),
    ...(cors === null ? [] : [answerPreflight(transport, cors)]),
    serveRoutes(transport, pages),
    serveResources(transport, methods),
  ];
  for (const middleware of middlewares) app.use(middleware);
  // Koa would print its own errors to stderr.
  app.on('error', (error: Error) => kernel.running.logFailure(error, '-'));
  return app;
}

function beginRequest(transport: Transport): Middleware {
  const { kernel } = transport;
  const { logFailure, notifyObservers: notify } = kernel.running;
  return async (ctx, next) => {
    const state: RequestState = {
      id: randomUUID(),
      startedAt: Date.now(),
      clock: performance.now(),
      path: '',
      query: '',
      plan: null,
      route: undefined,
      invocation: null,
      code: undefined,
    };
    ctx.state = state;
    if (transport.direct) ctx.respond = false;
    else setInitialHeaders(transport, ctx, state.id);
    await next();
    if (state.invocation?.hasCleanup === true)
      state.invocation.dispose(state.code === undefined).catch((error) => logFailure(error, state.id));
    if (notify !== null) notifyObservers(notify, ctx);
  };
}

function handleErrors(transport: Transport): Middleware {
  const { kernel, problemType } = transport;
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const failure = rejectionOf(error) ?? ensureFault(error);
      const { id, plan } = ctx.state;
      const isCut = ctx.res.headersSent;
      if (isCut && plan !== null) failure.where = { resource: plan.id, action: plan.groups[0]?.actions[0]?.key ?? '' };
      const refusal = kernel.running.respondToFailure(failure, id);
      ctx.state.code = refusal.body.code;
      // Where no response can describe the failure, the log does.
      if (isCut && refusal.status < 500) kernel.running.logFailure(failure, id);
      // The client must not mistake a partial response for a complete one.
      if (isCut) ctx.res.destroy();
      else respond(transport, ctx, refusal, problemType);
    }
  };
}

/** No middleware when every host is accepted. */
function checkHost({ kernel }: Transport): readonly Middleware[] {
  const isOwnHost = createHostCheck(kernel.config.http, kernel.project.dev);
  if (isOwnHost === null) return [];
  return [
    (ctx, next) => {
      if (!isOwnHost(ctx.req.headers.host)) throw createFault('REQ_HOST');
      return next();
    },
  ];
}

/** As sent: a path is decoded where it is matched. Behind the middlewares of plugins, which may change the URL. */
function splitUrl(max: number): Middleware {
  return ({ req, state }, next) => {
    const { url = '/' } = req;
    if (url.length > max) throw createFault('REQ_URL_TOO_LONG', { max });
    const mark = url.indexOf('?');
    state.path = mark === -1 ? url : url.slice(0, mark);
    state.query = mark === -1 ? '' : url.slice(mark + 1);
    return next();
  };
}

function serveStatus(transport: Transport, connections: (() => number) | null): Middleware {
  const { kernel, closing } = transport;
  const prefix = kernel.config.http.status_path;
  return (ctx, next) => {
    const { path } = ctx.state;
    if ((ctx.method !== 'GET' && ctx.method !== 'HEAD') || !path.startsWith(prefix)) return next();
    return getStatus(kernel, path.slice(prefix.length), closing(), connections).then((status) =>
      status === null
        ? next()
        : respond(transport, ctx, { ...status, headers: { 'cache-control': 'no-store' } }, JSON_TYPE),
    );
  };
}

function answerPreflight(transport: Transport, cors: Cors): Middleware {
  return (ctx, next) => {
    const preflight = cors.handlePreflight(ctx.req);
    return preflight === null
      ? next()
      : respondToRoute(transport, ctx, { status: 204, headers: preflight, body: null });
  };
}

/** Serves the routes of plugins, then `pages`. */
function serveRoutes(transport: Transport, pages: readonly Route[]): Middleware {
  const { kernel, proxies } = transport;
  const findOfPlugins = createLiveRouteFinder(() => kernel.routes());
  const findPage = createRouteFinder(pages);
  const serve = async (ctx: Context, found: FoundRoute): Promise<void> => {
    ctx.state.route = found.route.path;
    const reply = await handleRoute(found, ctx.req, ctx.state.query, proxies);
    ctx.res.setTimeout(transport.patience);
    await respondToRoute(transport, ctx, reply);
  };
  return (ctx, next) => {
    const { path } = ctx.state;
    const found = findOfPlugins()?.(path) ?? (findPage === null ? null : pageAt(kernel, findPage, path));
    return found === null ? next() : serve(ctx, found);
  };
}

/** A reload may have given the path to a resource. */
function pageAt(kernel: Kernel, findPage: FindRoute, path: string): FoundRoute | null {
  const found = findPage(path);
  const { byPath, broken } = kernel.plans();
  return found !== null && (byPath.has(path) || broken.has(path)) ? null : found;
}

function serveResources(transport: Transport, methods: readonly string[]): Middleware {
  const { kernel, timed } = transport;
  const { http } = kernel.config;
  const formats = createFormats(kernel.project);
  const intake = { ...http, formats, streams: transport.direct };
  const allow = methods.join(', ');
  const allowed: ReadonlySet<string> = new Set(methods);
  const isForged: IsForged = createForgeryCheck(http.allowed_origins, isLocal(http, kernel.project.dev));
  return async (ctx) => {
    const { req, method, state } = ctx;
    const { plan, parameters } = findRoute(kernel.plans(), state.path);
    state.plan = plan;
    if (!allowed.has(method)) throw createFault('REQ_METHOD', { method }, { headers: { allow } });
    if (isForged(req, plan.proof)) throw createFault('REQ_CROSS_SITE');
    const { id, startedAt, clock, query } = state;
    const invocation = new HttpInvocation(req, { id, startedAt, clock, query, parameters, timed }, intake);
    state.invocation = invocation;
    const reply = await invokePlan(plan, invocation, kernel.hooks);
    if (reply.body instanceof JsonStream) {
      invocation.limit.followClient(CLOCK, () => countTaken(req.socket));
      await sendStream(transport, { id, req, res: ctx.res }, reply, reply.body);
    } else respond(transport, ctx, reply, JSON_TYPE);
  };
}

function respond(transport: Transport, ctx: Context, reply: Reply, type: string): void {
  if (transport.direct) sendResponse(transport, { id: ctx.state.id, req: ctx.req, res: ctx.res }, reply, type);
  else setResponse(transport, ctx, reply, type);
}

async function respondToRoute(transport: Transport, ctx: Context, reply: RouteReply): Promise<void> {
  if (!transport.direct) return setRouteResponse(transport, ctx, reply);
  const headers = mergeHeaders(buildHeaders(transport, ctx.req, ctx.state.id), reply.headers);
  await sendRoute(ctx.res, ctx.req.method, reply, headers);
}

function notifyObservers(notify: (record: InvocationRecord) => void, { req, res, state }: Context): void {
  const { id, plan, route, startedAt, code, clock, invocation } = state;
  const milliseconds = performance.now() - clock;
  const record = {
    id,
    trigger: 'http',
    resource: plan?.id,
    path: plan === null ? route : `/${plan.path}`,
    method: req.method,
    startedAt,
    status: res.statusCode,
    code,
    milliseconds,
    actions: invocation?.timings ?? [],
  };
  // No event follows after an early close.
  if (res.closed) notify(record);
  else res.once('close', () => notify(record));
}

/** The HTTP transport: a Koa middleware that routes, invokes and writes. All errors go through one function. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa from 'koa';
import { fault, type Fault } from '../../contract/fault.js';
import type { Route } from '../../contract/hooks.js';
import { problemTypeOf } from '../../contract/profile.js';
import type { ResourcePlan } from '../plan/plan.js';
import { asFault, invoke } from '../runtime/invoke.js';
import type { Kernel } from '../runtime/kernel.js';
import { refuse } from '../runtime/problem-details.js';
import { commonHeaders, headersOf, JSON_TYPE, laidOver, write, type Manner } from './answer.js';
import { createCors } from './cors.js';
import { hostJudge, isLocal } from './hosts.js';
import { headerValues, HttpInvocation } from './invocation.js';
import { askRoute, liveRouteFinder, routeFinder, sendRoute, type FindRoute, type FoundRoute } from './plugin-routes.js';
import { findRoute } from './routes.js';
import { forgeryJudge, type IsForged } from './senders.js';
import { Unread } from './unread.js';
import { statusOf } from './status.js';

/** Logs for the operator only. */
export type TellFailure = (fault: Fault, id: string) => void;

/** The request context. */
interface Visit {
  readonly id: string;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Milliseconds since 1970: the instant that definitions see. */
  readonly startedAt: number;
  /** Monotonic time. */
  readonly clock: number;
  plan: ResourcePlan | null;
  /** The path of a plugin's route. */
  path: string | undefined;
  invocation: HttpInvocation | null;
  code: string | undefined;
}

/**
 * While `closing` is true, readiness fails but requests are served. `pages` are additional routes, unless a resource has their
 * path. `connections` counts WebSocket connections; null where they are disabled.
 */
export function createApp(
  kernel: Kernel,
  tellFailure: TellFailure,
  closing: () => boolean,
  pages: readonly Route[],
  connections: (() => number) | null,
): Koa {
  const app = new Koa();
  const { http } = kernel.config;
  const methods = verbsOf(http.methods);
  const headers = Object.freeze(commonHeaders(http.headers));
  const door: Door = {
    kernel,
    tellFailure,
    methods: new Set(methods),
    allow: methods.join(', '),
    cors: createCors(http.allowed_origins, methods),
    answersFor: hostJudge(http, kernel.project.dev),
    isForged: forgeryJudge(http.allowed_origins, isLocal(http, kernel.project.dev)),
    headers,
    problemType: `${problemTypeOf(kernel.config.profile)}; charset=utf-8`,
    patience: http.timeouts.idle * 1000,
    unread: new Unread(http.limits.unread),
    proxies: http.trusted_proxies,
    plugin: liveRouteFinder(() => kernel.routes()),
    page: routeFinder(pages),
    timed: kernel.hooks.afterResponse !== null || kernel.hooks.reply !== null,
    closing,
    connections,
  };

  app.use(async (ctx) => {
    const visit: Visit = {
      id: randomUUID(),
      req: ctx.req,
      res: ctx.res,
      startedAt: Date.now(),
      clock: performance.now(),
      plan: null,
      path: undefined,
      invocation: null,
      code: undefined,
    };
    ctx.respond = false;
    try {
      await answer(door, visit);
    } catch (error) {
      answerRefusal(door, visit, asFault(error));
    }
    if (visit.invocation?.holds === true)
      visit.invocation.finish(visit.code === undefined).catch((error) => tellFailure(asFault(error), visit.id));
    if (kernel.hooks.afterResponse !== null) observe(door, visit);
  });

  // Koa would print its own errors to stderr.
  app.on('error', (error: Error) => tellFailure(asFault(error), '-'));
  return app;
}

/** `GET` implies `HEAD`. */
const verbsOf = (methods: readonly string[]): string[] =>
  methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

/** Constant after the start. */
interface Door extends Manner {
  readonly kernel: Kernel;
  readonly tellFailure: TellFailure;
  readonly methods: ReadonlySet<string>;
  readonly allow: string;
  /** Null: every host name is valid. */
  readonly answersFor: ReturnType<typeof hostJudge>;
  readonly isForged: IsForged;
  readonly plugin: () => FindRoute | null;
  readonly page: FindRoute | null;
  readonly connections: (() => number) | null;
  readonly problemType: string;
  /** Some hook needs the timings of actionables. */
  readonly timed: boolean;
}

async function answer(door: Door, visit: Visit): Promise<void> {
  const { kernel, methods, allow, closing } = door;
  const { req, res, id } = visit;
  const { http } = kernel.config;
  if (door.answersFor?.(req.headers.host) === false) throw fault('REQ_HOST');
  const url = req.url ?? '/';
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const query = mark === -1 ? '' : url.slice(mark + 1);
  if ((req.method === 'GET' || req.method === 'HEAD') && path.startsWith(http.status_path)) {
    const status = await statusOf(kernel, path.slice(http.status_path.length), closing(), door.connections);
    if (status !== null) {
      write(door, visit, { ...status, headers: { 'cache-control': 'no-store' } }, JSON_TYPE);
      return;
    }
  }
  const preflight = door.cors?.preflight(req) ?? null;
  if (preflight !== null) {
    res.writeHead(204, { ...headersOf(door, req, id), ...preflight }).end();
    return;
  }
  if (url.length > http.limits.url) throw fault('REQ_URL_TOO_LONG', { max: http.limits.url });
  const found = door.plugin()?.(path) ?? (door.page === null ? null : pageAt(door, path));
  if (found !== null) {
    visit.path = found.route.path;
    const reply = await askRoute(found, req, query, http.trusted_proxies);
    res.setTimeout(http.timeouts.idle * 1000);
    await sendRoute(res, req.method, reply, laidOver(headersOf(door, req, id), reply.headers));
    return;
  }
  const { plan, parameters } = findRoute(kernel.plans(), path);
  visit.plan = plan;
  if (!methods.has(req.method ?? '')) throw fault('REQ_METHOD', { method: req.method }, { headers: { allow } });
  const sent = { method: req.method ?? '', header: (name: string) => headerValues(req.rawHeaders, name) };
  if (door.isForged(sent, plan.proof)) throw fault('REQ_CROSS_SITE');
  const { startedAt, clock } = visit;
  const invocation = new HttpInvocation(req, { id, startedAt, clock, query, parameters, timed: door.timed }, http);
  visit.invocation = invocation;
  write(door, visit, await invoke(plan, invocation, kernel.hooks), JSON_TYPE);
}

/** A reload may have given the path to a resource. */
function pageAt({ kernel, page }: Door, path: string): FoundRoute | null {
  const found = page?.(path) ?? null;
  const { byPath, broken } = kernel.plans();
  return found !== null && (byPath.has(path) || broken.has(path)) ? null : found;
}

function answerRefusal(door: Door, visit: Visit, failure: Fault): void {
  const { kernel } = door;
  const refusal = refuse(failure, visit.id, kernel.project.registry.codes, kernel.config.docs);
  visit.code = refusal.body.code;
  if (refusal.status >= 500) door.tellFailure(failure, visit.id);
  // The client must not mistake a partial response for a complete one.
  if (visit.res.headersSent) visit.res.destroy();
  else write(door, visit, refusal, door.problemType);
}

function observe({ kernel, tellFailure }: Door, visit: Visit): void {
  const tell = kernel.hooks.afterResponse;
  if (tell === null) return;
  const { id, req, res, plan, path, startedAt, code, clock, invocation } = visit;
  const milliseconds = performance.now() - clock;
  const record = {
    id,
    trigger: 'http',
    resource: plan?.id,
    path: plan === null ? path : `/${plan.path}`,
    method: req.method,
    startedAt,
    status: res.statusCode,
    code,
    milliseconds,
    actions: invocation?.timings ?? [],
  };
  const left = (): void => {
    tell(record).catch((error: unknown) => tellFailure(asFault(error), id));
  };
  // No event follows after an early close.
  if (res.closed) left();
  else res.once('close', left);
}

/**
 * HTTP in front of the kernel: Koa with one middleware. It finds the plan, reads the payload, invokes and writes; every
 * failure passes the one error room. No rule of a resource is decided here.
 */
import { randomUUID } from 'node:crypto';
import Koa from 'koa';
import type { Fault } from '../contract/fault.js';
import { fault } from '../contract/fault.js';
import type { Invocation } from '../contract/plan.js';
import type { ResourcePlan } from '../compile/plan.js';
import { asFault, invoke } from '../runtime/invoke.js';
import type { Kernel } from '../runtime/kernel.js';
import { refuse } from '../runtime/problem-details.js';
import { readPayload } from './payload.js';
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

/** The Koa application of a kernel. `closing` makes readiness fail while requests in flight still finish. */
export function createApp(kernel: Kernel, log: RequestLog, closing: () => boolean): Koa {
  const app = new Koa();
  const { http } = kernel.config;
  const methods = new Set(http.methods);
  const allow = [...methods].join(', ');
  const { codes } = kernel.project.registry;

  app.use(async (ctx) => {
    const startedAt = Date.now();
    const started = performance.now();
    const id = randomUUID();
    const { req, res } = ctx;
    let resource: string | undefined;
    let code: string | undefined;
    try {
      const url = req.url ?? '/';
      const mark = url.indexOf('?');
      const path = mark === -1 ? url : url.slice(0, mark);
      if (path.startsWith(http.status_path)) {
        const status = await statusOf(kernel, path.slice(http.status_path.length), closing());
        if (status !== null && req.method === 'GET') {
          write(ctx, id, status.status, JSON_TYPE, JSON.stringify(status.body), { 'cache-control': 'no-store' });
          return;
        }
      }
      if (url.length > MAX_URL) throw fault('REQ_URL_TOO_LONG', { max: MAX_URL });
      const plan = findPlan(kernel, path);
      resource = plan.id;
      if (!methods.has(req.method ?? '')) {
        throw fault('REQ_METHOD', { method: req.method }, { headers: { allow } });
      }
      const query = mark === -1 ? '' : url.slice(mark + 1);
      const payload = await readPayload(req, query, http.limits);
      const invocation: Invocation = {
        id,
        trigger: 'http',
        payload,
        headers: req.headers,
        remote: addressOf(req.socket.remoteAddress),
        signal: null,
        startedAt,
      };
      const reply = await invoke(plan, invocation, kernel.hooks);
      write(ctx, id, reply.status, JSON_TYPE, JSON.stringify(reply.body ?? null), reply.headers);
    } catch (error) {
      const failure = asFault(error);
      const refusal = refuse(failure, id, codes, kernel.config.docs);
      ({ code } = refusal.body);
      if (refusal.status >= 500) log.failure(failure, id);
      write(ctx, id, refusal.status, PROBLEM_TYPE, JSON.stringify(refusal.body), refusal.headers);
    } finally {
      const ms = performance.now() - started;
      const status = ctx.status;
      log.line?.({ id, resource, status, ...(code !== undefined && { code }), ms });
      const observe = kernel.hooks.afterResponse;
      if (observe !== null) {
        const record = { id, trigger: 'http', resource, status, code, milliseconds: ms };
        res.once('close', () => {
          observe(record).catch((error: unknown) => log.failure(asFault(error), id));
        });
      }
    }
  });

  // What Koa itself could not handle (a broken socket while writing) must not be printed as its own text.
  app.on('error', (error: Error) => log.failure(asFault(error), '-'));
  return app;
}

function findPlan(kernel: Kernel, path: string): ResourcePlan {
  const { byPath } = kernel.plans();
  const plan = byPath.get(path) ?? byPath.get(decoded(path));
  if (!plan?.reachable) throw fault('REQ_NOT_FOUND');
  return plan;
}

/** Percent escapes decoded and one final slash dropped; what cannot be decoded names nothing. */
function decoded(path: string): string {
  const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  if (!bare.includes('%')) return bare;
  try {
    return decodeURIComponent(bare);
  } catch {
    return '';
  }
}

/** IPv4 clients on a dual-stack socket have mapped addresses. */
const addressOf = (address: string | undefined): string =>
  address === undefined ? '' : address.startsWith('::ffff:') ? address.slice(7) : address;

function write(
  ctx: Koa.Context,
  id: string,
  status: number,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): void {
  ctx.status = status;
  ctx.res.setHeader('content-type', type);
  ctx.res.setHeader('x-request-id', id);
  for (const name in headers) ctx.res.setHeader(name, headers[name] ?? '');
  ctx.body = body;
}

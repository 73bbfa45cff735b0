/**
 * Koa tuned for speed: one middleware, routes in a map, bodies read without a library, responses formatted as text. Koa
 * still creates a context and sends the response.
 */
import type { IncomingMessage } from 'node:http';
import Koa from 'koa';
import { empty, readBody } from './body.js';
import { Refusal } from './refusal.js';
import { findRoute } from './routes.js';
import { closeStore } from './store.js';

const readBytes = (req: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    readBody(req, (error, body) => {
      if (error === null) resolve(body);
      else reject(error);
    });
  });

const app = new Koa();
app.use(async (ctx) => {
  // Set first, so that Koa does not detect the type from the text.
  ctx.set('Content-Type', 'application/json; charset=utf-8');
  try {
    const route = findRoute(ctx.method, ctx.path);
    if (route === undefined) throw new Refusal(404, 'no such resource');
    ctx.body = await route(ctx.method === 'GET' ? empty : await readBytes(ctx.req), ctx.req.headers);
  } catch (error) {
    const known = error instanceof Refusal;
    if (!known) console.error(error);
    if (known && error.status === 413) ctx.set('Connection', 'close');
    ctx.status = known ? error.status : 500;
    ctx.body = JSON.stringify({ message: known ? error.message : 'internal error' });
  }
});

const server = app.listen(Number(process.env.PORT ?? 3000), process.env.HOST ?? '127.0.0.1');

process.once('SIGTERM', () => {
  server.close(() => void closeStore());
  server.closeIdleConnections();
});

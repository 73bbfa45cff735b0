/**
 * The hand-written service with WebSocket connections: Koa, koa-websocket, jose and pg. A message names a resource and
 * gets its response; an announcement is sent to all connections in a loop.
 */
import { createSecretKey } from 'node:crypto';
import Router from '@koa/router';
import { jwtVerify, type JWTPayload } from 'jose';
import Koa, { type Context, type Next } from 'koa';
import { koaBody } from 'koa-body';
import websockify from 'koa-websocket';
import pg from 'pg';

pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const key = createSecretKey(Buffer.from(process.env.BENCH_TOKEN_KEY ?? '', 'utf8'));

const health = { status: 'ok', version: 1 };

async function verifyClaims(authorization: string): Promise<JWTPayload> {
  const token = /^Bearer (.+)$/i.exec(authorization)?.[1] ?? '';
  return (await jwtVerify(token, key, { algorithms: ['HS256'] })).payload;
}

async function findOwnAccount(claims: JWTPayload): Promise<unknown> {
  const { rows } = await pool.query<Record<string, unknown>>(
    'SELECT id, owner, email, balance, created_at FROM _account WHERE id = $1',
    [claims.id],
  );
  return rows[0];
}

async function verifyToken(ctx: Context, next: Next): Promise<void> {
  try {
    (ctx.state as Record<string, unknown>).claims = await verifyClaims(ctx.get('authorization'));
  } catch {
    ctx.throw(401, 'the token is not valid');
  }
  await next();
}

const app = websockify(new Koa());
const router = new Router();
router.post('/health', (ctx) => {
  ctx.body = health;
});
router.post('/account-mine', verifyToken, async (ctx) => {
  ctx.body = await findOwnAccount((ctx.state as { claims: JWTPayload }).claims);
});
router.post('/announce', (ctx) => {
  const data = ctx.request.body as unknown;
  const text = JSON.stringify({ action: 'announced', data });
  for (const client of app.ws.server?.clients ?? []) if (client.readyState === client.OPEN) client.send(text);
  ctx.body = data;
});
app.use(koaBody());
app.use(router.routes());

interface Message {
  readonly resource: string;
  readonly action: string;
  readonly request_id: string;
}

app.ws.use((ctx) => {
  const authorization = ctx.get('authorization');
  const sendAnswer = async ({ resource, action, request_id }: Message): Promise<void> => {
    const data = resource === 'account-mine' ? await findOwnAccount(await verifyClaims(authorization)) : health;
    ctx.websocket.send(JSON.stringify({ action, request_id, data }));
  };
  ctx.websocket.on('message', (text: Buffer) => {
    sendAnswer(JSON.parse(text.toString('utf8')) as Message).catch((error: unknown) => {
      console.error(error);
      ctx.websocket.close(1011);
    });
  });
});

const server = app.listen(Number(process.env.PORT ?? 3000), process.env.HOST ?? '127.0.0.1');

process.once('SIGTERM', () => {
  server.close(() => void pool.end());
  for (const client of app.ws.server?.clients ?? []) client.terminate();
  server.closeAllConnections();
});

/**
 * The part that the hand-written services of accounts share for all databases: Koa, @koa/router, koa-body, jose and yup,
 * in ordinary code. The store reads and writes the accounts.
 */
import { createSecretKey } from 'node:crypto';
import Router from '@koa/router';
import { errors, jwtVerify } from 'jose';
import Koa, { type Context, type Next } from 'koa';
import { koaBody } from 'koa-body';
import { type InferType, number, object, type Schema, string, ValidationError } from 'yup';

export interface NewAccount {
  readonly owner: string;
  readonly email: string;
  readonly balance: number;
  readonly created_at: Date;
}

/** Undefined: no account has the id. */
export interface AccountStore {
  findById(id: number): Promise<object | undefined>;
  listAfter(id: number): Promise<object[]>;
  insert(account: NewAccount): Promise<object>;
  /** Adds to the balance of a wallet, in one transaction. */
  add?(id: number, amount: number): Promise<object | undefined>;
  close(): Promise<void>;
}

const readRequest = object({ id: number().required() });
const listRequest = object({ after: number().required() });
const walletRequest = object({ id: number().required(), amount: number().required() });
const createRequest = object({
  owner: string().min(1).max(80).required(),
  email: string().email().max(255).required(),
  balance: number().required(),
});

function validateBody<S extends Schema>(schema: S, body: unknown): InferType<S> {
  return schema.validateSync(body, { strict: true, abortEarly: false });
}

const tokenKey = createSecretKey(Buffer.from(process.env.BENCH_TOKEN_KEY ?? '', 'utf8'));

async function verifyToken(ctx: Context, next: Next): Promise<void> {
  const token = /^Bearer (.+)$/i.exec(ctx.get('authorization'))?.[1] ?? '';
  const { payload } = await jwtVerify(token, tokenKey, { algorithms: ['HS256'] });
  (ctx.state as Record<string, unknown>).claims = payload;
  await next();
}

function sendRecord(ctx: Pick<Context, 'throw' | 'body'>, record: object | undefined): void {
  if (record === undefined) ctx.throw(404, 'no such record');
  ctx.body = record;
}

async function errorsAsJson(ctx: Context, next: Next): Promise<void> {
  try {
    await next();
  } catch (error) {
    if (error instanceof ValidationError) {
      ctx.status = 422;
      ctx.body = { message: 'the payload is not valid', errors: error.errors };
    } else if (error instanceof errors.JOSEError) {
      ctx.status = 401;
      ctx.body = { message: 'the token is not valid' };
    } else if (error instanceof Koa.HttpError) {
      ctx.status = error.status;
      ctx.body = { message: error.message };
    } else {
      console.error(error);
      ctx.status = 500;
      ctx.body = { message: 'internal error' };
    }
  }
}

function createRoutes(store: AccountStore): Router {
  const router = new Router();
  router.post('/health', (ctx) => {
    ctx.body = { status: 'ok', version: 1 };
  });
  router.post('/account-mine', verifyToken, async (ctx) => {
    const { claims } = ctx.state as { claims: Record<string, unknown> };
    sendRecord(ctx, await store.findById(Number(claims.id)));
  });
  router.post('/account-read', async (ctx) => {
    const { id } = validateBody(readRequest, ctx.request.body);
    sendRecord(ctx, await store.findById(id));
  });
  router.post('/account-list', async (ctx) => {
    const { after } = validateBody(listRequest, ctx.request.body);
    ctx.body = await store.listAfter(after);
  });
  router.post('/account-create', async (ctx) => {
    const { owner, email, balance } = validateBody(createRequest, ctx.request.body);
    ctx.body = await store.insert({ owner, email, balance, created_at: new Date() });
  });
  router.post('/wallet-add', async (ctx) => {
    const { id, amount } = validateBody(walletRequest, ctx.request.body);
    sendRecord(ctx, await store.add?.(id, amount));
  });
  return router;
}

export function serveAccounts(store: AccountStore): void {
  const router = createRoutes(store);
  const app = new Koa();
  app.use(errorsAsJson);
  app.use(koaBody());
  app.use(router.routes());
  app.use(router.allowedMethods());
  const server = app.listen(Number(process.env.PORT ?? 3000), process.env.HOST ?? '127.0.0.1');
  process.once('SIGTERM', () => {
    server.close(() => void store.close());
    server.closeIdleConnections();
  });
}

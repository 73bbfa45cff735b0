/**
 * The service of this benchmark as an experienced developer writes it by hand: Koa, @koa/router, koa-body, yup and a pg
 * pool of ten. It is the yardstick, so it must stay ordinary: no tricks that make it fast, none that make it slow.
 */
import Router from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import { koaBody } from 'koa-body';
import pg from 'pg';
import { type InferType, number, object, type Schema, string, ValidationError } from 'yup';

// BIGINT ids are small enough for a JSON number.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
pool.on('error', (error) => {
  console.error('idle database client failed:', error.message);
});

const readRequest = object({ id: number().required() });
const createRequest = object({
  owner: string().min(1).max(80).required(),
  email: string().email().max(255).required(),
  balance: number().required(),
});

function validated<S extends Schema>(schema: S, body: unknown): InferType<S> {
  return schema.validateSync(body, { strict: true, abortEarly: false });
}

async function readAccount(ctx: Context): Promise<void> {
  const { id } = validated(readRequest, ctx.request.body);
  const { rows } = await pool.query<Record<string, unknown>>(
    'SELECT id, owner, email, balance, created_at FROM _account WHERE id = $1',
    [id],
  );
  if (rows[0] === undefined) ctx.throw(404, 'no such account');
  ctx.body = rows[0];
}

async function createAccount(ctx: Context): Promise<void> {
  const { owner, email, balance } = validated(createRequest, ctx.request.body);
  const { rows } = await pool.query<Record<string, unknown>>(
    'INSERT INTO _account (owner, email, balance, created_at) VALUES ($1, $2, $3, $4) RETURNING *',
    [owner, email, balance, new Date()],
  );
  ctx.body = rows[0];
}

function health(ctx: Context): void {
  ctx.body = { status: 'ok', version: 1 };
}

async function errorsAsJson(ctx: Context, next: Next): Promise<void> {
  try {
    await next();
  } catch (error) {
    if (error instanceof ValidationError) {
      ctx.status = 422;
      ctx.body = { message: 'the payload is not valid', errors: error.errors };
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

const router = new Router();
router.post('/account-read', readAccount);
router.post('/account-create', createAccount);
router.post('/health', health);

const app = new Koa();
app.use(errorsAsJson);
app.use(koaBody());
app.use(router.routes());
app.use(router.allowedMethods());

const server = app.listen(Number(process.env.PORT ?? 3000), process.env.HOST ?? '127.0.0.1');

process.once('SIGTERM', () => {
  server.close(() => void pool.end());
  server.closeIdleConnections();
});

/**
 * The hand-written service (the baseline): Koa, @koa/router, koa-body, got, yup, lru-cache and a pg pool of ten. All
 * ratios refer to it, so it stays ordinary code, without optimisations and without deliberate delays.
 */
import { createCipheriv, createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import Router, { type RouterContext } from '@koa/router';
import { errors, jwtVerify } from 'jose';
import Koa, { type Context, type Next } from 'koa';
import { koaBody } from 'koa-body';
import { Agent as HttpAgent } from 'node:http';
import { got } from 'got';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { array, type InferType, number, object, type Schema, string, ValidationError } from 'yup';

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

function validateBody<S extends Schema>(schema: S, body: unknown): InferType<S> {
  return schema.validateSync(body, { strict: true, abortEarly: false });
}

async function readAccount(ctx: Context): Promise<void> {
  const { id } = validateBody(readRequest, ctx.request.body);
  const { rows } = await pool.query<Record<string, unknown>>(
    'SELECT id, owner, email, balance, created_at FROM _account WHERE id = $1',
    [id],
  );
  if (rows[0] === undefined) ctx.throw(404, 'no such account');
  ctx.body = rows[0];
}

const known = new LRUCache<number, Record<string, unknown>>({ max: 10_000, ttl: 60_000 });

async function sendCached(ctx: Pick<Context, 'body' | 'throw'>, id: number): Promise<void> {
  const kept = known.get(id);
  if (kept !== undefined) {
    ctx.body = kept;
    return;
  }
  const { rows } = await pool.query<Record<string, unknown>>(
    'SELECT id, owner, email, balance, created_at FROM _account WHERE id = $1',
    [id],
  );
  if (rows[0] === undefined) ctx.throw(404, 'no such account');
  known.set(id, rows[0]);
  ctx.body = rows[0];
}

async function readCached(ctx: Context): Promise<void> {
  await sendCached(ctx, validateBody(readRequest, ctx.request.body).id);
}

const pathRequest = object({ id: number().required() });

async function readByPath(ctx: RouterContext): Promise<void> {
  await sendCached(ctx, pathRequest.validateSync(ctx.params).id);
}

async function createAccount(ctx: Context): Promise<void> {
  const { owner, email, balance } = validateBody(createRequest, ctx.request.body);
  const { rows } = await pool.query<Record<string, unknown>>(
    'INSERT INTO _account (owner, email, balance, created_at) VALUES ($1, $2, $3, $4) RETURNING *',
    [owner, email, balance, new Date()],
  );
  ctx.body = rows[0];
}

const contactRequest = object({
  owner: string().min(1).max(80).required(),
  email: string().email().max(255).required(),
  phone: string().max(40).required(),
});

const fieldKey = Buffer.from(process.env.BENCH_FIELD_KEY ?? '', 'utf8');

function encryptText(text: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', fieldKey, nonce, { authTagLength: 16 });
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return sealed.toString('base64');
}

async function createContact(ctx: Context): Promise<void> {
  const { owner, email, phone } = validateBody(contactRequest, ctx.request.body);
  const { rows } = await pool.query<Record<string, unknown>>(
    'INSERT INTO _contact (owner, email, phone) VALUES ($1, $2, $3) RETURNING *',
    [owner, encryptText(email), encryptText(phone)],
  );
  ctx.body = rows[0];
}

const listRequest = object({ after: number().required() });
const walletRequest = object({ id: number().required(), amount: number().required() });
const echoRequest = object({
  owner: string().min(1).max(80).required(),
  email: string().email().max(255).required(),
  amount: number().required(),
  quantity: number().min(0).max(1000).required(),
  reference: string().length(12).required(),
  note: string().max(2000).required(),
});

const nestedRequest = object({
  number: number().integer().min(0).required(),
  customer: object({
    name: string().min(1).max(80).required(),
    email: string().email().max(255).required(),
    address: object({
      street: string().max(120).required(),
      city: string().max(80).required(),
      zip: string().length(5).required(),
    }).required(),
  }).required(),
  items: array(
    object({
      sku: string().min(1).max(40).required(),
      quantity: number().integer().min(1).max(1000).required(),
      price: number().min(0).required(),
      note: string().max(200).required(),
    }).required(),
  )
    .max(20)
    .required(),
});

async function listAccounts(ctx: Context): Promise<void> {
  const { after } = validateBody(listRequest, ctx.request.body);
  const { rows } = await pool.query<Record<string, unknown>>(
    'SELECT id, owner, email, balance, created_at FROM _account WHERE id > $1 ORDER BY id LIMIT 50',
    [after],
  );
  ctx.body = rows;
}

async function addToWallet(ctx: Context): Promise<void> {
  const { id, amount } = validateBody(walletRequest, ctx.request.body);
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const read = await client.query<{ balance: number }>('SELECT balance FROM _wallet WHERE id = $1 FOR UPDATE', [id]);
    if (read.rows[0] === undefined) ctx.throw(404, 'no such wallet');
    const { rows } = await client.query<Record<string, unknown>>(
      'UPDATE _wallet SET balance = $2 WHERE id = $1 RETURNING id, balance',
      [id, read.rows[0].balance + amount],
    );
    await client.query('COMMIT');
    ctx.body = rows[0];
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

function sendEcho(ctx: Context): void {
  ctx.body = validateBody(echoRequest, ctx.request.body);
}

function sendNested(ctx: Context): void {
  ctx.body = validateBody(nestedRequest, ctx.request.body);
}

const tokenKey = createSecretKey(Buffer.from(process.env.BENCH_TOKEN_KEY ?? '', 'utf8'));

async function verifyToken(ctx: Context, next: Next): Promise<void> {
  const token = /^Bearer (.+)$/i.exec(ctx.get('authorization'))?.[1] ?? '';
  const { payload } = await jwtVerify(token, tokenKey, { algorithms: ['HS256'] });
  (ctx.state as Record<string, unknown>).claims = payload;
  await next();
}

async function readMine(ctx: Context): Promise<void> {
  const { claims } = ctx.state as { claims: Record<string, unknown> };
  const { rows } = await pool.query<Record<string, unknown>>(
    'SELECT id, owner, email, balance, created_at FROM _account WHERE id = $1',
    [claims.id],
  );
  if (rows[0] === undefined) ctx.throw(404, 'no such account');
  ctx.body = rows[0];
}

const quoteRequest = object({ id: number().required() });

interface Quote {
  readonly id: number;
  readonly price: number;
  readonly currency: string;
  readonly valid_until: string;
}

const remote = got.extend({
  prefixUrl: process.env.BENCH_REMOTE ?? '',
  headers: { authorization: `Bearer ${process.env.BENCH_TOKEN_KEY ?? ''}` },
  agent: { http: new HttpAgent({ keepAlive: true }) },
  timeout: { request: 10_000 },
  retry: { limit: 0 },
});

async function quote(ctx: Context): Promise<void> {
  const { id: wanted } = validateBody(quoteRequest, ctx.request.body);
  const { id, price, currency, valid_until } = await remote.get(`quotes/${wanted}`).json<Quote>();
  ctx.body = { id, price, currency, valid_until };
}

/** The same with the `fetch` of Node. */
async function quoteByFetch(ctx: Context): Promise<void> {
  const { id: wanted } = validateBody(quoteRequest, ctx.request.body);
  const response = await fetch(`${process.env.BENCH_REMOTE ?? ''}/quotes/${wanted}`, {
    headers: { authorization: `Bearer ${process.env.BENCH_TOKEN_KEY ?? ''}` },
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) ctx.throw(502, 'the quote cannot be had');
  const { id, price, currency, valid_until } = (await response.json()) as Quote;
  ctx.body = { id, price, currency, valid_until };
}

const hookKey = process.env.BENCH_HOOK_KEY ?? '';

async function verifyHook(ctx: Context): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of ctx.req) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const expected = Buffer.from(`sha256=${createHmac('sha256', hookKey).update(body).digest('hex')}`);
  const given = Buffer.from(ctx.get('x-hub-signature-256'));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) ctx.throw(401, 'not verified');
  const { reference, amount } = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
  ctx.body = { reference, amount };
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

const router = new Router();
router.post('/account-read', readAccount);
router.post('/account-cached', readCached);
router.get('/accounts/:id', readByPath);
router.post('/account-create', createAccount);
router.post('/contact-create', createContact);
router.post('/account-list', listAccounts);
router.post('/account-mine', verifyToken, readMine);
router.post('/wallet-add', addToWallet);
router.post('/echo', sendEcho);
router.post('/nested', sendNested);
router.post('/quote', quote);
router.post('/quote-fetch', quoteByFetch);
router.post('/health', health);

// The signature covers the received bytes, which a parser discards.
const hooks = new Router();
hooks.post('/hook', verifyHook);

const app = new Koa();
app.use(errorsAsJson);
app.use(hooks.routes());
app.use(koaBody());
app.use(router.routes());
app.use(router.allowedMethods());

const server = app.listen(Number(process.env.PORT ?? 3000), process.env.HOST ?? '127.0.0.1');

process.once('SIGTERM', () => {
  server.close(() => void pool.end());
  server.closeIdleConnections();
});

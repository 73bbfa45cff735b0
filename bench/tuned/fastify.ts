/**
 * The service on Fastify 5, in the style of its documentation: a JSON Schema for every body and every response, which
 * Fastify compiles to validators and serializers. Tokens are verified with node:crypto; statements are prepared.
 */
import { fastify, type FastifyRequest } from 'fastify';
import { Refusal } from './refusal.js';
import { fetchQuote, requestQuote } from './remote.js';
import {
  type AccountRequest,
  answers,
  type Echo,
  type ListRequest,
  type Nested,
  type NewAccount,
  type NewContact,
  schemas,
  type WalletRequest,
} from './schemas.js';
import {
  addInTransaction,
  closeStore,
  createAccountCache,
  findAccount,
  insertAccount,
  insertContact,
  listAccounts,
} from './store.js';
import { checkTimes, readBearer, verifyHook, verifyToken } from './tokens.js';

const app = fastify({
  logger: false,
  bodyLimit: 1_048_576,
  // The other targets do not convert values of a JSON body.
  ajv: { customOptions: { coerceTypes: false } },
});

app.setErrorHandler<Error & { readonly statusCode?: number; readonly validation?: unknown }>(
  async (error, _request, reply) => {
    const status = error.validation === undefined ? (error.statusCode ?? 500) : 422;
    if (status >= 500 && !(error instanceof Refusal)) console.error(error);
    await reply.code(status).send({ message: status === 500 ? 'internal error' : error.message });
  },
);

const respond = (schema: object): { readonly response: Readonly<Record<number, object>> } => ({
  response: { 200: schema },
});
const readCached = createAccountCache((account) => account);

app.post('/health', { schema: respond(answers.health) }, async () => ({ status: 'ok', version: 1 }));

app.post('/account-mine', { schema: respond(answers.account) }, async ({ headers }) =>
  findAccount(checkTimes(verifyToken(readBearer(headers.authorization))).id),
);

app.post<{ Body: AccountRequest }>(
  '/account-read',
  { schema: { body: schemas.account, ...respond(answers.account) } },
  async ({ body }) => findAccount(body.id),
);

app.post<{ Body: AccountRequest }>(
  '/account-cached',
  { schema: { body: schemas.account, ...respond(answers.account) } },
  async ({ body }) => readCached(body.id),
);

app.get<{ Params: { readonly id: string } }>(
  '/accounts/:id',
  {
    schema: {
      params: { type: 'object', required: ['id'], properties: { id: { type: 'string', pattern: '^\\d{1,15}$' } } },
      ...respond(answers.account),
    },
  },
  async ({ params }) => readCached(Number(params.id)),
);

app.post<{ Body: NewAccount }>(
  '/account-create',
  { schema: { body: schemas.newAccount, ...respond(answers.account) } },
  async ({ body }) => insertAccount(body),
);

app.post<{ Body: NewContact }>(
  '/contact-create',
  { schema: { body: schemas.newContact, ...respond(answers.contact) } },
  async ({ body }) => insertContact(body),
);

app.post<{ Body: ListRequest }>(
  '/account-list',
  { schema: { body: schemas.list, ...respond(answers.accounts) } },
  async ({ body }) => listAccounts(body.after),
);

app.post<{ Body: WalletRequest }>(
  '/wallet-add',
  { schema: { body: schemas.wallet, ...respond(answers.wallet) } },
  async ({ body }) => addInTransaction(body.id, body.amount),
);

app.post<{ Body: Echo }>(
  '/echo',
  { schema: { body: schemas.echo, ...respond(schemas.echo) } },
  async ({ body }) => body,
);

app.post<{ Body: Nested }>(
  '/nested',
  { schema: { body: schemas.nested, ...respond(schemas.nested) } },
  async ({ body }) => body,
);

app.post<{ Body: AccountRequest }>(
  '/quote',
  { schema: { body: schemas.account, ...respond(answers.quote) } },
  async ({ body }) => requestQuote(body.id),
);

app.post<{ Body: AccountRequest }>(
  '/quote-fetch',
  { schema: { body: schemas.account, ...respond(answers.quote) } },
  async ({ body }) => fetchQuote(body.id),
);

// The signature covers the received bytes, so this route gets the unparsed body.
void app.register(async (hooks) => {
  hooks.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  hooks.post('/hook', { schema: respond(answers.hook) }, async ({ body, headers }: FastifyRequest) => {
    const bytes = body as Buffer;
    verifyHook(bytes, headers['x-hub-signature-256']);
    return JSON.parse(bytes.toString('utf8')) as unknown;
  });
});

app.addHook('onClose', closeStore);
await app.listen({ port: Number(process.env.PORT ?? 3000), host: process.env.HOST ?? '127.0.0.1' });

process.once('SIGTERM', () => void app.close());

/**
 * The routes of the two tuned services, without a framework: compiled validators, responses concatenated member by
 * member, and caches of constants, accounts and verified tokens.
 */
import { Ajv } from 'ajv-2020';
import { LRUCache } from 'lru-cache';
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from './refusal.js';
import { fetchQuote, type Quote, requestQuote } from './remote.js';
import {
  type AccountRequest,
  type Echo,
  type ListRequest,
  type Nested,
  type NewAccount,
  type NewContact,
  schemas,
  type WalletRequest,
} from './schemas.js';
import {
  type Account,
  addToWallet,
  createAccountCache,
  findAccount,
  insertAccount,
  insertContact,
  listAccounts,
} from './store.js';
import { checkTimes, type Claims, readBearer, verifyHook, verifyToken } from './tokens.js';

/** The text of the response. */
export type Answer = string | Promise<string>;
export type Route = (body: Buffer, headers: IncomingHttpHeaders) => Answer;

const ajv = new Ajv({ allErrors: false });
const quote = JSON.stringify;

const parseJson = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    throw new Refusal(400, 'the body is not JSON');
  }
};

/** The body as the schema describes it. */
function createReader<T>(schema: object): (body: Buffer, headers: IncomingHttpHeaders) => T {
  const isValid = ajv.compile<T>(schema);
  return (body, headers) => {
    if (!(headers['content-type'] ?? '').startsWith('application/json'))
      throw new Refusal(415, 'the body must be JSON');
    const value = parseJson(body);
    if (!isValid(value)) throw new Refusal(422, ajv.errorsText(isValid.errors));
    return value;
  };
}

const readId = createReader<AccountRequest>(schemas.account);
const readList = createReader<ListRequest>(schemas.list);
const readWallet = createReader<WalletRequest>(schemas.wallet);
const readNewAccount = createReader<NewAccount>(schemas.newAccount);
const readNewContact = createReader<NewContact>(schemas.newContact);
const readEcho = createReader<Echo>(schemas.echo);
const readNested = createReader<Nested>(schemas.nested);

// A time contains no character that JSON escapes.
const formatAccount = ({ id, owner, email, balance, created_at }: Account): string =>
  `{"id":${id},"owner":${quote(owner)},"email":${quote(email)},"balance":${balance},"created_at":"${created_at}"}`;

const formatEcho = ({ owner, email, amount, quantity, reference, note }: Echo): string =>
  `{"owner":${quote(owner)},"email":${quote(email)},"amount":${amount},"quantity":${quantity},` +
  `"reference":${quote(reference)},"note":${quote(note)}}`;

/** Returns only the members that the schema names. */
const formatNested = ({ number, customer: { name, email, address }, items }: Nested): string =>
  `{"number":${number},"customer":{"name":${quote(name)},"email":${quote(email)},"address":{` +
  `"street":${quote(address.street)},"city":${quote(address.city)},"zip":${quote(address.zip)}}},"items":[` +
  `${items
    .map(
      (item) =>
        `{"sku":${quote(item.sku)},"quantity":${item.quantity},"price":${item.price},"note":${quote(item.note)}}`,
    )
    .join(',')}]}`;

const formatQuote = ({ id, price, currency, valid_until }: Quote): string =>
  quote({ id, price, currency, valid_until });

const verified = new LRUCache<string, Claims>({ max: 10_000 });

/** The signature is verified once per token; its times are checked at every request. */
function verifyBearer({ authorization }: IncomingHttpHeaders): Claims {
  const token = readBearer(authorization);
  let claims = verified.get(token);
  if (claims === undefined) {
    claims = verifyToken(token);
    verified.set(token, claims);
  }
  return checkTimes(claims);
}

const readCached = createAccountCache(formatAccount);

const posts = new Map<string, Route>([
  ['/health', () => '{"status":"ok","version":1}'],
  [
    '/hook',
    (body, headers) => {
      verifyHook(body, headers['x-hub-signature-256']);
      const { reference, amount } = parseJson(body) as Readonly<Record<string, unknown>>;
      return quote({ reference, amount });
    },
  ],
  ['/account-mine', async (_, headers) => formatAccount(await findAccount(verifyBearer(headers).id))],
  ['/account-read', async (body, headers) => formatAccount(await findAccount(readId(body, headers).id))],
  ['/account-cached', (body, headers) => readCached(readId(body, headers).id)],
  ['/account-create', async (body, headers) => formatAccount(await insertAccount(readNewAccount(body, headers)))],
  ['/contact-create', async (body, headers) => quote(await insertContact(readNewContact(body, headers)))],
  [
    '/account-list',
    async (body, headers) => `[${(await listAccounts(readList(body, headers).after)).map(formatAccount).join(',')}]`,
  ],
  [
    '/wallet-add',
    async (body, headers) => {
      const { id, amount } = readWallet(body, headers);
      const wallet = await addToWallet(id, amount);
      return `{"id":${wallet.id},"balance":${wallet.balance}}`;
    },
  ],
  ['/echo', (body, headers) => formatEcho(readEcho(body, headers))],
  ['/nested', (body, headers) => formatNested(readNested(body, headers))],
  ['/quote', async (body, headers) => formatQuote(await requestQuote(readId(body, headers).id))],
  ['/quote-fetch', async (body, headers) => formatQuote(await fetchQuote(readId(body, headers).id))],
]);

const byPath = '/accounts/';

/** The handler of a route; undefined: no such route. */
export function findRoute(method: string, path: string): Route | undefined {
  if (method === 'POST') return posts.get(path);
  if (method !== 'GET' || !path.startsWith(byPath)) return undefined;
  const id = path.slice(byPath.length);
  return () => {
    if (!/^\d{1,15}$/.test(id)) throw new Refusal(422, 'the id is not a number');
    return readCached(Number(id));
  };
}

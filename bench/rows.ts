/**
 * The rows of the benchmark: the endpoint, its requests, the correct responses, and the effect of a request on the
 * database. All targets get the same requests.
 */
import { seeded } from './tables.js';
import { createSignature, signToken } from './tokens.js';

export interface RejectedRequest {
  readonly body: object;
  readonly status: number;
  readonly authorization?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the path of the row. */
  readonly path?: string;
}

export interface Row {
  readonly name: string;
  readonly title: string;
  readonly path: string;
  /** The path of the n-th request, if paths differ. */
  readonly pathOf?: (n: number) => string;
  /** Default: `POST`. A `GET` has no body. */
  readonly method?: 'GET';
  /** The body of the n-th request; a measurement repeats the first thousand. */
  readonly body: (n: number) => object;
  /** The `authorization` header of the n-th request. */
  readonly authorization?: (n: number) => string;
  /** Further headers of a request with this body, by lower-case name. */
  readonly headers?: (body: string) => Readonly<Record<string, string>>;
  /** The total that each request increases; it is checked after a measurement. */
  readonly adds: 'accounts' | 'contacts' | 'money' | null;
  /** Members that differ between responses, each with a check of its form. */
  readonly varying: Readonly<Record<string, (value: unknown) => boolean>>;
  /** Requests that must be rejected with this status; the message may differ between targets. */
  readonly refused: readonly RejectedRequest[];
  /** True: measured only if `--rows` names it. */
  readonly extra?: true;
}

export interface RowRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** The n-th request of a row, independent of the client. */
export function buildRowRequest(row: Row, n: number): RowRequest {
  const { method = 'POST' } = row;
  const body = method === 'GET' ? undefined : JSON.stringify(row.body(n));
  const authorization = row.authorization?.(n);
  const headers = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(authorization !== undefined && { authorization }),
    ...row.headers?.(body ?? ''),
  };
  return { method, path: row.pathOf?.(n) ?? row.path, body, headers };
}

const isPositiveInteger = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0;

const isRecentInstant = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
  Math.abs(Date.now() - Date.parse(value)) < 60_000;

/** Base64 of a nonce, a ciphertext and a tag, without the plain text. */
const isEncrypted = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^[A-Za-z0-9+/]{48,}={0,2}$/.test(value) &&
  !Buffer.from(value, 'base64').toString('latin1').includes('example.com');

const contactBody = (n: number) => ({
  owner: `Newcomer ${n}`,
  email: `newcomer${n}@example.com`,
  phone: `+49 30 ${String(n).padStart(8, '0')}`,
});

const createBody = (n: number) => ({
  owner: `Newcomer ${n}`,
  email: `newcomer${n}@example.com`,
  balance: n + 0.5,
});

/** Six fields, one kilobyte. */
const echoBody = (n: number) => ({
  owner: `Owner ${n}`,
  email: `owner${n}@example.com`,
  amount: n + 0.25,
  quantity: n % 50,
  reference: `REF-${String(n).padStart(8, '0')}`,
  note: `${'The quick brown fox jumps over the lazy dog, and says so. '.repeat(15)}${n}`,
});

/** Three levels and a list of eight, one kilobyte. */
const nestedBody = (n: number) => ({
  number: n,
  customer: {
    name: `Owner ${n}`,
    email: `owner${n}@example.com`,
    address: { street: `Long street ${n}`, city: 'Berlin', zip: '10115' },
  },
  items: Array.from({ length: 8 }, (_, i) => ({
    sku: `SKU-${String(n).padStart(6, '0')}-${i}`,
    quantity: i + 1,
    price: n + i + 0.25,
    note: 'The quick brown fox jumps over the lazy dog, and says so.',
  })),
});

const chain = {
  adds: 'money',
  varying: { balance: isPositiveInteger },
  refused: [{ body: { id: 1, amount: 'much' }, status: 422 }],
} as const;

export const rows: readonly Row[] = [
  { name: 'health', title: 'static JSON', path: '/health', body: () => ({}), adds: null, varying: {}, refused: [] },
  {
    name: 'account-mine',
    title: 'JWT and one row',
    path: '/account-mine',
    body: () => ({}),
    authorization: (n) => `Bearer ${signToken({ id: (n % seeded) + 1 })}`,
    adds: null,
    varying: {},
    refused: [
      { body: {}, status: 401 },
      { body: {}, status: 401, authorization: `Bearer ${signToken({ id: 1 }, 'another key of enough length')}` },
      { body: {}, status: 401, authorization: `Bearer ${signToken({ id: 1, exp: 1_000_000_000 })}` },
    ],
  },
  {
    name: 'hook',
    title: 'HMAC webhook',
    path: '/hook',
    body: echoBody,
    headers: (body) => ({ 'x-hub-signature-256': `sha256=${createSignature(body)}` }),
    adds: null,
    varying: {},
    refused: [
      { body: echoBody(1), status: 401 },
      {
        body: echoBody(1),
        status: 401,
        headers: { 'x-hub-signature-256': `sha256=${createSignature(JSON.stringify(echoBody(2)))}` },
      },
      { body: echoBody(1), status: 401, headers: { 'x-hub-signature-256': 'sha256=' } },
    ],
  },
  {
    name: 'account-read',
    title: 'one row by key',
    path: '/account-read',
    body: (n) => ({ id: (n % seeded) + 1 }),
    adds: null,
    varying: {},
    refused: [
      { body: { id: seeded + 1_000_000_000 }, status: 404 },
      { body: { id: 'one' }, status: 422 },
      { body: {}, status: 422 },
    ],
  },
  {
    name: 'account-cached',
    title: 'cached read (hit)',
    path: '/account-cached',
    body: (n) => ({ id: (n % seeded) + 1 }),
    adds: null,
    varying: {},
    refused: [
      { body: { id: seeded + 1_000_000_000 }, status: 404 },
      { body: { id: 'one' }, status: 422 },
      { body: {}, status: 422 },
    ],
  },
  {
    name: 'account-path',
    title: 'cached read, by path',
    path: '/accounts/1',
    pathOf: (n) => `/accounts/${(n % seeded) + 1}`,
    method: 'GET',
    body: () => ({}),
    adds: null,
    varying: {},
    refused: [
      { body: {}, path: `/accounts/${seeded + 1_000_000_000}`, status: 404 },
      { body: {}, path: '/accounts/one', status: 422 },
    ],
  },
  {
    name: 'account-create',
    title: 'validated insert',
    path: '/account-create',
    body: createBody,
    adds: 'accounts',
    varying: { id: isPositiveInteger, created_at: isRecentInstant },
    refused: [
      { body: { ...createBody(1), email: 'nobody' }, status: 422 },
      { body: { ...createBody(1), owner: 'x'.repeat(81) }, status: 422 },
      { body: { ...createBody(1), balance: 'much' }, status: 422 },
    ],
  },
  {
    name: 'contact-create',
    title: 'encrypted write',
    path: '/contact-create',
    body: contactBody,
    adds: 'contacts',
    varying: { id: isPositiveInteger, email: isEncrypted, phone: isEncrypted },
    refused: [
      { body: { ...contactBody(1), email: 'nobody' }, status: 422 },
      { body: { ...contactBody(1), phone: 'x'.repeat(41) }, status: 422 },
    ],
  },
  {
    name: 'account-list',
    title: 'list of 50 rows',
    path: '/account-list',
    body: (n) => ({ after: n % (seeded - 50) }),
    adds: null,
    varying: {},
    refused: [{ body: { after: 'the first' }, status: 422 }],
  },
  {
    name: 'wallet-add',
    title: 'balance chain',
    path: '/wallet-add',
    body: (n) => ({ id: ((n * 617) % seeded) + 1, amount: 1 }),
    ...chain,
  },
  {
    name: 'wallet-one',
    title: 'balance chain, one wallet',
    path: '/wallet-add',
    body: () => ({ id: 7, amount: 1 }),
    ...chain,
    extra: true,
  },
  {
    name: 'echo',
    title: '1 KB validated and echoed',
    path: '/echo',
    body: echoBody,
    adds: null,
    varying: {},
    refused: [
      { body: { ...echoBody(1), email: 'nobody' }, status: 422 },
      { body: { ...echoBody(1), note: 'x'.repeat(2001) }, status: 422 },
      { body: { ...echoBody(1), amount: '1' }, status: 422 },
    ],
  },
  {
    name: 'nested',
    title: '1 KB of nested JSON',
    path: '/nested',
    body: nestedBody,
    adds: null,
    varying: {},
    refused: [
      { body: { ...nestedBody(1), number: 1.5 }, status: 422 },
      { body: { ...nestedBody(1), customer: { ...nestedBody(1).customer, address: null } }, status: 422 },
      { body: { ...nestedBody(1), items: [{ ...nestedBody(1).items[0], quantity: 0 }] }, status: 422 },
    ],
  },
  {
    name: 'quote',
    title: 'outbound call',
    path: '/quote',
    body: (n) => ({ id: (n % seeded) + 1 }),
    adds: null,
    varying: {},
    refused: [{ body: { id: 'one' }, status: 422 }],
  },
  {
    name: 'quote-fetch',
    title: 'outbound call, fetch',
    path: '/quote-fetch',
    body: (n) => ({ id: (n % seeded) + 1 }),
    adds: null,
    varying: {},
    refused: [{ body: { id: 'one' }, status: 422 }],
    extra: true,
  },
];

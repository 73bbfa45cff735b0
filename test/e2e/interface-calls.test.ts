/** HTTPREQUEST, chaining, webhooks and verification of the interface, sentence by sentence, with a real upstream service. */
import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { expect } from 'chai';
import type { Answer, Loose } from '../support/client.js';
import { DEFINITIONS } from '../support/interface-calls.js';
import { describeOnDatabase, type TestKernel } from '../support/kernel.js';
import { RSA_PAIR, RSA_PUBLIC_PEM } from '../support/rsa.js';
import { createFormData } from '../support/pictures.js';
import { signJwt } from '../support/tokens.js';
import { createJsonBehaviour, startUpstream, type ReceivedRequest, type Upstream } from '../support/upstream.js';

const WEBHOOK_SECRET = 'q8Zr5Tq9Wm2Xc7Vb4Nk8Lp3Jh6Gf1Ds0Ay';
const SENDER_JWT = 'x1Zr5Tq9Wm2Xc7Vb4Nk8Lp3Jh6Gf1Ds0AyZr5Tq9Wm2Xc7Vb4Nk8Lp3Jh6Gf1Ds0';
const sender = RSA_PAIR;
const other = generateKeyPairSync('rsa', { modulusLength: 2048 });

const replies = (asked: ReceivedRequest): [unknown, number] | string => {
  if (asked.url.startsWith('/price')) return [{ data: { price: 12.5, tags: ['a', 'b'] }, internal: 'x' }, 200];
  if (asked.url === '/text') return 'just text';
  if (asked.url === '/missing') return [{ secret: 'of the other service' }, 404];
  if (asked.url === '/broken') return [{ secret: 'of the other service' }, 500];
  return [
    { url: asked.url, method: asked.method, body: asked.body === '' ? null : (JSON.parse(asked.body) as unknown) },
    200,
  ];
};

const upstream: Upstream = await startUpstream((req, res, asked) => {
  const reply = replies(asked);
  if (typeof reply === 'string') res.writeHead(200, { 'content-type': 'text/plain' }).end(reply);
  else createJsonBehaviour(reply[0], reply[1])(req, res, asked);
});

const BODY = '{"name": "order.paid",\n "data": {"reference": "r-1", "amount": 7.25}}';
const hmac = (algorithm: string, body = BODY): string =>
  createHmac(algorithm, WEBHOOK_SECRET).update(body).digest('hex');
const rsa = (body: string, key = sender.privateKey): string =>
  sign('sha256', Buffer.from(body), key).toString('base64');

interface Row {
  /** A sentence of the interface. */
  readonly rule: string;
  readonly path: string;
  readonly send?: unknown;
  readonly headers?: Readonly<Record<string, string>> | (() => Promise<Record<string, string>>);
  readonly status: number;
  /** Members that the response has, deeply. */
  readonly has?: unknown;
  readonly code?: string;
  /** Requests to the other service. */
  readonly call?: (asked: ReceivedRequest, answer: Answer<Loose>) => void;
}

const user = { user: { id: 'u 1/2' }, amount: 3.5 };

const CALLS: readonly Row[] = [
  {
    rule: '`url` (string, accessors allowed inside it)',
    path: '/accessors-in-url',
    send: user,
    headers: { 'accept-language': 'de' },
    status: 200,
    has: { url: '/users/u%201%2F2?lang=de', method: 'GET', body: null },
  },
  {
    rule: '`headers` (object of strings, accessors allowed)',
    path: '/headers',
    send: { user: { id: 'u1' } },
    status: 200,
    call: ({ headers }) => {
      expect(headers['x-api-key']).to.equal('key of the other service');
      expect(headers['x-caller']).to.equal('user u1');
      expect(headers['x-id']).to.match(/^[0-9a-f]{8}-/);
    },
  },
  {
    rule: '`request_body` (object, accessors allowed): values keep their types, inside a text they become text',
    path: '/body',
    send: { ...user, text: '$ENV.API_KEY' },
    status: 200,
    call: ({ body }) => {
      const sent = JSON.parse(body) as Loose;
      expect(sent).to.deep.include({
        whole: { ...user, text: '$ENV.API_KEY' },
        number: 3.5,
        text: 'amount: 3.5',
        nested: { list: ['u 1/2', 1, true, null] },
      });
      expect(Date.parse(String(sent['at']))).to.be.closeTo(Date.now(), 60_000);
    },
  },
  {
    rule: '`$PAYLOAD` alone is the whole body',
    path: '/whole-body',
    send: { a: [1, { b: null }] },
    status: 200,
    has: { method: 'PUT', body: { a: [1, { b: null }] } },
  },
  {
    rule: 'the remote JSON body (text if it is not JSON)',
    path: '/text-reply',
    send: {},
    status: 200,
    has: 'just text',
  },
  {
    rule: '`returnables`: names of the result values the action returns; dotted paths and numeric segments work',
    path: '/kept-names',
    send: {},
    status: 200,
    has: { data: { price: 12.5, tags: { 0: 'a' } } },
  },
  {
    rule: '`extract` is a path into the dependency result, `for` the name under which a query parameter has the value',
    path: '/chain',
    send: { provider_id: 'p1' },
    status: 200,
    has: { provider_id: 'p1', amount: 12.5, status: 'b' },
  },
  {
    rule: 'rules run before the actionable executes; an invalid payload stops it',
    path: '/chain',
    send: { provider_id: '' },
    status: 422,
    code: 'VAL_PAYLOAD',
  },
  {
    rule: '`self_` as `extract` returns the full response body, also of another resource',
    path: '/another-resource',
    send: {},
    status: 200,
    call: ({ body }) => expect(JSON.parse(body)).to.have.nested.property('all.data.price', 12.5),
  },
  {
    rule: 'accessor cannot be resolved: request fails without running the action',
    path: '/accessors-in-url',
    send: {},
    status: 422,
    code: 'ACC_UNRESOLVED',
  },
  {
    rule: 'an upstream 4xx is a failure too, and nothing of its body leaves',
    path: '/refused',
    send: {},
    status: 502,
    code: 'OUT_STATUS',
  },
  { rule: 'upstream 5xx: 502', path: '/failed', send: {}, status: 502, code: 'OUT_STATUS' },
];

const createSignatureHeader = (algorithm: string, body = BODY): Record<string, string> => ({
  'x-signature': hmac(algorithm, body),
});
const GOT = { got: JSON.parse(BODY) as unknown };

const HOOKS: readonly Row[] = [
  {
    rule: 'a webhook can write to the database and call other APIs; headers are `$HEADER.<name>`',
    path: '/payment-webhook',
    send: BODY,
    headers: { ...createSignatureHeader('sha512'), 'x-event': 'paid' },
    status: 200,
    has: { status: 'FULFILLED', amount: 7.25 },
    call: ({ headers, body }) => {
      expect(headers['x-event']).to.equal('paid');
      expect(JSON.parse(body)).to.deep.equal({ paid: 'r-1', whole: JSON.parse(BODY) as unknown });
    },
  },
  {
    rule: 'webhook verification fails: request not accepted',
    path: '/payment-webhook',
    send: BODY,
    headers: createSignatureHeader('sha256'),
    status: 401,
    code: 'WHK_REFUSED',
  },
  {
    rule: 'signature over the raw body: plain hex',
    path: '/hooks/hmac-default',
    send: BODY,
    headers: createSignatureHeader('sha256'),
    status: 200,
    has: GOT,
  },
  {
    rule: 'or the form `sha256=<hex>`',
    path: '/hooks/hmac-default',
    send: BODY,
    headers: { 'x-signature': `sha256=${hmac('sha256')}` },
    status: 200,
    has: GOT,
  },
  {
    rule: 'over the raw body: other white space is another body',
    path: '/hooks/hmac-default',
    send: JSON.stringify(JSON.parse(BODY)),
    headers: createSignatureHeader('sha256'),
    status: 401,
  },
  {
    rule: 'sha384',
    path: '/hooks/hmac-sha384',
    send: BODY,
    headers: { 'x-signature': `sha384=${hmac('sha384')}` },
    status: 200,
  },
  {
    rule: 'the form names the algorithm of the definition',
    path: '/hooks/hmac-sha384',
    send: BODY,
    headers: createSignatureHeader('sha256'),
    status: 401,
  },
  {
    rule: '`HeaderTokenVerifier`: the header value must equal the secret; the whole payload is `$PAYLOAD`',
    path: '/hooks/token',
    send: { name: 'n', more: 1 },
    headers: { 'X-Token': WEBHOOK_SECRET, 'X-Event': 'e' },
    status: 200,
    has: { event: 'e', name: 'n', all: { name: 'n', more: 1 } },
  },
  { rule: 'another secret', path: '/hooks/token', send: {}, headers: { 'x-token': `${WEBHOOK_SECRET}x` }, status: 401 },
  { rule: 'no header at all', path: '/hooks/token', send: {}, status: 401 },
  {
    rule: 'base64 signature of the raw body, RSA public key in PEM',
    path: '/hooks/public-key',
    send: BODY,
    headers: { 'x-rsa': rsa(BODY) },
    status: 200,
    has: GOT,
  },
  {
    rule: 'another key',
    path: '/hooks/public-key',
    send: BODY,
    headers: { 'x-rsa': rsa(BODY, other.privateKey) },
    status: 401,
  },
  {
    rule: '`JwtVerifier`: `algorithm` defaults to HS256; the header may be `Authorization`',
    path: '/hooks/jwt',
    send: BODY,
    headers: async () => ({ authorization: `Bearer ${await signJwt({}, SENDER_JWT, 'HS256')}` }),
    status: 200,
  },
  {
    rule: 'HS512 (webhook JWT)',
    path: '/hooks/jwt-512',
    send: BODY,
    headers: async () => ({ 'x-jwt': await signJwt({}, SENDER_JWT, 'HS512') }),
    status: 200,
  },
  {
    rule: "the algorithm is the definition's",
    path: '/hooks/jwt-512',
    send: BODY,
    headers: async () => ({ 'x-jwt': await signJwt({}, SENDER_JWT, 'HS256') }),
    status: 401,
  },
  { rule: 'source addresses separated by commas or by pipes', path: '/hooks/ips', send: BODY, status: 200, has: GOT },
  { rule: 'an address that is not listed', path: '/hooks/ips-of-others', send: BODY, status: 401 },
  {
    rule: 'an address that the caller only claims',
    path: '/hooks/ips-of-others',
    send: BODY,
    headers: { 'x-forwarded-for': '203.0.113.9' },
    status: 401,
  },
  {
    rule: '`ALL`: every verifier must pass',
    path: '/hooks/all',
    send: BODY,
    headers: { ...createSignatureHeader('sha256'), 'x-token': WEBHOOK_SECRET },
    status: 200,
  },
  {
    rule: '`ALL`: one of two is not enough',
    path: '/hooks/all',
    send: BODY,
    headers: createSignatureHeader('sha256'),
    status: 401,
  },
  {
    rule: '`ANY`: one passing verifier is enough',
    path: '/hooks/any',
    send: BODY,
    headers: { 'x-token': WEBHOOK_SECRET },
    status: 200,
  },
  { rule: '`ANY`: none is rejected', path: '/hooks/any', send: BODY, headers: { 'x-token': 'x' }, status: 401 },
];

async function checkRow(kernel: TestKernel, row: Row, wrapped: boolean): Promise<void> {
  const before = upstream.requests.length;
  const headers = typeof row.headers === 'function' ? await row.headers() : row.headers;
  const answer = await kernel.post(row.path, row.send, { headers: { ...headers } });
  expect(answer.status, answer.text).to.equal(row.status);
  const result = wrapped && row.status === 200 ? answer.body['data'] : answer.body;
  if (typeof row.has === 'object') expect(result).to.deep.include(row.has);
  else if (row.has !== undefined) expect(result).to.equal(row.has);
  if (row.code !== undefined) expect(answer.body['code']).to.equal(row.code);
  expect(answer.text).to.not.include('of the other service');
  if (row.call === undefined) return;
  const asked = upstream.requests.slice(before).at(-1);
  if (asked === undefined) throw new Error('the other service was not asked');
  row.call(asked, answer);
}

const ENV = {
  OTHER_SERVICE: upstream.url,
  API_KEY: 'key of the other service',
  WEBHOOK_SECRET,
  SENDER_JWT,
  SENDER_PEM: RSA_PUBLIC_PEM,
  SENDER_IPS: '203.0.113.9|127.0.0.1, ::1',
  OTHER_IPS: '203.0.113.9,198.51.100.0/24',
};

for (const profile of [undefined, 'sub0'] as const) {
  const options = {
    files: { 'definitions/a.json': DEFINITIONS },
    env: ENV,
    config: { outbound: { allow: ['127.0.0.1'] }, ...(profile && { profile }) },
  };
  const title = profile === undefined ? '' : ', profile sub0';
  describeOnDatabase(`the interface on calls and webhooks${title}`, options, (kernel) => {
    // Where the other system reads NULL for an absent path, that applies to parameters only, never to a URL.
    for (const row of CALLS) it(`${row.rule} (${row.path})`, () => checkRow(kernel(), row, profile !== undefined));
    for (const row of HOOKS) it(`${row.rule} (${row.path})`, () => checkRow(kernel(), row, profile !== undefined));

    it('receives inbound requests with JSON or multipart payloads', async () => {
      const parts = [
        { name: 'name', content: 'n' },
        { name: 'more', content: '1' },
      ];
      const init = { body: createFormData(parts), headers: { 'x-token': WEBHOOK_SECRET, 'x-event': 'e' } };
      const { status, body, text } = await kernel().request('POST', '/hooks/token', init);
      expect(status, text).to.equal(200);
      const got = profile === undefined ? body : body['data'];
      expect(got).to.deep.equal({ event: 'e', name: 'n', all: { name: 'n', more: '1' } });
    });

    it('logs nothing of the content of a call', () => {
      const digest = createHash('sha256').update(JSON.stringify(kernel().log)).digest('hex');
      expect(JSON.stringify(kernel().log), digest).to.not.include('of the other service');
    });
  });
}

after(() => upstream.close());

/**
 * `run_in_background` and `queue` as users write them, on both databases: the response, the accepted job, what is
 * stored until it runs, and the input of the job.
 */
import { expect } from 'chai';
import type { JobAdmin } from '../../contract/deferred.js';
import type { Loose } from '../support/client.js';
import {
  DUE,
  waitForValue,
  JOBS,
  fetchJobs,
  waitUntilNoJobs,
  createQueueConfig,
  type JobRow,
} from '../support/jobs.js';
import { describeOnBothDatabases, type DatabaseKind, type TestKernel } from '../support/kernel.js';
import { signHmac } from '../support/webhooks.js';
import { createBearerInit, createTokenClaims, signJwt, KEY } from '../support/tokens.js';
import { startUpstream, type Upstream } from '../support/upstream.js';

const ORDERS = {
  id: { type: 'String', primary_key: true },
  item: { type: 'String' },
  by: { type: 'String', optional: true },
  at: { type: 'DateTime', optional: true },
};
const insert = (parameters: readonly unknown[]): Loose => ({
  mode: 'QUERY',
  sql_query: {
    query: 'INSERT INTO orders (id, item, "by", at) VALUES ($1, $2, $3, $4) RETURNING id, item',
    parameters,
  },
});
const RULES = [{ field: { item: { type: 'STRING', min_length: 2 } } }];
const GUARD = {
  tokenize: { type: 'JWT', encryption_key: '$ENV.TOKEN_KEY' },
  protected: { extract_claims: ['id'] },
};
const VERIFIED = {
  webhook: {
    verifications: {
      HmacSignatureVerifier: { sig_header: '$HEADER.x-signature', secret_key: '$ENV.HOOK_KEY', algorithm: 'sha256' },
    },
  },
};
const resource = (id: string, actionables: readonly Loose[], rest: Loose = {}): Loose => ({
  id,
  resource: id,
  actionables: actionables.map((action, index) => ({ id: index + 1, ...action })),
  ...rest,
});

const definitions = [
  JOBS,
  DUE,
  { _orders: ORDERS },
  {
    _accounts: {
      id: { type: 'String', primary_key: true },
      email: { type: 'String' },
      password: { type: 'String' },
    },
  },
  resource('orders', [
    { mode: 'QUERY', result: 'many', sql_query: { query: 'SELECT id, item, "by", at FROM orders ORDER BY item' } },
  ]),
  resource('accounts', [
    {
      mode: 'QUERY',
      result: 'many',
      returnables: ['id', 'email', 'password'],
      sql_query: { query: 'SELECT * FROM accounts' },
    },
  ]),
  // A queued outbound call (pattern 7): the order is stored in the foreground, the call is made after the response.
  resource(
    'order',
    [
      { payload_validation: RULES, ...insert(['$GENERATOR.ULID', 'item', '$PROTECTED.id', '$DATETIME']) },
      {
        mode: 'HTTPREQUEST',
        run_in_background: true,
        queue: { priority: 5, retries: 6 },
        depends_on: [
          {
            resource_id: 'self',
            action_ids: [1],
            extract_response_for: [{ extract: 'id', for: 'order_id' }],
          },
        ],
        http: {
          url: '$ENV.REMOTE/orders',
          method: 'POST',
          headers: { 'x-tenant': '$HEADER.x-tenant', authorization: 'Bearer $ENV.REMOTE_KEY' },
          request_body: {
            order: '$PAYLOAD.order_id',
            item: '$PAYLOAD.item',
            by: '$PROTECTED.id',
            at: '$DATETIME',
            mark: '$GENERATOR.ULID',
          },
        },
      },
    ],
    GUARD,
  ),
  // A webhook that is processed after the response.
  resource(
    'hook',
    [{ payload_validation: RULES, ...insert(['$PAYLOAD.id', '$PAYLOAD.item', { literal: 'hook' }, '$DATETIME']) }],
    {
      ...VERIFIED,
      run_in_background: true,
    },
  ),
  resource('sign-up', [
    {
      mode: 'QUERY',
      payload_validation: [{ field: { email: { type: 'EMAIL' }, password: { type: 'STRING' } } }],
      hashables: [{ property: 'password', algorithm: 'BCRYPT', options: { rounds_cost: 4 } }],
      ciphers: [
        { operation: 'Encrypt', properties: ['email'], algorithm: 'Aes256Gcm', options: { key: '$ENV.FIELD_KEY' } },
      ],
      sql_query: {
        query: 'INSERT INTO accounts (id, email, password) VALUES ($1, $2, $3)',
        parameters: ['$GENERATOR.ULID', 'email', 'password'],
      },
      queue: { delay: 3600 },
    },
  ]),
  resource('failing', [{ ...insert(['$PAYLOAD.id', '$PAYLOAD.item', 'x', '$DATETIME']), queue: { retries: 0 } }]),
  resource('again', [
    {
      mode: 'HTTPREQUEST',
      http: { url: '$ENV.REMOTE/broken', method: 'POST', request_body: {} },
      queue: { retries: 2 },
    },
  ]),
  resource('refused-later', [
    insert(['$PAYLOAD.id', '$PAYLOAD.item', { literal: 'now' }, '$DATETIME']),
    { mode: 'RETURN', value: '$PAYLOAD.missing', no_op: true },
    { ...insert(['$GENERATOR.ULID', '$PAYLOAD.item', { literal: 'later' }, '$DATETIME']), queue: {} },
  ]),
];

describe('deferred work', () => {
  let upstream!: Upstream;
  const rejections = new Map<string, number>();
  before(async () => {
    upstream = await startUpstream((_req, res, asked) => {
      const left = rejections.get(asked.url) ?? 0;
      rejections.set(asked.url, left - 1);
      res.writeHead(left > 0 ? 503 : 200, { 'content-type': 'application/json' }).end('{}');
    });
    options.env['REMOTE'] = upstream.url;
    options.config.outbound.allow.push(`127.0.0.1:${upstream.port}`);
  });
  after(() => upstream.close());
  beforeEach(() => void upstream.requests.splice(0));

  const options = {
    validated: true,
    files: { 'definitions/all.json': definitions },
    config: { outbound: { allow: [] as string[] } },
    configIn: (name: DatabaseKind['name']) => ({ queue: createQueueConfig(name) }),
    env: {
      QUEUE_ENCRYPTION_KEY: 'a key of the queue with 32 bytes, or more',
      TOKEN_KEY: KEY,
      HOOK_KEY: 'Xq5Rt8Lm2Zc7Vb4Nk9Wp3Jh6Gf1Ds0Ay',
      FIELD_KEY: 'Hy6Bn3Vc8Xz1Lk5Jh9Gf2Ds7Aq4Wp0Er',
      REMOTE: '',
      REMOTE_KEY: 'canary-of-a-remote-key',
    } as Record<string, string>,
  };

  describeOnBothDatabases('on a database', options, (kernel: () => TestKernel) => {
    const orders = async (): Promise<readonly Loose[]> => (await kernel().post<readonly Loose[]>('/orders')).body;
    const sendHook = (body: Loose, key = options.env['HOOK_KEY'] ?? '') => {
      const text = JSON.stringify(body);
      return kernel().post('/hook', text, { headers: { 'x-signature': signHmac(text, key) } });
    };

    it('returns the synchronous result with 200, and runs the queued call after it', async () => {
      const headers = { ...createBearerInit(await signJwt(createTokenClaims())).headers, 'x-tenant': 'blue' } as Record<
        string,
        string
      >;
      rejections.set('/orders', 2);
      const { status, body, headers: answered } = await kernel().post('/order', { item: 'lamp' }, { headers });
      expect(status).to.equal(200);
      expect(body['item']).to.equal('lamp');
      const calls = await waitForValue(
        () => upstream.requests,
        ({ length }) => length === 3,
      );
      // The same in each try: id, generated value, instant, and everything by value.
      const keys = new Set(calls.map((call) => call.headers['idempotency-key']));
      expect([...keys]).to.deep.equal([answered.get('x-request-id')]);
      expect(new Set(calls.map((call) => call.body)).size).to.equal(1);
      const sent = JSON.parse(calls[0]?.body ?? '') as Loose;
      expect(sent).to.deep.include({ order: body['id'], item: 'lamp', by: 'ada' });
      expect(calls[0]?.headers).to.include({ 'x-tenant': 'blue', authorization: 'Bearer canary-of-a-remote-key' });
      const [row] = (await orders()).filter(({ item }) => item === 'lamp');
      expect(sent['at']).to.equal(row?.['at']);
      await waitUntilNoJobs(kernel());
    });

    it('accepts a webhook with 202 and its id, and runs the work after the response', async () => {
      const { status, body, headers } = await sendHook({ id: 'h1', item: 'parcel', more: 'is not read' });
      expect(status).to.equal(202);
      expect(body).to.deep.equal({ accepted: true, id: headers.get('x-request-id') });
      const [row] = await waitForValue(
        async () => (await orders()).filter(({ id }) => id === 'h1'),
        ({ length }) => length === 1,
      );
      expect(row).to.deep.include({ item: 'parcel', by: 'hook' });
      await waitUntilNoJobs(kernel());
    });

    it('checks senders, tokens and rules before anything is accepted', async () => {
      expect((await sendHook({ id: 'h2', item: 'x' })).status, 'a rule').to.equal(422);
      expect((await sendHook({ id: 'h2', item: 'parcel' }, 'wrong')).status, 'a signature').to.equal(401);
      expect((await kernel().post('/order', { item: 'lamp' })).status, 'a token').to.equal(401);
      // The input of the job is missing.
      const { status } = await kernel().post(
        '/order',
        { item: 'kettle' },
        createBearerInit(await signJwt(createTokenClaims())),
      );
      expect(status).to.equal(422);
      expect(await fetchJobs(kernel())).to.deep.equal([]);
      expect(upstream.requests).to.deep.equal([]);
      expect((await orders()).filter(({ item }) => item === 'kettle')).to.deep.equal([]);
    });

    it('stores no work when the synchronous work fails, and has no further effect when it runs twice', async () => {
      expect((await kernel().post('/refused-later', { id: 'r1', item: 'twice' })).status).to.equal(200);
      expect((await kernel().post('/refused-later', { id: 'r1', item: 'twice' })).status).to.equal(409);
      await waitUntilNoJobs(kernel());
      expect((await orders()).filter(({ item }) => item === 'twice').map((row) => row['by'])).to.have.members([
        'now',
        'later',
      ]);
    });

    it('stores no secret: values are hashed and encrypted before the work is accepted, and waiting work is encrypted', async () => {
      const sent = { email: 'ada@example.com', password: 'correct horse battery', note: 'canary of the rest' };
      expect((await kernel().post('/sign-up', sent)).status).to.equal(202);
      const [job] = await fetchJobs(kernel());
      const { body } = job as JobRow;
      for (const plain of [...Object.values(sent), options.env['FIELD_KEY'] ?? '', 'canary']) {
        expect(body).not.to.include(plain);
      }
      expect(body).not.to.include('$2b$04$');
      expect(body).to.match(/^sealed\.1\.[\w-]+$/);
      expect((await kernel().post('/due', {})).status).to.equal(200);
      const [account] = await waitForValue(
        async () => (await kernel().post<readonly Loose[]>('/accounts')).body,
        ({ length }) => length === 1,
      );
      expect(account?.['password']).to.match(/^\$2b\$04\$/);
      expect(account?.['email']).not.to.include('ada');
      await waitUntilNoJobs(kernel());
    });

    it('retries, and stores permanently failed work for inspection', async () => {
      rejections.set('/broken', Infinity);
      expect((await kernel().post('/again', {})).status).to.equal(202);
      const [dead] = await waitForValue(
        () => fetchJobs(kernel()),
        (rows) => rows[0]?.state === 'dead',
      );
      expect(dead).to.deep.include({ attempts: 3, failure_code: 'OUT_STATUS' });
      expect(upstream.requests).to.have.length(3);
      rejections.delete('/broken');
      expect(await getJobAdmin().retry(dead?.id ?? '')).to.equal(true);
      await waitUntilNoJobs(kernel());
      expect(upstream.requests).to.have.length(4);
    });

    it('does not retry work that can never succeed', async () => {
      expect((await kernel().post('/failing', { id: 'f1', item: 'once' })).status).to.equal(202);
      await waitUntilNoJobs(kernel());
      expect((await kernel().post('/failing', { id: 'f1', item: 'once' })).status).to.equal(202);
      const [dead] = await waitForValue(
        () => fetchJobs(kernel()),
        (rows) => rows[0]?.state === 'dead',
      );
      expect(dead).to.deep.include({ attempts: 1, failure_code: 'QRY_UNIQUE' });
      expect(await getJobAdmin().purge({ dead: true })).to.equal(1);
    });

    const getJobAdmin = () => kernel().kernel.listJobAdmins()[0] as JobAdmin;
  });
});

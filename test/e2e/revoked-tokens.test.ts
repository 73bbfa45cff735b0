/**
 * `invalidate_tokenize` over real HTTP: which tokens it revokes, of which caller, where they are known, and the cost
 * for others.
 */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { SignJWT } from 'jose';
import type { Json } from '../../contract/json.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { startOwnRedis, startRedis } from '../support/redis.js';
import { serveInProcess, waitUntilReady } from '../support/serve.js';
import { createBearerInit, signJwt, KEY, OTHER_KEY, getSeconds } from '../support/tokens.js';
import { skipTest } from '../support/skip.js';

const JWT = { type: 'JWT', encryption_key: '$ENV.KEY' };
const PASETO = { type: 'PASETO', encryption_key: '$ENV.SEALED' };
const CURVE = { type: 'JWT', algorithm: 'ES256', encryption_key: '$ENV.PUBLIC' };
const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ENV = {
  KEY,
  SEALED: OTHER_KEY,
  PUBLIC: EC.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
};

const revoking = (id: string, tokens: Json, rest: object = {}): object => ({
  id,
  resource: id,
  tokenize: JWT,
  invalidate_tokenize: { tokens },
  ...rest,
});
const me = (id: string, tokenize: object = JWT): object => ({
  ...defineReturnResource(id, { id: '$PROTECTED.id' }),
  tokenize,
  protected: { extract_claims: ['id'] },
});

const DEFINITIONS = [
  defineReturnResource('sign-in', { id: 'ada' }, { tokenize: { ...JWT, custom_claim_fields: ['id'] } }),
  defineReturnResource('sign-in-sealed', { id: 'ada' }, { tokenize: { ...PASETO, custom_claim_fields: ['id'] } }),
  me('me'),
  me('me-too'),
  me('sealed', PASETO),
  me('curve', CURVE),
  revoking('sign-out', '$HEADER.authorization', { protected: {} }),
  revoking('sign-out-sealed', '$HEADER.authorization', { protected: {}, tokenize: PASETO }),
  revoking('revoke', '$PAYLOAD.tokens'),
  revoking('revoke-curve', '$PAYLOAD.tokens', { tokenize: CURVE }),
  revoking('revoke-two', ['$HEADER.authorization', '$PAYLOAD.refresh']),
  revoking('revoke-found', '$PAYLOAD.found', {
    actionables: [
      {
        id: 1,
        mode: 'RETURN',
        value: { sessions: '$PAYLOAD.sessions', done: true },
        extract_response_for: [{ extract: 'sessions', for: 'found' }],
      },
    ],
    returnables: ['done'],
  }),
  {
    ...defineReturnResource('renew', { id: '$PROTECTED.id' }),
    tokenize: { ...JWT, custom_claim_fields: ['id'] },
    protected: { extract_claims: ['id'] },
    invalidate_tokenize: { tokens: '$HEADER.authorization' },
  },
];
const FILES = { 'definitions/a.json': DEFINITIONS };

describe('revoked tokens', () => {
  let kernel: TestKernel;
  before(async () => (kernel = await startKernel({ validated: true, files: FILES, env: ENV })));
  after(() => kernel.close());

  const post = (path: string, body: unknown = {}, token?: string) =>
    kernel.post(path, body, token === undefined ? {} : createBearerInit(token));
  const signIn = async (path = '/sign-in'): Promise<string> => String((await post(path)).body['token']);
  const opens = async (token: string, path = '/me'): Promise<number> => (await post(path, {}, token)).status;
  const revoke = async (...tokens: readonly unknown[]): Promise<unknown> => (await post('/revoke', { tokens })).body;

  it('are rejected everywhere after signing out, and no other one', async () => {
    const [token, other] = [await signIn(), await signIn()];
    expect([await opens(token), await opens(token, '/me-too'), await opens(other)]).to.deep.equal([200, 200, 200]);
    const { status, body, headers } = await post('/sign-out', {}, token);
    expect([status, body, headers.get('cache-control')]).to.deep.equal([200, { invalidated: 1 }, 'no-store']);
    const from = kernel.log.length;
    expect([await opens(token), await opens(token, '/me-too'), await opens(other)]).to.deep.equal([401, 401, 200]);
    const reasons = kernel.log.slice(from).map(({ fields }) => fields['reason']);
    expect(reasons.filter(Boolean)).to.deep.equal(['revoked', 'revoked']);
    expect((await post('/sign-out', {}, token)).status).to.equal(401);
  });

  it('are rejected like any other token', async () => {
    const token = await signIn();
    await post('/sign-out', {}, token);
    const [revoked, broken] = [await post('/me', {}, token), await post('/me', {}, `${token.slice(0, -3)}abc`)];
    const { instance: _a, ...one } = revoked.body;
    const { instance: _b, ...two } = broken.body;
    expect(one).to.deep.equal(two);
    expect(revoked.headers.get('www-authenticate')).to.equal('Bearer');
  });

  it('are rejected if they were never used here before', async () => {
    const token = await signIn();
    expect(await revoke(token)).to.deep.equal({ invalidated: 1 });
    expect(await opens(token)).to.equal(401);
  });

  it('are read from a list with or without the scheme, counted once, and invalid ones are ignored', async () => {
    const [a, b] = [await signIn(), await signIn()];
    const over = await signJwt({ id: 'ada', exp: getSeconds(-3600) });
    const forged = await signJwt({ id: 'ada' }, OTHER_KEY);
    expect(await revoke(a, `Bearer ${b}`, a, over, forged, 'nothing', '', 'x'.repeat(9000))).to.deep.equal({
      invalidated: 2,
    });
    expect([await opens(a), await opens(b)]).to.deep.equal([401, 401]);
    expect(await revoke(a)).to.deep.equal({ invalidated: 1 });
    expect(await revoke()).to.deep.equal({ invalidated: 0 });
  });

  it('of another issuer revoke no token of this service, whatever their id', async () => {
    const token = await signJwt({ id: 'ada', jti: 'session-7' });
    expect(await opens(token)).to.equal(200);
    expect(await revoke(await signJwt({ id: 'ada', jti: 'session-7' }, OTHER_KEY))).to.deep.equal({ invalidated: 0 });
    expect(await opens(token)).to.equal(200);
    expect(await revoke(token)).to.deep.equal({ invalidated: 1 });
    expect(await opens(token)).to.equal(401);
    expect(await opens(await signJwt({ id: 'ada', jti: 'session-8' }))).to.equal(200);
    expect(await opens(await signJwt({ id: 'ada', jti: 'session-7', iss: 'elsewhere' })), 'of another issuer').to.equal(
      200,
    );
  });

  it('without an id are identified by their claims, with any notation of their signature', async () => {
    const signed = await new SignJWT({ id: 'ada', iat: getSeconds(), exp: getSeconds(600) })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT' })
      .sign(EC.privateKey);
    const twin = encodeDifferently(signed);
    expect(twin).not.to.equal(signed);
    expect([await opens(signed, '/curve'), await opens(twin, '/curve')]).to.deep.equal([200, 200]);
    expect((await post('/revoke-curve', { tokens: signed })).body).to.deep.equal({ invalidated: 1 });
    expect([await opens(signed, '/curve'), await opens(twin, '/curve')]).to.deep.equal([401, 401]);
  });

  it('include sealed tokens', async () => {
    const token = await signIn('/sign-in-sealed');
    expect(await opens(token, '/sealed')).to.equal(200);
    expect((await post('/sign-out-sealed', {}, token)).body).to.deep.equal({ invalidated: 1 });
    expect(await opens(token, '/sealed')).to.equal(401);
  });

  it('are read from several places', async () => {
    const [a, b] = [await signIn(), await signIn()];
    expect((await post('/revoke-two', { refresh: b }, a)).body).to.deep.equal({ invalidated: 2 });
    expect([await opens(a), await opens(b)]).to.deep.equal([401, 401]);
    expect((await post('/revoke-two', { refresh: b })).status, 'no header').to.equal(422);
  });

  it('include tokens found by the work, whose result is returned', async () => {
    const [a, b] = [await signIn(), await signIn()];
    expect((await post('/revoke-found', { sessions: [a, b] })).body).to.deep.equal({ done: true });
    expect([await opens(a), await opens(b)]).to.deep.equal([401, 401]);
  });

  it('can be replaced by a new token', async () => {
    const old = await signIn();
    const { status, body } = await post('/renew', {}, old);
    expect([status, body['id']]).to.deep.equal([200, 'ada']);
    expect([await opens(old), await opens(String(body['token']))]).to.deep.equal([401, 200]);
  });

  it('issue no token by themselves', async () => {
    expect((await post('/revoke', { tokens: [] })).text).to.equal('{"invalidated":0}');
  });

  it('are rejected if they are not lists of texts, or lists that are too long', async () => {
    for (const tokens of [5, null, { token: 'x' }, [5], [null], [['x', ['y']]], Array(1001).fill('x')]) {
      const { status, body } = await post('/revoke', { tokens });
      expect([status, body['code']], JSON.stringify(tokens).slice(0, 40)).to.deep.equal([422, 'TOK_NOT_TOKENS']);
    }
    expect((await post('/revoke', { tokens: Array(1000).fill('x') })).body).to.deep.equal({ invalidated: 0 });
    expect((await post('/revoke', {})).body['code']).to.equal('ACC_UNRESOLVED');
  });

  it('are kept when the definitions are read again', async () => {
    const token = await signIn();
    await revoke(token);
    expect((await kernel.kernel.reload()).applied).to.equal(true);
    expect(await opens(token)).to.equal(401);
  });

  for (const [title, broken] of [
    ['cannot be read', '[{'],
    ['is empty', '[]'],
  ] as const)
    it(`stay revoked when the file that revokes ${title}`, async () => {
      const files = {
        'definitions/me.json': [me('me')],
        'definitions/out.json': [revoking('revoke', '$PAYLOAD.tokens')],
      };
      const other = await startKernel({ files, env: ENV, onProblem: 'skip' });
      try {
        const token = await signJwt({ id: 'ada', exp: getSeconds(60) });
        await other.post('/revoke', { tokens: [token] });
        await other.project.write('definitions/out.json', broken);
        await other.kernel.reload();
        expect((await other.post('/me', {}, createBearerInit(token))).status).to.equal(401);
        expect(
          (await other.post('/me', {}, createBearerInit(await signJwt({ id: 'bob', exp: getSeconds(60) })))).status,
        ).to.equal(200);
      } finally {
        await other.close();
      }
    });

  it('are logged once at the start to be lost at a restart, if they are in memory', () => {
    const rows = kernel.log.filter(
      ({ level, message }) =>
        level === 'warn' && message.includes('after a restart and in other processes they are valid again'),
    );
    expect(rows).to.have.length(1);
  });
});

/** The same signature as another pair of numbers: (r, s) and (r, n - s) fit alike. */
function encodeDifferently(token: string): string {
  const [header, payload, signature = ''] = token.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const s = BigInt(`0x${bytes.subarray(32).toString('hex')}`);
  const other = Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex');
  return [header, payload, Buffer.concat([bytes.subarray(0, 32), other]).toString('base64url')].join('.');
}

describe('revoked tokens in Redis', () => {
  const { createFolder, startIn } = serveInProcess();

  it('are known to every service', async function () {
    const redis = await startRedis();
    if ('skip' in redis) return skipTest(this, redis.skip);
    const cache = { use: 'redis', url: '$ENV.REDIS_URL', prefix: `test-${randomUUID()}:` };
    const project = await createFolder({ ...FILES, 'lintel.config.json': { cache } });
    const env = { ...ENV, REDIS_URL: redis.url, PORT: '0' };
    const children = [startIn(project.folder, { env }), startIn(project.folder, { env })];
    const [one, two] = await Promise.all(children.map(waitUntilReady));
    const token = await signJwt({ id: 'ada', jti: randomUUID() });
    const opens = async (): Promise<unknown[]> =>
      Promise.all([one, two].map(async (client) => (await client?.post('/me', {}, createBearerInit(token)))?.status));
    expect(await opens()).to.deep.equal([200, 200]);
    expect((await one?.post('/sign-out', {}, createBearerInit(token)))?.body).to.deep.equal({ invalidated: 1 });
    expect(await opens()).to.deep.equal([401, 401]);
    expect(children.map((child) => child.output()).join()).not.to.contain('revives');
  });

  it('reject all callers if the store is unavailable', async function () {
    const redis = await startOwnRedis();
    if ('skip' in redis) return skipTest(this, redis.skip);
    const config = { cache: { use: 'redis', url: '$ENV.REDIS_URL' } };
    const kernel = await startKernel({ files: FILES, config, env: { ...ENV, REDIS_URL: redis.url } });
    const token = await signJwt({ id: 'ada' });
    expect((await kernel.post('/me', {}, createBearerInit(token))).status).to.equal(200);
    await redis.stop();
    for (const path of ['/me', '/sign-out']) {
      const { status, body } = await kernel.post(path, {}, createBearerInit(token));
      expect([status, body['code']]).to.deep.equal([503, 'CCH_AWAY']);
    }
    expect((await kernel.post('/me', {}, createBearerInit(await signJwt({ id: 'ada' }, OTHER_KEY)))).status).to.equal(
      401,
    );
    expect((await kernel.post('/sign-in', {})).status, 'what asks nobody').to.equal(200);
    await kernel.close();
  });

  it('are not read by a service without revocation', async () => {
    const config = { cache: { use: 'redis', url: 'redis://127.0.0.1:9' } };
    const kernel = await startKernel({ files: { 'definitions/a.json': [me('me')] }, config, env: ENV });
    expect((await kernel.post('/me', {}, createBearerInit(await signJwt({ id: 'ada' })))).status).to.equal(200);
    expect(Object.keys(await kernel.kernel.health())).to.deep.equal([]);
    await kernel.close();
  });
});

describe('resource that revokes tokens', () => {
  it('does not start without a `tokenize` that verifies tokens', async () => {
    const files = {
      'definitions/a.json': { id: 'a', resource: 'a', invalidate_tokenize: { tokens: '$HEADER.authorization' } },
    };
    const failure = await startKernel({ files, onProblem: 'refuse' }).then(
      (kernel) => kernel.close(),
      (error: unknown) => error as { problems: readonly { code: string }[] },
    );
    expect(failure?.problems.map(({ code }) => code)).to.deep.equal(['TOK_REVOKE']);
  });

  it('is the only kind that may omit `actionables`', async () => {
    const files = { 'definitions/a.json': { id: 'a', resource: 'a', tokenize: JWT, protected: {} } };
    const failure = await startKernel({ files, env: ENV, onProblem: 'refuse' }).then(
      (kernel) => kernel.close(),
      (error: unknown) => error as { problems: readonly { code: string }[] },
    );
    expect(failure?.problems.map(({ code }) => code)).to.deep.equal(['DEF_REQUIRED']);
  });
});

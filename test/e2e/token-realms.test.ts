/**
 * Issuer, audience and purpose of tokens: their claims, and which tokens a guard accepts. Real tokens over real HTTP.
 */
import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { decodeJwt, importPKCS8, SignJWT } from 'jose';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { createBearerInit, signJwt, KEY, OTHER_KEY, getSeconds } from '../support/tokens.js';

const PAIRS = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: generateKeyPairSync('ed25519'),
} as const;
const pem = (algorithm: keyof typeof PAIRS): { readonly open: string; readonly secret: string } => ({
  open: PAIRS[algorithm].publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  secret: PAIRS[algorithm].privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
});

const SHARED = { type: 'JWT', encryption_key: '$ENV.KEY' };
/** Where tokens are issued, and verified if that needs another key. */
const FORMATS: Readonly<Record<string, readonly [object, object?]>> = {
  hs256: [SHARED],
  hs384: [{ ...SHARED, algorithm: 'HS384' }],
  hs512: [{ ...SHARED, algorithm: 'HS512' }],
  rs256: [
    { type: 'JWT', algorithm: 'RS256', encryption_key: '$ENV.RS_SECRET' },
    { type: 'JWT', algorithm: 'RS256', encryption_key: '$ENV.RS_OPEN' },
  ],
  es256: [
    { type: 'JWT', algorithm: 'ES256', encryption_key: '$ENV.ES_SECRET' },
    { type: 'JWT', algorithm: 'ES256', encryption_key: '$ENV.ES_OPEN' },
  ],
  eddsa: [
    { type: 'JWT', algorithm: 'EdDSA', encryption_key: '$ENV.ED_SECRET' },
    { type: 'JWT', algorithm: 'EdDSA', encryption_key: '$ENV.ED_OPEN' },
  ],
  paseto: [{ type: 'PASETO', encryption_key: '$ENV.KEY' }],
};
const ENV = {
  KEY,
  OTHER_KEY,
  PROVIDER: 'https://login.example.com/',
  RS_SECRET: pem('RS256').secret,
  RS_OPEN: pem('RS256').open,
  ES_SECRET: pem('ES256').secret,
  ES_OPEN: pem('ES256').open,
  ED_SECRET: pem('EdDSA').secret,
  ED_OPEN: pem('EdDSA').open,
};

const giving = (id: string, tokenize: object): object => ({
  ...defineReturnResource(id, { id: 7, name: 'ada' }),
  tokenize: { ...tokenize, custom_claim_fields: ['id'] },
});
const defineTokenResource = (id: string, tokenize: object, guard: object = {}): object => ({
  ...defineReturnResource(id, { id: '$PROTECTED.id' }),
  tokenize,
  protected: { extract_claims: ['id'], ...guard },
});
const RESET = { purpose: 'password-reset' };

const FILES = {
  'definitions/a.json': [
    ...Object.entries(FORMATS).flatMap(([name, [makes, validates = makes]]) => [
      giving(`${name}-login`, makes),
      giving(`${name}-forgot`, { ...makes, ...RESET }),
      giving(`${name}-admin-login`, { ...makes, audience: 'admin', issuer: 'back-office' }),
      defineTokenResource(`${name}-me`, validates),
      defineTokenResource(`${name}-reset`, validates, RESET),
      defineTokenResource(`${name}-reset-beside`, { ...validates, ...RESET }),
      defineTokenResource(`${name}-admin`, validates, { audience: ['owner', 'admin'] }),
      defineTokenResource(`${name}-back-office`, validates, { issuer: 'back-office', audience: 'admin' }),
    ]),
    defineTokenResource('loud', FORMATS['hs512']?.[0] ?? {}),
    defineTokenResource('quiet', FORMATS['hs512']?.[0] ?? {}),
    defineTokenResource('provided', FORMATS['rs256']?.[1] ?? {}, {
      issuer: '$ENV.PROVIDER',
      audience: 'https://api.example.com',
    }),
    defineTokenResource('provided-for-any', FORMATS['rs256']?.[1] ?? {}, {
      issuer: ['$ENV.PROVIDER', 'https://other.example.com/'],
    }),
    {
      ...giving('refresh', { ...SHARED, audience: 'admin' }),
      protected: { purpose: 'access' },
    },
    { ...giving('forget-me', { ...SHARED, purpose: 'deletion' }), protected: { purpose: 'access' } },
  ],
};

const GUARDS = ['me', 'reset', 'reset-beside', 'admin', 'back-office'] as const;

describe('realm and purpose of tokens', () => {
  let kernel: TestKernel;
  before(async () => (kernel = await startKernel({ files: FILES, env: ENV })));
  after(() => kernel.close());

  const fetchToken = async (path: string, init: RequestInit = {}): Promise<string> =>
    String((await kernel.post(path, {}, init)).body['token']);
  const opens = async (path: string, token: string): Promise<number> =>
    (await kernel.post(path, {}, createBearerInit(token))).status;
  /** The guards of a format that take a token. */
  const listOpenedGuards = async (name: string, token: string): Promise<string[]> => {
    const statuses = await Promise.all(GUARDS.map((guard) => opens(`/${name}-${guard}`, token)));
    expect(statuses.every((status) => status === 200 || status === 401)).to.equal(true);
    return GUARDS.filter((_, index) => statuses[index] === 200);
  };

  it('are claims: issuer, audience and purpose', async () => {
    const login = decodeJwt(await fetchToken('/hs256-login'));
    expect(login).to.include({ iss: 'hs256-login', id: 7 });
    expect(login.aud).to.match(/^key-[A-Za-z0-9_-]{16}$/);
    expect(login).not.to.have.property('purpose');
    const reset = decodeJwt(await fetchToken('/hs256-forgot'));
    expect(reset).to.include({ iss: 'hs256-forgot', aud: login.aud, purpose: 'password-reset' });
    expect(decodeJwt(await fetchToken('/hs256-admin-login'))).to.include({ iss: 'back-office', aud: 'admin' });
    // The key id does not reveal the key, and another key has another one.
    expect(JSON.stringify(login)).not.to.contain(KEY);
    expect(decodeJwt(await fetchToken('/rs256-login')).aud).not.to.equal(login.aud);
  });

  for (const name of Object.keys(FORMATS)) {
    it(`${name}: let a sign-in pass all guards without a purpose, and a reset only its own`, async () => {
      expect(await listOpenedGuards(name, await fetchToken(`/${name}-login`))).to.deep.equal(['me']);
      expect(await listOpenedGuards(name, await fetchToken(`/${name}-forgot`))).to.deep.equal([
        'reset',
        'reset-beside',
      ]);
      expect(await listOpenedGuards(name, await fetchToken(`/${name}-admin-login`))).to.deep.equal([
        'admin',
        'back-office',
      ]);
    });
  }

  it('are optional in guards that require none', async () => {
    const old = await signJwt({ id: 'ada' });
    expect(await listOpenedGuards('hs256', old)).to.deep.equal(['me']);
    expect(await opens('/refresh', old)).to.equal(401);
  });

  it('are compared exactly', async () => {
    const realm = decodeJwt(await fetchToken('/hs256-login')).aud;
    for (const claims of [
      { purpose: 'password-reset', aud: 'elsewhere' },
      { purpose: 'reset' },
      { purpose: ['password-reset'] },
      { purpose: null },
      { purpose: '' },
      { aud: 'owner ' },
      { aud: [] },
      { aud: {} },
      { aud: 7 },
      { aud: [['admin']] },
      { aud: 'Admin', iss: 'back-office' },
    ])
      expect(
        await listOpenedGuards('hs256', await signJwt({ id: 1, ...claims })),
        JSON.stringify(claims),
      ).to.deep.equal([]);
    expect(await listOpenedGuards('hs256', await signJwt({ id: 1, aud: ['x', realm] }))).to.deep.equal(['me']);
    expect(await listOpenedGuards('hs256', await signJwt({ id: 1, aud: ['x', 'admin'], iss: 'x' }))).to.deep.equal([
      'admin',
    ]);
    expect(await listOpenedGuards('hs256', await signJwt({ id: 1, aud: realm, purpose: 'access' }))).to.deep.equal([
      'me',
    ]);
  });

  it('accept tokens of an identity provider if the guard names its issuer and audience', async () => {
    const key = await importPKCS8(ENV.RS_SECRET, 'RS256');
    const provided = (claims: object): Promise<string> =>
      new SignJWT({ id: 'ada', iat: getSeconds(), exp: getSeconds(600), ...claims })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
        .sign(key);
    const right = { iss: ENV.PROVIDER, aud: ['https://api.example.com', 'https://login.example.com/userinfo'] };
    expect(await opens('/provided', await provided(right))).to.equal(200);
    for (const wrong of [
      { ...right, aud: 'https://shop.example.com' },
      { ...right, iss: 'https://evil.example.com/' },
      { ...right, iss: [ENV.PROVIDER] },
      { iss: ENV.PROVIDER },
      { aud: right.aud },
      {},
      { ...right, purpose: 'x' },
    ])
      expect(await opens('/provided', await provided(wrong)), JSON.stringify(wrong)).to.equal(401);
    // Where no audience is written, one that the token names is not this guard's.
    expect(await opens('/provided-for-any', await provided({ iss: ENV.PROVIDER }))).to.equal(200);
    expect(await opens('/provided-for-any', await provided(right))).to.equal(401);
    expect(await opens('/rs256-me', await provided(right))).to.equal(401);
  });

  it('log a rejected token of another audience once, without anything of it', async () => {
    const wrong = await signJwt({ id: 'ada', aud: 'of-somebody-else' });
    for (let i = 0; i < 3; i++) expect(await opens('/quiet', wrong)).to.equal(401);
    const valid = await new SignJWT({ id: 'ada', exp: getSeconds(60), aud: 'of-somebody-else' })
      .setProtectedHeader({ alg: 'HS512' })
      .sign(new TextEncoder().encode(KEY));
    for (let i = 0; i < 3; i++) expect(await opens('/loud', valid)).to.equal(401);
    const reported = kernel.log.filter(({ level, fields }) => level === 'warn' && fields['resource'] === 'loud');
    expect(reported).to.have.length(1);
    expect(reported[0]?.fields['reason']).to.equal('another audience');
    expect(JSON.stringify(reported)).not.to.contain('somebody');
    expect(kernel.log.some(({ level, fields }) => level === 'warn' && fields['resource'] === 'quiet')).to.equal(false);
  });

  it('are taken from the `tokenize` next to a guard, unless it has its own', async () => {
    const admin = await fetchToken('/hs256-admin-login');
    const login = await fetchToken('/hs256-login');
    expect(await opens('/refresh', login), 'no way from a sign-in to an admin token').to.equal(401);
    const next = await fetchToken('/refresh', createBearerInit(admin));
    expect(decodeJwt(next)).to.include({ iss: 'refresh', aud: 'admin' });
    const removal = await fetchToken('/forget-me', createBearerInit(login));
    expect(decodeJwt(removal)).to.include({ purpose: 'deletion' });
    expect(await opens('/forget-me', removal)).to.equal(401);
  });
});

describe('purposes across resources', () => {
  it('let a resource reach another only with the same audience and purpose', async () => {
    const target = { ...defineTokenResource('target', SHARED, RESET) };
    const defineGuardedDependency = (guard: object): object => ({
      ...defineTokenResource('around', SHARED, guard),
      actionables: [{ id: 1, mode: 'RETURN', value: 1, depends_on: [{ resource_id: 'target', action_ids: [1] }] }],
    });
    const start = (guard: object) =>
      startKernel({ files: { 'definitions/a.json': [target, defineGuardedDependency(guard)] }, env: { KEY } });
    const rejected = await start({}).then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(rejected).to.contain('LNK_PRIVILEGE');
    await (await start(RESET)).close();
  });

  it('reserve the claim `purpose`', async () => {
    const files = {
      'definitions/a.json': [
        { ...defineReturnResource('a', { purpose: 'x' }), tokenize: { ...SHARED, custom_claim_fields: ['purpose'] } },
      ],
    };
    const rejected = await startKernel({ files, env: { KEY } }).then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(rejected).to.contain('TOK_CLAIM_RESERVED');
  });
});

describe('tokens of webhook senders', () => {
  it('have the issuer and the audience that their verifier names', async () => {
    const verifier = {
      header_key: '$HEADER.x-jwt',
      secret_key: '$ENV.KEY',
      issuer: ['billing', 'tax'],
      audience: 'shop',
    };
    const hook = { ...defineReturnResource('hook', 1), webhook: { verifications: { JwtVerifier: verifier } } };
    const kernel = await startKernel({ files: { 'definitions/a.json': [hook] }, env: { KEY } });
    const postHook = async (claims: object): Promise<number> =>
      (await kernel.post('/hook', {}, { headers: { 'x-jwt': await signJwt({ ...claims }) } })).status;
    for (const right of [
      { iss: 'billing', aud: 'shop' },
      { iss: 'tax', aud: ['x', 'shop'] },
    ])
      expect(await postHook(right)).to.equal(200);
    const wrong = [
      {},
      { iss: 'billing' },
      { aud: 'shop' },
      { iss: ['billing'], aud: 'shop' },
      { iss: 'tax', aud: 'Shop' },
    ];
    for (const claims of wrong) expect(await postHook(claims), JSON.stringify(claims)).to.equal(401);
    await kernel.close();
  });
});

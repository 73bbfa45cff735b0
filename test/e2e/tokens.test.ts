/** Issuing tokens, over real HTTP: when, with which claims, and what cannot be one. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect } from 'chai';
import { decodeJwt, jwtVerify } from 'jose';
import { decrypt } from 'paseto-ts/v4';
import { describeOnDatabase, startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { RSA_PAIR } from '../support/rsa.js';
import { createBearerInit, signJwt, KEY } from '../support/tokens.js';

const TOKENIZE = { type: 'JWT', encryption_key: '$ENV.KEY' };
const PERSON = { id: '$PAYLOAD.id', email: '$PAYLOAD.email', address: { city: 'London' }, inner: 1 };

const issuing = (id: string, tokenize: object, value: unknown, more: object = {}): object => ({
  ...defineReturnResource(id, value),
  tokenize: { ...TOKENIZE, ...tokenize },
  ...more,
});

const ME = {
  ...defineReturnResource('me', { id: '$PROTECTED.id' }),
  tokenize: TOKENIZE,
  protected: { extract_claims: ['id'] },
};

const FILES = {
  'definitions/a.json': [
    ME,
    issuing('sign-in', { expiration: 60, custom_claim_fields: ['id', 'email'] }, PERSON, { returnables: ['email'] }),
    issuing('listed', {}, PERSON, { returnables: ['token', 'email'] }),
    issuing('named', { property_name: 'access_token' }, PERSON),
    issuing('nested', { custom_claim_fields: ['address.city', 'id'] }, PERSON, { returnables: ['inner'] }),
    issuing('anything', { custom_claim_fields: ['id'] }, '$PAYLOAD.value'),
    {
      id: 'several',
      resource: 'several',
      tokenize: { ...TOKENIZE, custom_claim_fields: ['a', 'b', 'c', 'named'] },
      actionables: [
        { id: 1, mode: 'RETURN', value: { a: 'first', b: 'first', c: 'first', d: { e: 'extracted' } } },
        {
          id: 2,
          mode: 'RETURN',
          value: { a: 'second', b: 'second' },
          extract_response_for: [{ extract: 'a', for: 'x' }],
        },
        {
          id: 3,
          mode: 'RETURN',
          value: { a: null },
          depends_on: [
            { resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'd.e', for: 'named' }] },
          ],
        },
      ],
    },
    {
      id: 'combined',
      resource: 'combined',
      tokenize: { ...TOKENIZE, custom_claim_fields: ['a', 'b'] },
      combine_returned_results_from: [1],
      actionables: [
        { id: 1, mode: 'RETURN', value: { a: 1 } },
        { id: 2, mode: 'RETURN', value: { b: 2 } },
      ],
    },
    // A protected resource uses `tokenize` to verify tokens.
    { ...ME, id: 'verify-only', resource: 'verify-only' },
    {
      ...ME,
      id: 'column',
      resource: 'column',
      actionables: [{ id: 1, mode: 'RETURN', value: { token: 'state' } }],
      returnables: ['token'],
    },
    { ...ME, id: 'refresh', resource: 'refresh', tokenize: { ...TOKENIZE, custom_claim_fields: ['id'] } },
    {
      ...ME,
      id: 'refresh-listed',
      resource: 'refresh-listed',
      tokenize: { ...TOKENIZE, property_name: 'fresh' },
      returnables: ['id', 'fresh'],
    },
    issuing('sealed', { type: 'PASETO', custom_claim_fields: ['id'] }, PERSON, { returnables: [] }),
    issuing('sealed-subject', { type: 'PASETO', custom_claim_fields: ['sub'] }, '$PAYLOAD.value'),
  ],
};

describe('issued tokens', () => {
  let kernel: TestKernel;
  before(async () => (kernel = await startKernel({ files: FILES, env: { KEY } })));
  after(() => kernel.close());

  const body = { id: 'ada', email: 'ada@example.com' };
  const claimsFrom = async (path: string, sent: unknown = body): Promise<Record<string, unknown>> => {
    const answer = await kernel.post(path, sent);
    expect(answer.status, answer.text).to.equal(200);
    return decodeJwt(String(answer.body['token']));
  };

  it('are accepted by another resource with the same key', async () => {
    const { body: answer } = await kernel.post('/sign-in', body);
    const me = await kernel.post('/me', {}, createBearerInit(String(answer['token'])));
    expect(me.body).to.deep.equal({ id: 'ada' });
  });

  it('contain timestamps, an id, the named claims and nothing else', async () => {
    const before = Math.floor(Date.now() / 1000);
    const claims = await claimsFrom('/sign-in', { ...body, exp: 9_999_999_999, expiration: 9_999_999, role: 'admin' });
    expect(claims).to.have.all.keys('id', 'email', 'iss', 'aud', 'iat', 'exp', 'jti');
    expect(claims).to.include(body);
    expect(claims['iat']).to.be.within(before, before + 5);
    expect(claims['exp']).to.equal(Number(claims['iat']) + 60);
    expect((await claimsFrom('/sign-in'))['jti']).not.to.equal(claims['jti']);
  });

  it('expire after an hour unless the definition sets another time', async () => {
    const { iat, exp } = await claimsFrom('/listed');
    expect(Number(exp) - Number(iat)).to.equal(3600);
  });

  it('are in the response, listed or not, under the configured name', async () => {
    expect((await kernel.post('/sign-in', body)).body).to.have.all.keys('email', 'token');
    expect((await kernel.post('/listed', body)).body).to.have.all.keys('email', 'token');
    expect((await kernel.post('/named', body)).body).to.have.all.keys(
      'id',
      'email',
      'address',
      'inner',
      'access_token',
    );
  });

  it('contain claims that `returnables` removes from the response', async () => {
    const { body: answer } = await kernel.post('/nested', body);
    expect(answer).to.have.all.keys('inner', 'token');
    expect(decodeJwt(String(answer['token']))).to.deep.include({ id: 'ada', address: { city: 'London' } });
  });

  it('look claims up in the main result, then in the others, latest first, then among names', async () => {
    const claims = await claimsFrom('/several');
    // Null is a value: no other result replaces it.
    expect(claims).to.include({ a: null, b: 'second', c: 'first', named: 'extracted' });
  });

  it('read combined results', async () => {
    expect(await claimsFrom('/combined')).to.include({ a: 1, b: 2 });
  });

  it('are rejected with 401 if there is no row', async () => {
    const { status, body: problem } = await kernel.post('/anything', { value: null });
    expect(status).to.equal(401);
    expect(problem).to.include({ code: 'TOK_NO_SUBJECT' }).and.not.have.property('token');
  });

  for (const value of [[], [{ id: 1 }], 'text', 5, true]) {
    it(`are rejected with 422 if the result is ${JSON.stringify(value)}`, async () => {
      const { status, body: problem } = await kernel.post('/anything', { value });
      expect(status).to.equal(422);
      expect(problem).to.include({ code: 'TOK_NOT_OBJECT' });
    });
  }

  it('are rejected with 422 if a claim has no value, or is too large', async () => {
    const missing = await kernel.post('/anything', { value: { name: 'ada' } });
    expect([missing.status, missing.body['code']]).to.deep.equal([422, 'TOK_CLAIM_MISSING']);
    const large = await kernel.post('/anything', { value: { id: 'x'.repeat(9000) } });
    expect([large.status, large.body['code']]).to.deep.equal([422, 'TOK_UNFIT']);
    const inherited = await kernel.post('/anything', { value: { toString: 1 } });
    expect(inherited.status).to.equal(422);
  });

  it('are not issued by a protected resource that only verifies them', async () => {
    const init = createBearerInit(await signJwt({ id: 'ada' }));
    expect((await kernel.post('/verify-only', {}, init)).body).to.deep.equal({ id: 'ada' });
    expect((await kernel.post('/column', {}, init)).body).to.deep.equal({ token: 'state' });
  });

  it('are issued by a protected resource that names claims, or lists the property that it names', async () => {
    const init = createBearerInit(await signJwt({ id: 'ada', exp: Math.floor(Date.now() / 1000) + 5 }));
    for (const [path, name] of [
      ['/refresh', 'token'],
      ['/refresh-listed', 'fresh'],
    ] as const) {
      const { status, body: answer } = await kernel.post(path, {}, init);
      expect(status).to.equal(200);
      expect(answer['id']).to.equal('ada');
      expect(Number(decodeJwt(String(answer[name])).exp)).to.be.greaterThan(Date.now() / 1000 + 3000);
      expect((await kernel.post(path, {})).status).to.equal(401);
    }
  });

  it('are PASETOs that another library opens', async () => {
    const { body: answer } = await kernel.post('/sealed', body);
    const key = `k4.local.${Buffer.from(KEY).toString('base64url')}`;
    const { payload } = decrypt(key, String(answer['token'])) as { payload: Record<string, unknown> };
    expect(payload).to.have.all.keys('id', 'iss', 'aud', 'iat', 'exp', 'jti');
    expect(payload['id']).to.equal('ada');
    expect(payload['exp']).to.match(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.000Z$/);
  });

  it('are PASETOs whose registered claims are text, as the standard has it', async () => {
    expect((await kernel.post('/sealed-subject', { value: { sub: 'ada' } })).status).to.equal(200);
    const { status, body: problem } = await kernel.post('/sealed-subject', { value: { sub: 7 } });
    expect([status, problem['code']]).to.deep.equal([422, 'TOK_UNFIT']);
  });
});

describe('tokens with other types of keys', () => {
  const pairs: readonly (readonly [string, { readonly publicKey: KeyObject; readonly privateKey: KeyObject }])[] = [
    ['RS256', RSA_PAIR],
    ['RS512', RSA_PAIR],
    ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['ES384', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ['EdDSA', generateKeyPairSync('ed25519')],
  ];
  for (const [algorithm, { publicKey, privateKey }] of pairs) {
    it(`${algorithm}: are signed with the private key, verified with the public one, and line breaks may be written as \\n`, async () => {
      const tokenize = { type: 'JWT', algorithm };
      const files = {
        'definitions/a.json': [
          issuing(
            'sign-in',
            { ...tokenize, encryption_key: '$ENV.PRIVATE', custom_claim_fields: ['id'] },
            { id: 'ada' },
          ),
          { ...ME, tokenize: { ...tokenize, encryption_key: '$ENV.PUBLIC' } },
          { ...ME, id: 'both', resource: 'both', tokenize: { ...tokenize, encryption_key: '$ENV.PRIVATE' } },
        ],
      };
      const env = {
        PRIVATE: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().replaceAll('\n', '\\n'),
        PUBLIC: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      };
      const kernel = await startKernel({ files, env });
      const token = String((await kernel.post('/sign-in', {})).body['token']);
      const { payload } = await jwtVerify(token, publicKey, { algorithms: [algorithm] });
      expect(payload['id']).to.equal('ada');
      for (const path of ['/me', '/both'])
        expect((await kernel.post(path, {}, createBearerInit(token))).body).to.deep.equal({ id: 'ada' });
      await kernel.close();
    });
  }

  it('are rejected at load if a public key would sign', async () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const files = {
      'definitions/a.json': issuing('sign-in', { algorithm: 'EdDSA', encryption_key: '$ENV.PUBLIC' }, { id: 1 }),
    };
    const env = { PUBLIC: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
    const error = await startKernel({ files, env }).then(
      () => null,
      (reason: unknown) => reason as Error,
    );
    expect(error?.message).to.match(/TOK_KEY.*sign-in.*private/);
  });

  it('log a short key of the environment, without the key', async () => {
    const kernel = await startKernel({ files: { 'definitions/a.json': ME }, env: { KEY: 'short-but-own' } });
    const rows = kernel.log.filter(({ level }) => level === 'warn');
    expect(rows).to.have.length(1);
    expect(rows[0]?.fields).to.deep.equal({ place: '"me"', bytes: 13, min: 32 });
    expect(JSON.stringify(kernel.log)).not.to.contain('short-but-own');
    await kernel.close();
  });
});

const USERS = {
  'definitions/_member.model.json': {
    id: { type: 'Number', primary_key: true, auto_increment: true },
    email: { type: 'String', unique: true },
    role: { type: 'String' },
    password: { type: 'String', secret: true },
  },
  'definitions/a.json': [
    {
      id: 'sign-up',
      resource: 'sign-up',
      tokenize: { ...TOKENIZE, custom_claim_fields: ['id', 'role'] },
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          payload_validation: [{ field: { email: { type: 'EMAIL' }, password: { type: 'STRING' } } }],
          sql_query: {
            query: 'INSERT INTO member (email, role, password) VALUES ($1, $2, $3)',
            parameters: ['email', { literal: 'member' }, 'password'],
          },
        },
      ],
      returnables: ['email'],
    },
    {
      id: 'sign-in',
      resource: 'sign-in',
      tokenize: { ...TOKENIZE, custom_claim_fields: ['id', 'role'] },
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: { query: 'SELECT * FROM member WHERE email = $1', parameters: ['$PAYLOAD.email'] },
        },
      ],
      returnables: ['email'],
    },
    {
      id: 'profile',
      resource: 'profile',
      tokenize: TOKENIZE,
      protected: { extract_claims: ['id'] },
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: { query: 'SELECT email FROM member WHERE id = $1', parameters: ['$PROTECTED.id'] },
        },
      ],
      returnables: ['email'],
    },
  ],
};

describeOnDatabase('tokens of rows', { files: USERS, env: { KEY } }, (kernel) => {
  it('are issued at sign-up and sign-in, and find only the row of their owner', async () => {
    for (const email of ['ada@example.com', 'eve@example.com']) {
      const up = await kernel().post('/sign-up', { email, password: 'pass' });
      expect(up.body, up.text).to.have.all.keys('email', 'token');
      expect(decodeJwt(String(up.body['token']))).to.include({ role: 'member' });
      const { body } = await kernel().post('/sign-in', { email });
      const profile = await kernel().post('/profile', { id: 1 }, createBearerInit(String(body['token'])));
      expect(profile.body).to.deep.equal({ email });
    }
  });

  it('are not issued for an unknown address', async () => {
    const { status, body } = await kernel().post('/sign-in', { email: 'nobody@example.com' });
    expect([status, body['code']]).to.deep.equal([401, 'TOK_NO_SUBJECT']);
  });
});

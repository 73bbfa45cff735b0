/** Tokens over real HTTP: given out, taken back, and what of a result gets into them. */
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { bearer, KEY } from '../support/tokens.js';

const TOKENIZE = { type: 'JWT', encryption_key: '$ENV.JWT_SECRET_KEY' };

const FILES = {
  'definitions/a.json': [
    {
      id: 'sign-in',
      resource: 'sign-in',
      tokenize: { ...TOKENIZE, expiration: 60, custom_claim_fields: ['id', 'email'] },
      actionables: [{ id: 1, mode: 'RETURN', value: { id: '$PAYLOAD.id', email: '$PAYLOAD.email', inner: 1 } }],
      returnables: ['email'],
    },
    {
      id: 'me',
      resource: 'me',
      tokenize: TOKENIZE,
      protected: { extract_claims: ['id'] },
      actionables: [{ id: 1, mode: 'RETURN', value: { me: '$PROTECTED.id' } }],
    },
  ],
};

describe('tokens', () => {
  let kernel: TestKernel;
  before(async () => (kernel = await startKernel({ files: FILES, env: { JWT_SECRET_KEY: KEY } })));
  after(() => kernel.close());

  it('are given out by one resource and taken by another', async () => {
    const { status, body } = await kernel.post('/sign-in', { id: 'ada', email: 'ada@example.com', exp: 1 });
    expect(status).to.equal(200);
    expect(body).to.have.all.keys('email', 'token');
    const claims = decodeJwt(String(body['token']));
    expect(claims).to.have.all.keys('id', 'email', 'iat', 'exp', 'jti');
    expect(claims.exp).to.equal(Number(claims.iat) + 60);
    const me = await kernel.post('/me', {}, bearer(String(body['token'])));
    expect(me.body).to.deep.equal({ me: 'ada' });
    expect((await kernel.post('/me', {})).status).to.equal(401);
  });
});

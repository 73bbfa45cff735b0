/** Claims are resolved before anything is written: a request that fails for a missing one leaves nothing. */
import { expect } from 'chai';
import { InvalidDefinitionsError } from '../../language/project/invalid-definitions.js';
import type { Loose } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createBearerInit, KEY } from '../support/tokens.js';

const tokenize = (...claims: string[]): object => ({
  tokenize: { type: 'JWT', encryption_key: '$ENV.TOKEN_KEY', custom_claim_fields: claims },
});
const query = (id: number, text: string, parameters: string[] = [], rest: object = {}): object => ({
  ...{ id, mode: 'QUERY', sql_query: { query: text, parameters } },
  ...rest,
});
const ADD = 'INSERT INTO users (id, email, profile) VALUES ($1, $2, $3)';
const VALUES = ['$PAYLOAD.id', '$PAYLOAD.email', '$PAYLOAD.profile'];
const FILES = {
  'definitions/all.json': [
    {
      _user: {
        id: { type: 'Number', primary_key: true },
        email: { type: 'String' },
        profile: { type: 'JSON_OBJECT', optional: true },
      },
    },
    {
      id: 'sign-up',
      resource: 'sign-up',
      actionables: [query(1, ADD, VALUES)],
      returnables: ['id'],
      ...tokenize('id', 'email'),
    },
    {
      id: 'with-role',
      resource: 'with-role',
      actionables: [query(1, ADD, VALUES)],
      returnables: ['id'],
      ...tokenize('profile.role'),
    },
    {
      id: 'staff',
      resource: 'staff',
      actionables: [{ id: 1, mode: 'RETURN', value: { id: 1, role: 'admin' } }],
      ...tokenize('id', 'role'),
    },
    {
      id: 'other',
      resource: 'other',
      actionables: [
        query(1, ADD, VALUES),
        query(2, 'SELECT id FROM users WHERE id = -1', [], { main_returnable: true }),
      ],
      returnables: ['id'],
      ...tokenize('id'),
    },
    {
      id: 'guarded',
      resource: 'guarded',
      protected: { extract_claims: ['id', 'role'] },
      tokenize: { type: 'JWT', encryption_key: '$ENV.TOKEN_KEY' },
      actionables: [query(1, ADD, VALUES), { id: 2, mode: 'RETURN', value: { role: '$PROTECTED.role' } }],
      returnables: ['role'],
    },
    {
      id: 'all',
      resource: 'all',
      actionables: [query(1, 'SELECT id FROM users', [], { result: 'many' })],
      returnables: ['id'],
    },
  ],
};
const config = { connections: { main: { use: 'pglite', path: 'memory://' } } };
const env = { TOKEN_KEY: KEY };

describe('claims', () => {
  let kernel: TestKernel;
  before(async () => {
    kernel = await startKernel({ files: FILES, config, env });
  });
  after(() => kernel.close());
  const listIds = async (): Promise<unknown[]> =>
    (await kernel.post<readonly Loose[]>('/all')).body.map(({ id }) => id);

  it('roll back the work if the result does not have them', async () => {
    const sent = { email: 'a@example.com', profile: { name: 'Ada' } };
    expect((await kernel.post('/with-role', { id: 1, ...sent })).status).to.equal(422);
    expect((await kernel.post('/other', { id: 2, ...sent })).status).to.equal(401);
    expect(await listIds()).to.deep.equal([]);
    const { status, body } = await kernel.post('/with-role', { id: 3, ...sent, profile: { role: 'admin' } });
    expect([status, typeof body['token']]).to.deep.equal([200, 'string']);
    expect(await listIds()).to.deep.equal([3]);
  });

  it('are required before any write if an actionable reads them', async () => {
    const { body } = await kernel.post('/sign-up', { id: 10, email: 'b@example.com', profile: null });
    const before = await listIds();
    const sent = { id: 11, email: 'c@example.com', profile: null };
    const { status } = await kernel.post('/guarded', sent, createBearerInit(String(body['token'])));
    expect(status).to.equal(403);
    expect(await listIds()).to.deep.equal(before);
  });

  it('are an error at load if no result has them', async () => {
    const bad = {
      id: 'bad',
      resource: 'bad',
      actionables: [query(1, `${ADD} RETURNING id`, VALUES)],
      ...tokenize('role'),
    };
    const files = { 'definitions/all.json': [FILES['definitions/all.json'][0], bad] };
    const error: unknown = await startKernel({ files, config, env }).then(
      (one) => one.close(),
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(InvalidDefinitionsError);
    const codes = (error as InvalidDefinitionsError).problems
      .filter(({ severity }) => severity === 'error')
      .map(({ code }) => code);
    expect(codes).to.deep.equal(['TOK_CLAIM_ABSENT']);
  });
});

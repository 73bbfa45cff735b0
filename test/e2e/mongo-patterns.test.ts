/**
 * The patterns of the interface on documents, over real HTTP on both document stores: sign-up, sign-in, protected read
 * and change, the balance chain, several actionables after one INSERT, deferred work, cached responses, encrypted
 * fields.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { defineDocumentResource, describeOnEach, STORES } from '../support/databases.js';
import { waitUntil } from '../support/until.js';
import { KEY } from '../support/tokens.js';

const TOKENS = { type: 'JWT', algorithm: 'HS256', encryption_key: '$ENV.TOKEN_KEY' };
const PROTECTED = { tokenize: TOKENS, protected: { extract_claims: ['id'] } };
const OWN = { id: '$PROTECTED.id' };
const users = (action: string, rest: object): object => ({ collection: 'users', action, ...rest });
const depends = (action: number, extract: string, name: string): object => ({
  depends_on: [{ resource_id: 'self', action_ids: [action], extract_response_for: [{ extract, for: name }] }],
});

const FILES = {
  'definitions/models/_user.json': {
    id: { type: 'String', primary_key: true },
    email: { type: 'String' },
    password: { type: 'String' },
    balance: { type: 'Float' },
    card: { type: 'String', optional: true },
    created_at: { type: 'DateTime' },
    updated_at: { type: 'DateTime' },
  },
  'definitions/models/_activity.json': {
    user_id: { type: 'String' },
    title: { type: 'String' },
    amount: { type: 'Float', optional: true },
    at: { type: 'DateTime' },
  },
  'definitions/resources.json': [
    defineDocumentResource(
      'sign-up',
      users('INSERT', {
        document: { id: '$1', email: '$PAYLOAD.email', password: '$PAYLOAD.password', balance: 0 },
        parameters: ['id'],
        unique: ['email'],
        with_timestamp: true,
      }),
      {
        payload_validation: [{ field: { email: { type: 'EMAIL' }, password: { type: 'STRING' } }, min_length: 5 }],
        hashables: [{ property: 'password', algorithm: 'BCRYPT', options: { rounds_cost: 4 } }],
        generate: '$GENERATOR.ULID',
        for: 'id',
      },
      {
        tokenize: { ...TOKENS, custom_claim_fields: ['id'], property_name: 'token' },
        returnables: ['id', 'email', 'token'],
      },
    ),
    defineDocumentResource(
      'sign-in',
      users('FETCH_ONE', { filter_predicate: { email: '$1' }, parameters: ['email'] }),
      {
        payload_validation: [{ field: { email: { type: 'EMAIL' }, password: { type: 'STRING' } } }],
        verify_hashables: [{ property: 'password', algorithm: 'BCRYPT' }],
        must_return_value: true,
      },
      { tokenize: { ...TOKENS, custom_claim_fields: ['id'], property_name: 'token' }, returnables: ['id', 'token'] },
    ),
    // No rule declares these as text.
    defineDocumentResource(
      'sign-in-loose',
      users('FETCH_ONE', { filter_predicate: { email: '$PAYLOAD.email' } }),
      { verify_hashables: [{ property: 'password', algorithm: 'BCRYPT' }], must_return_value: true },
      { returnables: ['id'] },
    ),
    defineDocumentResource(
      'account',
      users('FETCH_ONE', { filter_predicate: OWN }),
      { must_return_value: true },
      {
        ...PROTECTED,
        returnables: ['id', 'email', 'balance', 'created_at'],
      },
    ),
    defineDocumentResource(
      'rename',
      users('UPDATE', {
        filter_predicate: OWN,
        update_predicate: { $set: { email: '$PAYLOAD.email' } },
        with_timestamp: true,
      }),
      { payload_validation: [{ field: { email: { type: 'EMAIL' } } }] },
      { ...PROTECTED, returnables: ['email'] },
    ),
    {
      id: 'wallet-add',
      resource: 'wallet-add',
      ...PROTECTED,
      actionables: [
        {
          id: 2,
          mode: 'QUERY',
          payload_validation: [{ field: { amount: { type: 'NUMBER' } } }],
          ...depends(1, 'balance', 'before'),
          mongo_query: users('UPDATE', {
            filter_predicate: OWN,
            update_predicate: [{ $set: { balance: { $add: ['$1', '$2'] } } }],
            parameters: ['before', 'amount'],
          }),
          main_returnable: true,
        },
        {
          id: 3,
          mode: 'QUERY',
          ...depends(2, 'balance', 'after'),
          mongo_query: {
            collection: '_activity',
            action: 'INSERT',
            document: { user_id: '$PROTECTED.id', title: 'added', amount: '$1', at: '$DATETIME' },
            parameters: ['after'],
          },
        },
        {
          id: 1,
          mode: 'QUERY',
          no_op: true,
          must_return_value: true,
          mongo_query: users('FETCH_ONE', { filter_predicate: OWN }),
        },
      ],
      returnables: ['balance'],
    },
    defineDocumentResource(
      'activities',
      { collection: '_activity', action: 'FETCH', filter_predicate: { user_id: '$PROTECTED.id' }, sort: { amount: 1 } },
      { result: 'many' },
      { ...PROTECTED, returnables: ['title', 'amount', 'at'] },
    ),
    defineDocumentResource(
      'card',
      users('UPDATE', { filter_predicate: OWN, update_predicate: { $set: { card: '$PAYLOAD.card' } } }),
      {
        payload_validation: [{ field: { card: { type: 'STRING' } } }],
        ciphers: [
          { properties: ['card'], algorithm: 'Aes256Gcm', operation: 'Encrypt', options: { key: '$ENV.FIELD_KEY' } },
        ],
      },
      { ...PROTECTED, returnables: ['card'] },
    ),
    {
      id: 'notify',
      resource: 'notify',
      ...PROTECTED,
      actionables: [
        { id: 1, mode: 'QUERY', mongo_query: users('FETCH_ONE', { filter_predicate: OWN }), main_returnable: true },
        {
          id: 2,
          mode: 'QUERY',
          run_in_background: true,
          mongo_query: {
            collection: '_activity',
            action: 'INSERT',
            document: { user_id: '$PROTECTED.id', title: '$PAYLOAD.title', at: '$DATETIME' },
          },
        },
      ],
      returnables: ['id'],
    },
  ],
};

const ENV = { TOKEN_KEY: KEY, FIELD_KEY: 'Hy6Bn3Vc8Xz1Lk5Jh9Gf2Ds7Aq4Wp0Er' };

describeOnEach('patterns of the interface on documents', STORES, { files: FILES, env: ENV }, (kernel) => {
  type Headers = Readonly<Record<string, string>>;
  const ADA = { email: 'ada@example.com', password: 'correct horse' };
  let bearer: Headers = {};
  const send = <T = Loose>(path: string, body: unknown = {}, headers: Headers = bearer) =>
    kernel().post<T>(`/${path}`, body, { headers });
  const ok = async <T = Loose>(path: string, body: unknown = {}): Promise<T> => {
    const answer = await send<T>(path, body);
    expect(answer.status, `${path}: ${answer.text}`).to.equal(200);
    return answer.body;
  };

  it('sign-up: stores a hash, under a generated id, with timestamps, returns a token; an address is unique', async () => {
    const row = await ok('sign-up', ADA);
    expect(row).to.have.all.keys('id', 'email', 'token');
    expect(row['id']).to.match(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    bearer = { authorization: `Bearer ${String(row['token'])}` };
    const again = await send('sign-up', ADA);
    expect(again.status).to.equal(409);
    expect((again.body['errors'] as Loose[])[0]).to.include({ pointer: '/email' });
  });

  it('sign-in: accepts only the right password, and never an operator', async () => {
    expect(await ok('sign-in', ADA)).to.have.all.keys('id', 'token');
    expect((await send('sign-in', { ...ADA, password: 'wrong horse' })).status).to.equal(401);
    expect(await ok('sign-in-loose', ADA)).to.have.all.keys('id');
    for (const odd of [{ $ne: null }, { $gt: '' }, { $regex: '^a' }, { $in: [ADA.email] }, [ADA.email], null, true]) {
      const { status } = await send('sign-in-loose', { ...ADA, email: odd });
      expect(status, JSON.stringify(odd)).to.be.oneOf([401, 404, 422]);
      expect((await send('sign-in-loose', { ...ADA, password: odd })).status).to.be.oneOf([401, 422]);
    }
  });

  it('protected read and change: use the document of the claim', async () => {
    expect(await ok('account', { id: 'other' })).to.include({ email: ADA.email, balance: 0 });
    expect((await send('account', {}, {})).status).to.equal(401);
    expect(await ok('rename', { email: 'ada@example.org' })).to.deep.equal({ email: 'ada@example.org' });
  });

  it('balance chain: runs its read first, and the actionables that depend on it last', async () => {
    expect(await ok('wallet-add', { amount: 2.5 })).to.deep.equal({ balance: 2.5 });
    expect(await ok('wallet-add', { amount: 1 })).to.deep.equal({ balance: 3.5 });
    const rows = await ok<Loose[]>('activities');
    expect(rows.map(({ title, amount }) => [title, amount])).to.deep.equal([
      ['added', 2.5],
      ['added', 3.5],
    ]);
    expect(rows[0]?.['at']).to.match(/Z$/);
  });

  it('encryption: stores an encrypted field encrypted', async () => {
    const { card } = await ok('card', { card: '4111 1111' });
    expect(card).to.be.a('string').and.not.include('4111 1111');
  });

  it('deferred work: runs after the response', async () => {
    const { status, text } = await send('notify', { title: 'later' });
    expect(status, text).to.be.oneOf([200, 202]);
    const done = async (): Promise<boolean> => (await ok<Loose[]>('activities')).some(({ title }) => title === 'later');
    await waitUntil(done, 'the work is done');
  });
});

/**
 * The patterns of the interface, written from the interface alone: `test/fixtures/patterns`, over real HTTP, in the
 * default profile and in `sub0`, each on a separate database. Only the envelope, and the meaning of an absent
 * `$PAYLOAD` path, may differ between the two.
 */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeKernel } from '../../cli/openapi.js';
import type { Loose } from '../support/client.js';
import { describeOnDatabase, describeOnPostgres, type TestKernel } from '../support/kernel.js';
import { listDocumentErrors } from '../support/openapi.js';
import { defineQueryResource, ROOT } from '../support/project.js';
import { KEY, OTHER_KEY } from '../support/tokens.js';

const ENV = { TOKEN_KEY: KEY, SESSION_KEY: OTHER_KEY, PASSWORD_SALT: 'pepper' };
const copy = (folder: string): Promise<void> =>
  cp(join(ROOT, 'test', 'fixtures', 'patterns'), join(folder, 'definitions'), { recursive: true });

const ADA = {
  email: 'ada@example.com',
  password: 'correct horse',
  full_name: 'Ada Lovelace',
  address: { city: 'London' },
};
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const options = { validated: true, env: ENV, prepare: copy };
describeOnDatabase('patterns of the interface, by default', options, (kernel) => describePatterns(kernel, false));
describeOnPostgres('patterns of the interface, profile sub0', { ...options, config: { profile: 'sub0' } }, (kernel) =>
  describePatterns(kernel, true),
);

type Headers = Readonly<Record<string, string>>;

function describePatterns(kernel: () => TestKernel, isEnveloped: boolean): void {
  const send = (path: string, body: unknown, headers: Headers = {}) => kernel().post(path, body, { headers });
  const result = async (path: string, body: unknown, headers: Headers = {}): Promise<unknown> => {
    const answer = await send(path, body, headers);
    expect(answer.status, `${path}: ${answer.text}`).to.equal(200);
    if (!isEnveloped) return answer.body;
    expect(answer.body).to.have.all.keys('success', 'message', 'data');
    return answer.body['data'];
  };
  const object = async (path: string, body: unknown, headers: Headers = {}): Promise<Loose> => {
    const value = await result(path, body, headers);
    expect(value, path).to.be.an('object');
    return value as Loose;
  };
  const postForRejection = async (
    status: number,
    path: string,
    body: unknown,
    headers: Headers = {},
  ): Promise<Loose> => {
    const answer = await send(path, body, headers);
    expect(answer.status, `${path}: ${answer.text}`).to.equal(status);
    expect(answer.headers.get('content-type')).to.equal(
      `application/${isEnveloped ? '' : 'problem+'}json; charset=utf-8`,
    );
    expect(answer.body).to.include({ success: false, message: answer.body['detail'], status });
    return answer.body;
  };
  const pointers = ({ errors }: Loose): unknown[] => ((errors ?? []) as Loose[]).map(({ pointer }) => pointer);

  let ada = { id: '', bearer: {} as Headers, session: {} as Headers };

  it('are described by a valid document, by which every request and response below is checked', async () => {
    const document = await describeKernel(kernel().kernel);
    expect(Object.keys(document['paths'] as object)).to.have.length.greaterThan(10);
    expect(await listDocumentErrors(document)).to.equal('');
  });

  it('1. sign-up: validates, hashes, inserts under a generated id, returns a token', async () => {
    const row = await object('/create-user', ADA);
    expect(row).to.have.all.keys('id', 'email', 'full_name', 'access_token');
    expect(row).to.include({ email: ADA.email, full_name: ADA.full_name });
    expect(row['id']).to.match(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    ada = { ...ada, id: String(row['id']), bearer: { authorization: `Bearer ${String(row['access_token'])}` } };
    // Columns that the definition does not list stay null; those that it sets itself cannot be sent.
    const second = { email: 'bob@example.com', password: 'battery staple', address: { city: 'Paris' }, balance: 1e6 };
    expect(await object('/create-user-01', second)).to.include({ full_name: null });
  });

  it('1. sign-up: returns 409 for an existing address, 422 for a violated rule, both with the field', async () => {
    expect(pointers(await postForRejection(409, '/create-user', ADA))).to.deep.equal(['/email']);
    const broken = { email: 'ada', password: 'short', address: { city: 'L' } };
    expect(pointers(await postForRejection(422, '/create-user', broken))).to.deep.equal([
      '/email',
      '/password',
      '/address/city',
    ]);
    expect(pointers(await postForRejection(422, '/create-user', {}))).to.deep.equal([
      '/email',
      '/password',
      '/address',
    ]);
  });

  it('1. sign-up: accepts one of twenty concurrent ones with one address', async () => {
    const body = { ...ADA, email: 'race@example.com' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('/create-user', body)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([200, ...Array.from({ length: 19 }, () => 409)]);
  });

  it('2. sign-in: returns a token for the right password, the same 401 for everything else', async () => {
    const row = await object('/login-user', { email: ADA.email, password: ADA.password });
    expect(row).to.have.all.keys('id', 'email', 'full_name', 'token');
    expect(row).to.include({ id: ada.id, full_name: ADA.full_name });
    expect(row['token']).to.match(/^v4\.local\./);
    ada = { ...ada, session: { 'x-session': String(row['token']) } };
    const wrong = await postForRejection(401, '/login-user', { email: ADA.email, password: 'wrong horse' });
    const unknown = await postForRejection(401, '/login-user', { email: 'no@example.com', password: 'wrong horse' });
    expect({ ...unknown, instance: '' }).to.deep.equal({ ...wrong, instance: '' });
  });

  it('3. protected read: returns the row of the claim, whatever the payload contains', async () => {
    const row = await object('/account', { id: 'somebody-else' }, ada.bearer);
    expect(row).to.have.all.keys('id', 'email', 'full_name', 'balance', 'is_active', 'address', 'created_at');
    expect(row).to.deep.include({ id: ada.id, balance: 0, is_active: true, address: { city: 'London' } });
    expect(row['created_at']).to.match(ISO);
    await postForRejection(401, '/account', {});
    await postForRejection(401, '/account', {}, { authorization: String(ada.bearer['authorization']).slice(7) });
    await postForRejection(401, '/account', {}, ada.session);
  });

  it('3. protected update: accepts a token in its own header, and keeps fields that are not sent', async () => {
    const changed = await object('/account/update', { address: { city: 'Paris', zip: '75001' } }, ada.session);
    expect(changed).to.deep.include({ id: ada.id, full_name: ADA.full_name, address: { city: 'Paris', zip: '75001' } });
    expect(changed['updated_at']).to.match(ISO);
    expect(await object('/account-update-01', { full_name: 'Ada L.' }, ada.session)).to.include({
      full_name: 'Ada L.',
    });
    await postForRejection(401, '/account/update', { full_name: 'Eve' }, ada.bearer);
  });

  it('4. balance chain: runs the select after the update first, and loses no update', async () => {
    expect(await result('/wallet-add', { amount: 2.5 }, ada.bearer)).to.deep.equal({ balance: 2.5 });
    await Promise.all(Array.from({ length: 20 }, () => object('/wallet-add', { amount: 1 }, ada.bearer)));
    expect(await object('/account', {}, ada.bearer)).to.include({ balance: 22.5 });
    expect(pointers(await postForRejection(422, '/wallet-add', { amount: '5' }, ada.bearer))).to.deep.equal([
      '/amount',
    ]);
  });

  it('5. dependencies: run one INSERT once for several actionables', async () => {
    const order = await object('/checkout', { amount: 12, tags: ['book', 'gift'], meta: { note: 'x' } }, ada.bearer);
    expect(order).to.have.all.keys('id', 'status', 'amount', 'tags', 'activity_id', 'meta', 'order_id');
    expect(order).to.deep.include({ status: 'FULFILLED', amount: 12, tags: ['book', 'gift'], order_id: order['id'] });
    expect(order['activity_id']).to.be.a('number');
    // The result as it was when its own actionable ended.
    expect(order['meta']).to.deep.equal({ note: 'x' });
    const tagged = await object('/orders-tagged', { tag: 'gift' });
    expect(tagged).to.deep.include({
      id: order['id'],
      tags: ['book', 'gift'],
      tags_text: '["book", "gift"]',
      note: 'x',
    });
    expect(tagged).to.include({ gift_to: null, status: 'FULFILLED' });
  });

  it('5. all or nothing: rolls back the INSERT when a later actionable fails', async () => {
    const before = (await result('/reports/orders', { threshold: 10 })) as Loose;
    // Without a tag there is nothing to extract for the second actionable.
    await postForRejection(422, '/checkout', { amount: 99, tags: [] }, ada.bearer);
    expect(await result('/reports/orders', { threshold: 10 })).to.deep.equal(before);
    expect(before).to.deep.equal({ email: ADA.email, orders: 1, total: 12, large: 1, place: 1 });
  });

  it('6. CTE, FILTER and window functions: return one row as an object, several as a list', async () => {
    const { access_token: token } = await object('/create-user', { ...ADA, email: 'eve@example.com' });
    await object('/checkout', { amount: 50, tags: ['big'] }, { authorization: `bearer ${String(token)}` });
    expect(await result('/reports/orders', { threshold: 20 })).to.deep.equal([
      { email: 'eve@example.com', orders: 1, total: 50, large: 1, place: 1 },
      { email: ADA.email, orders: 1, total: 12, large: 0, place: 2 },
    ]);
  });

  it('6. missing path: is rejected by default, and NULL under the profile', async () => {
    if (isEnveloped)
      expect(await result('/reports/orders', {}))
        .to.be.an('array')
        .with.length(2);
    else expect(pointers(await postForRejection(422, '/reports/orders', {}))).to.deep.equal(['/threshold']);
  });

  it('7. operators of jsonb: read a question mark as an operator, not as a placeholder', async () => {
    const { id } = await object('/checkout', { amount: 1, tags: ['liked'], meta: { like: 0, note: 'x' } }, ada.bearer);
    const counts = await Promise.all(
      Array.from({ length: 10 }, () => object('/orders-react', { id, reaction: 'like' })),
    );
    const reached = counts.map(({ meta }) => (JSON.parse(String(meta)) as Loose)['like']);
    expect(reached.sort((a, b) => Number(a) - Number(b))).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await result('/orders-react', { id, reaction: 'never' })).to.equal(null);
    // That member is text, which cannot be counted up.
    expect(await postForRejection(422, '/orders-react', { id, reaction: 'note' })).to.include({
      code: 'QRY_BAD_VALUE',
    });
    expect(await result('/orders-tagged', { tag: "'; DROP TABLE orders; --" })).to.equal(null);
  });

  it('8. many rows from one list: stores all of them in order, or none', async () => {
    const rows = [
      { title: 'import 1', amount: 1 },
      { title: 'import 2', amount: 2.5 },
    ];
    expect(await result('/activity-import', { user_id: ada.id, rows })).to.deep.equal(rows);
    const one = rows.slice(0, 1);
    expect(await result('/activity-import', { user_id: ada.id, rows: one })).to.deep.equal(one);
    await postForRejection(409, '/activity-import', { user_id: 'nobody', rows });
    expect(
      pointers(await postForRejection(422, '/activity-import', { user_id: ada.id, rows: [{ title: 5 }] })),
    ).to.deep.equal(['/rows/0/title', '/rows/0/amount']);
  });

  it('9. DELETE … RETURNING: supports `must_return_value` when nothing is left', async () => {
    const removed = await result('/activity-remove', { user: { id: ada.id } });
    expect(removed).to.deep.equal([{ title: 'import 1' }, { title: 'import 2' }, { title: 'import 1' }]);
    const none = await postForRejection(404, '/activity-remove', { user: { id: ada.id } });
    expect(none['detail']).to.equal('Operation Failed: this action must return a value!');
  });

  it('10. full text: searches, and bypasses rules', async () => {
    expect(await result('/search-users', { words: 'lovelace' })).to.be.an('array');
    expect(await result('/search-users', { words: 'lovelace', limit: 1 })).to.deep.equal({ full_name: 'Ada Lovelace' });
    expect(await result('/search-users', { words: 'lovelace', limit: '1' })).to.deep.equal({
      full_name: 'Ada Lovelace',
    });
  });

  it('never return a hash', async () => {
    for (const [path, body] of [
      ['/create-user', { ...ADA, email: 'zed@example.com' }],
      ['/login-user', { email: ADA.email, password: ADA.password }],
    ] as const) {
      expect((await send(path, body)).text)
        .not.to.contain('$2b$')
        .and.not.contain('password');
    }
  });
}

const rows = (id: string, query: string, parameters: readonly string[] = []): object =>
  defineQueryResource(id, query, parameters);
const TABLES = {
  'definitions/_user.json': {
    id: { type: 'String', primary_key: true },
    email: { type: 'String' },
    pin: { type: 'String' },
  },
  'definitions/_order.model.json': {
    id: { type: 'Number', primary_key: true, auto_increment: true },
    user_id: { type: 'String', foreign_key: { of: 'users', key: 'id' } },
  },
  'definitions/others.jsonc': `// Models and resources may share a file.
    [{ "_activity": { "id": { "type": "Number", "primary_key": true, "auto_increment": true } } }, { "_log": { "n": { "type": "Number" } } },]`,
  'definitions/all.json': [
    defineQueryResource('user-add', 'INSERT INTO user (id, email, pin) VALUES ($1, $2, $3)', ['id', 'email', 'pin'], {
      hashables: [{ property: 'pin', algorithm: 'BCRYPT', options: { rounds_cost: 4 } }],
    }),
    rows('user-all', 'SELECT * FROM User'),
    rows('user-renamed', 'SELECT user.id, pin AS word, user.pin::text AS "Code", email AS pin FROM user'),
    rows('order-add', 'INSERT INTO order (user_id) VALUES ($1)', ['user_id']),
    rows(
      'order-all',
      'SELECT order.id, u.email FROM order JOIN user u ON u.id = order.user_id ORDER BY order.id LIMIT 5',
    ),
    rows('order-drop', 'DELETE FROM order WHERE id = $1', ['id']),
    rows('activity-add', 'INSERT INTO activities DEFAULT VALUES'),
    rows('log-add', 'INSERT INTO _log (n) VALUES ($1)', ['n']),
  ],
};

describeOnDatabase('table names', { files: TABLES }, (kernel) => {
  const at = async (path: string, body: object = {}): Promise<unknown> => {
    const answer = await kernel().post<unknown>(path, body);
    expect(answer.status, `${path}: ${answer.text}`).to.equal(200);
    return answer.body;
  };

  it('accept a model with its underscore, without, or in the plural, and SQL keywords where only names are possible', async () => {
    expect(await at('/user-add', { id: 'u', email: 'a@b.c', pin: '1234' })).to.deep.equal({ id: 'u', email: 'a@b.c' });
    expect(await at('/order-add', { user_id: 'u' })).to.deep.equal({ id: 1, user_id: 'u' });
    expect(await at('/order-all')).to.deep.equal({ id: 1, email: 'a@b.c' });
    expect(await at('/activity-add')).to.deep.equal({ id: 1 });
    expect(await at('/log-add', { n: 5 })).to.deep.equal({ n: 5 });
    expect((await kernel().post('/order-add', { user_id: 'nobody' })).status).to.equal(409);
    expect(await at('/order-drop', { id: 1 })).to.equal(null);
  });

  it('hide a hash, also under another name', async () => {
    expect(await at('/user-all')).to.deep.equal({ id: 'u', email: 'a@b.c' });
    // A column named like the secret is hidden as well.
    expect(await at('/user-renamed')).to.deep.equal({ id: 'u' });
  });
});

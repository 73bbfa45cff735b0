/**
 * The second half of the classes of bugs of similar products: each attack, as its advisory describes it, against the
 * sample and a few more resources, on one kernel. The first half is in `bug-classes`.
 */
import { expect } from 'chai';
import { testBugClass } from '../support/bug-classes.js';
import { formatRequestHead, parseRaw, type Loose } from '../support/client.js';
import { defineDocumentResource } from '../support/databases.js';
import { createBuiltinRegistry, collectProblems } from '../support/fixtures.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createImageBomb, createFormData, PNG_RED } from '../support/pictures.js';
import { copyQuickSample, defineQueryResource, defineReturnResource, SAMPLE_ENV } from '../support/project.js';
import { connect, UPGRADE } from '../support/sockets.js';
import { startStopwatch } from '../support/stopwatch.js';
import { createWalletInit, createEmail, PASSWORD, createPerson, type Person } from '../support/wallet.js';

const errorsIn = (definition: object): string[] =>
  collectProblems(
    [{ file: 'definitions/a.json', text: JSON.stringify([definition]) }],
    createBuiltinRegistry(),
  ).flatMap(({ severity, code }) => (severity === 'error' ? [code] : []));
const decodeClaims = (token: string): Loose =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Loose;

describe('further classes of bugs', () => {
  let kernel!: TestKernel;
  let ada!: Person;
  let bob!: Person;

  before(async () => {
    kernel = await startKernel({
      prepare: copyQuickSample,
      env: SAMPLE_ENV,
      config: { connections: { main: { use: 'pglite', path: 'memory://' } } },
      files: {
        'definitions/attacked.json': [
          defineReturnResource('echo', { text: '$PAYLOAD.text' }),
          defineReturnResource('ids', {
            a: '$GENERATOR.NANOID',
            b: '$GENERATOR.ULID',
            c: '$GENERATOR.CUID',
            d: '$GENERATOR.UUID',
          }),
          defineReturnResource(
            'named',
            { id: 1, secret: 'inside', name: 'outside' },
            { returnables: ['name', 'absent'] },
          ),
          defineQueryResource('rows', 'SELECT id, email, password, pin FROM _users', [], { result: 'many' }),
          {
            ...defineReturnResource('kept', { a: '$PAYLOAD.a', b: '$PAYLOAD.b' }),
            cacheable: { read_from_cache: true, cache_key: 'kept $PAYLOAD.a $PAYLOAD.b', duration: 60 },
          },
          defineReturnResource('limited', 1, {
            rate_limit: { limit: 5, identifier: '$HEADER.ip', expires_after: 600 },
          }),
          defineQueryResource('broken', 'SELECT 1 / $1::int AS x', ['$PAYLOAD.n']),
        ],
      },
    });
    [ada, bob] = await Promise.all([createPerson(kernel), createPerson(kernel)]);
  });
  after(() => kernel?.close());

  const upload = (content: Buffer, init: RequestInit = createWalletInit(ada.token)) =>
    kernel.request<readonly Loose[]>('POST', '/gallery/add', {
      ...init,
      body: createFormData([{ name: 'file', content, file: 'a.png', type: 'image/png' }]),
    });

  testBugClass(15, async () => {
    const elapsed = startStopwatch();
    const [huge, cutOff] = [
      await upload(createImageBomb(100_000, 100_000)),
      await upload(PNG_RED.subarray(0, PNG_RED.length - 20)),
    ];
    for (const { status, body, text } of [huge, cutOff]) {
      expect(status, text).to.equal(200);
      expect(body[0]?.['dominant_color']).to.equal(null);
    }
    expect(elapsed()).to.be.lessThan(4000);
  });

  testBugClass(16, async () => {
    const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    for (const levels of [40, 5_000, 200_000])
      expect((await kernel.post('/echo', `{"text":${deep(levels)}}`)).status, `${levels}`).to.be.oneOf([400, 413]);
    const client = await connect(kernel.url);
    client.send(`{"resource":"echo","action":"x","request_id":"1","payload":{"text":${deep(5_000)}}}`);
    expect((await client.next()).error?.['status']).to.be.oneOf([400, 413]);
    await client.close();
    const nested = Array.from({ length: 3000 }).reduce<object>((inner) => ({ inner }), {});
    expect(errorsIn(defineReturnResource('deep', nested))).not.to.deep.equal([]);
  });

  testBugClass(17, async () => {
    const bad = await Promise.all(
      Array.from({ length: 200 }, (_, n) => kernel.post('/echo', `{"text":${'['.repeat(n)}`)),
    );
    expect(new Set(bad.map(({ status }) => status))).to.deep.equal(new Set([400]));
    expect((await kernel.post('/echo', { text: 'fine' })).body).to.deep.equal({ text: 'fine' });
    const counted: number[] = [];
    for (let n = 0; n < 8; n++) {
      const headers = { 'x-forwarded-for': `10.0.0.${n}`, 'x-real-ip': `10.0.0.${n}`, forwarded: `for=10.0.0.${n}` };
      counted.push((await kernel.post('/limited', { ip: `${n}` }, { headers })).status);
    }
    expect(counted).to.deep.equal([200, 200, 200, 200, 200, 429, 429, 429]);
  });

  testBugClass(18, async () => {
    const email = createEmail();
    await kernel.post('/sign-up', { email, name: 'x', password: 'canary password', pin: '98765432' });
    const answers = await Promise.all([
      kernel.post('/sign-in', { email, password: 'canary wrong password' }),
      kernel.post('/profile?token=canary-token', {}, createWalletInit(`${ada.token}x`)),
      kernel.post('/broken', { n: 'canary value' }),
      kernel.post('/broken', { n: 0 }),
      ada.post('/connect/callback', { state: 'canary-state', code: 'canary-code' }),
    ]);
    const texts = answers.map(({ text, headers }) => text + JSON.stringify([...headers])).join('\n');
    const log = JSON.stringify(kernel.log);
    for (const secret of [...Object.values(SAMPLE_ENV), ada.token, 'canary'].filter((text) => text.length > 5))
      expect(texts + log, secret).not.to.contain(secret);
  });

  testBugClass(19, async () => {
    expect((await kernel.post('/named')).body).to.deep.equal({ name: 'outside' });
    const { body, text } = await kernel.post<readonly Loose[]>('/rows');
    expect(body.length).to.be.greaterThan(1);
    for (const row of body) expect(Object.keys(row)).to.deep.equal(['id', 'email']);
    expect(text).not.to.match(/\$2[aby]\$|\$argon2/);
    const profile = (await ada.post('/profile', { returnables: ['password'], select: 'password', include: ['pin'] }))
      .body;
    expect(profile).not.to.have.any.keys('password', 'pin');
  });

  testBugClass(20, async () => {
    const signInWrongly = async (email: string): Promise<unknown> => {
      const { status, body } = await kernel.post('/sign-in', { email, password: 'a wrong password' });
      return [status, { ...body, instance: '' }];
    };
    expect(await signInWrongly(ada.email)).to.deep.equal(await signInWrongly(createEmail()));
    const remove = async (key: string): Promise<unknown> => {
      const { status, body } = await bob.post('/gallery/remove', [key]);
      return [status, { ...body, instance: '' }];
    };
    const [row] = (await upload(PNG_RED)).body;
    const key = String(row?.['storage_key']);
    expect(await remove(key)).to.deep.equal(await remove(key.replace(/[\w-]+\.png$/, `${'0'.repeat(26)}.png`)));
  });

  testBugClass(21, async () => {
    const form = 'x-form';
    const body = Buffer.concat([
      Buffer.from(
        `--${form}\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n`,
      ),
      PNG_RED,
      Buffer.from(`\r\n--${form}--\r\n`),
    ]);
    const elapsed = startStopwatch();
    const top = formatRequestHead('POST', '/gallery/add', {
      host: 'x:y@evil.test:99',
      'x-forwarded-host': 'evil.test',
      'x-forwarded-proto': 'https',
      'x-forwarded-for': `${' ,'.repeat(3000)}evil.test`,
      authorization: `Bearer ${ada.token}`,
      'content-type': `multipart/form-data; boundary=${form}`,
      'content-length': body.length,
      connection: 'close',
    });
    const answer = parseRaw(await kernel.raw([top, body]));
    expect(answer.body).not.to.contain('evil.test');
    expect(elapsed()).to.be.lessThan(1000);
  });

  testBugClass(22, async () => {
    await upload(PNG_RED);
    const [mine, theirs] = [await ada.post<readonly Loose[]>('/gallery'), await bob.post<readonly Loose[]>('/gallery')];
    expect(mine.body.length).to.be.greaterThan(0);
    expect(theirs.body).to.deep.equal([]);
    expect((await kernel.post('/gallery')).status).to.equal(401);
    for (const [a, b] of [
      ['x y', 'z'],
      ['x', 'y z'],
      ['x ', 'y z'],
      ['', 'x y z'],
    ])
      expect((await kernel.post('/kept', { a, b })).body).to.deep.equal({ a, b });
  });

  testBugClass(23, async () => {
    const shake = async (lines: Readonly<Record<string, string>>): Promise<number> => {
      const headers = Object.entries({ host: 'localhost', ...UPGRADE, connection: 'Upgrade, close', ...lines }).map(
        ([name, value]) => `${name}: ${value}\r\n`,
      );
      const closing = Buffer.from('888000000000', 'hex');
      return parseRaw(await kernel.raw([`GET /ws HTTP/1.1\r\n${headers.join('')}\r\n`, closing])).status;
    };
    const elapsed = startStopwatch();
    expect(await shake({ 'sec-websocket-protocol': `a${' '.repeat(14_000)}b` })).to.be.within(400, 431);
    expect(await shake(Object.fromEntries(Array.from({ length: 2100 }, (_, n) => [`x-${n}`, '1'])))).to.equal(431);
    expect(elapsed()).to.be.lessThan(2000);
    for (const origin of ['http://evil.test', 'null', 'http://x.evil.test'])
      expect(await shake({ origin }), origin).to.equal(403);
    const client = await connect(kernel.url);
    for (const resource of ['profile', 'wallet/watch', 'gallery'])
      expect((await client.sendRequest(resource, {})).error).to.include({ status: 401 });
    await client.close();
    expect((await kernel.post('/echo', { text: 'alive' })).status).to.equal(200);
  });

  testBugClass(24, async () => {
    const people = [ada, bob, ...(await Promise.all(Array.from({ length: 6 }, () => createPerson(kernel))))];
    const asked = Array.from({ length: 160 }, (_, n) => people[n % people.length] as Person);
    const answers = await Promise.all(asked.map((who) => who.post('/profile', { id: bob.id, email: bob.email })));
    answers.forEach(({ body }, n) => expect(body).to.include({ id: asked[n]?.id, email: asked[n]?.email }));
    const twins = createEmail();
    const made = await Promise.all(
      Array.from({ length: 8 }, () => kernel.post('/sign-up', { email: twins, name: 'Twin', password: PASSWORD })),
    );
    expect(made.filter(({ status }) => status === 200)).to.have.length(1);
  });

  testBugClass(25, async () => {
    const sent = [0, -1, 'x', 1e9, { size: 0 }].map((size) =>
      kernel.post('/ids', { size, alphabet: 'a', length: size }),
    );
    const all = [
      ...(await Promise.all(sent)),
      ...(await Promise.all(Array.from({ length: 60 }, () => kernel.post('/ids')))),
    ];
    for (const name of ['a', 'b', 'c', 'd']) {
      const values = all.map(({ body }) => String(body[name]));
      expect(new Set(values).size, name).to.equal(values.length);
      expect(Math.min(...values.map(({ length }) => length)), name).to.be.greaterThan(20);
    }
    const states = await Promise.all([1, 2, 3].map(() => ada.post('/connect/start')));
    for (const { body } of states) expect(body['state']).to.match(/^[\w-]{21}$/);
  });

  testBugClass(26, async () => {
    const elapsed = startStopwatch();
    const sign = (rest: Loose) =>
      kernel.post('/sign-up', { email: createEmail(), name: 'x', password: PASSWORD, ...rest });
    for (const rest of [
      { name: `a${'\ufe0f'.repeat(100)}` },
      { name: `a${'\ufe0f'.repeat(100_000)}` },
      { password: '\ufe0f'.repeat(30) },
      { email: `${'a'.repeat(250)}@b.example` },
      { email: `a@${'a.'.repeat(50_000)}` },
      { email: `${'a.'.repeat(50_000)}@` },
      { email: `"${'\\"'.repeat(20_000)}@x` },
      { email: 'a@b.example\u0000' },
    ])
      expect((await sign(rest)).status, JSON.stringify(rest).slice(0, 60)).to.equal(422);
    expect(elapsed()).to.be.lessThan(2000);
  });

  testBugClass(27, async () => {
    const forged = {
      exp: 99_999_999_999,
      iat: 1,
      iss: 'evil',
      aud: 'evil',
      sub: 'admin',
      purpose: 'admin',
      nbf: 0,
      role: 'admin',
    };
    const { body } = await kernel.post('/sign-up', { email: createEmail(), name: 'x', password: PASSWORD, ...forged });
    const claims = decodeClaims(String(body['token']));
    expect(Number(claims['exp']) - Number(claims['iat'])).to.equal(86_400);
    for (const name of ['iss', 'aud', 'sub', 'role', 'purpose'])
      expect(claims[name], name).not.to.equal(forged[name as 'iss']);
    for (const key of ['your-256-bit-secret', 'changeme', 'secret', 'generate:48', ''])
      expect(await refusedKey(key), key).to.not.contain('it started');
  });

  testBugClass(28, async () => {
    const email = createEmail();
    const extra = {
      id: ada.id,
      balance: 1_000_000,
      role: 'admin',
      is_admin: true,
      deleted_at: null,
      created_at: '1999-01-01',
    };
    const { body } = await kernel.post('/sign-up', { email, name: 'x', password: PASSWORD, ...extra });
    expect(body['id']).not.to.equal(ada.id);
    const mine = createWalletInit(String(body['token']));
    await kernel.post('/profile/update', { name: 'y', balance: 5, email: ada.email, id: ada.id }, mine);
    const profile = (await kernel.post('/profile', {}, mine)).body;
    expect(profile).to.include({ id: body['id'], email, name: 'y', balance: 0 });
    expect(String(profile['created_at'])).not.to.contain('1999');
    const whole = { collection: 'people', action: 'INSERT', document: '$PAYLOAD' };
    expect(errorsIn(defineDocumentResource('all', whole))).not.to.deep.equal([]);
  });
});

/** The error of a start with this key for its tokens. */
async function refusedKey(JWT_SECRET_KEY: string): Promise<string> {
  const tokenize = { type: 'JWT', algorithm: 'HS256', encryption_key: '$ENV.JWT_SECRET_KEY' };
  const guarded = {
    ...defineReturnResource('locked', 1),
    tokenize,
    protected: { provide_as: 'Authorization', extract_claims: ['id'] },
  };
  try {
    const started = await startKernel({
      files: { 'definitions/a.json': guarded },
      env: { JWT_SECRET_KEY },
      config: { connections: {} },
    });
    await started.close();
    return 'it started';
  } catch (error) {
    return String(error);
  }
}

/** Sign-up and sign-in over real HTTP: stored values, responses, and that all other attempts fail. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Answer, Loose } from '../support/client.js';
import { describeOnBothDatabases, describeOnDatabase } from '../support/kernel.js';
import { PLUGIN_FIXTURES, defineQueryResource, vectorFile } from '../support/project.js';
import { sampleCases } from '../support/sample.js';
import { NO_SHARED, skipTest } from '../support/skip.js';

const RULES = [{ field: { email: { type: 'STRING' }, password: { type: 'STRING' } } }];
const hashing = (rounds_cost: number): object => ({
  hashables: [{ property: 'password', algorithm: 'BCRYPT', options: { rounds_cost, salt: '$ENV.HASH_SALT' } }],
});
const BY_BCRYPT = { verify_hashables: [{ property: 'password', algorithm: 'BCRYPT' }] };
const BY_EMAIL = 'SELECT id, email, password FROM users WHERE email = $1';
const INSERT = 'INSERT INTO users (id, email, password) VALUES ($1, $2, $3)';
const NEW_USER = ['$GENERATOR.ULID', 'email', 'password'];
const signUp = (id: string, rest: object): object =>
  defineQueryResource(id, INSERT, NEW_USER, { payload_validation: RULES, ...rest });
const signIn = (id: string, query: string, rest: object = {}): object =>
  defineQueryResource(id, query, ['email'], { payload_validation: RULES, ...BY_BCRYPT, ...rest });

const FILES = {
  'definitions/models/_user.model.json': {
    id: { type: 'String', primary_key: true },
    email: { type: 'String', unique: true },
    password: { type: 'String', optional: true },
  },
  'definitions/models/_note.model.json': {
    id: { type: 'String', primary_key: true },
    n: { type: 'Number' },
    first: { type: 'String', optional: true },
    mark: { type: 'String', optional: true },
  },
  'definitions/resources.json': [
    signUp('sign-up', hashing(4)),
    signUp('sign-up-dear', hashing(8)),
    signUp('sign-up-argon', { hashables: [{ property: 'password', algorithm: 'ARGON2' }] }),
    // As another system, or a careless definition, has filled the column.
    defineQueryResource('put', INSERT, NEW_USER, { payload_validation: RULES }),
    defineQueryResource('stored', 'SELECT password AS stored FROM users WHERE email = $1', ['$PAYLOAD.email'], {
      returnables: ['stored'],
    }),
    signIn('sign-in', BY_EMAIL, { returnables: ['id', 'email'] }),
    signIn('sign-in-open', 'SELECT * FROM users WHERE email = $1'),
    signIn('sign-in-must', BY_EMAIL, { must_return_value: true, returnables: ['email'] }),
    signIn('sign-in-list', BY_EMAIL, { result: 'many', returnables: ['email'] }),
    signIn('sign-in-any', 'SELECT id, email, password FROM users WHERE email LIKE $1', { returnables: ['email'] }),
    signIn('sign-in-argon', BY_EMAIL, {
      verify_hashables: [{ property: 'password', algorithm: 'ARGON2' }],
      returnables: ['email'],
    }),
    signIn('sign-in-loose', BY_EMAIL, { payload_validation: [], returnables: ['email'] }),
    defineQueryResource(
      'sign-in-nested',
      'SELECT id, email, password AS secret_hash FROM users WHERE email = $1',
      ['$PAYLOAD.login.email'],
      {
        verify_hashables: [{ property: 'login.password', hash_field: 'secret_hash', algorithm: 'BCRYPT' }],
      },
    ),
    {
      id: 'change',
      resource: 'change',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          payload_validation: [...RULES, { field: { new_password: { type: 'STRING' } } }],
          sql_query: { query: BY_EMAIL, parameters: ['email'] },
          ...BY_BCRYPT,
        },
        {
          id: 2,
          mode: 'QUERY',
          hashables: [{ property: 'new_password', algorithm: 'BCRYPT', options: { rounds_cost: 4 } }],
          sql_query: {
            query: 'UPDATE users SET password = $2 WHERE email = $1 RETURNING email',
            parameters: ['email', 'new_password'],
          },
          returnables: ['email'],
        },
      ],
    },
    {
      id: 'slow',
      resource: 'slow',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          // The pause makes sure that two of these always overlap.
          sql_query: {
            query: 'SELECT n, $2::text AS seen, pg_sleep(0.05)::text AS pause FROM notes WHERE id = $1',
            parameters: ['$PAYLOAD.id', '$PAYLOAD.password'],
          },
          extract_response_for: [
            { extract: 'n', for: 'count' },
            { extract: 'seen', for: 'seen' },
          ],
        },
        {
          id: 2,
          mode: 'QUERY',
          hashables: [{ property: 'password', algorithm: 'COUNTING' }],
          sql_query: {
            query: 'UPDATE notes SET n = $2::bigint + 1, first = $3, mark = $4 WHERE id = $1 RETURNING n, first, mark',
            parameters: ['$PAYLOAD.id', 'count', 'seen', '$PAYLOAD.password'],
          },
        },
      ],
      returnables: ['n', 'first', 'mark'],
    },
    defineQueryResource('note', 'INSERT INTO notes (id, n) VALUES ($1, 0)', ['$PAYLOAD.id'], { returnables: ['n'] }),
  ],
};

const HASH = /\$2[abxy]\$|argon2/;

/** A rejection without the id of the request. */
const summarizeRejection = ({ status, headers, body }: Answer<Loose>): unknown => {
  const { instance: _, ...rest } = body;
  return { status, type: headers.get('content-type'), rest };
};

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const options = {
  files: FILES,
  env: { HASH_SALT: 'pepper' },
  config: { plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'hashing')] },
};

describeOnDatabase('sign-up and sign-in', options, (kernel) => {
  const post = (path: string, body: unknown): Promise<Answer<Loose>> => kernel().post(path, body);
  const readStoredHash = async (email: string): Promise<string> =>
    String((await post('/stored', { email })).body['stored']);
  const put = (email: string, password: unknown): Promise<Answer<Loose>> => post('/put', { email, password });

  before(async () => {
    expect((await post('/sign-up', { email: 'ada', password: 'correct horse' })).status).to.equal(200);
  });

  it('store a hash at sign-up and return the row without it', async () => {
    const { status, body, text } = await post('/sign-up', { email: 'grace', password: 'hopper' });
    expect([status, Object.keys(body).sort()]).to.deep.equal([200, ['email', 'id']]);
    expect(text).not.to.match(HASH);
    expect(await readStoredHash('grace')).to.match(/^\$2b\$04\$.{53}$/);
    await post('/sign-up', { email: 'hopper', password: 'hopper' });
    expect(await readStoredHash('hopper')).not.to.equal(await readStoredHash('grace'));
  });

  it('accept the right password, and never return the hash, also without `returnables`', async () => {
    for (const path of ['/sign-in', '/sign-in-open', '/sign-in-must', '/sign-in-list']) {
      const { status, text } = await post(path, { email: 'ada', password: 'correct horse' });
      expect(status, path).to.equal(200);
      expect(text).to.contain('ada');
      expect(text, path).not.to.match(/\$2|password/);
    }
  });

  it('return the same response for every failure', async () => {
    await put('broken', '$2b$04$brokenbrokenbroken');
    await put('old', (await readStoredHash('ada')).replace('$2b$', '$2x$'));
    await put('undefined', 'undefined');
    await put('null', 'null');
    await put('plain', 'correct horse');
    await put('slow-one', (await readStoredHash('ada')).replace('$04$', '$31$'));
    const wrong = summarizeRejection(await post('/sign-in', { email: 'ada', password: 'wrong' }));
    expect(wrong).to.have.nested.property('status', 401);
    expect(wrong).to.have.nested.property('rest.code', 'VER_FAILED');
    const others: readonly [string, unknown, string?][] = [
      ['nobody', 'correct horse'],
      ['ada', ''],
      ['ada', 'Correct horse'],
      ['ada', 'correct horse '],
      ['ada', 'correct horse\0'],
      ['ada', 'x'.repeat(10_000)],
      ['broken', 'correct horse'],
      ['old', 'correct horse'],
      ['undefined', 'undefined'],
      ['null', 'null'],
      ['plain', 'correct horse'],
      ['slow-one', 'correct horse'],
      ['nobody', 'correct horse', '/sign-in-must'],
      ['nobody', 'correct horse', '/sign-in-list'],
      ['nobody', 'correct horse', '/sign-in-open'],
      ['%', 'correct horse', '/sign-in-any'],
      ['ada', 'correct horse', '/sign-in-argon'],
      ['nobody', 'correct horse', '/sign-in-argon'],
      ['ada', undefined, '/sign-in-loose'],
      ['ada', null, '/sign-in-loose'],
      ['ada', 5, '/sign-in-loose'],
      ['ada', ['correct horse'], '/sign-in-loose'],
      ['ada', { toString: 'correct horse' }, '/sign-in-loose'],
      ['ada', true, '/sign-in-loose'],
      ['undefined', undefined, '/sign-in-loose'],
    ];
    for (const [email, password, path = '/sign-in'] of others) {
      const answer = await post(path, { email, password });
      expect(summarizeRejection(answer), `${path} ${email} ${JSON.stringify(password)}`).to.deep.equal(wrong);
    }
    expect((await post('/sign-in', { email: 'ada', password: 'correct horse' })).status).to.equal(200);
  });

  it('reject a row without a hash, and one of several rows', async () => {
    await kernel().post('/put', { email: 'empty', password: '' });
    for (const email of ['empty', 'ad_', '%a%']) {
      expect((await post('/sign-in-any', { email, password: '' })).status, email).to.equal(401);
    }
    expect((await post('/sign-in-any', { email: 'ad_', password: 'correct horse' })).status).to.equal(200);
  });

  it('verify hashes of other systems and other costs', async () => {
    await put('php', (await readStoredHash('ada')).replace('$2b$', '$2y$'));
    await put('ancient', (await readStoredHash('ada')).replace('$2b$', '$2a$'));
    expect((await post('/sign-up-dear', { email: 'dear', password: 'correct horse' })).status).to.equal(200);
    for (const email of ['php', 'ancient', 'dear']) {
      expect((await post('/sign-in', { email, password: 'correct horse' })).status, email).to.equal(200);
      expect((await post('/sign-in', { email, password: 'wrong' })).status, email).to.equal(401);
    }
  });

  it('store and verify with argon2 as well', async () => {
    await post('/sign-up-argon', { email: 'argon', password: 'correct horse' });
    expect(await readStoredHash('argon')).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await post('/sign-in-argon', { email: 'argon', password: 'correct horse' })).status).to.equal(200);
    expect((await post('/sign-in-argon', { email: 'argon', password: 'wrong' })).status).to.equal(401);
    expect((await post('/sign-in', { email: 'argon', password: 'correct horse' })).status).to.equal(401);
  });

  it('support a field inside an object, and a column of another name', async () => {
    const login = (password: string): unknown => ({ login: { email: 'ada', password } });
    const { status, text } = await post('/sign-in-nested', login('correct horse'));
    expect(status).to.equal(200);
    expect(text).not.to.match(HASH);
    expect((await post('/sign-in-nested', login('wrong'))).status).to.equal(401);
    expect((await post('/sign-in-nested', { login: { email: 'ada' } })).status).to.equal(401);
  });

  it('verify, then hash another field: only a caller with the password can change it', async () => {
    await post('/sign-up', { email: 'changing', password: 'before' });
    const change = (password: string): Promise<Answer<Loose>> =>
      post('/change', { email: 'changing', password, new_password: 'after' });
    expect((await change('wrong')).status).to.equal(401);
    expect((await post('/sign-in', { email: 'changing', password: 'before' })).status).to.equal(200);
    expect((await change('before')).status).to.equal(200);
    expect((await post('/sign-in', { email: 'changing', password: 'before' })).status).to.equal(401);
    expect((await post('/sign-in', { email: 'changing', password: 'after' })).status).to.equal(200);
  });

  it('do not normalize text: a password that only looks the same is another one', async () => {
    await post('/sign-up', { email: 'accent', password: 'caf\u00e9' });
    expect((await post('/sign-in', { email: 'accent', password: 'cafe\u0301' })).status).to.equal(401);
    expect((await post('/sign-in', { email: 'accent', password: 'caf\u00e9' })).status).to.equal(200);
  });

  it('take as long for an unknown user as for a wrong password', async function () {
    await post('/sign-up-dear', { email: 'timed', password: 'correct horse' });
    const time = async (email: string): Promise<number> => {
      const started = performance.now();
      expect((await post('/sign-in', { email, password: 'wrong' })).status).to.equal(401);
      return performance.now() - started;
    };
    await put('timed-broken', 'no hash');
    const [wrong, unknown, broken]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < 15; round++) {
      wrong.push(await time('timed'));
      unknown.push(await time('nobody'));
      broken.push(await time('timed-broken'));
    }
    for (const other of [unknown, broken]) expect(median(other) / median(wrong)).to.be.within(0.5, 2);
  });

  it('accept thirty concurrent ones', async function () {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        post('/sign-in', { email: 'ada', password: i % 2 ? 'correct horse' : 'wrong' }),
      ),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal(
      Array.from({ length: 30 }, (_, i) => (i % 2 ? 200 : 401)),
    );
  });

  for (const [file, kind] of [
    ['naughty-strings.jsonl', 'string.text'],
    ['sql-strings.jsonl', 'string.sql'],
  ] as const) {
    it(`accept no text of ${file} as a key`, async function () {
      const path = vectorFile(file);
      if (path === null) return skipTest(this, NO_SHARED);
      const published = readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Loose);
      const all = published
        .filter(({ op, use }) => op === kind && (use === undefined || use === 'signin'))
        .map(({ text }) => String(text));
      expect(all.length).to.be.greaterThan(150);
      const texts = sampleCases('strings', `sign-in ${file}`, all, 40);
      const got: string[] = [];
      for (const text of texts) {
        const tries = [
          { email: text, password: text },
          { email: 'ada', password: text },
          { email: text, password: 'correct horse' },
        ];
        for (const body of tries) {
          const { status } = await post('/sign-in', body);
          if (status !== 401 && status !== 422) got.push(`${status} ${JSON.stringify(body)}`);
        }
      }
      expect(got).to.deep.equal([]);
    });
  }
});

describeOnBothDatabases('sign-up in a transaction', options, (kernel) => {
  const post = (path: string, body: unknown): Promise<Answer<Loose>> => kernel().post(path, body);

  it('hashes once in a repeated transaction, whose first actionable reads the sent value again', async function () {
    await post('/note', { id: 'pair' });
    const marks: string[] = [];
    const rounds = 5;
    for (let round = 1; round <= rounds; round++) {
      const answers = await Promise.all([1, 2].map(() => post('/slow', { id: 'pair', password: 'secret' })));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
      for (const { body } of answers) {
        expect(body['first']).to.equal('secret');
        marks.push(String(body['mark']));
      }
    }
    // Numbered in the order of creation: none is missing, so none was created for a retry.
    const numbers = marks.map((mark) => Number(mark.split(' ')[0])).sort((a, b) => a - b);
    expect(numbers).to.deep.equal(Array.from({ length: 2 * rounds }, (_, i) => i + 1));
  });
});

/**
 * Impersonation over HTTP, on every SQL database: claims, names and ids of other types, notations and structures, and
 * ciphertexts of other profiles. Ada is the victim; nothing of hers is returned to another caller.
 */
import { expect } from 'chai';
import { describeOnEach, SQL } from '../support/databases.js';
import { createBearerInit, forgeToken, getSeconds, HS256, KEY, signJwt } from '../support/tokens.js';

const query = (text: string, parameters: readonly unknown[], rest: object = {}): object => ({
  id: 1,
  mode: 'QUERY',
  sql_query: { query: text, parameters },
  ...rest,
});
const define = (id: string, action: object, rest: object = {}): object => ({
  ...{ id, resource: id, actionables: [action] },
  ...rest,
});
const TOKEN = { type: 'JWT', encryption_key: '$ENV.KEY' };
const GUARD = { tokenize: TOKEN, protected: { extract_claims: ['id'] } };
const WORD = { algorithm: 'BCRYPT', property: 'password', options: { rounds_cost: 4 } };
const TEXT = { type: 'STRING', max_length: 200 };
const rules = (field: object): object => ({ payload_validation: [{ field }] });
const createCipher = (operation: string): object => ({
  ciphers: [
    {
      ...{ operation, algorithm: 'XChaCha20Poly1305', properties: ['phone'] },
      options: { key: '$ENV.FIELD_KEY', aad: 'phone of $PROTECTED.id' },
    },
  ],
});
const STORED = { type: 'String', max_length: 200 };
const FIND = 'SELECT id, name, password FROM _person WHERE name = $1';
const WRITE = 'UPDATE _person SET phone = $1 WHERE id = $2';
const OWN = ['$PAYLOAD.phone', '$PROTECTED.id'];

const FILES = {
  'definitions/models.json': [
    {
      _person: {
        id: { ...STORED, primary_key: true },
        name: { ...STORED, unique: true },
        password: STORED,
        phone: { ...STORED, optional: true },
      },
    },
    { _paper: { id: { ...STORED, primary_key: true }, owner: STORED, text: STORED } },
    { _number: { id: { type: 'Number', primary_key: true }, owner: { type: 'Number' }, text: STORED } },
  ],
  'definitions/all.json': [
    define(
      'join',
      query('INSERT INTO _person (id, name, password) VALUES ($1, $2, $3)', ['$GENERATOR.ULID', 'name', 'password'], {
        ...{ ...rules({ name: TEXT, password: TEXT }), hashables: [WORD] },
      }),
      { returnables: ['id'] },
    ),
    define(
      'enter',
      query(FIND, ['name'], {
        ...{ ...rules({ name: TEXT, password: TEXT }), must_return_value: true, on_empty: { status: 401 } },
        verify_hashables: [{ algorithm: 'BCRYPT', property: 'password' }],
      }),
      { returnables: ['id'], tokenize: { ...TOKEN, custom_claim_fields: ['id'] } },
    ),
    define(
      'write',
      query('INSERT INTO _paper (id, owner, text) VALUES ($1, $2, $3)', [
        '$PAYLOAD.id',
        '$PROTECTED.id',
        '$PAYLOAD.text',
      ]),
      {
        ...GUARD,
      },
    ),
    define(
      'papers',
      query('SELECT id, text FROM _paper WHERE owner = $1', ['$PROTECTED.id'], { result: 'many' }),
      GUARD,
    ),
    {
      ...define(
        'read',
        query('SELECT text FROM _paper WHERE id = $1 AND owner = $2', ['$PAYLOAD.id', '$PROTECTED.id']),
        GUARD,
      ),
      resource: 'papers/:id',
    },
    define(
      'number',
      query('INSERT INTO _number (id, owner, text) VALUES ($1, $2, $3)', [
        '$PAYLOAD.id',
        '$PAYLOAD.owner',
        '$PAYLOAD.text',
      ]),
    ),
    define('numbers', query('SELECT text FROM _number WHERE owner = $1', ['$PROTECTED.id'], { result: 'many' }), GUARD),
    define('set-phone', query(WRITE, OWN, { ...rules({ phone: TEXT }), ...createCipher('Encrypt') }), GUARD),
    define('take-phone', query(WRITE, OWN, rules({ phone: TEXT })), {
      ...GUARD,
      acknowledge: [{ code: 'LNK_UNPROTECTED', because: 'an attacker writes here' }],
    }),
    define('raw-phone', query('SELECT phone FROM _person WHERE name = $1', ['$PAYLOAD.name']), {
      returnables: ['phone'],
    }),
    define('phone', query('SELECT phone FROM _person WHERE id = $1', ['$PROTECTED.id'], createCipher('Decrypt')), {
      ...{ ...GUARD, returnables: ['phone'] },
    }),
  ],
};

const withClaim = (json: string): RequestInit =>
  createBearerInit(forgeToken(HS256, `{"exp":${getSeconds(600)},"id":${json}}`, KEY));
/** Values that are nearly "ada", or match everything where types are confused. */
const NEARLY = [
  '"ADA"',
  '"Ada"',
  '"ada "',
  '" ada"',
  '"ada\\t"',
  '"ada\\u0000"',
  '"\\ufeffada"',
  '"\\uff41da"',
  '"\\u00e0da"',
  '"a\\u0300da"',
  '"\\u0430da"',
  '"ad%"',
  '"ad_"',
  '"*"',
  '""',
  '["ada"]',
  '{"$ne":null}',
  '{"ada":1}',
  'true',
  'null',
  '0',
];
/** Values other than the number 7. */
const NOT_SEVEN = [
  '"7 "',
  '"0X7"',
  '"0b111"',
  '"0o7"',
  '"0_7"',
  '" 7"',
  '"07"',
  '"7.0"',
  '"0x7"',
  '"7e0"',
  '"7abc"',
  '[7]',
  '{"7":7}',
  'true',
  '7.5',
  '70',
  '"\\uff17"',
  'null',
  '""',
];

describeOnEach('impersonation over HTTP', SQL, { files: FILES, env: { KEY, FIELD_KEY: 'f7'.repeat(16) } }, (kernel) => {
  const post = (path: string, body: unknown, init?: RequestInit) => kernel().post(path, body, init);
  const ADA = { name: 'ada', password: 'correct horse' };
  let ada = '';
  let token!: RequestInit;
  before(async () => {
    const { body } = await post('/join', ADA);
    ada = String(body['id']);
    token = createBearerInit(await signJwt({ id: 'ada' }));
    expect((await post('/write', { id: 'paper', text: 'secret of ada' }, token)).status).to.equal(200);
    expect((await post('/number', { id: 1, owner: 7, text: 'secret of seven' })).status).to.equal(200);
  });

  it('fails with claims of other types and notations', async () => {
    expect((await post('/papers', {}, token)).text).to.contain('secret of ada');
    for (const claim of NEARLY) {
      const { status, text } = await post('/papers', {}, withClaim(claim));
      expect(text, claim).not.to.contain('secret');
      expect([200, 401, 403, 422], `${claim} ${text}`).to.include(status);
    }
  });

  it('fails with claims that are not numbers', async () => {
    expect((await post('/numbers', {}, withClaim('7'))).text).to.contain('secret of seven');
    for (const claim of NOT_SEVEN) {
      const { status, text } = await post('/numbers', {}, withClaim(claim));
      const isSeven = ['"07"', '"7.0"', '"7 "', '" 7"', '"7e0"'].includes(claim);
      if (!isSeven) expect(text, claim).not.to.contain('secret');
      expect([200, 401, 403, 422], `${claim} ${text}`).to.include(status);
    }
  });

  it('fails with names of other types and notations at sign-in', async () => {
    expect((await post('/enter', ADA)).status).to.equal(200);
    for (const name of NEARLY) {
      const { status, text } = await post('/enter', `{"name":${name},"password":"correct horse"}`);
      expect([401, 422], `${name} ${text}`).to.include(status);
    }
  });

  it('fails with passwords of other types and notations', async () => {
    for (const word of [
      '""',
      'null',
      '["correct horse"]',
      '{"$ne":1}',
      '"correct horse\\u0000"',
      '"correct horse "',
      '"Correct horse"',
      'true',
      '0',
    ]) {
      const { status, text } = await post('/enter', `{"name":"ada","password":${word}}`);
      expect([401, 422], `${word} ${text}`).to.include(status);
    }
  });

  it('fails with one key twice in a body: the last one counts, for rules and for the query alike', async () => {
    for (const [text, status] of [
      ['{"name":"ada","name":"nobody","password":"correct horse"}', 401],
      ['{"name":"ada","password":"correct horse","\\u0070assword":"wrong"}', 401],
      ['{"name":"ada","name":["ada"],"password":"correct horse"}', 422],
      ['{"name":["ada"],"name":"ada","password":"correct horse"}', 200],
    ] as const)
      expect((await post('/enter', text)).status, text).to.equal(status);
  });

  it('fails with accounts of similar names', async () => {
    const names = ['ADA', 'ada ', '\u00e0da', 'a\u0300da', '\uff41da', 'stra\u00dfe', 'STRASSE', '\u0130x', 'i\u0307x'];
    const ids = new Map<string, unknown>([['ada', ada]]);
    for (const name of names) {
      const { status, body, text } = await post('/join', { name, password: `word of ${name}` });
      expect(status, `${name} ${text}`).to.equal(200);
      ids.set(name, body['id']);
    }
    expect(new Set(ids.values()).size).to.equal(names.length + 1);
    for (const name of names) {
      expect((await post('/enter', { name, password: `word of ${name}` })).body['id']).to.equal(ids.get(name));
      expect((await post('/enter', { name: 'ada', password: `word of ${name}` })).status).to.equal(401);
    }
  });

  it('fails with the id of another user in the path, in the body and in both', async () => {
    const bob = createBearerInit(await signJwt({ id: 'bob' }));
    await post('/write', { id: 'mine', text: 'of bob' }, bob);
    for (const [path, body] of [
      ['/papers/paper', {}],
      ['/papers/mine', { id: 'paper' }],
      ['/papers/mine', '{"id":"mine","id":"paper"}'],
      ['/papers/%70aper', {}],
      ['/papers/paper%00', {}],
      ['/papers/paper/', { id: 'mine' }],
      ['/read', { id: ['paper'] }],
      ['/read', { id: { $eq: 'paper' } }],
      ['/read', { id: 'PAPER' }],
    ] as const)
      expect((await post(path, body, bob)).text, path).not.to.contain('secret');
    expect((await post('/papers/paper', { id: 'mine' }, token)).text).to.contain('secret');
  });

  it('fails with an owner in the body if the claim is the owner', async () => {
    const bob = createBearerInit(await signJwt({ id: 'bob' }));
    await post(
      '/write',
      { id: 'planted', text: 'planted', owner: 'ada', PROTECTED: { id: 'ada' }, $PROTECTED: 'ada' },
      bob,
    );
    expect((await post('/papers', {}, token)).text).not.to.contain('planted');
  });

  it('fails with two tokens in one request', async () => {
    const [good, bad] = [await signJwt({ id: 'ada' }), await signJwt({ id: 'bob' })];
    const values = [
      `Bearer ${bad}, Bearer ${good}`,
      `Bearer ${bad} ${good}`,
      `Bearer ${bad}\t${good}`,
      `Basic ${good}`,
    ];
    for (const authorization of values) {
      const { status, text } = await post('/papers', {}, { headers: { authorization } });
      expect(status, text).to.equal(401);
    }
  });

  it('fails with a ciphertext of another profile', async () => {
    const her = createBearerInit(await signJwt({ id: ada }));
    expect((await post('/set-phone', { phone: '+49 30 1234' }, her)).status).to.equal(200);
    expect((await post('/phone', {}, her)).body).to.deep.equal({ phone: '+49 30 1234' });
    const { phone } = (await post('/raw-phone', { name: 'ada' })).body;
    expect(phone).to.be.a('string').and.not.contain('1234');
    const { id } = (await post('/join', { name: 'mallory', password: 'x' })).body;
    const mallory = createBearerInit(await signJwt({ id }));
    expect((await post('/take-phone', { phone }, mallory)).status).to.equal(200);
    const { status, body } = await post('/phone', {}, mallory);
    expect([status, body['code']]).to.deep.equal([422, 'CPH_OPEN']);
    await post('/set-phone', { phone }, mallory);
    expect((await post('/phone', {}, mallory)).body).to.deep.equal({ phone });
  });
});

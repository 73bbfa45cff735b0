/**
 * The interface on ciphers, sentence by sentence: every algorithm in every encoding, through a real table. Definitions
 * written from the interface alone.
 */
import { expect } from 'chai';
import { describeOnDatabase } from '../support/kernel.js';
import { sampleCases } from '../support/sample.js';

const KEYS: Readonly<Record<string, string>> = {
  Aes256Gcm: '$ENV.KEY_OF_32',
  ChaCha20Poly1305: '$ENV.KEY_OF_32',
  XChaCha20Poly1305: '$ENV.KEY_OF_32',
  XSalsa20Poly1305: '$ENV.KEY_OF_32',
  Ascon128a: '$ENV.KEY_OF_16',
};
const FORMS: Readonly<Record<string, RegExp>> = {
  Base64: /^[A-Za-z0-9+/]+={0,2}$/,
  Base64Url: /^[A-Za-z0-9_-]+$/,
  Hex: /^[0-9a-f]+$/,
  Base32: /^[A-Z2-7]+=*$/,
  Base58: /^[1-9A-HJ-NP-Za-km-z]+$/,
};

const entry = (operation: string, properties: readonly string[], algorithm: string, options: object = {}): object => ({
  operation,
  properties,
  algorithm,
  options: { key: KEYS[algorithm], ...options },
});
const insert = (ciphers: readonly object[]): object => ({
  id: 1,
  mode: 'QUERY',
  payload_validation: [{ field: { ssn: { type: 'STRING', max_length: 200 } } }],
  ciphers,
  sql_query: {
    query: 'INSERT INTO person (id, ssn) VALUES ($1, $2) RETURNING id, ssn',
    parameters: ['$GENERATOR.ULID', 'ssn'],
  },
  returnables: ['id', 'ssn'],
});
const select = (ciphers: readonly object[]): object => ({
  id: 1,
  mode: 'QUERY',
  ciphers,
  sql_query: { query: 'SELECT id, ssn FROM person WHERE id = $1', parameters: ['$PAYLOAD.id'] },
  returnables: ['id', 'ssn'],
});
const resource = (id: string, ...actionables: readonly object[]): object => ({ id, resource: id, actionables });

const pairs = Object.keys(KEYS).flatMap((algorithm) => Object.keys(FORMS).map((encoding) => ({ algorithm, encoding })));

const DEFINITIONS = [
  { _person: { id: { type: 'String', primary_key: true }, ssn: { type: 'String' } } },
  {
    _wallet: {
      id: { type: 'String', primary_key: true },
      owner: { type: 'String' },
      phone: { type: 'String' },
      cards: { type: 'JSON_ARRAY', property_type: 'JSON_OBJECT' },
    },
  },
  ...pairs.flatMap(({ algorithm, encoding }) => [
    resource(`put-${algorithm}-${encoding}`, insert([entry('Encrypt', ['ssn'], algorithm, { encoding })])),
    resource(`get-${algorithm}-${encoding}`, select([entry('Decrypt', ['ssn'], algorithm, { encoding })])),
  ]),
  ...Object.keys(KEYS).flatMap((algorithm) => [
    resource(`bind-${algorithm}`, insert([entry('Encrypt', ['ssn'], algorithm, { aad: 'ssn of $HEADER.x-tenant' })])),
    resource(`open-${algorithm}`, select([entry('Decrypt', ['ssn'], algorithm, { aad: 'ssn of $HEADER.x-tenant' })])),
  ]),
  resource('plain-put', insert([])),
  resource('other-key', select([entry('Decrypt', ['ssn'], 'Aes256Gcm', { key: '$ENV.OTHER_KEY_OF_32' })])),
  resource('wallet-add', {
    id: 1,
    mode: 'QUERY',
    ciphers: [
      entry('Encrypt', ['owner.name', 'cards.number'], 'Aes256Gcm', { aad: 'wallet' }),
      entry('Encrypt', ['phone'], 'Ascon128a', { encoding: 'Hex' }),
    ],
    sql_query: {
      query: 'INSERT INTO wallet (id, owner, phone, cards) VALUES ($1, $2, $3, $4) RETURNING id',
      parameters: ['$GENERATOR.UUID', '$PAYLOAD.owner.name', '$PAYLOAD.phone', '$PAYLOAD.cards'],
    },
  }),
  resource('wallet-raw', {
    id: 1,
    mode: 'QUERY',
    sql_query: { query: 'SELECT owner, phone, cards FROM wallet WHERE id = $1', parameters: ['$PAYLOAD.id'] },
    returnables: ['owner', 'phone', 'cards', 'cards.number'],
  }),
  resource('wallet-get', {
    id: 1,
    mode: 'QUERY',
    ciphers: [
      entry('Decrypt', ['owner', 'cards.number'], 'Aes256Gcm', { aad: 'wallet' }),
      entry('Decrypt', ['phone'], 'Ascon128a', { encoding: 'Hex' }),
    ],
    sql_query: { query: 'SELECT owner, phone, cards FROM wallet WHERE id = $1', parameters: ['$PAYLOAD.id'] },
    returnables: ['owner', 'phone', 'cards', 'cards.number'],
  }),
  resource(
    'chained',
    {
      id: 1,
      mode: 'QUERY',
      no_op: true,
      ciphers: [entry('Decrypt', ['ssn'], 'Aes256Gcm')],
      sql_query: { query: 'SELECT ssn FROM person WHERE id = $1', parameters: ['$PAYLOAD.id'] },
    },
    {
      id: 2,
      mode: 'QUERY',
      depends_on: [{ resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'ssn', for: 'clear' }] }],
      sql_query: { query: 'SELECT $1::text AS opened', parameters: ['clear'] },
      returnables: ['opened'],
    },
  ),
];

const ENV = {
  KEY_OF_32: 'k3Zr5Tq9Wm2Xc7Vb4Nk8Lp3Jh6Gf1Ds0',
  OTHER_KEY_OF_32: 'Zr5Tq9Wm2Xc7Vb4Nk8Lp3Jh6Gf1Ds0k3',
  KEY_OF_16: 'Wm2Xc7Vb4Nk8Lp3J',
};
const SECRETS = ['123-45-6789', 'ß 漢字 🙂', ' leading and trailing ', '{"a":1}', '$ENV.KEY_OF_32'];

interface Row {
  readonly id: string;
  readonly ssn: string;
}

describeOnDatabase('the interface on ciphers', { files: { 'definitions/a.json': DEFINITIONS }, env: ENV }, (kernel) => {
  const add = async (path: string, ssn: unknown, headers = {}): Promise<Row> => {
    const { status, body, text } = await kernel().post<Row>(path, { ssn }, { headers });
    expect(status, text).to.equal(200);
    return body;
  };

  for (const { algorithm, encoding } of pairs) {
    it(`${algorithm}, text form ${encoding}: returns the original value after decryption`, async () => {
      for (const secret of SECRETS) {
        const { id, ssn } = await add(`/put-${algorithm}-${encoding}`, secret);
        expect(ssn).to.match(FORMS[encoding] ?? /$^/);
        expect(ssn).to.not.include(secret);
        expect((await kernel().post(`/get-${algorithm}-${encoding}`, { id })).body).to.deep.equal({ id, ssn: secret });
      }
    });
  }

  for (const algorithm of Object.keys(KEYS)) {
    it(`${algorithm}: requires the same \`aad\` for decryption`, async () => {
      const { id } = await add(`/bind-${algorithm}`, 'secret', { 'x-tenant': 'a' });
      const open = (tenant: string) => kernel().post(`/open-${algorithm}`, { id }, { headers: { 'x-tenant': tenant } });
      expect((await open('a')).body).to.deep.equal({ id, ssn: 'secret' });
      const rejected = await open('b');
      expect(rejected.status).to.equal(422);
      expect(rejected.body['code']).to.equal('CPH_OPEN');
      expect(rejected.text).to.not.include('secret');
    });

    it(`${algorithm}: rejects modified ciphertext`, async () => {
      const { ssn } = await add(`/put-${algorithm}-Hex`, 'secret');
      // Of the version, of the nonce, of the text and of the tag.
      const bytes = Array.from({ length: ssn.length / 2 }, (_, index) => index);
      for (const at of [0, ...sampleCases('vectors', algorithm, bytes, 12)].map((byte) => 2 * byte)) {
        const changed = ((parseInt(ssn.slice(at, at + 2), 16) ^ 1) + 256).toString(16).slice(1);
        const { id } = await add('/plain-put', ssn.slice(0, at) + changed + ssn.slice(at + 2));
        const { status, body } = await kernel().post(`/get-${algorithm}-Hex`, { id });
        expect([status, body['code']], `byte ${at / 2}`).to.deep.equal([422, 'CPH_OPEN']);
      }
    });
  }

  it('fails with a wrong key, with the message of every other failure', async () => {
    const { id } = await add('/put-Aes256Gcm-Base64', 'secret');
    const wrong = await kernel().post('/other-key', { id });
    const { id: foreign } = await add('/plain-put', 'no ciphertext at all');
    const other = await kernel().post('/other-key', { id: foreign });
    expect(wrong.status).to.equal(422);
    const { instance: _a, ...one } = wrong.body;
    const { instance: _b, ...two } = other.body;
    expect(one).to.deep.equal(two);
  });

  it('processes every element of arrays on the path, with several entries of different algorithms', async () => {
    const sent = {
      owner: { name: 'Ada Lovelace' },
      phone: '+44 1',
      cards: [
        { number: '4111-1111', brand: 'a' },
        { number: 422_242_224_222, brand: 'b' },
        { brand: 'c' },
        { number: null },
      ],
    };
    const { status, body, text } = await kernel().post('/wallet-add', sent);
    expect(status, text).to.equal(200);
    const raw = (await kernel().post('/wallet-raw', { id: body['id'] })).text;
    // Long enough to be in no ciphertext by chance.
    for (const clear of ['Ada Lovelace', '+44 1', '4111-1111', '422242224222']) expect(raw).to.not.include(clear);
    const got = (await kernel().post('/wallet-get', { id: body['id'] })).body;
    expect(got).to.deep.equal({ owner: 'Ada Lovelace', phone: '+44 1', cards: sent.cards });
  });

  it('passes decrypted values to the next actionable', async () => {
    const { id } = await add('/put-Aes256Gcm-Base64', 'secret');
    expect((await kernel().post('/chained', { id })).body).to.deep.equal({ opened: 'secret' });
  });
});

/** `ciphers` over real HTTP: stored values are unreadable, returned ones equal the sent ones. */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { describeOnDatabase } from '../support/kernel.js';
import { sampleCases } from '../support/sample.js';
import { createBearerInit, signJwt } from '../support/tokens.js';
import { ENV, FILES, FORMS, forms, sorts } from '../support/cipher-definitions.js';

const VALUES: readonly unknown[] = [
  'plain text',
  '',
  'é 👍 "quoted"',
  0,
  -12.5,
  9_007_199_254_740_991,
  true,
  false,
  { street: 'Main', tags: ['a', { b: null }] },
  ['a', 1, null],
  {},
  [],
];

const rejection = { code: 'CPH_OPEN', status: 422 };

const OPTIONS = { validated: true, files: FILES, env: ENV, config: { http: { limits: { keys: 10_000 } } } };

describeOnDatabase('ciphers', OPTIONS, (kernel) => {
  const post = <T = Loose>(path: string, body: unknown, init?: RequestInit) => kernel().post<T>(path, body, init);
  const add = async (id: string, body: object, init?: RequestInit): Promise<number> => {
    const { status, body: answer, text } = await post(`/add-${id}`, body, init);
    expect(status, text).to.equal(200);
    return Number(answer['id']);
  };
  const readStored = async (id: number): Promise<Loose> => (await post('/raw', { id })).body;

  for (const sort of sorts) {
    const some = sampleCases('vectors', sort, forms, 1);
    it(`${sort}: restores any value from ${some.join(', ')}, and only its ciphertext is in the row`, async () => {
      for (const form of some) {
        const seen = new Set<unknown>();
        for (const value of VALUES) {
          const id = await add(`${sort}-${form}`, { name: 'n', secret: value });
          const { secret } = await readStored(id);
          expect(secret).to.match(FORMS[form]);
          expect(secret).not.to.contain('plain');
          seen.add(secret);
          const { body, text } = await post(`/get-${sort}-${form}`, { id });
          expect(body['secret'], text).to.deep.equal(value);
          expect(body['name']).to.equal('n');
        }
        expect(seen.size, 'one ciphertext for each').to.equal(VALUES.length);
      }
    });
  }

  it('encrypts equal values differently each time', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => add('Aes256Gcm-Base64', { secret: 'same' })));
    const texts = await Promise.all(ids.map(async (id) => (await readStored(id))['secret']));
    expect(new Set(texts).size).to.equal(20);
  });

  it('leaves null and missing values unchanged if a rule declares the value as optional', async () => {
    for (const sent of [{}, { secret: null }, { secret: null, more: null }]) {
      const id = await add('optional', { name: 'n', ...sent });
      expect((await readStored(id))['secret']).to.equal(null);
      expect((await post('/get-Aes256Gcm-Base64', { id })).body['secret']).to.equal(null);
    }
  });

  it('rejects to write a column without the value that is to be encrypted', async () => {
    for (const sent of [{}, { secret: null }]) {
      const { status, body } = await post('/add-Aes256Gcm-Base64', { name: 'n', ...sent });
      expect([status, body['code']]).to.deep.equal([422, 'VAL_PAYLOAD']);
    }
  });

  it('returns one error response, whatever is wrong', async () => {
    const id = await add('Aes256Gcm-Base64', { secret: 'canary-value' });
    const { secret } = await readStored(id);
    const text = String(secret);
    const answers: string[] = [];
    const expectRejection = async (path: string): Promise<void> => {
      const { status, body, text: answer } = await post(path, { id });
      expect(body, path).to.include(rejection);
      expect(status).to.equal(422);
      expect(answer).not.to.contain('canary');
      answers.push(`${String(body['title'])} ${String(body['detail'])}`);
    };
    for (const path of ['/get-other-key', '/get-other-aad', '/get-ChaCha20Poly1305-Base64', '/get-Aes256Gcm-Hex']) {
      await expectRejection(path);
    }
    const bytes = Buffer.from(text, 'base64');
    const changed = [0, 1, 12, 13, bytes.length - 1].map((at) => {
      const other = Buffer.from(bytes);
      other[at] = (other[at] ?? 0) ^ 1;
      return other.toString('base64');
    });
    const notation = [`${text} `, text.replace(/=*$/, ''), `${text}=`, text.slice(4), '', 'plain', '{}', 'AQ=='];
    for (const other of [...changed, ...notation]) {
      if (other === text) continue;
      await post('/tamper', { id, text: other });
      await expectRejection('/get-Aes256Gcm-Base64');
    }
    expect(new Set(answers).size).to.equal(1);
    await post('/tamper', { id, text });
    expect((await post('/get-Aes256Gcm-Base64', { id })).body['secret']).to.equal('canary-value');
  });

  for (const id of ['bound', 'bound-salsa']) {
    it(`can be decrypted only for the user it was encrypted for (${id})`, async () => {
      const [ada, bob] = await Promise.all(
        ['ada', 'bob'].map(async (name) => createBearerInit(await signJwt({ id: name }))),
      );
      const ids = [await add(id, { secret: 'of ada' }, ada), await add(id, { secret: 'of bob' }, bob)];
      expect((await post(`/get-${id}`, { id: ids[0] }, ada)).body['secret']).to.equal('of ada');
      expect((await post(`/get-${id}`, { id: ids[1] }, bob)).body['secret']).to.equal('of bob');
      expect((await post(`/get-${id}`, { id: ids[0] }, bob)).body).to.include(rejection);
      expect((await post(`/get-${id}`, { id: ids[1] }, ada)).body).to.include(rejection);
    });
  }

  it('reads additional data of a client as text, whatever it begins with', async () => {
    const id = await add('tagged', { secret: 's', tag: 'hex:41' });
    expect((await post('/get-tagged', { id, tag: 'A' })).body).to.include(rejection);
    expect((await post('/get-tagged', { id, tag: 'hex:41' })).body['secret']).to.equal('s');
    const { status, body } = await post('/add-tagged', { secret: 's' });
    expect([status, body['code']]).to.deep.equal([422, 'ACC_UNRESOLVED']);
    for (const tag of [null, {}, ['A']]) expect((await post('/add-tagged', { secret: 's', tag })).status).to.equal(422);
  });

  it('follows lists and objects on the path, with several algorithms in one actionable', async () => {
    const more = {
      cards: [
        { number: '4111', holder: 'Ada', pins: [{ code: 1 }, { code: 2 }] },
        { number: 42, holder: 'Bob', pins: [] },
        { holder: 'nobody' },
      ],
      address: { street: 'Main', zip: [1, 2] },
      open: 'stays',
    };
    const id = await add('deep', { secret: 's', more });
    const raw = (await readStored(id)) as unknown as { more: typeof more & { address: unknown }; secret: string };
    expect(raw.more.open).to.equal('stays');
    expect(raw.more.cards.map(({ holder }) => holder)).to.deep.equal(['Ada', 'Bob', 'nobody']);
    expect(raw.more.cards[2]).to.deep.equal({ holder: 'nobody' });
    for (const text of [raw.more.cards[0]?.number, raw.more.cards[1]?.number, raw.more.address]) {
      expect(text).to.match(FORMS.Base64).and.have.length.greaterThan(40);
    }
    expect(raw.more.cards[0]?.pins?.map(({ code }) => typeof code)).to.deep.equal(['string', 'string']);
    expect(raw.secret).to.match(FORMS.Base58);
    const { body } = await post('/get-deep', { id });
    expect(body).to.deep.include({ secret: 's', more });
  });

  it('encrypts each item of a list: of the body, and of a field of it', async () => {
    const items = [
      { name: 'items', secret: 'one' },
      { name: 'items', secret: { two: 2 } },
    ];
    expect((await post('/add-many', items)).status).to.equal(200);
    expect((await post('/add-items', { items, secret: 'of all', name: 'all' })).status).to.equal(200);
    const { body } = await post<Loose[]>('/list', { name: 'items' });
    const sent = ['one', { two: 2 }];
    expect(body.slice(0, 2).map(({ secret }) => secret)).to.deep.equal(sent);
    expect(body.slice(2, 4).map(({ secret }) => secret)).to.deep.equal(sent);
    for (const { id } of body.slice(0, 2)) expect((await readStored(Number(id)))['secret']).to.match(FORMS.Base64);
  });

  it('decrypts results of parallel actionables', async () => {
    await add('Aes256Gcm-Base64', { name: 'beside', secret: 'seen' });
    const { body, text } = await post('/list-beside', { name: 'beside' });
    expect(body, text).to.deep.equal([{ secret: 'seen' }]);
  });

  it('encrypts a value that another actionable provides', async () => {
    const id = await add('Aes256Gcm-Base64', { name: 'copied', secret: { kept: true } });
    const { body, text } = await post('/copy', { id });
    const copy = Number(body['id']);
    expect((await readStored(copy))['secret'], text).to.match(FORMS.Hex);
    const opened = await post('/get-ChaCha20Poly1305-Hex', { id: copy });
    expect(opened.body).to.deep.include({ name: 'copied', secret: { kept: true } });
  });

  it('encrypts each item of a list that another actionable provides', async () => {
    await add('Aes256Gcm-Base64', { name: 'result', secret: 'canary' });
    const { status, text } = await post('/copy-items', { name: 'result' });
    expect(status, text).to.equal(200);
    expect(text).not.to.contain('canary');
  });

  it('encrypts the hash of a hashed value too, and decrypts it for verification', async () => {
    const id = await add('hash', { secret: 'correct horse' });
    const { body } = await post('/get-Aes256Gcm-Base64', { id });
    expect(body['secret']).to.match(/^\$2b\$04\$/);
    expect((await post('/verify-hash', { id, secret: 'correct horse' })).status).to.equal(200);
    expect((await post('/verify-hash', { id, secret: 'wrong horse' })).status).to.equal(401);
  });

  it('returns nothing that was decrypted unless it is named', async () => {
    const id = await add('Aes256Gcm-Base64', { name: 'n', secret: 'canary-hidden' });
    const { status, body, text } = await post('/unnamed', { id });
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ id, name: 'n', more: null });
    expect(text).not.to.contain('canary');
  });

  it('decrypts long lists, and rejects ones without end', async () => {
    const id = await add('Aes256Gcm-Base64', { secret: 'again' });
    const { secret } = await readStored(id);
    await post('/rows', { name: 'long', secret, n: 1000 });
    const { body } = await post<Loose[]>('/list', { name: 'long' });
    expect(body).to.have.length(1000);
    expect(body.every((row) => row['secret'] === 'again')).to.equal(true);
    await post('/rows', { name: 'endless', secret, n: 10_001 });
    const rejected = await post('/list', { name: 'endless' });
    expect([rejected.status, rejected.body['code']]).to.deep.equal([422, 'CPH_MANY_ROWS']);
  });

  it('limits the encryption work of one request, before anything is written', async () => {
    const items = Array.from({ length: 1001 }, (_, n) => ({ name: 'bounded', secret: n }));
    const { status, body } = await post('/add-many', items);
    expect([status, body['code']]).to.deep.equal([413, 'CPH_TOO_MANY']);
    const long = await post('/add-Aes256Gcm-Base58', { name: 'bounded', secret: 'x'.repeat(2048) });
    expect([long.status, long.body['code']]).to.deep.equal([413, 'CPH_TOO_LONG']);
    expect((await post('/list', { name: 'bounded' })).body).to.deep.equal([]);
    const longest = 'x'.repeat(2048 - 1 - 12 - 16 - 2);
    const id = await add('Aes256Gcm-Base58', { secret: longest });
    expect((await post('/get-Aes256Gcm-Base58', { id })).body['secret']).to.equal(longest);
  });

  it('logs no key and no value', () => {
    const rows = JSON.stringify(kernel().log);
    for (const text of [ENV.KEY_32, ENV.KEY_16, ENV.OTHER_32.slice(4), 'canary-value']) {
      expect(rows).not.to.contain(text);
    }
  });
});

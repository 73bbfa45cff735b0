/**
 * Hashed or encrypted values never reach a store in plain text, whatever their source: sent, read from a result,
 * generated, or inside an object. A step that protects nothing is an error at load, and a column is never written
 * without its value.
 */
import { expect } from 'chai';
import { InvalidDefinitionsError } from '../../language/project/invalid-definitions.js';
import type { Loose } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';

const CHEAP = { algorithm: 'BCRYPT', options: { rounds_cost: 4 } };
const HASH = /^\$2b\$04\$[./A-Za-z0-9]{53}$/;
const hashed = (...names: string[]): object => ({ hashables: names.map((property) => ({ property, ...CHEAP })) });
const encrypted = (...properties: string[]): object => ({
  ciphers: [{ operation: 'Encrypt', properties, algorithm: 'Aes256Gcm', options: { key: '$ENV.KEY' } }],
});
const insert = (parameters: unknown[], rest: object = {}, id = 1): object => ({
  ...{ id, mode: 'QUERY', ...rest },
  sql_query: {
    query: 'INSERT INTO safes (id, secret) VALUES ($1, $2)',
    parameters,
    ...((rest as Loose)['sql_query'] as object),
  },
});
const resource = (id: string, ...actionables: object[]): object => ({
  id,
  resource: id,
  actionables,
  returnables: ['id'],
});
const plain = {
  id: 9,
  mode: 'RETURN',
  value: { code: 'correct horse' },
  no_op: true,
};
const from9 = (extract: string, name: string): object => ({
  depends_on: [{ resource_id: 'self', action_ids: [9], extract_response_for: [{ extract, for: name }] }],
});
const MODELS = [
  { _safe: { id: { type: 'String', primary_key: true }, secret: { type: 'String', optional: true } } },
  { _folder: { id: { type: 'String', primary_key: true }, profile: { type: 'JSON_OBJECT' } } },
];
const NESTED = {
  ...{ id: 1, mode: 'QUERY', ...hashed('profile.pin') },
  sql_query: { query: 'INSERT INTO folders (id, profile) VALUES ($1, $2)', parameters: ['id', 'profile'] },
};

const GOOD = [
  ...MODELS,
  resource('bare', insert(['id', 'secret'], hashed('secret'))),
  resource('accessor', insert(['$PAYLOAD.id', '$PAYLOAD.secret'], hashed('secret'))),
  resource('extracted', plain, insert(['id', 'code'], { ...from9('code', 'code'), ...hashed('code') })),
  resource(
    'extracted-accessor',
    plain,
    insert(['id', '$PAYLOAD.code'], { ...from9('code', 'code'), ...hashed('code') }),
  ),
  resource('extracted-object', plain, insert(['id', 'all.code'], { ...from9('self_', 'all'), ...hashed('all.code') })),
  resource('generated', insert(['id', 'code'], { generate: '$GENERATOR.UUID', for: 'code', ...hashed('code') })),
  resource('sealed', plain, insert(['id', 'code'], { ...from9('code', 'code'), ...encrypted('code') })),
  resource(
    'sealed-generated',
    insert(['id', 'code'], { generate: '$GENERATOR.UUID', for: 'code', ...encrypted('code') }),
  ),
  resource('sealed-bare', insert(['id', 'secret'], encrypted('secret'))),
  resource('both', insert(['id', 'secret'], { ...hashed('secret'), ...encrypted('secret') })),
  resource('after', insert(['id', 'secret'], hashed('secret')), {
    ...{ id: 2, mode: 'QUERY' },
    sql_query: { query: 'UPDATE safes SET secret = $2 WHERE id = $1', parameters: ['id', 'secret'] },
  }),
  resource('again', plain, insert(['id', 'code'], { ...from9('code', 'code'), ...hashed('code') }), {
    ...{ id: 2, mode: 'QUERY', ...hashed('code') },
    sql_query: { query: 'UPDATE safes SET secret = $2 WHERE id = $1', parameters: ['id', 'code'] },
  }),
  resource('upsert', {
    ...{ id: 1, mode: 'QUERY', ...hashed('secret') },
    sql_query: {
      query: 'INSERT INTO safes (id, secret) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET secret = $2',
      parameters: ['id', 'secret'],
    },
  }),
  resource('many', insert(['id', 'secret'], { ...hashed('secret'), sql_query: { multi: true } })),
  resource(
    'copied',
    {
      id: 1,
      mode: 'QUERY',
      result: 'many',
      no_op: true,
      sql_query: { query: "SELECT id, secret FROM safes WHERE id LIKE 'bare-%'" },
    },
    insert(
      ['$GENERATOR.UUID', 'secret'],
      {
        depends_on: [
          { resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'self_', for: 'found' }] },
        ],
        ...hashed('secret'),
        sql_query: { multi: 'found' },
      },
      2,
    ),
  ),
  resource('nested', NESTED),
  resource(
    'beside',
    { ...insert(['id', 'secret'], hashed('secret')), parallel: true },
    { id: 2, mode: 'RETURN', value: 1, parallel: true },
  ),
  {
    ...resource('seen', {
      id: 1,
      mode: 'QUERY',
      result: 'many',
      sql_query: { query: 'SELECT id, secret AS kept FROM safes' },
    }),
    returnables: ['id', 'kept'],
  },
  {
    ...resource('folders', {
      id: 1,
      mode: 'QUERY',
      result: 'many',
      sql_query: { query: 'SELECT id, profile FROM folders' },
    }),
    returnables: ['id', 'profile', 'profile.pin'],
  },
];
const config = { connections: { main: { use: 'pglite', path: 'memory://' } } };
const env = { KEY: 'canary-field-key-Qm7xT2vLs9Rw4Zk' };

describe('protected values', () => {
  let kernel: TestKernel;
  before(async () => {
    kernel = await startKernel({ files: { 'definitions/a.json': GOOD }, config, env });
  });
  after(() => kernel.close());

  let count = 0;
  async function storeAndRead(path: string, sent: object = { secret: 'correct horse' }): Promise<unknown> {
    const id = `${path}-${++count}`;
    expect((await kernel.post(`/${path}`, { id, ...sent })).status, path).to.equal(200);
    const { body } = await kernel.post<readonly Loose[]>('/seen');
    return body.find((row) => row['id'] === id)?.['kept'];
  }

  for (const path of [
    'bare',
    'accessor',
    'extracted',
    'extracted-accessor',
    'extracted-object',
    'generated',
    'after',
    'again',
    'upsert',
    'beside',
  ])
    it(`are stored as a hash: ${path}`, async () => {
      expect(await storeAndRead(path)).to.match(HASH);
    });

  for (const path of ['sealed', 'sealed-generated', 'sealed-bare', 'both'])
    it(`are stored as a ciphertext: ${path}`, async () => {
      expect(await storeAndRead(path)).to.match(/^[A-Za-z0-9+/=]{50,}$/);
    });

  it('are stored as a hash inside an object', async () => {
    expect((await kernel.post('/nested', { id: 'n', profile: { pin: 'correct horse', name: 'Ada' } })).status).to.equal(
      200,
    );
    const { body } = await kernel.post<readonly { profile: Loose }[]>('/folders');
    expect(body[0]?.profile['name']).to.equal('Ada');
    expect(body[0]?.profile['pin']).to.match(HASH);
  });

  it('are rejected with 422 and a pointer when they are absent or null while their column is written', async () => {
    for (const path of ['bare', 'sealed-bare', 'upsert', 'accessor']) {
      for (const sent of [{ id: 'absent' }, { id: 'absent', secret: null }]) {
        if (path === 'accessor' && 'secret' in sent) continue;
        const { status, body } = await kernel.post(`/${path}`, sent);
        expect([status, (body['errors'] as Loose[])[0]?.['pointer']], path).to.deep.equal([422, '/secret']);
      }
    }
    const { status, body } = await kernel.post('/many', [{ id: 'absent', secret: 'x' }, { id: 'absent too' }]);
    expect([status, (body['errors'] as Loose[])[0]?.['pointer']]).to.deep.equal([422, '/1/secret']);
    const { body: rows } = await kernel.post<readonly Loose[]>('/seen');
    expect(rows.filter(({ id }) => String(id).startsWith('absent'))).to.deep.equal([]);
  });

  it('are stored as a hash if they are in the items of a result', async () => {
    await storeAndRead('bare');
    const before = await kernel.post<readonly Loose[]>('/seen');
    expect((await kernel.post('/copied')).status).to.equal(200);
    const known = new Set(before.body.map(({ kept }) => kept));
    const copies = (await kernel.post<readonly Loose[]>('/seen')).body.filter(({ kept }) => !known.has(kept));
    expect(copies).not.to.deep.equal([]);
    for (const { kept } of copies) expect(kept).to.match(HASH);
  });

  it('are hashed for each item of a list', async () => {
    const { status } = await kernel.post('/many', [
      { id: 'm1', secret: 'one' },
      { id: 'm2', secret: 'two' },
    ]);
    expect(status).to.equal(200);
    const { body } = await kernel.post<readonly Loose[]>('/seen');
    for (const id of ['m1', 'm2']) expect(body.find((row) => row['id'] === id)?.['kept']).to.match(HASH);
  });
});

describe('step that would protect nothing', () => {
  /** Errors of one resource, as `CODE fix`. */
  async function listErrors(...actionables: object[]): Promise<string[]> {
    const files = { 'definitions/a.json': [...MODELS, resource('bad', ...actionables)] };
    try {
      await (await startKernel({ files, config, env })).close();
    } catch (error) {
      if (!(error instanceof InvalidDefinitionsError)) throw error;
      return error.problems.flatMap(({ severity, code, fix }) =>
        severity === 'error' ? [`${code} ${fix?.text.replaceAll('"', '') ?? ''}`.trim()] : [],
      );
    }
    return [];
  }
  const rules = { payload_validation: [{ field: { id: { type: 'STRING' }, secret: { type: 'STRING' } } }] };
  const cases: readonly (readonly [string, object[], string])[] = [
    [
      'a misspelt property, with rules',
      [insert(['id', 'secret'], { ...rules, ...hashed('secert') })],
      'LNK_NO_VALUE secret',
    ],
    ['a misspelt property, without rules', [insert(['id', 'secret'], hashed('secert'))], 'LNK_NO_VALUE secret'],
    ['a misspelt property of a cipher', [insert(['id', 'secret'], encrypted('secert'))], 'LNK_NO_VALUE secret'],
    ['an accessor as a property', [insert(['id', 'secret'], hashed('$PAYLOAD.secret'))], 'LNK_NO_VALUE secret'],
    ['a misspelt nested property', [{ ...NESTED, ...hashed('profil.pin') }], 'LNK_NO_VALUE profile.pin'],
    [
      'a misspelt name of a dependency',
      [plain, insert(['id', 'code'], { ...from9('code', 'code'), ...hashed('cdoe') })],
      'LNK_NO_VALUE code',
    ],
    ['a value without a name', [insert(['id', '$GENERATOR.UUID'], hashed('secret'))], 'LNK_NO_VALUE'],
    [
      'a column that is written from another value',
      [
        insert(['id', '$PAYLOAD.clear'], {
          ...hashed('secret'),
          payload_validation: [{ field: { secret: { type: 'STRING' } } }],
        }),
      ],
      'LNK_UNPROTECTED secret',
    ],
  ];
  for (const [title, actionables, expected] of cases)
    it(`is an error at load: ${title}`, async () => {
      expect(await listErrors(...actionables)).to.deep.equal([expected]);
    });
});

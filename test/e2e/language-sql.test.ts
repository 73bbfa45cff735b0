/** The language with SQL, over real HTTP on both databases: parameters, result shapes, empty results, transactions. */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { describeOnBothDatabases } from '../support/kernel.js';
import { defineQueryResource } from '../support/project.js';

const MODELS = {
  'definitions/_item.json': {
    id: { type: 'Number', primary_key: true, auto_increment: true },
    name: { type: 'String', max_length: 40 },
    kind: { type: 'String', optional: true },
    price: { type: 'Float', optional: true },
    tags: { type: 'JSON_ARRAY', optional: true },
    code: { type: 'String', optional: true, unique: true },
    parent: { type: 'Number', optional: true, foreign_key: { of: '_item', key: 'id' } },
  },
  'definitions/_hit.json': {
    id: { type: 'String', primary_key: true },
    request: { type: 'String' },
  },
};

const HIT = {
  query: 'INSERT INTO hits (id, request) VALUES ($1, $2)',
  parameters: ['$GENERATOR.UUID', '$PAYLOAD.request'],
};
const READ = 'SELECT id, name FROM items WHERE kind = $1 ORDER BY id';

const FILES = {
  ...MODELS,
  'definitions/resources.json': [
    defineQueryResource(
      'add',
      'INSERT INTO items (name, kind, price, tags, code, parent) VALUES ($1, $2, $3, $4, $5, $6)',
      ['name', 'kind', 'price', 'tags', 'code', 'parent'],
    ),
    defineQueryResource('by-count', READ, ['kind']),
    defineQueryResource('one', READ, ['kind'], { result: 'one' }),
    defineQueryResource('many', READ, ['kind'], { result: 'many' }),
    defineQueryResource('must', READ, ['kind'], { must_return_value: true }),
    defineQueryResource('must-words', READ, ['kind'], {
      must_return_value: true,
      on_empty: { status: 410, message: 'Gone for good.' },
    }),
    defineQueryResource('must-many', READ, ['kind'], { must_return_value: true, result: 'many' }),
    defineQueryResource('env', 'SELECT $1::text = $2::text AS same', ['$ENV.SECRET', '$PAYLOAD.guess']),
    defineQueryResource('header', 'SELECT $1::text AS tenant, $2::text AS ip', ['$HEADER.x-tenant', '$HEADER.ip']),
    defineQueryResource('echo', 'SELECT $1::text AS value', ['$PAYLOAD.v']),
    defineQueryResource(
      'literals',
      'SELECT $1::text AS word, $2::text AS phrase, $3::int AS number, $4::bool AS flag, $5::text AS none',
      [{ literal: 'new' }, { literal: 'joined the circle' }, 5, true, null],
      { payload_validation: [{ field: { kind: { type: 'STRING', optional: true } } }] },
    ),
    defineQueryResource('unrunnable', 'SELECT canary_column FROM canary_table'),
    defineQueryResource('named', 'INSERT INTO items (name, kind) VALUES ($1, $2) RETURNING name, kind', [
      'name',
      { literal: 'fresh' },
    ]),
    defineQueryResource('tagged', 'INSERT INTO items (name, tags) VALUES ($1, $2) RETURNING tags', [
      'name',
      { literal: '["a", "b"]' },
    ]),
    {
      id: 'declared',
      resource: 'declared',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          payload_validation: [{ field: { word: { type: 'STRING' } } }],
          sql_query: { query: 'SELECT $1::text AS a, $2::text AS b', parameters: ['word', { literal: 'other' }] },
        },
      ],
    },
    {
      id: 'once',
      resource: 'once',
      actionables: [
        { id: 1, mode: 'QUERY', no_op: true, sql_query: HIT },
        { id: 2, mode: 'RETURN', value: { n: 2 }, depends_on: [{ resource_id: 'self', action_ids: [1] }] },
        {
          id: 3,
          mode: 'QUERY',
          depends_on: [
            { resource_id: 'self', action_ids: [1] },
            { resource_id: 'self', action_ids: [1, 2] },
          ],
          sql_query: {
            query: 'SELECT count(*) AS hits FROM hits WHERE request = $1',
            parameters: ['$PAYLOAD.request'],
          },
        },
      ],
    },
    {
      id: 'all-or-nothing',
      resource: 'all-or-nothing',
      actionables: [
        { id: 1, mode: 'QUERY', sql_query: HIT },
        {
          id: 2,
          mode: 'QUERY',
          sql_query: { query: 'SELECT 1 / $1::int AS broken', parameters: ['$PAYLOAD.divisor'] },
        },
      ],
    },
    {
      id: 'increment',
      resource: 'increment',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          no_op: true,
          sql_query: { query: 'SELECT price FROM items WHERE id = $1', parameters: ['$PAYLOAD.id'] },
        },
        {
          id: 2,
          mode: 'QUERY',
          depends_on: [
            { resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'price', for: 'before' }] },
          ],
          sql_query: {
            query: 'UPDATE items SET price = $2::float8 + 1 WHERE id = $1 RETURNING price',
            parameters: ['$PAYLOAD.id', 'before'],
          },
        },
      ],
    },
    defineQueryResource('hits', 'SELECT count(*) AS hits FROM hits WHERE request = $1', ['$PAYLOAD.request']),
    {
      id: 'clock',
      resource: 'clock',
      actionables: [
        { id: 1, mode: 'QUERY', sql_query: { query: 'SELECT $1::timestamptz AS first', parameters: ['$DATETIME'] } },
        { id: 2, mode: 'QUERY', sql_query: { query: 'SELECT $1::timestamptz AS second', parameters: ['$DATETIME'] } },
      ],
      returnables: ['first', 'second'],
    },
  ],
};

describeOnBothDatabases('SQL queries', { files: FILES, env: { SECRET: 'canary-env-4711' } }, (kernel) => {
  let kinds = 0;
  /** A kind of its own with this many items in it. */
  const kindWith = async (count: number): Promise<string> => {
    const kind = `kind-${++kinds}`;
    for (let i = 1; i <= count; i++) await kernel().post('/add', { name: `n${i}`, kind });
    return kind;
  };
  const names = (body: unknown): unknown => (body as readonly Loose[]).map((row) => row['name']);

  it('without `result` return null for no row, an object for one, an array for several', async () => {
    expect((await kernel().post('/by-count', { kind: 'none' })).body).to.equal(null);
    expect((await kernel().post('/by-count', { kind: await kindWith(1) })).body).to.include({ name: 'n1' });
    expect(names((await kernel().post('/by-count', { kind: await kindWith(2) })).body)).to.deep.equal(['n1', 'n2']);
  });

  it('with `result: one` return an object or null, with `many` an array, whatever the rows', async () => {
    const [one, two] = [await kindWith(1), await kindWith(2)];
    expect((await kernel().post('/one', { kind: two })).body).to.include({ name: 'n1' });
    expect((await kernel().post('/one', { kind: 'none' })).body).to.equal(null);
    expect(names((await kernel().post('/many', { kind: one })).body)).to.deep.equal(['n1']);
    expect((await kernel().post('/many', { kind: 'none' })).body).to.deep.equal([]);
  });

  it('with `must_return_value` reject an empty result with the default message, or with that of `on_empty`', async () => {
    const plain = await kernel().post('/must', { kind: 'none' });
    expect(plain.status).to.equal(404);
    expect(plain.body['message']).to.equal('Operation Failed: this action must return a value!');
    const own = await kernel().post('/must-words', { kind: 'none' });
    expect(own.status).to.equal(410);
    expect(own.body).to.include({ code: 'ACT_NO_VALUE', status: 410, detail: 'Gone for good.' });
    expect((await kernel().post('/must-many', { kind: 'none' })).status).to.equal(404);
    expect((await kernel().post('/must', { kind: await kindWith(1) })).status).to.equal(200);
  });

  it('return the row of an INSERT without RETURNING, with native values', async () => {
    const { body } = await kernel().post('/add', { name: 'x', price: 1.25, tags: ['a', { b: 1 }] });
    expect(body).to.deep.include({ name: 'x', kind: null, price: 1.25, tags: ['a', { b: 1 }], code: null });
    expect(body['id']).to.be.a('number');
  });

  it('read a missing bare name as null, and return 422 with the field for a missing value of a required column', async () => {
    const { status, body } = await kernel().post('/add', { kind: 'k' });
    expect(status).to.equal(422);
    expect(body).to.include({ code: 'QRY_NOT_NULL' });
    expect((body['errors'] as Loose[])[0]).to.include({ pointer: '/name' });
  });

  it('return violations of the table with their status and without values', async () => {
    await kernel().post('/add', { name: 'a', code: 'taken-once' });
    const cases = [
      [{ name: 'b', code: 'taken-once' }, 409, 'QRY_UNIQUE', '/code'],
      [{ name: 'b', parent: 999_999 }, 409, 'QRY_FOREIGN_KEY', '/parent'],
      [{ name: 'x'.repeat(41) }, 422, 'QRY_CHECK', '/name'],
      [{ name: 'b', price: 'dear' }, 422, 'QRY_BAD_VALUE', '/price'],
    ] as const;
    for (const [payload, status, code, pointer] of cases) {
      const answer = await kernel().post('/add', payload);
      expect([answer.status, answer.body['code']], answer.text).to.deep.equal([status, code]);
      expect((answer.body['errors'] as Loose[] | undefined)?.[0]?.['pointer']).to.equal(pointer);
      expect(answer.text).not.to.match(/taken-once|999999|xxxx|dear|INSERT|items/);
    }
  });

  it('return 500 without details for a statement that the database rejects; the cause is logged', async () => {
    const { status, body, text } = await kernel().post('/unrunnable', {});
    expect([status, body['code']]).to.deep.equal([500, 'QRY_FAILED']);
    expect(text).not.to.match(/canary|SELECT|relation|\bat /);
    const row = kernel().log.find(({ fields }) => fields['code'] === 'QRY_FAILED');
    expect(row?.fields).to.include({ resource: 'unrunnable', action: 'unrunnable#1' });
    expect((row?.fields['err'] as Error).message).to.contain('canary_table');
  });

  it('read $ENV as a parameter, which is never returned', async () => {
    expect((await kernel().post('/env', { guess: 'canary-env-4711' })).body).to.deep.equal({ same: true });
    expect((await kernel().post('/env', { guess: '$ENV.SECRET' })).body).to.deep.equal({ same: false });
  });

  it('read $HEADER as a parameter', async () => {
    const { body } = await kernel().post('/header', {}, { headers: { 'X-Tenant': "o'neil; --" } });
    expect(body).to.deep.equal({ tenant: "o'neil; --", ip: '127.0.0.1' });
  });

  for (const v of ['$ENV.SECRET', '$PAYLOAD.other', '$1', "'; DROP TABLE items; --", '$GENERATOR.ULID', '\\', 'null']) {
    it(`store and return the payload value ${JSON.stringify(v)} unchanged`, async () => {
      expect((await kernel().post('/echo', { v, other: 'x' })).body).to.deep.equal({ value: v });
      const stored = await kernel().post('/add', { name: v });
      expect(stored.body['name']).to.equal(v);
    });
  }

  it('reject a NUL character instead of truncating', async () => {
    const { status, body } = await kernel().post('/echo', { v: 'a\u0000b' });
    expect([status, body['code']]).to.deep.equal([422, 'QRY_BAD_VALUE']);
  });

  it('treat bare strings without a source as literals; numbers, booleans and null are themselves', async () => {
    const { body } = await kernel().post('/literals', { new: 'WRONG', joined: 'WRONG' });
    expect(body).to.deep.equal({ word: 'new', phrase: 'joined the circle', number: 5, flag: true, none: null });
  });

  it('store a JSON literal as JSON in a JSON column', async () => {
    expect((await kernel().post('/tagged', { name: 'tagged' })).body).to.deep.equal({ tags: ['a', 'b'] });
  });

  it('take names from the definition, not from values of a client', async () => {
    const named = await kernel().post('/named', { name: 'lamp', fresh: 'WRONG' });
    expect(named.body).to.deep.equal({ name: 'lamp', kind: 'fresh' });
    const declared = await kernel().post('/declared', { word: 'w', other: 'WRONG' });
    expect(declared.body).to.deep.equal({ a: 'w', b: 'other' });
  });

  it('run a dependency once that is named three times', async () => {
    expect((await kernel().post('/once', { request: 'r1' })).body).to.deep.equal({ hits: 1 });
    expect((await kernel().post('/once', { request: 'r1' })).body).to.deep.equal({ hits: 2 });
  });

  it('share one transaction if adjacent: a later failure rolls back the earlier write', async () => {
    const failed = await kernel().post('/all-or-nothing', { request: 'r2', divisor: 0 });
    expect([failed.status, failed.body['code']]).to.deep.equal([422, 'QRY_BAD_VALUE']);
    expect((await kernel().post('/hits', { request: 'r2' })).body).to.deep.equal({ hits: 0 });
    expect((await kernel().post('/all-or-nothing', { request: 'r2', divisor: 1 })).status).to.equal(200);
    expect((await kernel().post('/hits', { request: 'r2' })).body).to.deep.equal({ hits: 1 });
  });

  it('lose no update of a value that is read and then written, with many concurrent requests', async function () {
    const { id } = (await kernel().post('/add', { name: 'counter', price: 0 })).body;
    const insist = async (): Promise<void> => {
      for (let tries = 1; tries <= 200; tries++) {
        const { status, body } = await kernel().post('/increment', { id });
        if (status === 200) return;
        expect(body['code']).to.equal('QRY_SERIALIZATION');
      }
      throw new Error('never got through');
    };
    await Promise.all(Array.from({ length: 20 }, insist));
    expect((await kernel().post('/increment', { id })).body).to.deep.equal({ price: 21 });
  });

  it('use one $DATETIME in all statements of a request', async () => {
    const { body } = await kernel().post('/clock');
    expect(body['first']).to.match(/^\d{4}-.*\.\d{3}Z$/);
    expect(body['second']).to.equal(body['first']);
  });
});

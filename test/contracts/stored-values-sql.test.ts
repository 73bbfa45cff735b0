/**
 * Values read equal values stored, on every SQL database: each value in each position, over HTTP. Values that cannot be
 * stored are rejected, and different texts are different everywhere.
 */
import { expect } from 'chai';
import { describeOnEach, SQL, type SqlName } from '../support/databases.js';
import type { TestKernel, TestKernelOptions } from '../support/kernel.js';
import { defineQueryResource } from '../support/project.js';
import { waitUntil } from '../support/until.js';
import {
  ALIKE,
  DECIMALS,
  FLOATS,
  createJsonCases,
  LONG_TEXTS,
  createTextCases,
  TEXTS,
  createTimeCases,
  WHOLES,
  findMismatches,
} from './stored-values.js';

const many = { result: 'many' };
const optional = { optional: true };
const MODELS = [
  {
    _kept: {
      id: { type: 'String', primary_key: true },
      text: { type: 'String', ...optional },
      whole: { type: 'Number', ...optional },
      fraction: { type: 'Float', ...optional },
      instant: { type: 'DateTime', ...optional },
      object: { type: 'JSON_OBJECT', ...optional },
      list: { type: 'JSON_ARRAY', ...optional },
    },
  },
  { _account: { name: { type: 'String', unique: true }, place: { type: 'Number' } } },
  {
    _shaped: {
      id: { type: 'String', primary_key: true },
      settings: {
        type: 'JSON_OBJECT',
        ...optional,
        properties: {
          theme: { type: 'String', max_length: 5 },
          size: { type: 'Number' },
          ratio: { type: 'Float' },
          on: { type: 'Boolean' },
          since: { type: 'DateTime' },
          inner: { type: 'JSON_OBJECT', properties: { tags: { type: 'JSON_ARRAY', property_type: 'String' } } },
        },
      },
      tags: { type: 'JSON_ARRAY', property_type: 'Number', ...optional },
    },
  },
];

const FIELDS = ['text', 'whole', 'fraction', 'instant', 'object', 'list'];
const each = (id: string, query: string, parameters: readonly string[], rest: object = {}): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'QUERY', sql_query: { query, parameters, multi: true }, ...rest }],
});
const put = (id: string, queue: object = {}): object =>
  each(
    id,
    `INSERT INTO _kept (id, ${FIELDS.join(', ')}) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    ['id', ...FIELDS],
    queue,
  );
const DEFINITIONS = [
  ...MODELS,
  put('keep'),
  defineQueryResource('keep-all', 'SELECT * FROM _kept WHERE id LIKE $1', ['$PAYLOAD.like'], many),
  defineQueryResource('one', 'INSERT INTO _kept (id, text) VALUES ($1, $2)', ['$PAYLOAD.id', '$PAYLOAD.text']),
  each('equal', 'SELECT id FROM _kept WHERE text = $1', ['text'], many),
  each('among', 'SELECT id FROM _kept WHERE text IN ($1, $2)', ['text', 'text'], many),
  each('at', 'SELECT id FROM _kept WHERE instant = $1', ['instant']),
  defineQueryResource('whole', 'SELECT id FROM _kept WHERE whole = $1', ['$PAYLOAD.whole'], many),
  each('sign-up', 'INSERT INTO _account (name, place) VALUES ($1, $2)', ['name', 'place']),
  defineQueryResource('again', 'INSERT INTO _account (name, place) VALUES ($1, 0)', ['$PAYLOAD.name']),
  each('sign-in', 'SELECT place FROM _account WHERE name = $1', ['name'], many),
  defineQueryResource('decimal', 'SELECT $1::numeric AS v', ['$PAYLOAD.v']),
  defineQueryResource('echo', 'SELECT $1::jsonb AS v', ['$PAYLOAD.v'], {
    cacheable: { read_from_cache: true, duration: 60 },
  }),
  // A table without a model, read by a statement that begins with a WITH list.
  each('loose', 'INSERT INTO loose (id, text, whole, object, bytes) VALUES ($1, $2, $3, $4, $5)', [
    ...['id', 'text', 'whole', 'object', 'bytes'],
  ]),
  defineQueryResource(
    'loose-all',
    'WITH found AS (SELECT * FROM loose WHERE id LIKE $1) SELECT * FROM found',
    ['$PAYLOAD.like'],
    many,
  ),
  defineQueryResource('shaped', 'INSERT INTO _shaped (id, settings, tags) VALUES ($1, $2, $3)', [
    'id',
    'settings',
    'tags',
  ]),
  defineQueryResource('shaped-all', 'SELECT * FROM _shaped', [], many),
  defineQueryResource('reshape', 'UPDATE _shaped SET settings = $2 WHERE id = $1 RETURNING *', ['id', 'settings']),
];

const suite = (kernel: () => TestKernel, database: SqlName): void => {
  it('text, as a parameter, in a filter and in a list', async () => {
    expect(await findMismatches(kernel(), '/keep', createTextCases(TEXTS), { field: 'text' })).to.deep.equal([]);
    const texts = TEXTS.map((text) => ({ text }));
    const wanted = TEXTS.map((_, index) => ({ id: `text ${index}` }));
    expect((await kernel().post('/equal', texts)).body).to.deep.equal(wanted);
    const alike = ALIKE.map((text) => ({ text }));
    const found = alike.map(({ text }) => ({ id: `text ${TEXTS.indexOf(text)}` }));
    expect((await kernel().post('/among', alike)).body).to.deep.equal(found);
  });

  it('text that no store accepts is rejected: NUL, halves of a pair', async () => {
    const [nul, half] = await Promise.all([
      kernel().post('/one', '{"id":"nul","text":"a\\u0000b"}'),
      kernel().post('/one', '{"id":"half","text":"\\ud800"}'),
    ]);
    expect([nul.status, half.status]).to.deep.equal([422, 400]);
    expect((nul.body['errors'] as { pointer: string }[])[0]?.pointer).to.equal('/text');
  });

  it('an object or a list is not text: rejected if a text column would store it or is compared with it', async () => {
    for (const text of [{ a: 1 }, ['a'], {}, []]) {
      for (const [path, body, pointer] of [
        ['/one', { id: 'object', text }, '/text'],
        ['/equal', [{ text }], '/0/text'],
        ['/among', [{ text }], '/0/text'],
        ['/keep', [{ id: 'object', text }], '/0/text'],
      ] as const) {
        const { status, body: problem } = await kernel().post(path, body);
        expect([status, problem['code']], path).to.deep.equal([422, 'QRY_BAD_VALUE']);
        expect((problem['errors'] as { pointer: string }[])[0]?.pointer, path).to.equal(pointer);
      }
    }
    expect((await kernel().post<readonly unknown[]>('/keep-all', { like: 'object' })).body).to.deep.equal([]);
  });

  it('different texts are two accounts, and the same text is one', async () => {
    const names = TEXTS.map((name, place) => ({ name, place }));
    expect((await kernel().post('/sign-up', names)).status).to.equal(200);
    const alike = ALIKE.map((name) => ({ name }));
    const places = ALIKE.map((name) => ({ place: TEXTS.indexOf(name) }));
    expect((await kernel().post('/sign-in', alike)).body).to.deep.equal(places);
    const again = await Promise.all(ALIKE.map((name) => kernel().post('/again', { name })));
    expect(again.map(({ status }) => status)).to.deep.equal(ALIKE.map(() => 409));
  });

  it('integers, exactly or not at all', async () => {
    expect(await findMismatches(kernel(), '/keep', WHOLES, { field: 'whole' })).to.deep.equal([]);
    const ids = async (json: string): Promise<unknown> => (await kernel().post('/whole', `{"whole":${json}}`)).body;
    expect(await ids('9223372036854775807')).to.deep.equal(await ids('"9223372036854775807"'));
    expect(await ids('9007199254740992')).to.have.length(1);
  });

  it('fractions', async () => {
    expect(await findMismatches(kernel(), '/keep', FLOATS, { field: 'fraction' })).to.deep.equal([]);
  });

  it('decimals, to the last digit', async () => {
    const answers = await Promise.all(DECIMALS.map(({ json }) => kernel().post('/decimal', `{"v":${json}}`)));
    expect(answers.map(({ text }) => text)).to.deep.equal(DECIMALS.map(({ read }) => `{"v":${read}}`));
  });

  it('timestamps, found by the sent value', async () => {
    const cases = createTimeCases(6);
    expect(await findMismatches(kernel(), '/keep', cases, { field: 'instant' })).to.deep.equal([]);
    const kept = cases.filter(({ read }) => read !== null);
    const sent = `[${kept.map(({ json }) => `{"instant":${json}}`).join()}]`;
    const { body: found } = await kernel().post<{ id: string }[]>('/at', sent);
    const ids = kept.map((_, index) => `instant ${index}`);
    expect([...new Set(found.map(({ id }) => id))].sort()).to.deep.equal(ids.sort());
  });

  it('JSON of any depth, in an object and in a list', async () => {
    const cases = createJsonCases(() => true);
    const exact =
      database === 'pglite' || database === 'postgres' ? ['12345678901234567890123', '0.12345678901234567891'] : [];
    const digits = ['9007199254740993', '-9223372036854775808', '18446744073709551615', ...exact];
    const numbers = digits.map((json) => ({ json, read: `"${json}"` }));
    const wrap = (json: string): string => `{"v":${json},"w":[{"v":${json}}]}`;
    expect(await findMismatches(kernel(), '/keep', [...cases, ...numbers], { field: 'object', wrap })).to.deep.equal(
      [],
    );
    expect(
      await findMismatches(kernel(), '/keep', [...cases, ...numbers], {
        field: 'list',
        wrap: (json) => `[${json},[${json}]]`,
      }),
    ).to.deep.equal([]);
    const reserved = ['{"__proto__":1}', '{"constructor":1}'].map((json) =>
      kernel().post('/keep', `[{"id":"x","object":${json}}]`),
    );
    expect((await Promise.all(reserved)).map(({ status }) => status)).to.deep.equal([400, 400]);
    if (exact.length > 0) return;
    const rejections = ['18446744073709551616', '0.12345678901234567891'].map((json) =>
      kernel().post('/keep', `[{"id":"x","object":{"v":${json}}}]`),
    );
    expect((await Promise.all(rejections)).map(({ status }) => status)).to.deep.equal([422, 422]);
  });

  it('the same from the cache', async () => {
    const cases = createJsonCases(() => true).filter(({ read }) => read !== null);
    const postCases = async (): Promise<string[]> =>
      Promise.all(cases.map(async ({ json }) => (await kernel().post('/echo', `{"v":{"v":${json}}}`)).text));
    const first = await postCases();
    expect(await postCases()).to.deep.equal(first);
    expect(first.map((text) => (JSON.parse(text) as { v: { v: unknown } }).v.v)).to.deep.equal(
      cases.map(({ read }) => JSON.parse(read ?? '') as unknown),
    );
    expect((await kernel().post('/echo', '{"v":{"v":9007199254740993}}')).text).to.contain('9007199254740993');
  });

  it('the same in a table without a model', async () => {
    expect(await findMismatches(kernel(), '/loose', createTextCases(TEXTS), { field: 'text' })).to.deep.equal([]);
    expect(await findMismatches(kernel(), '/loose', WHOLES, { field: 'whole' })).to.deep.equal([]);
    const wrap = (inner: string): string => `{"v":[${inner}]}`;
    const objects = [...createJsonCases(() => true), { json: '9007199254740993', read: '"9007199254740993"' }];
    expect(await findMismatches(kernel(), '/loose', objects, { field: 'object', wrap })).to.deep.equal([]);
    // Bytes are written as they are read.
    const hex = ['"\\\\x"', '"\\\\x00ff0a5c"', '"\\\\xefbbbf"'].map((one) => ({ json: one, read: one }));
    const plain = [{ json: '"abc"', read: '"\\\\x616263"' }];
    expect(await findMismatches(kernel(), '/loose', [...hex, ...plain], { field: 'bytes' })).to.deep.equal([]);
  });

  it('JSON columns contain what their model describes', async () => {
    const valid = [
      '{}',
      '{"theme":"dark","size":1,"ratio":0.5,"on":true,"since":"2026-01-01","more":[1]}',
      '{"theme":null}',
      '{"inner":{"tags":["a"]}}',
      'null',
    ];
    const wrong: readonly (readonly [settings: string, pointer: string])[] = [
      ['[]', '/settings'],
      ['"text"', '/settings'],
      ['5', '/settings'],
      ['{"theme":1}', '/settings/theme'],
      ['{"theme":"darker"}', '/settings/theme'],
      ['{"size":"1"}', '/settings/size'],
      ['{"size":1.5}', '/settings/size'],
      ['{"ratio":"x"}', '/settings/ratio'],
      ['{"on":1}', '/settings/on'],
      ['{"since":"tomorrow"}', '/settings/since'],
      ['{"inner":[]}', '/settings/inner'],
      ['{"inner":{"tags":["a",1]}}', '/settings/inner/tags/1'],
    ];
    const taken = await Promise.all(
      valid.map((json, index) => kernel().post('/shaped', `{"id":"s${index}","settings":${json}}`)),
    );
    expect(taken.map(({ status }) => status)).to.deep.equal(valid.map(() => 200));
    const outcome = async (path: string, body: string): Promise<unknown> => {
      const answer = await kernel().post<{ errors?: { pointer: string }[] }>(path, body);
      return [answer.status, answer.body.errors?.[0]?.pointer];
    };
    for (const path of ['/shaped', '/reshape']) {
      const outcomes = await Promise.all(wrong.map(([json]) => outcome(path, `{"id":"s0","settings":${json}}`)));
      expect(outcomes).to.deep.equal(wrong.map(([, pointer]) => [422, pointer]));
    }
    expect(await outcome('/shaped', '{"id":"t","tags":[1,9007199254740993,"2"]}')).to.deep.equal([422, '/tags/2']);
    expect(await outcome('/shaped', '{"id":"t","tags":[1,9007199254740993]}')).to.deep.equal([200, undefined]);
  });

  it('long text, stored and found', async () => {
    expect(
      await findMismatches(kernel(), '/keep', createTextCases(LONG_TEXTS), { field: 'text', name: 'long' }),
    ).to.deep.equal([]);
    const found = await kernel().post(
      '/equal',
      LONG_TEXTS.map((text) => ({ text })),
    );
    expect(found.body).to.deep.equal(LONG_TEXTS.map((_, index) => ({ id: `long ${index}` })));
  });
};

type Suite = (kernel: () => TestKernel, database: SqlName) => void;

/** If the queue is in the same database, waiting jobs are read unchanged too. */
const queued: Suite = (kernel) => {
  it('text, numbers, timestamps and JSON after a queue', async () => {
    const values: Record<string, string> = {
      text: JSON.stringify('\ufeffadmin \u{1f600}\\'),
      whole: '9007199254740993',
      fraction: '0.30000000000000004',
      instant: '"2026-01-02T03:04:05.123456Z"',
      object: '{"v":9007199254740993,"":["\ufeff"]}',
      list: '[9007199254740993,null]',
    };
    const body = FIELDS.map((field) => `"${field}":${values[field]}`).join();
    const answer = await kernel().post('/later', `[{"id":"later",${body}}]`);
    expect(answer.status, answer.text).to.equal(202);
    let row: Record<string, unknown> | undefined;
    await waitUntil(async () => {
      const { body: rows } = await kernel().post<Record<string, unknown>[]>('/keep-all', { like: 'later' });
      row = rows.find(({ id }) => id === 'later');
      return row !== undefined;
    }, 'the work of the queue');
    const read = {
      whole: '"9007199254740993"',
      object: '{"v":"9007199254740993","":["\ufeff"]}',
      list: '["9007199254740993",null]',
    };
    const wanted = Object.fromEntries(
      FIELDS.map((field) => [field, JSON.parse({ ...values, ...read }[field] ?? '') as unknown]),
    );
    expect(row).to.deep.equal({ id: 'later', ...wanted });
  });
};

/** A table without a model. */
function looseTable(database: SqlName): string {
  const [json, bytes] = database === 'pglite' || database === 'postgres' ? ['JSONB', 'BYTEA'] : ['JSON', 'LONGBLOB'];
  return `CREATE TABLE loose (id VARCHAR(60) PRIMARY KEY, text TEXT, whole BIGINT, object ${json}, bytes ${bytes});`;
}
const createFiles = (database: SqlName, definitions: readonly object[]): TestKernelOptions => ({
  files: { 'definitions/all.json': definitions, 'migrations/1-loose.sql': looseTable(database) },
});

const isLite = ({ name }: { readonly name: SqlName }): boolean => name === 'pglite';
const title = 'what is read is what was stored in SQL';
describeOnEach(
  title,
  SQL.filter(isLite),
  (database) => createFiles(database, [...DEFINITIONS, put('later', { queue: {} })]),
  (...given) => {
    suite(...given);
    queued(...given);
  },
);
describeOnEach(
  title,
  SQL.filter((one) => !isLite(one)),
  (database) => createFiles(database, DEFINITIONS),
  suite,
);

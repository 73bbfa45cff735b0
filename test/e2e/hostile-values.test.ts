/**
 * Published attack strings through a running service, on every database: each is stored, found and written again as the value that it
 * is, objects of operators too, and no other row or document is touched. The dialects get the same strings in their contract.
 */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { describeOnEach, SQL, STORES } from '../support/databases.js';
import type { TestKernel } from '../support/kernel.js';
import { defineQueryResource, vectorFile } from '../support/project.js';
import { sampleCases } from '../support/sample.js';
import { NO_SHARED, skipTest } from '../support/skip.js';

/** Values by their source; null without the vectors. */
type Values = readonly (readonly [id: string, value: unknown])[];
interface Vector {
  readonly id: string;
  readonly text?: string;
  readonly values?: { readonly name: unknown };
}

const read = (name: string): Values | null => {
  const file = vectorFile(name);
  if (file === null) return null;
  const vectors = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Vector);
  return vectors.map(({ id, text, values }) => [id, values === undefined ? text : values.name]);
};

/** Values that clients send in place of a text: conditions and updates for a store, if it evaluated them. */
const OPERATORS: Values = [
  { $ne: null },
  { $gt: '' },
  { $exists: true },
  { $in: ['canary', 'x'] },
  { $nin: [] },
  { $not: { $eq: 'x' } },
  { $regex: '.*' },
  { $where: 'sleep(1000) || true' },
  { $expr: { $function: { body: 'function () { return true }', args: [], lang: 'js' } } },
  { $or: [{}, { name: 'canary' }] },
  { $set: { name: 'changed' } },
  { $literal: 'canary' },
  [{ $ne: null }],
  [{ $set: { name: 'changed' } }],
  { deep: [{ er: { $gt: '' } }] },
  { $oid: '507f1f77bcf86cd799439011' },
  { $date: '2026-01-01T00:00:00Z' },
  { $numberLong: '1' },
].map((value, index) => [`operator ${index + 1}`, value]);

const LANES = 6;
/** Of each file, on each database. */
const SAMPLE = 50;

/** So many at a time; names of those that failed, with the reason. */
async function listFailures(
  values: Values,
  validate: (id: string, value: unknown) => Promise<void>,
): Promise<string[]> {
  const wrong: string[] = [];
  const waiting = [...values.entries()];
  const lane = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [index, [name, value]] = next;
      await validate(`${index}`, value).catch((error: unknown) => wrong.push(`${name}: ${String(error)}`));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return wrong;
}

const createPoster = (kernel: () => TestKernel) => async (path: string, body: object) => {
  const answer = await kernel().post<readonly Readonly<Record<string, unknown>>[]>(path, body);
  if (answer.status !== 200) throw new Error(`${path} ${answer.status} ${answer.text.slice(0, 200)}`);
  return answer.body;
};

const many = { result: 'many' };
const SQL_FILES = {
  'definitions/all.json': [
    { _word: { id: { type: 'String', primary_key: true }, name: { type: 'String' } } },
    {
      id: 'through',
      resource: 'through',
      actionables: [
        ['INSERT INTO _word (id, name) VALUES ($1, $2)', ['$PAYLOAD.id', '$PAYLOAD.name']],
        ['UPDATE _word SET name = $1 WHERE id = $2 AND name = $1', ['$PAYLOAD.name', '$PAYLOAD.id']],
        ['SELECT name FROM _word WHERE name = $1 AND id = $2', ['$PAYLOAD.name', '$PAYLOAD.id']],
      ].map(([query, parameters], at) => ({ id: at + 1, mode: 'QUERY', ...many, sql_query: { query, parameters } })),
    },
    defineQueryResource('clear', 'DELETE FROM _word WHERE name = $1', ['$PAYLOAD.name'], many),
    defineQueryResource('all', 'SELECT id, name FROM _word', [], many),
  ],
};

describeOnEach('attack strings as parameters of SQL', SQL, { files: SQL_FILES }, (kernel, database) => {
  const post = createPoster(kernel);
  for (const file of ['sql-strings.jsonl', 'naughty-strings.jsonl']) {
    it(`${file}: are only values`, async function () {
      const all = read(file);
      if (all === null) return skipTest(this, NO_SHARED);
      expect(all.length).to.be.greaterThan(200);
      const values = sampleCases('strings', `${file} ${database}`, all, SAMPLE);
      const before = (await post('/all', {})).length;
      const wrong = await listFailures(values, async (id, name) => {
        const key = `${file} ${id}`;
        expect(await post('/through', { id: key, name })).to.deep.equal([{ name }]);
      });
      expect(wrong).to.deep.equal([]);
      const rows = await post('/all', {});
      expect(rows.length).to.equal(before + values.length);
      const byId = new Map(rows.map(({ id, name }) => [id, name]));
      expect(values.map((_, at) => byId.get(`${file} ${at}`))).to.deep.equal(values.map(([, name]) => name));
    });
  }

  it('delete only equal rows', async function () {
    const values = read('sql-strings.jsonl');
    if (values === null) return skipTest(this, NO_SHARED);
    await post('/through', { id: 'canary', name: 'canary' });
    const before = await post('/all', {});
    const all = values.filter(([, name]) => /\bor\b|union|drop|delete/i.test(String(name)));
    const attacks = sampleCases('strings', `deleted ${database}`, all, SAMPLE);
    expect(await listFailures(attacks, async (_, name) => void (await post('/clear', { name })))).to.deep.equal([]);
    const deleted = new Set(attacks.map(([, name]) => name));
    const left = before.filter(({ name }) => !deleted.has(name));
    expect(left.find(({ id }) => id === 'canary')).to.deep.equal({ id: 'canary', name: 'canary' });
    expect(await post('/all', {})).to.have.deep.members(left);
  });
});

const onWords = (id: string, ...queries: object[]): object => ({
  id,
  resource: id,
  actionables: queries.map((query, at) => ({
    id: at + 1,
    mode: 'QUERY',
    ...many,
    mongo_query: { collection: '_word', ...query },
  })),
});
const byBoth = { filter_predicate: { key: '$PAYLOAD.key', name: '$PAYLOAD.name' } };
const byName = { filter_predicate: { name: '$PAYLOAD.name' } };
const STORE_FILES = {
  'definitions/all.json': [
    onWords(
      'through',
      { action: 'INSERT', parameters: ['$PAYLOAD.key', '$PAYLOAD.name'] },
      { action: 'UPDATE', ...byBoth, update_predicate: { $set: { name: '$PAYLOAD.name' } } },
      { action: 'FETCH', ...byBoth },
    ),
    onWords('find', { action: 'FETCH', ...byName }),
    onWords('all', { action: 'FETCH' }),
    onWords('clear', { action: 'DELETE', ...byName }),
  ],
};

describeOnEach(
  'attack strings and operators as values of documents',
  STORES,
  { files: STORE_FILES },
  (kernel, store) => {
    const post = createPoster(kernel);

    for (const file of ['nosql-strings.jsonl', 'naughty-strings.jsonl']) {
      it(`${file}: are only values`, async function () {
        const strings = read(file)?.filter(([, value]) => !JSON.stringify(value).includes('"$'));
        if (strings === undefined) return skipTest(this, NO_SHARED);
        expect(strings.length).to.be.greaterThan(40);
        const values = sampleCases('strings', `${file} ${store}`, strings, SAMPLE);
        const before = (await post('/all', {})).length;
        const wrong = await listFailures(values, async (id, name) => {
          const key = `${file} ${id}`;
          expect((await post('/through', { key, name })).map((row) => row['name'])).to.deep.equal([name]);
        });
        expect(wrong).to.deep.equal([]);
        const all = await post('/all', {});
        expect(all.length).to.equal(before + values.length);
        const byKey = new Map(all.map(({ key, name }) => [key, name]));
        expect(values.map((_, at) => byKey.get(`${file} ${at}`))).to.deep.equal(values.map(([, name]) => name));
      });
    }

    it('are conditions nowhere as objects of operators, and cannot be written', async function () {
      await post('/through', { key: 'canary', name: 'canary' });
      const before = await post('/all', {});
      const wrong = await listFailures(OPERATORS, async (key, name) => {
        const rejected = await kernel().post('/through', { key, name });
        expect([rejected.status, rejected.body['code']]).to.deep.equal([422, 'MQL_KEY']);
        expect(await post('/find', { name })).to.deep.equal([]);
        expect(await post('/clear', { name })).to.deep.equal([]);
      });
      expect(wrong).to.deep.equal([]);
      expect(await post('/all', {})).to.deep.equal(before);
    });
  },
);

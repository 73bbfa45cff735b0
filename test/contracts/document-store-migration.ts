/** Contract of document stores: from models to collections by adding only. */
import { expect } from 'chai';
import type { ModelColumn } from '../../contract/model.js';
import { removeIds, defineCollection, type OpenStore } from './document-store-support.js';
import { defineColumn, catchFault } from './dialect-support.js';

const NOTHING = { warnings: [], statements: [], progress: [] };

export function documentMigrationContract(store: () => OpenStore): void {
  const id = defineColumn('id', 'integer', { primaryKey: true, autoIncrement: true });
  const email = defineColumn('email', 'text', { unique: true, maxLength: 20 });
  const age = defineColumn('age', 'integer', { nullable: true, index: true });
  const users = defineCollection('m_users', [id, email, age]);
  const insert = (name: string, document: object) => store().handle.insert(name, [{ ...document }], null);
  const planSteps = async (name: string, columns: readonly ModelColumn[]): Promise<string[]> =>
    (await store().plan([defineCollection(name, columns)])).steps.map(({ change, detail }) => `${change} ${detail}`);

  it('prints its plan, in text, and changes nothing by that', async () => {
    const first = await store().plan([users]);
    expect(first.warnings).to.deep.equal([]);
    expect(first.steps.map(({ table, change, detail }) => `${table}: ${change} ${detail}`)).to.deep.equal([
      'm_users: create collection id integer, email text, age integer',
      'm_users: add unique id',
      'm_users: add unique email',
      'm_users: add index age',
    ]);
    expect(await store().plan([users])).to.deep.equal(first);
    const { statements, progress, warnings } = await store().syncSchema([users]);
    expect(warnings).to.deep.equal([]);
    expect(first.steps.flatMap(({ sql }) => sql)).to.deep.equal(statements);
    expect(progress).to.deep.equal(
      first.steps.map(({ store: name, table, change, detail }, i) => `${i + 1}/4 ${name} ${table} ${change} ${detail}`),
    );
  });

  it('finds nothing to do the second time', async () => {
    expect(await store().syncSchema([users])).to.deep.equal(NOTHING);
    expect(await store().plan([users])).to.deep.equal({ steps: [], warnings: [] });
    expect(await store().syncSchema([])).to.deep.equal(NOTHING);
  });

  it('accepts a missing auto-increment key, and a given one once', async () => {
    await insert('m_users', { email: 'a' });
    await insert('m_users', { email: 'b', id: 5 });
    expect((await catchFault(insert('m_users', { email: 'c', id: 5 }))).code).to.equal('QRY_UNIQUE');
  });

  it('adds what is missing to a collection with documents, and keeps those', async () => {
    const nick = defineColumn('nick', 'text');
    const code = defineColumn('code', 'text', { nullable: true, unique: true });
    const columns = [id, email, age, nick, code];
    expect(await planSteps('m_users', columns)).to.deep.equal([
      'change rules nick text, code text, optional',
      'add unique code',
    ]);
    const { warnings } = await store().syncSchema([defineCollection('m_users', columns)]);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.match(/required field/);
    expect(removeIds(await store().handle.find('m_users', { email: 'a' }, {}, null))).to.deep.equal([{ email: 'a' }]);
    // Existing documents are not validated until they are fixed.
    await store().handle.update('m_users', { email: 'a' }, { $set: { age: 3 } }, { one: true }, null);
    expect((await catchFault(insert('m_users', { email: 'd' }))).code).to.equal('QRY_NOT_NULL');
    await insert('m_users', { email: 'd', nick: 'n', code: 'c' });
    expect((await catchFault(insert('m_users', { email: 'e', nick: 'n', code: 'c' }))).code).to.equal('QRY_UNIQUE');
  });

  it('narrows nothing, and reports it; widens', async () => {
    const defineNotes = (rest: Partial<ModelColumn>, type: ModelColumn['type'] = 'text') =>
      defineCollection('m_notes', [defineColumn('text', type, rest)]);
    await store().syncSchema([defineNotes({ nullable: true, maxLength: 10 })]);
    for (const narrower of [
      defineNotes({ maxLength: 10 }),
      defineNotes({ nullable: true, maxLength: 5 }),
      defineNotes({ nullable: true }, 'boolean'),
    ]) {
      const { warnings, statements } = await store().syncSchema([narrower]);
      expect(statements).to.deep.equal([]);
      expect(warnings).to.have.length(1);
      expect(warnings[0]).to.match(/left as it is/);
    }
    const wider = defineNotes({ nullable: true, maxLength: 20 });
    expect((await store().plan([wider])).steps.map(({ change, detail }) => [change, detail])).to.deep.equal([
      ['change rules', 'text text, optional'],
    ]);
    await store().syncSchema([wider]);
    await insert('m_notes', { text: 'x'.repeat(20) });
    expect(await store().syncSchema([wider])).to.deep.equal(NOTHING);
  });

  it('uses a collection that already exists', async () => {
    await insert('m_found', { name: 'x', n: 'text' });
    const found = defineCollection('m_found', [
      defineColumn('name', 'text', { unique: true }),
      defineColumn('n', 'integer'),
    ]);
    expect((await store().plan([found])).steps.map(({ change, detail }) => `${change} ${detail}`)).to.deep.equal([
      'add rules name text, n integer',
      'add unique name',
    ]);
    await store().syncSchema([found]);
    expect(removeIds(await store().handle.find('m_found', {}, {}, null))).to.deep.equal([{ name: 'x', n: 'text' }]);
    expect((await catchFault(insert('m_found', { name: 'y', n: 'text' }))).code).to.equal('QRY_BAD_VALUE');
  });

  it('creates unique combinations and text indexes, once', async () => {
    const columns = [
      defineColumn('a', 'text'),
      defineColumn('b', 'integer', { index: true }),
      defineColumn('title', 'text', { search: true }),
      defineColumn('body', 'text', { nullable: true, search: true }),
    ];
    const many = defineCollection('m_many', columns, [['b', 'a']]);
    expect((await store().plan([many])).steps.map(({ change, detail }) => `${change} ${detail}`)).to.deep.equal([
      'create collection a text, b integer, title text, body text',
      'add unique b, a',
      'add index b',
      'add search index title, body',
    ]);
    await store().syncSchema([many]);
    expect(await store().syncSchema([many])).to.deep.equal(NOTHING);
    const again = defineCollection('m_many', columns, [['a', 'b']]);
    expect(await store().syncSchema([again]), 'in any order').to.deep.equal(NOTHING);
    await insert('m_many', { a: 'x', b: 1, title: 'Running dogs', body: 'nothing' });
    await insert('m_many', { a: 'x', b: 2, title: 'Cats', body: 'a dog runs' });
    await insert('m_many', { a: 'y', b: 1, title: 'Birds' });
    const found = await store().handle.find('m_many', { $text: { $search: 'dog' } }, { sort: { b: 1 } }, null);
    expect(found.map(({ title }) => title)).to.deep.equal(['Running dogs', 'Cats']);
    expect((await catchFault(insert('m_many', { a: 'x', b: 1, title: 't' }))).code).to.equal('QRY_UNIQUE');
  });

  it('works with several concurrent starts', async () => {
    const late = defineCollection('m_late', [defineColumn('name', 'text', { unique: true })]);
    await Promise.all([store().syncSchema([late]), store().syncSchema([late]), store().syncSchema([late])]);
    await insert('m_late', { name: 'x' });
    expect(await store().syncSchema([late])).to.deep.equal(NOTHING);
  });

  it('names collection and fields, and no value, if documents conflict with a unique index', async () => {
    await insert('m_dup', { name: 'twice-secret' });
    await insert('m_dup', { name: 'twice-secret' });
    const fault = await catchFault(
      store().syncSchema([defineCollection('m_dup', [defineColumn('name', 'text', { unique: true })])]),
    );
    expect(fault.code).to.equal('QRY_DUPLICATES');
    expect(fault.params).to.deep.equal({ table: 'm_dup', columns: 'name' });
    const cause = fault.options.cause as Error | undefined;
    expect(`${cause?.stack} ${JSON.stringify({ ...cause })}`).not.to.contain('twice-secret');
  });

  it('migrates thousands of documents', async function () {
    const documents = Array.from({ length: 3000 }, (_, n) => ({ n, name: `name ${n}` }));
    await store().handle.insert('m_large', documents, null);
    const large = defineCollection('m_large', [
      defineColumn('n', 'integer', { unique: true }),
      defineColumn('name', 'text', { index: true, search: true }),
    ]);
    const { progress } = await store().syncSchema([large]);
    expect(progress.map((line) => line.slice(0, 3))).to.deep.equal(['1/4', '2/4', '3/4', '4/4']);
    expect((await catchFault(insert('m_large', { n: 2999, name: 'x' }))).code).to.equal('QRY_UNIQUE');
  });
}

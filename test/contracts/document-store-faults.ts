/** Contract of document stores: what is rejected, with which code, at which field, and that no value is revealed. */
import { expect } from 'chai';
import type { Fault } from '../../contract/fault.js';
import type { Document } from '../../plugins/document-stores/kind.js';
import { defineCollection, type OpenStore } from './document-store-support.js';
import { defineColumn, catchFault } from './dialect-support.js';

const MARKER = 'mark3r-value';

export function documentFaultsContract(store: () => OpenStore): void {
  const insert = (document: Document): Promise<Fault> => catchFault(store().handle.insert('f_users', [document], null));
  const summarizeFault = ({ code, options }: Fault): unknown[] => [
    code,
    ...(options.issues ?? []).map(({ pointer }) => pointer),
  ];

  before(async () => {
    const columns = [
      defineColumn('email', 'text', { unique: true, maxLength: 20 }),
      defineColumn('age', 'integer', { nullable: true }),
      defineColumn('score', 'float', { nullable: true }),
      defineColumn('active', 'boolean', { nullable: true }),
      defineColumn('born', 'timestamp', { nullable: true }),
      defineColumn('tags', 'json', { nullable: true }),
      defineColumn('code', 'text', { nullable: true, unique: true }),
      defineColumn('area', 'text', { nullable: true }),
      defineColumn('number', 'integer', { nullable: true }),
      defineColumn('home', 'json', {
        nullable: true,
        holds: { form: 'object', fields: [defineColumn('city', 'text'), defineColumn('zip', 'integer')] },
      }),
      defineColumn('grades', 'json', { nullable: true, holds: { form: 'array', items: { type: 'float' } } }),
    ];
    await store().syncSchema([defineCollection('f_users', columns, [['email'], ['code'], ['area', 'number']])]);
    const good = { email: 'a@x', age: 1, score: 0.5, active: true, born: new Date(0), tags: ['t'], code: 'c' };
    await store().handle.insert('f_users', [{ ...good, area: 'n', number: 1 }], null);
  });

  it('rejects a duplicate value, and names the field', async () => {
    expect(summarizeFault(await insert({ email: 'a@x' }))).to.deep.equal(['QRY_UNIQUE', '/email']);
    expect(summarizeFault(await insert({ email: 'b@x', code: 'c' }))).to.deep.equal(['QRY_UNIQUE', '/code']);
    expect(summarizeFault(await insert({ email: 'b@x', area: 'n', number: 1 }))).to.deep.equal([
      'QRY_UNIQUE',
      '/area',
      '/number',
    ]);
  });

  it('rejects a duplicate id', async () => {
    await store().handle.insert('f_ids', [{ _id: 'one' }], null);
    expect(summarizeFault(await catchFault(store().handle.insert('f_ids', [{ _id: 'one' }], null)))).to.deep.equal([
      'QRY_UNIQUE',
      '/_id',
    ]);
  });

  it('rejects an update to a duplicate value', async () => {
    await store().handle.insert('f_users', [{ email: 'up@x' }], null);
    for (const one of [true, false]) {
      const change = store().handle.update('f_users', { email: 'up@x' }, { $set: { email: 'a@x' } }, { one }, null);
      expect(summarizeFault(await catchFault(change))).to.deep.equal(['QRY_UNIQUE', '/email']);
    }
  });

  it('accepts many documents with a missing or null unique value', async () => {
    const documents = [{ email: 'n1' }, { email: 'n2' }, { email: 'n3', code: null }, { email: 'n4', code: null }];
    await store().handle.insert('f_users', documents, null);
    await store().handle.insert(
      'f_users',
      [
        { email: 'n5', area: 'n' },
        { email: 'n6', area: 'n' },
      ],
      null,
    );
  });

  it('rejects a document without a required value, and names the field', async () => {
    expect(summarizeFault(await insert({ age: 1 }))).to.deep.equal(['QRY_NOT_NULL', '/email']);
    expect(summarizeFault(await insert({ email: null }))).to.deep.equal(['QRY_NOT_NULL', '/email']);
    const unset = store().handle.update('f_users', { email: 'a@x' }, { $unset: { email: '' } }, { one: true }, null);
    expect(summarizeFault(await catchFault(unset))).to.deep.equal(['QRY_NOT_NULL', '/email']);
  });

  it('rejects text that is too long; characters count, not bytes', async () => {
    expect(summarizeFault(await insert({ email: 'x'.repeat(21) }))).to.deep.equal(['QRY_CHECK', '/email']);
    await store().handle.insert('f_users', [{ email: 'ü'.repeat(20) }, { email: '😀'.repeat(20) }], null);
  });

  it('rejects a value of another type than in the model, and names the field', async () => {
    for (const [field, value] of [
      ['age', 'old'],
      ['age', 1.5],
      ['score', '0.5'],
      ['active', 'true'],
      ['born', '2020-01-01'],
      ['email', 5],
    ] as const) {
      const fault = await insert({ email: `t-${field}`, [field]: value });
      expect(summarizeFault(fault), `${field} ${value}`).to.deep.equal(['QRY_BAD_VALUE', `/${field}`]);
    }
    await store().handle.insert('f_users', [{ email: 'ok', age: 9007199254740991, score: 3, other: 'field' }], null);
  });

  it('rejects objects and lists that differ from the model, and names the path', async () => {
    for (const [field, value, pointer] of [
      ['home', 'Bern', '/home'],
      ['home', ['Bern'], '/home'],
      ['home', { city: 5 }, '/home/city'],
      ['home', { city: 'Bern', zip: 'none' }, '/home/zip'],
      ['grades', { a: 1 }, '/grades'],
      ['grades', [1, 2.5, 'three'], '/grades/2'],
    ] as const) {
      const fault = await insert({ email: `j-${field}`, [field]: value });
      expect(summarizeFault(fault), JSON.stringify(value)).to.deep.equal(['QRY_BAD_VALUE', pointer]);
    }
    const good = { home: { city: null, street: 'any' }, grades: [] };
    await store().handle.insert(
      'f_users',
      [
        { email: 'j', ...good },
        { email: 'k', home: {}, grades: [1, 0.5] },
      ],
      null,
    );
  });

  it('writes none of several documents if one is rejected', async () => {
    const inside = await store().handle.begin();
    const both = store().handle.insert('f_users', [{ email: 'first' }, { email: 'a@x' }], inside);
    expect((await catchFault(both)).code).to.equal('QRY_UNIQUE');
    if (inside !== null) await store().handle.rollback(inside);
    expect(await store().handle.count('f_users', { email: 'first' }, null)).to.equal(0);
    const alone = store().handle.insert('f_users', [{ email: 'first' }, { email: 'a@x' }], null);
    expect((await catchFault(alone)).code).to.equal('QRY_UNIQUE');
    expect(await store().handle.count('f_users', { email: 'first' }, null)).to.equal(0);
  });

  it('reports an unknown operator as a failure without details', async () => {
    for (const work of [
      () => store().handle.find('f_users', { email: { $nonsense: 1 } }, {}, null),
      () => store().handle.aggregate('f_users', [{ $nonsense: {} }], null),
      () => store().handle.update('f_users', {}, { $nonsense: { a: 1 } }, {}, null),
    ]) {
      const fault = await catchFault(work());
      expect([fault.code, fault.params, fault.options.issues]).to.deep.equal(['QRY_FAILED', {}, undefined]);
    }
  });

  it('reports values that cannot be processed as faults of the values', async () => {
    const { handle } = store();
    await handle.insert('f_math', [{ text: 'x' }], null);
    const add = handle.update('f_math', {}, { $inc: { text: 1 } }, { one: true }, null);
    expect((await catchFault(add)).code).to.equal('QRY_BAD_VALUE');
  });

  it('contains no value in a fault, its cause or the log', async () => {
    const { handle } = store();
    await handle.insert('f_users', [{ email: MARKER }], null);
    for (const work of [
      () => handle.insert('f_users', [{ email: MARKER }], null),
      () => handle.insert('f_users', [{ email: `${MARKER}-${MARKER}` }], null),
      () => handle.insert('f_users', [{ email: 'm', age: MARKER }], null),
      () => handle.find('f_users', { $expr: { $toInt: MARKER } }, {}, null),
    ]) {
      const { code, params, options, stack } = await catchFault(work());
      const cause = options.cause as Error | undefined;
      const everything = [code, stack, cause?.stack, JSON.stringify([params, options, { ...cause }])].join('\n');
      expect(everything, code).not.to.contain(MARKER);
    }
    expect(store().logged()).not.to.contain(MARKER);
  });
}

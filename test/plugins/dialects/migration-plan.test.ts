/**
 * The migration plan of a table, without a database: names of objects, missing parts, differences, and differences that
 * are only reported. The column types are artificial, so that the test covers every SQL database.
 */
import { expect } from 'chai';
import { sortChanges, isDestructive, type TableChange } from '../../../plugins/dialects/shared/changes.js';
import type { KnownConstraint, TypeMapping } from '../../../plugins/dialects/shared/migration-types.js';
import { createObjectName } from '../../../plugins/dialects/shared/table-diff.js';
import { defineColumn, id, defineTable } from '../../contracts/dialect-support.js';
import {
  createCheckConstraint,
  createForeignKey,
  createKnownIndex,
  createKnownTable,
  LEFT,
  listPlannedChanges,
  createShape,
  createKnownColumn,
} from '../../contracts/plan-support.js';

describe('names that a migration creates', () => {
  const long = 'x'.repeat(30);
  it('have at most 63 bytes, and are unchanged up to there', () => {
    const whole = createObjectName(long, 'y'.repeat(26), 'index');
    expect(whole).to.equal(`${long}_${'y'.repeat(26)}_index`);
    expect(whole.length).to.equal(63);
    const cut = createObjectName(long, 'y'.repeat(27), 'index');
    expect(cut).to.match(/^x{30}_y{9}_[0-9a-f]{10}_index$/);
    expect(createObjectName(long, 'y'.repeat(28), 'index')).not.to.equal(cut);
    expect(createObjectName(long, 'y'.repeat(27), 'index')).to.equal(cut);
  });

  it('are measured in bytes, and cut between characters', () => {
    expect(createObjectName('é'.repeat(14), 'b'.repeat(28), 'index')).to.have.length(14 + 1 + 28 + 1 + 5);
    expect(createObjectName('é'.repeat(14), 'b'.repeat(29), 'index')).to.match(/^é{14}_b{11}_[0-9a-f]{10}_index$/);
    expect(createObjectName(`\ufffd${'b'.repeat(60)}`, 'c', 'index')).to.match(/^\ufffdb{37}_[0-9a-f]{10}_index$/);
    expect(createObjectName(`a${'é'.repeat(30)}`, 'b', 'index')).to.match(/^aé{19}_[0-9a-f]{10}_index$/);
    expect(createObjectName('😀'.repeat(9) + 'abc😀', 'b'.repeat(30), 'foreign')).to.match(
      /^(?:😀){9}abc_[0-9a-f]{10}_foreign$/,
    );
  });
});

describe('missing table', () => {
  it('is created with its columns, then with its indexes and constraints', () => {
    const model = defineTable(
      't',
      id,
      defineColumn('a', 'text', { maxLength: 9, unique: true, index: true }),
      defineColumn('b', 'integer', { index: true, references: { table: 't', column: 'id' } }),
      defineColumn('c', 'text', { search: true, maxLength: 3 }),
      defineColumn('d', 'integer', { maxLength: 3 }),
    );
    expect(listPlannedChanges(model, undefined)).to.deep.equal([
      '+ create table id integer, a text, b integer, c text, d integer',
      '+ add unique a as t_a_unique',
      '+ add check a: at most 9 characters as t_a_length',
      '+ add check c: at most 3 characters as t_c_length',
      '+ add index b as t_b_index',
      '+ add search index c as t_c_search',
      '+ add foreign key b -> t.id as t_b_foreign',
    ]);
  });

  it('has no second index if the primary key or a unique index begins with the column', () => {
    const pair = [
      defineColumn('a', 'integer', { index: true }),
      defineColumn('b', 'integer', { index: true }),
    ] as const;
    const key = pair.map((one) => ({ ...one, primaryKey: true }));
    expect(listPlannedChanges(defineTable('t', ...key), undefined)).to.deep.equal([
      '+ create table a integer, b integer',
      '+ add index b as t_b_index',
    ]);
    expect(listPlannedChanges({ ...defineTable('t', ...pair), uniques: [['b', 'a']] }, undefined)).to.deep.equal([
      '+ create table a integer, b integer',
      '+ add unique b, a as t_b_a_unique',
      '+ add index a as t_a_index',
    ]);
  });

  it('has no unique index on its primary key', () => {
    const key = ['a', 'b'].map((name) => defineColumn(name, 'integer', { primaryKey: true }));
    const uniques = [['b', 'a'], ['a'], ['a', 'b', 'c']];
    expect(
      listPlannedChanges({ ...defineTable('t', ...key, defineColumn('c', 'integer')), uniques }, undefined).slice(1),
    ).to.deep.equal(['+ add unique a as t_a_unique', '+ add unique a, b, c as t_a_b_c_unique']);
  });

  it('references nothing on another connection', () => {
    const model = defineTable('t', defineColumn('a', 'integer', { references: { table: 'o', column: 'id' } }));
    expect(listPlannedChanges(model, undefined)).to.deep.equal(['+ create table a integer']);
    expect(listPlannedChanges(model, undefined, { others: [defineTable('o', id)] })).to.include(
      '+ add foreign key a -> o.id as t_a_foreign',
    );
  });

  it('reports what its database cannot index', () => {
    const cannot: TypeMapping['explainUnsupported'] = ({ name }, what) => (name === 'a' ? `no ${what}` : null);
    const model = {
      ...defineTable('t', defineColumn('a', 'text', { index: true, search: true }), defineColumn('b')),
      uniques: [['b', 'a']],
    };
    expect(listPlannedChanges(model, undefined, { shape: createShape({}, cannot) })).to.deep.equal([
      '+ create table a text, b text',
      '! a: no index',
      '! a: no search',
      '! a: no unique',
    ]);
    const other = defineTable('t', defineColumn('a'), defineColumn('b', 'text', { unique: true }));
    expect(listPlannedChanges(other, undefined, { shape: createShape({}, cannot) })).to.deep.equal([
      '+ create table a text, b text',
      '+ add unique b as t_b_unique',
    ]);
  });
});

describe('existing table', () => {
  it('is left unchanged if it is not a table', () => {
    expect(
      listPlannedChanges(defineTable('t', id), createKnownTable({}, { table: false }), { destroy: true }),
    ).to.deep.equal([`! all: is no table (a view perhaps); ${LEFT}`]);
  });

  it('gets new columns, with a report of what they do not preserve', () => {
    const key = defineColumn('id', 'integer', { primaryKey: true });
    const model = defineTable('t', key, defineColumn('a'), defineColumn('b', 'text', { nullable: true }), {
      ...id,
      name: 'n',
      primaryKey: false,
    });
    const required =
      'required column added to an existing table: it allows NULL, because rows without a value may exist';
    expect(listPlannedChanges(model, createKnownTable({}))).to.deep.equal([
      '+ add column id integer',
      '+ add column a text',
      '+ add column b text, optional',
      '+ add column n integer',
      '! id: column added, but the primary key of an existing table is left as it is',
      `! a: ${required}`,
    ]);
    expect(
      listPlannedChanges(defineTable('t', defineColumn('a')), createKnownTable({ a: createKnownColumn('text') })),
    ).to.deep.equal([]);
  });

  it('needs no index that another one begins with, and no second of one name', () => {
    const model = defineTable(
      't',
      defineColumn('a', 'text', { index: true, search: true }),
      defineColumn('b', 'text', { unique: true }),
    );
    const columns = { a: createKnownColumn('text'), b: createKnownColumn('text') };
    const added = ['+ add unique b as t_b_unique', '+ add index a as t_a_index', '+ add search index a as t_a_search'];
    expect(listPlannedChanges(model, createKnownTable(columns))).to.deep.equal(added);
    const indexes = [
      createKnownIndex('mine', ['a', 'b']),
      createKnownIndex('t_a_search', []),
      createKnownIndex('other', ['b'], { unique: true }),
    ];
    expect(listPlannedChanges(model, createKnownTable(columns, { indexes }))).to.deep.equal([]);
    const poor = [
      createKnownIndex('one', ['b', 'a']),
      createKnownIndex('two', ['b']),
      createKnownIndex('t_a_index', []),
    ];
    expect(listPlannedChanges(model, createKnownTable(columns, { indexes: poor }))).to.deep.equal(added);
  });

  it('accepts a unique index in another order, but not the primary key in its place', () => {
    const model = { ...defineTable('t', defineColumn('a'), defineColumn('b')), uniques: [['a', 'b']] };
    const columns = { a: createKnownColumn('text'), b: createKnownColumn('text') };
    const at = (names: readonly string[]): string[] =>
      listPlannedChanges(
        model,
        createKnownTable(columns, { indexes: [createKnownIndex('i', names, { unique: true })] }),
      );
    expect(at(['b', 'a'])).to.deep.equal([]);
    expect(at(['a'])[0]).to.equal('+ add unique a, b as t_a_b_unique');
    expect(at(['a', 'c'])[0]).to.equal('+ add unique a, b as t_a_b_unique');
    const keyed = defineTable('t', defineColumn('a', 'text', { primaryKey: true, unique: true, index: true }));
    expect(listPlannedChanges(keyed, createKnownTable({ a: createKnownColumn('text') }))).to.deep.equal([
      '+ add unique a as t_a_unique',
    ]);
    const led = defineTable('t', defineColumn('a', 'text', { primaryKey: true, index: true }));
    expect(listPlannedChanges(led, createKnownTable({ a: createKnownColumn('text') }))).to.deep.equal([
      '+ add index a as t_a_index',
    ]);
  });

  it('keeps its length check and its foreign key', () => {
    const refers = { references: { table: 'o', column: 'id' } };
    const model = defineTable('t', defineColumn('a', 'text', { maxLength: 20 }), defineColumn('b', 'text', refers));
    const columns = { a: createKnownColumn('text'), b: createKnownColumn('text') };
    const others = [defineTable('o', id)];
    const rest = (...constraints: KnownConstraint[]): string[] =>
      listPlannedChanges(model, createKnownTable(columns, { constraints }), { others });
    const length = '+ add check a: at most 20 characters as t_a_length';
    const refer = '+ add foreign key b -> o.id as t_b_foreign';
    expect(rest()).to.deep.equal([length, refer]);
    expect(
      rest(createCheckConstraint('t_a_length', 'CHECK (length(a) <= 20)'), createForeignKey('any', ['b'], 'o')),
    ).to.deep.equal([]);
    expect(rest(createCheckConstraint('a_length', 'a <= 20'))).to.deep.equal([length, refer]);
    expect(rest(createForeignKey('any', ['b', 'a'], 'o')).slice(0, 2)).to.deep.equal([length, refer]);
    expect(rest(createForeignKey('any', ['a'], 'o')).slice(0, 2)).to.deep.equal([length, refer]);
    expect(rest({ ...createForeignKey('any', ['b'], 'o'), type: 'other' })).to.deep.equal([length, refer]);
  });

  for (const [blocks, expected] of [
    ['nothing', ['unique', 'index', 'search', 'foreign']],
    ['references', ['unique', 'index', 'search']],
    ['all', []],
  ] as const) {
    it(`with a different column omits ${blocks}`, () => {
      const refers = { references: { table: 't', column: 'a' } };
      const model = defineTable(
        't',
        defineColumn('a', 'text', { index: true, search: true, ...refers }),
        defineColumn('b'),
      );
      const columns = { a: createKnownColumn('bytea'), b: createKnownColumn('text') };
      const planUnique = (destroy: boolean): string[] =>
        listPlannedChanges({ ...model, uniques: [['b', 'a']] }, createKnownTable(columns), {
          shape: createShape({ blocks }),
          destroy,
        })
          .filter((one) => one.startsWith('+'))
          .map((one) => one.split(' ')[2] as string);
      expect(planUnique(false)).to.deep.equal(expected);
      expect(planUnique(true), 'with its type mended').to.deep.equal(['unique', 'index', 'search', 'foreign']);
    });
  }
});

describe('order of changes', () => {
  const ORDER = [
    ...['create-table', 'add-column', 'drop-length', 'drop-foreign', 'drop-unique', 'set-type', 'add-unique'],
    ...['add-length', 'add-index', 'add-search', 'add-foreign', 'set-nullable', 'drop-column'],
  ];
  const all = ORDER.map((change) => ({ change, table: 't' }) as TableChange);

  it('begins with dependencies and ends with data loss', () => {
    expect(sortChanges([...all].reverse()).map(({ change }) => change)).to.deep.equal(ORDER);
  });

  it('marks removals', () => {
    expect(all.filter(isDestructive).map(({ change }) => change)).to.deep.equal(
      ORDER.filter((change) => /^(?:drop|set)-/.test(change)),
    );
  });
});

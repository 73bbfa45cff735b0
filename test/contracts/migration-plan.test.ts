/**
 * What a migration plans for a table, without a database: names of objects, what is missing, what differs, and when a
 * difference is only told. The shape of the columns is one of its own, so that every SQL database is meant.
 */
import { expect } from 'chai';
import { inOrder, isDestructive, type Change } from '../../plugins/dialects/shared/changes.js';
import type { KnownConstraint, Shape } from '../../plugins/dialects/shared/known.js';
import { objectName } from '../../plugins/dialects/shared/plan.js';
import { column, id, table } from './dialect-support.js';
import { check, foreign, index, known, LEFT, planned, shapeOf, there } from './plan-support.js';

describe('names of what a migration makes', () => {
  const long = 'x'.repeat(30);
  it('have 63 bytes at most, and stay as they are up to there', () => {
    const whole = objectName(long, 'y'.repeat(26), 'index');
    expect(whole).to.equal(`${long}_${'y'.repeat(26)}_index`);
    expect(whole.length).to.equal(63);
    const cut = objectName(long, 'y'.repeat(27), 'index');
    expect(cut).to.match(/^x{30}_y{9}_[0-9a-f]{10}_index$/);
    expect(objectName(long, 'y'.repeat(28), 'index')).not.to.equal(cut);
    expect(objectName(long, 'y'.repeat(27), 'index')).to.equal(cut);
  });

  it('count bytes, and are cut between characters', () => {
    expect(objectName('é'.repeat(14), 'b'.repeat(28), 'index')).to.have.length(14 + 1 + 28 + 1 + 5);
    expect(objectName('é'.repeat(14), 'b'.repeat(29), 'index')).to.match(/^é{14}_b{11}_[0-9a-f]{10}_index$/);
    expect(objectName(`\ufffd${'b'.repeat(60)}`, 'c', 'index')).to.match(/^\ufffdb{37}_[0-9a-f]{10}_index$/);
    expect(objectName(`a${'é'.repeat(30)}`, 'b', 'index')).to.match(/^aé{19}_[0-9a-f]{10}_index$/);
    expect(objectName('😀'.repeat(9) + 'abc😀', 'b'.repeat(30), 'foreign')).to.match(
      /^(?:😀){9}abc_[0-9a-f]{10}_foreign$/,
    );
  });
});

describe('a table that is not there', () => {
  it('is created with its columns, and then gets what hangs on it', () => {
    const model = table(
      't',
      id,
      column('a', 'text', { maxLength: 9, unique: true, index: true }),
      column('b', 'integer', { index: true, references: { table: 't', column: 'id' } }),
      column('c', 'text', { search: true, maxLength: 3 }),
      column('d', 'integer', { maxLength: 3 }),
    );
    expect(planned(model, undefined)).to.deep.equal([
      '+ create table id integer, a text, b integer, c text, d integer',
      '+ add unique a as t_a_unique',
      '+ add check a: at most 9 characters as t_a_length',
      '+ add check c: at most 3 characters as t_c_length',
      '+ add index b as t_b_index',
      '+ add search index c as t_c_search',
      '+ add foreign key b -> t.id as t_b_foreign',
    ]);
  });

  it('has no second index where the primary key or a unique one begins with the column', () => {
    const pair = [column('a', 'integer', { index: true }), column('b', 'integer', { index: true })] as const;
    const key = pair.map((one) => ({ ...one, primaryKey: true }));
    expect(planned(table('t', ...key), undefined)).to.deep.equal([
      '+ create table a integer, b integer',
      '+ add index b as t_b_index',
    ]);
    expect(planned({ ...table('t', ...pair), uniques: [['b', 'a']] }, undefined)).to.deep.equal([
      '+ create table a integer, b integer',
      '+ add unique b, a as t_b_a_unique',
      '+ add index a as t_a_index',
    ]);
  });

  it('has no unique index on its primary key', () => {
    const key = ['a', 'b'].map((name) => column(name, 'integer', { primaryKey: true }));
    const uniques = [['b', 'a'], ['a'], ['a', 'b', 'c']];
    expect(planned({ ...table('t', ...key, column('c', 'integer')), uniques }, undefined).slice(1)).to.deep.equal([
      '+ add unique a as t_a_unique',
      '+ add unique a, b, c as t_a_b_c_unique',
    ]);
  });

  it('refers to nothing on another connection', () => {
    const model = table('t', column('a', 'integer', { references: { table: 'o', column: 'id' } }));
    expect(planned(model, undefined)).to.deep.equal(['+ create table a integer']);
    expect(planned(model, undefined, { others: [table('o', id)] })).to.include(
      '+ add foreign key a -> o.id as t_a_foreign',
    );
  });

  it('says what its database has no index for', () => {
    const cannot: Shape['cannot'] = ({ name }, what) => (name === 'a' ? `no ${what}` : null);
    const model = {
      ...table('t', column('a', 'text', { index: true, search: true }), column('b')),
      uniques: [['b', 'a']],
    };
    expect(planned(model, undefined, { shape: shapeOf({}, cannot) })).to.deep.equal([
      '+ create table a text, b text',
      '! a: no index',
      '! a: no search',
      '! a: no unique',
    ]);
    const other = table('t', column('a'), column('b', 'text', { unique: true }));
    expect(planned(other, undefined, { shape: shapeOf({}, cannot) })).to.deep.equal([
      '+ create table a text, b text',
      '+ add unique b as t_b_unique',
    ]);
  });
});

describe('a table that is there', () => {
  it('is left alone where it is no table', () => {
    expect(planned(table('t', id), known({}, { table: false }), { destroy: true })).to.deep.equal([
      `! all: is no table (a view perhaps); ${LEFT}`,
    ]);
  });

  it('gains columns, and tells what they do not keep', () => {
    const key = column('id', 'integer', { primaryKey: true });
    const model = table('t', key, column('a'), column('b', 'text', { nullable: true }), {
      ...id,
      name: 'n',
      primaryKey: false,
    });
    const required =
      'required column added to an existing table: it allows NULL, because rows without a value may exist';
    expect(planned(model, known({}))).to.deep.equal([
      '+ add column id integer',
      '+ add column a text',
      '+ add column b text, optional',
      '+ add column n integer',
      '! id: column added, but the primary key of an existing table is left as it is',
      `! a: ${required}`,
    ]);
    expect(planned(table('t', column('a')), known({ a: there('text') }))).to.deep.equal([]);
  });

  it('needs no index that another one begins with, and no second of one name', () => {
    const model = table('t', column('a', 'text', { index: true, search: true }), column('b', 'text', { unique: true }));
    const columns = { a: there('text'), b: there('text') };
    const added = ['+ add unique b as t_b_unique', '+ add index a as t_a_index', '+ add search index a as t_a_search'];
    expect(planned(model, known(columns))).to.deep.equal(added);
    const indexes = [index('mine', ['a', 'b']), index('t_a_search', []), index('other', ['b'], { unique: true })];
    expect(planned(model, known(columns, { indexes }))).to.deep.equal([]);
    const poor = [index('one', ['b', 'a']), index('two', ['b']), index('t_a_index', [])];
    expect(planned(model, known(columns, { indexes: poor }))).to.deep.equal(added);
  });

  it('a unique index in another order is as good; the primary key of the model does not cover', () => {
    const model = { ...table('t', column('a'), column('b')), uniques: [['a', 'b']] };
    const columns = { a: there('text'), b: there('text') };
    const at = (names: readonly string[]): string[] =>
      planned(model, known(columns, { indexes: [index('i', names, { unique: true })] }));
    expect(at(['b', 'a'])).to.deep.equal([]);
    expect(at(['a'])[0]).to.equal('+ add unique a, b as t_a_b_unique');
    expect(at(['a', 'c'])[0]).to.equal('+ add unique a, b as t_a_b_unique');
    const keyed = table('t', column('a', 'text', { primaryKey: true, unique: true, index: true }));
    expect(planned(keyed, known({ a: there('text') }))).to.deep.equal(['+ add unique a as t_a_unique']);
    const led = table('t', column('a', 'text', { primaryKey: true, index: true }));
    expect(planned(led, known({ a: there('text') }))).to.deep.equal(['+ add index a as t_a_index']);
  });

  it('keeps the check of a length and the foreign key that it has', () => {
    const refers = { references: { table: 'o', column: 'id' } };
    const model = table('t', column('a', 'text', { maxLength: 20 }), column('b', 'text', refers));
    const columns = { a: there('text'), b: there('text') };
    const others = [table('o', id)];
    const rest = (...constraints: KnownConstraint[]): string[] =>
      planned(model, known(columns, { constraints }), { others });
    const length = '+ add check a: at most 20 characters as t_a_length';
    const refer = '+ add foreign key b -> o.id as t_b_foreign';
    expect(rest()).to.deep.equal([length, refer]);
    expect(rest(check('t_a_length', 'CHECK (length(a) <= 20)'), foreign('any', ['b'], 'o'))).to.deep.equal([]);
    expect(rest(check('a_length', 'a <= 20'))).to.deep.equal([length, refer]);
    expect(rest(foreign('any', ['b', 'a'], 'o')).slice(0, 2)).to.deep.equal([length, refer]);
    expect(rest(foreign('any', ['a'], 'o')).slice(0, 2)).to.deep.equal([length, refer]);
    expect(rest({ ...foreign('any', ['b'], 'o'), type: 'other' })).to.deep.equal([length, refer]);
  });

  for (const [blocks, expected] of [
    ['nothing', ['unique', 'index', 'search', 'foreign']],
    ['references', ['unique', 'index', 'search']],
    ['all', []],
  ] as const) {
    it(`on a column that differs, ${blocks} ${blocks === 'nothing' ? 'is' : 'are'} left out`, () => {
      const refers = { references: { table: 't', column: 'a' } };
      const model = table('t', column('a', 'text', { index: true, search: true, ...refers }), column('b'));
      const columns = { a: there('bytea'), b: there('text') };
      const made = (destroy: boolean): string[] =>
        planned({ ...model, uniques: [['b', 'a']] }, known(columns), { shape: shapeOf({ blocks }), destroy })
          .filter((one) => one.startsWith('+'))
          .map((one) => one.split(' ')[2] as string);
      expect(made(false)).to.deep.equal(expected);
      expect(made(true), 'with its type mended').to.deep.equal(['unique', 'index', 'search', 'foreign']);
    });
  }
});

describe('the order of changes', () => {
  const ORDER = [
    ...['create-table', 'add-column', 'drop-length', 'drop-foreign', 'drop-unique', 'set-type', 'add-unique'],
    ...['add-length', 'add-index', 'add-search', 'add-foreign', 'set-nullable', 'drop-column'],
  ];
  const all = ORDER.map((change) => ({ change, table: 't' }) as Change);

  it('what others lean on comes first, what loses data last', () => {
    expect(inOrder([...all].reverse()).map(({ change }) => change)).to.deep.equal(ORDER);
  });

  it('what takes something away is marked', () => {
    expect(all.filter(isDestructive).map(({ change }) => change)).to.deep.equal(
      ORDER.filter((change) => /^(?:drop|set)-/.test(change)),
    );
  });
});

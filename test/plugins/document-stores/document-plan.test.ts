/** What a migration adds to existing collections, what it only reports, and its messages. Without a database. */
import { expect } from 'chai';
import type { ModelTable } from '../../../contract/model.js';
import { toCollectionStep, toStoreName } from '../../../plugins/document-stores/shared/outline.js';
import {
  createPartialFilter,
  planCollections,
  type KnownCollection,
  type CollectionIndex,
} from '../../../plugins/document-stores/shared/plan.js';
import { createRules } from '../../../plugins/document-stores/shared/rules.js';
import { createModelColumn, createModelTable } from '../../support/model-tables.js';

describe('collection migration plan', () => {
  const index = (name: string, more: Partial<CollectionIndex> = {}): CollectionIndex => ({
    name,
    fields: [name],
    unique: false,
    partial: false,
    words: null,
    ...more,
  });
  const plan = (table: ModelTable, known: Partial<KnownCollection> | null): readonly [string[], string[]] => {
    const whole: KnownCollection = {
      plain: true,
      validator: { $jsonSchema: createRules(table) },
      lenient: false,
      indexes: [],
      ...known,
    };
    const { changes, warnings } = planCollections([table], new Map(known === null ? [] : [['notes', whole]]));
    return [
      changes.map(
        (one) => `${one.change}${'name' in one ? ` ${one.name}` : ''}: ${one.columns.map(({ name }) => name).join()}`,
      ),
      warnings.map(({ column: name, message }) => `${String(name)}: ${message.slice(0, 34)}`),
    ];
  };
  const INDEXED = createModelTable([createModelColumn('a', { index: true })]);
  const UNIQUE = createModelTable([createModelColumn('a'), createModelColumn('b')], [['a', 'b']]);
  const SEARCHED = createModelTable([
    createModelColumn('a', { search: true }),
    createModelColumn('b', { search: true }),
    createModelColumn('c'),
  ]);
  const OTHER = (name: string): string => `the index ${name} has other properties`.slice(0, 34);

  for (const [title, table, known, changes, warnings] of [
    ['a new collection', createModelTable([createModelColumn('_id'), createModelColumn('a')]), null, ['create: a'], []],
    ['an unchanged one', UNIQUE, { indexes: [index('u', { fields: ['b', 'a'], unique: true })] }, [], []],
    [
      'rules for a collection without rules',
      createModelTable([createModelColumn('a')]),
      { validator: undefined },
      ['add-rules: a'],
      [],
    ],
    [
      'no rules for a collection without fields',
      createModelTable([createModelColumn('_id')]),
      { validator: undefined },
      [],
      [],
    ],
    [
      'rules of another owner',
      createModelTable([createModelColumn('a')]),
      { validator: { a: 1 } },
      [],
      ['null: the collection has rules of somebo'],
    ],
    [
      'rules that are off',
      createModelTable([createModelColumn('a')]),
      { lenient: true },
      [],
      ['null: the rules of the collection are sw'],
    ],
    ['a view', INDEXED, { plain: false }, [], ['null: is no collection (a view perhaps);']],
    ['an index', INDEXED, {}, ['add-index a_index: a'], []],
    ['an existing index', INDEXED, { indexes: [index('x', { fields: ['a', 'b'] })] }, [], []],
    [
      'one whose first field differs',
      INDEXED,
      { indexes: [index('x', { fields: ['b', 'a'] })] },
      ['add-index a_index: a'],
      [],
    ],
    ['a partial one of this field', INDEXED, { indexes: [index('x', { fields: ['a'], partial: true })] }, [], []],
    [
      'a partial one of more fields',
      INDEXED,
      { indexes: [index('x', { fields: ['a', 'b'], partial: true })] },
      ['add-index a_index: a'],
      [],
    ],
    [
      'another one with its name',
      INDEXED,
      { indexes: [index('a_index', { fields: ['z'] })] },
      [],
      [`a: ${OTHER('a_index')}`],
    ],
    ['a unique combination', UNIQUE, {}, ['add-unique a_b_unique: a,b'], []],
    [
      'one that is not unique',
      UNIQUE,
      { indexes: [index('x', { fields: ['a', 'b'] })] },
      ['add-unique a_b_unique: a,b'],
      [],
    ],
    [
      'one of more fields',
      UNIQUE,
      { indexes: [index('x', { fields: ['a', 'b', 'c'], unique: true })] },
      ['add-unique a_b_unique: a,b'],
      [],
    ],
    [
      'one of other fields',
      UNIQUE,
      { indexes: [index('x', { fields: ['a', 'c'], unique: true })] },
      ['add-unique a_b_unique: a,b'],
      [],
    ],
    [
      'the same combination twice',
      createModelTable(
        [createModelColumn('a'), createModelColumn('b')],
        [
          ['a', 'b'],
          ['b', 'a'],
        ],
      ),
      {},
      ['add-unique a_b_unique: a,b'],
      [],
    ],
    [
      'a key',
      createModelTable([createModelColumn('id', { primaryKey: true }), createModelColumn('a')]),
      {},
      ['add-unique id_unique: id'],
      [],
    ],
    [
      'the key `_id`',
      createModelTable([createModelColumn('_id', { primaryKey: true }), createModelColumn('a')], [['_id']]),
      {},
      [],
      [],
    ],
    [
      'a key with an index',
      createModelTable([createModelColumn('id', { primaryKey: true, index: true })]),
      {},
      ['add-unique id_unique: id'],
      [],
    ],
    ['words', SEARCHED, {}, ['add-search words_search: a,b'], []],
    ['searched fields', SEARCHED, { indexes: [index('w', { fields: [], words: ['c', 'b', 'a'] })] }, [], []],
    [
      'other words',
      SEARCHED,
      { indexes: [index('w', { fields: [], words: ['a'] })] },
      [],
      ['a, b: a collection has one index of word'],
    ],
  ] as const)
    it(title, () => expect(plan(table, known)).to.deep.equal([changes, warnings]));

  it('adds rules before indexes, and warns about a field that documents may lack', () => {
    const table = createModelTable([
      createModelColumn('a', { index: true }),
      createModelColumn('b', { nullable: true }),
    ]);
    const validator = { $jsonSchema: { ...createRules(createModelTable([createModelColumn('z')])) } };
    expect(plan(table, { validator })).to.deep.equal([
      ['change-rules: a,b', 'add-index a_index: a'],
      ['a: required field added to an existin', 'z: the rules of the collection demand'],
    ]);
    const narrow = {
      $jsonSchema: createRules(
        createModelTable([createModelColumn('a', { nullable: true }), createModelColumn('b', { nullable: true })]),
      ),
    };
    expect(plan(table, { validator: narrow, indexes: [index('a')] })[1]).to.deep.equal([
      'a: the rules of the collection let mo',
    ]);
  });

  it('reports the rules, and the fields whose rules change', () => {
    const table = createModelTable([createModelColumn('a'), createModelColumn('b')]);
    const rulesIn = (known: unknown): unknown => {
      const whole: KnownCollection = { plain: true, validator: known, lenient: false, indexes: [] };
      return planCollections([table], new Map(known === null ? [] : [['notes', whole]])).changes.map((one) => [
        'rules' in one ? one.rules : null,
        one.columns.map(({ name }) => name),
      ]);
    };
    expect(rulesIn(null)).to.deep.equal([[createRules(table), ['a', 'b']]]);
    expect(rulesIn({})).to.deep.equal([[createRules(table), ['a', 'b']]]);
    expect(rulesIn({ $jsonSchema: createRules(createModelTable([createModelColumn('a')])) })).to.deep.equal([
      [createRules(table), ['b']],
    ]);
  });

  it('has unique indexes for the documents with all their values', () => {
    const types = ['integer', 'float', 'text', 'boolean', 'timestamp', 'json'] as const;
    expect(createPartialFilter(types.map((type) => createModelColumn(type, { type })))).to.deep.equal({
      integer: { $gte: -Infinity },
      float: { $gte: -Infinity },
      text: { $gte: '' },
      boolean: { $gte: false },
      timestamp: { $gte: new Date(-8.64e15) },
      json: { $type: ['object', 'array', 'string', 'bool', 'number'] },
    });
  });

  it('is described in text', () => {
    const columns = [createModelColumn('a'), createModelColumn('b', { type: 'integer', nullable: true })];
    const formatStep = (change: string): string[] => {
      const step = toCollectionStep('main', {
        collection: 'notes',
        change,
        columns,
        name: 'x',
        rules: createRules(createModelTable(columns)),
      } as never);
      expect([step.store, step.table, step.destructive, step.loses]).to.deep.equal([
        'documents.main',
        'notes',
        false,
        null,
      ]);
      return [step.change, step.detail];
    };
    expect(formatStep('create')).to.deep.equal(['create collection', 'a text, b integer']);
    expect(formatStep('add-rules')).to.deep.equal(['add rules', 'a text, b integer, optional']);
    expect(formatStep('change-rules')).to.deep.equal(['change rules', 'a text, b integer, optional']);
    expect(formatStep('add-unique')).to.deep.equal(['add unique', 'a, b']);
    expect(formatStep('add-index')).to.deep.equal(['add index', 'a, b']);
    expect(formatStep('add-search')).to.deep.equal(['add search index', 'a, b']);
    expect(toStoreName('x')).to.equal('documents.x');
  });
});

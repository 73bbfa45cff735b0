/** Collection rules of models, comparison of two rule sets, and validation by the embedded store. */
import { expect } from 'chai';
import { Fault, createFault } from '../../../contract/fault.js';
import type { ModelColumn } from '../../../contract/model.js';
import { validateDocument, nameFields } from '../../../plugins/document-stores/embedded/rules.js';
import {
  mergeRules,
  parseOwnRules,
  createRules,
  type FieldSchema,
  type Rules,
} from '../../../plugins/document-stores/shared/rules.js';
import { isEmptyWindow } from '../../../plugins/document-stores/shared/result-window.js';
import { createModelColumn, createModelTable } from '../../support/model-tables.js';

const NUMBERS = ['int', 'long', 'double'];

describe('collection rules', () => {
  for (const [title, more, rule] of [
    ['an integer', { type: 'integer' }, { bsonType: NUMBERS, multipleOf: 1 }],
    ['a number', { type: 'float' }, { bsonType: [...NUMBERS, 'decimal'] }],
    ['a text', {}, { bsonType: ['string'] }],
    ['a text with a length', { maxLength: 5 }, { bsonType: ['string'], maxLength: 5 }],
    ['a length of another type', { type: 'integer', maxLength: 5 }, { bsonType: NUMBERS, multipleOf: 1 }],
    ['a boolean', { type: 'boolean' }, { bsonType: ['bool'] }],
    ['a time', { type: 'timestamp' }, { bsonType: ['date'] }],
    ['any JSON', { type: 'json' }, { bsonType: ['object', 'array', 'string', 'bool', ...NUMBERS] }],
    ['an optional text', { nullable: true }, { bsonType: ['string', 'null'] }],
    ['a key', { primaryKey: true }, { bsonType: ['string', 'null'] }],
    ['a counter', { type: 'integer', autoIncrement: true }, { bsonType: [...NUMBERS, 'null'], multipleOf: 1 }],
    ['a list', { type: 'json', holds: { form: 'array', items: null } }, { bsonType: ['array'] }],
    [
      'a list of texts',
      { type: 'json', holds: { form: 'array', items: { type: 'text' } } },
      { bsonType: ['array'], items: { bsonType: ['string'] } },
    ],
    ['an object', { type: 'json', holds: { form: 'object', fields: [] } }, { bsonType: ['object'] }],
    [
      'an object of one field',
      { type: 'json', holds: { form: 'object', fields: [{ name: 'a', type: 'float' }] } },
      { bsonType: ['object'], properties: { a: { bsonType: [...NUMBERS, 'decimal', 'null'] } } },
    ],
    [
      'an object of optional fields',
      {
        type: 'json',
        holds: {
          form: 'object',
          fields: [
            { name: 'a', type: 'text' },
            { name: 'b', type: 'timestamp' },
          ],
        },
      },
      {
        bsonType: ['object'],
        properties: { a: { bsonType: ['string', 'null'] }, b: { bsonType: ['date', 'null', 'string'] } },
      },
    ],
  ] as const)
    it(`for ${title}`, () => {
      const { properties } = createRules(
        createModelTable([createModelColumn('f', more as unknown as Partial<ModelColumn>)]),
      );
      expect(properties).to.deep.equal({ f: rule });
    });

  it('require the fields that are neither optional nor keys nor counters, and do not mention `_id`', () => {
    const columns = [
      createModelColumn('_id'),
      createModelColumn('id', { primaryKey: true }),
      createModelColumn('n', { autoIncrement: true }),
      createModelColumn('o', { nullable: true }),
      createModelColumn('a'),
      createModelColumn('b'),
    ];
    const rules = createRules(createModelTable(columns));
    expect(rules.required).to.deep.equal(['a', 'b']);
    expect(Object.keys(rules.properties)).to.deep.equal(['id', 'n', 'o', 'a', 'b']);
    expect([rules.title, rules.bsonType]).to.deep.equal(['lintel', 'object']);
    expect(createRules(createModelTable([createModelColumn('o', { nullable: true })]))).not.to.have.property(
      'required',
    );
  });

  it('are identified by their title', () => {
    const ours = createRules(createModelTable([createModelColumn('a')]));
    expect(parseOwnRules({ $jsonSchema: ours })).to.equal(ours);
    for (const none of [undefined, null, {}, [], 'x', [1]])
      expect(parseOwnRules(none), JSON.stringify(none)).to.equal(null);
    for (const foreign of [
      { $jsonSchema: { ...ours, title: 'x' } },
      { $jsonSchema: { title: 'lintel' } },
      { $jsonSchema: { title: 'lintel', properties: [] } },
      { $jsonSchema: null },
      { $jsonSchema: ours, a: 1 },
      { a: 1 },
    ])
      expect(parseOwnRules(foreign), JSON.stringify(foreign)).to.equal('foreign');
  });
});

describe('differences between collection rules and those of the model', () => {
  const rules = (properties: Record<string, FieldSchema>, required: readonly string[] = []): Rules => ({
    title: 'lintel',
    bsonType: 'object',
    ...(required.length > 0 && { required }),
    properties,
  });
  const TEXT = { bsonType: ['string'] };

  for (const [title, before, wanted, kind] of [
    ['the same', TEXT, TEXT, 'same'],
    ['types in another order', { bsonType: ['string', 'null'] }, { bsonType: ['null', 'string'] }, 'same'],
    ['one more type', TEXT, { bsonType: ['string', 'null'] }, 'changed'],
    ['one type less', { bsonType: ['string', 'null'] }, TEXT, 'narrower'],
    ['any type', TEXT, {}, 'changed'],
    ['a type for a field that accepted any', {}, TEXT, 'narrower'],
    ['a greater length', { ...TEXT, maxLength: 5 }, { ...TEXT, maxLength: 6 }, 'changed'],
    ['a smaller length', { ...TEXT, maxLength: 5 }, { ...TEXT, maxLength: 4 }, 'narrower'],
    ['the same length', { ...TEXT, maxLength: 5 }, { ...TEXT, maxLength: 5 }, 'same'],
    ['no length', { ...TEXT, maxLength: 5 }, TEXT, 'changed'],
    ['a length where there was none', TEXT, { ...TEXT, maxLength: 5 }, 'narrower'],
    ['fractions', { bsonType: NUMBERS, multipleOf: 1 }, { bsonType: NUMBERS }, 'changed'],
    ['integers only', { bsonType: NUMBERS }, { bsonType: NUMBERS, multipleOf: 1 }, 'narrower'],
    ['parts of an object', { properties: { a: TEXT } }, {}, 'changed'],
    ['other parts of an object', { properties: { a: TEXT } }, { properties: { b: TEXT } }, 'narrower'],
    ['items of a list', {}, { items: TEXT }, 'narrower'],
    ['no items of a list', { items: TEXT }, {}, 'changed'],
    ['both wider and narrower', { ...TEXT, maxLength: 5 }, { bsonType: ['string', 'null'], maxLength: 4 }, 'narrower'],
  ] as const)
    it(`${title}: ${kind}`, () => {
      const merged = mergeRules(rules({ f: before }), rules({ f: wanted }));
      expect(merged.changed).to.deep.equal(kind === 'changed' ? ['f'] : []);
      expect(merged.narrower).to.deep.equal(kind === 'narrower' ? ['f'] : []);
      expect(merged.rules).to.deep.equal(kind === 'changed' ? rules({ f: wanted }) : null);
      expect([merged.demanded, merged.forgotten]).to.deep.equal([[], []]);
    });

  it('a new field is added, and required if the model requires it', () => {
    const merged = mergeRules(rules({ a: TEXT }, ['a']), rules({ a: TEXT, b: TEXT, c: TEXT }, ['a', 'b']));
    expect(merged.rules).to.deep.equal(rules({ a: TEXT, b: TEXT, c: TEXT }, ['a', 'b']));
    expect([merged.changed, merged.demanded, merged.narrower]).to.deep.equal([['b', 'c'], ['b'], []]);
  });

  it('a field that is no longer required is released, and a newly required one stays optional', () => {
    const freed = mergeRules(rules({ a: TEXT }, ['a']), rules({ a: { bsonType: ['string', 'null'] } }));
    expect(freed.rules).to.deep.equal(rules({ a: { bsonType: ['string', 'null'] } }));
    const freedAlone = mergeRules(rules({ a: TEXT }, ['a']), rules({ a: TEXT }));
    expect([freedAlone.changed, freedAlone.rules]).to.deep.equal([['a'], rules({ a: TEXT })]);
    const bound = mergeRules(rules({ a: TEXT }), rules({ a: TEXT }, ['a']));
    expect([bound.rules, bound.narrower]).to.deep.equal([null, ['a']]);
  });

  it('a required field that is no longer in the model stays', () => {
    const merged = mergeRules(rules({ a: TEXT, b: TEXT }, ['b']), rules({ a: TEXT }));
    expect([merged.rules, merged.forgotten]).to.deep.equal([null, ['b']]);
    const more = mergeRules(rules({ b: TEXT }, ['b']), rules({ a: TEXT }));
    expect(more.rules).to.deep.equal(rules({ b: TEXT, a: TEXT }, ['b']));
  });
});

describe('document validation of the embedded store', () => {
  const findBrokenRule = (rule: FieldSchema, value: unknown): string | null => {
    const issue = validateDocument(
      { title: 'lintel', bsonType: 'object', properties: { 'a/b': rule } },
      { 'a/b': value },
    );
    return issue === null ? null : `${issue.code} ${issue.pointer}`;
  };

  for (const [type, right, wrong] of [
    ['int', [1, 1.5], ['1', true]],
    ['long', [1], ['1']],
    ['double', [1.5], ['1']],
    ['decimal', [1.5], ['1']],
    ['string', ['', 'x'], [1, false]],
    ['bool', [true, false], [0, 'true']],
    ['date', [new Date(1)], [1, '2030-01-31']],
    ['array', [[], [1]], [{}, 'x']],
    ['object', [{}, { a: 1 }], [[], new Date(1), 'x']],
  ] as const)
    it(`${type} accepts its values, others only together with null`, () => {
      for (const value of right) expect(findBrokenRule({ bsonType: [type] }, value)).to.equal(null);
      for (const value of wrong) expect(findBrokenRule({ bsonType: [type] }, value)).to.equal('QRY_BAD_VALUE /a~1b');
      expect(findBrokenRule({ bsonType: [type] }, null)).to.equal('QRY_NOT_NULL /a~1b');
      expect(findBrokenRule({ bsonType: [type, 'null'] }, null)).to.equal(null);
    });

  for (const [title, rule, value, expected] of [
    ['a fraction for an integer', { multipleOf: 1 }, 1.5, 'QRY_BAD_VALUE /a~1b'],
    ['an integer', { multipleOf: 1 }, -3, null],
    ['a text of the maximum length', { maxLength: 2 }, '😀😀', null],
    ['a longer text', { maxLength: 2 }, 'abc', 'QRY_CHECK /a~1b'],
    ['an item', { items: { bsonType: ['string'] } }, ['x', 1], 'QRY_BAD_VALUE /a~1b/1'],
    ['valid items', { items: { bsonType: ['string'] } }, ['x', 'y'], null],
    ['items of a value that is not a list', { items: { bsonType: ['string'] } }, 'x', null],
    ['a field of an object', { properties: { c: { bsonType: ['string'] } } }, { c: 1 }, 'QRY_BAD_VALUE /a~1b/c'],
    ['a missing field', { properties: { c: { bsonType: ['string'] } } }, {}, null],
    ['fields of a value that is not an object', { properties: { length: { bsonType: ['string'] } } }, [1], null],
    [
      'a field of an object in a list',
      { items: { properties: { c: { maxLength: 1 } } } },
      [{}, { c: 'xx' }],
      'QRY_CHECK /a~1b/1/c',
    ],
  ] as const)
    it(title, () => expect(findBrokenRule(rule, value)).to.equal(expected));

  it('requires fields: a missing or undefined one is reported, an inherited one does not count', () => {
    const rules: Rules = {
      title: 'lintel',
      bsonType: 'object',
      required: ['toString', 'b'],
      properties: { toString: {}, b: {} },
    };
    expect(validateDocument(rules, { b: 1 })).to.deep.equal({
      pointer: '/toString',
      code: 'QRY_NOT_NULL',
      detail: 'must have a value',
    });
    expect(validateDocument(rules, { toString: 1, b: undefined })?.pointer).to.equal('/b');
    expect(validateDocument(rules, { toString: 1, b: null })).to.equal(null);
    expect(validateDocument({ ...rules, required: ['b'] }, { b: 1 })).to.equal(null);
  });

  it('reports fields of the index that the database rejects, and no positions in the statement', () => {
    const error = (code: 'QRY_UNIQUE' | 'QRY_CHECK', constraint?: string): Fault =>
      createFault(code, {}, { cause: { constraint }, issues: [{ pointer: '/1', code, detail: 'x' }] });
    const indexes = new Map([['i', ['a/b', 'c']]]);
    const pointers = (given: unknown): unknown => {
      const found = nameFields(given, indexes);
      return found instanceof Fault ? [found.code, found.options.issues?.map(({ pointer }) => pointer)] : found;
    };
    expect(pointers(error('QRY_UNIQUE', 'i'))).to.deep.equal(['QRY_UNIQUE', ['/a~1b', '/c']]);
    expect(pointers(error('QRY_UNIQUE', 't_pkey'))).to.deep.equal(['QRY_UNIQUE', ['/_id']]);
    expect(pointers(error('QRY_UNIQUE', 'other'))).to.deep.equal(['QRY_UNIQUE', []]);
    expect(pointers(error('QRY_UNIQUE'))).to.deep.equal(['QRY_UNIQUE', []]);
    expect(pointers(error('QRY_CHECK', 'i'))).to.deep.equal(['QRY_CHECK', undefined]);
    const [first] = (nameFields(error('QRY_UNIQUE', 't_pkey'), indexes) as Fault).options.issues ?? [];
    expect(first).to.deep.equal({ pointer: '/_id', code: 'QRY_UNIQUE', detail: 'is taken already' });
    const other = new Error('x');
    expect(nameFields(other, indexes)).to.equal(other);
  });
});

describe('document limits', () => {
  it('are none with a limit of 0, and accept only integers from 0', () => {
    expect(isEmptyWindow({ limit: 0 })).to.equal(true);
    for (const options of [{}, { limit: 1 }, { skip: 0 }, { limit: 1, skip: 5 }])
      expect(isEmptyWindow(options)).to.equal(false);
    for (const options of [
      { limit: -1 },
      { limit: 1.5 },
      { skip: -1 },
      { skip: 2 ** 53 },
      { limit: '1' as never },
      { limit: 0, skip: NaN },
    ])
      expect(() => isEmptyWindow(options), JSON.stringify(options))
        .to.throw(Fault)
        .with.property('code', 'QRY_BAD_VALUE');
  });
});

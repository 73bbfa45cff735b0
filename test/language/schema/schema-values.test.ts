/**
 * JSON Schemas as values: the sample that a schema accepts, derived schemas, and field names after a stage of a
 * pipeline.
 */
import { expect } from 'chai';
import type { JsonSchema } from '../../../contract/api.js';
import type { Json, JsonObject } from '../../../contract/json.js';
import * as forms from '../../../contract/forms.js';
import { applyNameFlow, type NameFlow } from '../../../contract/name-flow.js';
import { sampleSchema, addNeededPaths } from '../../../language/schema/sample.js';

describe('samples of schemas, value by value', () => {
  const CASES: readonly (readonly [schema: JsonSchema, sample: Json])[] = [
    [{}, 'text'],
    [{ const: null, type: 'string' }, null],
    [{ enum: [3, 4], type: 'string' }, 3],
    [{ enum: [] }, null],
    [{ type: 'boolean' }, true],
    [{ type: 'null' }, null],
    [{ type: ['null', 'boolean'] }, true],
    [{ type: ['null'] }, null],
    [{ anyOf: [{ type: 'null' }, { type: 'boolean' }] }, true],
    [{ anyOf: [{ type: 'null' }] }, null],
    [{ oneOf: [{ type: 'number' }, { type: 'boolean' }] }, 1],
    [{ properties: { a: { type: 'number' } }, required: ['a'] }, { a: 1 }],
    [
      { type: 'object', properties: { a: {}, b: {} }, required: ['b', 'c'] },
      { b: 'text', c: 'text' },
    ],
    [{ type: 'array' }, ['text']],
    [{ type: 'array', items: { type: 'number' }, minItems: 2 }, [1, 1]],
    [{ type: 'array', items: {}, minItems: 0, maxItems: 0 }, []],
    [{ type: 'number' }, 1],
    [{ type: 'integer', minimum: 1.5 }, 2],
    [{ type: 'number', minimum: 1.5 }, 1.5],
    [{ type: 'number', maximum: 0.5 }, 0.5],
    [{ type: 'integer', maximum: -1.5 }, -2],
    [{ type: 'integer', exclusiveMinimum: 1 }, 2],
    [{ type: 'integer', exclusiveMaximum: 1 }, 0],
    [{ type: 'number', exclusiveMinimum: 1 }, 1.001],
    [{ type: 'number', multipleOf: 5 }, 5],
    [{ type: 'number', multipleOf: 5, maximum: 4 }, 0],
    [{ type: 'number', multipleOf: 0.5, minimum: 1.2 }, 1.5],
    [{ type: ['integer', 'null'], minimum: 2.5 }, 3],
    [{ type: 'string', minLength: 4 }, 'text'],
    [{ type: 'string', minLength: 6 }, 'textte'],
    [{ type: 'string', minLength: 9 }, 'texttextt'],
    [{ type: 'string', maxLength: 3 }, 'tex'],
    [{ type: 'string', maxLength: 0 }, ''],
    [{ type: 'string', format: 'date-time' }, '2030-01-31T12:00:00.000Z'],
    [{ type: 'string', format: 'date' }, '2030-01-31'],
    [{ type: 'string', format: 'uri' }, 'https://example.com/'],
    [{ type: 'string', format: 'uri-reference' }, '/'],
    [{ type: 'string', format: 'unknown' }, 'text'],
    [{ type: 'string', format: 'email' }, 'ada@example.com'],
    [{ type: 'string', format: 'email', maxLength: 15 }, 'ada@example.com'],
    [{ type: 'string', format: 'email', maxLength: 14 }, 'a@b.co'],
    [{ type: 'string', format: 'email', minLength: 16 }, 'ada@x.example.com'],
    [{ type: 'string', format: 'email', minLength: 20 }, 'ada@xxxx.example.com'],
    [{ type: 'string', format: 'email', minLength: 100 }, `ada@${'x'.repeat(20)}.${'x'.repeat(63)}.example.com`],
    [{ allOf: [{ type: 'number', minimum: 2 }, { minimum: 5 }] }, 5],
    [{ allOf: [{ type: 'number', minimum: 5 }, { minimum: 2 }] }, 5],
    [
      {
        allOf: [
          { type: 'integer', exclusiveMinimum: 5 },
          { type: 'number', exclusiveMinimum: 2 },
        ],
      },
      6,
    ],
    [{ type: 'string', maxLength: 2, allOf: [{ maxLength: 9 }] }, 'te'],
    [{ type: 'string', maxLength: 9, allOf: [{ maxLength: 2 }] }, 'te'],
    [{ allOf: [{ enum: [1, 2] }, { enum: [2, 3] }] }, 2],
    [{ allOf: [{ type: 'number' }, { type: 'integer', minimum: 1.5 }] }, 2],
    [{ type: ['string', 'null'], allOf: [{ type: 'number' }] }, 1],
    [
      {
        type: 'object',
        required: ['a'],
        properties: { a: { type: 'number', minimum: 2 } },
        allOf: [{ required: ['b'], properties: { a: { minimum: 7 } } }],
      },
      { a: 7, b: 'text' },
    ],
    [{ type: 'array', items: { type: 'number' }, allOf: [{ items: { minimum: 3 } }] }, [3]],
  ];
  for (const [schema, sample] of CASES) {
    it(`${JSON.stringify(schema)}: ${JSON.stringify(sample)}`, () =>
      expect(sampleSchema(schema)).to.deep.equal(sample));
  }

  it('contain optional members if everything is requested, at any depth', () => {
    const inner: JsonObject = { type: 'object', properties: { x: {} } };
    const schema: JsonSchema = {
      type: 'object',
      properties: { a: inner, b: { type: 'array', items: inner } },
      required: ['b'],
    };
    expect(sampleSchema(schema)).to.deep.equal({ b: [{}] });
    expect(sampleSchema(schema, true)).to.deep.equal({ b: [{ x: 'text' }], a: { x: 'text' } });
    expect(sampleSchema({ anyOf: [schema] }, true)).to.have.keys('a', 'b');
    expect(sampleSchema({ allOf: [schema] }, true)).to.have.keys('a', 'b');
  });

  it('contain texts for values that accessors read without a rule', () => {
    const ruled = { a: 1, o: { x: 1 }, l: [1] };
    expect(addNeededPaths(ruled, [['a', 'b'], ['o', 'y', 'z'], ['l', '0', 'x'], ['n'], ['m', 'k'], []])).to.deep.equal({
      ...{ a: 1, o: { x: 1, y: { z: 'text' } }, l: [1], n: 'text', m: { k: 'text' } },
    });
    expect(addNeededPaths(ruled, [['o'], ['o', 'x']])).to.deep.equal(ruled);
    expect(addNeededPaths({}, [['m', 'a'], ['m', 'b'], ['m']])).to.deep.equal({ m: { a: 'text', b: 'text' } });
  });
});

describe('derived schemas', () => {
  const row = forms.createObjectSchema({ id: { type: 'number' }, name: { type: 'string' } });
  it('contain the selected names, dotted ones as nested objects', () => {
    const schema = forms.createObjectSchema(
      { a: forms.createObjectSchema({ b: { type: 'string' }, c: {} }), d: { type: 'number' } },
      ['d'],
    );
    expect(forms.pickNames(['d', 'a.b', 'a.c', 'none', 'a.none'], forms.createNameLookup(schema))).to.deep.equal({
      type: 'object',
      properties: { d: { type: 'number' }, a: { type: 'object', properties: { b: { type: 'string' }, c: {} } } },
      required: ['d'],
    });
    expect(forms.omitNames(row, (name) => name === 'id')).to.deep.equal({
      ...{ type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    });
    expect(forms.omitNames(row, () => true)).to.deep.equal({ type: 'object', properties: {} });
    expect(forms.omitNames({ type: 'string' }, () => true)).to.deep.equal({ type: 'string' });
    expect(forms.createObjectSchema({}, [])).to.deep.equal({ type: 'object', properties: {} });
  });

  it('are null for a value that is certainly absent, and open for an unknown one', () => {
    const at = (schema: JsonSchema, path: string): JsonSchema | null => forms.findSchema(schema, path.split('.'));
    expect(at(row, 'id')).to.deep.equal({ type: 'number' });
    expect([at(row, 'none'), at(row, 'toString'), at({ type: 'string' }, 'a'), at(row, 'id.x')]).to.deep.equal([
      null,
      null,
      null,
      null,
    ]);
    expect([at({}, 'a'), at({ type: 'object' }, 'a'), at({ type: ['object', 'null'] }, 'a.b')]).to.deep.equal([
      {},
      {},
      {},
    ]);
    expect(at(forms.createListSchema(row), '12.id')).to.deep.equal({ type: 'number' });
    expect([
      at(forms.createListSchema(row), 'x'),
      at(forms.createListSchema(row), '1x'),
      at({ type: ['null', 'string'] }, 'a'),
    ]).to.deep.equal([null, null, null]);
  });

  it('are nullable, once', () => {
    expect(forms.toNullable({})).to.deep.equal({});
    expect(forms.toNullable({ type: 'string' })).to.deep.equal({ type: ['string', 'null'] });
    expect(forms.toNullable({ type: ['string', 'null'] })).to.deep.equal({ type: ['string', 'null'] });
    for (const schema of [{ enum: [1], type: 'number' }, { const: 1 }, { anyOf: [{ type: 'string' }] }])
      expect(forms.toNullable(schema)).to.deep.equal({ anyOf: [schema, { type: 'null' }] });
  });

  it('are split into alternatives and joined again', () => {
    expect(forms.splitForms({ type: ['object', 'null'], properties: {} })).to.deep.equal([
      { type: 'object', properties: {} },
      { type: 'null' },
    ]);
    expect(forms.splitForms({ anyOf: [{ type: ['string', 'null'] }, {}] })).to.deep.equal([
      { type: 'string' },
      { type: 'null' },
      {},
    ]);
    expect(forms.combineForms([])).to.deep.equal({});
    expect(forms.combineForms([{ type: 'string' }, {}])).to.deep.equal({});
    expect(forms.combineForms([{ type: 'string' }, { type: 'string' }])).to.deep.equal({ type: 'string' });
    expect(forms.combineForms([{ type: 'string' }, { type: 'null' }])).to.deep.equal({
      anyOf: [{ type: 'string' }, { type: 'null' }],
    });
  });

  it('change the rows of a result, one or a list, and nothing else', () => {
    const mark = (one: JsonSchema): JsonSchema => ({ ...one, title: 'x' });
    const marked = mark(row);
    expect(forms.mapRows([row, { type: 'null' }, { type: 'number' }], mark)).to.deep.equal([
      marked,
      { type: 'null' },
      { type: 'number' },
    ]);
    expect(forms.mapRows([forms.createListSchema(row, { maxItems: 2 })], mark)).to.deep.equal([
      forms.createListSchema(marked, { maxItems: 2 }),
    ]);
    expect(forms.mapRows([forms.createListSchema({ type: 'string' }), { type: 'array' }], mark)).to.deep.equal([
      ...[forms.createListSchema({ type: 'string' }), { type: 'array' }],
    ]);
    expect(forms.mapRows([forms.createListSchema(forms.toNullable(row))], mark)).to.deep.equal([
      forms.createListSchema(forms.toNullable(marked)),
    ]);
    expect(forms.mapRows([forms.createListSchema({ anyOf: [row, { type: 'string' }] })], mark)).to.deep.equal([
      ...[forms.createListSchema({ anyOf: [marked, { type: 'string' }] })],
    ]);
  });
});

describe('field names after a stage', () => {
  const before = new Map([
    ['_id', 1],
    ['a', 2],
    ['b', 3],
  ]);
  const CASES: readonly (readonly [flow: NameFlow | undefined, operand: Json, after: string | null])[] = [
    ['keeps', {}, '_id=1 a=2 b=3'],
    ['mixes', 'other', '_id=1 a=2 b=3'],
    ['adds', { c: 1, 'd.e': 1, a: 1 }, '_id=1 a=new b=3 c=new d=new'],
    ['adds', [], null],
    ['writes', { output: { c: 1 } }, '_id=1 a=2 b=3 c=new'],
    ['writes', {}, '_id=1 a=2 b=3'],
    ['writes', 'x', null],
    ['joins', { as: 'c' }, '_id=1 a=2 b=3 c=new'],
    ['joins', { as: 'c', depthField: 'd' }, '_id=1 a=2 b=3 c=new d=new'],
    ['joins', {}, null],
    ['joins', 'x', null],
    ['unwinds', '$c.d', '_id=1 a=2 b=3 c=new'],
    ['unwinds', { path: '$a', includeArrayIndex: 'i' }, '_id=1 a=new b=3 i=new'],
    ['unwinds', {}, null],
    ['drops', 'a', '_id=1 b=3'],
    ['drops', ['a', 'b', 5], '_id=1'],
    ['selects', { a: 1 }, '_id=1 a=2'],
    ['selects', { a: true, _id: 0 }, 'a=2'],
    ['selects', { a: true, _id: false }, 'a=2'],
    ['selects', { a: 0 }, '_id=1 b=3'],
    ['selects', { a: false, _id: 0 }, 'b=3'],
    ['selects', { _id: 1 }, '_id=1'],
    ['selects', { _id: 0 }, 'a=2 b=3'],
    ['selects', {}, '_id=1 a=2 b=3'],
    ['selects', { c: '$a', a: 1 }, '_id=1 c=new a=2'],
    ['selects', { 'c.d': 1, a: 0 }, '_id=1 c=new'],
    ['selects', { _id: '$a' }, '_id=new'],
    ['selects', { _id: 1, a: 0 }, '_id=1 b=3'],
    ['selects', 'x', null],
    ['gives', { _id: 1, n: 1 }, '_id=new n=new'],
    ['gives', 5, null],
    ['sorts', { output: { n: 1 } }, '_id=new n=new'],
    ['sorts', { output: {} }, '_id=new count=new'],
    ['sorts', {}, '_id=new count=new'],
    ['counts', 'n', 'n=new'],
    ['counts', {}, null],
    [undefined, {}, null],
  ];
  for (const [flow, operand, after] of CASES) {
    it(`${flow ?? 'unknown flow'} ${JSON.stringify(operand)}: ${after ?? 'unknown'}`, () => {
      const names = applyNameFlow<number | string>(flow, before, operand, () => 'new');
      expect(names && [...names].map(([name, value]) => `${name}=${value}`).join(' ')).to.equal(after);
    });
  }
});

/** One query of documents as it is made ready: its parts for the action, and what complaints of the store are about. */
import { expect } from 'chai';
import { createFault, type Fault } from '../../../contract/fault.js';
import type { Json } from '../../../contract/json.js';
import type { Frame, ParameterPlan, PlanTools } from '../../../contract/plan.js';
import type { DocumentAction, DocumentParts } from '../../../plugins/document-actions/kind.js';
import type { DocumentStore } from '../../../plugins/document-stores/kind.js';
import { getFieldName } from '../../../plugins/queries/mongo/insert-fields.light.js';
import { describeQuery, makeQuery, type CompiledQuery } from '../../../plugins/queries/mongo/statement.js';
import { createModelColumn, createModelTable } from '../../support/model-tables.js';

const HEX = '0123456789abcdef01234567';
const NOW = '2030-01-31T12:00:00.000Z';
const DAY = new Date(NOW);
const FRAME = { now: () => NOW } as unknown as Frame;

/** `"name"` and `"$PAYLOAD.name"` are fields of what is sent, `$AUTH.name` is a claim, everything else is a literal. */
function createParameterPlanner(sent: Readonly<Record<string, unknown>>): (json: Json) => ParameterPlan {
  return (json) => {
    const text = typeof json === 'string' ? json : JSON.stringify(json);
    const [, root = '', name = ''] = /^\$(PAYLOAD|AUTH)\.(\w+)$/.exec(text) ?? [];
    const isName = /^[a-z]\w*$/.test(text);
    if (root === '' && !isName) return { source: 'literal', label: text, field: null, read: () => json };
    const field = isName ? text : name;
    const source = isName ? 'name' : 'accessor';
    return { source, label: text, field: root === 'AUTH' ? null : field, read: () => sent[field] };
  };
}

const COLUMNS = [
  createModelColumn('age', { type: 'integer' }),
  createModelColumn('created_at', { type: 'timestamp' }),
  createModelColumn('updated_at', { type: 'text' }),
];

interface CompiledStatement {
  readonly parts: DocumentParts;
  readonly query: CompiledQuery;
}

function compileStatement(
  value: Readonly<Record<string, Json>>,
  sent: Readonly<Record<string, unknown>> = {},
): CompiledStatement {
  const taken: DocumentParts[] = [];
  const action: DocumentAction = {
    plan: (_, parts) => {
      taken.push(parts);
      return () => () => Promise.resolve([]);
    },
  };
  const tools = {
    tables: [createModelTable(COLUMNS)],
    parameter: createParameterPlanner(sent),
  } as unknown as PlanTools;
  const query = makeQuery({ collection: 'notes', ...value }, '/q', tools, {} as DocumentStore, action, false);
  return { parts: taken[0]!, query };
}

const catchRefusal = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    const { code, options } = error as Fault;
    return [code, options?.issues?.[0]?.pointer];
  }
};

describe('what a query of documents inserts', () => {
  const inserted = (value: Readonly<Record<string, Json>>, sent = {}): unknown =>
    catchRefusal(() => compileStatement(value, sent).parts.document()(FRAME));

  for (const [title, value, sent, expected] of [
    [
      'each parameter as a field',
      { parameters: ['age', '$PAYLOAD.name'] },
      { age: '5', name: 'x' },
      { age: 5, name: 'x' },
    ],
    ['what is not sent as null', { parameters: ['age', 'name'] }, {}, { age: null, name: null }],
    ['a document that is written out', { document: { age: '$PAYLOAD.a', b: 1 } }, { a: '7' }, { age: 7, b: 1 }],
    ['a parameter by its number', { document: { name: '$2' }, parameters: ['a', 'b'] }, { b: 'x' }, { name: 'x' }],
    [
      'both times, in the type that the model says',
      { document: { a: 1 }, with_timestamp: true },
      {},
      { a: 1, created_at: DAY, updated_at: NOW },
    ],
    ['both times by the other name', { document: {}, with_timestamps: true }, {}, { created_at: DAY, updated_at: NOW }],
    [
      'no time that the document writes itself',
      { document: { created_at: null }, with_timestamp: true },
      {},
      { created_at: null, updated_at: NOW },
    ],
    ['no times where they are not asked for', { document: { a: 1 }, with_timestamp: false }, {}, { a: 1 }],
    ['an id that is null not at all', { document: { _id: '$PAYLOAD.id', a: 1 } }, {}, { a: 1 }],
    ['an id that is one', { document: { _id: '$PAYLOAD.id' } }, { id: 'x' }, { _id: 'x' }],
    [
      'a name that looks like an operator not at all',
      { parameters: ['name'] },
      { name: { $gt: 1 } },
      ['MQL_KEY', '/name/$gt'],
    ],
    ['a number that is none not at all', { parameters: ['age'] }, { age: 'x' }, ['QRY_BAD_VALUE', '/age']],
  ] as const)
    it(title, () => expect(inserted(value, sent)).to.deep.equal(expected));

  it('nothing for a parameter that names no field, and for a placeholder without a parameter', () => {
    for (const value of [
      { parameters: ['two words'] },
      { parameters: [5] },
      { document: { a: '$1' } },
      { document: { a: '$2' }, parameters: ['a'] },
    ])
      expect(inserted(value)).to.deep.equal(['MQL_WRONG', undefined]);
  });

  it('an id as one, where no model makes it text', () => {
    const { _id } = compileStatement({ document: { _id: '$PAYLOAD.id' } }, { id: HEX }).parts.document()(FRAME);
    expect(typeof _id).to.equal('object');
    expect(String(_id)).to.equal(HEX);
  });
});

describe('the field of a parameter', () => {
  for (const [json, name] of [
    ['email', 'email'],
    ['user.email', 'email'],
    ['$PAYLOAD.user.email', 'email'],
    ['$PAYLOAD.user.home.city', 'city'],
    ['$GENERATOR.ULID', null],
    ['$DATETIME', null],
    ['$ENV.X', null],
    ['two words', null],
    ['x $PAYLOAD.a', null],
    ['', null],
    ['1a', null],
    [5, null],
  ] as const)
    it(`the parameter ${JSON.stringify(json)} of an INSERT is ${String(name)}`, () =>
      expect(getFieldName(json)).to.equal(name));
});

describe('what a query of documents updates and finds', () => {
  it('has the time of the change, and of the making where it may make one', () => {
    const updated = (more: object): unknown =>
      compileStatement({ update_predicate: { $set: { a: 1 } }, ...more }).parts.update()(FRAME);
    expect(updated({})).to.deep.equal({ $set: { a: 1 } });
    expect(updated({ upsert: true })).to.deep.equal({ $set: { a: 1 } });
    for (const name of ['with_timestamp', 'with_timestamps']) {
      expect(updated({ [name]: true })).to.deep.equal({ $set: { a: 1, updated_at: NOW } });
      expect(updated({ [name]: true, upsert: true })).to.deep.equal({
        $set: { a: 1, updated_at: NOW },
        $setOnInsert: { created_at: DAY },
      });
    }
  });

  it('marks as deleted only if configured', () => {
    expect(compileStatement({}).parts.softDelete()).to.equal(null);
    expect(compileStatement({ soft_delete: false }).parts.softDelete()).to.equal(null);
    expect(compileStatement({ soft_delete: true }).parts.softDelete()?.(FRAME)).to.deep.equal({
      $set: { deleted_at: DAY },
    });
  });

  it('checks names in a value of the filter only where a document may be made of it', () => {
    const value = { filter_predicate: { a: '$PAYLOAD.a' } };
    const sent = { a: { $gt: '' } };
    const findFilterRefusal = (more: object): unknown =>
      catchRefusal(() => compileStatement({ ...value, ...more }, sent).parts.filter()(FRAME));
    expect(findFilterRefusal({})).to.deep.equal({ a: { $eq: { $gt: '' } } });
    expect(findFilterRefusal({ upsert: true })).to.deep.equal(['MQL_KEY', '/a/$gt']);
    expect(compileStatement({}).parts.filter()(FRAME)).to.deep.equal({});
  });

  it('has parts that are written, numbers of documents, and filters without types', () => {
    const parts = compileStatement(
      {
        sort: { a: 1 },
        limit: '$PAYLOAD.n',
        skip: 3,
        projection: { a: 1 },
        array_filters: [{ age: '$PAYLOAD.n' }],
        pipeline: [{ $match: { age: '$PAYLOAD.n' } }],
      },
      { n: '5' },
    ).parts;
    expect([parts.constant('sort'), parts.constant('none')]).to.deep.equal([{ a: 1 }, undefined]);
    expect(['limit', 'skip', 'none'].map((name) => parts.number(name)(FRAME))).to.deep.equal([5, 3, undefined]);
    expect(parts.projection()(FRAME)).to.deep.equal({ a: 1 });
    expect(compileStatement({}).parts.projection()(FRAME)).to.equal(undefined);
    expect(parts.filters('array_filters')(FRAME)).to.deep.equal([{ age: { $eq: '5' } }]);
    expect(parts.filters('none')(FRAME)).to.equal(undefined);
    expect(parts.pipeline()(FRAME)).to.deep.equal([{ $match: { age: { $eq: 5 } } }]);
  });

  for (const n of [-1, 1.5, '-1', '1.5', 2 ** 53, 'x', null])
    it(`rejects ${JSON.stringify(n)} as a number of documents`, () => {
      const count = compileStatement({ limit: '$PAYLOAD.n' }, { n }).parts.number('limit');
      expect(catchRefusal(() => count(FRAME))).to.deep.equal(['QRY_BAD_VALUE', '/n']);
    });

  it('takes 0 documents', () =>
    expect(compileStatement({ limit: '$PAYLOAD.n' }, { n: 0 }).parts.number('limit')(FRAME)).to.equal(0));

  it('is logged as written, with the source of its placeholders', () => {
    const value = {
      collection: 'notes',
      action: 'INSERT',
      connection: 'x',
      parameters: ['age', 5],
      document: { a: '$1' },
    };
    expect(describeQuery(value, compileStatement(value).query, 'main')).to.deep.equal({
      connection: 'main',
      collection: 'notes',
      action: 'INSERT',
      document: { a: '$1' },
      parameters: ['$1 = age (name)', '$2 = 5 (literal)'],
    });
  });
});

describe('a complaint of the store', () => {
  const value = { document: { email: '$PAYLOAD.mail', owner: '$AUTH.id', 'a/b': '$PAYLOAD.c' } };
  const renamed = ({ parts, query }: CompiledStatement, ...pointers: string[]): unknown => {
    parts.document();
    const issues = pointers.map((pointer) => ({ pointer, code: 'QRY_UNIQUE', detail: 'is taken' }));
    const found = query.named(createFault('QRY_UNIQUE', {}, { issues, retryable: true }));
    expect([found.code, found.options.retryable]).to.deep.equal(['QRY_UNIQUE', true]);
    return found.options.issues?.map(({ pointer, detail }) => `${pointer} ${detail}`);
  };

  it('is about the fields that the caller sent, under their names', () => {
    expect(renamed(compileStatement(value), '/email')).to.deep.equal(['/mail is taken']);
    expect(renamed(compileStatement(value), '/email', '/owner')).to.deep.equal(['/mail is taken']);
    expect(renamed(compileStatement(value), '/other', '/owner')).to.deep.equal(['/other is taken']);
  });

  it('stays as it is where the caller sent none of them', () => {
    expect(renamed(compileStatement(value), '/owner')).to.deep.equal(['/owner is taken']);
    expect(renamed(compileStatement({ document: { a: 1 } }), '/a')).to.deep.equal(['/a is taken']);
    const plain = createFault('QRY_FAILED', {});
    expect(compileStatement(value).query.named(plain)).to.equal(plain);
  });
});

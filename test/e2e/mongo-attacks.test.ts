/**
 * Values of clients stay values: operator objects at every depth, in every part of a request, never become operators of
 * a filter, an update or a pipeline, on both document stores. Also that definitions which would allow them are rejected
 * at load.
 */
import { expect } from 'chai';
import { BootError } from '../../contract/boot-error.js';
import type { Json } from '../../contract/json.js';
import { compileFilter } from '../../plugins/queries/mongo/filter.js';
import { compilePipeline } from '../../plugins/queries/mongo/pipeline.js';
import { compileUpdate } from '../../plugins/queries/mongo/update.js';
import { findNoType } from '../../plugins/queries/mongo/values.js';
import { evaluateFilter } from '../conform/mongo.js';
import { defineDocumentResource, describeOnEach, STORES } from '../support/databases.js';

const SECRETS = 'secrets';
const find = (filter_predicate: object, rest: object = {}): object => ({
  collection: SECRETS,
  action: 'FETCH',
  filter_predicate,
  ...rest,
});
const many = { result: 'many' };

const FILES = {
  'definitions/resources.json': [
    defineDocumentResource('put', {
      collection: SECRETS,
      action: 'INSERT',
      document: { key: 'hidden', list: [{ key: 'hidden' }] },
    }),
    defineDocumentResource('all', find({}), many),
    defineDocumentResource('plain', find({ key: '$PAYLOAD.v' }), many),
    defineDocumentResource('eq', find({ key: { $eq: '$1' } }, { parameters: ['$PAYLOAD.v'] }), many),
    defineDocumentResource('in', find({ key: { $in: ['$PAYLOAD.v'] } }), many),
    defineDocumentResource('among', find({ key: { $in: '$PAYLOAD.v' } }), many),
    defineDocumentResource('inside', find({ list: { $elemMatch: { key: '$PAYLOAD.v' } } }), many),
    defineDocumentResource('or', find({ $or: [{ key: '$PAYLOAD.v' }, { 'list.key': '$PAYLOAD.v' }] }), many),
    defineDocumentResource('expr', find({ $expr: { $eq: ['$key', '$PAYLOAD.v'] } }), many),
    defineDocumentResource('regex', find({ key: { $regex: '$PAYLOAD.v' } }), many),
    defineDocumentResource('header', find({ key: '$HEADER.x-key' }), many),
    defineDocumentResource(
      'match',
      {
        collection: SECRETS,
        action: 'AGGREGATE',
        pipeline: [{ $match: { key: '$PAYLOAD.v' } }, { $project: { key: 1 } }],
      },
      many,
    ),
    defineDocumentResource(
      'show',
      { collection: SECRETS, action: 'AGGREGATE', pipeline: [{ $project: { _id: 0, shown: '$PAYLOAD.v' } }] },
      many,
    ),
    defineDocumentResource('upsert', {
      collection: 'open',
      action: 'UPDATE',
      filter_predicate: { v: '$PAYLOAD.v' },
      update_predicate: { $set: { n: 1 } },
      upsert: true,
    }),
    defineDocumentResource(
      'matching',
      find({ $expr: { $regexMatch: { input: '$key', regex: '^$PAYLOAD.v$' } } }),
      many,
    ),
    defineDocumentResource(
      'all-of',
      {
        collection: SECRETS,
        action: 'AGGREGATE',
        pipeline: [{ $project: { _id: 0, r: { $regexFindAll: { input: '$key', regex: '$PAYLOAD.v' } } } }],
      },
      many,
    ),
    defineDocumentResource(
      'range',
      {
        collection: SECRETS,
        action: 'AGGREGATE',
        pipeline: [{ $project: { _id: 0, r: { $range: [0, '$PAYLOAD.n'] } } }],
      },
      many,
    ),
    defineDocumentResource('set', { collection: 'open', action: 'INSERT', document: { v: '$PAYLOAD.v' } }),
    defineDocumentResource('literal', {
      collection: 'open',
      action: 'UPDATE',
      filter_predicate: {},
      update_predicate: [{ $set: { v: { $literal: '$PAYLOAD.v' } } }],
    }),
  ],
};

const ODD: readonly unknown[] = [
  { $ne: null },
  { $gt: '' },
  { $regex: '^h' },
  { $exists: true },
  { $nin: [] },
  { $not: { $eq: 1 } },
  { $where: '1 == 1' },
  { $expr: true },
  [{ $ne: null }],
  { a: { $ne: null } },
  [[{ $gt: '' }]],
  { $literal: 'hidden' },
];
const TEXTS = ['$key', '$$ROOT.key', '$ne', '{"$ne":null}', '.*', '^h', '$PAYLOAD.v', '$1'];

describeOnEach(
  'attacks on document queries',
  STORES,
  { files: FILES, config: { http: { methods: ['POST', 'GET'] } } },
  (kernel) => {
    before(() => kernel().post('/put', {}));

    it('find the document by its value', async () => {
      expect((await kernel().post<unknown[]>('/all', {})).body).to.have.length(1);
      for (const path of ['plain', 'eq', 'in', 'inside', 'or', 'expr', 'match', 'regex']) {
        expect((await kernel().post<unknown[]>(`/${path}`, { v: 'hidden' })).body, path).to.have.length(1);
      }
    });

    for (const path of ['plain', 'eq', 'in', 'among', 'inside', 'or', 'expr', 'match', 'regex']) {
      it(`find nothing by an operator sent to /${path}`, async () => {
        for (const v of [...ODD, ...TEXTS, null]) {
          const { status, body, text } = await kernel().post(`/${path}`, { v });
          expect(status, `${JSON.stringify(v)}: ${text}`).to.be.oneOf([200, 422]);
          if (status === 200) expect(body, JSON.stringify(v)).to.deep.equal([]);
        }
      });
    }

    it('find nothing by an operator in the URL, in a form, or in a header', async () => {
      const none = async (method: string, path: string, init: RequestInit = {}): Promise<void> => {
        const { status, body } = await kernel().request(method, path, init);
        expect(status).to.be.lessThan(500);
        if (status === 200) expect(body).to.deep.equal([]);
      };
      for (const query of ['v[$ne]=', 'v[$gt]=', 'v[$regex]=^h', 'v=%7B%22%24ne%22%3Anull%7D', 'v[]=hidden&v[]=x']) {
        await none('GET', `/plain?${query}`);
        const form = { 'content-type': 'application/x-www-form-urlencoded' };
        await none('POST', '/plain', { body: query, headers: form });
      }
      for (const name of ['v[$ne]', 'v.$gt', 'v']) {
        const form = new FormData();
        form.set(name, '{"$ne": null}');
        await none('POST', '/plain', { body: form });
      }
      for (const text of ['{"$ne":null}', '$key', '[object Object]']) {
        await none('POST', '/header', { headers: { 'x-key': text, 'content-type': 'application/json' }, body: '{}' });
      }
    });

    it('return text of a client that looks like a path as text', async () => {
      for (const v of ['$key', '$$ROOT', '$$NOW']) {
        expect((await kernel().post('/show', { v })).body).to.deep.equal([{ shown: v }]);
      }
    });

    it('treat text of a client as text in an expression, not as a pattern', async () => {
      expect((await kernel().post('/matching', { v: 'hidden' })).body).to.have.length(1);
      for (const v of ['.*', 'h.*', '[a-z]+', 'x|hidden', '(?:)', '((a+)+)+x']) {
        expect((await kernel().post('/matching', { v })).body, v).to.deep.equal([]);
      }
    });

    it('end with a pattern of no characters', async () => {
      const d = { match: 'd', captures: [] };
      expect((await kernel().post('/all-of', { v: 'd' })).body).to.deep.equal([
        { r: [2, 3].map((idx) => ({ ...d, idx })) },
      ]);
      expect((await kernel().post('/all-of', { v: '' })).status).to.be.within(200, 422);
    });

    it('return an error for a very long list of a client, without ending the process', async () => {
      expect((await kernel().post('/range', { n: 3 })).body).to.deep.equal([{ r: [0, 1, 2] }]);
      expect((await kernel().post('/range', { n: 2_000_000_000 })).status).to.be.within(400, 500);
    });

    it('reject invalid names if a new document is created from the filter', async () => {
      for (const v of [{ $ne: null }, { 'a.b': 1 }, [{ $x: 1 }]]) {
        expect((await kernel().post('/upsert', { v })).status, JSON.stringify(v)).to.equal(422);
      }
      expect((await kernel().post('/upsert', { v: { a: 1 } })).status).to.equal(200);
    });

    it('reject invalid names if they would be stored', async () => {
      for (const v of ['{"$set": 1}', '{"a.b": 1}', '[{"$x": 1}]', '{"a": {"$ref": 1}}']) {
        for (const path of ['/set', '/literal'])
          expect((await kernel().post(path, `{"v": ${v}}`)).status, `${path} ${v}`).to.equal(422);
      }
      const { status } = await kernel().post('/set', '{"v": {"__proto__": {"admin": true}}}');
      expect(status).to.be.within(400, 422);
    });
  },
);

describe('document queries that would let a client write operators', () => {
  const leaf = (text: string) => (text.startsWith('$P') ? { read: () => null, field: 'v' } : null);
  const compiling = { leaf, typeOf: findNoType, typesIn: () => findNoType };
  const CLIENT = '$PAYLOAD.v';
  const expectBootError = (what: () => unknown, words: RegExp): void => {
    expect(what).to.throw(BootError).with.nested.property('params.what').that.matches(words);
  };

  const filters: readonly (readonly [Json, RegExp])[] = [
    [CLIENT, /a filter must be an object/],
    [{ $where: 'this.a' }, /"\$where" is refused/],
    [{ a: { $not: CLIENT } }, /never a value/],
    [{ a: { $elemMatch: CLIENT } }, /must be an object/],
    [{ $and: CLIENT }, /"\$and" must be a list/],
    [{ $or: [CLIENT] }, /a filter must be an object/],
    [{ $expr: { $function: {} } }, /"\$function" is refused/],
    [{ a: { $type: CLIENT } }, /takes no value of a request/],
    [{ a: { $options: CLIENT, $regex: 'a' } }, /takes no value of a request/],
    [{ $expr: { $eq: [{ $getField: CLIENT }, 'x'] } }, /takes no value of a request/],
    [{ $expr: { $getField: { field: { $concat: [CLIENT] }, input: '$$ROOT' } } }, /takes no value of a request/],
    [{ $expr: { $regexMatch: { input: '$a', regex: '$b' } } }, /never a field/],
    [{ $expr: { $regexMatch: { input: '$a', regex: { $concat: ['$b'] } } } }, /a pattern is text/],
    [{ a: { $unheard: 1 } }, /there is no "\$unheard"/],
    [JSON.parse('{"__proto__": {"a": 1}}') as Json, /__proto__/],
  ];
  for (const [json, words] of filters) {
    it(`filter ${JSON.stringify(json)}`, () => expectBootError(() => compileFilter(json, compiling), words));
  }

  const updates: readonly (readonly [Json, RegExp])[] = [
    [CLIENT, /"update_predicate" must be an object/],
    [{ $set: CLIENT }, /"\$set" must be an object/],
    [{ name: 'x' }, /stands in no operator/],
    [{ $rename: { a: CLIENT } }, /takes no value/],
    [[{ $replaceWith: CLIENT }], /never a value as a whole/],
    [[{ $replaceWith: { $mergeObjects: ['$$ROOT', CLIENT] } }], /never a value as a whole/],
    [[{ $replaceRoot: { newRoot: CLIENT } }], /never a value as a whole/],
    [[{ $replaceWith: { $let: { vars: { d: CLIENT }, in: '$$d' } } }], /never a value as a whole/],
    [[{ $replaceWith: { $cond: { if: true, then: CLIENT, else: '$$ROOT' } } }], /never a value as a whole/],
    [[{ $set: { a: { $setField: { field: CLIENT, input: '$$ROOT', value: 1 } } } }], /takes no value/],
    [[{ $merge: 'x' }], /"\$merge" is refused/],
  ];
  const added = { $set: [], $setOnInsert: [] };
  for (const [json, words] of updates) {
    it(`update ${JSON.stringify(json)}`, () =>
      expectBootError(() => compileUpdate(json, compiling, added, () => {}), words));
  }

  const pipelines: readonly (readonly [Json, RegExp])[] = [
    [CLIENT, /"pipeline" must be a list/],
    [[CLIENT], /a stage is an object/],
    [[{ $out: 'x' }], /"\$out" is refused/],
    [[{ $group: { _id: null, a: { $accumulator: {} } } }], /"\$accumulator" is refused/],
    [[{ $lookup: { from: CLIENT, as: 'a' } }], /takes no value/],
    [[{ $facet: { a: [{ $merge: 'x' }] } }], /"\$merge" is refused/],
    [[{ $sort: CLIENT }], /takes no value/],
  ];
  for (const [json, words] of pipelines) {
    it(`pipeline ${JSON.stringify(json)}`, () => expectBootError(() => compilePipeline(json, compiling), words));
  }

  it('treat a client value as a literal after an operator, at every depth', () => {
    const values = { v: { $ne: null } };
    expect(evaluateFilter({ a: '$PAYLOAD.v' }, values)).to.deep.equal({ a: { $eq: { $ne: null } } });
    expect(evaluateFilter({ $or: [{ 'a.b': '$PAYLOAD.v' }] }, values)).to.deep.equal({
      $or: [{ 'a.b': { $eq: { $ne: null } } }],
    });
    expect(evaluateFilter({ a: { b: '$PAYLOAD.v' } }, values)).to.deep.equal({ a: { $eq: { b: { $ne: null } } } });
    expect(evaluateFilter({ a: { $regex: '^x$PAYLOAD.v$' } }, { v: '.*' })).to.deep.equal({
      a: { $regex: '^x\\.\\*$' },
    });
    expect(() =>
      compileUpdate([{ $replaceWith: { $mergeObjects: ['$$ROOT', { a: CLIENT }] } }], compiling, added, () => {}),
    ).not.to.throw();
    expect(evaluateFilter({ a: '$PAYLOAD.w' }, values)).to.deep.equal({ a: { $in: [] } });
    expect(evaluateFilter({ $expr: { $eq: ['$a', '$PAYLOAD.v'] } }, { v: '$b' })).to.deep.equal({
      $expr: { $eq: ['$a', { $literal: '$b' }] },
    });
  });
});

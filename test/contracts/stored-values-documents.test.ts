/**
 * Values read equal values stored, in every document store: each value as a field, in a list, in a filter and under
 * `unique`, over HTTP. The same rules as for SQL; a number that no document stores exactly is rejected.
 */
import { expect } from 'chai';
import { defineDocumentResource, describeOnEach, STORES } from '../support/databases.js';
import {
  ALIKE,
  FLOATS,
  createJsonCases,
  LONG_TEXTS,
  createTextCases,
  TEXTS,
  createTimeCases,
  findMismatches,
  WHOLES,
} from './stored-values.js';

const optional = { optional: true };
const FIELDS = ['text', 'whole', 'fraction', 'instant', 'object', 'list', 'free'];
const many = { result: 'many' };
const FILES = {
  'definitions/all.json': [
    {
      _kept: {
        id: { type: 'String' },
        text: { type: 'String', ...optional },
        whole: { type: 'Number', ...optional },
        fraction: { type: 'Float', ...optional },
        instant: { type: 'DateTime', ...optional },
        object: { type: 'JSON_OBJECT', ...optional },
        list: { type: 'JSON_ARRAY', ...optional },
        info: {
          type: 'JSON_OBJECT',
          ...optional,
          properties: {
            theme: { type: 'String' },
            size: { type: 'Number' },
            open: { type: 'Boolean' },
            labels: { type: 'JSON_ARRAY', property_type: 'String' },
          },
        },
        tags: { type: 'JSON_ARRAY', ...optional, property_type: 'String' },
        sizes: { type: 'JSON_ARRAY', ...optional, property_type: 'Number' },
      },
    },
    { _account: { name: { type: 'String', unique: true }, place: { type: 'Number' } } },
    defineDocumentResource('keep', {
      collection: '_kept',
      action: 'INSERT',
      parameters: ['id', ...FIELDS],
      multi: true,
    }),
    defineDocumentResource(
      'keep-all',
      { collection: '_kept', action: 'FETCH', filter_predicate: { id: { $in: '$PAYLOAD.ids' } } },
      many,
    ),
    defineDocumentResource('one', {
      collection: '_kept',
      action: 'INSERT',
      parameters: ['$PAYLOAD.id', '$PAYLOAD.text'],
    }),
    defineDocumentResource(
      'equal',
      { collection: '_kept', action: 'FETCH', filter_predicate: { text: '$PAYLOAD.text' } },
      many,
    ),
    defineDocumentResource(
      'free',
      { collection: '_kept', action: 'FETCH', filter_predicate: { free: '$PAYLOAD.free' } },
      many,
    ),
    defineDocumentResource(
      'among',
      { collection: '_kept', action: 'FETCH', filter_predicate: { text: { $in: '$PAYLOAD.texts' } } },
      many,
    ),
    ...Object.entries({
      'put-other': { action: 'INSERT', document: { id: '$1', text: '$2' } },
      'put-inside': { action: 'INSERT', document: { id: '$1', info: { theme: '$2' } } },
      'put-around': { action: 'INSERT', document: { id: '$1', info: '$2' } },
      'set-other': { action: 'UPDATE', update_predicate: { $set: { text: '$2' } } },
      'set-inside': { action: 'UPDATE', update_predicate: { $set: { 'info.theme': '$2' } } },
    }).map(([id, query]) =>
      defineDocumentResource(id, {
        collection: '_kept',
        ...(query.action === 'UPDATE' && { filter_predicate: { id: '$1' } }),
        ...query,
        parameters: ['id', 'other'],
      }),
    ),
    defineDocumentResource(
      'unlike',
      { collection: '_kept', action: 'FETCH', filter_predicate: { text: { $ne: '$PAYLOAD.text' } } },
      many,
    ),
    defineDocumentResource(
      'piped',
      { collection: '_kept', action: 'AGGREGATE', pipeline: [{ $match: { 'info.theme': '$PAYLOAD.text' } }] },
      many,
    ),
    ...Object.entries({
      whole: '$1',
      text: { $gt: '$1' },
      'info.theme': '$1',
      'info.size': { $lt: '$1' },
      'info.open': { $ne: '$1' },
      'info.labels': '$1',
      'info.labels.0': '$1',
      tags: '$1',
      'tags.0': { $eq: '$1' },
      sizes: { $elemMatch: { $gte: '$1' } },
    }).map(([field, condition]) =>
      defineDocumentResource(
        `by-${field.replaceAll('.', '-')}`,
        { collection: '_kept', action: 'FETCH', filter_predicate: { [field]: condition }, parameters: ['v'] },
        many,
      ),
    ),
    ...Object.entries({
      'in-list': { filter_predicate: { tags: { $in: '$PAYLOAD.v' } } },
      'not-in': { filter_predicate: { 'info.theme': { $nin: '$PAYLOAD.v' } } },
      all: { filter_predicate: { sizes: { $all: '$PAYLOAD.v' } } },
      'whole-list': { filter_predicate: { tags: '$PAYLOAD.v' } },
      'whole-object': { filter_predicate: { info: '$PAYLOAD.v' } },
      'written-object': { filter_predicate: { info: { theme: '$PAYLOAD.v' } } },
      computed: { filter_predicate: { $expr: { $eq: ['$text', '$PAYLOAD.v'] } } },
      'computed-in': { filter_predicate: { $expr: { $in: ['$PAYLOAD.v', { $ifNull: ['$tags', []] }] } } },
      sorted: { action: 'AGGREGATE', pipeline: [{ $sort: { id: 1 } }, { $match: { text: '$PAYLOAD.v' } }] },
      faceted: { action: 'AGGREGATE', pipeline: [{ $facet: { a: [{ $match: { 'info.theme': '$PAYLOAD.v' } }] } }] },
      pulled: { action: 'UPDATE', filter_predicate: {}, update_predicate: { $pull: { tags: '$PAYLOAD.v' } } },
      'pulled-all': { action: 'UPDATE', filter_predicate: {}, update_predicate: { $pullAll: { sizes: '$PAYLOAD.v' } } },
      'pulled-over': {
        action: 'UPDATE',
        filter_predicate: {},
        update_predicate: { $pull: { sizes: { $gt: '$PAYLOAD.v' } } },
      },
      least: { action: 'UPDATE', filter_predicate: {}, update_predicate: { $min: { text: '$PAYLOAD.v' } } },
      pushed: { action: 'UPDATE', filter_predicate: {}, update_predicate: { $push: { tags: '$PAYLOAD.v' } } },
    }).map(([id, query]) => defineDocumentResource(id, { collection: '_kept', action: 'FETCH', ...query }, many)),
    defineDocumentResource('put-whole', {
      collection: '_kept',
      action: 'INSERT',
      parameters: ['id', 'text', 'info', 'tags', 'sizes'],
    }),
    defineDocumentResource(
      'at',
      { collection: '_kept', action: 'FETCH', filter_predicate: { instant: '$PAYLOAD.instant' } },
      many,
    ),
    defineDocumentResource('sign-up', {
      collection: '_account',
      action: 'INSERT',
      parameters: ['name', 'place'],
      multi: true,
    }),
    defineDocumentResource(
      'sign-in',
      { collection: '_account', action: 'FETCH', filter_predicate: { name: '$PAYLOAD.name' } },
      many,
    ),
  ],
};

describeOnEach('documents: values read equal values stored', STORES, { files: FILES }, (kernel) => {
  const ids = async (path: string, body: string): Promise<unknown[]> =>
    (await kernel().post<{ id: unknown }[]>(path, body)).body.map(({ id }) => id);

  it('text, as a field, in a filter and in a list', async () => {
    expect(await findMismatches(kernel(), '/keep', createTextCases(TEXTS), { field: 'text' })).to.deep.equal([]);
    const found = await Promise.all(
      ALIKE.map(async (text) => [
        ...(await ids('/equal', JSON.stringify({ text }))),
        ...(await ids('/among', JSON.stringify({ texts: [text] }))),
      ]),
    );
    const wanted = ALIKE.map((text) => `text ${TEXTS.indexOf(text)}`);
    expect(found).to.deep.equal(wanted.map((id) => [id, id]));
    const all = await ids('/among', JSON.stringify({ texts: TEXTS }));
    expect(all.sort()).to.deep.equal(TEXTS.map((_, index) => `text ${index}`).sort());
  });

  it('text that no store accepts is rejected: NUL, halves of a pair', async () => {
    const bodies = ['{"id":"x","text":"a\\u0000b"}', '{"id":"x","free":["a\\u0000b"]}', '{"id":"x","text":"\\ud800"}'];
    const answers = await Promise.all(bodies.map((body) => kernel().post('/keep', `[${body}]`)));
    expect(answers.map(({ status }) => status)).to.deep.equal([422, 422, 400]);
    expect((await kernel().post('/equal', '{"text":"a\\u0000b"}')).status).to.equal(422);
  });

  it('an object or a list is not text, stored or compared', async () => {
    const wrong = [{ a: 1 }, ['a'], {}];
    const writes = ['put-other', 'put-inside', 'set-other', 'set-inside'].flatMap((path) =>
      wrong.map((other) => [path, { id: 'text 0', other }, '/other'] as const),
    );
    const reads = ['equal', 'unlike', 'piped'].flatMap((path) =>
      wrong.map((text) => [path, { text }, '/text'] as const),
    );
    const inside = [
      ['put-around', { id: 'x', other: { theme: ['a'] } }, '/other/theme'],
      ['among', { texts: ['a', ['a']] }, '/texts'],
    ] as const;
    const answers = await Promise.all(
      [...writes, ...reads, ...inside].map(async ([path, body, pointer]) => {
        const { status, body: answer } = await kernel().post<{ errors?: { pointer: string }[] }>(`/${path}`, body);
        const found = answer.errors?.[0]?.pointer;
        return status === 422 && found === pointer ? [] : [[path, JSON.stringify(body), status, found]];
      }),
    );
    expect(answers.flat()).to.deep.equal([]);
  });

  it('a number or a boolean is not text, and text is not a number, compared anywhere', async () => {
    const path = (field: string): string => `/by-${field.replaceAll('.', '-')}`;
    const info = { theme: '5', size: 5, open: true, labels: ['5'] };
    await kernel().post('/put-whole', { id: 'typed', text: '~5', info, tags: ['5', 'a'], sizes: [5, 6] });
    const texts = ['text', 'info.theme', 'info.labels', 'info.labels.0', 'tags', 'tags.0'].map(path);
    const wrong: (readonly [string, unknown])[] = [
      ...[...texts, '/computed', '/written-object', '/sorted', '/faceted', '/pulled', '/least', '/pushed'].flatMap(
        (at) => [[at, 5] as const, [at, true] as const],
      ),
      ...['whole', 'info.size', 'sizes'].flatMap((one) => [[path(one), 'five'] as const, [path(one), true] as const]),
      [path('info.open'), 1],
      [path('info.open'), 'maybe'],
      ['/in-list', ['a', 5]],
      ['/not-in', [false]],
      ['/all', [5, 'x']],
      ['/whole-list', ['a', 5]],
      ['/whole-object', { theme: 5 }],
      ['/whole-object', 'text'],
      ['/pulled-all', ['x']],
      ['/pulled-over', 'x'],
    ];
    const answers = await Promise.all(
      wrong.map(async ([at, v]) => {
        const { status, body } = await kernel().post<{ errors?: { pointer: string }[] }>(at, { v });
        return status === 422 && body.errors?.[0]?.pointer.startsWith('/v') ? [] : [[at, v, status, body.errors]];
      }),
    );
    expect(answers.flat()).to.deep.equal([]);
    const right: (readonly [string, unknown])[] = [
      [path('info.theme'), '5'],
      [path('info.size'), '6'],
      [path('info.labels'), '5'],
      [path('tags'), 'a'],
      [path('tags'), ['5', 'a']],
      [path('sizes'), '6'],
      ['/in-list', ['5']],
      ['/all', [6, '5']],
      ['/whole-object', info],
      ['/computed', '~5'],
      ['/computed-in', '5'],
      ['/sorted', '~5'],
    ];
    const found = await Promise.all(right.map(async ([at, v]) => [at, await ids(at, JSON.stringify({ v }))]));
    expect(found).to.deep.equal(right.map(([at]) => [at, ['typed']]));
  });

  it('different texts are two accounts, and the same text is one', async () => {
    expect(
      (
        await kernel().post(
          '/sign-up',
          TEXTS.map((name, place) => ({ name, place })),
        )
      ).status,
    ).to.equal(200);
    const found = await Promise.all(ALIKE.map((name) => kernel().post<{ place: number }[]>('/sign-in', { name })));
    const places = ALIKE.map((name) => [TEXTS.indexOf(name)]);
    expect(found.map(({ body }) => body.map(({ place }) => place))).to.deep.equal(places);
    const again = await Promise.all(ALIKE.map((name) => kernel().post('/sign-up', [{ name, place: 0 }])));
    expect(again.map(({ status }) => status)).to.deep.equal(ALIKE.map(() => 409));
  });

  it('numbers, exactly or not at all', async () => {
    const isBig = (json: string): boolean => /9007199254740992|9007199254740993|9223372036854775/.test(json);
    const wholes = WHOLES.map((one) => (isBig(one.json) || isBig(one.read ?? '') ? { ...one, read: null } : one));
    expect(await findMismatches(kernel(), '/keep', wholes, { field: 'whole' })).to.deep.equal([]);
    // Text that is too long for a double is rejected like text of an integer.
    expect(await findMismatches(kernel(), '/keep', FLOATS, { field: 'fraction' })).to.deep.equal([]);
  });

  it('timestamps, found by the sent value', async () => {
    const cases = createTimeCases(3);
    expect(await findMismatches(kernel(), '/keep', cases, { field: 'instant' })).to.deep.equal([]);
    const kept = cases.filter(({ read }) => read !== null);
    const found = await Promise.all(kept.map(({ json }) => ids('/at', `{"instant":${json}}`)));
    found.forEach((all, index) => expect(all, kept[index]?.json).to.include(`instant ${index}`));
  });

  it('JSON of any depth, in an object, in a list and in a field without a model', async () => {
    const numbers = ['9007199254740993', '12345678901234567890123', '0.12345678901234567891'].map((json) => ({
      json,
      read: null,
    }));
    const cases = [...createJsonCases((key) => !key.includes('$') && !key.includes('.')), ...numbers];
    const wrap = (json: string): string => `{"v":${json},"w":[{"v":${json}}]}`;
    expect(await findMismatches(kernel(), '/keep', cases, { field: 'object', wrap })).to.deep.equal([]);
    expect(
      await findMismatches(kernel(), '/keep', cases, { field: 'list', wrap: (json) => `[${json},[${json}]]` }),
    ).to.deep.equal([]);
    expect(await findMismatches(kernel(), '/keep', cases, { field: 'free' })).to.deep.equal([]);
    expect((await kernel().post('/free', '{"free":9007199254740993}')).status).to.equal(422);
  });

  it('long text', async () => {
    expect(
      await findMismatches(kernel(), '/keep', createTextCases(LONG_TEXTS), { field: 'text', name: 'long' }),
    ).to.deep.equal([]);
  });
});

/** Driver calls of a MongoDB store: commands, their options, and the number of documents. Without a server. */
import { ObjectId } from 'bson';
import { expect } from 'chai';
import type { MongoConnection } from '../../../plugins/document-stores/mongodb/connection.js';
import runtime from '../../../plugins/document-stores/mongodb/runtime.js';
import { UNBOUNDED } from '../../../plugins/shared/results.js';
import { createMongoDocumentStore } from '../../../plugins/document-stores/mongodb/store.js';
import type { Document, DocumentStore } from '../../../plugins/document-stores/kind.js';

const HEX = '0123456789abcdef01234567';
const LIMIT = { maxTimeMS: 5 };

interface Server {
  readonly store: DocumentStore;
  /** The calls of a collection, in order. */
  readonly asked: unknown[][];
  /** Calls of the sessions. */
  readonly sessions: string[];
}

/** All documents are one batch. */
function createCursor(fetch: () => Promise<unknown>) {
  let batch: unknown[] | null = null;
  return {
    hasNext: async () => (batch ??= [...(((await fetch()) ?? []) as unknown[])]).length > 0,
    readBufferedDocuments: () => batch?.splice(0) ?? [],
    close: () => Promise.resolve(),
  };
}

/** `answers`: the result of each call, in order; an Error is thrown. */
function serverWith(answers: unknown[] = [], alone = false, limits = UNBOUNDED): Server {
  const asked: unknown[][] = [];
  const sessions: string[] = [];
  const replaceSession = (word: unknown): unknown =>
    typeof word === 'object' && word !== null && 'session' in word ? { ...word, session: true } : word;
  const answer = (name: string, words: unknown[]): Promise<unknown> => {
    asked.push([name, ...words.map(replaceSession)]);
    const given = answers.shift();
    return given instanceof Error ? Promise.reject(given) : Promise.resolve(given);
  };
  const collection = (of: string): unknown =>
    new Proxy(
      {},
      {
        get:
          (_, name: string) =>
          (...words: unknown[]) =>
            name === 'find' || name === 'aggregate'
              ? createCursor(() => answer(`${name} ${of}`, words))
              : answer(`${name} ${of}`, words),
      },
    );
  const note = (name: string) => (): Promise<void> => {
    sessions.push(name);
    return Promise.resolve();
  };
  const session = {
    startTransaction: note('start'),
    commitTransaction: note('commit'),
    abortTransaction: note('abort'),
    endSession: note('end'),
  };
  const connection = {
    client: { startSession: () => session },
    db: { collection, createCollection: () => Promise.resolve() },
    settings: { deadline: 5, pool: 10, poolWait: 5, transaction: {}, limits },
    standalone: alone,
    reach: () => ({ there: true, times: 1 }),
    newId: () => 'made',
  };
  return { store: createMongoDocumentStore(() => connection as unknown as MongoConnection), asked, sessions };
}

const INSIDE = { ...LIMIT, session: true };
const narrowed = (filter: Document, ...ids: unknown[]): Document => ({ $and: [filter, { _id: { $in: ids } }] });
const failure = (code: number): Error => Object.assign(new Error('x'), { name: 'MongoServerError', code });
const catchCode = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => (error as { code?: unknown }).code,
  );

describe('documents inserted by a MongoDB store', () => {
  it('have an id first, and are sent one by one or together', async () => {
    const { store, asked, sessions } = serverWith();
    expect(await store.insert('c', [], null)).to.deep.equal([]);
    const [one] = await store.insert('c', [{ a: 1 }], null);
    expect(Object.entries(one ?? {})).to.deep.equal([
      ['_id', 'made'],
      ['a', 1],
    ]);
    expect(await store.insert('c', [{ a: 1, _id: 7 }], null)).to.deep.equal([{ _id: 7, a: 1 }]);
    expect(sessions).to.deep.equal([]);
    const both = [
      { _id: 'made', a: 1 },
      { _id: 'made', a: 2 },
    ];
    expect(await store.insert('c', [{ a: 1 }, { a: 2 }], null)).to.deep.equal(both);
    expect(asked).to.deep.equal([
      ['insertOne c', { _id: 'made', a: 1 }, LIMIT],
      ['insertOne c', { _id: 7, a: 1 }, LIMIT],
      ['insertMany c', both, INSIDE],
    ]);
    expect(sessions).to.deep.equal(['start', 'commit', 'end']);
  });
});

describe('documents found by a MongoDB store', () => {
  it('are requested with a timeout, and are plain values', async () => {
    const { store, asked } = serverWith([[{ _id: 1, n: new ObjectId() }]]);
    expect(await store.find('c', { a: 1 }, { sort: { a: 1 }, limit: 2, skip: 1 }, null)).to.have.length(1);
    expect(asked).to.deep.equal([['find c', { a: 1 }, { sort: { a: 1 }, limit: 2, skip: 1, ...LIMIT }]]);
    expect(await store.find('c', {}, { limit: 0 }, null)).to.deep.equal([]);
    expect(asked).to.have.length(1);
    expect(await catchCode(store.find('c', {}, { limit: -1 }, null))).to.equal('QRY_BAD_VALUE');
  });

  it('are limited by their bytes: 64 are measured, then each 16th of those that follow', async () => {
    const [small, large] = [{ a: 1 }, { a: 'x'.repeat(500) }];
    const find = (...documents: Document[]): Promise<unknown> =>
      catchCode(
        serverWith([documents], false, { rows: 1000, bytes: 3000, checkFrom: 3000 }).store.find('c', {}, {}, null),
      );
    const first = Array.from({ length: 64 }, () => small);
    expect(await find(...Array.from({ length: 5 }, () => large))).to.equal(null);
    expect(await find(...Array.from({ length: 6 }, () => large))).to.equal('QRY_RESULT');
    expect(await find(...first, large)).to.equal('QRY_RESULT');
    expect(await find(...first, small, large)).to.equal(null);
  });

  it('are locked in a transaction only, and can be counted and aggregated', async () => {
    const { store, asked } = serverWith([undefined, [], [], 3, [{ a: 1 }]]);
    const transaction = (await store.begin(false))!;
    await store.find('c', {}, { lock: true }, transaction);
    await store.find('c', {}, { lock: true }, null);
    expect(await store.count('c', { a: 1 }, null)).to.equal(3);
    expect(await store.aggregate('c', [{ $limit: 1 }], null)).to.deep.equal([{ a: 1 }]);
    expect(asked.map(([name]) => name)).to.deep.equal([
      'updateOne lintel_turns',
      'find c',
      'find c',
      'countDocuments c',
      'aggregate c',
    ]);
    expect(asked.slice(1)).to.deep.equal([
      ['find c', {}, INSIDE],
      ['find c', {}, LIMIT],
      ['countDocuments c', { a: 1 }, LIMIT],
      ['aggregate c', [{ $limit: 1 }], LIMIT],
    ]);
    expect(await serverWith([], true).store.begin(false)).to.equal(null);
  });

  it('have an unknown outcome after a writing pipeline was cut off', async () => {
    const cut = Object.assign(new Error('x'), { name: 'MongoNetworkError' });
    for (const [pipeline, isUnknown] of [
      [[{ $match: {} }], false],
      [[{ $match: {} }, { $out: 'x' }], true],
      [[{ $merge: 'x' }], true],
    ] as const) {
      const { store } = serverWith([cut]);
      const found: unknown = await store.aggregate('c', pipeline, null).catch((error: unknown) => error);
      expect('outcome' in (found as { params: object }).params, JSON.stringify(pipeline)).to.equal(isUnknown);
    }
  });
});

describe('documents updated by a MongoDB store', () => {
  const UPDATE = { $set: { n: 1 } };
  const AFTER = { returnDocument: 'after' };
  const IDS = { projection: { _id: 1 }, limit: 2, ...LIMIT };

  it('are limited to one if requested, with the given options', async () => {
    const { store, asked } = serverWith([{ _id: 1, n: 1 }, null]);
    expect(await store.update('c', { a: 1 }, UPDATE, { one: true }, null)).to.deep.equal([{ _id: 1, n: 1 }]);
    const options = { one: true, sort: { a: 1 }, upsert: true, arrayFilters: [{ x: 1 }] } as const;
    expect(await store.update('c', { a: 1 }, UPDATE, options, null)).to.deep.equal([]);
    const { one: _, ...given } = options;
    expect(asked).to.deep.equal([
      ['findOneAndUpdate c', { a: 1 }, UPDATE, { ...LIMIT, ...AFTER }],
      ['findOneAndUpdate c', { a: 1 }, UPDATE, { ...given, ...LIMIT, ...AFTER }],
    ]);
  });

  for (const [filter, isOne] of [
    [{ _id: 'x' }, true],
    [{ _id: 5 }, true],
    [{ _id: new ObjectId(HEX) }, true],
    [{ _id: { $eq: 'x' } }, true],
    [{ _id: { $in: ['x'] } }, false],
    [{ _id: null }, false],
    [{ _id: true }, false],
    [{ a: 1 }, false],
    [Object.create({ _id: 'x' }) as Document, false],
  ] as const)
    it(`are ${isOne ? 'one' : 'searched'} by the filter ${JSON.stringify(filter)}`, async () => {
      const { store, asked } = serverWith(isOne ? [] : [[]]);
      await store.update('c', filter, UPDATE, {}, null).catch(() => undefined);
      expect(asked[0]?.[0]).to.equal(isOne ? 'findOneAndUpdate c' : 'find c');
    });

  it('are updated by one command if one matches, and by the filter if none does', async () => {
    const { store, asked } = serverWith([[{ _id: 7 }], { _id: 7, n: 1 }, [], null]);
    expect(await store.update('c', { a: 1 }, UPDATE, {}, null)).to.deep.equal([{ _id: 7, n: 1 }]);
    expect(await store.update('c', { a: 1 }, UPDATE, { upsert: true }, null)).to.deep.equal([]);
    expect(asked).to.deep.equal([
      ['find c', { a: 1 }, IDS],
      ['findOneAndUpdate c', narrowed({ a: 1 }, 7), UPDATE, { ...LIMIT, ...AFTER }],
      ['find c', { a: 1 }, IDS],
      ['findOneAndUpdate c', { a: 1 }, UPDATE, { upsert: true, ...LIMIT, ...AFTER }],
    ]);
  });

  it('are created by an upsert if the matching one is gone, and only there', async () => {
    const gone = serverWith([[{ _id: 7 }], null, { _id: 8, n: 1 }]);
    expect(await gone.store.update('c', { a: 1 }, UPDATE, { upsert: true }, null)).to.deep.equal([{ _id: 8, n: 1 }]);
    expect(gone.asked.slice(1)).to.deep.equal([
      ['findOneAndUpdate c', narrowed({ a: 1 }, 7), UPDATE, { ...LIMIT, ...AFTER }],
      ['findOneAndUpdate c', { a: 1 }, UPDATE, { upsert: true, ...LIMIT, ...AFTER }],
    ]);
    const plain = serverWith([[{ _id: 7 }], null]);
    expect(await plain.store.update('c', { a: 1 }, UPDATE, {}, null)).to.deep.equal([]);
    expect(plain.asked).to.have.length(2);
  });

  it('are several in a transaction, returned after the update, in the order in which they were found', async () => {
    const date = new Date(5);
    const ids = ['1', 1, date, date.toISOString(), 'gone'];
    const now = [3, 2, 1, 0].map((i) => ({ _id: ids[i], n: i }));
    const found = ids.map((_id) => ({ _id }));
    const { store, asked, sessions } = serverWith([found.slice(0, 2), found, undefined, now]);
    const options = { arrayFilters: [{ x: 1 }] };
    expect(await store.update('c', { a: 1 }, UPDATE, options, null)).to.deep.equal([...now].reverse());
    expect(asked.slice(1)).to.deep.equal([
      ['find c', { a: 1 }, { projection: { _id: 1 }, ...INSIDE }],
      ['updateMany c', narrowed({ a: 1 }, ...ids), UPDATE, { ...options, ...INSIDE }],
      ['find c', { _id: { $in: ids } }, INSIDE],
    ]);
    expect(sessions).to.deep.equal(['start', 'commit', 'end']);
    const single = serverWith([found.slice(0, 2), [], undefined], true);
    expect(await single.store.update('c', { a: 1 }, UPDATE, {}, null)).to.deep.equal([]);
    expect([single.asked.length, single.sessions]).to.deep.equal([2, []]);
  });

  it('are sent 50 000 at a time', async () => {
    const found = Array.from({ length: 50_001 }, (_, _id) => ({ _id }));
    const { store, asked } = serverWith([found.slice(0, 2), found, undefined, undefined, found.slice(1), [{ _id: 0 }]]);
    expect(await store.update('c', {}, UPDATE, {}, null)).to.have.length(50_001);
    const counts = asked.slice(2).map(([name, filter]) => {
      const { $and: all, _id } = filter as { $and?: { _id: { $in: unknown[] } }[]; _id?: { $in: unknown[] } };
      return [name, (all?.[1]?._id ?? _id)?.$in.length];
    });
    expect(counts).to.deep.equal([
      ['updateMany c', 50_000],
      ['updateMany c', 1],
      ['find c', 50_000],
      ['find c', 1],
    ]);
  });

  it('reject a value that cannot be stored', async () => {
    expect(await catchCode(serverWith([failure(2)]).store.update('c', {}, UPDATE, { one: true }, null))).to.equal(
      'QRY_BAD_VALUE',
    );
    const many = serverWith([[{ _id: 1 }, { _id: 2 }], [{ _id: 1 }], failure(2)]);
    expect(await catchCode(many.store.update('c', {}, UPDATE, {}, null))).to.equal('QRY_BAD_VALUE');
    expect(many.sessions).to.deep.equal(['start', 'abort', 'end']);
  });
});

describe('documents removed by a MongoDB store', () => {
  it('are limited to one if requested or matched, and returned as they were', async () => {
    const { store, asked } = serverWith([{ _id: 1 }, null, [{ _id: 7 }], { _id: 7 }]);
    expect(await store.remove('c', { a: 1 }, { one: true, sort: { a: -1 } }, null)).to.deep.equal([{ _id: 1 }]);
    expect(await store.remove('c', { _id: 'x' }, {}, null)).to.deep.equal([]);
    expect(await store.remove('c', { a: 1 }, {}, null)).to.deep.equal([{ _id: 7 }]);
    expect(asked).to.deep.equal([
      ['findOneAndDelete c', { a: 1 }, { sort: { a: -1 }, ...LIMIT }],
      ['findOneAndDelete c', { _id: 'x' }, LIMIT],
      ['find c', { a: 1 }, { projection: { _id: 1 }, limit: 2, ...LIMIT }],
      ['findOneAndDelete c', narrowed({ a: 1 }, 7), LIMIT],
    ]);
  });

  it('are several in a transaction', async () => {
    const found = [
      { _id: 1, a: 1 },
      { _id: 2, a: 1 },
    ];
    const { store, asked, sessions } = serverWith([found, found, undefined]);
    expect(await store.remove('c', { a: 1 }, {}, null)).to.deep.equal(found);
    expect(asked.slice(1)).to.deep.equal([
      ['find c', { a: 1 }, INSIDE],
      ['deleteMany c', narrowed({ a: 1 }, 1, 2), INSIDE],
    ]);
    expect(sessions).to.deep.equal(['start', 'commit', 'end']);
  });
});

describe('closed MongoDB store', () => {
  it('is unavailable and unhealthy', async () => {
    const handle = runtime.create!({} as never);
    const found = (await handle.count('c', {}, null).catch((error: unknown) => error)) as {
      code: string;
      options: object;
    };
    expect(found.code).to.equal('QRY_UNAVAILABLE');
    expect(found.options).to.deep.include({ retryable: true, headers: { 'retry-after': '1' } });
    expect(await runtime.health!(handle)).to.deep.equal({ ok: false, detail: 'the database does not respond' });
    await runtime.close!(handle);
    const opening = runtime.open!(handle, { options: { url: 'http://x' }, instance: 'main' } as never);
    expect(await catchCode(opening)).to.equal('QRY_CONNECT');
  });
});

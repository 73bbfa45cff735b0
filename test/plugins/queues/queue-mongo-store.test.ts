/** Calls of the MongoDB queue to its server, step by step, with scripted collections and sessions. */
import { expect } from 'chai';
import { COUNTED } from '../../../contract/deferred.js';
import type { MongoQueueConnection } from '../../../plugins/queues/mongo/connection.js';
import * as documents from '../../../plugins/queues/mongo/documents.js';
import { createMongoStore } from '../../../plugins/queues/mongo/store.js';
import { toShortId } from '../../../plugins/queues/shared/job.js';
import type { Entry, QueueStore } from '../../../plugins/queues/shared/store.js';
import { replaceTime } from '../../support/manual-time.js';

type Call = readonly [method: string, ...given: unknown[]];
/** Results of a method, call by call; an error is thrown, a function called. */
type Answers = Readonly<Record<string, unknown[]>>;
interface ScriptedStore {
  readonly store: QueueStore;
  readonly calls: Call[];
}
const LOST = { code: 'JOB_LOST', detail: 'Lost.' };
const entry = (id: string, delay = 0): Entry => ({
  ...{ id, resource: 'r', part: 'p', acceptedAt: 5, priority: 1, retries: 2, delay, body: '{}' },
});
const oid = (id: string): string => `oid:${toShortId(id)}`;
const createHeld = (id: string, token = 't') => ({ id, token });
const heldFilter = (id: string, token = 't') => ({
  ...{ _id: { $eq: oid(id) }, token: { $eq: token }, state: 'running' },
});
const WAITS = { state: 'waiting', disabled: { $ne: true } };
const ORDER = { priority: -1, addedAt: 1, number: 1 };
function storeOn(answers: Answers = {}, alone = false): ScriptedStore {
  const calls: Call[] = [];
  const next = (method: string): unknown => {
    const answer = answers[method]?.shift();
    if (answer instanceof Error) throw answer;
    return typeof answer === 'function' ? (answer as () => unknown)() : answer;
  };
  const does =
    (method: string) =>
    async (...given: unknown[]): Promise<unknown> => {
      await Promise.resolve();
      calls.push([method, ...given]);
      return (await next(method)) ?? { modifiedCount: 1, matchedCount: 1, deletedCount: 1 };
    };
  const list =
    (method: string) =>
    (...given: unknown[]) => {
      calls.push([method, ...given]);
      return { toArray: () => Promise.resolve((next(method) as unknown[] | undefined) ?? []) };
    };
  const createRecordedMethod =
    (method: string) =>
    (...given: unknown[]) => {
      calls.push([method, ...given]);
      return Promise.resolve(next(method) ?? null);
    };
  const jobs = {
    collectionName: 'jobs',
    ...{ updateOne: does('updateOne'), updateMany: does('updateMany'), bulkWrite: does('bulkWrite') },
    ...{ deleteOne: does('deleteOne'), deleteMany: does('deleteMany') },
    ...{ find: list('find'), aggregate: list('aggregate') },
    ...{ findOne: createRecordedMethod('findOne'), findOneAndUpdate: createRecordedMethod('findOneAndUpdate') },
    countDocuments: (filter: { state: string }, options: object) => {
      calls.push(['countDocuments', filter, options]);
      return Promise.resolve({ delayed: 2, running: 3, dead: 4 }[filter.state] ?? 0);
    },
  };
  const session = {
    startTransaction: () => void calls.push(['startTransaction']),
    commitTransaction: does('commitTransaction'),
    abortTransaction: does('abortTransaction'),
  };
  const client = { withSession: (work: (one: unknown) => Promise<unknown>) => work(session) };
  const opened = {
    client,
    jobs,
    isStandalone: alone,
    toObjectId: (digits: string) => `oid:${digits}`,
    repository: 'agenda',
  };
  const server = {
    getConnection: () => Promise.resolve(opened as unknown as MongoQueueConnection),
    close: () => Promise.resolve(),
  };
  return { store: createMongoStore(server), calls };
}

const names = ({ calls }: ScriptedStore): string[] => calls.map(([method]) => method);
const createConflict = (...labels: unknown[]): Error => Object.assign(new Error('conflict'), { errorLabels: labels });
const failure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

describe('queue on a scripted MongoDB', () => {
  it('adds a single document without a transaction, and numbers what it adds', async () => {
    const setup = storeOn();
    await setup.store.add([entry('a')]);
    await setup.store.add([entry('b', 5)]);
    await setup.store.moveToDeadLetter(entry('c'), LOST);
    const id = (name: string) => oid(name) as never;
    expect(setup.calls).to.deep.equal([
      ['updateOne', { _id: { $eq: oid('a') } }, documents.createInsert(entry('a'), id('a'), 1), { upsert: true }],
      ['updateOne', { _id: { $eq: oid('b') } }, documents.createInsert(entry('b', 5), id('b'), 2), { upsert: true }],
      ['updateOne', { _id: { $eq: oid('c') } }, documents.createInsert(entry('c'), id('c'), 3, LOST), { upsert: true }],
    ]);
    expect(await setup.store.jobs()).to.equal('agenda');
  });

  it('adds several in one transaction, and without one on a server that does not support it', async () => {
    const setup = storeOn();
    await setup.store.add([entry('a'), entry('b')]);
    expect(names(setup)).to.deep.equal(['startTransaction', 'bulkWrite', 'commitTransaction']);
    const [, operations, options] = setup.calls[1] as [string, { updateOne: { upsert: boolean } }[], object];
    expect(operations.map(({ updateOne }) => updateOne.upsert)).to.deep.equal([true, true]);
    expect(options).to.have.property('session');
    const single = storeOn({}, true);
    await single.store.add([entry('a'), entry('b')]);
    expect(single.calls.map((call) => [call[0], call.length])).to.deep.equal([['bulkWrite', 2]]);
  });

  it('retries a transaction after a conflict, once the first has ended', async () => {
    const setup = storeOn({
      bulkWrite: [createConflict('TransientTransactionError'), undefined, undefined],
      commitTransaction: [createConflict('x', 'TransientTransactionError'), undefined],
      abortTransaction: [undefined, new Error('nothing to end')],
    });
    await setup.store.add([entry('a'), entry('b')]);
    expect(names(setup)).to.deep.equal([
      ...['startTransaction', 'bulkWrite', 'abortTransaction'],
      ...['startTransaction', 'bulkWrite', 'commitTransaction', 'abortTransaction'],
      ...['startTransaction', 'bulkWrite', 'commitTransaction'],
    ]);
  });

  for (const [title, error] of [
    ['has no label', new Error('full')],
    ['has another label', createConflict('RetryableWriteError')],
    ['has labels that are not a list', Object.assign(new Error('odd'), { errorLabels: 'TransientTransactionError' })],
  ] as const)
    it(`does not retry a transaction whose error ${title}, and ends it`, async () => {
      const setup = storeOn({ bulkWrite: [error], abortTransaction: [new Error('nothing to end')] });
      expect(await failure(setup.store.add([entry('a'), entry('b')]))).to.equal(error);
      expect(names(setup)).to.deep.equal(['startTransaction', 'bulkWrite', 'abortTransaction']);
    });

  it('aborts a transaction when its caller does', async () => {
    const time = replaceTime();
    try {
      const error = createConflict('TransientTransactionError');
      const failLate = async () => {
        await time.advance(425);
        throw error;
      };
      const setup = storeOn({ bulkWrite: Array<unknown>(9).fill(failLate) });
      expect(await failure(setup.store.add([entry('a'), entry('b')]))).to.equal(error);
      // After 425 and 850 milliseconds it is in time, after 1275 it is not.
      expect(names(setup).filter((name) => name === 'bulkWrite')).to.have.length(3);
    } finally {
      time.restoreGlobals();
    }
  });

  it('claims one job in one step', async () => {
    const data = { id: 'a', work: '{}' };
    const setup = storeOn({ findOneAndUpdate: [{ data, attempts: 1, retries: 2 }] });
    expect(await setup.store.claimJobs('t', 1, 50)).to.deep.equal([
      { id: 'a', token: 't', attempt: 1, retries: 2, body: '{}', journal: null },
    ]);
    expect(await setup.store.claimJobs('t', 1, 50)).to.deep.equal([]);
    expect(setup.calls[0]).to.deep.equal([
      ...['findOneAndUpdate', WAITS, documents.createClaimUpdate('t', 50), { sort: ORDER, returnDocument: 'after' }],
    ]);
  });

  it('claims several under one token, and retries a limited number of times if others were faster', async () => {
    const two = [{ _id: 1 }, { _id: 2 }];
    const taken = [{ data: { id: 'b', work: 'w' }, attempts: 2, retries: 3, journal: 'n' }];
    const setup = storeOn({ find: [two, two, taken], updateMany: [{ modifiedCount: 0 }, { modifiedCount: 1 }] });
    expect(await setup.store.claimJobs('t', 2, 50)).to.deep.equal([
      { id: 'b', token: 't', attempt: 2, retries: 3, body: 'w', journal: 'n' },
    ]);
    const look: Call = ['find', WAITS, { sort: ORDER, limit: 2, projection: { _id: 1 } }];
    const take: Call = ['updateMany', { _id: { $in: [1, 2] }, ...WAITS }, documents.createClaimUpdate('t', 50)];
    const mine: Call = ['find', { _id: { $in: [1, 2] }, token: { $eq: 't' } }, { sort: ORDER }];
    expect(setup.calls).to.deep.equal([look, take, look, take, mine]);
    const slow = storeOn({ find: Array(9).fill(two), updateMany: Array(9).fill({ modifiedCount: 0 }) });
    expect(await slow.store.claimJobs('t', 2, 50)).to.deep.equal([]);
    expect(names(slow)).to.have.length(10);
    const empty = storeOn();
    expect([await empty.store.claimJobs('t', 2, 50), names(empty)]).to.deep.equal([[], ['find']]);
  });

  it('renews all in one step, and checks each if some are lost', async () => {
    const both = [createHeld('a'), createHeld('b', 'u')];
    const filter = { $or: [heldFilter('a'), heldFilter('b', 'u')] };
    const setup = storeOn({ updateMany: [{ matchedCount: 2 }] });
    expect([...(await setup.store.renewLeases(both, 50))]).to.deep.equal(['a', 'b']);
    const renewed = [{ $set: { leaseUntil: { $add: ['$$NOW', 50] } } }];
    expect(setup.calls).to.deep.equal([['updateMany', filter, renewed]]);
    const some = storeOn({ updateMany: [{ matchedCount: 1 }], find: [[{ data: { id: 'b' } }]] });
    expect([...(await some.store.renewLeases(both, 50))]).to.deep.equal(['b']);
    expect(some.calls[1]).to.deep.equal(['find', filter, { projection: { 'data.id': 1 } }]);
    const nothing = storeOn();
    expect([(await nothing.store.renewLeases([], 50)).size, nothing.calls]).to.deep.equal([0, []]);
  });

  it('ends, returns, fails and notes only jobs that it holds', async () => {
    const pause = [true, false] as const;
    for (const counted of pause) {
      const count = counted ? 1 : 0;
      const setup = storeOn({
        deleteOne: [{ deletedCount: count }],
        updateOne: [{ modifiedCount: count }, { modifiedCount: count }, { matchedCount: count }],
      });
      expect(await setup.store.completeJob(createHeld('a'))).to.equal(counted);
      expect(await setup.store.fail(createHeld('a'), LOST, null)).to.equal(counted);
      expect(await setup.store.fail(createHeld('a'), LOST, 0)).to.equal(counted);
      expect(await setup.store.saveJournal(createHeld('a'), 'notes')).to.equal(counted);
      expect(setup.calls).to.deep.equal([
        ['deleteOne', heldFilter('a')],
        ['updateOne', heldFilter('a'), documents.createFailUpdate(LOST, 'dead', null)],
        ['updateOne', heldFilter('a'), documents.createFailUpdate(LOST, 'delayed', 0)],
        ['updateOne', heldFilter('a'), { $set: { journal: 'notes' } }],
      ]);
    }
    const setup = storeOn();
    await setup.store.release([]);
    await setup.store.release([createHeld('a')]);
    expect(setup.calls).to.deep.equal([['updateMany', { $or: [heldFilter('a')] }, documents.released]]);
  });

  it('retries and removes allowed jobs, and returns their number', async () => {
    const byId = { _id: { $eq: oid('a') } };
    const back = [{ $set: { state: 'waiting', attempts: 0, nextRunAt: '$$NOW' } }];
    const setup = storeOn({ updateOne: [undefined, { modifiedCount: 0 }], deleteMany: [{ deletedCount: 7 }] });
    expect([await setup.store.retry('a'), await setup.store.retry('a')]).to.deep.equal([true, false]);
    expect([await setup.store.purge({ dead: true }), await setup.store.purge({ id: 'a' })]).to.deep.equal([7, 1]);
    expect(setup.calls).to.deep.equal([
      ['updateOne', { ...byId, state: 'dead' }, back],
      ['updateOne', { ...byId, state: 'dead' }, back],
      ['deleteMany', { state: 'dead' }],
      ['deleteMany', { ...byId, state: { $ne: 'running' } }],
    ]);
  });

  it('lists by state and resource in the order of acceptance, without bodies and notes', async () => {
    const setup = storeOn();
    await setup.store.list({});
    await setup.store.list({ state: 'waiting', resource: 'r', limit: 5 });
    const options = (limit: number) => ({
      ...{ sort: { 'data.acceptedAt': 1, number: 1 }, hint: { _id: 1 } },
      ...{ projection: { 'data.work': 0, journal: 0 }, limit },
    });
    expect(setup.calls).to.deep.equal([
      ['find', { state: { $type: 'string' } }, options(1000)],
      ['find', { state: { $in: ['waiting', 'delayed'] }, 'data.resource': { $eq: 'r' } }, options(5)],
    ]);
    expect([await setup.store.show('a'), setup.calls.at(-1)]).to.deep.equal([
      null,
      ['findOne', { _id: { $eq: oid('a') } }],
    ]);
  });

  const READY = [
    ...[
      { $match: { state: 'waiting' } },
      { $sort: ORDER },
      { $limit: COUNTED },
      { $match: { disabled: { $ne: true } } },
    ],
    { $group: { _id: null, ready: { $sum: 1 }, first: { $min: '$nextRunAt' } } },
    { $project: { ready: 1, oldest: { $subtract: ['$$NOW', '$first'] } } },
  ];
  it('counts up to a limit, and returns the age of the oldest in seconds', async () => {
    const counts = { delayed: 2, running: 3, dead: 4 };
    for (const [found, ready, oldest] of [
      [[{ ready: 5, oldest: 1500 }], 5, 1.5],
      [[{ ready: 1, oldest: -20 }], 1, 0],
      [[{ ready: 1, oldest: null }], 1, 0],
      [[], 0, 0],
    ] as const) {
      const setup = storeOn({ aggregate: [found] });
      expect(await setup.store.countBacklog()).to.deep.equal({ ready, ...counts, oldest });
      expect(setup.calls.slice(0, 3).map(([, , options]) => options)).to.deep.equal(Array(3).fill({ limit: COUNTED }));
      expect(setup.calls[3]).to.deep.equal(['aggregate', READY]);
    }
  });
});

describe('sweep of a scripted MongoDB', () => {
  const at = (ms: number): Date => new Date(ms);
  const look = (state: string, ms: number, now: number) => ({ state, at: at(ms), now: at(now) });
  const sweep = async (answers: Answers) => {
    const setup = storeOn(answers);
    return { found: await setup.store.sweepJobs(LOST), ...setup };
  };

  it('does nothing if nothing is due and no lease has expired', async () => {
    const { found, calls } = await sweep({ aggregate: [[look('delayed', 60, 50), look('running', 51, 50)]] });
    expect([found, calls.length]).to.deep.equal([{ woken: 0, dead: [], next: 10 }, 1]);
    expect((await sweep({})).found).to.deep.equal({ woken: 0, dead: [], next: null });
    const first = (state: string, field: string) => [
      ...[{ $match: { state } }, { $sort: { [field]: 1 } }, { $limit: 1 }],
      { $project: { _id: 0, state: 1, at: `$${field}`, now: '$$NOW' } },
    ];
    const running = { $unionWith: { coll: 'jobs', pipeline: first('running', 'leaseUntil') } };
    expect(calls).to.deep.equal([['aggregate', [...first('delayed', 'nextRunAt'), running]]]);
  });

  it('starts due jobs by the time of the server, and finds the next one', async () => {
    for (const due of [49, 50]) {
      const answers = {
        aggregate: [[look('delayed', due, 50)], [look('delayed', 80, 55)]],
        updateMany: [{ modifiedCount: 3 }],
      };
      const { found, calls } = await sweep(answers);
      expect(found).to.deep.equal({ woken: 3, dead: [], next: 25 });
      expect(calls[1]).to.deep.equal([
        ...['updateMany', { state: 'delayed', nextRunAt: { $lte: at(50) } }, { $set: { state: 'waiting' } }],
      ]);
    }
    const passed = {
      aggregate: [[look('delayed', 50, 50)], [look('delayed', 54, 55)]],
      updateMany: [{ modifiedCount: 1 }],
    };
    expect((await sweep(passed)).found.next).to.equal(0);
    expect((await sweep({ aggregate: [[look('delayed', 1, 50)], []] })).found.next).to.equal(null);
  });

  it('moves jobs without attempts left to dead, under their token, and returns the rest to the queue', async () => {
    const worn = [
      { _id: 1, token: 't', data: { id: 'a' } },
      { _id: 2, token: 'u', data: { id: 'b' } },
    ];
    for (const until of [49, 50]) {
      const { found, calls } = await sweep({
        aggregate: [[look('running', until, 50)]],
        find: [worn],
        updateOne: [{ modifiedCount: 1 }, { modifiedCount: 0 }],
        updateMany: [{ modifiedCount: 4 }],
      });
      expect(found).to.deep.equal({ woken: 4, dead: ['a'], next: null });
      const over = { state: 'running', leaseUntil: { $lte: at(50) } };
      const dead = documents.createFailUpdate(LOST, 'dead', null);
      const tried = (operator: string) => ({ ...over, $expr: { [operator]: ['$attempts', '$retries'] } });
      expect(calls.slice(1)).to.deep.equal([
        ['find', tried('$gt'), { limit: 1000, projection: { token: 1, 'data.id': 1 } }],
        ['updateOne', { _id: { $eq: 1 }, token: { $eq: 't' }, ...over }, dead],
        ['updateOne', { _id: { $eq: 2 }, token: { $eq: 'u' }, ...over }, dead],
        ['updateMany', tried('$lte'), documents.createFailUpdate(LOST, 'waiting', 0)],
      ]);
    }
  });
});

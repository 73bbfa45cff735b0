/** The queue store on MongoDB. Claimed jobs are written only under their lease. */
import type { ClientSession, Collection, Document, Filter, MongoClient } from 'mongodb';
import { COUNTED } from '../../../contract/deferred.js';
import { toShortId } from '../shared/job.js';
import type { Entry, Failure, JobLease, QueueStore, SweepResult } from '../shared/store.js';
import type { Job, MongoQueueConnection, Server } from './connection.js';
import * as documents from './documents.js';
import { NOW, type StoredJob } from './documents.js';

/** Milliseconds of retries; ends shortly before the caller of `add` is rejected. */
const ADD_TIMEOUT = 850;
/** Attempts of a claim that loses to concurrent claims. */
const TRIES = 5;
/** The most jobs that one sweep makes dead, and the default limit of `list`. */
const MOST = 1000;

/** Among equal priorities, older jobs come first. */
const ORDER = { priority: -1, addedAt: 1, number: 1 } as const;
const WAITS: Filter<Job> = { state: 'waiting', disabled: { $ne: true } };

type Opening = Pick<MongoQueueConnection, 'toObjectId'>;
const filterById = ({ toObjectId }: Opening, id: string): Filter<Job> => ({ _id: { $eq: toObjectId(toShortId(id)) } });
const filterByLease = (opened: Opening, { id, token }: JobLease): Filter<Job> => ({
  ...filterById(opened, id),
  token: { $eq: token },
  state: 'running',
});

export function createMongoStore(server: Server): QueueStore {
  let number = 0;

  async function add(entries: readonly Entry[]): Promise<void> {
    const { jobs, client, isStandalone, toObjectId } = await server.getConnection();
    const updates = entries.map((entry) => {
      const _id = toObjectId(toShortId(entry.id));
      return { filter: { _id: { $eq: _id } }, update: documents.createInsert(entry, _id, ++number), upsert: true };
    });
    const [first] = updates;
    if (first !== undefined && updates.length === 1) {
      await jobs.updateOne(first.filter, first.update, { upsert: true });
      return;
    }
    const operations = updates.map((updateOne) => ({ updateOne }));
    if (isStandalone) await jobs.bulkWrite(operations);
    else await writeInTransaction(client, (session) => jobs.bulkWrite(operations, { session }));
  }

  return {
    jobs: async () => (await server.getConnection()).repository,
    add,
    async moveToDeadLetter(entry, failure) {
      const { jobs, toObjectId } = await server.getConnection();
      const _id = toObjectId(toShortId(entry.id));
      await jobs.updateOne({ _id: { $eq: _id } }, documents.createInsert(entry, _id, ++number, failure), {
        upsert: true,
      });
    },
    async claimJobs(token, limit, lease) {
      const { jobs } = await server.getConnection();
      return (await claimBatch(jobs, token, limit, lease)).map((job) => documents.toClaimedJob(job, token));
    },
    async renewLeases(held, lease) {
      if (held.length === 0) return new Set();
      const opened = await server.getConnection();
      const all = { $or: held.map((one) => filterByLease(opened, one)) };
      const { matchedCount } = await opened.jobs.updateMany(all, [{ $set: { leaseUntil: documents.addToNow(lease) } }]);
      if (matchedCount === held.length) return new Set(held.map(({ id }) => id));
      const still = (await opened.jobs.find(all, { projection: { 'data.id': 1 } }).toArray()) as StoredJob[];
      return new Set(still.map(({ data }) => data.id));
    },
    async saveJournal(held, journal) {
      const opened = await server.getConnection();
      return (await opened.jobs.updateOne(filterByLease(opened, held), { $set: { journal } })).matchedCount === 1;
    },
    async completeJob(held) {
      const opened = await server.getConnection();
      return (await opened.jobs.deleteOne(filterByLease(opened, held))).deletedCount === 1;
    },
    async fail(held, failure, pause, counted) {
      const opened = await server.getConnection();
      const update = documents.createFailUpdate(failure, pause === null ? 'dead' : 'delayed', pause, counted);
      return (await opened.jobs.updateOne(filterByLease(opened, held), update)).modifiedCount === 1;
    },
    async release(held) {
      if (held.length === 0) return;
      const opened = await server.getConnection();
      await opened.jobs.updateMany({ $or: held.map((one) => filterByLease(opened, one)) }, documents.released);
    },
    sweepJobs: async (lost) => sweepCollection((await server.getConnection()).jobs, lost),

    async list({ state, resource, limit = MOST }) {
      const filter: Filter<Job> = {
        state: state === undefined ? { $type: 'string' } : { $in: documents.listStates(state) },
        ...(resource !== undefined && { 'data.resource': { $eq: resource } }),
      };
      const { jobs } = await server.getConnection();
      // By the index on `state`, a job that changes during the scan could be missed.
      const sort = { 'data.acceptedAt': 1, number: 1 } as const;
      const options = { sort, hint: { _id: 1 }, projection: { 'data.work': 0, journal: 0 }, limit } as const;
      return ((await jobs.find(filter, options).toArray()) as StoredJob[]).map(documents.toJobView);
    },
    async countBacklog() {
      const { jobs } = await server.getConnection();
      const count = (state: StoredJob['state']): Promise<number> => jobs.countDocuments({ state }, { limit: COUNTED });
      const [delayed, running, dead] = await Promise.all([count('delayed'), count('running'), count('dead')]);
      const [found] = await jobs.aggregate<{ ready: number; oldest: number | null }>(READY).toArray();
      return { ready: found?.ready ?? 0, delayed, running, dead, oldest: Math.max(0, (found?.oldest ?? 0) / 1000) };
    },
    async show(id) {
      const opened = await server.getConnection();
      const found = (await opened.jobs.findOne(filterById(opened, id))) as StoredJob | null;
      return found && { view: documents.toJobView(found), body: found.data.work, journal: found.journal ?? null };
    },
    async retry(id) {
      const opened = await server.getConnection();
      const back = [{ $set: { state: 'waiting', attempts: 0, nextRunAt: NOW } }];
      return (await opened.jobs.updateOne({ ...filterById(opened, id), state: 'dead' }, back)).modifiedCount === 1;
    },
    async purge(which) {
      const opened = await server.getConnection();
      const filter: Filter<Job> =
        'id' in which ? { ...filterById(opened, which.id), state: { $ne: 'running' } } : { state: 'dead' };
      return (await opened.jobs.deleteMany(filter)).deletedCount;
    },
  };
}

/** The token is unique to this claim. */
async function claimBatch(
  jobs: Collection<Job>,
  token: string,
  limit: number,
  lease: number,
): Promise<readonly StoredJob[]> {
  const taking = documents.createClaimUpdate(token, lease);
  if (limit === 1) {
    const one = await jobs.findOneAndUpdate(WAITS, taking, { sort: ORDER, returnDocument: 'after' });
    return one === null ? [] : [one as StoredJob];
  }
  for (let tries = 0; tries < TRIES; tries++) {
    const first = await jobs.find(WAITS, { sort: ORDER, limit, projection: { _id: 1 } }).toArray();
    if (first.length === 0) return [];
    const ids = first.map(({ _id }) => _id);
    const { modifiedCount } = await jobs.updateMany({ _id: { $in: ids }, ...WAITS }, taking);
    if (modifiedCount === 0) continue;
    return (await jobs.find({ _id: { $in: ids }, token: { $eq: token } }, { sort: ORDER }).toArray()) as StoredJob[];
  }
  return [];
}

async function sweepCollection(jobs: Collection<Job>, lost: Failure): Promise<SweepResult> {
  const { due: delayed, over: silent } = await findNext(jobs);
  let woken = 0;
  let next = delayed;
  if (delayed !== null && delayed.at <= delayed.now) {
    const due = { state: 'delayed', nextRunAt: { $lte: new Date(delayed.now) } };
    woken += (await jobs.updateMany(due, { $set: { state: 'waiting' } })).modifiedCount;
    next = (await findNext(jobs)).due;
  }
  const dead: string[] = [];
  if (silent !== null && silent.at <= silent.now) {
    const over = { state: 'running', leaseUntil: { $lte: new Date(silent.now) } };
    const worn = (await jobs
      .find(
        { ...over, $expr: { $gt: ['$attempts', '$retries'] } },
        { limit: MOST, projection: { token: 1, 'data.id': 1 } },
      )
      .toArray()) as StoredJob[];
    for (const { _id, token, data } of worn) {
      const still = { _id: { $eq: _id }, token: { $eq: token }, ...over };
      const { modifiedCount } = await jobs.updateOne(still, documents.createFailUpdate(lost, 'dead', null));
      if (modifiedCount === 1) dead.push(data.id);
    }
    const again = { ...over, $expr: { $lte: ['$attempts', '$retries'] } };
    woken += (await jobs.updateMany(again, documents.createFailUpdate(lost, 'waiting', 0))).modifiedCount;
  }
  return { woken, dead, next: next === null ? null : Math.max(0, next.at - next.now) };
}

/** The number of runnable jobs and the age of the oldest in milliseconds. */
const READY = [
  { $match: { state: 'waiting' } },
  { $sort: ORDER },
  { $limit: COUNTED },
  { $match: { disabled: { $ne: true } } },
  { $group: { _id: null, ready: { $sum: 1 }, first: { $min: '$nextRunAt' } } },
  { $project: { ready: 1, oldest: { $subtract: [NOW, '$first'] } } },
];

/** Retries transient conflicts for `ADD_TIMEOUT`. */
async function writeInTransaction(
  client: MongoClient,
  write: (session: ClientSession) => Promise<unknown>,
): Promise<void> {
  const end = performance.now() + ADD_TIMEOUT;
  await client.withSession(async (session) => {
    for (;;) {
      try {
        session.startTransaction();
        await write(session);
        await session.commitTransaction();
        return;
      } catch (error) {
        await session.abortTransaction().catch(() => undefined);
        if (performance.now() > end || !isPassing(error)) throw error;
      }
    }
  });
}

const isPassing = (error: unknown): boolean => {
  const labels: unknown = (error as { readonly errorLabels?: unknown }).errorLabels;
  return Array.isArray(labels) && labels.includes('TransientTransactionError');
};

interface Next {
  readonly at: number;
  /** The server's time. */
  readonly now: number;
}

const createFirstStages = (state: string, field: string): Document[] => [
  { $match: { state } },
  { $sort: { [field]: 1 } },
  { $limit: 1 },
  { $project: { _id: 0, state: 1, at: `$${field}`, now: NOW } },
];

/** The first due time and the first end of a lease, in one query. */
async function findNext(jobs: Collection<Job>): Promise<{ readonly due: Next | null; readonly over: Next | null }> {
  const running = { $unionWith: { coll: jobs.collectionName, pipeline: createFirstStages('running', 'leaseUntil') } };
  const found = await jobs
    .aggregate<{ state: string; at: Date; now: Date }>([...createFirstStages('delayed', 'nextRunAt'), running])
    .toArray();
  const of = (state: string): Next | null => {
    const one = found.find((row) => row.state === state);
    return one === undefined ? null : { at: one.at.getTime(), now: one.now.getTime() };
  };
  return { due: of('delayed'), over: of('running') };
}

/** The handle of a MongoDB store. Writes of several documents are atomic if the servers support transactions. */
import {
  BSON,
  type AbstractCursor,
  type ClientSession,
  type Collection,
  type Document as Stored,
  type Filter,
  type FindOptions as DriverFind,
  type Sort,
} from 'mongodb';
import type { Requester } from '../../../contract/requester.js';
import type { Document, DocumentStore, DocumentTransaction, FindOptions, UpdateOptions } from '../kind.js';
import { LargeResult } from '../../shared/results.js';
import { isEmptyWindow } from '../shared/result-window.js';
import type { MongoConnection } from './connection.js';
import { createCalls, calculateTimeLeft, type MongoSession } from './calls.js';
import { isMongoRetryable, withUpdateFault } from './errors.js';
import { createTurnKey, createCollectionKey } from './turns.js';
import { toPlainDocument } from './values.js';

/** A command is limited to 16 MiB. */
const AT_ONCE = 50_000;

/** The first 64 documents are measured, and then every 16th. */
const MEASURED = 64;
const SAMPLE = 16;

export function createMongoDocumentStore(connection: () => MongoConnection): DocumentStore {
  const getCollection = (name: string): Collection => connection().db.collection(name);
  const { call, runAtomically, lock, acquireTurns, begin, commit, rollback } = createCalls(connection);
  const createLimits = (session: MongoSession): { maxTimeMS: number; session?: ClientSession } => ({
    maxTimeMS: calculateTimeLeft(session.requester, connection().settings.deadline),
    ...(session.client && { session: session.client }),
  });

  async function read(
    name: string,
    filter: Document,
    options: FindOptions,
    session: MongoSession,
  ): Promise<Document[]> {
    if (isEmptyWindow(options)) return [];
    const found = getCollection(name).find(filter as Filter<Stored>, {
      ...(options as DriverFind),
      ...createLimits(session),
    });
    return readCursor(found, session);
  }

  async function readCursor(cursor: AbstractCursor<Document>, { requester }: MongoSession): Promise<Document[]> {
    const bounds = connection().settings.limits;
    const result = new LargeResult(bounds, requester);
    const all: Document[] = [];
    let bytes = 0;
    while (await cursor.hasNext()) {
      for (const document of cursor.readBufferedDocuments()) {
        // A measured sample counts for all documents of its share.
        const share = all.length < MEASURED ? 1 : SAMPLE;
        if (share === 1 || all.length % SAMPLE === 0) bytes += BSON.calculateObjectSize(document) * share;
        all.push(toPlainDocument(document));
      }
      if (bytes <= result.next && all.length <= bounds.rows) continue;
      const refusal = result.checkSize(all.length, bytes);
      if (refusal === null) continue;
      result.dispose();
      await cursor.close();
      throw refusal;
    }
    result.close();
    return all;
  }

  async function findIds(name: string, filter: Document, session: MongoSession): Promise<unknown[]> {
    return (await read(name, filter, { projection: { _id: 1 } }, session)).map(({ _id }) => _id);
  }

  async function findByIds(name: string, ids: readonly unknown[], session: MongoSession): Promise<Document[]> {
    const found = new Map<string, Document>();
    for (const some of splitChunks(ids)) {
      for (const one of await read(name, { _id: { $in: some } }, {}, session)) found.set(toIdKey(one['_id']), one);
    }
    return ids.map((id) => found.get(toIdKey(id))).filter((one) => one !== undefined);
  }

  async function updateOne(
    name: string,
    filter: Document,
    update: Document | readonly Document[],
    { sort, upsert, arrayFilters }: UpdateOptions,
    session: MongoSession,
  ): Promise<Document[]> {
    const made = getCollection(name).findOneAndUpdate(filter, update, {
      ...(sort && { sort: sort as Sort }),
      ...(upsert && { upsert }),
      ...(arrayFilters && { arrayFilters: [...arrayFilters] }),
      ...createLimits(session),
      returnDocument: 'after',
    });
    const found = await withUpdateFault(made);
    return found === null ? [] : [toPlainDocument(found)];
  }

  async function updateMany(
    name: string,
    filter: Document,
    update: Document | readonly Document[],
    { arrayFilters }: UpdateOptions,
    session: MongoSession,
  ): Promise<Document[]> {
    const ids = await findIds(name, filter, session);
    for (const some of splitChunks(ids)) {
      const options = { ...(arrayFilters && { arrayFilters: [...arrayFilters] }), ...createLimits(session) };
      await withUpdateFault(getCollection(name).updateMany(restrictToIds(filter, some), update, options));
    }
    return findByIds(name, ids, session);
  }

  async function removeMany(name: string, filter: Document, session: MongoSession): Promise<Document[]> {
    const found = await read(name, filter, {}, session);
    for (const some of splitChunks(found.map(({ _id }) => _id))) {
      await getCollection(name).deleteMany(restrictToIds(filter, some), createLimits(session));
    }
    return found;
  }

  async function removeOne(
    name: string,
    filter: Document,
    sort: UpdateOptions['sort'],
    session: MongoSession,
  ): Promise<Document[]> {
    const options = { ...(sort && { sort: sort as Sort }), ...createLimits(session) };
    const found = await getCollection(name).findOneAndDelete(filter, options);
    return found === null ? [] : [toPlainDocument(found)];
  }

  /** Narrows the filter to the only matching document; null when several match. */
  async function narrowToOne(
    name: string,
    filter: Document,
    inside: DocumentTransaction | null,
    requester: Requester | null | undefined,
  ): Promise<Document | null> {
    if (isOne(filter)) return filter;
    const options = { projection: { _id: 1 }, limit: 2 };
    const [first, second] = await call(inside, false, (session) => read(name, filter, options, session), requester);
    if (second !== undefined) return null;
    return first === undefined ? filter : restrictToIds(filter, [first['_id']]);
  }

  return {
    async insert(name, documents, inside, requester) {
      if (documents.length === 0) return [];
      const { newId } = connection();
      const made = documents.map(({ _id, ...rest }) => ({ _id: _id ?? newId(), ...rest }));
      const [first] = made;
      if (made.length === 1 && first !== undefined) {
        await call(
          inside,
          true,
          (session) => getCollection(name).insertOne(first as Stored, createLimits(session)),
          requester,
        );
      } else {
        await runAtomically(
          inside,
          (session) => getCollection(name).insertMany(made as Stored[], createLimits(session)),
          requester,
        );
      }
      return made;
    },
    async find(name, filter, { lock: locks, ...options }, inside, requester) {
      if (locks === true) await lock(inside, createTurnKey(name, filter));
      return call(inside, false, (session) => read(name, filter, options, session), requester);
    },
    async update(name, filter, update, options, inside, requester) {
      const one = options.one === true ? filter : await narrowToOne(name, filter, inside, requester);
      if (one === null)
        return runAtomically(inside, (session) => updateMany(name, filter, update, options, session), requester);
      const { upsert, ...narrow } = options;
      const done = await call(
        inside,
        true,
        (session) => updateOne(name, one, update, one === filter ? options : narrow, session),
        requester,
      );
      if (done.length > 0 || one === filter || upsert !== true) return done;
      // Deleted meanwhile. An upsert uses the original filter.
      return call(inside, true, (session) => updateOne(name, filter, update, options, session), requester);
    },
    async remove(name, filter, { one, sort }, inside, requester) {
      const which = one === true ? filter : await narrowToOne(name, filter, inside, requester);
      if (which === null) return runAtomically(inside, (session) => removeMany(name, filter, session), requester);
      return call(inside, true, (session) => removeOne(name, which, sort, session), requester);
    },
    count: (name, filter, inside, requester) =>
      call(
        inside,
        false,
        (session) => getCollection(name).countDocuments(filter as Filter<Stored>, createLimits(session)),
        requester,
      ),
    aggregate: (name, pipeline, inside, requester) =>
      call(
        inside,
        pipeline.some(isWrite),
        (session) => readCursor(getCollection(name).aggregate([...pipeline], createLimits(session)), session),
        requester,
      ),
    begin: (_snapshot, requester) => Promise.resolve(connection().standalone ? null : begin(requester)),
    acquireTurns: (inside, collections) => acquireTurns(inside, [...collections].sort().map(createCollectionKey)),
    commit,
    rollback,
    retryable: isMongoRetryable,
  };
}

const isWrite = (stage: Document): boolean => Object.hasOwn(stage, '$out') || Object.hasOwn(stage, '$merge');

const restrictToIds = (filter: Document, ids: readonly unknown[]): Filter<Stored> => ({
  $and: [filter, { _id: { $in: ids } }],
});

/** At most one document matches an id. */
function isOne(filter: Document): boolean {
  const id = Object.hasOwn(filter, '_id') ? filter['_id'] : undefined;
  if (typeof id === 'string' || typeof id === 'number') return true;
  if (typeof id !== 'object' || id === null) return false;
  return '_bsontype' in id || Object.hasOwn(id, '$eq');
}

/** Distinguishes ids of different types with the same text. */
const toIdKey = (id: unknown): string => `${typeof id} ${id instanceof Date} ${JSON.stringify(id)}`;

function* splitChunks<T>(list: readonly T[]): Generator<T[]> {
  for (let at = 0; at < list.length; at += AT_ONCE) yield list.slice(at, at + AT_ONCE);
}

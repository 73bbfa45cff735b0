/**
 * The handle of a MongoDB store; filters, updates and pipelines are sent unchanged. Writes of several documents are atomic if the
 * servers support transactions.
 */
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
import type { Asker } from '../../../contract/asker.js';
import type { Document, DocumentStore, DocumentTransaction, FindOptions, UpdateOptions } from '../kind.js';
import { LargeResult } from '../../shared/results.js';
import { wantsNothing } from '../shared/window.js';
import type { Connection } from './connection.js';
import { createCalls, leftOf, type Session } from './calls.js';
import { isRetryable, updating } from './errors.js';
import { keyFor, keyOfAll } from './turns.js';
import { plain } from './values.js';

/** A command is limited to 16 MiB. */
const AT_ONCE = 50_000;

/** The first 64 documents are measured, and then every 16th. */
const MEASURED = 64;
const SAMPLE = 16;

export function createStore(connection: () => Connection): DocumentStore {
  const collection = (name: string): Collection => connection().db.collection(name);
  const { call, together, lock, turn, begin, commit, rollback } = createCalls(connection);
  const limits = (session: Session): { maxTimeMS: number; session?: ClientSession } => ({
    maxTimeMS: leftOf(session.asker, connection().settings.deadline),
    ...(session.client && { session: session.client }),
  });

  async function read(name: string, filter: Document, options: FindOptions, session: Session): Promise<Document[]> {
    if (wantsNothing(options)) return [];
    const found = collection(name).find(filter as Filter<Stored>, { ...(options as DriverFind), ...limits(session) });
    return taken(found, session);
  }

  /** The rest of a result that is too large is not fetched. */
  async function taken(cursor: AbstractCursor<Document>, { asker }: Session): Promise<Document[]> {
    const bounds = connection().settings.limits;
    const result = new LargeResult(bounds, asker);
    const all: Document[] = [];
    let bytes = 0;
    while (await cursor.hasNext()) {
      for (const document of cursor.readBufferedDocuments()) {
        // A measured sample counts for all documents of its share.
        const share = all.length < MEASURED ? 1 : SAMPLE;
        if (share === 1 || all.length % SAMPLE === 0) bytes += BSON.calculateObjectSize(document) * share;
        all.push(plain(document));
      }
      if (bytes <= result.next && all.length <= bounds.rows) continue;
      const refusal = result.judge(all.length, bytes);
      if (refusal === null) continue;
      result.forget();
      await cursor.close();
      throw refusal;
    }
    result.end();
    return all;
  }

  async function idsOf(name: string, filter: Document, session: Session): Promise<unknown[]> {
    return (await read(name, filter, { projection: { _id: 1 } }, session)).map(({ _id }) => _id);
  }

  /** In the order of the ids. */
  async function byIds(name: string, ids: readonly unknown[], session: Session): Promise<Document[]> {
    const found = new Map<string, Document>();
    for (const some of chunks(ids)) {
      for (const one of await read(name, { _id: { $in: some } }, {}, session)) found.set(keyOf(one['_id']), one);
    }
    return ids.map((id) => found.get(keyOf(id))).filter((one) => one !== undefined);
  }

  async function updateOne(
    name: string,
    filter: Document,
    update: Document | readonly Document[],
    { sort, upsert, arrayFilters }: UpdateOptions,
    session: Session,
  ): Promise<Document[]> {
    const made = collection(name).findOneAndUpdate(filter, update, {
      ...(sort && { sort: sort as Sort }),
      ...(upsert && { upsert }),
      ...(arrayFilters && { arrayFilters: [...arrayFilters] }),
      ...limits(session),
      returnDocument: 'after',
    });
    const found = await updating(made);
    return found === null ? [] : [plain(found)];
  }

  async function updateMany(
    name: string,
    filter: Document,
    update: Document | readonly Document[],
    { arrayFilters }: UpdateOptions,
    session: Session,
  ): Promise<Document[]> {
    const ids = await idsOf(name, filter, session);
    for (const some of chunks(ids)) {
      const options = { ...(arrayFilters && { arrayFilters: [...arrayFilters] }), ...limits(session) };
      await updating(collection(name).updateMany(among(filter, some), update, options));
    }
    return byIds(name, ids, session);
  }

  async function removeMany(name: string, filter: Document, session: Session): Promise<Document[]> {
    const found = await read(name, filter, {}, session);
    for (const some of chunks(found.map(({ _id }) => _id))) {
      await collection(name).deleteMany(among(filter, some), limits(session));
    }
    return found;
  }

  async function removeOne(
    name: string,
    filter: Document,
    sort: UpdateOptions['sort'],
    session: Session,
  ): Promise<Document[]> {
    const options = { ...(sort && { sort: sort as Sort }), ...limits(session) };
    const found = await collection(name).findOneAndDelete(filter, options);
    return found === null ? [] : [plain(found)];
  }

  /** Narrows the filter to the only matching document, so that one command suffices; null when several match. */
  async function single(
    name: string,
    filter: Document,
    inside: DocumentTransaction | null,
    asker: Asker | null | undefined,
  ): Promise<Document | null> {
    if (isOne(filter)) return filter;
    const options = { projection: { _id: 1 }, limit: 2 };
    const [first, second] = await call(inside, false, (session) => read(name, filter, options, session), asker);
    if (second !== undefined) return null;
    return first === undefined ? filter : among(filter, [first['_id']]);
  }

  return {
    async insert(name, documents, inside, asker) {
      if (documents.length === 0) return [];
      const { newId } = connection();
      const made = documents.map(({ _id, ...rest }) => ({ _id: _id ?? newId(), ...rest }));
      const [first] = made;
      if (made.length === 1 && first !== undefined) {
        await call(inside, true, (session) => collection(name).insertOne(first as Stored, limits(session)), asker);
      } else {
        await together(inside, (session) => collection(name).insertMany(made as Stored[], limits(session)), asker);
      }
      return made;
    },
    async find(name, filter, { lock: locks, ...options }, inside, asker) {
      if (locks === true) await lock(inside, keyFor(name, filter));
      return call(inside, false, (session) => read(name, filter, options, session), asker);
    },
    async update(name, filter, update, options, inside, asker) {
      const one = options.one === true ? filter : await single(name, filter, inside, asker);
      if (one === null) return together(inside, (session) => updateMany(name, filter, update, options, session), asker);
      const { upsert, ...narrow } = options;
      const done = await call(
        inside,
        true,
        (session) => updateOne(name, one, update, one === filter ? options : narrow, session),
        asker,
      );
      if (done.length > 0 || one === filter || upsert !== true) return done;
      // The document was deleted meanwhile. An upsert must use the original filter, without the id.
      return call(inside, true, (session) => updateOne(name, filter, update, options, session), asker);
    },
    async remove(name, filter, { one, sort }, inside, asker) {
      const which = one === true ? filter : await single(name, filter, inside, asker);
      if (which === null) return together(inside, (session) => removeMany(name, filter, session), asker);
      return call(inside, true, (session) => removeOne(name, which, sort, session), asker);
    },
    count: (name, filter, inside, asker) =>
      call(
        inside,
        false,
        (session) => collection(name).countDocuments(filter as Filter<Stored>, limits(session)),
        asker,
      ),
    aggregate: (name, pipeline, inside, asker) =>
      call(
        inside,
        pipeline.some(isWrite),
        (session) => taken(collection(name).aggregate([...pipeline], limits(session)), session),
        asker,
      ),
    begin: (_snapshot, asker) => Promise.resolve(connection().alone ? null : begin(asker)),
    turn: (inside, collections) => turn(inside, [...collections].sort().map(keyOfAll)),
    commit,
    rollback,
    retryable: isRetryable,
  };
}

/** A stage that writes the result. */
const isWrite = (stage: Document): boolean => Object.hasOwn(stage, '$out') || Object.hasOwn(stage, '$merge');

const among = (filter: Document, ids: readonly unknown[]): Filter<Stored> => ({
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
const keyOf = (id: unknown): string => `${typeof id} ${id instanceof Date} ${JSON.stringify(id)}`;

function* chunks<T>(list: readonly T[]): Generator<T[]> {
  for (let at = 0; at < list.length; at += AT_ONCE) yield list.slice(at, at + AT_ONCE);
}

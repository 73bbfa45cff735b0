/**
 * The handle of the embedded document store: the database narrows down the candidates, the library decides which match. A
 * transaction uses only its own connection, because waiting for another could deadlock.
 */
import { ObjectId } from 'bson';
import type { Asker } from '../../../contract/asker.js';
import { Fault, fault } from '../../../contract/fault.js';
import { createRepeats } from '../../../contract/repeats.js';
import { clock } from '../../../language/project/clock.js';
import { SERIALIZABLE, SNAPSHOT, type Dialect, type Isolation, type Transaction } from '../../dialects/kind.js';
import type { Document, DocumentStore, DocumentTransaction, FindOptions, UpdateOptions } from '../kind.js';
import { wantsNothing } from '../shared/window.js';
import { aggregateWith } from './aggregate.js';
import { encode, idKey, plainCopy, refused } from './codec.js';
import { change, project, type Fields } from './engine.js';
import { orderOf } from './order.js';
import { createReader, MoreToRead, type Found, type Query } from './reader.js';
import { judge, named, NOTHING, type Known } from './rules.js';
import { searchOf } from './search.js';
import { indexName, tableName, type Tables } from './tables.js';
import { termsLiteral } from './terms.js';
import { inserted, operatorsOf, seedOf } from './upsert.js';

/** Attempts to lock a matching document under concurrent changes. */
const TRIES = 30;

export interface Parts {
  readonly sql: Dialect;
  readonly tables: Tables;
  readonly instance: string;
}

type Inside = DocumentTransaction | null;
const of = (inside: Inside): Transaction | null => (inside === null ? null : (inside.transaction as Transaction));

export function createStore({ sql, tables, instance }: Parts): DocumentStore {
  const reader = createReader(tables);
  const repeated = createRepeats(clock);

  async function transacted<T>(
    need: Isolation,
    work: (transaction: Transaction) => Promise<T>,
    asker: Asker | null,
  ): Promise<T> {
    const own = await sql.begin(need, asker);
    try {
      const result = await work(own);
      await sql.commit(own);
      return result;
    } catch (error) {
      await sql.rollback(own);
      throw error;
    }
  }

  /** Runs in the given transaction, or in its own one. */
  async function within<T>(
    inside: Inside,
    work: (transaction: Transaction) => Promise<T>,
    asker: Asker | null = null,
  ): Promise<T> {
    const given = of(inside);
    if (given !== null) return work(given);
    return repeated(
      () => transacted(SERIALIZABLE, work, asker),
      (error) => sql.retryable(error),
      asker,
    );
  }

  /** Reads one consistent state, in a snapshot transaction if it takes several statements. */
  async function atOnce<T>(
    inside: Inside,
    work: (transaction: Transaction | null) => Promise<T>,
    asker: Asker | null = null,
  ): Promise<T> {
    try {
      return await work(of(inside));
    } catch (error) {
      if (error instanceof MoreToRead) return transacted(SNAPSHOT, work, asker);
      throw error;
    }
  }

  async function write(
    collection: string,
    sort: 'insert' | 'update',
    documents: readonly Document[],
    { indexes }: Known,
    inside: Transaction | null,
  ): Promise<void> {
    if (documents.length === 0) return;
    const keys = documents.map((document) => idKey(document['_id']));
    const texts = documents.map((document) => JSON.stringify(encode(document)));
    try {
      await tables.execute(tables.texts(collection)[sort], [keys, texts, documents.map(termsLiteral)], inside);
    } catch (error) {
      const table = tableName(collection, instance);
      throw named(error, new Map(indexes.map(({ name, fields }) => [indexName(table, name), fields])));
    }
  }

  async function insert(collection: string, given: readonly Document[], inside: Inside): Promise<readonly Document[]> {
    const documents = given.map((document) => withId(plainCopy(document)));
    const known = await tables.make(collection, of(inside));
    documents.forEach((document) => demand(known, document));
    await write(collection, 'insert', documents, known, of(inside));
    return documents;
  }

  /** Tests documents again that were changed since they were read. */
  async function locked(
    collection: string,
    filter: Document,
    { one, sort }: Pick<UpdateOptions, 'one' | 'sort'>,
    transaction: Transaction,
  ): Promise<readonly Document[]> {
    const options: FindOptions = { ...(one === true && { limit: 1 }), ...(sort !== undefined && { sort }) };
    for (let attempt = 1; ; attempt++) {
      const query = await reader.queryOf(collection, filter, transaction);
      if (query === null) return [];
      const found = await candidates(collection, query, options, transaction);
      const documents = found.map(({ document }) => document);
      const still = await again(collection, query, documents, sort, transaction);
      // Another document may match instead.
      if (one !== true || found.length === 0 || still.length > 0 || attempt >= TRIES) return still;
    }
  }

  async function again(
    collection: string,
    query: Query,
    documents: readonly Document[],
    sort: UpdateOptions['sort'],
    transaction: Transaction,
  ): Promise<readonly Document[]> {
    const keys = documents.map(({ _id }) => idKey(_id));
    const held = await reader.lock(collection, keys, transaction);
    return sorted(held.filter(query.test), sort);
  }

  async function candidates(
    collection: string,
    query: Query,
    options: FindOptions,
    inside: Transaction | null,
  ): Promise<readonly Found[]> {
    const sort = options.sort === undefined ? null : orderOf(options.sort);
    const most = options.limit === undefined ? Infinity : (options.skip ?? 0) + options.limit;
    let found: Found[] = [];
    const cut = (): void => {
      if (sort !== null) found.sort((a, b) => sort(a.document, b.document) || a.seq - b.seq);
      if (found.length > most) found = found.slice(0, most);
    };
    await reader.each(collection, query, inside, (one) => {
      found.push(one);
      // Bounds memory.
      if (sort !== null && found.length > 2 * most + 1000) cut();
      return sort !== null || found.length < most;
    });
    cut();
    return found;
  }

  async function updateInside(
    collection: string,
    filter: Document,
    update: Document | readonly Document[],
    options: UpdateOptions,
    transaction: Transaction,
  ): Promise<readonly Document[]> {
    const documents = (await locked(collection, filter, options, transaction)) as readonly Fields[];
    const arrayFilters = options.arrayFilters ?? [];
    if (documents.length === 0) {
      const made = withId(inserted(seedOf(filter), update, arrayFilters));
      if (options.upsert !== true) return [];
      const known = await tables.make(collection, transaction);
      demand(known, made);
      await write(collection, 'insert', [made], known, transaction);
      return [made];
    }
    const known = (await tables.known(collection, transaction)) ?? NOTHING;
    // A document that was invalid before is not validated until it becomes valid.
    const before = documents.map((document) => ({ key: idKey(document['_id']), right: isRight(known, document) }));
    const changed = change(documents, searchOf(filter, ['']).rest, operatorsOf(update), arrayFilters);
    changed.forEach((document, i) => {
      if (idKey(document['_id']) !== before[i]?.key) throw refused('/_id', 'cannot be changed');
      if (before[i].right) demand(known, document);
    });
    await write(collection, 'update', changed, known, transaction);
    return changed;
  }

  async function findInside(
    collection: string,
    filter: Document,
    options: FindOptions,
    transaction: Transaction | null,
  ): Promise<readonly Document[]> {
    const query = await reader.queryOf(collection, filter, transaction);
    if (query === null) return [];
    const found = await candidates(collection, query, options, transaction);
    const chosen = found.slice(options.skip ?? 0).map(({ document }) => document);
    const { projection, lock, sort } = options;
    const documents =
      lock === true && transaction !== null ? await again(collection, query, chosen, sort, transaction) : chosen;
    if (projection === undefined || Object.keys(projection).length === 0) return documents;
    return project(documents, query.rest, projection);
  }

  const handle: DocumentStore = {
    on: sql,
    insert,
    async find(collection, given, options, inside, asker) {
      if (wantsNothing(options)) return [];
      return atOnce(inside, (transaction) => findInside(collection, plainCopy(given), options, transaction), asker);
    },
    async update(collection, filter, update, options, inside, asker) {
      const call = (transaction: Transaction): Promise<readonly Document[]> =>
        updateInside(collection, plainCopy(filter), plainCopy(update), plainCopy(options), transaction);
      try {
        return await within(inside, call, asker);
      } catch (error) {
        // A concurrent upsert created the document.
        if (inside !== null || options.upsert !== true || !isTaken(error)) throw error;
        return within(inside, call, asker);
      }
    },
    remove: (collection, given, options, inside, asker) =>
      within(
        inside,
        async (transaction) => {
          const documents = await locked(collection, plainCopy(given), options, transaction);
          const keys = documents.map(({ _id }) => idKey(_id));
          if (keys.length > 0) await tables.execute(tables.texts(collection).remove, [keys], transaction);
          return documents;
        },
        asker,
      ),
    count: (collection, filter, inside, asker) =>
      atOnce(inside, (transaction) => reader.count(collection, plainCopy(filter), transaction), asker),
    aggregate: (collection, pipeline, inside, asker) =>
      atOnce(inside, (transaction) => aggregateWith(reader, collection, plainCopy(pipeline), transaction), asker),
    async begin(_snapshot, asker) {
      return { transaction: await sql.begin(SERIALIZABLE, asker) };
    },
    commit: (transaction) => sql.commit(transaction.transaction as Transaction),
    rollback: (transaction) => sql.rollback(transaction.transaction as Transaction),
    retryable: (error) => sql.retryable(error),
  };
  return handle;
}

const isRight = ({ rules }: Known, document: Document): boolean => rules === null || judge(rules, document) === null;

function demand({ rules }: Known, document: Document): void {
  const issue = rules === null ? null : judge(rules, document);
  if (issue !== null) throw fault(issue.code, {}, { issues: [issue] });
}

const isTaken = (error: unknown): boolean => error instanceof Fault && error.code === 'QRY_UNIQUE';

function withId(document: Document): Document {
  const { _id, ...fields } = document;
  return { _id: Object.hasOwn(document, '_id') ? _id : new ObjectId(), ...fields };
}

const sorted = (documents: readonly Document[], sort: UpdateOptions['sort']): readonly Document[] =>
  sort === undefined ? documents : [...documents].sort(orderOf(sort));

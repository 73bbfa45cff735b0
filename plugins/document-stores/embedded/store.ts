/**
 * The handle of the embedded document store: the database narrows down the candidates, the library decides. A
 * transaction uses only its own connection, because waiting for another could deadlock.
 */
import { ObjectId } from 'bson';
import type { Requester } from '../../../contract/requester.js';
import { Fault, createFault } from '../../../contract/fault.js';
import { createConflictRetry } from '../../../contract/conflict-retry.js';
import { clock } from '../../../language/project/clock.js';
import { SERIALIZABLE, SNAPSHOT, type Dialect, type Isolation, type Transaction } from '../../dialects/kind.js';
import type { Document, DocumentStore, DocumentTransaction, FindOptions, UpdateOptions } from '../kind.js';
import { isEmptyWindow } from '../shared/result-window.js';
import { runAggregate } from './aggregate.js';
import { encode, toIdKey, copyPlain, createValueFault } from './codec.js';
import { updateDocuments, projectDocuments, type Fields } from './engine.js';
import { isDescendingById } from './id-order.js';
import { createOrder } from './sort-order.js';
import { createCollectionReader, SnapshotRequiredError, type StoredDocument, type FilterPlan } from './reader.js';
import { validateDocument, nameFields, NO_METADATA, type CollectionMetadata } from './rules.js';
import { extractSearch } from './search.js';
import { toIndexName, toTableName, type CollectionTables } from './tables.js';
import { formatTerms } from './index-terms.js';
import { createDocument, omitInsertOperators, createSeed } from './upsert.js';

/** Attempts to lock a matching document under concurrent changes. */
const TRIES = 30;

export interface StoreParts {
  readonly sql: Dialect;
  readonly tables: CollectionTables;
  readonly instance: string;
}

type Inside = DocumentTransaction | null;
const getTransaction = (inside: Inside): Transaction | null =>
  inside === null ? null : (inside.transaction as Transaction);

export function createEmbeddedStore({ sql, tables, instance }: StoreParts): DocumentStore {
  const reader = createCollectionReader(tables);
  const repeated = createConflictRetry(clock);

  async function runTransaction<T>(
    need: Isolation,
    work: (transaction: Transaction) => Promise<T>,
    requester: Requester | null,
  ): Promise<T> {
    const own = await sql.begin(need, requester);
    try {
      const result = await work(own);
      await sql.commit(own);
      return result;
    } catch (error) {
      await sql.rollback(own);
      throw error;
    }
  }

  /** In the given transaction, or its own. */
  async function runWithin<T>(
    inside: Inside,
    work: (transaction: Transaction) => Promise<T>,
    requester: Requester | null = null,
  ): Promise<T> {
    const given = getTransaction(inside);
    if (given !== null) return work(given);
    return repeated(
      () => runTransaction(SERIALIZABLE, work, requester),
      (error) => sql.retryable(error),
      requester,
    );
  }

  /** In a snapshot transaction if it takes several statements. */
  async function readConsistently<T>(
    inside: Inside,
    work: (transaction: Transaction | null) => Promise<T>,
    requester: Requester | null = null,
  ): Promise<T> {
    try {
      return await work(getTransaction(inside));
    } catch (error) {
      if (error instanceof SnapshotRequiredError) return runTransaction(SNAPSHOT, work, requester);
      throw error;
    }
  }

  async function write(
    collection: string,
    sort: 'insert' | 'update',
    documents: readonly Document[],
    { indexes }: CollectionMetadata,
    inside: Transaction | null,
  ): Promise<void> {
    if (documents.length === 0) return;
    const keys = documents.map((document) => toIdKey(document['_id']));
    const texts = documents.map((document) => JSON.stringify(encode(document)));
    const columns = [keys, texts, documents.map(formatTerms)];
    const statements = tables.texts(collection);
    try {
      if (sort === 'insert' && documents.length === 1)
        await tables.execute(statements.insertOne, columns.flat(), inside);
      else await tables.execute(statements[sort], columns, inside);
    } catch (error) {
      const table = toTableName(collection, instance);
      throw nameFields(error, new Map(indexes.map(({ name, fields }) => [toIndexName(table, name), fields])));
    }
  }

  async function insert(collection: string, given: readonly Document[], inside: Inside): Promise<readonly Document[]> {
    const documents = given.map((document) => withId(copyPlain(document)));
    const known = await tables.make(collection, getTransaction(inside));
    documents.forEach((document) => requireValid(known, document));
    await write(collection, 'insert', documents, known, getTransaction(inside));
    return documents;
  }

  /** Documents may have changed since. */
  async function lockMatches(
    collection: string,
    filter: Document,
    { one, sort }: Pick<UpdateOptions, 'one' | 'sort'>,
    transaction: Transaction,
  ): Promise<readonly Document[]> {
    const options: FindOptions = { ...(one === true && { limit: 1 }), ...(sort !== undefined && { sort }) };
    for (let attempt = 1; ; attempt++) {
      const query = await reader.planQuery(collection, filter, transaction);
      if (query === null) return [];
      const found = await findCandidates(collection, query, options, transaction);
      const documents = found.map(({ document }) => document);
      const still = await retestLocked(collection, query, documents, sort, transaction);
      // Another document may match instead.
      if (one !== true || found.length === 0 || still.length > 0 || attempt >= TRIES) return still;
    }
  }

  async function retestLocked(
    collection: string,
    query: FilterPlan,
    documents: readonly Document[],
    sort: UpdateOptions['sort'],
    transaction: Transaction,
  ): Promise<readonly Document[]> {
    const keys = documents.map(({ _id }) => toIdKey(_id));
    const held = await reader.lock(collection, keys, transaction);
    return sortDocuments(held.filter(query.test), sort);
  }

  async function findCandidates(
    collection: string,
    query: FilterPlan,
    options: FindOptions,
    inside: Transaction | null,
  ): Promise<readonly StoredDocument[]> {
    const sort = options.sort === undefined ? null : createOrder(options.sort);
    const most = options.limit === undefined ? Infinity : (options.skip ?? 0) + options.limit;
    let found: StoredDocument[] = [];
    const sortAndTrim = (): void => {
      if (sort !== null) found.sort((a, b) => sort(a.document, b.document) || a.seq - b.seq);
      if (found.length > most) found = found.slice(0, most);
    };
    const descending = isDescendingById(options.sort);
    if (descending !== null && most < Infinity) {
      const first = await reader.readInOrder(collection, query, { descending, most }, inside);
      if (first !== null) {
        found = first;
        sortAndTrim();
        return found;
      }
    }
    await reader.visitMatches(collection, query, sort === null ? most : Infinity, inside, (one) => {
      found.push(one);
      // Bounds memory.
      if (sort !== null && found.length > 2 * most + 1000) sortAndTrim();
      return sort !== null || found.length < most;
    });
    sortAndTrim();
    return found;
  }

  async function updateInside(
    collection: string,
    filter: Document,
    update: Document | readonly Document[],
    options: UpdateOptions,
    transaction: Transaction,
  ): Promise<readonly Document[]> {
    const documents = (await lockMatches(collection, filter, options, transaction)) as readonly Fields[];
    const arrayFilters = options.arrayFilters ?? [];
    if (documents.length === 0) {
      const made = withId(createDocument(createSeed(filter), update, arrayFilters));
      if (options.upsert !== true) return [];
      const known = await tables.make(collection, transaction);
      requireValid(known, made);
      await write(collection, 'insert', [made], known, transaction);
      return [made];
    }
    const known = (await tables.readMetadata(collection, transaction)) ?? NO_METADATA;
    // One that was invalid before stays unvalidated until valid.
    const before = documents.map((document) => ({ key: toIdKey(document['_id']), right: isValid(known, document) }));
    const changed = updateDocuments(
      documents,
      extractSearch(filter, ['']).rest,
      omitInsertOperators(update),
      arrayFilters,
    );
    changed.forEach((document, i) => {
      if (toIdKey(document['_id']) !== before[i]?.key) throw createValueFault('/_id', 'cannot be changed');
      if (before[i].right) requireValid(known, document);
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
    const query = await reader.planQuery(collection, filter, transaction);
    if (query === null) return [];
    const found = await findCandidates(collection, query, options, transaction);
    const chosen = found.slice(options.skip ?? 0).map(({ document }) => document);
    const { projection, lock, sort } = options;
    const documents =
      lock === true && transaction !== null ? await retestLocked(collection, query, chosen, sort, transaction) : chosen;
    if (projection === undefined || Object.keys(projection).length === 0) return documents;
    return projectDocuments(documents, query.rest, projection);
  }

  const handle: DocumentStore = {
    on: sql,
    insert,
    async find(collection, given, options, inside, requester) {
      if (isEmptyWindow(options)) return [];
      return readConsistently(
        inside,
        (transaction) => findInside(collection, copyPlain(given), options, transaction),
        requester,
      );
    },
    async update(collection, filter, update, options, inside, requester) {
      const call = (transaction: Transaction): Promise<readonly Document[]> =>
        updateInside(collection, copyPlain(filter), copyPlain(update), copyPlain(options), transaction);
      try {
        return await runWithin(inside, call, requester);
      } catch (error) {
        // A concurrent upsert created the document.
        if (inside !== null || options.upsert !== true || !isTaken(error)) throw error;
        return runWithin(inside, call, requester);
      }
    },
    remove: (collection, given, options, inside, requester) =>
      runWithin(
        inside,
        async (transaction) => {
          const documents = await lockMatches(collection, copyPlain(given), options, transaction);
          const keys = documents.map(({ _id }) => toIdKey(_id));
          if (keys.length > 0) await tables.execute(tables.texts(collection).remove, [keys], transaction);
          return documents;
        },
        requester,
      ),
    count: (collection, filter, inside, requester) =>
      readConsistently(inside, (transaction) => reader.count(collection, copyPlain(filter), transaction), requester),
    aggregate: (collection, pipeline, inside, requester) =>
      readConsistently(
        inside,
        (transaction) => runAggregate(reader, collection, copyPlain(pipeline), transaction),
        requester,
      ),
    async begin(_snapshot, requester) {
      return { transaction: await sql.begin(SERIALIZABLE, requester) };
    },
    commit: (transaction) => sql.commit(transaction.transaction as Transaction),
    rollback: (transaction) => sql.rollback(transaction.transaction as Transaction),
    retryable: (error) => sql.retryable(error),
  };
  return handle;
}

const isValid = ({ rules }: CollectionMetadata, document: Document): boolean =>
  rules === null || validateDocument(rules, document) === null;

function requireValid({ rules }: CollectionMetadata, document: Document): void {
  const issue = rules === null ? null : validateDocument(rules, document);
  if (issue !== null) throw createFault(issue.code, {}, { issues: [issue] });
}

const isTaken = (error: unknown): boolean => error instanceof Fault && error.code === 'QRY_UNIQUE';

function withId(document: Document): Document {
  const { _id, ...fields } = document;
  return { _id: Object.hasOwn(document, '_id') ? _id : new ObjectId(), ...fields };
}

const sortDocuments = (documents: readonly Document[], sort: UpdateOptions['sort']): readonly Document[] =>
  sort === undefined ? documents : [...documents].sort(createOrder(sort));

/**
 * Kind `document-store`: collections of documents behind a named connection. A handle takes filters, updates and pipelines of
 * MongoDB as they are; which parts of them came from a client, and that those are values only, was settled before.
 */
import type { Asker } from '../../kernel/contract/asker.js';
import { defineKind } from '../../kernel/contract/kind.js';
import type { Dialect } from './dialect.js';
import { embedded } from './embedded.js';

/**
 * A document as stores and their callers exchange it: values of JSON, `Date`, and of `bson` only `ObjectId`. Numbers are
 * numbers; a store gives no other type of number or text out.
 */
export type Document = Readonly<Record<string, unknown>>;

export interface FindOptions {
  readonly sort?: Readonly<Record<string, unknown>>;
  readonly skip?: number;
  readonly limit?: number;
  readonly projection?: Document;
  /** What is found will be written: who reads it for the same end waits until this transaction is over. */
  readonly lock?: boolean;
}

export interface UpdateOptions {
  /** The first match only, in this order. */
  readonly one?: boolean;
  readonly sort?: Readonly<Record<string, unknown>>;
  /** Without a match, a document is made from the filter and the update. */
  readonly upsert?: boolean;
  readonly arrayFilters?: readonly Document[];
}

/** A transaction. Opaque to everybody but the store that made it. */
export interface DocumentTransaction {
  readonly transaction: unknown;
}

type Inside = DocumentTransaction | null;

/** `asker`: who waits for it, outside a transaction; inside, whoever began it does. Every call throws a Fault QRY_* and never what a driver throws; issues point at fields (`/email`). */
export interface DocumentStore {
  /** The SQL connection that it lies in: what `begin` gives holds a transaction of that one. Absent: it has its own. */
  readonly on?: Dialect;
  /** Each once; an id comes as it was asked for, of type `ObjectId` where the document has none. */
  insert(
    collection: string,
    documents: readonly Document[],
    inside: Inside,
    asker?: Asker | null,
  ): Promise<readonly Document[]>;
  find(
    collection: string,
    filter: Document,
    options: FindOptions,
    inside: Inside,
    asker?: Asker | null,
  ): Promise<readonly Document[]>;
  /** The documents as they are afterwards. An update is an object of operators, or a pipeline. */
  update(
    collection: string,
    filter: Document,
    update: Document | readonly Document[],
    options: UpdateOptions,
    inside: Inside,
    asker?: Asker | null,
  ): Promise<readonly Document[]>;
  /** The documents as they were. */
  remove(
    collection: string,
    filter: Document,
    options: Pick<UpdateOptions, 'one' | 'sort'>,
    inside: Inside,
    asker?: Asker | null,
  ): Promise<readonly Document[]>;
  count(collection: string, filter: Document, inside: Inside, asker?: Asker | null): Promise<number>;
  aggregate(
    collection: string,
    pipeline: readonly Document[],
    inside: Inside,
    asker?: Asker | null,
  ): Promise<readonly Document[]>;
  /**
   * Null where the deployment has no transactions: then every call stands for itself. `snapshot` (as it is without a word): what
   * was read stays as it was; false where whatever is read is locked.
   */
  begin(snapshot?: boolean, asker?: Asker | null): Promise<DocumentTransaction | null>;
  /**
   * Of a store whose transactions do not notice what others read: waits until nobody else has the turn of one of these collections.
   * Called right behind `begin`, with what that gave. The answer ends it; the end of the transaction does as well.
   */
  turn?(inside: Inside, collections: readonly string[]): Promise<() => void>;
  commit(transaction: DocumentTransaction): Promise<void>;
  /** Never throws. */
  rollback(transaction: DocumentTransaction): Promise<void>;
  /** True when the transaction failed for a reason that a second try may not meet. */
  retryable(error: unknown): boolean;
}

export const documentStore = defineKind<DocumentStore>({
  kind: 'document-store',
  title: 'Document store',
  summary: 'Collections of documents that `mongo_query` runs on, behind a named connection.',
  slots: ['config.documents'],
  select: { by: 'field', field: 'use' },
  config: {
    field: 'documents',
    doc: 'Named document stores. `main` is the one that queries use where neither they nor their models name another.',
    aliases: ['mongo', 'mongodb', 'document_stores', 'collections'],
    many: true,
    load: 'when-required',
    must: 'main',
    models: { references: false, key: '_id' },
    default: (given) => ({
      main: given.has('MONGO_URL') ? { use: 'mongodb', url: '$ENV.MONGO_URL' } : embedded(given),
    }),
  },
  facts: {
    embedded: { doc: 'Runs on a SQL connection of the config; no server to install.', type: 'boolean', required: true },
  },
  handle: ['insert', 'find', 'update', 'remove', 'count', 'aggregate', 'begin', 'commit', 'rollback', 'retryable'],
  host: (fragment) => ({ file: 'config', json: { documents: { main: fragment } }, at: '/documents/main' }),
});

/**
 * Kind `document-store`: collections behind a named connection. Filters, updates and pipelines are MongoDB's; the
 * query language has ensured that client input is only values.
 */
import type { Requester } from '../../contract/requester.js';
import { defineKind } from '../../contract/kind.js';
import type { Dialect } from '../dialects/kind.js';
import { createEmbeddedDefault } from '../shared/embedded.light.js';

/** JSON values, `Date`, and of `bson` only `ObjectId`, in both directions. */
export type Document = Readonly<Record<string, unknown>>;

export interface FindOptions {
  readonly sort?: Readonly<Record<string, unknown>>;
  readonly skip?: number;
  readonly limit?: number;
  readonly projection?: Document;
  /** For writing: other locking reads wait until this transaction ends. */
  readonly lock?: boolean;
}

export interface UpdateOptions {
  /** Only the first match in the order of `sort`. */
  readonly one?: boolean;
  readonly sort?: Readonly<Record<string, unknown>>;
  /** Without a match, from the filter and the update. */
  readonly upsert?: boolean;
  readonly arrayFilters?: readonly Document[];
}

/** A transaction, opaque to all code except its store. */
export interface DocumentTransaction {
  readonly transaction: unknown;
}

type Inside = DocumentTransaction | null;

/**
 * Every call throws a Fault QRY_*; issues point at fields (`/email`). `requester`: the request that waits, or that began
 * the transaction.
 */
export interface DocumentStore {
  /** The SQL connection of the documents; `begin` returns a transaction of it. Absent: the store has its own. */
  readonly on?: Dialect;
  /** Each once; returned ids equal the given ones, or are new. */
  insert(
    collection: string,
    documents: readonly Document[],
    inside: Inside,
    requester?: Requester | null,
  ): Promise<readonly Document[]>;
  find(
    collection: string,
    filter: Document,
    options: FindOptions,
    inside: Inside,
    requester?: Requester | null,
  ): Promise<readonly Document[]>;
  /** After the update: an object of operators or a pipeline. */
  update(
    collection: string,
    filter: Document,
    update: Document | readonly Document[],
    options: UpdateOptions,
    inside: Inside,
    requester?: Requester | null,
  ): Promise<readonly Document[]>;
  remove(
    collection: string,
    filter: Document,
    options: Pick<UpdateOptions, 'one' | 'sort'>,
    inside: Inside,
    requester?: Requester | null,
  ): Promise<readonly Document[]>;
  count(collection: string, filter: Document, inside: Inside, requester?: Requester | null): Promise<number>;
  aggregate(
    collection: string,
    pipeline: readonly Document[],
    inside: Inside,
    requester?: Requester | null,
  ): Promise<readonly Document[]>;
  /**
   * Null where the deployment has no transactions; each call is then independent. `snapshot` false: reads take locks.
   */
  begin(snapshot?: boolean, requester?: Requester | null): Promise<DocumentTransaction | null>;
  /**
   * For stores that do not detect read conflicts: waits for exclusive use of the collections, after `begin`. The
   * returned function, or the end of the transaction, releases them.
   */
  acquireTurns?(inside: Inside, collections: readonly string[]): Promise<() => void>;
  commit(transaction: DocumentTransaction): Promise<void>;
  /** Never rejects. */
  rollback(transaction: DocumentTransaction): Promise<void>;
  /** True when a retry may succeed. */
  retryable(error: unknown): boolean;
  /** The same store, but calls are only described: they change and return nothing. */
  describing?(): DocumentStore;
}

/** The server rejects the query itself. */
export class DescribedRejection extends Error {}

export const documentStore = defineKind<DocumentStore>({
  kind: 'document-store',
  title: 'Document store',
  summary: 'A document database for `mongo_query`, configured as a named connection.',
  slots: ['config.documents'],
  select: { by: 'field', field: 'use' },
  config: {
    field: 'documents',
    doc: 'Named document stores. Queries use `main`, unless they or their models name another.',
    aliases: ['mongo', 'mongodb', 'document_stores', 'collections'],
    many: true,
    load: 'when-required',
    tested: { use: 'embedded' },
    must: 'main',
    models: { references: false, key: '_id' },
    default: (given) => ({
      main: given.has('MONGO_URL') ? { use: 'mongodb', url: '$ENV.MONGO_URL' } : createEmbeddedDefault(given),
    }),
  },
  facts: {
    embedded: { doc: 'Uses a SQL connection of the config; no server to install.', type: 'boolean', required: true },
  },
  handle: ['insert', 'find', 'update', 'remove', 'count', 'aggregate', 'begin', 'commit', 'rollback', 'retryable'],
  host: (fragment) => ({ file: 'config', json: { documents: { main: fragment } }, at: '/documents/main' }),
});

/**
 * Kind `document-action`: what a `mongo_query` does with its collection, chosen by `action`. A handle plans one closure from
 * parts that the query language has made ready; it never looks at a value of a client itself.
 */
import type { Json } from '../../kernel/contract/json.js';
import { isObject } from '../../kernel/contract/json.js';
import { defineKind } from '../../kernel/contract/kind.js';
import type { Frame, Reader } from '../../kernel/contract/plan.js';
import type { Document, DocumentStore, DocumentTransaction } from './document-store.js';
import { inActionable } from './hosts.js';

/** Parts of the query as readers: values put in, converted to the types that the model says, ids to ids. */
export interface DocumentParts {
  readonly store: DocumentStore;
  readonly collection: string;
  /** The actionable asks for one document, whatever matches. */
  readonly one: boolean;
  /** Each is compiled when it is asked for, at load. */
  readonly filter: () => Reader<Document>;
  /** With what `with_timestamp` adds. */
  readonly update: () => Reader<Document | readonly Document[]>;
  /** Instead of a deletion, where `soft_delete` asks for it; null where it does not. */
  readonly softDelete: () => Reader<Document> | null;
  readonly pipeline: () => Reader<readonly Document[]>;
  /** What an INSERT writes: `document`, or the fields that `parameters` lists. */
  readonly document: () => Reader<Document>;
  /** A constant part of the query (`sort`) as it is written; undefined where it is not. */
  readonly constant: (field: string) => Document | undefined;
  readonly projection: () => Reader<Document | undefined>;
  /** `array_filters`. */
  readonly filters: (field: string) => Reader<readonly Document[] | undefined>;
  /** What is read feeds a write behind it; settled when the unit of work is put together. */
  readonly lock: () => boolean;
  /** A number that may come from the request (`limit`, `skip`): whole, and from 0. */
  readonly number: (field: string) => Reader<number | undefined>;
}

/** The work with all values read: nothing of the request is looked at any more. */
export type Bound = (inside: DocumentTransaction | null) => Promise<readonly Document[]>;

export interface DocumentAction {
  /** What it finds can change until it is written, unless it is locked. */
  readonly reads?: boolean;
  /** Minds `lock`. */
  readonly locks?: boolean;
  /** Changes or removes what is there. */
  readonly changes?: boolean;
  /** Gives documents (or rows) that the caller turns into JSON values. */
  plan(value: Readonly<Record<string, Json>>, parts: DocumentParts): (frame: Frame) => Bound;
}

export const documentAction = defineKind<DocumentAction>({
  kind: 'document-action',
  title: 'Document action',
  summary: 'What a `mongo_query` does with its collection.',
  slots: ['mongo_query'],
  select: { by: 'field', field: 'action' },
  facts: {
    writes: { doc: 'Changes documents.', type: 'boolean', required: true },
    changes: { doc: 'Changes or removes documents that are there already.', type: 'boolean', required: false },
  },
  handle: ['plan'],
  host: (fragment) => {
    const query = { collection: '_note', ...(isObject(fragment) ? fragment : {}) };
    const host = inActionable({ mode: 'QUERY', mongo_query: query });
    return { ...host, at: `${host.at}/mongo_query` };
  },
});

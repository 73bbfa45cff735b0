/**
 * Kind `document-action`: the operation of a `mongo_query`, selected by `action`. A handle plans one closure from
 * prepared parts.
 */
import type { Json } from '../../contract/json.js';
import { isObject } from '../../contract/json.js';
import { defineKind } from '../../contract/kind.js';
import type { Frame, Reader } from '../../contract/plan.js';
import type { Document, DocumentStore, DocumentTransaction } from '../document-stores/kind.js';
import { wrapInActionable } from '../shared/examples.light.js';

/** With values inserted and converted to the model types. */
export interface DocumentParts {
  readonly store: DocumentStore;
  readonly collection: string;
  /** The actionable requests at most one document. */
  readonly one: boolean;
  /** Each part is compiled at load, only when called. */
  readonly filter: () => Reader<Document>;
  /** Includes the fields of `with_timestamp`. */
  readonly update: () => Reader<Document | readonly Document[]>;
  readonly softDelete: () => Reader<Document> | null;
  readonly pipeline: () => Reader<readonly Document[]>;
  /** An INSERT's `document`, or the fields of `parameters`. */
  readonly document: () => Reader<Document>;
  /** As written (`sort`); undefined where absent. */
  readonly constant: (field: string) => Document | undefined;
  readonly projection: () => Reader<Document | undefined>;
  readonly filters: (field: string) => Reader<readonly Document[] | undefined>;
  /** A later write depends on this read. */
  readonly lock: () => boolean;
  /** A non-negative integer that may come from the request (`limit`, `skip`). */
  readonly number: (field: string) => Reader<number | undefined>;
}

/** With all values read; it no longer accesses the request. */
export type BoundCall = (inside: DocumentTransaction | null) => Promise<readonly Document[]>;

export interface DocumentAction {
  /** Without a lock, the result may change before a later write. */
  readonly reads?: boolean;
  readonly locks?: boolean;
  /** Changes or removes existing documents. */
  readonly changes?: boolean;
  /** Returns documents (or rows) that the caller converts to JSON values. */
  plan(value: Readonly<Record<string, Json>>, parts: DocumentParts): (frame: Frame) => BoundCall;
}

export const documentAction = defineKind<DocumentAction>({
  kind: 'document-action',
  title: 'Document action',
  summary: 'The operation of a `mongo_query` on its collection.',
  slots: ['mongo_query'],
  select: { by: 'field', field: 'action' },
  facts: {
    writes: { doc: 'Changes documents.', type: 'boolean', required: true },
    changes: { doc: 'Changes or removes existing documents.', type: 'boolean', required: false },
  },
  handle: ['plan'],
  host: (fragment) => {
    const query = { collection: '_note', ...(isObject(fragment) ? fragment : {}) };
    const host = wrapInActionable({ mode: 'QUERY', mongo_query: query });
    return { ...host, at: `${host.at}/mongo_query` };
  },
});

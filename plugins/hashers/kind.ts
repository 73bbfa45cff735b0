/** Kind `hasher`: one-way password hashing. Each plugin decides where hashing runs, and how much at once. */
import type { Requester } from '../../contract/requester.js';
import type { Json } from '../../contract/json.js';
import { isObject } from '../../contract/json.js';
import { defineKind } from '../../contract/kind.js';
import { wrapInActionable } from '../shared/examples.light.js';

/** `salt` is mixed into fresh random bytes, so equal texts have different hashes. */
export type Hash = (text: string, salt: string, requester?: Requester) => Promise<string>;

/**
 * True when `stored` is a hash of `text`. Other types return false after the same work. Rejects only when overloaded.
 */
export type Verify = (text: unknown, stored: unknown, requester?: Requester) => Promise<boolean>;

export interface Hasher {
  /** Why a text cannot be hashed (`must have ...`); null when it can. */
  checkText(text: string): { readonly code: string; readonly detail: string } | null;
  /** Compiles the `options` of one entry of a definition. */
  compileHash(options: Readonly<Record<string, Json>>): Hash;
  /** Creates a verifier for one entry; it records the cost of the hashes it has verified. */
  createVerifier(): Verify;
}

export const hasher = defineKind<Hasher>({
  kind: 'hasher',
  title: 'Hash algorithm',
  summary: 'The algorithm that hashes a password.',
  slots: ['hashables.item', 'verify_hashables.item'],
  select: { by: 'field', field: 'algorithm' },
  facts: {
    maxBytes: {
      doc: 'Maximum length of the text in bytes of UTF-8; absent: no limit.',
      type: 'number',
      required: false,
    },
    conceals: {
      doc: 'Regular expression that matches its hashes. A stored value that contains one is never returned.',
      type: 'string',
      required: false,
    },
  },
  handle: ['checkText', 'compileHash', 'createVerifier'],
  host: (fragment) => {
    const host = wrapInActionable({
      payload_validation: [{ field: { password: { type: 'STRING', min_length: 8, max_length: 72 } } }],
      hashables: [{ property: 'password', ...(isObject(fragment) ? fragment : {}) }],
    });
    return { ...host, at: `${host.at}/hashables/0` };
  },
});

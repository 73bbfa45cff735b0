/**
 * Kind `hasher`: turns a password into text from which nobody gets it back. The same plugins make hashes (`hashables`) and
 * judge them (`verify_hashables`); where the work is done, and how much of it at a time, is the plugin's business.
 */
import type { Asker } from '../../kernel/contract/asker.js';
import type { Json } from '../../kernel/contract/json.js';
import { isObject } from '../../kernel/contract/json.js';
import { defineKind } from '../../kernel/contract/kind.js';
import { inActionable } from './hosts.js';

/** Makes the hash of a text for `asker`; `salt` is mixed into fresh random bytes, so equal texts never give equal hashes. */
export type Hash = (text: string, salt: string, asker?: Asker) => Promise<string>;

/**
 * True when `stored` is a hash of `text`. Both may be anything: what is no text or no hash is false, after as much work as
 * a wrong text takes. Rejects only when there is too much to do.
 */
export type Verify = (text: unknown, stored: unknown, asker?: Asker) => Promise<boolean>;

export interface Hasher {
  /** Why a text cannot be hashed, as the end of a sentence (`must have ...`); null when it can. */
  refuses(text: string): { readonly code: string; readonly detail: string } | null;
  /** Settles the `options` of one entry of a definition. */
  hashing(options: Readonly<Record<string, Json>>): Hash;
  /** For one entry of a definition: it remembers what the hashes that it met cost. */
  verifying(): Verify;
}

export const hasher = defineKind<Hasher>({
  kind: 'hasher',
  title: 'Hash algorithm',
  summary: 'The algorithm that hashes a password.',
  slots: ['hashables.item', 'verify_hashables.item'],
  select: { by: 'field', field: 'algorithm' },
  facts: {
    maxBytes: {
      doc: 'Longest text in bytes of UTF-8; absent where there is no limit.',
      type: 'number',
      required: false,
    },
    conceals: {
      doc: 'What its hashes look like, as a regular expression: a value of a store that has one in it is never answered.',
      type: 'string',
      required: false,
    },
  },
  handle: ['refuses', 'hashing', 'verifying'],
  host: (fragment) => {
    const host = inActionable({
      payload_validation: [{ field: { password: { type: 'STRING', min_length: 8, max_length: 72 } } }],
      hashables: [{ property: 'password', ...(isObject(fragment) ? fragment : {}) }],
    });
    return { ...host, at: `${host.at}/hashables/0` };
  },
});

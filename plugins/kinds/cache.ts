/**
 * Kind `cache`: the store of what may be lost, and of what has to be seen by every process: cached results, counters of
 * limits, revoked tokens. The config chooses one. Keys are opaque text; who makes them sees to it that they cannot collide.
 */
import { defineKind } from '../../kernel/contract/kind.js';

/** What a look into the cache gave. */
export interface Recall {
  /** Null: nothing is stored. */
  readonly value: Uint8Array | null;
  /** With nothing stored: the right to store what is computed now, void as soon as the key is removed. */
  readonly lease: string;
}

export interface Counted {
  /** How often it was counted in the window, this time included. */
  readonly count: number;
  /** Milliseconds to the end of the window. */
  readonly left: number;
}

type Soon<T> = T | Promise<T>;

/** Every method rejects with the Fault CCH_AWAY when the store cannot be reached, after a second at most. */
export interface Cache {
  recall(key: string): Soon<Recall>;
  /** Stores a value for so many seconds, unless the key was removed since its lease was given, or has a value by now. */
  keep(key: string, value: Uint8Array, seconds: number, lease: string): Soon<void>;
  remove(keys: readonly string[]): Soon<void>;
  /**
   * Of a store that processes share: the right to compute the value of a key, which one at a time has, for so many milliseconds.
   * 0: the token has it now; above: milliseconds until another's ends; below: there is a value.
   */
  claim?(key: string, token: string, milliseconds: number): Soon<number>;
  /** The right is given back, where the token still has it. */
  release?(key: string, token: string): Soon<void>;
  /** Counts one more in the window of the key; the first one opens it for so many seconds. */
  count(key: string, seconds: number): Soon<Counted>;
  /** Remembers keys, each for so many seconds. */
  mark(entries: readonly { readonly key: string; readonly seconds: number }[]): Soon<void>;
  isMarked(key: string): Soon<boolean>;
}

export const cache = defineKind<Cache>({
  kind: 'cache',
  title: 'Cache store',
  summary: 'Where cached results, counters of limits and revoked tokens are kept.',
  slots: ['config.cache'],
  select: { by: 'field', field: 'use' },
  config: {
    field: 'cache',
    doc: 'Where cached results, counters of limits and revoked tokens are kept.',
    many: false,
    load: 'when-required',
    default: ({ has }) => (has('REDIS_URL') ? { use: 'redis', url: '$ENV.REDIS_URL' } : 'memory'),
  },
  facts: {
    shared: { doc: 'All processes that are configured alike see the same.', type: 'boolean', required: true },
  },
  handle: ['recall', 'keep', 'remove', 'count', 'mark', 'isMarked'],
  host: (fragment) => ({ file: 'config', json: { cache: fragment }, at: '/cache' }),
});

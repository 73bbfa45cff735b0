/**
 * Kind `storage`: where uploaded files are kept. The config chooses one. Keys (`folder/name.ext`) are made by the mode that
 * uploads, out of generated names; a driver never makes one from what a client sent.
 */
import { defineKind } from '../../kernel/contract/kind.js';
import type { CodeEntry } from '../../kernel/contract/problem.js';

/** A file that is to be stored. */
export interface Storable {
  /** Where its bytes lie now. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Media type, as its bytes told. */
  readonly type: string;
  /** Readable only at addresses that end (`url` with seconds). Absent: at its plain address, for as long as it is there. */
  readonly signed?: true;
}

/** Every method rejects with the Fault STO_AWAY when the store cannot be reached or is full. */
export interface Storage {
  /** Stores a file whole, or not at all. */
  put(key: string, file: Storable): Promise<void>;
  /** Where the stored file can be read; for so many seconds, or for as long as it is there when null. */
  url(key: string, seconds: number | null): string | Promise<string>;
  /** Removes what is there; a key of nothing is no failure. */
  remove(keys: readonly string[]): Promise<void>;
  /** Removes what nobody refers to, in the background and again until it is done; for a store that was away. */
  readonly discard?: (keys: readonly string[]) => void;
}

/** Codes of every driver. */
export const storageErrors = {
  STO_AWAY: {
    status: 503,
    title: 'Storage not available',
    message: 'Files cannot be stored at the moment.',
    help: 'The store cannot be reached, is full or may not be written to. The log has the reason; the same request may succeed later.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

export const storage = defineKind<Storage>({
  kind: 'storage',
  title: 'Storage',
  summary: 'Where uploaded files are kept.',
  slots: ['config.storage'],
  select: { by: 'field', field: 'use' },
  config: {
    field: 'storage',
    doc: 'Where uploaded files are kept.',
    many: false,
    load: 'when-required',
    default: () => 'local-disk',
  },
  facts: {
    shared: { doc: 'All processes that are configured alike see the same files.', type: 'boolean', required: true },
  },
  handle: ['put', 'url', 'remove'],
  host: (fragment) => ({ file: 'config', json: { storage: fragment }, at: '/storage' }),
});

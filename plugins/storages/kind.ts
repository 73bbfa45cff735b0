/** Kind `storage`: stores uploaded files. Keys (`folder/name.ext`) have generated names, never client input. */
import { defineKind } from '../../contract/kind.js';
import type { CodeEntry } from '../../contract/problem.js';
import type { Requester } from '../../contract/requester.js';

export interface Storable {
  /** Current path of its bytes. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Media type detected from its bytes. */
  readonly type: string;
  /** Only at URLs that expire (`url` with seconds). Absent: at its plain URL. */
  readonly signed?: true;
}

/**
 * Rejects with STO_AWAY when the store is unavailable or full. `requester`: the request that waits; its deadline ends
 * work where possible.
 */
export interface Storage {
  put(key: string, file: Storable, requester?: Requester | null): Promise<void>;
  /** The URL of the file, valid for `seconds`, or while it exists when null. */
  url(key: string, seconds: number | null): string | Promise<string>;
  /** Removes files; missing keys are ignored. */
  remove(keys: readonly string[], requester?: Requester | null): Promise<void>;
  /** Removes unreferenced files in the background, with retries while the store is unavailable. */
  readonly removeInBackground?: (keys: readonly string[]) => void;
}

/** Error codes of every driver. */
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
  summary: 'Where uploaded files are stored.',
  slots: ['config.storage'],
  select: { by: 'field', field: 'use' },
  config: {
    field: 'storage',
    doc: 'Where uploaded files are stored.',
    many: false,
    load: 'when-required',
    tested: { use: 'local-disk', path: '$ENV.LINTEL_TEST_FOLDER' },
    default: () => 'local-disk',
  },
  facts: {
    shared: { doc: 'All processes with the same config share the files.', type: 'boolean', required: true },
  },
  handle: ['put', 'url', 'remove'],
  host: (fragment) => ({ file: 'config', json: { storage: fragment }, at: '/storage' }),
});

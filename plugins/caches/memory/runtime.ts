/** Runtime of the cache `memory`: reads its options. */
import { defineRuntime } from '../../../contract/plugin.js';
import { cache, type Cache } from '../kind.js';
import { createMemory, type MemoryCache } from './memory.js';

const number = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

export default defineRuntime<Cache, MemoryCache>(cache, {
  create: ({ options }) =>
    createMemory({
      maxEntries: number(options['max_entries'], 10_000),
      maxBytes: number(options['max_bytes'], 67_108_864),
      now: () => performance.now(),
    }),
  openTestStore: (handle) => ({ reset: async () => handle.clear() }),
});

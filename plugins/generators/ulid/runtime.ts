/** Monotonic ULIDs, which also sort within one millisecond; the library draws from the cryptographic source. */
import { monotonicFactory } from 'ulid';
import { defineRuntime } from '../../../contract/plugin.js';
import { generator } from '../kind.js';

export default defineRuntime(generator, {
  create: () => {
    const next = monotonicFactory();
    return { next: () => next() };
  },
});

/** Finds accessors by what they read, according to their facts, so the kernel hard-codes no accessor name. */
import { Slot } from '../../contract/slot.js';
import { once } from '../once.js';
import type { Registry } from '../registry.js';

type Readers = Readonly<Record<'payload' | 'claims' | 'headers', readonly string[]>>;

const readersOf = once((registry: Registry): Readers => {
  const reading = (what: string): string[] =>
    registry
      .kindsIn(Slot.ACCESSOR)
      .flatMap(({ kind }) =>
        registry.names(kind).filter((name) => registry.plugin(kind, name)?.facts?.['reads'] === what),
      );
  return { payload: reading('payload'), claims: reading('claims'), headers: reading('headers') };
});

/** Roots that read the request body. */
export const payloadReaders = (registry: Registry): readonly string[] => readersOf(registry).payload;

/** Roots that read claims of a verified token. */
export const claimReaders = (registry: Registry): readonly string[] => readersOf(registry).claims;

/** Roots that read request headers. */
export const headerReaders = (registry: Registry): readonly string[] => readersOf(registry).headers;

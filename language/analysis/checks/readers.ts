/** Finds accessors by their facts, so that the kernel contains no accessor names. */
import { Slot } from '../../../contract/slot.js';
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

export const payloadReaders = (registry: Registry): readonly string[] => readersOf(registry).payload;

export const claimReaders = (registry: Registry): readonly string[] => readersOf(registry).claims;

export const headerReaders = (registry: Registry): readonly string[] => readersOf(registry).headers;

/** Which accessors read what, told by their facts: the kernel knows no accessor by name. */
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

/** Roots that read the body of the request. */
export const payloadReaders = (registry: Registry): readonly string[] => readersOf(registry).payload;

/** Roots that read claims of a verified token. */
export const claimReaders = (registry: Registry): readonly string[] => readersOf(registry).claims;

/** Roots that read headers of the request. */
export const headerReaders = (registry: Registry): readonly string[] => readersOf(registry).headers;

/** Which accessors read what, told by their facts: the kernel knows no accessor by name. */
import { Slot } from '../../contract/slot.js';
import type { Registry } from '../registry.js';

const readersOf = (registry: Registry, what: string): string[] =>
  registry
    .kindsIn(Slot.ACCESSOR)
    .flatMap(({ kind }) =>
      registry.names(kind).filter((name) => registry.plugin(kind, name)?.facts?.['reads'] === what),
    );

/** Roots that read the body of the request. */
export const payloadReaders = (registry: Registry): string[] => readersOf(registry, 'payload');

/** Roots that read claims of a verified token. */
export const claimReaders = (registry: Registry): string[] => readersOf(registry, 'claims');

/** Roots that read headers of the request. */
export const headerReaders = (registry: Registry): string[] => readersOf(registry, 'headers');

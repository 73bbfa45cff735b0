/** Finds accessors by their facts: the kernel names none. */
import { Slot } from '../../../contract/slot.js';
import { memoize } from '../memoize.js';
import type { Registry } from '../registry.js';

type Readers = Readonly<Record<'payload' | 'claims' | 'headers', readonly string[]>>;

const getReaders = memoize((registry: Registry): Readers => {
  const listReaders = (what: string): string[] =>
    registry
      .listKinds(Slot.ACCESSOR)
      .flatMap(({ kind }) => registry.names(kind).filter((name) => registry.plugin(kind, name)?.facts?.reads === what));
  return { payload: listReaders('payload'), claims: listReaders('claims'), headers: listReaders('headers') };
});

export const listPayloadReaders = (registry: Registry): readonly string[] => getReaders(registry).payload;

export const listClaimReaders = (registry: Registry): readonly string[] => getReaders(registry).claims;

export const listHeaderReaders = (registry: Registry): readonly string[] => getReaders(registry).headers;

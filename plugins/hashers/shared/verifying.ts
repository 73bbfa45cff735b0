/**
 * Judges a text against a stored hash so that time tells nothing: whatever is wrong (no row, no hash, no text), a hash of
 * the same cost is worked through and thrown away. An algorithm says what its hashes look like; this holds the rule.
 */
import type { Verify } from '../../kinds/hasher.js';
import { hashing } from './gate.js';

/** `C`: what decides how long a hash takes, such as the rounds. */
export interface Algorithm<C> {
  /** The costs of a well-formed hash that is worth the work; null for any other text. */
  readonly read: (stored: string) => C | null;
  readonly refuses: (text: string) => object | null;
  /** A well-formed hash of these costs. That it fits no text is not relied on. */
  readonly dummy: (costs: C) => string;
  readonly compare: (text: string, stored: string) => Promise<boolean>;
}

/** `expected` gives the costs that a hash most likely has, as long as none was met. */
export function verifying<C>({ read, refuses, dummy, compare }: Algorithm<C>, expected: () => C): Verify {
  let met: C | null = null;
  return async (text, stored, asker) => {
    const isText = typeof text === 'string' && refuses(text) === null;
    const hash = typeof stored === 'string' ? stored : '';
    const costs = read(hash);
    met = costs ?? met;
    const isUsable = isText && costs !== null;
    const against = isUsable ? hash : dummy(met ?? expected());
    const equal = await hashing.run(() => compare(isText ? text : '', against), asker);
    return isUsable && equal;
  };
}

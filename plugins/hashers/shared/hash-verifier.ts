/**
 * Verifies a text without timing differences: for invalid input, a dummy hash of the same cost is verified.
 * Algorithms define only their format.
 */
import type { Verify } from '../kind.js';
import { hashLimiter } from './hash-limiter.js';

/** `C`: the costs that determine the duration, such as rounds. */
export interface Algorithm<C> {
  /** The costs of a well-formed hash within the cost limit; null for any other text. */
  readonly read: (stored: string) => C | null;
  readonly checkText: (text: string) => object | null;
  /** A well-formed hash of these costs; it may match a text, because the result is ignored. */
  readonly createDummy: (costs: C) => string;
  readonly compare: (text: string, stored: string) => Promise<boolean>;
}

/** `expected`: the probable costs before the first hash is verified. */
export function createHashVerifier<C>(
  { read, checkText, createDummy, compare }: Algorithm<C>,
  expected: () => C,
): Verify {
  let met: C | null = null;
  return async (text, stored, requester) => {
    const isText = typeof text === 'string' && checkText(text) === null;
    const hash = typeof stored === 'string' ? stored : '';
    const costs = read(hash);
    met = costs ?? met;
    const isUsable = isText && costs !== null;
    const against = isUsable ? hash : createDummy(met ?? expected());
    const equal = await hashLimiter.run(() => compare(isText ? text : '', against), requester);
    return isUsable && equal;
  };
}

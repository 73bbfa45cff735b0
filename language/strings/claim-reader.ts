/** Reads a claim of the caller. */
import { createFault } from '../../contract/fault.js';
import type { Reader } from '../../contract/plan.js';
import { compilePath } from './path.js';

/** A missing claim ends the request with 403. */
export function createClaimReader(path: readonly string[]): Reader {
  const read = compilePath(path);
  const name = path.join('.');
  return ({ claims }) => {
    const value = read(claims);
    if (value === undefined) throw createFault('ACC_CLAIM', { name });
    return value;
  };
}

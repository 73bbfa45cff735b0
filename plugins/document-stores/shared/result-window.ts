/** Validates `limit` and `skip`, which may come from a client. For MongoDB, 0 is no limit. */
import { createFault } from '../../../contract/fault.js';
import type { FindOptions } from '../kind.js';

const isCount = (value: unknown): boolean => value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0);

/** True for a limit of 0. Throws QRY_BAD_VALUE for invalid numbers. */
export function isEmptyWindow({ limit, skip }: FindOptions): boolean {
  if (!isCount(limit) || !isCount(skip))
    throw createFault('QRY_BAD_VALUE', {}, { cause: new Error('no number of documents') });
  return limit === 0;
}

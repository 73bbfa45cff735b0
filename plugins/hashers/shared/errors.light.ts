/** Error codes of every hash algorithm. Data only. */
import type { CodeEntry } from '../../../contract/problem.js';

export const hasherErrors = {
  HSH_BUSY: {
    status: 503,
    title: 'Too many passwords at once',
    message: 'Too many passwords are waiting to be hashed.',
    help: 'Hashing uses a whole processor core, so only a few hashes run at a time and a hundred may wait. Send the request again later.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

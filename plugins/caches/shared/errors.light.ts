/** The error code of every cache store. */
import type { CodeEntry } from '../../../contract/problem.js';

export const cacheErrors = {
  CCH_AWAY: {
    status: 503,
    title: 'Cache store not available',
    message: 'A store that this request needs is unavailable.',
    help: 'The cache of the config (Redis) refused or lost the connection, did not answer within a second, or is full. Cached results are computed instead; limits and revoked tokens need the store. The log has the reason.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

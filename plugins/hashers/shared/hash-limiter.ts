/**
 * Limits concurrent hashing in the process, across all algorithms. The queue is fair between clients; a full one
 * rejects.
 */
import { createFault } from '../../../contract/fault.js';
import { createLimiter, type Limiter } from '../../../contract/limiter.js';
import { clock } from '../../../language/project/clock.js';

export const createHashLimiter = (atOnce: number, places: number): Limiter =>
  createLimiter(
    atOnce,
    places,
    (seconds) => createFault('HSH_BUSY', {}, { retryable: true, headers: { 'retry-after': String(seconds) } }),
    { clock },
  );

const MOST = 4;
const PLACES = 100;

/** One thread of the pool stays free for files, DNS and compression. */
export function computeConcurrency(poolSize: string | undefined, configured?: string): number {
  const threads = Number.parseInt(poolSize ?? '', 10);
  const most = Number.parseInt(configured ?? '', 10);
  return Math.min(most > 0 ? most : MOST, Math.max(1, (threads > 0 ? threads : 4) - 1));
}

const { UV_THREADPOOL_SIZE: threads, HASHES_AT_ONCE: configured } = process.env;
export const hashLimiter: Limiter = createHashLimiter(computeConcurrency(threads, configured), PLACES);

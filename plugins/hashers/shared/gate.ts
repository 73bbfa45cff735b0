/**
 * How many hashes are worked on at a time, in the whole process, whatever algorithm they have. What comes beyond waits, each
 * client in its turn; beyond the waiting line it is refused. Nothing here hashes.
 */
import { fault } from '../../../kernel/contract/fault.js';
import { createLine, type Line } from '../../../kernel/contract/line.js';
import { clock } from '../../../kernel/platform/clock.js';

export const createGate = (atOnce: number, places: number): Line =>
  createLine(
    atOnce,
    places,
    (seconds) => fault('HSH_BUSY', {}, { retryable: true, headers: { 'retry-after': String(seconds) } }),
    { clock },
  );

const MOST = 4;
const PLACES = 100;

/**
 * One thread of the pool stays free: files, host names and compression use the same threads, and a connection to the
 * database must not wait behind passwords.
 */
export function hashesAtOnce(poolSize: string | undefined, wished?: string): number {
  const threads = Number.parseInt(poolSize ?? '', 10);
  const most = Number.parseInt(wished ?? '', 10);
  return Math.min(most > 0 ? most : MOST, Math.max(1, (threads > 0 ? threads : 4) - 1));
}

const { UV_THREADPOOL_SIZE: threads, HASHES_AT_ONCE: wished } = process.env;
export const hashing: Line = createGate(hashesAtOnce(threads, wished), PLACES);

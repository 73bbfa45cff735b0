/**
 * How many hashes are worked on at a time, in the whole process, whatever algorithm they have. What comes beyond waits in
 * the order it came; beyond the waiting line it is refused. Nothing here hashes.
 */
import { fault } from '../../../kernel/contract/fault.js';

export interface Gate {
  run<T>(work: () => Promise<T>): Promise<T>;
  readonly running: number;
  readonly waiting: number;
}

/** Seconds after which a refused request may come again. */
const RETRY_AFTER = '2';

export function createGate(atOnce: number, places: number): Gate {
  const line: (() => void)[] = [];
  let running = 0;
  /** The place that becomes free goes to the next in line, so nobody can slip in between. */
  const leave = (): void => {
    const next = line.shift();
    if (next === undefined) running--;
    else next();
  };
  const enter = async (): Promise<void> => {
    if (running < atOnce) {
      running++;
      return;
    }
    if (line.length >= places) throw fault('HSH_BUSY', {}, { headers: { 'retry-after': RETRY_AFTER } });
    await new Promise<void>((resolve) => line.push(resolve));
  };
  return {
    async run(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
    get running() {
      return running;
    },
    get waiting() {
      return line.length;
    },
  };
}

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
export const hashing: Gate = createGate(hashesAtOnce(threads, wished), PLACES);

/**
 * Ends waits for stores at the deadline of the request (`http.timeouts.request`): bounds of a store may be later, and
 * a plugin may have none.
 */
import { createFault, type Fault } from '../../contract/fault.js';
import type { Requester } from '../../contract/requester.js';

/** Any `Requester`; only the deadline is read. */
export interface Waiting {
  readonly invocation: Pick<Requester['invocation'], 'deadline'>;
}

interface Wait {
  readonly until: number;
  readonly end: () => void;
}

/** Milliseconds between two looks; a timer for each wait would cost more than most waits. */
const TICK = 20;

const waits = new Set<Wait>();
let timer: NodeJS.Timeout | null = null;

function endLateWaits(): void {
  if (waits.size === 0 && timer !== null) {
    clearInterval(timer);
    timer = null;
  }
  const now = performance.now();
  for (const wait of [...waits]) {
    if (wait.until > now) continue;
    waits.delete(wait);
    wait.end();
  }
}

const createLateFault = (what: string): Fault =>
  createFault('REQ_LATE', { what }, { retryable: true, headers: { 'retry-after': '1' } });

/**
 * At the deadline of `asker`, the Fault REQ_LATE; the work goes on, and `settled` is called at its end. `what` names
 * the store.
 */
export function endAtDeadline<T>(
  work: T | Promise<T>,
  asker: Waiting | null | undefined,
  what: string,
  settled?: (late: T) => void,
): T | Promise<T> {
  const until = asker?.invocation.deadline ?? Infinity;
  if (!(work instanceof Promise) || until === Infinity) return work;
  return new Promise<T>((resolve, reject) => {
    let isLate = false;
    const rejectLate = (): void => {
      isLate = true;
      reject(createLateFault(what));
    };
    const wait: Wait = { until, end: rejectLate };
    waits.add(wait);
    timer ??= setInterval(endLateWaits, TICK).unref();
    work.then(
      (result) => {
        waits.delete(wait);
        if (isLate) settled?.(result);
        else resolve(result);
      },
      (error: Error) => {
        waits.delete(wait);
        reject(error);
      },
    );
  });
}

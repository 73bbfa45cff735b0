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

const createLateFault = (what: string): Fault =>
  createFault('REQ_LATE', { what }, { retryable: true, headers: { 'retry-after': '1' } });

/**
 * At the deadline of `requester`, the Fault REQ_LATE; the work goes on, and `settled` is called at its end. `what` names
 * the store.
 */
export function endAtDeadline<T>(
  work: T | Promise<T>,
  requester: Waiting | null | undefined,
  what: string,
  settled?: (late: T) => void,
): T | Promise<T> {
  const until = requester?.invocation.deadline ?? Infinity;
  if (!(work instanceof Promise) || until === Infinity) return work;
  return new Promise<T>((resolve, reject) => {
    let isLate = false;
    const rejectLate = (): void => {
      isLate = true;
      reject(createLateFault(what));
    };
    const timer = setTimeout(rejectLate, until - performance.now()).unref();
    work.then(
      (result) => {
        clearTimeout(timer);
        if (isLate) settled?.(result);
        else resolve(result);
      },
      (error: Error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/** An unavailable store: callers get a Fault in time, and the log its loss and return once. */
import { createFault, type Fault } from '../../../contract/fault.js';
import type { Log } from '../../../contract/plugin.js';

/** Callers receive an answer within a second. */
export const PATIENCE_MS = 900;

const createUnavailableFault = (cause: unknown): Fault =>
  createFault('JOB_AWAY', {}, { cause, retryable: true, headers: { 'retry-after': '1' } });

export interface StoreWatch {
  /** Records whether the store is available. */
  track<T>(call: Promise<T>): Promise<T>;
  /** For operators, without a timeout: rejects with JOB_AWAY. */
  trackOrFault<T>(call: Promise<T>): Promise<T>;
  /** For waiting callers: rejects with JOB_AWAY on failure or timeout. */
  trackInTime<T>(call: () => Promise<T>): Promise<T>;
}

/** `patience`: milliseconds; Infinity for an in-process store, which is never unavailable. */
export function createStoreWatch(log: Log, patience = PATIENCE_MS): StoreWatch {
  let isUnavailable = false;
  let calls = 0;
  let turned = 0;

  /** Ignores calls from before the last change: a lost connection may still fail later. */
  function switchState(begun: number, isAway: boolean): boolean {
    if (isUnavailable === isAway || begun <= turned) return false;
    isUnavailable = isAway;
    turned = calls;
    return true;
  }

  function logUnavailable(begun: number, error: unknown): void {
    if (switchState(begun, true))
      log.warn({ err: error }, 'queue store unavailable; jobs are neither accepted nor run');
  }

  async function trackFrom<T>(begun: number, call: Promise<T>): Promise<T> {
    try {
      const result = await call;
      if (switchState(begun, false)) log.info({}, 'queue store available');
      return result;
    } catch (error) {
      logUnavailable(begun, error);
      throw error;
    }
  }
  const track = <T>(call: Promise<T>): Promise<T> => trackFrom(++calls, call);

  return {
    track,
    trackOrFault: (call) =>
      track(call).catch((error: unknown) => {
        throw createUnavailableFault(error);
      }),
    async trackInTime(call) {
      let late: NodeJS.Timeout | undefined;
      const begun = ++calls;
      const work = trackFrom(begun, call());
      const tooLate = new Promise<never>((_, reject) => {
        const rejectLate = (): void => {
          const error = new Error('no answer in time');
          // A driver that keeps retrying may never fail.
          logUnavailable(begun, error);
          reject(error);
        };
        if (patience < Infinity) late = setTimeout(rejectLate, patience);
      });
      try {
        return await Promise.race([work, tooLate]);
      } catch (error) {
        // A later rejection must not be unhandled.
        work.catch(() => undefined);
        throw createUnavailableFault(error);
      } finally {
        clearTimeout(late);
      }
    },
  };
}

/** Handles an unavailable store: callers get a Fault in time, and the log reports its loss and return once each. */
import { fault, type Fault } from '../../../contract/fault.js';
import type { Log } from '../../../contract/plugin.js';

/** Callers receive an answer within a second. */
export const PATIENCE_MS = 900;

const awayFault = (cause: unknown): Fault =>
  fault('JOB_AWAY', {}, { cause, retryable: true, headers: { 'retry-after': '1' } });

export interface Watch {
  /** Records whether the store is available. */
  note<T>(call: Promise<T>): Promise<T>;
  /** For operators, without a timeout: rejects with JOB_AWAY. */
  answer<T>(call: Promise<T>): Promise<T>;
  /** For waiting callers: rejects with JOB_AWAY on failure or timeout. */
  soon<T>(call: () => Promise<T>): Promise<T>;
}

/** `patience`: milliseconds; Infinity for an in-process store, which is never unavailable. */
export function createWatch(log: Log, patience = PATIENCE_MS): Watch {
  let away = false;
  let calls = 0;
  let turned = 0;

  /** Ignores calls that began before the last change: a lost connection may still fail after the store has returned. */
  function turn(begun: number, isAway: boolean): boolean {
    if (away === isAway || begun <= turned) return false;
    away = isAway;
    turned = calls;
    return true;
  }

  function missed(begun: number, error: unknown): void {
    if (turn(begun, true))
      log.warn({ err: error }, 'the store of the queue is away; work is neither accepted nor done');
  }

  async function noteFrom<T>(begun: number, call: Promise<T>): Promise<T> {
    try {
      const result = await call;
      if (turn(begun, false)) log.info({}, 'the store of the queue is back');
      return result;
    } catch (error) {
      missed(begun, error);
      throw error;
    }
  }
  const note = <T>(call: Promise<T>): Promise<T> => noteFrom(++calls, call);

  return {
    note,
    answer: (call) =>
      note(call).catch((error: unknown) => {
        throw awayFault(error);
      }),
    async soon(call) {
      let late: NodeJS.Timeout | undefined;
      const begun = ++calls;
      const work = noteFrom(begun, call());
      const tooLate = new Promise<never>((_, reject) => {
        const giveUp = (): void => {
          const error = new Error('no answer in time');
          // A driver that keeps retrying may never fail.
          missed(begun, error);
          reject(error);
        };
        if (patience < Infinity) late = setTimeout(giveUp, patience);
      });
      try {
        return await Promise.race([work, tooLate]);
      } catch (error) {
        // A later rejection must not be unhandled.
        work.catch(() => undefined);
        throw awayFault(error);
      } finally {
        clearTimeout(late);
      }
    },
  };
}

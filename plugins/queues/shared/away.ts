/**
 * A store that is away: the Fault that callers get, in time, and what the log says: once when it went, once when it is back. The
 * words of a driver go to the log only.
 */
import { fault, type Fault } from '../../../kernel/contract/fault.js';
import type { Log } from '../../../kernel/contract/plugin.js';

/** A caller has its answer within a second. */
export const PATIENCE_MS = 900;

const awayFault = (cause: unknown): Fault =>
  fault('JOB_AWAY', {}, { cause, retryable: true, headers: { 'retry-after': '1' } });

export interface Watch {
  /** Notes how a call to the store ended; passes it on. */
  note<T>(call: Promise<T>): Promise<T>;
  /** As `note`, for operators, who have time: rejects with JOB_AWAY when it fails. */
  answer<T>(call: Promise<T>): Promise<T>;
  /** As `note`, for callers that wait: rejects with JOB_AWAY when it fails or takes too long. */
  soon<T>(call: () => Promise<T>): Promise<T>;
}

/** `patience`: milliseconds; Infinity for a store in this process, which may be busy and is never away. */
export function createWatch(log: Log, patience = PATIENCE_MS): Watch {
  let away = false;
  let calls = 0;
  let turned = 0;

  /** A call that began before the last turn is late, and no news: a connection that was lost may still fail when the store is back. */
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
          // A driver that goes on trying may never fail: who was refused must be in the log all the same.
          missed(begun, error);
          reject(error);
        };
        if (patience < Infinity) late = setTimeout(giveUp, patience);
      });
      try {
        return await Promise.race([work, tooLate]);
      } catch (error) {
        // Whoever lost the race may still fail, and nobody listens any more.
        work.catch(() => undefined);
        throw awayFault(error);
      } finally {
        clearTimeout(late);
      }
    },
  };
}

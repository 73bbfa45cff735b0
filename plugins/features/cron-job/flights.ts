/**
 * Scheduled runs in progress: renews the claim of each run, releases it at the end, and aborts the run when the claim is lost.
 * Does not decide when a run is due.
 */
import type { Running, Schedule } from '../../../contract/deferred.js';
import type { Log } from '../../../contract/plugin.js';
import type { Claim, Ledger } from '../../schedulers/kind.js';
import type { Time } from './clock.js';

/** Seconds after which the schedule of a crashed process can be claimed again. */
const LEASE = 30;
const RENEWAL = (LEASE * 1000) / 3;
/** The end of a run is reported to the ledger several times if necessary, because its schedule is skipped until then. */
const TRIES = 5;
const PAUSE = 1000;

export interface Flights {
  claim(key: string, instant: number, by: string): Promise<Claim>;
  start(schedule: Schedule, instant: number): void;
  /** Resolves when no run is in progress. */
  landed(): Promise<void>;
  abandon(): Promise<void>;
}

interface Flight {
  readonly key: string;
  readonly instant: number;
  readonly abort: AbortController;
  readonly over: Promise<void>;
}

export interface FlightsInput {
  readonly running: Pick<Running, 'tick'>;
  readonly ledger: Ledger;
  readonly log: Log;
  readonly time: Time;
}

export function createFlights({ running, ledger, log, time }: FlightsInput): Flights {
  const flights = new Set<Flight>();
  let isAbandoned = false;
  let giveUp: () => void = () => undefined;
  const abandoned = new Promise<void>((resolve) => (giveUp = resolve));

  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => void time.after(milliseconds, resolve));

  /** Renews a claim until the returned function is called. */
  function hold(key: string, instant: number, abort: AbortController): () => void {
    let sure = time.now();
    let stop: () => void = () => undefined;
    let isHeld = true;
    const lose = (): void => {
      log.warn({ action: key }, 'the claim of a scheduled run is lost; it may overlap with the next one');
      abort.abort();
    };
    const renew = async (): Promise<void> => {
      const asked = time.now();
      try {
        if (!(await ledger.renew(key, instant, LEASE))) return isHeld ? lose() : undefined;
        sure = asked;
      } catch {
        if (isHeld && time.now() - sure > LEASE * 1000) return lose();
      }
      if (isHeld) stop = time.after(RENEWAL, () => void renew());
    };
    stop = time.after(RENEWAL, () => void renew());
    return () => {
      isHeld = false;
      stop();
    };
  }

  async function giveBack(key: string, instant: number): Promise<void> {
    for (let tried = 1; ; tried++) {
      try {
        return await ledger.finish(key, instant);
      } catch (error) {
        if (tried === TRIES || isAbandoned) {
          log.warn({ action: key, err: error }, 'the end of a scheduled run could not be noted');
          return;
        }
        await pause(PAUSE);
      }
    }
  }

  async function run(schedule: Schedule, instant: number, abort: AbortController): Promise<void> {
    const { key } = schedule;
    const release = hold(key, instant, abort);
    const id = `${key}@${new Date(instant).toISOString()}`;
    try {
      const outcome = await running.tick(schedule, id, instant, abort.signal);
      if (!outcome.done)
        log.warn(
          { id, code: outcome.code, detail: outcome.detail },
          'a scheduled run failed; the next one is not affected',
        );
    } finally {
      release();
      if (!isAbandoned) await giveBack(key, instant);
    }
  }

  return {
    claim: (key, instant, by) => ledger.claim(key, instant, LEASE, by),
    start(schedule, instant) {
      const abort = new AbortController();
      const over = run(schedule, instant, abort)
        .catch((error: unknown) => log.error({ action: schedule.key, err: error }, 'a scheduled run ended badly'))
        .finally(() => flights.delete(flight));
      const flight: Flight = { key: schedule.key, instant, abort, over };
      flights.add(flight);
    },
    async landed() {
      await Promise.race([abandoned, Promise.all([...flights].map(({ over }) => over))]);
    },
    async abandon() {
      isAbandoned = true;
      giveUp();
      const left = [...flights];
      for (const { abort } of left) abort.abort();
      await Promise.allSettled(left.map(({ key, instant }) => ledger.finish(key, instant)));
    },
  };
}

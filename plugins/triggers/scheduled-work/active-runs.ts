/** Scheduled runs in progress: renews and releases claims, and aborts a run when its claim is lost. */
import type { RuntimeServices, Schedule } from '../../../contract/deferred.js';
import type { Log } from '../../../contract/plugin.js';
import type { Claim, Ledger } from '../../schedulers/kind.js';

/** Seconds after which the schedule of a crashed process can be claimed again. */
const LEASE = 30;
const RENEWAL = (LEASE * 1000) / 3;
/** Reported several times if necessary, because the schedule is skipped until then. */
const TRIES = 5;
const PAUSE = 1000;

export interface TimeSource {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number;
  /** Calls back once; returns a function that cancels it. */
  setTimer(milliseconds: number, call: () => void): () => void;
}

export interface ActiveRuns {
  claim(key: string, instant: number, by: string): Promise<Claim>;
  start(schedule: Schedule, instant: number): void;
  /** Resolves when no run is in progress. */
  waitForRuns(): Promise<void>;
  releaseClaims(): Promise<void>;
}

interface ActiveRun {
  readonly key: string;
  readonly instant: number;
  readonly abort: AbortController;
  readonly over: Promise<void>;
}

export interface ActiveRunsInput {
  readonly running: Pick<RuntimeServices, 'runSchedule'>;
  readonly ledger: Ledger;
  readonly log: Log;
  readonly time: TimeSource;
}

export function createActiveRuns({ running, ledger, log, time }: ActiveRunsInput): ActiveRuns {
  const flights = new Set<ActiveRun>();
  let isAbandoned = false;
  let signalAbandoned: () => void = () => undefined;
  const abandoned = new Promise<void>((resolve) => (signalAbandoned = resolve));

  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => void time.setTimer(milliseconds, resolve));

  /** Renews a claim until the returned function is called. */
  function startRenewal(key: string, instant: number, abort: AbortController): () => void {
    let sure = time.now();
    let stop: () => void = () => undefined;
    let isHeld = true;
    const abortRun = (): void => {
      log.warn({ action: key }, 'claim of a scheduled run lost; it may overlap with the next run');
      abort.abort();
    };
    const renewOnce = async (): Promise<void> => {
      const asked = time.now();
      try {
        if (!(await ledger.renewClaim(key, instant, LEASE))) return isHeld ? abortRun() : undefined;
        sure = asked;
      } catch {
        if (isHeld && time.now() - sure > LEASE * 1000) return abortRun();
      }
      if (isHeld) stop = time.setTimer(RENEWAL, () => void renewOnce());
    };
    stop = time.setTimer(RENEWAL, () => void renewOnce());
    return () => {
      isHeld = false;
      stop();
    };
  }

  async function recordEnd(key: string, instant: number): Promise<void> {
    for (let tried = 1; ; tried++) {
      try {
        return await ledger.finishRun(key, instant);
      } catch (error) {
        if (tried === TRIES || isAbandoned) {
          log.warn({ action: key, err: error }, 'end of a scheduled run not recorded');
          return;
        }
        await pause(PAUSE);
      }
    }
  }

  async function run(schedule: Schedule, instant: number, abort: AbortController): Promise<void> {
    const { key } = schedule;
    const release = startRenewal(key, instant, abort);
    const id = `${key}@${new Date(instant).toISOString()}`;
    try {
      const outcome = await running.runSchedule(schedule, id, instant, abort.signal);
      if (!outcome.done)
        log.warn(
          { id, code: outcome.code, detail: outcome.detail },
          'scheduled run failed; the next run is not affected',
        );
    } finally {
      release();
      if (!isAbandoned) await recordEnd(key, instant);
    }
  }

  return {
    claim: (key, instant, by) => ledger.claimRun(key, instant, LEASE, by),
    start(schedule, instant) {
      const abort = new AbortController();
      const over = run(schedule, instant, abort)
        .catch((error: unknown) => log.error({ action: schedule.key, err: error }, 'scheduled run failed'))
        .finally(() => flights.delete(flight));
      const flight: ActiveRun = { key: schedule.key, instant, abort, over };
      flights.add(flight);
    },
    async waitForRuns() {
      await Promise.race([abandoned, Promise.all([...flights].map(({ over }) => over))]);
    },
    async releaseClaims() {
      isAbandoned = true;
      signalAbandoned();
      const left = [...flights];
      for (const { abort } of left) abort.abort();
      await Promise.allSettled(left.map(({ key, instant }) => ledger.finishRun(key, instant)));
    },
  };
}

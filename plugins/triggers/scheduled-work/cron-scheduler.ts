/**
 * The scheduler of this process: waits for the instants of all schedules, claims each in the ledger and runs it, at
 * most once even if the clock changes. Of missed instants only the latest is run.
 */
import { randomUUID } from 'node:crypto';
import type { RuntimeServices, Schedule } from '../../../contract/deferred.js';
import type { Log } from '../../../contract/plugin.js';
import { readCron } from '../../../language/strings/cron.js';
import { createTimetable, type Timetable } from '../../../language/strings/cron-next.js';
import type { Ledger, Scheduler } from '../../schedulers/kind.js';
import { createActiveRuns, type TimeSource } from './active-runs.js';

export interface CronSchedulerInput {
  readonly running: Pick<RuntimeServices, 'schedules' | 'onPlansReloaded' | 'runSchedule' | 'emit'>;
  readonly scheduler: Ledger & Pick<Scheduler, 'settings'>;
  readonly log: Log;
  readonly time: TimeSource;
}

export interface CronScheduler {
  /** Starts the schedules and catches up missed runs. */
  begin(): void;
  /** Starts a run now. False: a run is active. Null: there is no such schedule. */
  startNow(key: string): Promise<boolean | null>;
  /** Stops scheduling; resolves when running actions have ended. */
  drain(): Promise<void>;
  /** Aborts running actions and releases their claims. */
  releaseClaims(): Promise<void>;
}

/** Milliseconds: a change of the system clock is noticed within it, and timers are limited to 24 days. */
const LONGEST_WAIT = 10_000;
/** Milliseconds before the ledger is queried again. */
const RETRY = 2000;
/** Milliseconds of delay that are always accepted: the ledger or the process may have been busy. */
const TOLERANCE = 60_000;

interface Entry {
  readonly schedule: Schedule;
  readonly form: string;
  readonly table: Timetable;
  /** Milliseconds: when this process learned of the schedule. */
  readonly since: number;
  /** Whether runs missed before `since` are caught up. */
  readonly catchesUp: boolean;
  /** The ledger has recorded the schedule. */
  noted: boolean;
  /** Instants up to this one are decided. */
  from: number;
  next: number | null;
  asking: { readonly instant: number; readonly by: string } | null;
  pendingRun: Promise<void> | null;
  retry: (() => void) | null;
  reported: boolean;
}

export function createCronScheduler({ running, scheduler, log, time }: CronSchedulerInput): CronScheduler {
  const entries = new Map<string, Entry>();
  const flights = createActiveRuns({ running, ledger: scheduler, log, time });
  const { catchUp } = scheduler.settings;
  let wake: (() => void) | null = null;
  let unsubscribe: (() => void) | null = null;
  let over = false;
  let isAway = false;

  function addEntry(schedule: Schedule, form: string, catchesUp: boolean): void {
    const { cron } = readCron(schedule.expression);
    if (cron === null) return;
    const table = createTimetable(cron, schedule.zone ?? 'UTC');
    const since = time.now();
    const entry: Entry = {
      schedule,
      form,
      table,
      since,
      catchesUp,
      noted: false,
      from: since,
      next: table.next(since),
      asking: null,
      pendingRun: null,
      retry: null,
      reported: false,
    };
    entries.set(schedule.key, entry);
    processEntry(entry);
  }

  /** Unchanged schedules are left alone, because their due runs are still due. */
  function refresh(catchesUp: boolean): void {
    if (over) return;
    const schedules = running.schedules();
    const keys = new Set(schedules.map(({ key }) => key));
    for (const [key, entry] of entries) if (!keys.has(key)) removeEntry(key, entry);
    for (const schedule of schedules) {
      const form = `${schedule.expression} ${schedule.zone ?? 'UTC'}`;
      const known = entries.get(schedule.key);
      if (known?.form === form) continue;
      if (known !== undefined) removeEntry(schedule.key, known);
      addEntry(schedule, form, catchesUp);
    }
    scheduleWake();
  }

  function removeEntry(key: string, entry: Entry): void {
    entry.retry?.();
    entries.delete(key);
  }

  function scheduleWake(): void {
    wake?.();
    wake = null;
    if (over || entries.size === 0) return;
    const now = time.now();
    const waits = [...entries.values()].flatMap(({ next, pendingRun, retry }) =>
      next === null || pendingRun !== null || retry !== null ? [] : [next - now],
    );
    wake = time.setTimer(Math.max(0, Math.min(LONGEST_WAIT, ...waits)), checkDue);
  }

  function checkDue(): void {
    const now = time.now();
    for (const entry of entries.values()) {
      // The system clock was set back; the ledger rejects instants that ran already.
      if (now < entry.from && entry.pendingRun === null) advanceEntry(entry, now);
      if (entry.next !== null && entry.next <= now && entry.retry === null) processEntry(entry);
    }
    scheduleWake();
  }

  function advanceEntry(entry: Entry, instant: number): void {
    entry.from = instant;
    entry.next = entry.table.next(instant);
  }

  function processEntry(entry: Entry): void {
    if (over || entry.pendingRun !== null) return;
    entry.pendingRun = processDue(entry)
      .then(() => logAvailable())
      .catch((error: unknown) => {
        logUnavailable(error);
        if (over || entries.get(entry.schedule.key) !== entry) return;
        entry.retry = time.setTimer(RETRY, () => {
          entry.retry = null;
          processEntry(entry);
        });
      })
      .finally(() => {
        entry.pendingRun = null;
        scheduleWake();
      });
  }

  /** Decides the due instant. Rejects when the ledger is unavailable; the instant then remains due. */
  async function processDue(entry: Entry): Promise<void> {
    const { schedule, form, table } = entry;
    if (!entry.noted) {
      const latest = await scheduler.resolveLatest(schedule.key, form, entry.since);
      entry.noted = true;
      if (entry.catchesUp) advanceEntry(entry, Math.min(entry.from, Math.max(latest, entry.since - catchUp - 1)));
    }
    const now = time.now();
    const due = table.latest(entry.from, now);
    if (due === null) return;
    const late = now - due;
    if (late > Math.max(catchUp, TOLERANCE)) {
      log.warn({ action: schedule.key, instant: formatInstant(due) }, 'scheduled run missed');
      emitRun('run-missed', schedule, due);
    } else await claimDue(entry, due, late);
    advanceEntry(entry, due);
  }

  async function claimDue(entry: Entry, due: number, late: number): Promise<void> {
    const { schedule } = entry;
    if (entry.asking?.instant !== due) entry.asking = { instant: due, by: randomUUID() };
    const claimed = await flights.claim(schedule.key, due, entry.asking.by);
    if (claimed === 'mine') {
      if (late > TOLERANCE) log.warn({ action: schedule.key, instant: formatInstant(due) }, 'missed run started late');
      flights.start(schedule, due);
      entry.reported = false;
    }
    if (claimed === 'busy') emitRun('run-skipped', schedule, due);
    if (claimed === 'busy' && !entry.reported) {
      entry.reported = true;
      const skipped = await scheduler.countSkipped(schedule.key).catch(() => undefined);
      log.warn(
        { action: schedule.key, instant: formatInstant(due), skipped },
        'scheduled run skipped: the previous run is still active',
      );
    }
  }

  const emitRun = (what: 'run-missed' | 'run-skipped', { resource, key }: Schedule, instant: number): void =>
    running.emit({ what, resource, key, instant });

  function logUnavailable(error: unknown): void {
    if (!isAway) log.error({ err: error }, 'schedule store unavailable; no scheduled run starts until it is available');
    isAway = true;
  }

  function logAvailable(): void {
    if (isAway) log.info({}, 'schedule store available');
    isAway = false;
  }

  return {
    begin() {
      unsubscribe ??= running.onPlansReloaded(() => refresh(false));
      refresh(true);
    },
    async startNow(key) {
      const entry = entries.get(key);
      if (over || entry === undefined) return null;
      const instant = time.now();
      if ((await flights.claim(key, instant, randomUUID())) !== 'mine') return false;
      flights.start(entry.schedule, instant);
      return true;
    },
    async drain() {
      over = true;
      unsubscribe?.();
      wake?.();
      for (const entry of entries.values()) entry.retry?.();
      // Runs claimed before the stop must still be executed: no other process would run them.
      await Promise.all([...entries.values()].map(({ pendingRun }) => pendingRun ?? Promise.resolve()));
      await flights.waitForRuns();
    },
    releaseClaims: () => flights.releaseClaims(),
  };
}

const formatInstant = (instant: number): string => new Date(instant).toISOString();

/**
 * Deferred and scheduled work under test. Nothing runs by itself: the kernel is never made ready. Steps run what is
 * due.
 */
import type { JobAdmin, JobView, Schedule } from '../../contract/deferred.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';
import { readCron } from '../../language/strings/cron.js';
import { createTimetable } from '../../language/strings/cron-next.js';
import type { TestTime } from './time.js';

/** A job as `expect.jobs` compares it. */
export interface TestJob {
  readonly resource: string;
  readonly state: 'waiting' | 'dead';
  readonly code: string | null;
  /** Allowed, whether or not they were needed. */
  readonly retries: number;
}

export interface TestJobs {
  begin(): void;
  /** Runs the jobs that are due, and those that they add. */
  runDue(): Promise<void>;
  runSchedules(): Promise<void>;
  /** Schedules and delayed jobs run in the order of their instants. */
  wait(milliseconds: number): Promise<void>;
  listJobs(): Promise<readonly TestJob[]>;
}

/** A job that adds itself again would never end. */
const MOST_RUNS = 1000;

/** `readQueueTime`: the time of the queue's store in milliseconds, that of the test where it takes its time from this process. */
export function createTestJobs(
  { running, listJobAdmins }: Pick<Kernel, 'running' | 'listJobAdmins'>,
  time: TestTime,
  readQueueTime: () => number,
): TestJobs {
  let dead: TestJob[] = [];
  /** In the time of the test, by job. Time passes only in steps that list the jobs first. */
  const instants = new Map<string, number>();
  const never = new AbortController().signal;

  async function listWaiting(): Promise<{ readonly admin: JobAdmin; readonly view: JobView; readonly due: number }[]> {
    const lists = listJobAdmins().map(async (admin) =>
      (await admin.list({ state: 'waiting' })).map((view) => ({ admin, view })),
    );
    const toDue = ({ id, dueAt }: JobView): number => {
      const instant = instants.get(id) ?? time.now() + (dueAt ?? 0) - readQueueTime();
      instants.set(id, instant);
      return instant - time.now();
    };
    return (await Promise.all(lists)).flat().map(({ admin, view }) => ({ admin, view, due: toDue(view) }));
  }

  async function runJob(admin: JobAdmin, { id, resource, retries }: JobView): Promise<void> {
    const found = await admin.show(id);
    if (found === null) return;
    let code: string | null = null;
    for (let attempt = 1; attempt <= retries + 1; attempt++) {
      const outcome = await running.runJob(found.work, attempt, never);
      code = outcome.done ? null : outcome.code;
      if (outcome.done) await outcome.forget?.();
      if (outcome.done || !outcome.retryable) break;
    }
    if (code !== null) dead.push({ resource, state: 'dead', code, retries });
    await admin.purge({ id });
  }

  async function runDue(): Promise<void> {
    for (let count = 0; ; count++) {
      const ready = (await listWaiting()).filter(({ due }) => due <= 0);
      const [next] = ready.sort((a, b) => b.view.priority - a.view.priority || a.view.acceptedAt - b.view.acceptedAt);
      if (next === undefined) return;
      if (count >= MOST_RUNS) throw new Error(`${MOST_RUNS} jobs have run, and more are due`);
      await runJob(next.admin, next.view);
    }
  }

  async function runSchedule(schedule: Schedule, instant: number): Promise<void> {
    const outcome = await running.runSchedule(schedule, `test ${schedule.key} ${instant}`, instant, never);
    if (!outcome.done) dead.push({ resource: schedule.resource, state: 'dead', code: outcome.code, retries: 0 });
  }

  /** The first instant after now, until `end`; null: none. */
  function findNext(end: number): { readonly schedule: Schedule; readonly instant: number } | null {
    const found = running.schedules().flatMap((schedule) => {
      const { cron } = readCron(schedule.expression);
      const instant = cron && createTimetable(cron, schedule.zone ?? 'UTC').next(time.now());
      return instant === null || instant > end ? [] : [{ schedule, instant }];
    });
    return found.sort((a, b) => a.instant - b.instant)[0] ?? null;
  }

  return {
    begin() {
      dead = [];
      instants.clear();
    },
    runDue,
    async runSchedules() {
      for (const schedule of running.schedules()) await runSchedule(schedule, time.now());
      await runDue();
    },
    async wait(milliseconds) {
      const end = time.now() + milliseconds;
      for (let count = 0; time.now() < end; count++) {
        if (count > MOST_RUNS) throw new Error(`more than ${MOST_RUNS} scheduled runs are due in this time`);
        const next = findNext(end);
        const dues = (await listWaiting()).map(({ due }) => time.now() + Math.max(0, due));
        const job = Math.min(end, ...dues);
        time.passTime(Math.max(0, Math.min(job, next?.instant ?? end) - time.now()));
        if (next !== null && next.instant <= time.now()) await runSchedule(next.schedule, next.instant);
        await runDue();
      }
      await runDue();
    },
    async listJobs() {
      const waiting = (await listWaiting()).map(({ view }): TestJob => ({
        resource: view.resource,
        state: 'waiting',
        code: null,
        retries: view.retries,
      }));
      return [...waiting, ...dead];
    },
  };
}

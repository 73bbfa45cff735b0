/**
 * The instants of a schedule in a time zone, computed by `croner`. When clocks go back, fixed hours run only in the first of the
 * two hours, intervals in both; a time that is skipped when clocks go forward runs once, at that moment.
 */
import { Cron as Croner } from 'croner';
import type { Cron } from './cron.js';

const SECOND = 1000;

export interface Timetable {
  /** Milliseconds since 1970; null if there is none. */
  readonly next: (after: number) => number | null;
  /** The last instant after `after` and not later than `until`; null if there is none. */
  readonly latest: (after: number, until: number) => number | null;
}

export function createTimetable(cron: Cron, zone: string): Timetable {
  const table = new Croner(formatPattern(cron), { timezone: zone, paused: true, fixedTimeRule: 'no-wildcard' });
  const findNext = (after: number): number | null => table.nextRun(new Date(after))?.getTime() ?? null;
  return {
    next: findNext,
    latest: (after, until) => {
      // The second of `until` counts, what follows it does not.
      const [last] = table.previousRuns(1, new Date(Math.floor(until / SECOND) * SECOND + SECOND));
      return last !== undefined && last.getTime() > after ? last.getTime() : null;
    },
  };
}

export function listNextInstants(cron: Cron, zone: string, after: number, count: number): number[] {
  const { next } = createTimetable(cron, zone);
  const found: number[] = [];
  for (let at = next(after); at !== null && found.length < count; at = next(at)) found.push(at);
  return found;
}

/** Lists only, which mean fixed hours there; a step marks hours as an interval. */
function formatPattern({ seconds, minutes, hours, days, months, weekdays, anyDay, anyWeekday, steady }: Cron): string {
  const written = steady ? hours.map((hour) => `${hour}-${hour}/1`) : hours;
  return [seconds, minutes, written, anyDay ? '*' : days, months, anyWeekday ? '*' : weekdays].join(' ');
}

/**
 * The instants of a schedule in a time zone. When clocks go back, fixed hours run once, intervals in both hours; a
 * skipped time runs once, when clocks go forward.
 */
import type { Cron } from './cron.js';
import { createLocalClock, type LocalClock } from './zone.js';

const SECOND = 1000;
const DAY = 86_400_000;
/** 29 February may be eight years away, on a required weekday forty. */
const HORIZON_YEARS = 41;

export interface Timetable {
  /** Milliseconds since 1970; null if there is none within the horizon. */
  readonly next: (after: number) => number | null;
  /** The last instant after `after` and not later than `until`; null if there is none. */
  readonly latest: (after: number, until: number) => number | null;
}

export function createTimetable(cron: Cron, zone: string): Timetable {
  const wall = createLocalClock(zone);
  const next = cron.runsInRepeatedHour ? createIntervalNext(cron, wall) : createHourlyNext(cron, wall);
  return {
    next,
    latest: (after, until) => {
      let found = next(after);
      if (found === null || found > until) return null;
      // Bisects: an instant follows `low`, none follows `high`.
      let [low, high] = [found, until];
      while (high - low > SECOND / 2) {
        const middle = Math.floor((low + high) / 2);
        const later = next(middle);
        if (later !== null && later <= until) low = found = later;
        else high = middle;
      }
      return found;
    },
  };
}

export function listNextInstants(cron: Cron, zone: string, after: number, count: number): number[] {
  const { next } = createTimetable(cron, zone);
  const found: number[] = [];
  for (let at = next(after); at !== null && found.length < count; at = next(at)) found.push(at);
  return found;
}

type Next = (after: number) => number | null;

/** Fixed hours: each local time maps to one instant, in the same order. */
function createHourlyNext(cron: Cron, wall: LocalClock): Next {
  return (after) => {
    for (let shown = findNextLocal(cron, wall(after) + 1); shown !== null; shown = findNextLocal(cron, shown + 1)) {
      const [first] = findInstants(wall, shown);
      const instant = first ?? skipClockChange(wall, shown);
      if (instant > after) return instant;
    }
    return null;
  };
}

/** Intervals follow local time separately in each period between two clock changes. */
function createIntervalNext(cron: Cron, wall: LocalClock): Next {
  return (after) => {
    for (let from = after + 1; ;) {
      const ahead = wall(from) - from;
      const shown = findNextLocal(cron, wall(from));
      if (shown === null) return null;
      const jump = findClockChange(wall, from, from + 2 * DAY);
      const instant = shown - ahead;
      if (instant < (jump ?? instant + 1) && instant <= from + 2 * DAY) return instant;
      if (jump === null) {
        const [first] = findInstants(wall, shown);
        if (first !== undefined) return first;
        from = skipClockChange(wall, shown);
      } else from = jump;
    }
  };
}

/** Two instants if clocks go back, none if they skip the local time. */
function findInstants(wall: LocalClock, shown: number): number[] {
  const around = [shown - DAY, shown + DAY].map((instant) => shown - (wall(instant) - instant));
  return [...new Set(around)].filter((instant) => wall(instant) === shown).sort((a, b) => a - b);
}

const skipClockChange = (wall: LocalClock, shown: number): number =>
  findClockChange(wall, shown - DAY, shown + DAY) ?? shown;

/** The first clock change in a period; null if there is none. */
function findClockChange(wall: LocalClock, from: number, to: number): number | null {
  const getOffset = (instant: number): number => wall(instant) - instant;
  const known = getOffset(from);
  if (getOffset(to) === known) return null;
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (getOffset(middle) === known) low = middle;
    else high = middle;
  }
  return high;
}

const findAtLeast = (values: readonly number[], value: number): number | undefined =>
  values.find((one) => one >= value);

/** The first matching local time at or after `from`, in whole seconds. */
function findNextLocal(cron: Cron, from: number): number | null {
  const start = new Date(Math.ceil(from / SECOND) * SECOND);
  let [year, month, day] = [start.getUTCFullYear(), start.getUTCMonth() + 1, start.getUTCDate()];
  let time = findTime(cron, start.getUTCHours(), start.getUTCMinutes(), start.getUTCSeconds());
  const last = year + HORIZON_YEARS;
  const first = findTime(cron, 0, 0, 0);
  while (year <= last) {
    const near = findAtLeast(cron.months, month);
    if (near === undefined) [year, month, day, time] = [year + 1, 1, 1, first];
    else if (near !== month) [month, day, time] = [near, 1, first];
    else if (day > countDays(year, month)) [month, day, time] = [month + 1, 1, first];
    else if (time === null || !isDay(cron, year, month, day)) [day, time] = [day + 1, first];
    else return Date.UTC(year, month - 1, day) + time;
  }
  return null;
}

const countDays = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

/** If both day fields are restricted, either may match, as in cron. */
function isDay({ days, weekdays, anyDay, anyWeekday }: Cron, year: number, month: number, day: number): boolean {
  const isDate = days.includes(day);
  const isWeekday = weekdays.includes(new Date(Date.UTC(year, month - 1, day)).getUTCDay());
  if (anyDay || anyWeekday) return isDate && isWeekday;
  return isDate || isWeekday;
}

/** The first matching time of day in milliseconds from midnight; null if that day has none. */
function findTime({ hours, minutes, seconds }: Cron, hour: number, minute: number, second: number): number | null {
  const [firstMinute = 0, firstSecond = 0] = [minutes[0], seconds[0]];
  const at = (h: number, m: number, s: number): number => ((h * 60 + m) * 60 + s) * SECOND;
  if (hours.includes(hour)) {
    const sameMinute = minutes.includes(minute) ? findAtLeast(seconds, second) : undefined;
    if (sameMinute !== undefined) return at(hour, minute, sameMinute);
    const later = findAtLeast(minutes, minute + 1);
    if (later !== undefined) return at(hour, later, firstSecond);
  }
  const later = findAtLeast(hours, hour + 1);
  return later === undefined ? null : at(later, firstMinute, firstSecond);
}

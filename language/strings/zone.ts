/** IANA time zones and their UTC offsets, from the runtime's own data. */

/** Abbreviations are ambiguous between countries, although the runtime accepts some. */
const ABBREVIATION = /^[A-Z]{3,4}$/;
const SHORT = new Set(['UTC', 'GMT', 'UCT', 'CET', 'MET', 'EET', 'WET', 'EST', 'MST', 'HST', 'ROC', 'ROK', 'PRC']);

export function isZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name) || (ABBREVIATION.test(name) && !SHORT.has(name))) return false;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

export const listZoneNames = (): readonly string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')];

/** Local time at an instant, as the milliseconds of the same time in UTC. */
export type LocalClock = (instant: number) => number;

/** `zone` must be accepted by `isZone`. */
export function createLocalClock(zone: string): LocalClock {
  if (zone === 'UTC') return (instant) => instant;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (instant) => {
    const shown: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    for (const { type, value } of format.formatToParts(instant)) shown[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
    return Date.UTC(year, month - 1, day, hour, minute, second) + (((instant % 1000) + 1000) % 1000);
  };
}

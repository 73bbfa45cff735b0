/** Time zones by their IANA names: which there are, and how far their clocks are from UTC. Nothing is read from a disk. */

/** Abbreviations that mean another zone in another country; the runtime takes some of them all the same. */
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

/** Of the zones with a place; for messages. */
export const zoneNames = (): readonly string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')];

/** What clocks show at an instant, as milliseconds that a UTC clock would show it at. */
export type Wall = (instant: number) => number;

/** `zone` is one that `isZone` accepts. */
export function wallOf(zone: string): Wall {
  if (zone === 'UTC') return (instant) => instant;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  return (instant) => {
    const shown: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    for (const { type, value } of format.formatToParts(instant)) shown[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
    return Date.UTC(year, month - 1, day, hour, minute, second) + (((instant % 1000) + 1000) % 1000);
  };
}

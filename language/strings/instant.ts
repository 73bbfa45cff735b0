/** Parses ISO 8601 times of the years 1 to 9999 in UTC, which every store accepts. */
const INSTANT =
  /^\s*(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?\s*(?:Z|([+-])(\d\d)(?::?(\d\d))?)?)?\s*$/i;
const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** Returns milliseconds since 1970, truncated; null for an invalid time. */
export function readInstant(text: string): number | null {
  const [all, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', sign, hours = '0', minutes] =
    INSTANT.exec(text) ?? [];
  if (all === undefined || Number(hour) > 23) return null;
  const local = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
  // JavaScript parses 30 February as 1 March.
  if (Number.isNaN(local.getTime()) || local.getUTCDate() !== Number(day)) return null;
  const offset = (Number(hours) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -1 : 1);
  const instant = local.getTime() - offset * 60_000;
  return instant >= FIRST && instant <= LAST ? instant : null;
}

/** Databases round extra digits differently. */
export const truncateInstant = (text: string, digits: number): string =>
  text.replace(/\.(\d+)/, (fraction: string) => fraction.slice(0, digits + 1));

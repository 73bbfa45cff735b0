/** Times as text, in the one form that every store takes: ISO 8601, a day that exists, of the years 1 to 9999 in UTC. */
const INSTANT =
  /^\s*(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?\s*(?:Z|([+-])(\d\d)(?::?(\d\d))?)?)?\s*$/i;
const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** Milliseconds since 1970, without the digits behind them; null for what is no time, or none that every store can keep. */
export function readInstant(text: string): number | null {
  const [all, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', sign, hours = '0', minutes] =
    INSTANT.exec(text) ?? [];
  if (all === undefined || Number(hour) > 23) return null;
  const local = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
  // JavaScript takes the 30th of February for the first of March.
  if (Number.isNaN(local.getTime()) || local.getUTCDate() !== Number(day)) return null;
  const offset = (Number(hours) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -1 : 1);
  const instant = local.getTime() - offset * 60_000;
  return instant >= FIRST && instant <= LAST ? instant : null;
}

/** With so many digits of a second at most: databases would round what is beyond, each in its own way. */
export const cutInstant = (text: string, digits: number): string =>
  text.replace(/\.(\d+)/, (fraction: string) => fraction.slice(0, digits + 1));

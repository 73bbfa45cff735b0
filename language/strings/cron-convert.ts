/** Converts schedules of other systems, or in words ("@daily", "0 3 * * *", "every 5 minutes"), to six fields. */

const NICKNAMES: ReadonlyMap<string, string> = new Map([
  ['yearly', '0 0 0 1 1 *'],
  ['annually', '0 0 0 1 1 *'],
  ['monthly', '0 0 0 1 * *'],
  ['weekly', '0 0 0 * * 0'],
  ['daily', '0 0 0 * * *'],
  ['nightly', '0 0 0 * * *'],
  ['midnight', '0 0 0 * * *'],
  ['hourly', '0 0 * * * *'],
  ['minutely', '0 * * * * *'],
]);

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
const LENGTHS = /^(?:@?every\s+)?(?:(\d{1,5})\s*)?(s|m|h|d|w|sec|min|hr|second|minute|hour|day|week|month)s?$/;
const TIMES = /^(?:every\s+)?([a-z]+?)s?\s+(?:at|@)\s+(\d{1,2})(?::(\d\d))?\s*(am|pm)?$/;
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

export interface ScheduleConversion {
  readonly words: boolean;
  /** Undefined if the conversion is not certain. */
  readonly right?: string;
}

/** `text` is a schedule that does not have six fields. */
export function convertSchedule(text: string): ScheduleConversion {
  const plain = text.trim().toLowerCase();
  const right = NICKNAMES.get(plain.replace(/^@/, '')) ?? convertInterval(plain) ?? convertTime(plain);
  if (right !== undefined) return { words: true, right };
  return { words: /^@?[a-z]{3,}\b/.test(plain), ...convertFields(text) };
}

/** Five fields: a crontab schedule; seven: a year at the end. */
function convertFields(text: string): { readonly right?: string } {
  const fields = text
    .trim()
    .replace(/\s*,\s*/g, ',')
    .split(/\s+/);
  if (fields.length === 5) return { right: `0 ${fields.join(' ')}` };
  const isYears = fields.length === 7 && ['*', '?'].includes(fields[6] ?? '');
  return fields.length === 6 || isYears ? { right: fields.slice(0, 6).join(' ') } : {};
}

/** `every 5 minutes`, `30s`: if the interval divides the next unit. */
function convertInterval(text: string): string | undefined {
  const [, count = '1', unit = ''] = LENGTHS.exec(text) ?? [];
  if (unit === '' || (!/\d|every/.test(text) && unit.length === 1)) return undefined;
  if (unit === 'month') return count === '1' ? '0 0 0 1 * *' : undefined;
  const seconds = Number(count) * (SECONDS[unit[0] ?? ''] ?? 0);
  if (seconds === 604_800) return '0 0 0 * * 0';
  if (seconds === 86_400) return '0 0 0 * * *';
  const formatStep = (length: number): string => (length === 1 ? '*' : `*/${length}`);
  const isDivisor = (length: number, whole: number): boolean => length >= 1 && length < whole && whole % length === 0;
  if (isDivisor(seconds, 60)) return `${formatStep(seconds)} * * * * *`;
  if (isDivisor(seconds / 60, 60)) return `0 ${formatStep(seconds / 60)} * * * *`;
  return isDivisor(seconds / 3600, 24) ? `0 0 ${formatStep(seconds / 3600)} * * *` : undefined;
}

/** `every day at 3am`, `weekdays at 9:30`, `Monday at 17:00`. */
function convertTime(text: string): string | undefined {
  const [, day = '', hours = '', minutes = '0', half] = TIMES.exec(text) ?? [];
  const weekday = DAYS.findIndex((name) => name === day || name.slice(0, 3) === day);
  const on = ['day', 'daily', 'night'].includes(day) ? '*' : day === 'weekday' ? '1-5' : String(weekday);
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === 'pm' ? 12 : 0);
  return on === '-1' || hours === '' ? undefined : `0 ${Number(minutes)} ${hour} * * ${on}`;
}

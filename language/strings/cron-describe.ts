/** For display: "at 03:00, on Monday to Friday (UTC)". */
import type { Cron } from './cron.js';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
/** Up to this many times of day are listed individually. */
const MANY = 6;

export function describeCron(cron: Cron, zone = 'UTC'): string {
  return `${[describeTime(cron), ...describeDays(cron)].join(', ')} (${zone})`;
}

function describeTime({ seconds, minutes, hours }: Cron): string {
  const isPlain = seconds.length === 1 && minutes.length * hours.length <= MANY;
  if (isPlain) {
    const [second = 0] = seconds;
    const tail = second === 0 ? '' : `:${padTwo(second)}`;
    return `at ${joinWords(hours.flatMap((hour) => minutes.map((minute) => `${padTwo(hour)}:${padTwo(minute)}${tail}`)))}`;
  }
  const parts = [
    isOnly(seconds, 0) ? '' : describeStep(seconds, 60, 'second'),
    isOnly(seconds, 0) || minutes.length < 60 ? describeStep(minutes, 60, 'minute') : '',
    hours.length < 24
      ? describeStep(hours, 24, 'hour')
      : isEvery(minutes, 60) || minutes.length > 1
        ? ''
        : 'of every hour',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

const isOnly = (values: readonly number[], value: number): boolean => values.length === 1 && values[0] === value;
const isEvery = (values: readonly number[], count: number): boolean => values.length === count;

function describeStep(values: readonly number[], count: number, unit: string): string {
  if (isEvery(values, count)) return `every ${unit}`;
  const [first = 0, second = 0] = values;
  const step = second - first;
  const isEven = values.every((value, i) => value === first + i * step);
  if (first === 0 && values.length > 1 && isEven && step * values.length === count) return `every ${step} ${unit}s`;
  return `in ${unit} ${joinWords(formatRanges(values, String))}`;
}

function describeDays({ days, weekdays, months, anyDay, anyWeekday }: Cron): string[] {
  const dates = anyDay ? '' : `on day ${joinWords(formatRanges(days, String))} of the month`;
  const week = anyWeekday ? '' : `on ${joinWords(formatRanges(weekdays, (day) => WEEKDAYS[day] ?? ''))}`;
  const both = [dates, week].filter((text) => text !== '').join(' or ');
  const year = isEvery(months, 12) ? '' : `in ${joinWords(formatRanges(months, (month) => MONTHS[month - 1] ?? ''))}`;
  return [both, year].filter((text) => text !== '');
}

const padTwo = (value: number): string => String(value).padStart(2, '0');

/** `a, b and c`. */
const joinWords = (texts: readonly string[]): string =>
  texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1) ?? ''}`;

/** Three or more consecutive values form a range. */
function formatRanges(values: readonly number[], name: (value: number) => string): string[] {
  const found: string[] = [];
  for (let i = 0; i < values.length;) {
    let end = i;
    while (values[end + 1] === (values[end] ?? 0) + 1) end++;
    const run = values.slice(i, end + 1);
    if (run.length > 2) found.push(`${name(run[0] ?? 0)} to ${name(run.at(-1) ?? 0)}`);
    else found.push(...run.map(name));
    i = end + 1;
  }
  return found;
}

/** Validates schedules with six fields (seconds first) and suggests corrections; `cron-next.ts` computes the instants. */

import { convertSchedule } from './cron-convert.js';

export interface Cron {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  /** Sunday is 0. */
  readonly weekdays: readonly number[];
  /** `*` or `?`: only the other day field restricts the day. */
  readonly anyDay: boolean;
  readonly anyWeekday: boolean;
  /** True if the hour is `*` or has a step: it also runs in a repeated hour. */
  readonly runsInRepeatedHour: boolean;
}

export interface CronFlaw {
  readonly start: number;
  readonly end: number;
  /** Follows the name of the field, or "It". */
  readonly what: string;
  /** Null for the whole schedule. */
  readonly field: string | null;
  /** Undefined if the correction is not certain. */
  readonly right?: string;
}

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
  /** The field accepts `?` as `*`. */
  readonly open?: true;
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const LONG_NAMES =
  'JANUARY FEBRUARY MARCH APRIL JUNE JULY AUGUST SEPTEMBER SEPT OCTOBER NOVEMBER DECEMBER SUNDAY MONDAY TUESDAY TUES WEDNESDAY THURSDAY THURS FRIDAY SATURDAY'.split(
    ' ',
  );
const FIELDS: readonly Field[] = [
  { name: 'second', min: 0, max: 59 },
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31, open: true },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day of the week', min: 0, max: 7, names: WEEKDAYS, open: true },
];
const LONGEST_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

interface Part {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export type CronResult =
  | { readonly cron: Cron; readonly flaws?: undefined }
  | { readonly cron: null; readonly flaws: readonly CronFlaw[] };

export function readCron(text: string): CronResult {
  const parts = [...text.matchAll(/\S+/g)].map(({ 0: found, index }): Part => ({
    text: found,
    start: index,
    end: index + found.length,
  }));
  if (parts.length !== FIELDS.length) return { cron: null, flaws: [createCountFlaw(text, parts)] };
  const flaws: CronFlaw[] = [];
  const sets = FIELDS.map((field, i) => {
    const part = parts[i] ?? { text: '', start: 0, end: 0 };
    const { values, flaw } = readField(field, part.text);
    if (flaw !== undefined) flaws.push({ start: part.start, end: part.end, field: field.name, ...flaw });
    return [...new Set(field.names === WEEKDAYS ? values.map((day) => day % 7) : values)].sort((a, b) => a - b);
  });
  const [seconds = [], minutes = [], hours = [], days = [], months = [], weekdays = []] = sets;
  const [, , hour = '', day = '', , weekday = ''] = parts.map((part) => part.text);
  const cron: Cron = {
    seconds,
    minutes,
    hours,
    days,
    months,
    weekdays,
    anyDay: isAny(day),
    anyWeekday: isAny(weekday),
    runsInRepeatedHour: /[*/]/.test(hour),
  };
  if (flaws.length === 0 && cron.anyWeekday && !isPossible(cron))
    flaws.push({
      start: parts[3]?.start ?? 0,
      end: parts[4]?.end ?? 0,
      what: `never comes: day ${String(days[0])} is in none of these months`,
      field: 'day of the month',
    });
  return flaws.length > 0 ? { cron: null, flaws } : { cron: Object.freeze(cron) };
}

const isAny = (text: string): boolean => text === '*' || text === '?';

const isPossible = ({ days, months }: Cron): boolean =>
  months.some((month) => days.some((day) => day <= (LONGEST_MONTH[month - 1] ?? 0)));

function createCountFlaw(text: string, parts: readonly Part[]): CronFlaw {
  const { words, right } = convertSchedule(text);
  const count = parts.length === 1 ? 'one field' : `${parts.length} fields`;
  const what = text.includes('$')
    ? 'is the same wherever this runs: no accessor stands in it, and no variable'
    : words
      ? `is ${parts.length === 1 ? 'a word' : 'words'}, not six fields`
      : `has ${count}; a schedule has six, seconds first`;
  const isSound = right !== undefined && readCron(right).cron !== null;
  return { start: 0, end: text.length, what, field: null, ...(isSound && { right }) };
}

interface FieldFlaw {
  readonly what: string;
  readonly right?: string;
}
interface FieldResult {
  readonly values: readonly number[];
  readonly flaw?: FieldFlaw;
}

const ITEM = /^(?:(\*|\?)|(\w+)(?:-(\w+))?)(?:\/(\w+))?$/;

function readField(field: Field, text: string): FieldResult {
  const values: number[] = [];
  const items = text.split(',');
  for (const [i, item] of items.entries()) {
    const read = readItem(field, item);
    if (read.flaw !== undefined) {
      const { what, right } = read.flaw;
      return { values, flaw: right === undefined ? { what } : { what, right: items.with(i, right).join(',') } };
    }
    values.push(...read.values);
  }
  return { values };
}

const createFlaw = (what: string, right?: string): FieldResult => ({
  values: [],
  flaw: right === undefined ? { what } : { what, right },
});

function readItem(field: Field, item: string): FieldResult {
  const [whole, star, from = '', to, step] = ITEM.exec(item) ?? [];
  if (whole === undefined) return createFlaw(`cannot be "${item}": ${describeForms(field)}`);
  if (star === '?' && field.open === undefined) return createFlaw('cannot be "?"', item.replace('?', '*'));
  const low = star === undefined ? parseValue(field, from) : field.min;
  const high =
    to !== undefined ? parseEnd(field, to, low ?? 0) : star === undefined && step === undefined ? low : getTop(field);
  if (low === null || high === null)
    return createFlaw(`cannot be "${item}": ${describeForms(field)}`, suggestItem(field, item));
  if (low > high) return createFlaw(`runs backwards in "${item}"`, splitRange(field, from, to ?? '', step));
  const pace = step === undefined ? 1 : /^\d{1,3}$/.test(step) ? Number(step) : 0;
  const longest = getTop(field) - field.min;
  if (pace < 1 || pace > longest) return createFlaw(`has the step "${step ?? ''}": one of 1 to ${longest} is meant`);
  const values: number[] = [];
  for (let value = low; value <= high; value += pace) values.push(value);
  return { values };
}

/** Shortens names to three letters, and turns hour 24, minute 60 or second 60 into 0. */
function suggestItem({ names, min, max }: Field, item: string): string | undefined {
  if (min === 0 && item === String(max + 1) && names === undefined) return '0';
  const right = item.replace(/[a-z]{4,}/gi, (word) => {
    const name = names?.find((one) => word.toUpperCase().startsWith(one));
    return name !== undefined && LONG_NAMES.includes(word.toUpperCase()) ? name : word;
  });
  return right === item ? undefined : right;
}

/** Sunday may be written as 7, but `*` ends with Saturday. */
const getTop = (field: Field): number => (field.names === WEEKDAYS ? 6 : field.max);

function parseValue({ min, max, names }: Field, text: string): number | null {
  const named = names?.indexOf(text.toUpperCase()) ?? -1;
  if (named !== -1) return named + min;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : -1;
  return value >= min && value <= max ? value : null;
}

/** `SAT-SUN` ends with Sunday as 7. */
function parseEnd(field: Field, text: string, low: number): number | null {
  const value = parseValue(field, text);
  return field.names === WEEKDAYS && value === 0 && low > 0 ? 7 : value;
}

/** Splits `22-2` into two ranges; with a step the start of the second one is ambiguous. */
function splitRange(field: Field, from: string, to: string, step: string | undefined): string | undefined {
  if (step !== undefined) return undefined;
  const formatName = (value: number): string =>
    /\d/.test(from) ? String(value) : (field.names?.[value - field.min] ?? '');
  const formatRange = (a: string, b: string): string => (a === b ? a : `${a}-${b}`);
  return `${formatRange(from, formatName(getTop(field)))},${formatRange(formatName(field.min), to)}`;
}

const describeForms = ({ min, max, names }: Field): string =>
  `it takes ${min}-${max}${names === undefined ? '' : ` or ${names[0] ?? ''}-${names.at(-1) ?? ''}`}, "*", lists (1,2), ranges (1-5) and steps (*/5)`;

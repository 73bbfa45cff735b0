/**
 * Values on their way out: from the text that PostgreSQL answers with to native JSON values, by type number. The same
 * table serves both dialects, so that an answer does not depend on the database. Types without a row stay text.
 */
import { exactNumber, readJson } from '../../../kernel/language/exact-json.js';
import { parseArray } from './arrays.js';

export type Parse = (text: string) => unknown;

const text: Parse = (value) => value;
const boolean: Parse = (value) => value === 't';
const number: Parse = (value) => Number(value);
const json: Parse = readJson;
/** JSON has no infinities and no `NaN`: those are text, as the database writes them. */
const float: Parse = (value) => {
  const result = Number(value);
  return Number.isFinite(result) ? result : value;
};

/** Whole numbers that a double cannot hold stay text: a wrong id is worse than a string. */
const integer: Parse = (value) => {
  const result = Number(value);
  return Number.isSafeInteger(result) ? result : value;
};

/** Text too where a double would change it. */
export const decimal: Parse = (value) => {
  if (!value.includes('.')) return integer(value);
  if (value.length < 16) return Number(value);
  const result = exactNumber(value);
  return typeof result === 'number' ? result : value;
};

const INSTANT = /^(\d{4,6}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?(?:([+-]\d\d)(?::?(\d\d))?)?$/;

/**
 * `2026-01-02 03:04:05.6+00` to `2026-01-02T03:04:05.600Z`. Sessions run in UTC; should a statement have changed that,
 * the offset is kept. `infinity` and years before our era stay as they are.
 */
export const instant: Parse = (value) => {
  // The common case without a pattern: 2026-01-02 03:04:05[.fraction][+00], plain cuts at fixed places.
  if (value.charCodeAt(10) === 32 && value.charCodeAt(4) === 45) {
    const end = value.endsWith('+00') ? value.length - 3 : value.length;
    const tail = value.slice(19, end);
    if (tail === '') return `${value.slice(0, 10)}T${value.slice(11, 19)}.000Z`;
    if (tail.charCodeAt(0) === 46 && !/[^.0-9]/.test(tail)) {
      return `${value.slice(0, 10)}T${value.slice(11, end)}${'0'.repeat(Math.max(0, 4 - tail.length))}Z`;
    }
  }
  const [all, day, time, fraction = '', hours, minutes = '00'] = INSTANT.exec(value) ?? [];
  if (all === undefined) return value;
  const zone = hours === undefined || (hours === '+00' && minutes === '00') ? 'Z' : `${hours}:${minutes}`;
  return `${day}T${time}.${fraction.padEnd(3, '0')}${zone}`;
};

const arrayOf =
  (element: Parse): Parse =>
  (value) =>
    parseArray(value, element);

/** Element type, its number, the number of its array type. */
const ROWS: readonly (readonly [Parse, number, number])[] = [
  [boolean, 16, 1000],
  [text, 17, 1001],
  [text, 18, 1002],
  [text, 19, 1003],
  [integer, 20, 1016],
  [number, 21, 1005],
  [number, 23, 1007],
  [text, 25, 1009],
  [number, 26, 1028],
  [json, 114, 199],
  [float, 700, 1021],
  [float, 701, 1022],
  [text, 1042, 1014],
  [text, 1043, 1015],
  [text, 1082, 1182],
  [text, 1083, 1183],
  [instant, 1114, 1115],
  [instant, 1184, 1185],
  [decimal, 1700, 1231],
  [text, 2950, 2951],
  [json, 3802, 3807],
];

export const parsers: ReadonlyMap<number, Parse> = new Map(
  ROWS.flatMap(([parse, one, many]): [number, Parse][] => [
    [one, parse],
    [many, arrayOf(parse)],
  ]),
);

/** The parser of a type number; text for types that are not in the table. */
export const parserOf = (oid: number): Parse => parsers.get(oid) ?? text;

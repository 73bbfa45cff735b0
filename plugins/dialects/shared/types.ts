/** Converts values from PostgreSQL text to JSON values by type OID. Types not listed stay text. */
import { exactNumber, readJson } from '../../../language/strings/exact-json.js';
import { parseArray } from './arrays.js';

export type Parse = (text: string) => unknown;

const text: Parse = (value) => value;
const boolean: Parse = (value) => value === 't';
const number: Parse = (value) => Number(value);
const json: Parse = readJson;
/** Infinities and `NaN` are not JSON numbers and stay text. */
const float: Parse = (value) => {
  const result = Number(value);
  return Number.isFinite(result) ? result : value;
};

/** Integers that a double cannot hold exactly stay text. */
const integer: Parse = (value) => {
  const result = Number(value);
  return Number.isSafeInteger(result) ? result : value;
};

/** Decimals that a double would change stay text. */
export const decimal: Parse = (value) => {
  if (!value.includes('.')) return integer(value);
  if (value.length < 16) return Number(value);
  const result = exactNumber(value);
  return typeof result === 'number' ? result : value;
};

const INSTANT = /^(\d{4,6}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?(?:([+-]\d\d)(?::?(\d\d))?)?$/;

/** `2026-01-02 03:04:05.6+00` to `2026-01-02T03:04:05.600Z`. `infinity` and years BC stay unchanged. */
export const instant: Parse = (value) => {
  // Fast path for 2026-01-02 03:04:05[.fraction][+00].
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

/** Parser, element type OID, array type OID. */
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

export const parserOf = (oid: number): Parse => parsers.get(oid) ?? text;

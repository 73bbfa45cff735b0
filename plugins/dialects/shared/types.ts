/** From PostgreSQL text to JSON values by OID. Others stay text. */
import { toExactNumber, parseExactJson } from '../../../language/strings/exact-json.js';
import { parseArray } from './arrays.js';

export type Parse = (text: string) => unknown;

const toText: Parse = (value) => value;
const toBoolean: Parse = (value) => value === 't';
const toNumber: Parse = (value) => Number(value);
const json: Parse = parseExactJson;
/** Infinities and `NaN` are not JSON numbers and stay text. */
const parseDouble: Parse = (value) => {
  const result = Number(value);
  return Number.isFinite(result) ? result : value;
};

/** Integers that a double cannot hold exactly stay text. */
const parseInteger: Parse = (value) => {
  const result = Number(value);
  return Number.isSafeInteger(result) ? result : value;
};

/** Decimals that a double would change stay text. */
export const parseDecimal: Parse = (value) => {
  if (!value.includes('.')) return parseInteger(value);
  if (value.length < 16) return Number(value);
  const result = toExactNumber(value);
  return typeof result === 'number' ? result : value;
};

const INSTANT = /^(\d{4,6}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?(?:([+-]\d\d)(?::?(\d\d))?)?$/;

/** `2026-01-02 03:04:05.6+00` to `2026-01-02T03:04:05.600Z`. `infinity` and years BC stay unchanged. */
export const parseTimestamp: Parse = (value) => {
  const [all, day, time, fraction = '', hours, minutes = '00'] = INSTANT.exec(value) ?? [];
  if (all === undefined) return value;
  const zone = hours === undefined || (hours === '+00' && minutes === '00') ? 'Z' : `${hours}:${minutes}`;
  return `${day}T${time}.${fraction.padEnd(3, '0')}${zone}`;
};

const createArrayParser =
  (element: Parse): Parse =>
  (value) =>
    parseArray(value, element);

/** Parser, element type OID, array type OID. */
const ROWS: readonly (readonly [Parse, number, number])[] = [
  [toBoolean, 16, 1000],
  [toText, 17, 1001],
  [toText, 18, 1002],
  [toText, 19, 1003],
  [parseInteger, 20, 1016],
  [toNumber, 21, 1005],
  [toNumber, 23, 1007],
  [toText, 25, 1009],
  [toNumber, 26, 1028],
  [json, 114, 199],
  [parseDouble, 700, 1021],
  [parseDouble, 701, 1022],
  [toText, 1042, 1014],
  [toText, 1043, 1015],
  [toText, 1082, 1182],
  [toText, 1083, 1183],
  [parseTimestamp, 1114, 1115],
  [parseTimestamp, 1184, 1185],
  [parseDecimal, 1700, 1231],
  [toText, 2950, 2951],
  [json, 3802, 3807],
];

export const parsers: ReadonlyMap<number, Parse> = new Map(
  ROWS.flatMap(([parse, one, many]): [number, Parse][] => [
    [one, parse],
    [many, createArrayParser(parse)],
  ]),
);

export const getParser = (oid: number): Parse => parsers.get(oid) ?? toText;

/**
 * Converts rows to JSON values, by the type of the statement or else of the server. Numbers have the digits of
 * PostgreSQL.
 */
import mysql from 'mysql2';
import type { FieldPacket } from 'mysql2';
import { parseExactJson } from '../../../language/strings/exact-json.js';
import { parseDecimal as decimalText, parseTimestamp as iso } from '../shared/types.js';
import type { Row } from '../kind.js';
import type { StatementResult } from './statement-result.js';
import type { ValueType } from './types.js';

type Parse = (value: unknown) => unknown;

const asText = (value: unknown): string =>
  Buffer.isBuffer(value) ? value.toString('utf8') : typeof value === 'string' ? value : String(value);

/** Integers that a double cannot hold exactly stay text. */
const toInteger: Parse = (value) => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
};

const toDecimal: Parse = (value) => {
  const text = asText(value)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');
  return text.includes('.') ? decimalText(text) : toInteger(text);
};
const toJson: Parse = (value) => parseExactJson(asText(value));
const toBoolean: Parse = (value) => Number(value) !== 0;
const toInstant: Parse = (value) => iso(trimZeros(value));
const toTime: Parse = (value) => trimZeros(value);
const toByteText: Parse = (value) => (Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value);

const trimZeros = (value: unknown): string =>
  asText(value)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');

const { Types } = mysql;
const BY_TYPE: Readonly<Record<number, Parse>> = {
  [Types.LONGLONG]: toInteger,
  [Types.DECIMAL]: toDecimal,
  [Types.NEWDECIMAL]: toDecimal,
  [Types.JSON]: toJson,
  [Types.DATETIME]: toInstant,
  [Types.TIMESTAMP]: toInstant,
  [Types.TIME]: toTime,
};
const BY_VALUE_TYPE: Partial<Record<ValueType, Parse>> = {
  json: toJson,
  boolean: toBoolean,
  instant: toInstant,
  time: toTime,
  number: toDecimal,
};
const plain: Parse = asText;

interface Field extends FieldPacket {
  readonly columnType?: number;
  readonly columnLength?: number;
  readonly extendedFormat?: string;
  readonly characterSet?: number;
  readonly orgTable: string;
}

const BINARY = 63;
const isBytes = ({ columnType = 0, characterSet, orgTable }: Field): boolean =>
  columnType >= 249 && columnType <= 254 && characterSet === BINARY && orgTable !== '';

function selectParser(field: Field, types: ValueType | undefined): Parse {
  const known = types === undefined ? undefined : BY_VALUE_TYPE[types];
  if (known) return known;
  const { columnType = 0 } = field;
  if (field.extendedFormat === 'json') return toJson;
  // The width of an expression does not mean a boolean.
  if (columnType === Types.TINY && field.columnLength === 1 && field.orgTable !== '') return toBoolean;
  if (Object.hasOwn(BY_TYPE, columnType)) return BY_TYPE[columnType] as Parse;
  if (isBytes(field)) return toByteText;
  return (value) => (typeof value === 'number' ? value : plain(value));
}

/** `said`: types that the statement implies, by column. */
export function toRows({ rows, fields }: StatementResult, types: ReadonlyMap<string, ValueType>): Row[] {
  return rows === null ? [] : rows.map(createRowReader(fields, types));
}

export function createRowReader(
  fields: readonly FieldPacket[],
  types: ReadonlyMap<string, ValueType>,
): (values: readonly unknown[]) => Row {
  const columns = (fields as readonly Field[]).map((field) => ({
    name: field.name,
    parse: selectParser(field, types.get(field.name)),
  }));
  return (values) => {
    const row: Record<string, unknown> = {};
    for (let i = 0; i < columns.length; i++) {
      const { name, parse } = columns[i] as { name: string; parse: Parse };
      const value = values[i];
      const native = value === null || value === undefined ? null : parse(value);
      if (name === '__proto__') Object.defineProperty(row, name, { value: native, enumerable: true });
      else row[name] = native;
    }
    return row;
  };
}

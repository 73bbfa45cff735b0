/** Rows as MySQL and MariaDB send them, and the native values that they become: by the statement's word, else by the type sent. */
import { expect } from 'chai';
import mysql from 'mysql2';
import { toRows } from '../../../plugins/dialects/mysql/rows.js';
import type { ValueType } from '../../../plugins/dialects/mysql/types.js';

const { Types } = mysql;

interface ColumnDefinition {
  readonly type?: number;
  readonly table?: string;
  readonly width?: number;
  readonly set?: number;
  readonly format?: string;
}

describe('MySQL rows', () => {
  const read = (
    value: unknown,
    { type, table = '', width, set, format }: ColumnDefinition,
    valueType?: ValueType,
  ): unknown => {
    const field = {
      name: 'a',
      columnType: type,
      orgTable: table,
      columnLength: width,
      characterSet: set,
      extendedFormat: format,
    };
    const answer = { rows: [[value]], fields: [field] as never, insertId: '0', affected: 0 };
    return toRows(answer, new Map(valueType === undefined ? [] : [['a', valueType]]))[0]?.['a'];
  };
  for (const [title, value, sent, valueType, native] of [
    ['an integer', '12', { type: Types.LONGLONG }, undefined, 12],
    ['the largest integer of a double', '9007199254740991', { type: Types.LONGLONG }, undefined, 9007199254740991],
    ['a larger integer is text', '9007199254740993', { type: Types.LONGLONG }, undefined, '9007199254740993'],
    ['a decimal without trailing zeros', '1.500', { type: Types.NEWDECIMAL }, undefined, 1.5],
    ['a decimal that is an integer', '100.00', { type: Types.NEWDECIMAL }, undefined, 100],
    ['a decimal whose zeros count', '100', { type: Types.DECIMAL }, undefined, 100],
    ['a large decimal is text', '9007199254740993.000', { type: Types.DECIMAL }, undefined, '9007199254740993'],
    ['JSON', '{"a":1}', { type: Types.JSON }, undefined, { a: 1 }],
    ['JSON of MariaDB', Buffer.from('[1]'), { type: Types.BLOB, format: 'json' }, undefined, [1]],
    ['an instant', '2026-01-02 03:04:05.600000', { type: Types.DATETIME }, undefined, '2026-01-02T03:04:05.600Z'],
    [
      'a timestamp without a fraction',
      '2026-01-02 03:04:00.000000',
      { type: Types.TIMESTAMP },
      undefined,
      '2026-01-02T03:04:00.000Z',
    ],
    ['a time', '03:04:05.500000', { type: Types.TIME }, undefined, '03:04:05.5'],
    ['a time on the full second', '03:04:00.000000', { type: Types.TIME }, undefined, '03:04:00'],
    ['a date', '2026-01-02', { type: Types.DATE }, undefined, '2026-01-02'],
    ['a flag', 1, { type: Types.TINY, width: 1, table: 't' }, undefined, true],
    ['a false boolean', 0, { type: Types.TINY, width: 1, table: 't' }, undefined, false],
    ['a small number that is not a boolean', 1, { type: Types.TINY, width: 4, table: 't' }, undefined, 1],
    ['an expression of one digit', 1, { type: Types.TINY, width: 1 }, undefined, 1],
    ['a number of another type', 1.5, { type: Types.DOUBLE }, undefined, 1.5],
    ['text', 'x', { type: Types.VAR_STRING, table: 't', set: 45 }, undefined, 'x'],
    ['text returned as bytes', Buffer.from('é'), { type: Types.VAR_STRING, table: 't', set: 45 }, undefined, 'é'],
    ['bytes', Buffer.from([1, 255]), { type: Types.BLOB, table: 't', set: 63 }, undefined, '\\x01ff'],
    ['bytes of the first type', Buffer.from([1]), { type: 249, table: 't', set: 63 }, undefined, '\\x01'],
    ['bytes of the last type', Buffer.from([1]), { type: 254, table: 't', set: 63 }, undefined, '\\x01'],
    ['no bytes before them', Buffer.from('a'), { type: 248, table: 't', set: 63 }, undefined, 'a'],
    ['no bytes after them', Buffer.from('a'), { type: 255, table: 't', set: 63 }, undefined, 'a'],
    ['bytes of an expression are text', Buffer.from('a'), { type: Types.BLOB, set: 63 }, undefined, 'a'],
    ['bytes returned as text', 'a', { type: Types.BLOB, table: 't', set: 63 }, undefined, 'a'],
    ['declared as JSON', '{"a":1}', { type: Types.VAR_STRING }, 'json', { a: 1 }],
    ['declared as a boolean', '0', { type: Types.LONGLONG }, 'boolean', false],
    ['declared as a boolean that is true', 2, { type: Types.LONGLONG }, 'boolean', true],
    [
      'declared as a timestamp',
      '2026-01-02 03:04:05',
      { type: Types.VAR_STRING },
      'instant',
      '2026-01-02T03:04:05.000Z',
    ],
    ['declared as a time', '03:04:05.10', { type: Types.VAR_STRING }, 'time', '03:04:05.1'],
    ['declared as a number', '1.50', { type: Types.VAR_STRING }, 'number', 1.5],
    ['declared as text', '{"a":1}', { type: Types.VAR_STRING }, 'text', '{"a":1}'],
    ['NULL', null, { type: Types.JSON }, 'json', null],
    ['nothing', undefined, { type: Types.JSON }, undefined, null],
    ['of an unknown type', 'x', {}, undefined, 'x'],
  ] as const satisfies readonly (readonly [string, unknown, ColumnDefinition, ValueType | undefined, unknown])[]) {
    it(title, () => expect(read(value, sent, valueType)).to.deep.equal(native));
  }

  it('are empty for a statement without rows', () => {
    expect(toRows({ rows: null, fields: [], insertId: '0', affected: 1 }, new Map())).to.deep.equal([]);
  });
  it('can have a column with the name of the prototype', () => {
    const fields = [
      { name: '__proto__', orgTable: '' },
      { name: 'b', orgTable: '' },
    ] as never;
    const [row] = toRows({ rows: [['x', 'y']], fields, insertId: '0', affected: 0 }, new Map());
    expect(Object.entries(row ?? {})).to.deep.equal([
      ['__proto__', 'x'],
      ['b', 'y'],
    ]);
  });
});

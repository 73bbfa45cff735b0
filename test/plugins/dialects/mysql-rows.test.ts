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

describe('rows of MySQL', () => {
  const read = (
    value: unknown,
    { type, table = '', width, set, format }: ColumnDefinition,
    said?: ValueType,
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
    return toRows(answer, new Map(said === undefined ? [] : [['a', said]]))[0]?.['a'];
  };
  for (const [title, value, sent, said, native] of [
    ['a whole number', '12', { type: Types.LONGLONG }, undefined, 12],
    ['the largest that a double holds', '9007199254740991', { type: Types.LONGLONG }, undefined, 9007199254740991],
    ['a larger one is text', '9007199254740993', { type: Types.LONGLONG }, undefined, '9007199254740993'],
    ['a decimal without zeros at its end', '1.500', { type: Types.NEWDECIMAL }, undefined, 1.5],
    ['a decimal that is whole', '100.00', { type: Types.NEWDECIMAL }, undefined, 100],
    ['a decimal whose zeros count', '100', { type: Types.DECIMAL }, undefined, 100],
    ['a large decimal is text', '9007199254740993.000', { type: Types.DECIMAL }, undefined, '9007199254740993'],
    ['JSON', '{"a":1}', { type: Types.JSON }, undefined, { a: 1 }],
    ['JSON of MariaDB', Buffer.from('[1]'), { type: Types.BLOB, format: 'json' }, undefined, [1]],
    ['an instant', '2026-01-02 03:04:05.600000', { type: Types.DATETIME }, undefined, '2026-01-02T03:04:05.600Z'],
    [
      'an instant without a fraction',
      '2026-01-02 03:04:00.000000',
      { type: Types.TIMESTAMP },
      undefined,
      '2026-01-02T03:04:00.000Z',
    ],
    ['a time', '03:04:05.500000', { type: Types.TIME }, undefined, '03:04:05.5'],
    ['a time on the full second', '03:04:00.000000', { type: Types.TIME }, undefined, '03:04:00'],
    ['a date', '2026-01-02', { type: Types.DATE }, undefined, '2026-01-02'],
    ['a flag', 1, { type: Types.TINY, width: 1, table: 't' }, undefined, true],
    ['a flag that is not set', 0, { type: Types.TINY, width: 1, table: 't' }, undefined, false],
    ['a small number that is none', 1, { type: Types.TINY, width: 4, table: 't' }, undefined, 1],
    ['an expression of one digit', 1, { type: Types.TINY, width: 1 }, undefined, 1],
    ['a number of another type', 1.5, { type: Types.DOUBLE }, undefined, 1.5],
    ['text', 'x', { type: Types.VAR_STRING, table: 't', set: 45 }, undefined, 'x'],
    ['text that comes as bytes', Buffer.from('é'), { type: Types.VAR_STRING, table: 't', set: 45 }, undefined, 'é'],
    ['bytes', Buffer.from([1, 255]), { type: Types.BLOB, table: 't', set: 63 }, undefined, '\\x01ff'],
    ['bytes of the first type', Buffer.from([1]), { type: 249, table: 't', set: 63 }, undefined, '\\x01'],
    ['bytes of the last type', Buffer.from([1]), { type: 254, table: 't', set: 63 }, undefined, '\\x01'],
    ['no bytes before them', Buffer.from('a'), { type: 248, table: 't', set: 63 }, undefined, 'a'],
    ['no bytes behind them', Buffer.from('a'), { type: 255, table: 't', set: 63 }, undefined, 'a'],
    ['bytes of an expression are text', Buffer.from('a'), { type: Types.BLOB, set: 63 }, undefined, 'a'],
    ['bytes that come as text', 'a', { type: Types.BLOB, table: 't', set: 63 }, undefined, 'a'],
    ['said to be JSON', '{"a":1}', { type: Types.VAR_STRING }, 'json', { a: 1 }],
    ['said to be a flag', '0', { type: Types.LONGLONG }, 'boolean', false],
    ['said to be a flag that is set', 2, { type: Types.LONGLONG }, 'boolean', true],
    ['said to be an instant', '2026-01-02 03:04:05', { type: Types.VAR_STRING }, 'instant', '2026-01-02T03:04:05.000Z'],
    ['said to be a time', '03:04:05.10', { type: Types.VAR_STRING }, 'time', '03:04:05.1'],
    ['said to be a number', '1.50', { type: Types.VAR_STRING }, 'number', 1.5],
    ['said to be text', '{"a":1}', { type: Types.VAR_STRING }, 'text', '{"a":1}'],
    ['NULL', null, { type: Types.JSON }, 'json', null],
    ['nothing', undefined, { type: Types.JSON }, undefined, null],
    ['of a type that is not told', 'x', {}, undefined, 'x'],
  ] as const satisfies readonly (readonly [string, unknown, ColumnDefinition, ValueType | undefined, unknown])[]) {
    it(title, () => expect(read(value, sent, said)).to.deep.equal(native));
  }

  it('a statement without rows answers with none', () => {
    expect(toRows({ rows: null, fields: [], insertId: '0', affected: 1 }, new Map())).to.deep.equal([]);
  });
  it('a column may have the name of the prototype', () => {
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

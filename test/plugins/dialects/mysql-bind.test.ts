/** Values bound for MySQL: their conversion for each type, and rejected values. */
import { expect } from 'chai';
import { Fault } from '../../../contract/fault.js';
import { bindValue, isNumeric, type BindType } from '../../../plugins/dialects/mysql/bind.js';

/** A whole number that travels as one, as `{ whole }`. */
function describeValue(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'value' in value ? { whole: String(value.value) } : value;
}
const createWhole = (value: bigint | number | string) => ({ whole: String(value) });
const formatTitle = (value: unknown): string =>
  typeof value === 'bigint'
    ? `${value}n`
    : typeof value === 'number'
      ? String(value)
      : (JSON.stringify(value) ?? String(value));
const formatType = (type: BindType): string =>
  type !== null && typeof type === 'object' ? `list of ${type.list}` : String(type);

/** A value of each JSON type and some of JavaScript, as text. */
const TEXT: readonly (readonly [unknown, unknown])[] = [
  ['', ''],
  [' a ', ' a '],
  [1.5, '1.5'],
  [12n, '12'],
  [true, 'true'],
  [new Date('2026-01-02T03:04:05.678Z'), '2026-01-02T03:04:05.678Z'],
  [new Uint8Array([1, 255]), '\\x01ff'],
  [{ a: [1] }, '{"a":[1]}'],
];
const INSTANTS: readonly (readonly [unknown, unknown])[] = [
  ['2026-01-02', '2026-01-02 00:00:00.000000'],
  ['2026-01-02T03:04', '2026-01-02 03:04:00.000000'],
  ['2026-01-02 03:04:05', '2026-01-02 03:04:05.000000'],
  ['2026-01-02t03:04:05.6z', '2026-01-02 03:04:05.600000'],
  [' 2026-01-02T03:04:05.123456789 Z ', '2026-01-02 03:04:05.123456'],
  ['2026-01-02T03:04:05+01', '2026-01-02 02:04:05.000000'],
  ['2026-01-02T03:04:05-0130', '2026-01-02 04:34:05.000000'],
  ['2026-01-02T03:04:05.5+05:45', '2026-01-01 21:19:05.500000'],
  [new Date('2026-01-02T03:04:05.678Z'), '2026-01-02 03:04:05.678000'],
  ['2024-02-29', '2024-02-29 00:00:00.000000'],
];
const BOOLEANS = (['t tr tru true y ye yes on 1', 'f fa fal fals false n no of off 0'] as const).flatMap((words, no) =>
  words.split(' ').flatMap((word): [unknown, unknown][] => [
    [word, 1 - no],
    [` ${word.toUpperCase()} `, 1 - no],
  ]),
);

const BINDS: readonly (readonly [BindType, readonly (readonly [unknown, unknown])[], readonly unknown[]])[] = [
  [
    'tiny',
    [
      [-128, createWhole(-128)],
      [255, createWhole(255)],
      ['7', createWhole(7)],
    ],
    [-129, 256, 1.5, ''],
  ],
  [
    'small',
    [
      [-32768, createWhole(-32768)],
      [65535, createWhole(65535)],
    ],
    [-32769, 65536],
  ],
  [
    'medium',
    [
      [-8388608, createWhole(-8388608)],
      [16777215, createWhole(16777215)],
    ],
    [-8388609, 16777216],
  ],
  [
    'int',
    [
      [-2147483648, createWhole(-2147483648)],
      [4294967295, createWhole(4294967295)],
      [1e3, createWhole(1000)],
    ],
    [-2147483649, 4294967296],
  ],
  [
    'big',
    [
      ['-9223372036854775808', createWhole('-9223372036854775808')],
      ['9223372036854775807', createWhole('9223372036854775807')],
      [9223372036854775807n, createWhole('9223372036854775807')],
      [' +5 ', createWhole(5)],
      ['007', createWhole(7)],
      [5, createWhole(5)],
    ],
    [
      '9223372036854775808',
      '-9223372036854775809',
      '1.0',
      '1e3',
      'x1',
      '1x',
      '+',
      '',
      ' ',
      true,
      {},
      'Infinity',
      NaN,
      0.5,
    ],
  ],
  [
    'limit',
    [
      [10, createWhole(10)],
      ['9223372036854775807', createWhole('9223372036854775807')],
    ],
    ['ten', 1.5, '9223372036854775808'],
  ],
  [
    'number',
    [
      ['1.50', '1.50'],
      [' +1e3 ', '1e3'],
      ['.5', '.5'],
      ['5.', '5.'],
      ['-1.5E-2', '-1.5E-2'],
      [1.5, '1.5'],
      [2n, '2'],
    ],
    ['', '.', 'e3', '1e', '1.2.3', 'x1', '1x', 'NaN', Infinity, true, '1 2', '--1'],
  ],
  [
    'arithmetic',
    [
      ['1', createWhole(1)],
      [7, createWhole(7)],
      ['123456789012345678', createWhole('123456789012345678')],
      ['1234567890123456789', '1234567890123456789'],
      ['1.5', '1.5'],
      [1.5, 1.5],
    ],
    ['x', '', true],
  ],
  [
    'float',
    [
      ['1.5', 1.5],
      [2, 2],
      [' 1e3 ', 1000],
    ],
    ['x', '1e999', Infinity, ''],
  ],
  [
    'boolean',
    [...BOOLEANS, [true, 1], [false, 0], [1, 1], [0, 0]],
    ['', 'o', '2', 'truee', 'xtrue', 'onn', 'xno', 'nope', 10, 100, '11'],
  ],
  ['text', TEXT, ['a\0', '\ud800', NaN, -Infinity, Symbol('s'), () => 1]],
  [
    'bytes',
    [
      ...TEXT.filter(([value]) => !(value instanceof Uint8Array)),
      [new Uint8Array([1, 255]), Buffer.from([1, 255])],
      ['\\x', Buffer.alloc(0)],
      ['\\x00fF', Buffer.from([0, 255])],
      ['x00', 'x00'],
    ],
    ['a\0', '\\x0', '\\xzz', '\\x00 '],
  ],
  [
    'uuid',
    [[' 0A1B2C3D-0000-1111-2222-333344445555 ', '0a1b2c3d-0000-1111-2222-333344445555']],
    [
      '0a1b2c3d-0000-1111-2222-33334444555',
      'x0a1b2c3d-0000-1111-2222-333344445555',
      '0a1b2c3d-0000-1111-2222-3333444455556',
      '0a1b2c3d-0000-1111-222233334444-5555',
      '',
    ],
  ],
  [
    'instant',
    INSTANTS,
    [
      '2026-02-30',
      '2026-13-01',
      '2026-01-02T25:00',
      '2026-01-02T03',
      '2026-01-02T03:04:05.',
      'x2026-01-02',
      '2026-01-02x',
      '12026-01-02',
      'now',
      '',
      5,
      '2026-01-02Z',
      '2026-01-02T03:04+1',
      '2026-01-02T03:60',
    ],
  ],
  ['date', INSTANTS.map(([value, text]) => [value, String(text).slice(0, 10)]), ['2026-02-30', '']],
  [
    'time',
    [
      ['03:04', '03:04'],
      [' 03:04:05 ', '03:04:05'],
      ['03:04:05.123456', '03:04:05.123456'],
      ['03:04:05.1', '03:04:05.1'],
    ],
    ['3:04', '03:04:05.', '03:04:05.1234567', 'x03:04', '03:04x', '03', ''],
  ],
  [
    'json',
    [
      [{ a: 1 }, '{"a":1}'],
      ['a', '"a"'],
      [true, 'true'],
      [[null], '[null]'],
      [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ],
    [NaN, [Infinity], { a: 'b\0' }, { a: '\ud800' }, 1n, () => 1],
  ],
  [
    'path',
    [
      ['a', '$."a"'],
      [0, '$."0"'],
      ["it's", '$."it\'s"'],
    ],
    ['a"b', 'a\\b', 'a\0'],
  ],
  [
    'search',
    [
      ['Red  cars', '+red +cars'],
      ['a to cab', '+cab'],
      ['+x -"yes" (no) @naïve über_2', '+yes +naïve +über_2'],
      ['about are com for from how that the this und was what when where who will with www', ''],
      ['!!', ''],
    ],
    ['a\0'],
  ],
  [
    null,
    [
      [true, '1'],
      [false, '0'],
      ['x', 'x'],
      [5, '5'],
      [{ a: 1 }, '{"a":1}'],
    ],
    ['a\0', NaN],
  ],
  [
    { list: null },
    [
      [['a', 1, null, undefined, true], '["a","1",null,null,"true"]'],
      [[], '[]'],
    ],
    ['a', { 0: 'a' }, ['a\0']],
  ],
  [{ list: 'int' }, [[[1, '2', null], '["1","2",null]']], [['x'], [1.5], 1]],
  [{ list: 'float' }, [[['1.5', 2], '[1.5,2]']], [['x']]],
  [{ list: 'uuid' }, [[['0A1B2C3D-0000-1111-2222-333344445555'], '["0a1b2c3d-0000-1111-2222-333344445555"]']], [['x']]],
];

describe('values bound for MySQL', () => {
  for (const [type, good, bad] of BINDS) {
    describe(formatType(type), () => {
      for (const [value, bound] of good) {
        it(`${formatTitle(value)} is ${formatTitle(bound)}`, () =>
          expect(describeValue(bindValue(value, type))).to.deep.equal(bound));
      }
      for (const value of bad) {
        it(`rejects ${formatTitle(value)}`, () => {
          expect(() => bindValue(value, type))
            .to.throw(Fault)
            .with.property('code', 'QRY_BAD_VALUE');
        });
      }
      it('NULL is NULL', () => {
        expect([bindValue(null, type), bindValue(undefined, type)]).to.deep.equal([null, null]);
      });
    });
  }

  it('are recognized as numeric text', () => {
    expect(['1', ' -1.5 ', '.5', '1e3', '+1'].map(isNumeric)).to.deep.equal([true, true, true, true, true]);
    expect(['', 'x', '1x', 'x1', '0x1', '1 1'].map(isNumeric)).to.deep.equal([
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});

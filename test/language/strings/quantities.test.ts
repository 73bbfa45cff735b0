/** Numbers in larger units: exact, short, and absent where the number itself is as clear. */
import { expect } from 'chai';
import { formatLargerUnits, formatWithUnit } from '../../../language/strings/format-quantity.js';

describe('quantities', () => {
  const cases: readonly (readonly [number, string, string | null])[] = [
    [86_400, 'seconds', '1 day'],
    [3600, 'seconds', '1 hour'],
    [5400, 'seconds', '1 hour 30 minutes'],
    [604_800, 'seconds', '7 days'],
    [90, 'seconds', '1 minute 30 seconds'],
    [0.5, 'seconds', '500 milliseconds'],
    [0.1, 'seconds', '100 milliseconds'],
    [1500, 'milliseconds', '1 second 500 milliseconds'],
    [90_061, 'seconds', null],
    [30, 'seconds', null],
    [1, 'seconds', null],
    [0, 'seconds', null],
    [-60, 'seconds', null],
    [10_485_760, 'bytes', '10 MiB'],
    [10_000_000, 'bytes', '10 MB'],
    [1_572_864, 'bytes', '1.5 MiB'],
    [8192, 'bytes', '8 KiB'],
    [8191, 'bytes', null],
    [100, 'bytes', null],
    [19_456, 'KiB', '19 MiB'],
    [10, 'connections', null],
    [Number.NaN, 'seconds', null],
    [60, 'constructor', null],
  ];
  for (const [value, unit, words] of cases) {
    it(`${value} ${unit}: ${words ?? 'none'}`, () => expect(formatLargerUnits(value, unit)).to.equal(words));
  }

  it('agree in number', () => {
    expect(formatWithUnit(1, 'seconds')).to.equal('1 second');
    expect(formatWithUnit(2, 'seconds')).to.equal('2 seconds');
    expect(formatWithUnit(1, 'KiB')).to.equal('1 KiB');
  });
});

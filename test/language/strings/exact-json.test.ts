/** Numbers of JSON text as values and back: doubles, numbers kept as digits, and their serialization. */
import { expect } from 'chai';
import { ExactNumber } from '../../../contract/exact-number.js';
import {
  compareNumbers,
  toExactNumber,
  isBeyondDouble,
  parseExact,
  parseExactJson,
  writeJson,
} from '../../../language/strings/exact-json.js';

describe('numbers in JSON', () => {
  const DOUBLES = ['0', '-0', '1', '-1.5', '9007199254740991', '9007199254740992', '1e22', '1E+300', '5e-324'];
  DOUBLES.push(
    '0.30000000000000004',
    '0.10000000000000001',
    '1.7976931348623157e308',
    '100000000000000000000000',
    '3.0',
  );
  for (const text of DOUBLES) {
    it(`parse ${text} as a double`, () => {
      expect(toExactNumber(text)).to.equal(Number(text) + 0);
      expect(parseExactJson(text)).to.equal(Number(text));
    });
  }

  const EXACT: readonly (readonly [text: string, digits: string])[] = [
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['9.007199254740993e15', '9007199254740993'],
    ['900719925474099300e-2', '9007199254740993'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['12345678901234.567', '12345678901234.567'],
    ['0.1234567890123456789', '0.1234567890123456789'],
    ['9007199254740993.0', '9007199254740993'],
  ];
  for (const [text, digits] of EXACT) {
    it(`keep the digits of ${text}`, () => {
      const found = parseExactJson(`{"a":[${text},"${text}"]}`) as { a: [ExactNumber, string] };
      expect(found.a[0]).to.be.instanceOf(ExactNumber);
      expect(String(found.a[0])).to.equal(digits);
      expect(found.a[1]).to.equal(text);
      expect(JSON.stringify(found)).to.equal(`{"a":["${digits}","${text}"]}`);
      expect(writeJson(found)).to.equal(`{"a":[${digits},"${text}"]}`);
    });
  }

  it('reject text that is not JSON', () => {
    for (const text of ['{12345678901234567:1}', '[12345678901234567', '01234567890123456', '12345678901234567e', '-'])
      expect(() => parseExact(text), text).to.throw(SyntaxError);
  });

  it('leave strings, names and other values unchanged', () => {
    const text = '{"12345678901234567":"\\"12345678901234567\\\\","b":[null,true,{"":12345678901234567}],"b":"e999"}';
    expect(writeJson(parseExactJson(text))).to.equal(JSON.stringify(JSON.parse(text)));
    const own = parseExactJson('{"__proto__":{"a":12345678901234567}}') as object;
    expect(Object.keys(own)).to.deep.equal(['__proto__']);
    expect(writeJson(undefined)).to.equal(undefined);
  });

  it('are recognized as out of range', () => {
    for (const text of ['1e309', '-1e309', '1e-400', '9'.repeat(401)])
      expect(isBeyondDouble(text), text).to.equal(true);
    for (const text of ['0e-999', '1e308', '5e-324', '9'.repeat(300)])
      expect(isBeyondDouble(text), text).to.equal(false);
  });

  it('are compared by their digits', () => {
    const big = new ExactNumber('9007199254740993');
    expect(
      [9007199254740992, 9007199254740994, 1e300, -1, Infinity].map((b) => Math.sign(compareNumbers(big, b))),
    ).to.deep.equal([1, -1, -1, 1, -1]);
    expect(compareNumbers(new ExactNumber('0.1000000000000000055'), 0.1)).to.equal(1);
    expect(compareNumbers(new ExactNumber('2.50000000000000000000'), 2.5)).to.equal(0);
  });
});

/**
 * Boundaries of SQL tokens, character by character: white space, words, operators, strings with a prefix, comments.
 * PostgreSQL's lexical rules; `sql.test.ts` tests what statements mean.
 */
import { expect } from 'chai';
import { tokenizeSql } from '../../../plugins/queries/sql/text/tokens.js';
import { normalizeType, findTypeEnd } from '../../../plugins/queries/sql/text/types.js';

const listTokens = (sql: string): string[] =>
  tokenizeSql(sql).tokens.map(({ type, start, end }) => `${type} ${sql.slice(start, end)}`);

/** Names are shown by their code. */
const code = (sign: string): string => `U+${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

describe('SQL tokens', () => {
  describe('white space', () => {
    for (const sign of ['\t', '\n', '\v', '\f', '\r', ' ']) {
      it(`${code(sign)} separates two words`, () =>
        expect(listTokens(`a${sign}b`)).to.deep.equal(['word a', 'word b']));
    }

    for (const sign of [' ', '\u00a0', '\u1680', '\u2028', '\u3000', '\ufeff']) {
      it(`${code(sign)} is omitted if no word precedes it`, () =>
        expect(listTokens(`${sign}(${sign})${sign}`)).to.deep.equal(['open (', 'close )']));
    }

    for (const sign of ['\0', '\b', '\u000e', '\u001f', '\u007f']) {
      it(`${code(sign)} is an operator`, () =>
        expect(listTokens(`(${sign} ${sign}`)).to.deep.equal(['open (', `operator ${sign}`, `operator ${sign}`]));
    }
  });

  describe('words', () => {
    for (const sign of ['a', 'z', 'A', 'Z', '_', '\u0080', 'é', '\uffff']) {
      it(`begin with ${code(sign)}`, () =>
        expect(listTokens(`(${sign}1$`)).to.deep.equal(['open (', `word ${sign}1$`]));
    }

    for (const sign of ['`', '{', '@', '^', '\\', '}']) {
      it(`do not begin with ${sign}`, () =>
        expect(listTokens(`(${sign}1`)).to.deep.equal(['open (', `operator ${sign}`, 'number 1']));
    }

    for (const sign of ['0', '9', '$', '_']) {
      it(`continue with ${sign}`, () => expect(listTokens(`a${sign}b c`)).to.deep.equal([`word a${sign}b`, 'word c']));
    }

    for (const sign of ['/', ':', '#', '%']) {
      it(`end before ${sign}`, () =>
        expect(listTokens(`a${sign}b`)).to.deep.equal(['word a', `operator ${sign}`, 'word b']));
    }
  });

  describe('numbers', () => {
    const cases: readonly (readonly [string, string[]])[] = [
      ['0 9 09', ['number 0', 'number 9', 'number 09']],
      ['0x1f 0X1F 0xg', ['number 0x1f', 'number 0X1F', 'number 0', 'word xg']],
      ['0o17 0O7 0o8', ['number 0o17', 'number 0O7', 'number 0', 'word o8']],
      ['0b10 0B1 0b2', ['number 0b10', 'number 0B1', 'number 0', 'word b2']],
      ['1e5 1E+5 1.e-5 1e', ['number 1e5', 'number 1E+5', 'number 1.e-5', 'number 1', 'word e']],
      ['1. .5_0 1.5_0', ['number 1.', 'number .5_0', 'number 1.5_0']],
      ['1..2', ['number 1', 'dot .', 'number .2']],
      ['a.9', ['word a', 'number .9']],
      ['9.a', ['number 9.', 'word a']],
    ];
    for (const [sql, expected] of cases) it(sql, () => expect(listTokens(sql)).to.deep.equal(expected));
  });

  describe('strings', () => {
    const cases: readonly (readonly [string, string[]])[] = [
      ["''x", ["string ''", 'word x']],
      ["''''x", ["string ''''", 'word x']],
      ["'a''''b'''x", ["string 'a''''b'''", 'word x']],
      ['""x', ['quoted-identifier ""', 'word x']],
      [String.raw`e'\'' E'\\'x`, [String.raw`string e'\''`, String.raw`string E'\\'`, 'word x']],
      [String.raw`E'\\''x`, [String.raw`string E'\\''x`]],
      // A backslash is an ordinary sign everywhere else.
      ...['b', 'B', 'x', 'X', 'n', 'N', 'u&', 'U&'].map((prefix): [string, string[]] => [
        String.raw`${prefix}'\' a`,
        [String.raw`string ${prefix}'\'`, 'word a'],
      ]),
      [String.raw`"\" a`, [String.raw`quoted-identifier "\"`, 'word a']],
      [String.raw`U&"\" a`, [String.raw`quoted-identifier U&"\"`, 'word a']],
      ['u&"a" b', ['quoted-identifier u&"a"', 'word b']],
      [`U&''x U&""y`, [`string U&''`, 'word x', 'quoted-identifier U&""', 'word y']],
      ["u&''''x", ["string u&''''", 'word x']],
      // Only these letters are a prefix.
      ["a'b'", ['word a', "string 'b'"]],
      ["é'b'", ['word é', "string 'b'"]],
      ['e"b"', ['word e', 'quoted-identifier "b"']],
      ["a&'b'", ['word a', 'operator &', "string 'b'"]],
      ['a&"b"', ['word a', 'operator &', 'quoted-identifier "b"']],
      ['u&1', ['word u', 'operator &', 'number 1']],
      ["u|'b'", ['word u', 'operator |', "string 'b'"]],
      ['u|"b"', ['word u', 'operator |', 'quoted-identifier "b"']],
      ["u& 'b'", ['word u', 'operator &', "string 'b'"]],
    ];
    for (const [sql, expected] of cases) it(sql, () => expect(listTokens(sql)).to.deep.equal(expected));
  });

  describe('dollars', () => {
    const cases: readonly (readonly [string, string[]])[] = [
      ['$9 $0 $10a', ['placeholder $9', 'placeholder $0', 'placeholder $10', 'word a']],
      ['$ 1', ['operator $', 'number 1']],
      ['$-1', ['operator $', 'operator -', 'number 1']],
      ['$a', ['operator $', 'word a']],
      ['$a b$', ['operator $', 'word a', 'word b$']],
      ['$$$$x', ['dollar-string $$$$', 'word x']],
      ['$$a$$x', ['dollar-string $$a$$', 'word x']],
      ['$ab$$a$ab$x', ['dollar-string $ab$$a$ab$', 'word x']],
      ['$_1é$ $ $_1é$x', ['dollar-string $_1é$ $ $_1é$', 'word x']],
      ['($$a$$)', ['open (', 'dollar-string $$a$$', 'close )']],
    ];
    for (const [sql, expected] of cases) it(sql, () => expect(listTokens(sql)).to.deep.equal(expected));
  });

  describe('comments', () => {
    const cases: readonly (readonly [string, string[]])[] = [
      ['--\na', ['comment --', 'word a']],
      ['--a\rb', ['comment --a', 'word b']],
      ['a--', ['word a', 'comment --']],
      ['/**/a', ['comment /**/', 'word a']],
      ['/***/a', ['comment /***/', 'word a']],
      ['/* /**/ */a', ['comment /* /**/ */', 'word a']],
      ['/*/ */a', ['comment /*/ */', 'word a']],
      ['/**/', ['comment /**/']],
    ];
    for (const [sql, expected] of cases) it(sql, () => expect(listTokens(sql)).to.deep.equal(expected));

    for (const sql of ['/*', '/**', '/*/', '/* /**/', '/* *']) {
      it(`${sql} has no end`, () => {
        expect(listTokens(sql)).to.deep.equal([`comment ${sql}`]);
        expect(tokenizeSql(sql).faults.map(({ what, end }) => [what, end])).to.deep.equal([['comment', sql.length]]);
      });
    }
  });

  describe('operators', () => {
    // All signs, in runs that neither a comment nor a cast ends.
    for (const run of ['-', '+', '*', '/', '<', '>', '=', '~', '!', '@', '#', '%', '^', '&', '|', '`', '?', ':']) {
      it(run, () => expect(listTokens(`a${run}b`)).to.deep.equal(['word a', `operator ${run}`, 'word b']));
    }
    const cases: readonly (readonly [string, string[]])[] = [
      ['a<=b', ['word a', 'operator <=', 'word b']],
      ['a=-b', ['word a', 'operator =', 'operator -', 'word b']],
      ['a=+-b', ['word a', 'operator =', 'operator +', 'operator -', 'word b']],
      ['a+-b', ['word a', 'operator +', 'operator -', 'word b']],
      ['a-=b', ['word a', 'operator -=', 'word b']],
      // With one of these signs it may end in a sign.
      ...[...'~!@#%^&|`?'].flatMap((sign): (readonly [string, string[]])[] => [
        [`a${sign}-b`, ['word a', `operator ${sign}-`, 'word b']],
        [`a*${sign}+b`, ['word a', `operator *${sign}+`, 'word b']],
      ]),
      ['a@>--b', ['word a', 'operator @>', 'comment --b']],
      ['a*/**/b', ['word a', 'operator *', 'comment /**/', 'word b']],
      ['a=::b', ['word a', 'operator =', 'cast ::b']],
      ['a->::b', ['word a', 'operator ->', 'cast ::b']],
      ['a::-b', ['word a', 'operator ::', 'operator -', 'word b']],
      ['a:b', ['word a', 'operator :', 'word b']],
      ['a==:b', ['word a', 'operator ==:', 'word b']],
      ['{}\\', ['operator {', 'operator }', 'operator \\']],
    ];
    for (const [sql, expected] of cases) it(sql, () => expect(listTokens(sql)).to.deep.equal(expected));
  });

  describe('casts', () => {
    const cases: readonly (readonly [string, string[]])[] = [
      ['::int', ['cast ::int']],
      ['a::"x y".z(1)', ['word a', 'cast ::"x y".z(1)']],
      ['a::bit varying (8) b', ['word a', 'cast ::bit varying (8)', 'word b']],
      ['a::national char varying b', ['word a', 'cast ::national char varying', 'word b']],
      ['a::national character b', ['word a', 'cast ::national character', 'word b']],
      ['a::char varying b', ['word a', 'cast ::char varying', 'word b']],
      ['a::time with time zone b', ['word a', 'cast ::time with time zone', 'word b']],
      ['a::timestamp without time zone b', ['word a', 'cast ::timestamp without time zone', 'word b']],
      ['a::interval year to month b', ['word a', 'cast ::interval year to month', 'word b']],
      ['a::interval hour b', ['word a', 'cast ::interval hour', 'word b']],
      ['a::interval minute to second (3) b', ['word a', 'cast ::interval minute to second (3)', 'word b']],
      ['a::int array[3] b', ['word a', 'cast ::int array[3]', 'word b']],
      ['a::int[ ][2] b', ['word a', 'cast ::int[ ][2]', 'word b']],
      ['a::double b', ['word a', 'cast ::double', 'word b']],
      ['a::interval.b', ['word a', 'cast ::interval.b']],
      ['a::\n int b', ['word a', 'cast ::\n int', 'word b']],
      ['a::1', ['word a', 'operator ::', 'number 1']],
    ];
    for (const [sql, expected] of cases) it(sql, () => expect(listTokens(sql)).to.deep.equal(expected));

    const normal: readonly (readonly [string, string])[] = [
      ['JSONB', 'jsonb'],
      [' Numeric ( 10 , 2 ) ', 'numeric(10,2)'],
      ['timestamp ( 3 ) with  time\nzone', 'timestamp(3) with time zone'],
      ['pg_catalog . int4', 'int4'],
      ['"pg_catalog"."JSON"', 'JSON'],
      ['my . "a""b"', 'my.a"b'],
      ['my.pg_catalog.t', 'my.pg_catalog.t'],
      ['int ARRAY', 'int[]'],
      ['int array[4]', 'int[]'],
      ['int [ 3 ] [10]', 'int[][]'],
      ['array', 'array'],
    ];
    for (const [text, expected] of normal) {
      it(`${JSON.stringify(text)} is the type ${expected}`, () => expect(normalizeType(text)).to.equal(expected));
    }

    it('end after the name of the type, wherever it begins', () => {
      expect([
        findTypeEnd('int', 0),
        findTypeEnd('a int b', 1),
        findTypeEnd('1', 0),
        findTypeEnd('a', 1),
      ]).to.deep.equal([3, 5, -1, -1]);
    });
  });

  describe('brackets', () => {
    const cases: readonly (readonly [string, string[]])[] = [
      ['(a[1])', []],
      [')(', ['0 )', '1 (']],
      ['(]', ['0 (', '1 ]']],
      ['[)', ['0 [', '1 )']],
      ['(()', ['0 (']],
      ['[[]', ['0 [']],
      ['())', ['2 )']],
      ["(')", ['0 (', '1 string']],
      [")'a", ['0 )', '1 string']],
      ["a) 'b", ['1 )', '3 string']],
    ];
    for (const [sql, expected] of cases) {
      it(sql, () =>
        expect(tokenizeSql(sql).faults.map(({ start, what }) => `${start} ${what}`)).to.deep.equal(expected),
      );
    }

    it('are reported with their whole length', () => {
      expect(tokenizeSql('a )').faults).to.deep.equal([{ code: 'SQL_UNBALANCED', what: ')', start: 2, end: 3 }]);
    });
  });
});

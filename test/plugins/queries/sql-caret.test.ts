/** The caret inside SQL and the pieces of it: total on any text, at any offset, with places that lie inside the text. */
import { expect } from 'chai';
import { analyseCaret } from '../../../plugins/queries/sql/editing/caret.js';
import { classifyTokens } from '../../../plugins/queries/sql/text/names.js';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';
import { measureCpuTime } from '../../support/cpu.js';

const TEXTS = [
  'WITH RECURSIVE t (a) AS (SELECT 1 UNION ALL SELECT t.a + 1 FROM t WHERE a < $1) SELECT * FROM t, LATERAL (SELECT *) x',
  'INSERT INTO "A".b AS c (x, "y") SELECT u.*, count(*) FROM u GROUP BY 1 ON CONFLICT (x) DO UPDATE SET y = excluded.y RETURNING *',
  "UPDATE a SET (x, y) = ($1, 'b''c'), z = $2::int[] FROM (SELECT * FROM (SELECT * FROM w) v) s WHERE a.id = s.id -- end",
  'SELECT ((((( FROM )) WITH x AS ( , SELECT * FROM x JOIN ON USING (SET a, ) VALUES (1), (2, $',
  'SELECT `a` . `b , `` ` FROM`c`=`d`+`e WHERE "f` = `g" ',
  '$tag$ "open \' /* \ud800 $$ :: . .. ; ; SELECT . FROM . JOIN',
];

/** The bar is the caret: the kind of name expected there, the table that is written to, and the typed text. */
const PLACES: readonly (readonly [string, string | null])[] = [
  ['|', 'start'],
  ['SEL|', 'start, typed SEL'],
  ['S|EL x', 'word, typed SEL'],
  ['SELECT * FROM |', 'table'],
  ['SELECT * FROM a| x', 'table, typed a'],
  ['SELECT * FROM s.|', 'value, of s'],
  ['SELECT * FROM a JOIN |', 'table'],
  ['SELECT * FROM a |', 'word'],
  ['SELECT * FROM a AS |', 'word'],
  ['SELECT * FROM a x|', 'word, typed x'],
  ['SELECT * FROM a x |', 'word'],
  ['SELECT a |', 'word'],
  ['SELECT a; |', 'word'],
  ['; |', 'word'],
  ['SELECT a.| FROM b', 'value, of a'],
  ['SELECT "A b".| FROM b', 'value, of A b'],
  ['SELECT (|', 'value'],
  ['SELECT f(a |', 'word'],
  ['SELECT a, |', 'value'],
  ['SELECT a + |', 'value'],
  ['SELECT 1|', null],
  [`SELECT 'a|'`, null],
  ['SELECT a::|', 'type'],
  ['SELECT a::in|t', 'type, typed int'],
  ['SELECT -- |', null],
  ['SELECT $|', 'value, typed $'],
  ['SELECT $1|2', 'value, typed $12'],
  ['SELECT a = $1|', 'value, meets a, typed $1'],
  ['SELECT a = |', 'value, meets a'],
  ['SELECT a = | b', 'value, meets a'],
  ['SELECT ab|cd ef', 'value, typed abcd'],
  ['SELECT é1$|é$2 x', null],
  ['SELECT a$|', null],
  ['SELECT "a|b" x', 'value, typed "ab"'],
  ['SELECT "ab"|', null],
  ['SELECT "ab|', 'value, typed "ab'],
  ['SELECT "ab| FROM "c" d', 'value, typed "ab'],
  ['SELECT |"ab"', 'value'],
  ['SELECT `a|b`', 'value, typed `ab`'],
  ['INSERT INTO t (|', 'target, into t'],
  ['INSERT INTO t (a, |) VALUES (1)', 'target, into t, besides a'],
  ['INSERT INTO s.t (|', 'target, into t'],
  ['INSERT INTO t (a |', 'word, into t'],
  ['INSERT INTO t (a) VALUES (|', 'row, into t, meets a'],
  ['INSERT INTO t (a) VALUES (1, |', 'row, into t'],
  ['INSERT INTO t (a) VALUES (1 |', 'word, into t'],
  ['INSERT INTO t (a) VALUES (1 + |', 'row, into t'],
  ['INSERT INTO t (a) VALUES (CASE |', 'row, into t'],
  ['INSERT INTO t (a, b) VALUES (1, 2), (3, |', 'row, into t, meets b'],
  ['INSERT INTO t (a, b) VALUES (1, f(2)), (|', 'row, into t, meets a'],
  ['INSERT INTO t (a) VALUES (f(|', 'value, into t'],
  ['INSERT INTO t (a) SELECT (1), (|', 'value, into t'],
  ['INSERT INTO t (a) VALUES (1) ON CONFLICT (|', 'key, into t'],
  ['INSERT INTO t (a) VALUES (1) ON CONFLICT (a, |', 'key, into t, besides a'],
  ['INSERT INTO t (a) VALUES (1) ON CONFLICT (a |', 'word, into t'],
  ['INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET |', 'target, into t'],
  ['INSERT INTO t (a) VALUES (1) RETURNING |', 'value, into t'],
  ['UPDATE t SET |', 'target, into t'],
  ['UPDATE t SET a = |', 'value, into t, besides a, meets a'],
  ['UPDATE t SET a = 1, |', 'target, into t, besides a'],
  ['UPDATE t SET a = 1, b = f(1, 2), | WHERE c = 1', 'target, into t, besides a b'],
  ['UPDATE t SET (a, |', 'target, into t, besides a'],
  ['UPDATE t SET a = f(1, |', 'value, into t'],
  ['UPDATE t SET a = 1 WHERE b IN (1), |', 'value, into t'],
  ['UPDATE t SET a = 1 WHERE b, |', 'value, into t'],
  ['UPDATE t SET a = 1 FROM b, |', 'table, into t'],
  ['UPDATE t SET a = 1 RETURNING b, |', 'value, into t'],
  ['UPDATE t SET a = (SELECT x, |', 'value'],
  ['SET |', 'value'],
  ['SELECT a FROM t ORDER BY a, |', 'value'],
  ['SELECT a FROM t WHERE b = 1 AND |', 'value'],
  ['UPDATE t SET a = b = 2, |', 'target, into t, besides a'],
  ['UPDATE t SET a = 1, x.b = 2, "C" = 3, |', 'target, into t, besides a C'],
  ['UPDATE t SET a = 1 WHERE b = 2 AND (|', 'value, into t'],
  ['SELECT 1 AND b, | = 1', 'value'],
  ['SELECT a FROM t, |', 'table'],
  ['INSERT INTO t (a) VALUES (1), 2, (|', 'value, into t'],
  ['INSERT INTO t (a) VALUES ((1), (|', 'value, into t'],
  ['SELECT DISTINCT |', 'value'],
  ['SELECT ALL |', 'value'],
  ['SELECT a WHERE |', 'value'],
  ['SELECT a OR |', 'value'],
  ['SELECT NOT |', 'value'],
  ['SELECT a FROM t JOIN u ON |', 'value'],
  ['SELECT a GROUP BY |', 'value'],
  ['SELECT a HAVING |', 'value'],
  ['SELECT CASE WHEN |', 'value'],
  ['SELECT CASE WHEN a THEN |', 'value'],
  ['SELECT CASE WHEN a THEN b ELSE |', 'value'],
  ['SELECT CASE |', 'value'],
  ['SELECT a BETWEEN |', 'value, meets a'],
  ['SELECT a LIKE |', 'value, meets a'],
  ['SELECT a ILIKE |', 'value, meets a'],
  ['SELECT a IN |', 'value'],
  ['SELECT a IS |', 'word'],
  ['SELECT a LIMIT |', 'row'],
  ['SELECT a OFFSET |', 'row'],
  ['SELECT a = ANY |', 'value'],
  ['SELECT a = SOME |', 'value'],
  ['SELECT EXISTS |', 'value'],
  ['SELECT "select" |', 'word'],
  ['SELECT * FROM a * |', 'word'],
  ['SELECT * FROM s.on |', 'word'],
  ['SELECT $1, a|', 'value, typed a'],
  ['SELECT "a| b" x', 'value, typed "a b"'],
  [`SELECT "a|b", 'x`, 'value, typed "ab"'],
  ['SELECT (a).|', 'word'],
  ['UPDATE t SET region = 1, |', 'target, into t, besides region'],
  ['UPDATE t SET online = 1, bytes = 2, |', 'target, into t, besides online bytes'],
  ['UPDATE t SET 1 = 2, |', 'target, into t'],
  ['DELETE FROM t USING |', 'table, into t'],
];

/** The name that the scanner puts at the caret is no name of a list. */
const isWritten = (name: string): boolean => /^\w+$/.test(name);

function describePlace(marked: string): string | null {
  const text = marked.replace('|', '');
  const caret = analyseCaret(text, marked.indexOf('|'));
  if (caret === null) return null;
  const { at, qualifier, target, listed, column, start, end } = caret;
  return [
    at,
    ...(qualifier === null ? [] : [`of ${qualifier}`]),
    ...(target === null ? [] : [`into ${target}`]),
    ...(listed.some(isWritten) ? [`besides ${listed.filter(isWritten).join(' ')}`] : []),
    ...(column === null ? [] : [`meets ${column}`]),
    ...(end === start ? [] : [`typed ${text.slice(start, end)}`]),
  ].join(', ');
}

describe('caret in SQL', () => {
  for (const [sql, expected] of PLACES)
    it(`${sql} is ${expected ?? 'at no known place'}`, () => expect(describePlace(sql)).to.equal(expected));

  for (const whole of TEXTS) {
    it(`is found anywhere in: ${whole.slice(0, 40)}`, () => {
      for (let at = 0; at <= whole.length; at++) {
        for (const text of [whole, whole.slice(0, at), whole.slice(0, at) + whole.slice(at + 3)]) {
          const caret = analyseCaret(text, at);
          if (caret !== null)
            expect(0 <= caret.start && caret.start <= at && caret.end <= Math.max(at, text.length)).to.equal(true);
          let last = 0;
          for (const { start, end } of classifyTokens(scanSql(text))) {
            expect(start >= last && end > start && end <= text.length, text).to.equal(true);
            last = end;
          }
        }
      }
    });
  }

  it('is found quickly in nested sub-queries', () => {
    const text = `${'SELECT * FROM ('.repeat(40)}SELECT ${') a'.repeat(40)}`;
    expect(measureCpuTime(() => analyseCaret(text, text.indexOf('SELECT )') + 7))).to.be.below(2000);
  });
});

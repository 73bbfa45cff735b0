/**
 * Tokens of a statement for highlighting: keywords, tables, names of sources, columns, functions; names that need
 * quotes, and names in backquotes.
 */
import { expect } from 'chai';
import { classifyTokens } from '../../../plugins/queries/sql/text/names.js';
import {
  listBackquotedNames,
  quoteSqlName,
  replaceBackquotes,
  quoteIfNeeded,
} from '../../../plugins/queries/sql/text/quotes.js';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';

const LETTERS: Readonly<Record<string, string>> = {
  ...{ keyword: 'k', table: 't', source: 's', column: 'c', function: 'f', type: 'y' },
  ...{ placeholder: '$', string: "'", number: '1', comment: '-', operator: '+' },
};

/** A letter for each token; brackets, dots and commas have none. */
const roles = (sql: string): string =>
  classifyTokens(scanSql(sql))
    .map(({ role }) => LETTERS[role])
    .join('');

describe('names in a statement', () => {
  const cases: readonly (readonly [string, string])[] = [
    ["SELECT a, 'b', 1, $1, $$c$$ -- d", "kc'1$'-"],
    ['SELECT /* a */ b FROM t', 'k-ckt'],
    ['SELECT a::int, b :: text, c::', 'kc+yc+yc+'],
    ['SELECT t.a, u.b, s.t.c FROM s.t, t u', 'ktcscstckstts'],
    ['SELECT "select", "from" FROM "where"', 'kcckt'],
    ['SELECT a.select FROM t a', 'ksckts'],
    ['SELECT order.a FROM order', 'ktckt'],
    ['SELECT order FROM order', 'kkkt'],
    ['SELECT u.a FROM t u, u v', 'kscktsts'],
    ['SELECT extract(day FROM a) FROM t', 'kkckckt'],
    ['SELECT u FROM t u', 'kckts'],
    ['(a) b', 'cc'],
    ['SELECT * FROM f(b c)', 'k+kfcc'],
    ['SELECT group.a FROM order', 'kkckt'],
    ['SELECT count(*), f (1), s.g(2), "h"(3) FROM t', 'kf+f1sc1f1kt'],
    ['INSERT INTO t (a) VALUES (1)', 'kktck1'],
    ['INSERT INTO t AS u (a) VALUES (1)', 'kktksck1'],
    ['SELECT "values"(1)', 'kf1'],
    ['SELECT set FROM t', 'kkkt'],
    ['SELECT "set" FROM t', 'kckt'],
    ['SELECT t.set FROM t', 'ktckt'],
    ['SELECT a b FROM t u', 'kcckts'],
    ['SELECT a AS b FROM t AS u', 'kckcktks'],
    ['SELECT * FROM t u JOIN v w ON u.a = w.b', 'k+ktsktsksc+sc'],
    ['SELECT * FROM (SELECT 1) u, (SELECT 2) AS v', 'k+kk1sk1ks'],
    ['SELECT (SELECT 1) u FROM t', 'kk1ckt'],
    ['SELECT 1 FROM t WHERE (a) b', 'k1ktkcc'],
    ['SELECT a FROM t ORDER BY a b', 'kcktkkcc'],
    ['SELECT a FROM t GROUP BY a HAVING a b', 'kcktkkckcc'],
    ['UPDATE t u SET a = 1', 'ktskc+1'],
    ['UPDATE t SET a = b c', 'ktkc+cc'],
    ['DELETE FROM t USING v w WHERE w.a', 'kktktsksc'],
    ['DELETE FROM t RETURNING a b', 'kktkcc'],
    ['INSERT INTO t (a) VALUES (1) RETURNING (a) b', 'kktck1kcc'],
    ['WITH w AS (SELECT 1) SELECT a FROM w', 'kskk1kcks'],
    ['WITH w (a) AS (SELECT 1) SELECT w.a FROM w', 'ksckk1kscks'],
    ['WITH w AS (SELECT 1), t AS (SELECT 2) SELECT 1 FROM w, t', 'kskk1ckk1k1ksc'],
    ['SELECT * FROM t u, LATERAL f(u.a) g', 'k+ktskfscs'],
  ];
  for (const [sql, expected] of cases) it(sql, () => expect(roles(sql)).to.equal(expected));

  it('have their position and the name in the database', () => {
    expect(classifyTokens(scanSql('SELECT "A""b"::int FROM T'))).to.deep.equal([
      { role: 'keyword', start: 0, end: 6, name: '' },
      { role: 'column', start: 7, end: 13, name: 'A"b' },
      { role: 'operator', start: 13, end: 15, name: '' },
      { role: 'type', start: 15, end: 18, name: '' },
      { role: 'keyword', start: 19, end: 23, name: '' },
      { role: 'table', start: 24, end: 25, name: 't' },
    ]);
  });
});

describe('quoted names', () => {
  for (const [name, written] of [
    ['a', 'a'],
    ['_a9', '_a9'],
    ['a_b', 'a_b'],
    ['A', '"A"'],
    ['aB', '"aB"'],
    ['9a', '"9a"'],
    ['a b', '"a b"'],
    ['a-', '"a-"'],
    ['é', '"é"'],
    ['', '""'],
    ['a"b"', '"a""b"""'],
    ['select', '"select"'],
    ['rank', '"rank"'],
    ['ranks', 'ranks'],
  ] as const) {
    it(`${name} is written ${written}`, () => {
      expect(quoteIfNeeded(name, new Set(['rank']))).to.equal(written);
      expect(quoteSqlName(name)).to.equal(`"${name.replaceAll('"', '""')}"`);
    });
  }
  it('are only needed for keywords of the language', () => expect(quoteIfNeeded('rank')).to.equal('rank'));

  for (const [sql, changed, names] of [
    ['SELECT `a`, `b c` FROM t', 'SELECT "a", "b c" FROM t', ['a 7-10', 'b c 12-17']],
    ['SELECT \'`a`\', "`b`" -- `c`', 'SELECT \'`a`\', "`b`" -- `c`', []],
    ['SELECT a=`b`', 'SELECT a="b"', ['b 9-12']],
    ['SELECT a FROM t', 'SELECT a FROM t', []],
    ['SELECT `a', 'SELECT "a', null],
    ['SELECT `a`, `b', 'SELECT "a", "b', null],
    ['SELECT ``', 'SELECT ""', null],
    ['SELECT ` a`', 'SELECT " a"', null],
    ["SELECT `a'b'`", 'SELECT "a\'b\'"', null],
    ['SELECT `a\nb`', 'SELECT "a\nb"', null],
    ['SELECT `a"b"`', 'SELECT "a"b""', null],
  ] as const) {
    it(`${JSON.stringify(sql)} in backquotes`, () => {
      expect(replaceBackquotes(sql)).to.equal(changed);
      const found = listBackquotedNames(sql)?.map(({ name, start, end }) => `${name} ${start}-${end}`) ?? null;
      expect(found).to.deep.equal(names);
    });
  }
});

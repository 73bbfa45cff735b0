/**
 * What the scanner reads from a statement, word by word of the language: tables, target, RETURNING, and the column that each
 * placeholder meets. Lists of words are gone through whole.
 */
import { expect } from 'chai';
import { quoteReserved } from '../../../plugins/queries/sql/text/reserved.js';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';

const listTables = (sql: string): string[] => scanSql(sql).tables.map(({ name }) => name);
const listColumns = (sql: string): (string | null)[] => scanSql(sql).placeholders.map(({ column }) => column);
const listCasts = (sql: string): (string | null)[] => scanSql(sql).placeholders.map(({ cast }) => cast);

describe('tables of a statement', () => {
  const cases: readonly (readonly [string, string[]])[] = [
    ['SELECT substring(y FROM x), trim(BOTH FROM x), overlay(y PLACING z FROM x), EXTRACT(day FROM x) FROM t', ['t']],
    ['SELECT a IS DISTINCT FROM b, a IS NOT DISTINCT FROM b FROM t', ['t']],
    ['SELECT DISTINCT FROM t', ['t']],
    ['SELECT x NOT FROM t', ['t']],
    ['SELECT other(y FROM x)', ['x']],
    // Words before UPDATE with which it writes no table.
    ['SELECT * FROM a FOR UPDATE NOWAIT', ['a']],
    ['SELECT * FROM a FOR NO KEY UPDATE NOWAIT', ['a']],
    ['CREATE TABLE a (b int REFERENCES c ON UPDATE CASCADE)', []],
    ['CREATE TRIGGER a BEFORE UPDATE ON b', []],
    ['CREATE TRIGGER a AFTER UPDATE ON b', []],
    ['CREATE TRIGGER a AFTER INSERT OR UPDATE ON b', []],
    ['CREATE TRIGGER a INSTEAD OF UPDATE ON b', []],
    ['MERGE INTO a USING b ON true WHEN MATCHED THEN UPDATE c', ['a', 'b']],
    ['INSERT INTO a (b) VALUES (1) ON CONFLICT DO UPDATE c', ['a']],
    ['UPDATE SET a = 1', []],
    ['SELECT * FROM a JOIN f(1) g ON true', ['a']],
    ['INSERT INTO table (a) VALUES (1)', ['table']],
    ['INSERT INTO values (a) VALUES (1)', ['values']],
    ['SELECT * FROM table t JOIN values v ON true', ['table', 'values']],
    ['SELECT * FROM (TABLE a) t, (VALUES (1)) v', ['a']],
    ['INSERT INTO a TABLE b', ['a']],
    ['INSERT INTO a(b) VALUES (1)', ['a']],
    ['UPDATE ONLY (a) SET b = 1', ['a']],
    ['DELETE FROM a USING b, f(1) c', ['a', 'b']],
    ['CREATE INDEX a ON b USING gin (c)', []],
    ['SELECT * FROM a ORDER BY b USING c, d', ['a']],
    ['SELECT * FROM a JOIN b USING (c)', ['a', 'b']],
    // What looks like a word of the language.
    ['SELECT * FROM order o, group', ['order', 'group']],
    ['SELECT * FROM ORDER BY a', []],
    ['SELECT * FROM GROUP BY a', []],
    ['SELECT * FROM WHERE a', []],
    ['SELECT * FROM HAVING a', []],
    ['SELECT * FROM "where"', ['where']],
    ['SELECT * FROM (TABLE a) b, c', ['a', 'c']],
    ['SELECT * FROM (WITH a AS (SELECT 1) SELECT 2) b, c', ['c']],
    ['SELECT * FROM rows', ['rows']],
    ['SELECT * FROM rows r, a', ['rows', 'a']],
    ['SELECT * FROM a, ROWS FROM (f()) b', ['a']],
    ['SELECT * FROM LATERAL f(1) a, LATERAL b', ['b']],
    ['SELECT * FROM a.', ['a']],
    ['SELECT * FROM a.b.c, d', ['c', 'd']],
    ['SELECT a.from, b FROM c', ['c']],
    ['SELECT a.join b FROM c', ['c']],
    ['SELECT * FROM a; b, c', ['a']],
    ['SELECT * FROM (SELECT 1 FROM a), b', ['a', 'b']],
    ['SELECT (SELECT 1 FROM a), b', ['a']],
    // A WITH entry hides a table behind it, as far as its query goes.
    ['SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a) b JOIN a ON true', ['a']],
    ['WITH a AS (SELECT 1) SELECT * FROM public.a, a', ['a']],
    ['WITH a (x, y) AS MATERIALIZED (SELECT 1, 2) SELECT * FROM a', []],
    ['WITH "A" AS (SELECT 1) SELECT * FROM "A", a', ['a']],
    ['SELECT a.with, b AS (c) FROM b', ['b']],
  ];
  for (const [sql, expected] of cases) it(sql, () => expect(listTables(sql)).to.deep.equal(expected));

  for (const word of 'WHERE GROUP HAVING ORDER LIMIT OFFSET FETCH FOR UNION INTERSECT EXCEPT WINDOW RETURNING SET SELECT WHEN VALUES'.split(
    ' ',
  ))
    it(`end with ${word}`, () => expect(listTables(`SELECT * FROM a ${word} b, c`)).to.deep.equal(['a']));
});

describe('the main statement', () => {
  const verbs: readonly (readonly [string, string, string | null])[] = [
    [';;SELECT 1;', 'SELECT', null],
    ['((SELECT 1))', 'SELECT', null],
    ['WITH x AS (SELECT 1) (SELECT 2)', 'SELECT', null],
    ['(1)', '', null],
    ['1', '', null],
    ['SELECT INTO a FROM b', 'SELECT', null],
    ['DELETE FROM a', 'DELETE', 'a'],
    ['DELETE a', 'DELETE', null],
    ['INSERT a', 'INSERT', null],
    ['DELETED FROM a', 'DELETED', null],
    ['REINSERT INTO a', 'REINSERT', null],
    ['"DELETE" FROM a', '', null],
    ['MERGE INTO "A" b USING c ON true', 'MERGE', 'A'],
    ['UPDATE s.a SET b = 1; DELETE FROM c', 'UPDATE', 'a'],
    ['SELECT 1; DELETE FROM c', 'SELECT', null],
  ];
  for (const [sql, verb, target] of verbs)
    it(`${sql} is ${verb || 'none'}${target === null ? '' : ` of ${target}`}`, () => {
      const scan = scanSql(sql);
      expect([scan.verb, scan.target?.name ?? null]).to.deep.equal([verb, target]);
    });

  it('has the place of its target', () => {
    expect(scanSql('DELETE FROM s.abc x').target).to.deep.equal({ name: 'abc', start: 14, end: 17 });
  });

  for (const [sql, returning] of [
    ['DELETE FROM a RETURNING b;', true],
    ['DELETE FROM a RETURNING', true],
    ['(DELETE FROM a RETURNING b)', true],
    ['DELETE FROM a; DELETE FROM b RETURNING c', false],
    ['DELETE FROM a WHERE b.returning', false],
    ['DELETE FROM a WHERE (returning)', false],
    ['DELETE FROM a WHERE "RETURNING"', false],
    ["DELETE FROM a WHERE 'RETURNING'", false],
  ] as const)
    it(`${sql} answers ${returning ? 'with rows' : 'without rows'}`, () =>
      expect(scanSql(sql).returning).to.equal(returning));

  for (const [sql, count] of [
    ['SELECT (1; 2)', 1],
    ['SELECT 1; SELECT 2; SELECT 3', 3],
    [';;', 0],
    ['SELECT 1;;SELECT 2;', 2],
  ] as const)
    it(`${sql} is ${count} statements`, () => expect(scanSql(sql).statements).to.equal(count));
});

describe('columns that placeholders meet', () => {
  for (const sign of ['=', '<>', '!=', '<', '>', '<=', '>=', '~', '~*', '!~', '!~*', '~~', '~~*', '@>', '<@'])
    it(`compared by ${sign}`, () => {
      expect(listColumns(`SELECT 1 WHERE a ${sign} $1`)).to.deep.equal(['a']);
      expect(listColumns(`SELECT 1 WHERE $1 ${sign} a`)).to.deep.equal(['a']);
    });

  for (const sign of ['+', '-', '*', '||', '&&', '->', '->>', '?', '?|', '#>', '@@'])
    it(`are not identified by ${sign}`, () => {
      expect(listColumns(`SELECT 1 WHERE a ${sign} $1`)).to.deep.equal([null]);
      expect(listColumns(`SELECT 1 WHERE $1 ${sign} a`)).to.deep.equal([null]);
    });

  const cases: readonly (readonly [string, (string | null)[]])[] = [
    ['SELECT a = $1, b, c = $2', ['a', 'c']],
    ['SELECT 1 WHERE (a = $1)', ['a']],
    ['SELECT x[a = $1]', [null]],
    ['SELECT 1 WHERE s.t.a = $1', ['a']],
    ['SELECT 1 WHERE b + t.a = $1', [null]],
    ['SELECT 1 WHERE b + s.t.a = $1', [null]],
    ['SELECT 1 WHERE .a = $1', [null]],
    ['SELECT 1 WHERE 1 = $1', [null]],
    ['SELECT 1 WHERE $1 = s.t.a', ['a']],
    ['SELECT 1 WHERE $1 = t.a + 1', [null]],
    ['SELECT 1 WHERE $1 = a + 1', [null]],
    ['SELECT 1 WHERE $1 = a::int', [null]],
    ["SELECT 1 WHERE $1 = date '2026-01-01'", [null]],
    ['SELECT 1 WHERE $1 = a[1]', [null]],
    ['SELECT 1 WHERE $1 = 1', [null]],
    ['SELECT a, b FROM $1', [null]],
    ['SELECT a $1', [null]],
    ['SELECT a OFFSET $1', [null]],
    ['SELECT 1 WHERE a NOT LIKE $1 AND b LIKE $2', ['a', 'b']],
    // A whole element of a list.
    ['SELECT 1 WHERE a IN (1, $1)', ['a']],
    ['SELECT 1 WHERE a IN ($1 + 1)', [null]],
    ['SELECT 1 WHERE a IN (b $1)', [null]],
    ['SELECT 1 WHERE a IN ($1 b)', [null]],
    ['SELECT 1 WHERE a IN (f($1))', [null]],
    ['SELECT a, $1', [null]],
    // Casts and brackets around it.
    ['SELECT 1 WHERE a = CAST($1 AS int)', ['a']],
    ['SELECT 1 WHERE CAST($1 AS int) = a', ['a']],
    ['SELECT 1 WHERE a = (($1))::int', ['a']],
    ['INSERT INTO t (a, b) VALUES (CAST($1 AS int), $2)', ['a', 'b']],
    ['SELECT 1 WHERE a = "f"($1)', [null]],
    ['SELECT 1 WHERE a = (f)($1)', [null]],
    // Rows of an INSERT.
    ['INSERT INTO t (a b, c) VALUES ($1, $2)', [null, 'c']],
    ['INSERT INTO t (a[1], c) VALUES ($1, $2)', [null, 'c']],
    ['INSERT INTO t (a, b) VALUES ($1, 1), ($2, 1) ($3, 1)', ['a', 'a', null]],
    ['INSERT INTO t (a) TABLE $1', [null]],
    ['INSERT INTO t $1, ($2)', [null, null]],
    ['SELECT INTO t (a) VALUES ($1)', [null]],
    ['INSERT t (a) VALUES ($1)', [null]],
    ['INSERT INTO t (a, b) SELECT $1; SELECT 1, $2', ['a', null]],
    ['WITH x AS (INSERT INTO t (a, b) SELECT $1), y AS (SELECT $2) SELECT 1', ['a', null]],
    // Lists on both sides of an equals sign.
    ['SELECT 1 WHERE (a, b) = ($1, $2)', ['a', 'b']],
    ['UPDATE t SET (a) = $1, (b, c) = ROW($2, $3)', [null, 'b', 'c']],
    ['UPDATE t SET (a, b) = (f($1), $2)', [null, 'b']],
    ['SELECT 1 WHERE a[1] = ($1)', [null]],
    // The argument of a function is not what is compared.
    ['SELECT 1 WHERE lower(a) = ($1)', [null]],
    ['SELECT 1 WHERE "lower"(a) = ($1)', [null]],
    ['SELECT 1 WHERE f(a, b) = ROW($1, $2)', [null, null]],
  ];
  for (const [sql, expected] of cases) it(sql, () => expect(listColumns(sql)).to.deep.equal(expected));

  for (const word of 'FROM WHERE GROUP HAVING ORDER LIMIT OFFSET FETCH UNION INTERSECT EXCEPT ON RETURNING'.split(' '))
    it(`end with ${word}`, () =>
      expect(listColumns(`INSERT INTO t (a, b) SELECT $1 ${word} x, $2`)).to.deep.equal(['a', null]));
});

describe('casts of placeholders', () => {
  const words =
    'SELECT WHERE AND OR NOT ON SET RETURNING THEN ELSE WHEN CASE BETWEEN LIKE ILIKE LIMIT OFFSET BY DISTINCT HAVING';
  for (const word of [...words.split(' '), '=', ',', '('])
    it(`reach through brackets behind ${word}`, () => expect(listCasts(`x ${word} ($1)::int`)).to.deep.equal(['int']));

  const cases: readonly (readonly [string, (string | null)[]])[] = [
    ['SELECT f($1)::int, "AND"($2)::int, (f)($3)::int', [null, null, null]],
    ['SELECT (CAST($1 AS int))::text', ['int']],
    ['SELECT CAST($1 AS)', [null]],
    ['SELECT f($1 AS int)', [null]],
    ['SELECT CAST[$1 AS int]', [null]],
    ['SELECT CAST($1, int)', [null]],
    ['SELECT ($1 AS int)', [null]],
  ];
  for (const [sql, expected] of cases) it(sql, () => expect(listCasts(sql)).to.deep.equal(expected));
});

describe('tables named like SQL keywords', () => {
  const names =
    'case check column constraint default end grant like primary references user change condition database databases ' +
    'function groups index interval key keys line lines lock option partition procedure range rank read release require row ' +
    'schema schemas signal system trigger usage write order group limit offset window rows';
  for (const name of names.split(' '))
    it(`${name} is put in quotes`, () =>
      expect(quoteReserved(scanSql(`UPDATE ${name} SET a = 1`)).text).to.equal(`UPDATE "${name}" SET a = 1`));

  const cases: readonly (readonly [string, string])[] = [
    ['SELECT User.id, s.user.x, a.user FROM USER u', 'SELECT "user".id, s.user.x, a.user FROM "user" u'],
    ['SELECT user, id FROM "user" WHERE user.a', 'SELECT user, id FROM "user" WHERE user.a'],
    ['SELECT key.a, row.b FROM key', 'SELECT "key".a, row.b FROM "key"'],
    ['SELECT 1 FROM person', 'SELECT 1 FROM person'],
    ['SELECT table.id FROM table', 'SELECT "table".id FROM "table"'],
    ['INSERT INTO Values (a) VALUES ($1)', 'INSERT INTO "values" (a) VALUES ($1)'],
  ];
  for (const [sql, expected] of cases) it(sql, () => expect(quoteReserved(scanSql(sql)).text).to.equal(expected));

  it('keep the places of the text as it was written', () => {
    const { text, toOriginalOffset } = quoteReserved(scanSql('SELECT 1 FROM user WHERE x'), '`');
    expect(text).to.equal('SELECT 1 FROM `user` WHERE x');
    expect([0, 13, 14, 15, 16, 19, 20, 27].map(toOriginalOffset)).to.deep.equal([0, 13, 14, 14, 15, 18, 18, 25]);
    expect(quoteReserved(scanSql('SELECT 1')).toOriginalOffset(7)).to.equal(7);
  });
});

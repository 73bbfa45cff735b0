/**
 * Tables, WITH entries and sub-queries in scope at a position of a statement, the nearest first, their columns, and the
 * target table. The bar is the position; `t x` is the table t with the alias x.
 */
import { expect } from 'chai';
import { analyseCaret, type SqlCaret } from '../../../plugins/queries/sql/editing/caret.js';
import type { SqlOutput, SqlSource } from '../../../plugins/queries/sql/text/sources.js';

const outputText = (output: SqlOutput): string => (typeof output === 'string' ? output : `{${formatSources(output)}}`);
const sourceText = ({ alias, table, outputs }: SqlSource): string => {
  if (table !== null) return alias === table ? alias : `${table} ${alias}`;
  return `${alias}(${(outputs ?? []).map(outputText).join(' ')})`;
};
const formatSources = (sources: readonly SqlSource[]): string => sources.map(sourceText).join(', ');

function caretAt(marked: string): SqlCaret {
  const caret = analyseCaret(marked.replace('|', ''), marked.indexOf('|'));
  if (caret === null) throw new Error('no place for a name');
  return caret;
}

describe('sources at a position in a statement', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['SELECT | FROM a x, s.b AS "Y", c', 'a x, b Y, c'],
    ['SELECT (SELECT | FROM c) FROM a', 'c, a'],
    ['SELECT (SELECT 1 FROM c), | FROM a', 'a'],
    ['SELECT f(x, (|)) FROM a', 'a'],
    ['SELECT x IN (1, |) FROM a', 'a'],
    ['SELECT * FROM a; SELECT | FROM b; SELECT * FROM c', 'b'],
    ['SELECT a FROM x UNION SELECT | FROM y UNION SELECT 1 FROM z', 'y'],
    ['SELECT a FROM x INTERSECT SELECT | FROM y', 'y'],
    ['SELECT a FROM x EXCEPT SELECT | FROM y', 'y'],
    ['SELECT (SELECT 1 FROM x UNION SELECT | FROM y) FROM z', 'y, z'],
    ['SELECT | FROM x WHERE (SELECT 1; UNION)', 'x'],
    ['SELECT * FROM a, (SELECT | FROM b) c', 'b'],
    ['SELECT * FROM a JOIN (SELECT | FROM b) c ON true', 'b'],
    ['SELECT * FROM a JOIN ((SELECT | FROM b) c) ON true', 'b'],
    ['SELECT * FROM a WHERE EXISTS (SELECT | FROM b)', 'b, a'],
    ['SELECT a, (SELECT | FROM b) FROM c', 'b, c'],
    ['SELECT * FROM a WHERE x, (SELECT | FROM b)', 'b, a'],
    ['SELECT * FROM a GROUP BY x, (SELECT | FROM b)', 'b, a'],
    ['SELECT * FROM a HAVING x, (SELECT | FROM b)', 'b, a'],
    ['UPDATE a SET x = 1, y = (SELECT | FROM b)', 'b, a'],
    ['INSERT INTO a VALUES (1, (SELECT | FROM b))', 'b, a'],
    ['DELETE FROM a USING b, (SELECT | FROM c) d', 'c'],
    ['DELETE FROM a RETURNING x, (SELECT | FROM b)', 'b, a'],
    ['WITH w AS (SELECT | FROM b) SELECT * FROM a', 'b'],
    ['WITH w AS MATERIALIZED (SELECT | FROM b) SELECT * FROM a', 'b'],
    ['SELECT * FROM a, (VALUES (|)) v', ''],
    ['SELECT * FROM a, (TABLE b) v WHERE |', 'a, v()'],
    ['SELECT * FROM (a JOIN b ON |)', 'a, b'],
    ['WITH q AS (SELECT | FROM b), r AS (INSERT INTO t SELECT 1 FROM c) SELECT 1', 'b'],
    ['SELECT (SELECT | FROM w), (WITH w AS (SELECT a FROM t) SELECT 1)', 'w'],
    ['FROM a, (SELECT | FROM b)', 'b'],
    ['SELECT x FROM a, f(b_set), (SELECT | FROM b) c', 'b'],
    ['SELECT x FROM a reset, (SELECT | FROM b) c', 'b'],
    ['SELECT x FROM a, selected, (SELECT | FROM b) c', 'b'],
    ['INSERT INTO t (a) SELECT | FROM b', 'b'],
    ['INSERT INTO t (a|) SELECT 1 FROM b', 't'],
    ['INSERT INTO t AS x (a) VALUES (|)', 't x'],
    ['INSERT INTO t (a) SELECT 1 FROM b RETURNING |', 't'],
    ['INSERT INTO t (a) SELECT 1 FROM b ON CONFLICT (|) DO NOTHING', 't, t excluded'],
    ['INSERT INTO t (a) SELECT 1 FROM b ON CONFLICT (a) DO UPDATE SET a = | RETURNING b', 't, t excluded'],
    ['INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 1 WHERE | RETURNING b', 't, t excluded'],
    ['INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO NOTHING RETURNING |', 't'],
    ['WITH q AS (INSERT INTO t (a) SELECT 1 FROM b RETURNING |) SELECT * FROM q', 't'],
    ['UPDATE t SET a = | FROM b', 't, b'],
    ['UPDATE t SET a = 1 FROM b RETURNING |', 't, b'],
    ['MERGE INTO t USING s ON |', 't, s'],
    ['SELECT * FROM a, LATERAL (SELECT | FROM b WHERE c)', 'b, a'],
  ];
  for (const [sql, expected] of cases) it(sql, () => expect(formatSources(caretAt(sql).sources)).to.equal(expected));
});

describe('columns of sub-queries and WITH entries', () => {
  const cases: readonly (readonly [string, string])[] = [
    [
      `SELECT | FROM (SELECT a, t.b, "C", d AS e, f g, count(*), h.i(1), 1, x::int, 'a' y, * FROM t) s`,
      's(a b C e g count y {t})',
    ],
    ['SELECT | FROM (SELECT t.*, u.a FROM t, u) s', 's({t} a)'],
    ['SELECT | FROM (SELECT DISTINCT a, b FROM t) s', 's(a b)'],
    ['SELECT | FROM (SELECT ALL a, b FROM t) AS s', 's(a b)'],
    ['SELECT | FROM (SELECT a FROM t) s (x, "Y")', 's(x Y)'],
    ['SELECT | FROM (SELECT a FROM t) AS s (x, y)', 's(x y)'],
    ['SELECT | FROM (SELECT a FROM t)', ''],
    ['SELECT | FROM (VALUES (1, 2)) v (x)', 'v(x)'],
    ['SELECT | FROM (VALUES (1, 2)) v', 'v()'],
    ['SELECT | FROM (SELECT a WHERE b) s', 's(a)'],
    ['SELECT | FROM (SELECT a GROUP BY b) s', 's(a)'],
    ['SELECT | FROM (SELECT a ORDER BY b) s', 's(a)'],
    ['SELECT | FROM (SELECT a LIMIT 1) s', 's(a)'],
    ['SELECT | FROM (SELECT a UNION SELECT b) s', 's(a)'],
    ['SELECT | FROM (SELECT a INTERSECT SELECT b) s', 's(a)'],
    ['SELECT | FROM (SELECT a EXCEPT SELECT b) s', 's(a)'],
    ['SELECT | FROM (SELECT a HAVING b) s', 's(a)'],
    ['SELECT | FROM (SELECT a OFFSET 1) s', 's(a)'],
    ['SELECT | FROM (SELECT (SELECT z FROM q) a, b FROM t) s', 's(a b)'],
    ['SELECT | FROM (SELECT a) s, (SELECT b) u', 's(a), u(b)'],
    ['SELECT | FROM (SELECT * FROM (SELECT a FROM t) i) s', 's({i(a)})'],
    ['SELECT | FROM (SELECT i.* FROM (SELECT a FROM t) i, j) s', 's({i(a)})'],
    ['SELECT | FROM (SELECT a) s, b', 's(a), b'],
    ['SELECT | FROM (VALUES (1)) v, (SELECT b) u', 'v(), u(b)'],
    ['SELECT | FROM (SELECT DISTINCT count(*) FROM t) s', 's(count)'],
    ['SELECT | FROM (SELECT ALL max(a) FROM t) s', 's(max)'],
    ['SELECT | FROM (SELECT selected, b FROM t) s', 's(selected b)'],
    ['SELECT | FROM (SELECT a, returning_to FROM t) s', 's(a returning_to)'],
    ['SELECT | FROM (SELECT overall(1) FROM t) s', 's(overall)'],
    ['SELECT | FROM (SELECT distinct_of(1) FROM t) s', 's(distinct_of)'],
    ['SELECT | FROM (SELECT a, b AS credit_limit FROM t) s', 's(a credit_limit)'],
    ['SELECT | FROM (SELECT a, b AS order_number FROM t) s', 's(a order_number)'],
    ['WITH w AS (SELECT a FROM t) SELECT | FROM u', 'u'],
    ['WITH w AS (SELECT a FROM t) SELECT | FROM w', 'w(a)'],
    ['WITH w AS (SELECT a FROM t) SELECT | FROM w x', 'x(a)'],
    ['WITH w AS (SELECT a FROM t) SELECT | FROM s.w', 'w'],
    ['WITH w (p, q) AS (SELECT a FROM t) SELECT | FROM w', 'w(p q)'],
    ['WITH w AS (UPDATE t SET a = (SELECT 1) RETURNING b, c AS d) SELECT | FROM w', 'w(b d)'],
    ['WITH w AS (DELETE FROM t RETURNING *) SELECT | FROM w', 'w({t})'],
    ['WITH w AS (INSERT INTO t (a) SELECT b FROM u RETURNING a) SELECT | FROM w', 'w(a)'],
    ['WITH w AS (SELECT a FROM t), v AS (SELECT | FROM w) SELECT 1', 'w(a)'],
    ['WITH w AS (SELECT | FROM t), v AS (SELECT b FROM w) SELECT 1', 't'],
    ['WITH RECURSIVE w AS (SELECT a FROM t UNION SELECT | FROM w) SELECT 1', 'w(a)'],
    ['SELECT * FROM (WITH w AS (SELECT a FROM t) SELECT | FROM w) s', 'w(a)'],
    ['SELECT (WITH w AS (SELECT a FROM t) SELECT 1), | FROM b', 'b'],
  ];
  for (const [sql, expected] of cases) it(sql, () => expect(formatSources(caretAt(sql).sources)).to.equal(expected));
});

describe('WITH entries in scope', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['WITH w AS (SELECT a FROM t) SELECT | FROM w', 'w(a)'],
    ['WITH w AS (SELECT a FROM t) SELECT | FROM w x', 'w(a)'],
    ['WITH w AS (SELECT a FROM t) SELECT | FROM s.w', 'w(a)'],
    ['WITH w (p, q) AS (SELECT a FROM t) SELECT | FROM w', 'w(p q)'],
    ['WITH w AS (UPDATE t SET a = (SELECT 1) RETURNING b, c AS d) SELECT | FROM w', 'w(b d)'],
    ['WITH w AS (DELETE FROM t RETURNING *) SELECT | FROM w', 'w({t})'],
    ['WITH w AS (INSERT INTO t (a) SELECT b FROM u RETURNING a) SELECT | FROM w', 'w(a)'],
    ['WITH w AS (SELECT a FROM t), v AS (SELECT | FROM w) SELECT 1', 'w(a)'],
    ['WITH w AS (SELECT | FROM t), v AS (SELECT b FROM w) SELECT 1', ''],
    ['WITH RECURSIVE w AS (SELECT a FROM t UNION SELECT | FROM w) SELECT 1', 'w(a)'],
    ['SELECT * FROM (WITH w AS (SELECT a FROM t) SELECT | FROM w) s', 'w(a)'],
    ['SELECT (WITH w AS (SELECT a FROM t) SELECT 1), | FROM b', ''],
  ];
  for (const [sql, expected] of cases) it(sql, () => expect(formatSources(caretAt(sql).common)).to.equal(expected));
});

describe('target table of a statement', () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ['INSERT INTO t (a) SELECT |', 't'],
    ['INSERT INTO s."T" (|', 'T'],
    ['UPDATE t SET |', 't'],
    ['DELETE FROM t WHERE |', 't'],
    ['SELECT |', null],
    ['SELECT a FROM t WHERE |', null],
    // The innermost query counts.
    ['UPDATE t SET a = (SELECT |)', null],
    ['UPDATE t SET a = f(|)', 't'],
    ['UPDATE t SET a = (SELECT 1), |', 't'],
    ['WITH w AS (UPDATE u SET b = | RETURNING b) UPDATE t SET a = 1', 'u'],
    ['WITH w AS (UPDATE u SET b = 1 RETURNING b) UPDATE t SET |', 't'],
    ['WITH w AS (UPDATE u SET b = 1 RETURNING b) SELECT |', null],
    // The branch of an INSERT is no statement of its own.
    ['INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET |', 't'],
  ];
  for (const [sql, expected] of cases) it(sql, () => expect(caretAt(sql).target).to.equal(expected));
});

/** Which SELECT can lock its rows, and where the clause goes: the database would reject a wrong one. */
import { expect } from 'chai';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';
import { withRowLock } from '../../../plugins/dialects/shared/prepare.js';

const locked = (sql: string): string | null => withRowLock(scanSql(sql));

describe('row locks', () => {
  for (const [sql, expected] of [
    ['SELECT balance FROM w WHERE id = $1', 'SELECT balance FROM w WHERE id = $1 FOR NO KEY UPDATE'],
    ['select * from "W" as x where x.id = $1;', 'select * from "W" as x where x.id = $1 FOR NO KEY UPDATE;'],
    ['SELECT a FROM s.w x WHERE id = $1 -- end', 'SELECT a FROM s.w x WHERE id = $1 FOR NO KEY UPDATE -- end'],
    ['SELECT COALESCE(a, 0)::int FROM w WHERE b', 'SELECT COALESCE(a, 0)::int FROM w WHERE b FOR NO KEY UPDATE'],
    ['SELECT a FROM w WHERE lower(b) = $1 LIMIT 1', 'SELECT a FROM w WHERE lower(b) = $1 LIMIT 1 FOR NO KEY UPDATE'],
    [
      "SELECT 'for update' AS a FROM w WHERE b ORDER BY a",
      "SELECT 'for update' AS a FROM w WHERE b ORDER BY a FOR NO KEY UPDATE",
    ],
    // Names that only begin or end like a word that matters.
    ['SELECT offset_a, a_group FROM w WHERE b', 'SELECT offset_a, a_group FROM w WHERE b FOR NO KEY UPDATE'],
    ['SELECT (a), 1 + (a) FROM w WHERE b', 'SELECT (a), 1 + (a) FROM w WHERE b FOR NO KEY UPDATE'],
    [`SELECT a FROM w WHERE "GROUP" = 'for'`, `SELECT a FROM w WHERE "GROUP" = 'for' FOR NO KEY UPDATE`],
    ['SELECT a FROM "where" WHERE b', 'SELECT a FROM "where" WHERE b FOR NO KEY UPDATE'],
    ['SELECT a FROM x.y.w v WHERE b', 'SELECT a FROM x.y.w v WHERE b FOR NO KEY UPDATE'],
  ] as const) {
    it(`lock: ${sql}`, () => expect(locked(sql)).to.equal(expected));
  }

  for (const name of 'coalesce nullif greatest least cast abs round floor ceil ceiling lower upper trim length'.split(
    ' ',
  )) {
    const sql = `SELECT ${name}(a) FROM w WHERE b`;
    it(`lock: ${sql}`, () => expect(locked(sql)).to.equal(`${sql} FOR NO KEY UPDATE`));
  }

  for (const sql of [
    'SELECT a FROM w v elsewhere WHERE b',
    'SELECT a FROM w v wherever WHERE b',
    'SELECT a FROM x.w v u WHERE b',
    'SELECT a FROM w 1 WHERE b',
    'SELECT a FROM w (b) WHERE c',
    'SELECT my_abs(a) FROM w WHERE b',
    'SELECT absolute(a) FROM w WHERE b',
    'SELECT x.abs(a) FROM w WHERE b',
    'SELECT abs(sum(a)) FROM w WHERE b',
    'SELECT a FROM w WHERE (b',
    'SELECT a FROM w WHERE b; x',
    'SELECT a FROM f(1) WHERE b',
    'SELECT a FROM w v (a) WHERE b',
    'SELECT a FROM w v u WHERE b',
    'SELECT a FROM w TABLESAMPLE SYSTEM (1) WHERE b',
    'SELECT a FROM ONLY w WHERE b',
    'SELECT a FROM w WHERE b INTERSECT SELECT a',
    'SELECT a FROM w WHERE b EXCEPT SELECT a',
    'SELECT a FROM w WHERE b HAVING c',
    'SELECT a FROM w WHERE b FETCH FIRST ROW ONLY',
    'SELECT a FROM w WHERE b WINDOW c AS ()',
    'DELETE FROM w WHERE b',
    'SELECT 1 WHERE b',
    'SELECT count(*) FROM w WHERE b',
    'SELECT sum (a) FROM w WHERE b',
    'SELECT x."max"(a) FROM w WHERE b',
    'SELECT DISTINCT a FROM w WHERE b',
    'SELECT a FROM w WHERE b GROUP BY a',
    'SELECT a FROM w WHERE b UNION SELECT a FROM w',
    'SELECT a FROM w, v WHERE b',
    'SELECT a FROM w JOIN v ON true WHERE b',
    'SELECT a FROM w, generate_series(1, 2) WHERE b',
    'SELECT a FROM (SELECT a FROM w) x WHERE b',
    'SELECT a FROM w WHERE id = (SELECT 1)',
    'SELECT row_number() OVER () FROM w WHERE b',
    'SELECT a FROM w WHERE b ORDER BY a LIMIT 1',
    'SELECT a FROM w WHERE b OFFSET 1',
    'SELECT a FROM w WHERE b FOR SHARE',
    'WITH x AS (SELECT 1) SELECT a FROM w WHERE b',
    'SELECT a FROM w WHERE b; SELECT a FROM w WHERE b',
    'SELECT 1',
    'SELECT a FROM w',
    'SELECT a FROM w LIMIT 1',
    'TABLE w',
    'UPDATE w SET a = 1',
    'SELECT a INTO b FROM w WHERE b',
  ]) {
    it(`leave unchanged: ${sql}`, () => expect(locked(sql)).to.equal(null));
  }
});

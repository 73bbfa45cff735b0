/** Which SELECT may lock its rows, and where the words go: a wrong yes would be refused by the database. */
import { expect } from 'chai';
import { scanSql } from '../../kernel/language/sql.js';
import { withRowLock } from '../../plugins/dialects/shared/row-lock.js';

const locked = (sql: string): string | null => withRowLock(scanSql(sql));

describe('row locks', () => {
  for (const [sql, expected] of [
    ['SELECT balance FROM w WHERE id = $1', 'SELECT balance FROM w WHERE id = $1 FOR NO KEY UPDATE'],
    ['select * from "W" as x where x.id = $1;', 'select * from "W" as x where x.id = $1 FOR NO KEY UPDATE;'],
    ['SELECT a FROM s.w x WHERE id = $1 -- end', 'SELECT a FROM s.w x WHERE id = $1 FOR NO KEY UPDATE -- end'],
    ['SELECT COALESCE(a, 0)::int FROM w', 'SELECT COALESCE(a, 0)::int FROM w FOR NO KEY UPDATE'],
    ['SELECT a FROM w WHERE lower(b) = $1 LIMIT 1', 'SELECT a FROM w WHERE lower(b) = $1 LIMIT 1 FOR NO KEY UPDATE'],
    ["SELECT 'for update' AS a FROM w ORDER BY a", "SELECT 'for update' AS a FROM w ORDER BY a FOR NO KEY UPDATE"],
  ] as const) {
    it(`locks: ${sql}`, () => expect(locked(sql)).to.equal(expected));
  }

  for (const sql of [
    'SELECT count(*) FROM w',
    'SELECT sum (a) FROM w',
    'SELECT x."max"(a) FROM w',
    'SELECT DISTINCT a FROM w',
    'SELECT a FROM w GROUP BY a',
    'SELECT a FROM w UNION SELECT a FROM w',
    'SELECT a FROM w, v',
    'SELECT a FROM w JOIN v ON true',
    'SELECT a FROM w, generate_series(1, 2)',
    'SELECT a FROM (SELECT a FROM w) x',
    'SELECT a FROM w WHERE id = (SELECT 1)',
    'SELECT row_number() OVER () FROM w',
    'SELECT a FROM w ORDER BY a LIMIT 1',
    'SELECT a FROM w OFFSET 1',
    'SELECT a FROM w FOR SHARE',
    'WITH x AS (SELECT 1) SELECT a FROM w',
    'SELECT a FROM w; SELECT a FROM w',
    'SELECT 1',
    'TABLE w',
    'UPDATE w SET a = 1',
    'SELECT a INTO b FROM w',
  ]) {
    it(`leaves alone: ${sql}`, () => expect(locked(sql)).to.equal(null));
  }
});

/**
 * Columns with given names in statements, and their tables: by a qualifier, or by the FROM list around them. Uncertain
 * ones are omitted.
 */
import { expect } from 'chai';
import { readMentions } from '../../../plugins/queries/sql/text/mentions.js';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';

/** `place name of tables`, for the names `x` and `y`. */
const mentions = (sql: string): string[] =>
  readMentions(scanSql(sql), ['x', 'y']).map(({ name, tables, start, end }) => {
    expect(sql.slice(start, end).replaceAll('"', '').toLowerCase()).to.equal(name);
    return `${start} ${name} of ${tables.join(' ')}`;
  });

describe('columns that a statement uses', () => {
  const cases: readonly (readonly [string, string[]])[] = [
    ['SELECT x FROM t', ['7 x of t']],
    ['SELECT X, "y", "X", z FROM t', ['7 x of t', '10 y of t']],
    ['SELECT X FROM t', ['7 x of t']],
    ['SELECT a FROM t', []],
    ['SELECT x', []],
    ['SELECT $1 FROM t -- x', []],
    // All tables of the list, each once.
    ['SELECT x FROM t, u JOIN t AS v ON true', ['7 x of t u']],
    // By the qualifier: an alias before a name of a table.
    ['SELECT t.x FROM t, u', ['9 x of t']],
    ['SELECT b.x, a.y FROM t a, u b', ['9 x of u', '14 y of t']],
    ['SELECT u.x FROM t u, u v', ['9 x of t']],
    ['SELECT v.x FROM t AS v', ['9 x of t']],
    ['SELECT "V".x FROM t "V"', ['11 x of t']],
    ['SELECT v.x FROM t * v', ['9 x of t']],
    ['SELECT v.x FROM t * AS v', ['9 x of t']],
    ['INSERT INTO t (a) SELECT u.x FROM u', ['27 x of u']],
    ['SELECT s.t.x FROM s.t, u', ['11 x of t']],
    ['SELECT z.x FROM t', []],
    ['SELECT (t).x FROM t', []],
    ['INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = excluded.x', ['72 x of t']],
    ['SELECT excluded.x FROM t', []],
    // The nearest query that names a table.
    ['SELECT (SELECT x FROM u) FROM t', ['15 x of u']],
    ['SELECT (SELECT x) FROM t', ['15 x of t']],
    ['SELECT f((x)) FROM t', ['10 x of t']],
    ['SELECT (SELECT 1 FROM u), x FROM t', ['26 x of t']],
    ['SELECT x FROM (SELECT 1 FROM u) v', []],
    ['SELECT x FROM t WHERE EXISTS (SELECT 1 FROM u WHERE y)', ['7 x of t', '52 y of u']],
    // Names that the statement defines.
    ['SELECT a AS x FROM t', []],
    ['SELECT x FROM t WHERE a IN (SELECT x FROM u)', ['7 x of t', '35 x of u']],
    ['SELECT a AS x, x FROM t', ['15 x of t']],
    ['SELECT x FROM t, (SELECT a AS x FROM u) v', []],
    ['SELECT t.x FROM t, (SELECT a AS x FROM u) v', ['9 x of t']],
    ['SELECT y FROM t, (SELECT a AS x FROM u) v', ['7 y of t']],
    ['SELECT (SELECT x FROM u) AS x FROM t', []],
    // Calls.
    ['SELECT x(1) FROM t', []],
    ['SELECT x FROM t WHERE y = (1)', ['7 x of t', '22 y of t']],
    // Target tables.
    ['INSERT INTO t (x) VALUES (1)', ['15 x of t']],
    ['UPDATE t SET x = 1', ['13 x of t']],
    ['DELETE FROM t WHERE x = 1', ['20 x of t']],
    // A table of a WITH list is not a table of the database.
    ['WITH w AS (SELECT 1) SELECT x FROM w', []],
  ];
  for (const [sql, expected] of cases) it(sql, () => expect(mentions(sql)).to.deep.equal(expected));

  const words =
    'WHERE SET ON USING JOIN INNER LEFT RIGHT FULL CROSS NATURAL OUTER GROUP HAVING ORDER LIMIT OFFSET FETCH FOR UNION ' +
    'INTERSECT EXCEPT WINDOW RETURNING VALUES SELECT DEFAULT TABLESAMPLE OVERRIDING WITH WHEN LATERAL';
  for (const word of words.split(' ')) {
    it(`do not take ${word} as an alias of a table, unless it is quoted`, () => {
      expect(mentions(`SELECT ${word}.x FROM t ${word}`)).to.deep.equal([]);
      expect(mentions(`SELECT ${word}.x FROM t "${word.toLowerCase()}"`)).to.have.length(1);
    });
  }
  it('do not take AS as an alias', () => expect(mentions('SELECT "as".x FROM t AS AS')).to.deep.equal([]));
});

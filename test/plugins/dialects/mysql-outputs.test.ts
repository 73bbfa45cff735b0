/**
 * Result columns of a statement on MySQL: the names that PostgreSQL would use, and the types that the text of the
 * statement determines.
 */
import { expect } from 'chai';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';
import { prepareMysqlStatement } from '../../../plugins/dialects/mysql/prepare.js';

const prepareForm = (sql: string) => prepareMysqlStatement({ scan: scanSql(sql), jsonColumns: [] }).forms.mysql;

describe('column names on MySQL', () => {
  for (const [written, name] of [
    ['a', null],
    ['"A"', null],
    ['t.a', null],
    ['*', null],
    ['t.*', null],
    ['a AS b', null],
    ['a b', null],
    ['a "B"', null],
    ['(a) b', null],
    ['lower(a) b', null],
    ['1 b', null],
    [`'x' b`, null],
    ['$1 b', null],
    ['a::int b', null],
    ['"a" b', null],
    ['NULL b', null],
    ['true b', null],
    ['CASE WHEN a THEN 1 END b', null],
    ['a AS "end"', null],
    ['within b', null],
    ['island b', null],
    ['ID', 'id'],
    ['t.ID', 'id'],
    ['CURRENT_TIMESTAMP', 'current_timestamp'],
    ['current_timestamp', 'current_timestamp'],
    ['a + 1', '?column?'],
    ['-a', '?column?'],
    ['1', '?column?'],
    ['(a + 1)', '?column?'],
    [`'x'`, '?column?'],
    ['a = b', '?column?'],
    ['a AND b', '?column?'],
    ['a OR b', '?column?'],
    ['a LIKE b', '?column?'],
    ['a ILIKE b', '?column?'],
    ['a IS NULL', '?column?'],
    ['a IS TRUE', '?column?'],
    ['a IS FALSE', '?column?'],
    ['NOT a', '?column?'],
    ['a IN (1)', '?column?'],
    ['a BETWEEN 1 AND b', '?column?'],
    ['NULL', '?column?'],
    ['lower(a) || b', '?column?'],
    ['a::int + b', '?column?'],
    ['a + b::int', '?column?'],
    ['CAST(a AS int) + 1', '?column?'],
    ['EXISTS (SELECT 1) AND a', '?column?'],
    ['true = a', '?column?'],
    ['TRUE', 'bool'],
    ['false', 'bool'],
    ['CASE WHEN a THEN 1 END', 'case'],
    ['EXISTS (SELECT 1)', 'exists'],
    ['count(*)', 'count'],
    ['LOWER(t.a)', 'lower'],
    ['t.f(a)', 'f'],
    ['"F"(a)', 'F'],
    ['coalesce(lower(a), b)', 'coalesce'],
    ['count(*) OVER (ORDER BY a)', 'count'],
    ['sum(a) FILTER (WHERE b)', 'sum'],
    ['now()', 'now'],
    [`'x'::text`, 'text'],
    ['1::smallint', 'int2'],
    ['(a + 1)::numeric(5,2)', 'numeric'],
    ['NULL::timestamptz', 'timestamptz'],
    ['a::int', 'a'],
    ['t."A"::int', 'A'],
    ['a::int::text', 'a'],
    ['1::int::text', 'int4'],
    ['lower(a)::int', 'lower'],
    ['true::text', 'bool'],
    ['CAST(a AS int)', 'a'],
    ['CAST(t.ID AS int)', 'id'],
    ['CAST(a + 1 AS int)', 'int4'],
    ['CAST(lower(a) AS text)', 'lower'],
    ['CAST(1 AS text)', 'text'],
    ['CAST(1 AS signed)', '?column?'],
    ['cast(a, b)', 'cast'],
  ] as const) {
    it(name === null ? `${written} keeps its own` : `${written} is ${name}`, () => {
      const { text } = prepareForm(`SELECT ${written}, 2 AS x FROM t`).main;
      const found = / AS "([^"]*)", 2 AS x FROM t$/.exec(text)?.[1] ?? null;
      expect(found).to.equal(written === 'a AS "end"' ? 'end' : name);
    });
  }

  for (const behind of [
    'FROM t',
    'WHERE b',
    'GROUP BY b',
    'ORDER BY b',
    'FOR UPDATE OF t, u',
    'LIMIT 1',
    'UNION SELECT 1',
    'EXCEPT SELECT 1',
    'INTERSECT SELECT 1',
    'HAVING b',
    'FOR UPDATE',
  ]) {
    it(`the list ends before ${behind}`, () => {
      expect(prepareForm(`SELECT 1 + 1 ${behind}`).main.text).to.equal(`SELECT 1 + 1 AS "?column?" ${behind}`);
    });
  }
  it('the list begins after SELECT, DISTINCT and ALL, of the last query of WITH', () => {
    expect(prepareForm('SELECT DISTINCT true, 2').main.text).to.equal(
      'SELECT DISTINCT TRUE AS "bool", 2 AS "?column?"'.replace('TRUE', 'true'),
    );
    expect(prepareForm('SELECT ALL true').main.text).to.equal('SELECT ALL true AS "bool"');
    expect(prepareForm('WITH w AS (SELECT 1 + 1 FROM u) SELECT 1 + 1 FROM w').main.text).to.equal(
      'WITH w AS (SELECT 1 + 1 FROM u) SELECT 1 + 1 AS "?column?" FROM w',
    );
  });
  it('are not separated by commas inside calls', () => {
    expect(prepareForm('SELECT coalesce(a, (b), 1), 1').main.text).to.equal(
      'SELECT coalesce(a, (b), 1) AS "coalesce", 1 AS "?column?"',
    );
  });
});

describe('column types derived from text on MySQL', () => {
  for (const [written, type] of [
    ['a', undefined],
    ['lower(a)', undefined],
    ['a + 1', undefined],
    ['within', undefined],
    ['island + 1', undefined],
    ['a = 1', 'boolean'],
    ['a <> 1', 'boolean'],
    ['a != 1', 'boolean'],
    ['a < 1', 'boolean'],
    ['a > 1', 'boolean'],
    ['a <= 1', 'boolean'],
    ['a >= 1', 'boolean'],
    [`a ~~ 'x'`, 'boolean'],
    [`a ~~* 'x'`, 'boolean'],
    [`a !~~ 'x'`, 'boolean'],
    [`a !~~* 'x'`, 'boolean'],
    ['a <=> 1', 'boolean'],
    ['a AND b', 'boolean'],
    ['a OR b', 'boolean'],
    ['NOT a', 'boolean'],
    ['a IS NULL', 'boolean'],
    [`a LIKE 'x'`, 'boolean'],
    [`a ILIKE 'x'`, 'boolean'],
    ['a IN (1)', 'boolean'],
    ['a BETWEEN 1 AND 2', 'boolean'],
    ['EXISTS (SELECT 1)', 'boolean'],
    ['true', 'boolean'],
    ['FALSE', 'boolean'],
    ['true + 1', undefined],
    ['lower(a = 1)', undefined],
    ['CASE WHEN a = 1 THEN 2 END', undefined],
    [`a || '='`, undefined],
    ['a::int', 'int'],
    ['a::int::numeric', 'number'],
    ['a::boolean', 'boolean'],
    ['a + b::int', undefined],
    ['CAST(a AS jsonb)', 'json'],
    ['CAST(CAST(a AS text) AS int)', 'int'],
    ['CAST(a AS int) + 1', undefined],
    ['CAST(a AS signed)', undefined],
    ['CAST(a, b)', undefined],
    ['json_array(a)', 'json'],
    [`json_object('a', b)`, 'json'],
    [`json_extract(a, '$.b')`, 'json'],
    ['json_arrayagg(a)', 'json'],
    ['jsonb_agg(a)', undefined],
    ['json_objectagg(a, b)', 'json'],
    ['json_merge_patch(a, b)', 'json'],
    ['json_set(a, b, c)', 'json'],
    ['json_query(a, b)', 'json'],
    ['json_length(a)', undefined],
    ['json_array(a) || b', undefined],
    ['xjson_array(a)', undefined],
    [`d->'a'`, 'json'],
    [`t.d->'a'`, 'json'],
    [`$1->'a'`, 'json'],
    [`d->'a'->'b'`, 'json'],
    [`d->>'a'`, undefined],
    [`d->'a'->>'b'`, undefined],
    [`a + d->'b'`, undefined],
  ] as const) {
    it(`${written} is ${type ?? 'left to the server'}`, () => {
      expect(prepareForm(`SELECT 1 AS y, ${written} AS x FROM t`).outputs.get('x')).to.equal(type);
    });
  }
  it('include those of a column without AS', () => {
    expect([...prepareForm('SELECT a::int x, a IN (1) y, true z, b w FROM t').outputs]).to.deep.equal([
      ['x', 'int'],
      ['y', 'boolean'],
      ['z', 'boolean'],
    ]);
  });
  it('include several casts', () => {
    const { main, outputs } = prepareForm('SELECT CAST(a + 1 AS int), CAST(b AS text), CAST(c AS jsonb) FROM t');
    expect([...outputs]).to.deep.equal([
      ['int4', 'int'],
      ['b', 'text'],
      ['c', 'json'],
    ]);
    expect(main.text.match(/AS "\w+"/g)).to.deep.equal(['AS "int4"', 'AS "b"', 'AS "c"']);
  });
  it('include RETURNING of MariaDB', () => {
    for (const sql of ['INSERT INTO t (a) VALUES (1)', 'DELETE FROM t']) {
      const { mariadb } = prepareMysqlStatement({
        scan: scanSql(`${sql} RETURNING a = 1 AS x`),
        jsonColumns: [],
      }).forms;
      expect([...mariadb.outputs]).to.deep.equal([['x', 'boolean']]);
    }
  });
  it('include RETURNING', () => {
    const { outputs } = prepareForm('UPDATE t SET a = 1 WHERE id = 2 RETURNING a = 1 AS x, b::jsonb');
    expect([...outputs]).to.deep.equal([
      ['x', 'boolean'],
      ['b', 'json'],
    ]);
  });
});

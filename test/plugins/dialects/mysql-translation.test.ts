/** Translation of SQL to MySQL and MariaDB: operators, functions, locks, lists. As text, without a server. */
import { expect } from 'chai';
import { BootError } from '../../../contract/boot-error.js';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';
import { prepareMysqlStatement } from '../../../plugins/dialects/mysql/prepare.js';

const forms = (sql: string, lock: 'update' | null = null) =>
  prepareMysqlStatement({ scan: scanSql(sql), jsonColumns: [], lock }).forms;
const collapseBlanks = (text: string): string => text.replace(/\s+/g, ' ').trim();

describe('translation to MySQL', () => {
  for (const [written, mysql, mariadb = mysql] of [
    ['SELECT id FROM a WHERE b = $2 AND c = $1', 'SELECT id FROM a WHERE b = ? AND c = ?'],
    ['SELECT id FROM order o WHERE id = $1', 'SELECT id FROM "order" o WHERE id = ?'],
    [`SELECT a FROM t WHERE b = '$1 -- no' -- $2`, `SELECT a FROM t WHERE b = '$1 -- no'`],
    [`SELECT a FROM t WHERE b = E'it\\'s' AND c = $x$'$x$`, `SELECT a FROM t WHERE b = 'it''s' AND c = ''''`],
    ['SELECT a FROM t WHERE b = 1--$1\n+ 2', 'SELECT a FROM t WHERE b = 1 + 2'],
    ['SELECT (a + 1)::text AS t FROM t', 'SELECT CAST((a + 1) AS CHAR) AS t FROM t'],
    ['SELECT lower(a.b)::numeric(5,2) AS n FROM a', 'SELECT CAST(lower(a.b) AS DECIMAL(5,2)) AS n FROM a'],
    ['SELECT count(*)::int FROM t', 'SELECT CAST(count(*) AS SIGNED) AS "count" FROM t'],
    [
      `SELECT count(*) FILTER (WHERE a > 1)::int AS n FROM t`,
      'SELECT CAST(count( CASE WHEN a > 1 THEN 1 END) AS SIGNED) AS n FROM t',
    ],
    ['SELECT $1::jsonb AS j', 'SELECT CAST(? AS JSON) AS j', 'SELECT ? AS j'],
    [
      'SELECT a FROM t WHERE b NOT ILIKE $1',
      'SELECT a FROM t WHERE b COLLATE utf8mb4_0900_as_ci NOT LIKE ?',
      'SELECT a FROM t WHERE b COLLATE utf8mb4_general_ci NOT LIKE ?',
    ],
    ['SELECT a FROM t WHERE b IS NOT DISTINCT FROM $1', 'SELECT a FROM t WHERE b <=> ?'],
    ['SELECT a FROM t FOR SHARE', 'SELECT a FROM t FOR SHARE', 'SELECT a FROM t LOCK IN SHARE MODE'],
    [
      `SELECT a FROM t WHERE to_tsvector('english', b) @@ plainto_tsquery('english', $1)`,
      'SELECT a FROM t WHERE MATCH (b ) AGAINST (? IN BOOLEAN MODE)',
    ],
    [`DELETE FROM t WHERE at < now() - interval '7 days'`, 'DELETE FROM t WHERE at < now(6) - interval 7 DAY'],
    ['SELECT a FROM t WHERE b <=> 1 AND c <> 2 AND d >= 3', 'SELECT a FROM t WHERE b <=> 1 AND c <> 2 AND d >= 3'],
    [`SELECT a FROM t WHERE b ~~ 'x'`, `SELECT a FROM t WHERE b LIKE 'x'`],
    [`SELECT a FROM t WHERE b !~~ 'x'`, `SELECT a FROM t WHERE b NOT LIKE 'x'`],
    [
      `SELECT a FROM t WHERE b ~~* 'x'`,
      `SELECT a FROM t WHERE b COLLATE utf8mb4_0900_as_ci LIKE 'x'`,
      `SELECT a FROM t WHERE b COLLATE utf8mb4_general_ci LIKE 'x'`,
    ],
    [
      `SELECT a FROM t WHERE b !~~* 'x' AND NOT c ILIKE 'y'`,
      `SELECT a FROM t WHERE b COLLATE utf8mb4_0900_as_ci NOT LIKE 'x' AND NOT c COLLATE utf8mb4_0900_as_ci LIKE 'y'`,
      `SELECT a FROM t WHERE b COLLATE utf8mb4_general_ci NOT LIKE 'x' AND NOT c COLLATE utf8mb4_general_ci LIKE 'y'`,
    ],
    ['SELECT "a""b" FROM t WHERE t.ilike = t."C"', 'SELECT "a""b" FROM t WHERE t.ilike = t."C"'],
    [
      'SELECT now() AS a, now(3) AS b, t.now, now + (1) AS c FROM t',
      'SELECT now(6) AS a, now(3) AS b, t.now, now + (1) AS c FROM t',
    ],
    [
      'SELECT current_timestamp AS a, current_timestamp(3) AS b FROM t',
      'SELECT CURRENT_TIMESTAMP(6) AS a, current_timestamp(3) AS b FROM t',
    ],
    ['SELECT gen_random_uuid() AS a, gen_random_uuid FROM t', 'SELECT UUID() AS a, gen_random_uuid FROM t'],
    [
      `SELECT jsonb_build_object('a', 1) AS a, json_build_object('a', 1) AS b FROM t`,
      `SELECT JSON_OBJECT('a', 1) AS a, JSON_OBJECT('a', 1) AS b FROM t`,
    ],
    ['SELECT jsonb_build_array(1) AS a, json_build_array(1) AS b', 'SELECT JSON_ARRAY(1) AS a, JSON_ARRAY(1) AS b'],
    ['SELECT jsonb_agg(a) AS a, json_agg(a) AS b', 'SELECT JSON_ARRAYAGG(a) AS a, JSON_ARRAYAGG(a) AS b'],
    ['SELECT unnest, nulls, t.nulls FROM t', 'SELECT unnest, nulls, t.nulls FROM t'],
    ['SELECT a FROM t FOR NO KEY UPDATE', 'SELECT a FROM t FOR UPDATE'],
    ['SELECT a FROM t FOR KEY SHARE', 'SELECT a FROM t FOR SHARE', 'SELECT a FROM t LOCK IN SHARE MODE'],
    ['SELECT a FROM t FOR UPDATE SKIP LOCKED', 'SELECT a FROM t FOR UPDATE SKIP LOCKED'],
    [
      'SELECT a FROM t FOR SHARE NOWAIT',
      'SELECT a FROM t FOR SHARE NOWAIT',
      'SELECT a FROM t LOCK IN SHARE MODE NOWAIT',
    ],
    ['SELECT no, t.key, a no FROM t', 'SELECT no, t.key, a no FROM t'],
    [
      'SELECT a FROM t WHERE b IS NOT DISTINCT FROM 1 AND c IS NOT NULL AND d IS NULL',
      'SELECT a FROM t WHERE b <=> 1 AND c IS NOT NULL AND d IS NULL',
    ],
    ['SELECT DISTINCT a FROM t', 'SELECT DISTINCT a FROM t'],
    ['SELECT ALL a FROM t WHERE b = ANY(SELECT c FROM u)', 'SELECT ALL a FROM t WHERE b = ANY(SELECT c FROM u)'],
    [`SELECT a FROM t WHERE b = ANY($1 || 'x')`, `SELECT a FROM t WHERE b = ANY(? || 'x')`],
    [`SELECT a FROM t WHERE b = '/*! */' /* ! */ /*M */ /*+ */`, `SELECT a FROM t WHERE b = '/*! */'`],
    ['SELECT a FROM t /* /*! */ */', 'SELECT a FROM t'],
    ['SELECT (now::int) AS n, f(a) filter FROM t', 'SELECT (CAST(now AS SIGNED)) AS n, f(a) filter FROM t'],
    ['SELECT no FOR UPDATE', 'SELECT no FOR UPDATE'],
    [
      'INSERT INTO t (a) SELECT 1 ON DUPLICATE KEY UPDATE a = 2',
      'INSERT INTO t (a) SELECT 1 ON DUPLICATE KEY UPDATE a = 2',
      'INSERT INTO t (a) SELECT 1 ON DUPLICATE KEY UPDATE a = 2 RETURNING *',
    ],
    ['SELECT a share FROM t', 'SELECT a share FROM t'],
    ['SELECT a FROM t JOIN u ON t.b = u.b', 'SELECT a FROM t JOIN u ON t.b = u.b'],
    ['SELECT a FROM t WHERE b = ANY(c)', 'SELECT a FROM t WHERE b = ANY(c)'],
    ['SELECT a FROM t WHERE b = (SELECT ALL - $1)', 'SELECT a FROM t WHERE b = (SELECT ALL - ?)'],
    ['SELECT U&"a" FROM t', 'SELECT "a" FROM t'],
    ['VALUES (1, $1)', 'VALUES (1, ?)'],
    ['SELECT a FROM t;;', 'SELECT a FROM t'],
    ['CREATE TABLE x (a int, KEY (update))', 'CREATE TABLE x (a int, KEY (update))'],
    ['SELECT a FROM (SELECT a FROM t FOR UPDATE) x', 'SELECT a FROM (SELECT a FROM t FOR UPDATE) x'],
  ] as const) {
    it(written, () => {
      const found = forms(written);
      expect(collapseBlanks(found.mysql.main.text)).to.equal(mysql);
      expect(collapseBlanks(found.mariadb.main.text)).to.equal(mariadb);
    });
  }

  it('orders parameters by their position', () => {
    expect(forms('SELECT id FROM a WHERE b = $2 AND c = $1 AND d = $2').mysql.main.order).to.deep.equal([1, 0, 1]);
  });

  it('locks what a plain read finds', () => {
    expect(forms('SELECT a FROM t WHERE id = $1;', 'update').mysql.main.text).to.equal(
      'SELECT a FROM t WHERE id = ? FOR UPDATE',
    );
  });

  describe('value list', () => {
    const list = (column: string): string =>
      `(SELECT lintel_list.v FROM JSON_TABLE(?, '$[*]' COLUMNS (v ${column} PATH '$')) AS lintel_list)`;
    const text = (collation: string): string => list(`VARCHAR(4096) CHARACTER SET utf8mb4 COLLATE ${collation}`);
    for (const [written, word, numeric] of [
      ['= ANY($1)', 'IN', false],
      ['= ANY ($1::text[])', 'IN', false],
      ['= some($1::uuid[])', 'IN', false],
      ['<> ALL($1)', 'NOT IN', false],
      ['!= ALL($1::numeric[])', 'NOT IN', false],
      ['= ANY($1::int[])', 'IN', true],
      ['<> ALL($1::bigint[])', 'NOT IN', true],
      ['= ANY($1::smallint[])', 'IN', true],
    ] as const) {
      it(written, () => {
        const found = forms(`SELECT a FROM t WHERE b ${written} AND c = $2`);
        const wrapCondition = (inner: string): string => `SELECT a FROM t WHERE b ${word} ${inner} AND c = ?`;
        const spaced = (sql: string): string => collapseBlanks(sql).replace('IN(', 'IN (');
        expect(spaced(found.mysql.main.text)).to.equal(
          wrapCondition(numeric ? list('BIGINT') : text('utf8mb4_0900_bin')),
        );
        expect(spaced(found.mariadb.main.text)).to.equal(
          wrapCondition(numeric ? list('BIGINT') : text('utf8mb4_nopad_bin')),
        );
        expect(found.mysql.main.order).to.deep.equal([0, 1]);
      });
    }
  });

  it('a lock follows a read that requests one, and no other', () => {
    const read = (lock: 'update' | null) =>
      prepareMysqlStatement({ scan: scanSql('SELECT a FROM t WHERE id = $1'), jsonColumns: [], lock });
    expect([read('update').readOnly, read(null).readOnly]).to.deep.equal([false, true]);
    expect(read(null).text).not.to.contain('FOR UPDATE');
    expect(read('update').forms.mariadb.main.text).to.contain('FOR UPDATE');
  });

  const OTHER = 'an operator or a function of MySQL';
  const TABLE = 'JSON_TABLE(a, path COLUMNS (...))';
  for (const [written, what, instead] of [
    ['SELECT 1 /*! + 1 */', 'a comment that MySQL runs (`/*!`)', 'a plain comment, or none'],
    ['SELECT 1 /*M! + 1 */', 'a comment that MySQL runs (`/*!`)', 'a plain comment, or none'],
    ['SELECT a FROM t WHERE b @> $1', 'the operator @>', 'JSON_CONTAINS(a, b)'],
    ['SELECT a FROM t WHERE b <@ $1', 'the operator <@', 'JSON_CONTAINS(b, a)'],
    ['SELECT a FROM t WHERE b ~ $1', 'the operator ~', 'REGEXP_LIKE(a, b)'],
    ['SELECT a FROM t WHERE b ~* $1', 'the operator ~*', 'REGEXP_LIKE(a, b)'],
    ['SELECT a FROM t WHERE b !~ $1', 'the operator !~', 'NOT REGEXP_LIKE(a, b)'],
    ['SELECT a FROM t WHERE b !~* $1', 'the operator !~*', 'NOT REGEXP_LIKE(a, b)'],
    [`SELECT a #> '{b,c}' FROM t`, 'the operator #>', "JSON_EXTRACT(a, '$.b.c')"],
    [`SELECT a #>> '{b,c}' FROM t`, 'the operator #>>', "JSON_UNQUOTE(JSON_EXTRACT(a, '$.b.c'))"],
    ['SELECT a ^ 2 FROM t', 'the operator ^', 'POWER(a, b)'],
    ['SELECT a FROM t WHERE data ? $1', 'the operator ?', OTHER],
    ['SELECT a FROM t WHERE data ?| $1', 'the operator ?|', OTHER],
    ['SELECT a | b FROM t', 'the operator |', OTHER],
    ['SELECT a ||/ b FROM t', 'the operator ||/', OTHER],
    ['SELECT a FROM t WHERE b &&= $1', 'the operator &&=', OTHER],
    ['SELECT a FROM t WHERE b <<>> $1', 'the operator <<>>', OTHER],
    ['SELECT @a', 'the operator @', OTHER],
    ['SELECT a # b', 'the operator #', OTHER],
    ['SELECT `a` FROM t', 'the operator `', OTHER],
    ['SELECT ARRAY[1]', 'ARRAY', 'a list in JSON'],
    ['SELECT (a)[1] FROM t', 'an array', 'a list in JSON, or `= ANY($1)`'],
    ['SELECT DISTINCT ON (a) a FROM t', 'DISTINCT ON', 'GROUP BY or a window function'],
    ['SELECT a FROM t WHERE b IS DISTINCT FROM 1', 'IS DISTINCT FROM', 'NOT (a <=> b)'],
    ['SELECT a FROM t ORDER BY a NULLS LAST', 'NULLS', 'ORDER BY column IS NULL, column'],
    ['SELECT a FROM t ORDER BY a NULLS FIRST', 'NULLS', 'ORDER BY column IS NULL, column'],
    ['SELECT a FROM t TABLESAMPLE SYSTEM (10)', 'TABLESAMPLE', 'ORDER BY RAND() LIMIT'],
    ['INSERT INTO t (a) OVERRIDING SYSTEM VALUE VALUES (1)', 'OVERRIDING', 'an INSERT without it'],
    ['SELECT array_agg(a) FROM t', 'the function array_agg', 'JSON_ARRAYAGG(a)'],
    ['SELECT date_trunc(a, b) FROM t', 'the function date_trunc', 'DATE_FORMAT(a, format)'],
    ['SELECT a FROM generate_series(1, 2) a', 'the function generate_series', 'WITH RECURSIVE'],
    ['SELECT jsonb_array_elements(a) FROM t', 'the function jsonb_array_elements', TABLE],
    ['SELECT jsonb_array_elements_text(a) FROM t', 'the function jsonb_array_elements_text', TABLE],
    ['SELECT jsonb_array_length(a) FROM t', 'the function jsonb_array_length', 'JSON_LENGTH(a)'],
    ['SELECT jsonb_each(a) FROM t', 'the function jsonb_each', TABLE],
    ['SELECT jsonb_set(a, b) FROM t', 'the function jsonb_set', 'JSON_SET(a, path, value)'],
    ['SELECT split_part(a, b, 1) FROM t', 'the function split_part', 'SUBSTRING_INDEX(a, separator, count)'],
    ['SELECT string_agg(a, b) FROM t', 'the function string_agg', 'GROUP_CONCAT(a SEPARATOR b)'],
    ['SELECT unnest(a) FROM t', 'the function unnest', TABLE],
    ['SELECT a FROM t WHERE b = ALL($1)', '= ALL of a list', '= ANY($1) or <> ALL($1)'],
    ['SELECT a FROM t WHERE b <> ANY($1)', '<> ANY of a list', '= ANY($1) or <> ALL($1)'],
    ['SELECT a FROM t WHERE b > SOME($1)', '> SOME of a list', '= ANY($1) or <> ALL($1)'],
  ] as const) {
    it(`rejects ${written}`, () => {
      expect(() => forms(written))
        .to.throw(BootError)
        .with.property('params')
        .that.deep.equals({ what, instead });
    });
  }

  it('rejects a list that is computed from one with a cast', () => {
    expect(() => forms('SELECT a FROM t WHERE b = ANY($1::int[] || 2)'))
      .to.throw(BootError)
      .with.nested.property('params.what', 'the cast to int[]');
  });

  it('rejects a list of a type that has no equivalent', () => {
    expect(() => forms('SELECT a FROM t WHERE b = ANY($1::inet[])'))
      .to.throw(BootError)
      .with.nested.property('params.what', 'the cast to inet[]');
  });
});

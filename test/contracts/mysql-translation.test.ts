/** The SQL of definitions in the words of MySQL and MariaDB: as text, without a server. And the numbers of their errors. */
import { expect } from 'chai';
import { BootError } from '../../kernel/contract/boot-error.js';
import { scanSql } from '../../kernel/language/sql.js';
import { isRetryable, toFault } from '../../plugins/dialects/mysql/errors.js';
import { prepareStatement } from '../../plugins/dialects/mysql/prepare.js';

const forms = (sql: string, lock = false) => prepareStatement({ scan: scanSql(sql), jsonColumns: [], lock }).forms;
const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim();

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
  ] as const) {
    it(written, () => {
      const found = forms(written);
      expect(squeezed(found.mysql.main.text)).to.equal(mysql);
      expect(squeezed(found.mariadb.main.text)).to.equal(mariadb);
    });
  }

  it('takes parameters in the order of their places', () => {
    expect(forms('SELECT id FROM a WHERE b = $2 AND c = $1 AND d = $2').mysql.main.order).to.deep.equal([1, 0, 1]);
  });

  it('locks what a plain read finds', () => {
    expect(forms('SELECT a FROM t WHERE id = $1;', true).mysql.main.text).to.equal(
      'SELECT a FROM t WHERE id = ? FOR UPDATE',
    );
  });

  for (const [written, what] of [
    ['SELECT 1 /*! + 1 */', '/*!'],
    ['SELECT $1::tsvector', 'tsvector'],
    ['SELECT a FROM t WHERE data ? $1', 'operator ?'],
    ['SELECT a FROM t WHERE b ~ $1', 'operator ~'],
    ['SELECT @a', 'operator @'],
    ['SELECT a # b', 'operator #'],
    ['SELECT `a` FROM t', 'operator `'],
    ['SELECT ARRAY[1]', 'ARRAY'],
    ['SELECT DISTINCT ON (a) a FROM t', 'DISTINCT ON'],
    ['SELECT a FROM t ORDER BY a NULLS LAST', 'NULLS'],
    ['SELECT string_agg(a, b) FROM t', 'string_agg'],
    ['WITH w AS (DELETE FROM t RETURNING id) SELECT * FROM w', 'WITH'],
    ['UPDATE t SET a = u.a FROM u WHERE u.id = t.id', 'further tables'],
    ['DELETE FROM t USING u WHERE u.id = t.id', 'further tables'],
    ['INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 2 WHERE t.a = 1', 'WHERE'],
    [`SELECT interval '1 day 2 hours'`, 'interval'],
    [`SELECT U&'a'`, 'string'],
  ] as const) {
    it(`refuses ${written}`, () => {
      expect(() => forms(written))
        .to.throw(BootError)
        .with.nested.property('params.what')
        .that.includes(what);
    });
  }
});

describe('errors of MySQL', () => {
  for (const [number, code, retryable] of [
    [1213, 'QRY_SERIALIZATION', true],
    [1020, 'QRY_SERIALIZATION', true],
    [1205, 'QRY_TIMEOUT', false],
    [3024, 'QRY_TIMEOUT', false],
    [1969, 'QRY_TIMEOUT', false],
    [1040, 'QRY_UNAVAILABLE', false],
    [1062, 'QRY_UNIQUE', false],
    [1451, 'QRY_FOREIGN_KEY', false],
    [1364, 'QRY_NOT_NULL', false],
    [4025, 'QRY_CHECK', false],
    [1366, 'QRY_BAD_VALUE', false],
    [1064, 'QRY_FAILED', false],
  ] as const) {
    it(`${number} is ${code}`, () => {
      const found = toFault(Object.assign(new Error(`a 'secret' value`), { errno: number, code: 'ER_X' }));
      expect(found.code).to.equal(code);
      expect(isRetryable(found)).to.equal(retryable);
      const { cause } = found.options;
      if (number === 1366) expect((cause as Error).message).not.to.contain('secret');
    });
  }
});

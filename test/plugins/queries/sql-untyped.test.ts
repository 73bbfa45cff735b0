/** Parameters without a type, compared with PostgreSQL: a statement is reported if PostgreSQL rejects it. */
import { PGlite } from '@electric-sql/pglite';
import { expect } from 'chai';
import { findUntyped } from '../../../plugins/queries/sql/analysis/untyped.js';
import { findChild } from '../../../plugins/queries/sql/analysis/tree.js';
import { loadSqlParser } from '../../../plugins/queries/sql/parser/load-parser.js';
import '../../support/pglite-pool.js';

const STATEMENTS = [
  'SELECT 1 FROM t WHERE ($1 IS NULL OR id = $1)',
  'SELECT 1 FROM t WHERE (id = $1 OR $1 IS NULL)',
  'SELECT 1 FROM t WHERE $1 IS NOT NULL',
  'SELECT 1 FROM t WHERE $1::text IS NOT NULL',
  "SELECT concat('%', $1, '%')",
  "SELECT concat('%', $1::text, '%'), concat($1)",
  "SELECT 1 FROM t WHERE id = $1 AND id LIKE concat('%', $1, '%')",
  "SELECT 1 FROM t WHERE id LIKE concat('%', $1, '%') AND id = $1",
  'SELECT concat($1) FROM t JOIN t u ON u.id = $1',
  "SELECT concat_ws($1, 'x'), format('%s', 'y')",
  "SELECT format('%s', $1)",
  "INSERT INTO t (j) VALUES (jsonb_build_object('k', $1))",
  "INSERT INTO t (id, j) VALUES ($1, jsonb_build_object('k', $2::text, 'n', $3::int))",
  'UPDATE t SET j = jsonb_set(j, ARRAY[$1], to_jsonb($2)) WHERE id = $3',
  'UPDATE t SET j = jsonb_set(j, ARRAY[$1], to_jsonb($2::int)) WHERE id = $3',
  'DELETE FROM t USING t u WHERE u.id = $1 AND num_nulls($1) = 0',
  'WITH x AS (SELECT $1 AS a) SELECT count($1) FROM x',
  'SELECT count($1)',
  'SELECT $1 AS a, coalesce($2, $3), $4 = $5, CASE WHEN $6 THEN 1 END, lower($7), $8 || $9',
];

describe('parameters without a type', function () {
  let db: PGlite;
  before(async () => {
    db = await PGlite.create('memory://');
    await db.exec('CREATE TABLE t (id text, n bigint, j jsonb)');
  });
  after(() => db.close());

  for (const sql of STATEMENTS) {
    it(sql, async () => {
      const parser = await loadSqlParser();
      const tree = findChild(parser.parse(sql).statements?.[0] ?? {}, 'stmt') ?? {};
      const rejected = await db.describeQuery(sql).then(
        () => null,
        (error: unknown) => String(error),
      );
      expect(findUntyped(tree).length > 0, rejected ?? 'PostgreSQL takes it').to.equal(rejected !== null);
    });
  }
});

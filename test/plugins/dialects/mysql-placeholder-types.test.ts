/**
 * The type of each placeholder value on MySQL: by its cast, by the column or expression that it is compared with, or by
 * its position.
 */
import { expect } from 'chai';
import type { ModelTable } from '../../../contract/model.js';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';
import type { MysqlCatalogue } from '../../../plugins/dialects/mysql/catalogue.js';
import { prepareMysqlStatement } from '../../../plugins/dialects/mysql/prepare.js';
import type { ValueType } from '../../../plugins/dialects/mysql/types.js';
import { createModelColumn } from '../../support/model-tables.js';

const table = (columns: Readonly<Record<string, ValueType>>) => ({
  columns: new Map(Object.entries(columns)),
  auto: null,
  keys: [],
});
const CATALOGUE: MysqlCatalogue = new Map([
  ['t', table({ id: 'big', n: 'int', s: 'text', b: 'boolean', at: 'instant', d: 'json', f: 'float', both: 'int' })],
  ['u', table({ id: 'uuid', k: 'small', tid: 'big', both: 'text' })],
  ['v', table({ other: 'int' })],
]);

/** Types of the placeholders, in the order of their places. */
function listTypes(
  sql: string,
  catalogue = CATALOGUE,
  jsonColumns: boolean[] = [],
  tables: ModelTable[] = [],
): unknown[] {
  const types = prepareMysqlStatement({ scan: scanSql(sql), jsonColumns, tables }).typesIn(catalogue);
  return [...types].sort(([a], [b]) => a - b).map(([, type]) => type);
}

const NUMBERS =
  'length char_length character_length octet_length bit_length ascii count sum avg abs ceil ceiling floor round trunc ' +
  'truncate mod power pow sqrt sign exp ln log log10 position strpos locate instr extract date_part year month day hour ' +
  'minute second datediff timestampdiff unix_timestamp json_length rank dense_rank row_number';
const TEXTS =
  'lower upper trim ltrim rtrim btrim concat concat_ws substring substr left right replace reverse repeat lpad rpad md5 ' +
  'sha1 sha2 hex format initcap to_char date_format json_unquote group_concat lcase ucase';
const CHOICES = 'coalesce nullif greatest least min max ifnull any_value first_value last_value lag lead';

describe('placeholder types on MySQL', () => {
  for (const [condition, ...types] of [
    // Determined by the placeholder itself and its position.
    ['s = $1::int', 'int'],
    ['s = $1::varchar(3)', 'text'],
    ['s = CAST($1 AS bigint)', 'big'],
    ['s = $1::uuid', 'uuid'],
    ['d->>$1 = $2', 'path', 'text'],
    ['d->$1 = $2', 'path', null],
    ['to_tsvector(s) @@ plainto_tsquery($1)', 'search'],
    [`to_tsvector('x', s) @@ websearch_to_tsquery('x', $1)`, 'search'],
    [`to_tsvector('x', s) @@ phraseto_tsquery('x', $1::text)`, 'search'],
    ['to_tsvector(s) @@ to_tsquery($1)', 'search'],
    ['b LIMIT $1 OFFSET $2', 'limit', 'limit'],
    ['1 + $1 = 2', 'arithmetic'],
    ['1 - $1 = 2', 'arithmetic'],
    ['$1 * 2 = 2', 'arithmetic'],
    ['$1 / 2 = 2', 'arithmetic'],
    ['$1 % 2 = 2', 'arithmetic'],
    ['$1 || s = 2', null],
    // A column.
    ['n = $1', 'int'],
    ['$1 = n', 'int'],
    ['n <> $1', 'int'],
    ['t.n = $1', 'int'],
    ['N = $1', 'int'],
    ['"N" = $1', 'int'],
    ['d = $1', 'json'],
    ['missing = $1', null],
    ['x.n = $1', 'int'],
    ['n = ANY($1)', { list: 'int' }],
    ['s = SOME($1)', { list: 'text' }],
    ['n <> ALL($1::text[])', { list: 'text' }],
    ['"N" = ANY($1)', { list: 'int' }],
    ['missing = ANY($1)', { list: null }],
    ['n + 1 = ANY($1)', { list: null }],
    ['n BETWEEN $1 AND $2', 'int', 'int'],
    ['n NOT BETWEEN $1 AND $2', 'int', 'int'],
    ['n IN ($1, $2)', 'int', 'int'],
    ['s LIKE $1', 'text'],
    // An expression.
    ['n + 1 = $1', 'arithmetic'],
    ['1 * n - 2 = $1', 'arithmetic'],
    [`s || 'x' = $1`, 'text'],
    [`$1 = s || 'x'`, 'text'],
    ['(n) = $1', 'int'],
    ['$1 < (n)', 'int'],
    ['((n)) = $1', 'int'],
    ['(n + 1) = $1', 'arithmetic'],
    ['5 = $1', 'arithmetic'],
    [`'a' = $1`, 'text'],
    ['$$a$$ = $1', 'text'],
    ['$1 = 5', 'arithmetic'],
    ['n::text = $1', 'text'],
    ['$1 = n::text', 'text'],
    ['s::int::bigint = $1', 'big'],
    [`now() - interval '1 day' < $1`, 'instant'],
    [`$1 > at + interval '1 day'`, 'instant'],
    ['now() < $1', 'instant'],
    ['current_timestamp(3) < $1', 'instant'],
    [`d->>'a' = $1`, 'text'],
    [`d->'a'->>'b' = $1`, 'text'],
    [`$1 = d->>'a'`, 'text'],
    [`d->'a' = $1`, undefined],
    [`(d->>'a')::int = $1`, 'int'],
    ['f(n) = $1', undefined],
    ['"length"(s) = $1', undefined],
    ['CASE WHEN b THEN n END = $1', undefined],
    ['NULL = $1', undefined],
    ['true = $1', undefined],
    ['(SELECT n) = $1', undefined],
    ['lower(s) LIKE $1', 'text'],
    ['lower(s) NOT LIKE $1', 'text'],
    ['upper(s) ILIKE $1', 'text'],
    ['lower(s) ~~ $1', 'text'],
    ['lower(s) !~~* $1', 'text'],
    ['length(s) <=> $1', 'arithmetic'],
    ['length(s) BETWEEN $1 AND $2', 'arithmetic', 'arithmetic'],
    ['length(s) NOT BETWEEN $1 AND length($2)', 'arithmetic', null],
    ['lower(s) IN ($1, $2)', 'text', 'text'],
    ['lower(s) NOT IN ($1)', 'text'],
    ['b AND $1', null],
    ['s = lower(s) AND $1', null],
    ['s IN (NOT $1)', null],
    [`'x' || $1 LIKE s`, null],
    ['f(1 + $1)', 'arithmetic'],
    ['f($1 * 2)', 'arithmetic'],
    ['lower(s) IN (f(1), (2), $1)', 'text'],
    [`s || n - 2 = $1`, 'text'],
    [`$1 = n - 2 || s`, 'text'],
    [`interval '1 day' + at = $1`, 'instant'],
    ['f($1)', null],
    ['f(s, $1)', null],
    ['coalesce(missing, n) = $1', 'int'],
    ['coalesce(lower(s), n) = $1', 'text'],
    ['coalesce(f(s), t.n, s) = $1', 'int'],
    ['coalesce(f(s)) = $1', undefined],
    ['max(n + 1) = $1', 'arithmetic'],
    ['n = (1) AND s = $1', 'text'],
    ['1 = 1 AND lower(s) = $1 AND length(s) > $2', 'text', 'arithmetic'],
  ] as const) {
    it(`WHERE ${condition}`, () => {
      expect(listTypes(`SELECT id FROM t WHERE ${condition}`).map((type) => type ?? null)).to.deep.equal(
        types.map((type) => type ?? null),
      );
    });
  }

  for (const [names, type] of [
    [NUMBERS, 'arithmetic'],
    [TEXTS, 'text'],
    [CHOICES, 'instant'],
    ['now current_timestamp', 'instant'],
  ] as const) {
    it(`${names} have the type ${type}`, () => {
      const found = names.split(' ').map((name) => [name, ...listTypes(`SELECT id FROM t WHERE ${name}(at) = $1`)]);
      expect(found).to.deep.equal(names.split(' ').map((name) => [name, type]));
    });
  }

  for (const [sql, ...types] of [
    ['INSERT INTO t (id, s, d) VALUES ($1, $2, $3)', 'big', 'text', 'json'],
    ['INSERT INTO u (id, k) SELECT $1, n FROM t WHERE n = $2', 'uuid', 'int'],
    ['INSERT INTO u (id) SELECT $1', 'uuid'],
    ['UPDATE t SET n = $1, s = lower($2) WHERE id = $3', 'int', null, 'big'],
    ['DELETE FROM u WHERE id = $1', 'uuid'],
    // The other arguments of a choice, else what the choice is compared with or assigned to.
    [
      'UPDATE t SET at = COALESCE($1, at), d = coalesce($2, d), n = ifnull(ifnull($3, $4), n)',
      'instant',
      'json',
      'int',
      'int',
    ],
    ['UPDATE t SET at = COALESCE($1, $2), n = greatest(n, $3)', 'instant', 'instant', 'int'],
    ['SELECT 1 FROM t WHERE coalesce($1, $2) < n AND id IN (1, nullif($3, $4))', 'int', 'int', 'big', 'big'],
    ['SELECT coalesce($1, $2), f(coalesce(lower($3), n)), lag(at, $4) FROM t', null, null, null, null],
    // The nearest tables of which one has the column.
    ['SELECT 1 FROM t WHERE id = $1 AND EXISTS (SELECT 1 FROM u WHERE id = $2 AND n = $3)', 'big', 'uuid', 'int'],
    ['SELECT 1 FROM t WHERE n IN (SELECT k FROM u WHERE u.id = $1) AND id = $2', 'uuid', 'big'],
    ['SELECT 1 FROM t JOIN u ON tid = t.id WHERE k = $1 AND both = $2', 'small', null],
    ['SELECT 1 FROM t x JOIN u AS y ON true WHERE x.id = $1 AND y.id = $2', 'big', 'uuid'],
    ['SELECT 1 FROM t JOIN u ON true WHERE t.both = $1 AND u.both = $2', 'int', 'text'],
    ['SELECT 1 FROM t x JOIN u y ON true WHERE lower(x.s) = $1 AND coalesce(y.id) = $2', 'text', 'uuid'],
    ['WITH w AS (SELECT 1 FROM u WHERE id = $1) SELECT 1 FROM t WHERE id = $2', 'uuid', 'big'],
    ['SELECT 1 FROM t WHERE id = $1 UNION SELECT 1 FROM u WHERE id = $2', 'big', 'uuid'],
    ['SELECT 1 FROM t WHERE s = (lower($1)) AND id = $2', null, 'big'],
    ['SELECT 1 FROM missing WHERE id = $1', null],
    ['SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM v WHERE both = $1))', 'text'],
    [
      'SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM v WHERE (1 = 1 AND (both = $1)))) AND both = $2',
      'int',
      'text',
    ],
    [
      'UPDATE t SET n = 1 WHERE EXISTS (SELECT 1 FROM v WHERE both = $1) AND s IN (SELECT both FROM u WHERE both = $2)',
      'int',
      'text',
    ],
    [
      'DELETE FROM u WHERE id IN (WITH w AS (SELECT 1 FROM t WHERE both = $1) SELECT 1 FROM w) AND both = $2',
      'int',
      'text',
    ],
    ['UPDATE u SET id = 1 WHERE id IN (SELECT (n) FROM t WHERE both = $1) AND (both = $2)', 'int', 'text'],
    ['INSERT INTO u (both) SELECT both FROM t WHERE both = $1', 'int'],
    ['INSERT INTO u (id, both) SELECT (SELECT 1 FROM t LIMIT 1), $1 FROM t', 'text'],
    ['INSERT INTO u (both) VALUES ($1)', 'text'],
    // The name before a comma is not a table.
    ['SELECT 1 FROM t JOIN u ON true WHERE coalesce(u.missing, u, both) = $1', null],
    ['SELECT 1 FROM t LEFT JOIN (SELECT 1 FROM u) x ON k = $1', 'small'],
    ['SELECT 1 FROM t WHERE both = $1 UNION SELECT 1 FROM u WHERE both = $2', 'int', 'text'],
  ] as const) {
    it(sql, () => {
      expect(listTypes(sql).map((type) => type ?? null)).to.deep.equal(types);
    });
  }

  it('are JSON for a JSON column, unless a cast overrides', () => {
    expect(listTypes('UPDATE x SET d = $1', new Map(), [true])).to.deep.equal(['json']);
    expect(listTypes('UPDATE x SET d = $1::text', new Map(), [true])).to.deep.equal(['text']);
    expect(listTypes('UPDATE x SET d = $1', new Map(), [false])).to.deep.equal([null]);
  });

  it('come from the models if the database does not have them', () => {
    const types = ['integer', 'float', 'text', 'boolean', 'timestamp', 'json'] as const;
    const columns = types.map((type) => createModelColumn(type, { type }));
    const model: ModelTable = { model: '_m', table: 'm', stores: [], columns, uniques: [] };
    const sql = `SELECT 1 FROM m WHERE ${types.map((type, i) => `"${type}" = $${i + 1}`).join(' AND ')}`;
    expect(listTypes(sql, new Map(), [], [model])).to.deep.equal([
      'big',
      'float',
      'text',
      'boolean',
      'instant',
      'json',
    ]);
    const known: MysqlCatalogue = new Map([['m', table({ integer: 'small' })]]);
    expect(listTypes(sql, known, [], [model])[0]).to.equal('small');
    const capital = { ...model, columns: columns.slice(0, 1).map((one) => ({ ...one, name: 'Amount' })) };
    expect(listTypes('SELECT 1 FROM m WHERE amount = $1', new Map(), [], [capital])).to.deep.equal(['big']);
  });
});

describe('prepared statement for MySQL', () => {
  const prepared = (sql: string, jsonColumns: boolean[] = []) =>
    prepareMysqlStatement({ scan: scanSql(sql), jsonColumns });

  for (const [sql, readOnly, changesTables] of [
    ['SELECT 1', true, false],
    ['SELECT updated, deleted_at, block, preinsert FROM t', true, false],
    ['VALUES (1)', true, false],
    ['TABLE t', true, false],
    ['SELECT "update" FROM t', true, false],
    [`SELECT 'INSERT'`, true, false],
    ['SELECT 1 FROM t FOR UPDATE', false, false],
    ['SELECT 1 FROM t FOR SHARE', false, false],
    ['SELECT 1 FROM t LOCK IN SHARE MODE', false, false],
    ['SELECT 1 INTO x', false, false],
    ['INSERT INTO t (a) VALUES (1)', false, false],
    ['UPDATE t SET a = 1', false, false],
    ['DELETE FROM t', false, false],
    ['REPLACE INTO t VALUES (1)', false, false],
    ['SET x = 1', false, false],
    ['SHOW TABLES', false, false],
    ['CALL p()', false, false],
    ['DO f()', false, false],
    ['', false, false],
    ['CREATE TABLE t (a int)', false, true],
    ['DROP TABLE t', false, true],
    ['TRUNCATE t', false, true],
    ['RESELECT 1', false, true],
    ['SELECTED', false, true],
  ] as const) {
    it(`${sql} ${readOnly ? 'only reads' : changesTables ? 'changes tables' : 'may write'}`, () => {
      const found = prepared(sql);
      expect([found.readOnly, found.changesTables]).to.deep.equal([readOnly, changesTables]);
    });
  }

  it('takes no lock if its rows cannot be locked', () => {
    const found = prepareMysqlStatement({ scan: scanSql('SELECT count(*) FROM t'), jsonColumns: [], lock: 'update' });
    expect([found.readOnly, found.text]).to.deep.equal([true, 'SELECT count(*) AS "count" FROM t']);
  });

  it('marks the values that are sent as JSON', () => {
    const sql = 'UPDATE t SET a = $1, b = $2::jsonb, c = $3::json, d = $4::text, e = $5::jsonbx';
    expect(() => prepared(sql)).to.throw();
    expect(
      prepared('UPDATE t SET a = $1, b = $2::jsonb, c = $3::json, d = $4::text, e = $5', [true, false, false, true])
        .json,
    ).to.deep.equal([true, true, true, false, false]);
  });
  it('counts its parameters, names its tables, and is named by its text', () => {
    const one = prepared('SELECT 1 FROM t JOIN u ON a = $3 WHERE b = $1');
    expect(one.order).to.deep.equal([0, 1, 2]);
    expect(one.tables).to.deep.equal(['t', 'u']);
    expect(one.name).to.match(/^lintel_[\w-]{27}$/);
    expect(prepared('SELECT 1').name).not.to.equal(one.name);
  });
});

/**
 * Findings of a statement by lists of names: syntax and functions of other databases, placeholders of other libraries,
 * parameters without a type, names of columns without an alias. Every entry of every list has its row.
 */
import { expect } from 'chai';
import {
  findForeignFunctions,
  findForeignPlaceholders,
  describeMistake,
} from '../../../plugins/queries/sql/analysis/common-mistakes.js';
import { listOutputAliases, hasStar, listOutputNames } from '../../../plugins/queries/sql/analysis/outputs.js';
import { createScope } from '../../../plugins/queries/sql/analysis/scope.js';
import { findChild, listItems, type Tree } from '../../../plugins/queries/sql/analysis/tree.js';
import { findUntyped } from '../../../plugins/queries/sql/analysis/untyped.js';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';
import { SQL } from '../../support/fixtures.js';

const parseTree = (sql: string): Tree => findChild(SQL.parse(sql).statements?.[0] ?? {}, 'stmt') ?? {};

describe('syntax of other databases', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['SELECT `a` FROM t', 'not in backticks'],
    ['INSERT INTO t VALUES (1) on duplicate key UPDATE a = 1', 'ON CONFLICT (key)'],
    ['SELECT a FROM t LIMIT 5, 10', 'LIMIT count OFFSET skipped'],
    ['SELECT a FROM t LIMIT $1,$2', 'LIMIT count OFFSET skipped'],
    ['CREATE TABLE t (a int auto_increment)', 'AS IDENTITY'],
    ['  REPLACE  INTO t VALUES (1)', 'DO UPDATE SET ...'],
    ["REPLACE INTO t VALUES ('a', 'b')", 'DO UPDATE SET ...'],
    ['INSERT IGNORE INTO t VALUES (1)', 'DO NOTHING'],
    ['INSERT INTO t SET a = 1', 'INSERT INTO table (names)'],
    ['INSERT t SET a = 1', 'INSERT INTO table (names)'],
    ['UPDATE t SET a = 1 ORDER BY b', 'chosen by its key'],
    ['DELETE FROM t\nWHERE a LIMIT 1', 'chosen by its key'],
    ['UPDATE t JOIN u ON true\nSET a = 1', 'UPDATE table SET ... FROM other'],
    ['SELECT a FROM t WHERE MATCH (a, b) AGAINST ($1)', 'plainto_tsquery'],
    ['SELECT a FROM t WHERE a REGEXP $1', 'name ~ $1'],
    ['SELECT a FROM t WHERE a rlike $1', 'name ~ $1'],
    ['SELECT now() - INTERVAL 1 day', "interval '1 day'"],
    ['SELECT TOP 5 a FROM t', 'LIMIT at the end'],
    ['# note\nSELECT 1', 'comments begin with --'],
    ['SELECT 1 # note', 'comments begin with --'],
  ];
  for (const [sql, right] of cases)
    it(sql, () => {
      for (const written of [sql, sql.toLowerCase()])
        expect(describeMistake(scanSql(written)), written)
          .to.match(/^; /)
          .and.to.include(right);
    });

  for (const sql of [
    "SELECT '`', 'on duplicate key', '# x', ' rlike '",
    'SELECT a FROM t LIMIT 5',
    'SELECT replaced INTO t',
    'SELECT a REPLACE INTO t',
    'SELECT a INSERT IGNORE',
    'SELECT a FROM t ORDER BY b LIMIT 1',
    'SELECT a UPDATE t LIMIT 1',
    'SELECT 1 INSERT INTO t SET a',
    'SELECT a UPDATE t JOIN u SET b',
    'SELECT a#b',
    'SELECT my_auto_increment, auto_incremented',
    'SELECT regexps, my_regexp',
    "SELECT interval '1 day'",
    'SELECT 1 SELECT TOPS',
    'INSERT INTO t (a) VALUES (1)',
    'UPDATE t SET a = 1 FROM u',
  ])
    it(`is not found in ${sql}`, () => expect(describeMistake(scanSql(sql))).to.equal(''));
});

describe('functions of other databases', () => {
  const names: Readonly<Record<string, string | undefined>> = {
    ...{ ifnull: 'coalesce', nvl: 'coalesce', if: undefined, iif: undefined, group_concat: undefined },
    ...{ unix_timestamp: undefined, from_unixtime: 'to_timestamp', last_insert_id: undefined, rand: 'random' },
    ...{ getdate: 'now', sysdate: 'now', curdate: undefined, date_format: undefined, str_to_date: undefined },
    ...{ datediff: undefined, timestampdiff: undefined, json_extract: undefined, json_unquote: undefined },
    ...{ find_in_set: undefined, newid: 'gen_random_uuid', len: 'length' },
  };
  for (const [name, same] of Object.entries(names))
    it(`${name} is ${same ?? 'replaced by another form'}`, () => {
      const written = name.toUpperCase();
      const [found] = findForeignFunctions(scanSql(`SELECT ${written} (a)`));
      expect([found?.name, found?.start, found?.end]).to.deep.equal([written, 7, 7 + name.length]);
      expect(found?.same).to.equal(same);
      expect(found?.right).to.match(/\w/);
    });

  for (const sql of [
    'SELECT len',
    'SELECT x.len(a)',
    'SELECT "len"(a)',
    "SELECT 'len'(a)",
    'SELECT length(a), toString(a), constructor(a)',
    'SELECT len, (a), rand*(a)',
  ])
    it(`are not found in ${sql}`, () => expect(findForeignFunctions(scanSql(sql))).to.deep.equal([]));
});

describe('placeholders of other libraries', () => {
  const cases: readonly (readonly [string, string[]])[] = [
    ['a = ? AND b = ?', ['? 4 1', '? 14 2']],
    ['a = :id AND b = :name AND c = :id', [':id 4 1', ':name 16 2', ':id 30 1']],
    ['a = @id', ['@id 4 1']],
    ['a = %s AND b = %d AND c = %s AND d = %i AND e = %f', ['%s 4 1', '%d 15 2', '%s 26 1', '%i 37 3', '%f 48 4']],
    ['a = $2 AND b = ? AND c = :x', ['? 15 1', ':x 25 3']],
    ['a =? AND b=:x', ['? 3 1', ':x 11 2']],
    ['a = : id, b % s, c = %x, d = %ss, e = %', []],
    ['a = 1 + x, b = -y, c +s, d -d -- why?', []],
  ];
  for (const [sql, expected] of cases)
    it(sql, () =>
      expect(findForeignPlaceholders(scanSql(sql)).map(({ text, start, n }) => `${text} ${start} ${n}`)).to.deep.equal(
        expected,
      ),
    );

  it('end at the end of their name', () => {
    const ends = findForeignPlaceholders(scanSql('? :ab %s')).map(({ start, end }) => [start, end]);
    expect(ends).to.deep.equal([
      [0, 1],
      [2, 5],
      [6, 8],
    ]);
  });
});

describe('parameters without an inferred type', () => {
  const listUntyped = (sql: string): string[] => findUntyped(parseTree(sql)).map(({ n, at }) => `$${n} ${at}`);
  const all =
    'concat json_build_array json_build_object jsonb_build_array jsonb_build_object num_nonnulls num_nulls to_json to_jsonb json_agg jsonb_agg count';
  for (const name of all.split(' '))
    it(`in ${name}`, () => expect(listUntyped(`SELECT ${name}($1)`)).to.deep.equal([`$1 ${name.length + 8}`]));
  for (const name of ['concat_ws', 'format'])
    it(`in ${name}, after its first argument`, () => {
      expect(listUntyped(`SELECT ${name}($1)`)).to.deep.equal([]);
      expect(listUntyped(`SELECT ${name}('a', $1, $2)`)).to.have.length(2);
    });

  const cases: readonly (readonly [string, string[]])[] = [
    ['SELECT lower($1), upper($2)', []],
    ['SELECT pg_catalog.count($1)', ['$1 24']],
    ['SELECT count(lower($1))', []],
    ['SELECT concat($1), $1::int', ['$1 14']],
    ['SELECT $1::int, concat($1)', []],
    ['SELECT concat(lower($2), $1), concat($2)', ['$1 25']],
    ['SELECT concat($1) FROM t WHERE a = $1', ['$1 14']],
    ['SELECT concat($1) FROM (SELECT 1 WHERE a = $1) t', []],
    ['DELETE FROM t USING (SELECT 1 WHERE a = $1) u WHERE $1 IS NULL', []],
    ['SELECT 1 WHERE $1 IS NULL OR $2 IS NOT NULL OR $1 IS NULL', ['$1 15', '$2 29']],
    ['SELECT 1 WHERE lower($1) IS NULL', []],
    ['SELECT 1 WHERE $1 IS TRUE', []],
  ];
  for (const [sql, expected] of cases) it(sql, () => expect(listUntyped(sql)).to.deep.equal(expected));
});

describe('column names of a result', () => {
  const scope = createScope(null, {
    sources: [
      { alias: 't', columns: ['a', 'b'] },
      { alias: 'u', columns: ['c'] },
    ],
  });
  const parseTargets = (sql: string): readonly Tree[] =>
    listItems(findChild(parseTree(`SELECT ${sql}`), 'SelectStmt') ?? {}, 'targetList');
  const cases: readonly (readonly [string, string[] | null])[] = [
    ['a, t.b, u.c AS d', ['a', 'b', 'd']],
    ['*', ['a', 'b', 'c']],
    ['t.*, 1 AS n', ['a', 'b', 'n']],
    ['x.*', null],
    ['s.t.*', null],
    ['t.x.*', null],
    ['count(*), pg_catalog.lower(a)', ['count', 'lower']],
    ['coalesce(a, b)', ['coalesce']],
    ['ARRAY[a]', ['array']],
    ['ROW(a, b)', ['row']],
    ["1, 'x', a + b, a AND b, a IS NULL, a IS TRUE, $1", Array.from({ length: 7 }, () => '?column?')],
    ['GROUPING(a)', ['grouping']],
    // A cast keeps a name, and adds that of its type to an unnamed column.
    ["a::text, lower(a)::int, '1'::text, $1::jsonb", ['a', 'lower', 'text', 'jsonb']],
    ['a::text::json, 1::text::json', ['a', 'json']],
    // PostgreSQL names these by rules of its own; a name that is not certain is null.
    ['a IN (1, 2)', null],
    ['CASE WHEN a THEN b END', null],
    ['(SELECT 1 AS x)', null],
    ['a, CASE WHEN a THEN b END::text', null],
  ];
  for (const [sql, expected] of cases)
    it(sql, () => expect(listOutputNames(parseTargets(sql), scope)).to.deep.equal(expected));

  it('are unknown if a source is unknown', () => {
    const open = createScope(null, { sources: [{ alias: 't', columns: null }] });
    expect([listOutputNames(parseTargets('*'), open), listOutputNames(parseTargets('t.*'), open)]).to.deep.equal([
      null,
      null,
    ]);
    expect(listOutputNames(parseTargets('t.a'), open)).to.deep.equal(['a']);
  });

  it('are the written aliases', () => {
    expect(listOutputAliases(parseTargets('a, b AS c, 1 d'))).to.deep.equal(['c', 'd']);
    expect([
      hasStar(parseTargets('a, t.*')),
      hasStar(parseTargets('*')),
      hasStar(parseTargets('a, count(*)')),
    ]).to.deep.equal([true, true, false]);
  });
});

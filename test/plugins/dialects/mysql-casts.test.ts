/**
 * Casts, literals, JSON paths, FILTER and full-text search: as MySQL and MariaDB write them, and those that are
 * rejected.
 */
import { expect } from 'chai';
import { BootError } from '../../../contract/boot-error.js';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';
import { prepareMysqlStatement } from '../../../plugins/dialects/mysql/prepare.js';
import { findCastType, toValueType } from '../../../plugins/dialects/mysql/types.js';

const forms = (sql: string) => prepareMysqlStatement({ scan: scanSql(sql), jsonColumns: [] }).forms;
/** Without the blanks that removed words leave. */
const collapseBlanks = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/ (?=\))|(?<=\() /g, '')
    .trim();

/** `[written, mysql, mariadb]`, the third where it is another. */
type Case = readonly [string, string, string?];

function translates(cases: readonly Case[], around: (part: string) => string = (part) => part): void {
  for (const [written, mysql, mariadb = mysql] of cases) {
    it(written, () => {
      const found = forms(around(written));
      expect(collapseBlanks(found.mysql.main.text)).to.equal(around(mysql));
      expect(collapseBlanks(found.mariadb.main.text)).to.equal(around(mariadb));
    });
  }
}

function expectRejections(cases: readonly (readonly [string, string, string])[]): void {
  for (const [written, what, instead] of cases) {
    it(`rejects ${written}`, () => {
      expect(() => forms(written))
        .to.throw(BootError)
        .with.property('params')
        .that.deep.equals({ what, instead });
    });
  }
}

const NAMES = 'text, varchar, int, bigint, numeric, float8, boolean, jsonb, uuid, date, time, timestamptz';
const inWhere = (part: string): string => `SELECT x FROM t WHERE x = ${part}`;
const inList = (part: string): string => `SELECT ${part} AS x FROM t`;

describe('types of casts on MySQL', () => {
  for (const [written, value, sql, label] of [
    ['text', 'text', 'CHAR', 'text'],
    ['varchar', 'text', 'CHAR', 'varchar'],
    ['character varying', 'text', 'CHAR', 'varchar'],
    ['varchar(20)', 'text', 'CHAR(20)', 'varchar'],
    ['character varying(7)', 'text', 'CHAR(7)', 'varchar'],
    ['smallint', 'small', 'SIGNED', 'int2'],
    ['int2', 'small', 'SIGNED', 'int2'],
    ['int', 'int', 'SIGNED', 'int4'],
    ['int4', 'int', 'SIGNED', 'int4'],
    ['integer', 'int', 'SIGNED', 'int4'],
    ['bigint', 'big', 'SIGNED', 'int8'],
    ['int8', 'big', 'SIGNED', 'int8'],
    ['numeric', 'number', 'DECIMAL(65,20)', 'numeric'],
    ['decimal', 'number', 'DECIMAL(65,20)', 'numeric'],
    ['numeric(12)', 'number', 'DECIMAL(12)', 'numeric'],
    ['decimal(10,2)', 'number', 'DECIMAL(10,2)', 'numeric'],
    ['real', 'float', 'DOUBLE', 'float4'],
    ['float4', 'float', 'DOUBLE', 'float4'],
    ['float8', 'float', 'DOUBLE', 'float8'],
    ['double precision', 'float', 'DOUBLE', 'float8'],
    ['boolean', 'boolean', null, 'bool'],
    ['bool', 'boolean', null, 'bool'],
    ['json', 'json', null, 'json'],
    ['jsonb', 'json', null, 'jsonb'],
    ['uuid', 'uuid', 'CHAR', 'uuid'],
    ['date', 'date', 'DATE', 'date'],
    ['time', 'time', 'TIME(6)', 'time'],
    ['timestamp', 'instant', 'DATETIME(6)', 'timestamp'],
    ['timestamptz', 'instant', 'DATETIME(6)', 'timestamptz'],
    ['timestamp with time zone', 'instant', 'DATETIME(6)', 'timestamptz'],
    ['timestamp without time zone', 'instant', 'DATETIME(6)', 'timestamp'],
  ] as const) {
    it(written, () => expect(findCastType(written)).to.deep.equal({ value, sql, label }));
  }

  for (const written of [
    'inet',
    'text(3)',
    'timestamp(3)',
    'int[]',
    'numeric(1,2,3)',
    'xnumeric(2)',
    'numeric(2)[]',
    '"x"varchar(2)',
  ]) {
    it(`${written} has no equivalent`, () => expect(findCastType(written)).to.equal(undefined));
  }
  it('do not include inherited property names', () => {
    expect(findCastType('constructor')).to.equal(undefined);
    expect(findCastType('constructor(1)')).to.equal(undefined);
  });
});

describe('types of MySQL columns', () => {
  for (const [type, names] of Object.entries({
    tiny: 'tinyint',
    small: 'smallint',
    medium: 'mediumint',
    int: 'int',
    big: 'bigint',
    number: 'decimal',
    float: 'float double',
    text: 'char varchar tinytext text mediumtext longtext enum set uuid',
    json: 'json',
    date: 'date',
    time: 'time',
    instant: 'datetime timestamp',
    bytes: 'binary varbinary blob',
  })) {
    for (const name of names.split(' ')) it(`${name} is ${type}`, () => expect(toValueType(name, name)).to.equal(type));
  }
  it('a tinyint of one digit is a boolean', () => {
    expect(toValueType('tinyint', 'tinyint(1)')).to.equal('boolean');
    expect(toValueType('tinyint', 'tinyint(4)')).to.equal('tiny');
  });
  it('are unknown for other names', () => {
    for (const name of ['geometry', 'year', 'constructor']) expect(toValueType(name, name)).to.equal(undefined);
  });
});

describe('casts on MySQL', () => {
  translates(
    [
      ['a::text', 'CAST(a AS CHAR)'],
      ['t.a::int', 'CAST(t.a AS SIGNED)'],
      ['a::INT::Text', 'CAST(CAST(a AS SIGNED) AS CHAR)'],
      ['a + b::int', 'a + CAST(b AS SIGNED)'],
      ['lower(a)::text', 'CAST(lower(a) AS CHAR)'],
      ['t.f(a, (b))::text', 'CAST(t.f(a, (b)) AS CHAR)'],
      ['1 IN (a)::int', '1 IN CAST((a) AS SIGNED)'],
      [`'3'::int`, `CAST('3' AS SIGNED)`],
      ['(CASE WHEN a THEN b END)::int', 'CAST((CASE WHEN a THEN b END) AS SIGNED)'],
      [
        'CASE WHEN a THEN CASE b WHEN 1 THEN 2 END END::int',
        'CAST(CASE WHEN a THEN CASE b WHEN 1 THEN 2 END END AS SIGNED)',
      ],
      ['sum(a) OVER (ORDER BY b)::int', 'CAST(sum(a) OVER (ORDER BY b) AS SIGNED)'],
      ['a::boolean', '(a <> 0)'],
      ['a::jsonb', 'CAST(a AS JSON)', 'JSON_COMPACT(a)'],
      ['$1::json', 'CAST(? AS JSON)', '?'],
      [`'{}'::jsonb`, `CAST('{}' AS JSON)`, `'{}'`],
      [`'{}'::text::jsonb`, `CAST(CAST('{}' AS CHAR) AS JSON)`, `JSON_COMPACT(CAST('{}' AS CHAR))`],
      [`'yes'::boolean`, '(1 <> 0)'],
      [`'OFF'::bool`, '(0 <> 0)'],
      [`'1'::text::boolean`, `(CAST('1' AS CHAR) <> 0)`],
      [`('off')::boolean`, `(('off') <> 0)`],
      [`'2026-01-02T03:04:05+01:00'::timestamptz`, `CAST('2026-01-02 02:04:05.000000' AS DATETIME(6))`],
      [`'2026-01-02 10:00'::date`, `CAST('2026-01-02' AS DATE)`],
      [`now() - '3 days'::interval`, 'now(6) - INTERVAL 3 DAY'],
      ['CAST(a AS int)', 'CAST(a AS SIGNED)'],
      ['CAST(a + 1 AS numeric(10, 2))', 'CAST(a + 1 AS DECIMAL(10,2))'],
      ['CAST(a AS double precision)', 'CAST(a AS DOUBLE)'],
      ['CAST(a AS timestamp with time zone)', 'CAST(a AS DATETIME(6))'],
      ['CAST(coalesce(a, CAST(b AS int)) AS text)', 'CAST(coalesce(a, CAST(b AS SIGNED)) AS CHAR)'],
      [
        '(SELECT 1 AS y) + CAST((a) AS int) + (SELECT 2 AS z)',
        '(SELECT 1 AS y) + CAST((a) AS SIGNED) + (SELECT 2 AS z)',
      ],
      ['CAST((SELECT 1 AS y) AS int)', 'CAST((SELECT 1 AS y) AS SIGNED)'],
      ['CAST(a AS boolean)', '(a <> 0)'],
      ['CAST(a AS jsonb)', 'CAST(a AS JSON)', 'JSON_COMPACT(a)'],
      ['CAST($1 AS jsonb)', 'CAST(? AS JSON)', '?'],
      [`CAST('{}' AS jsonb)`, `CAST('{}' AS JSON)`, `'{}'`],
      [`CAST('yes' AS boolean)`, '(1 <> 0)'],
      [`CAST('2026-01-02T03:04:05Z' AS timestamptz)`, `CAST('2026-01-02 03:04:05.000000' AS DATETIME(6))`],
      [`CAST(a || 'yes' AS boolean)`, `(a || 'yes' <> 0)`],
      ['CAST(a AS signed)', 'CAST(a AS signed)'],
      ['CAST(a AS UNSIGNED)', 'CAST(a AS UNSIGNED)'],
      ['CAST(a AS char(3))', 'CAST(a AS char(3))'],
      ['CAST(a AS binary)', 'CAST(a AS binary)'],
      ['CAST(a AS datetime(6))', 'CAST(a AS datetime(6))'],
      ['CAST(a AS double)', 'CAST(a AS double)'],
      ['CAST(a AS year)', 'CAST(a AS year)'],
      ['CAST(a, b)', 'CAST(a, b)'],
      ['cast', 'cast'],
    ],
    inWhere,
  );
  expectRejections([
    ['SELECT a::inet FROM t', 'the cast to inet', `one of ${NAMES}`],
    ['SELECT a::text(3) FROM t', 'the cast to text(3)', `one of ${NAMES}`],
    ['SELECT $1::int[] FROM t', 'the cast to int[]', `one of ${NAMES}`],
    ['SELECT $1::interval FROM t', 'the cast to interval', `one of ${NAMES}`],
    ['SELECT CAST(a AS inet) FROM t', 'the cast to inet', `one of ${NAMES}`],
    ['SELECT CAST(a AS signedx) FROM t', 'the cast to signedx', `one of ${NAMES}`],
    ['SELECT CAST(a AS xsigned) FROM t', 'the cast to xsigned', `one of ${NAMES}`],
    [`SELECT 'maybe'::boolean`, `'maybe' as boolean`, 'a value of that type'],
    [`SELECT '2026-02-30'::date`, `'2026-02-30' as date`, 'a value of that type'],
    [`SELECT 'noon'::timestamptz`, `'noon' as instant`, 'a value of that type'],
    [`SELECT CAST('maybe' AS boolean)`, `'maybe' as boolean`, 'a value of that type'],
  ]);
});

describe('strings and intervals on MySQL', () => {
  translates(
    [
      [`E'a\\nb\\tc\\rd\\be\\ff'`, `'a b c d\be f'`],
      [`e'\\\\ \\' '' \\q'`, `'\\ '' '' q'`],
      [`'a\\nb'`, `'a\\nb'`],
      [`N'x'`, `'x'`],
      [`'it''s'`, `'it''s'`],
      [`$$it's$$`, `'it''s'`],
      ['$tag$a$b$tag$', `'a$b'`],
      [`now() + interval '-3 HOURS'`, 'now(6) + interval -3 HOUR'],
      [`now() + interval '+1 Year'`, 'now(6) + interval +1 YEAR'],
      [`now() + interval ' 10  microseconds '`, 'now(6) + interval 10 MICROSECOND'],
      [`now() + interval '5 seconds'`, 'now(6) + interval 5 SECOND'],
      [`now() + interval '3 minute'`, 'now(6) + interval 3 MINUTE'],
      [`now() + interval '1 day'`, 'now(6) + interval 1 DAY'],
      [`now() + interval '2 weeks'`, 'now(6) + interval 2 WEEK'],
      [`now() + interval '1 month'`, 'now(6) + interval 1 MONTH'],
    ],
    inWhere,
  );
  const escape = ['an escape of a character by its number', 'the character itself'] as const;
  const interval = (value: string) =>
    [
      `SELECT now() - interval '${value}'`,
      `the interval '${value}'`,
      "one number and one unit, as in interval '7 days'",
    ] as const;
  expectRejections([
    [`SELECT E'\\101'`, ...escape],
    [`SELECT E'\\x41'`, ...escape],
    [`SELECT E'\\u0041'`, ...escape],
    [`SELECT E'\\U00000041'`, ...escape],
    ...['B', 'b', 'X', 'x'].map((c) => [`SELECT ${c}'01'`, `a string written as ${c}'...`, 'a plain string'] as const),
    ...['U', 'u'].map((c) => [`SELECT ${c}&'01'`, `a string written as ${c}&...`, 'a plain string'] as const),
    ...['about 1 day', '1 day ago', '1 decade', '1.5 days', '1day', 'day', '1 dayss'].map(interval),
  ]);
});

describe('steps into JSON on MySQL', () => {
  const text = (inner: string): [string, string] => [
    `JSON_UNQUOTE(NULLIF(JSON_EXTRACT(${inner}), CAST('null' AS JSON)))`,
    `JSON_UNQUOTE(NULLIF(JSON_EXTRACT(${inner}), 'null'))`,
  ];
  translates(
    [
      [`d->'a'`, `JSON_EXTRACT(d, '$."a"')`],
      [`t.d->'it''s'`, `JSON_EXTRACT(t.d, '$."it''s"')`],
      ['d->0', `JSON_EXTRACT(d, '$[0]')`],
      ['d->$1', 'JSON_EXTRACT(d, ?)'],
      [`d->'$.a.b'`, `JSON_EXTRACT(d, '$.a.b')`],
      [`d->>'a'`, ...text(`d, '$."a"'`)],
      ['d->>1', ...text(`d, '$[1]'`)],
      ['d->>$1', ...text('d, ?')],
      [`d->'a'->>'b'`, ...text(`JSON_EXTRACT(d, '$."a"'), '$."b"'`)],
      [`t.d->'a'->0->'c'`, `JSON_EXTRACT(JSON_EXTRACT(JSON_EXTRACT(t.d, '$."a"'), '$[0]'), '$."c"')`],
      [`a || d->'b'`, `a || JSON_EXTRACT(d, '$."b"')`],
      [`lower(d->'b')`, `lower(JSON_EXTRACT(d, '$."b"'))`],
      [`(d->'b')::int`, `CAST((JSON_EXTRACT(d, '$."b"')) AS SIGNED)`],
      [`$1::jsonb->'b'`, `JSON_EXTRACT(CAST(? AS JSON), '$."b"')`, `JSON_EXTRACT(?, '$."b"')`],
    ],
    inWhere,
  );
  const computed = [
    'a step into JSON that is computed',
    'a key in quotes, a number or a parameter without a cast',
  ] as const;
  expectRejections([
    ['SELECT d->>$1::text FROM t', ...computed],
    ['SELECT d->(a || b) FROM t', ...computed],
    ['SELECT d->>-1 FROM t', ...computed],
    ['SELECT d->a FROM t', ...computed],
    [`SELECT d->>'a"b' FROM t`, 'the key a"b', 'a key without quotes and backslashes'],
    [`SELECT d->>'a\\b' FROM t`, 'the key a\\b', 'a key without quotes and backslashes'],
  ]);
});

describe('FILTER on MySQL', () => {
  translates(
    [
      ['sum(a) FILTER (WHERE b = $1)', 'sum(CASE WHEN b = ? THEN a END)'],
      ['count(*) FILTER (WHERE c)', 'count(CASE WHEN c THEN 1 END)'],
      ['1 + sum(a) FILTER (WHERE (b))', '1 + sum(CASE WHEN (b) THEN a END)'],
      ['sum(coalesce(a, 0)) FILTER (WHERE b IN (1, 2))', 'sum(CASE WHEN b IN (1, 2) THEN coalesce(a, 0) END)'],
      ['max(a::int) FILTER (WHERE b::int = 1)', 'max(CASE WHEN CAST(b AS SIGNED) = 1 THEN CAST(a AS SIGNED) END)'],
      ['(1) + sum(a) FILTER (WHERE b)', '(1) + sum(CASE WHEN b THEN a END)'],
      ['filter', 'filter'],
      ['filter (a)', 'filter (a)'],
      ['t.filter + (a)', 't.filter + (a)'],
    ],
    inList,
  );
  const inside = ['such a FILTER', 'CASE inside of the function'] as const;
  expectRejections([
    ['SELECT sum(a * $2) FILTER (WHERE b = $1) FROM t', ...inside],
    ['SELECT count(DISTINCT a) FILTER (WHERE b) FROM t', ...inside],
  ]);
});

describe('full-text search on MySQL', () => {
  translates(
    [
      ['to_tsvector(b) @@ plainto_tsquery($1)', 'MATCH (b) AGAINST (? IN BOOLEAN MODE)'],
      [`to_tsvector('x', t.b) @@ websearch_to_tsquery($1)`, 'MATCH (t.b) AGAINST (? IN BOOLEAN MODE)'],
      [
        `to_tsvector('x', b) @@ phraseto_tsquery('x', $1) AND c = $2`,
        'MATCH (b) AGAINST (? IN BOOLEAN MODE) AND c = ?',
      ],
      [`to_tsvector('x', b) @@ to_tsquery('x', $1::text)`, 'MATCH (b) AGAINST (? IN BOOLEAN MODE)'],
      [`ts_rank(to_tsvector('x', b), to_tsquery('x', $1)) > 1`, 'MATCH (b) AGAINST (? IN BOOLEAN MODE) > 1'],
      ['(ts_rank(to_tsvector(b), plainto_tsquery($1)))', '(MATCH (b) AGAINST (? IN BOOLEAN MODE))'],
    ],
    (part) => `SELECT x FROM t WHERE ${part}`,
  );
  expectRejections(
    [
      'b @@ plainto_tsquery($1)',
      'f(b) @@ plainto_tsquery($1)',
      'to_tsvector(b || c) @@ plainto_tsquery($1)',
      `to_tsvector(b) @@ plainto_tsquery('x')`,
      `to_tsvector(b) @@ plainto_tsquery('x', 'y')`,
      `to_tsvector(b) @@ plainto_tsquery('x' || $1)`,
      'to_tsvector(b) @@ f($1)',
      `to_tsvector('x') @@ plainto_tsquery($1)`,
      `to_tsvector(b, 'x') @@ plainto_tsquery($1)`,
      '(to_tsvector(b)) @@ plainto_tsquery($1)',
    ].map((part) => [
      `SELECT x FROM t WHERE ${part}`,
      'such a word search',
      "to_tsvector('english', column) @@ plainto_tsquery('english', $1)",
    ]),
  );
});

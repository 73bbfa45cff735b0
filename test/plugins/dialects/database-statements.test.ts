/**
 * A statement made ready for PostgreSQL, its values as the text that is sent, and answers as values: which parameters are JSON or
 * arrays, what gains RETURNING, which values are refused.
 */
import { expect } from 'chai';
import { createFault, type Fault } from '../../../contract/fault.js';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';
import { formatArrayLiteral, parseArray } from '../../../plugins/dialects/shared/arrays.js';
import { preparePostgresStatement } from '../../../plugins/dialects/shared/prepare.js';
import { parseTimestamp, getParser, parsers } from '../../../plugins/dialects/shared/types.js';
import { bindValues, type PostgresPreparedStatement } from '../../../plugins/dialects/shared/values.js';

const prepared = (sql: string, jsonColumns: readonly boolean[] = []): PostgresPreparedStatement =>
  preparePostgresStatement({ scan: scanSql(sql), jsonColumns });

describe('a statement for PostgreSQL', () => {
  describe('text', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['INSERT INTO t (a) VALUES ($1)', 'INSERT INTO t (a) VALUES ($1) RETURNING *'],
      ['INSERT INTO t (a) VALUES ($1) ; -- end', 'INSERT INTO t (a) VALUES ($1) RETURNING * ; -- end'],
      ['INSERT INTO t DEFAULT VALUES /* x */', 'INSERT INTO t DEFAULT VALUES RETURNING * /* x */'],
      ['INSERT INTO t (a) VALUES (1) RETURNING a', 'INSERT INTO t (a) VALUES (1) RETURNING a'],
      ['INSERT INTO t (a) VALUES (1); SELECT 1', 'INSERT INTO t (a) VALUES (1); SELECT 1'],
      ['UPDATE t SET a = 1', 'UPDATE t SET a = 1'],
      ['SELECT a FROM user', 'SELECT a FROM "user"'],
    ];
    for (const [sql, text] of cases) it(sql, () => expect(prepared(sql).text).to.equal(text));

    it('has a name that depends on it alone and fits the server', () => {
      const [one, other] = [prepared('SELECT 1'), prepared('SELECT 2')];
      expect(one.name).to.match(/^lintel_[\w-]{27}$/);
      expect(prepared('SELECT 1').name).to.equal(one.name);
      expect(other.name).not.to.equal(one.name);
    });

    it('locks rows only where that is requested and can be done', () => {
      const sql = 'SELECT a FROM t WHERE b = $1';
      const lock = (text: string, wanted: 'update' | 'share' | null): PostgresPreparedStatement =>
        preparePostgresStatement({ scan: scanSql(text), jsonColumns: [], lock: wanted });
      expect([lock(sql, 'update').text, lock(sql, 'update').readOnly]).to.deep.equal([
        `${sql} FOR NO KEY UPDATE`,
        false,
      ]);
      expect(lock(sql, 'share').text).to.equal(`${sql} FOR SHARE`);
      expect([lock(sql, null).text, lock(sql, null).readOnly]).to.deep.equal([sql, true]);
      expect(prepared(sql).text).to.equal(sql);
      expect(lock('SELECT count(*) FROM t', 'update').readOnly).to.equal(true);
    });

    it('keeps whether it may wait', () => {
      expect(prepared('SELECT 1').atOnce).to.equal(false);
      expect(preparePostgresStatement({ scan: scanSql('SELECT 1'), jsonColumns: [], atOnce: true }).atOnce).to.equal(
        true,
      );
    });
  });

  describe('parameters', () => {
    const cases: readonly (readonly [string, readonly boolean[], readonly boolean[], readonly boolean[]])[] = [
      ['SELECT 1', [], [], []],
      ['SELECT $3, $1', [], [false, false, false], [false, false, false]],
      ['SELECT $1::json, $2::JSONB, $3::jsonpath, $4::text, $5::my.json', [], [true, true, false, false, false], []],
      ['SELECT $1, $1::jsonb', [], [true], []],
      ['INSERT INTO t (a, b) VALUES ($1, $2)', [true, false], [true, false], []],
      ['INSERT INTO t (a, b) VALUES ($1::text, $2)', [true, true], [false, true], []],
      ['UPDATE t SET a = $1 WHERE b = $1::text', [true], [false], []],
      ['SELECT a = ANY($1), a = all ( $2 ), a = Some($3)', [], [false, false, false], [true, true, true]],
      ['SELECT $1::int[], $2::int, $3::text[][]', [], [false, false, false], [true, false, true]],
      ['SELECT ANY($1::int[]), ANY($2::int)', [], [false, false], [true, false]],
      ['SELECT f($1), ANY($2, 1), ANY(1, $3), ANY($4', [], [], [false, false, false, false]],
      ['SELECT anyone($1), many($2), "any"($3)', [], [], [false, false, false]],
      ['SELECT (any + $1), any + ($2)', [], [], [false, false]],
      ['SELECT $1, ANY($1)', [], [false], [true]],
      ['SELECT ANY(/* x */ $1 /* y */)', [], [false], [true]],
      ['SELECT $2, ANY($1)', [], [false, false], [true, false]],
    ];
    for (const [sql, columns, json, arrays] of cases) {
      it(`${sql}${columns.length > 0 ? ` with columns ${columns.join()}` : ''}`, () => {
        const { json: isJson, arrays: isArray, order } = prepared(sql, columns);
        const count = Math.max(0, ...scanSql(sql).placeholders.map(({ n }) => n));
        const none = Array.from({ length: count }, () => false);
        expect([isJson, isArray]).to.deep.equal([json.length > 0 ? json : none, arrays.length > 0 ? arrays : none]);
        expect(order).to.deep.equal([...order.keys()]);
      });
    }
  });

  it('merely reads, unless a word in it writes or locks', () => {
    for (const sql of ['SELECT a FROM t', 'VALUES (1)', 'TABLE t', "SELECT 'INSERT' AS a /* UPDATE */"])
      expect(prepared(sql).readOnly, sql).to.equal(true);
    for (const sql of [
      'WITH x AS (INSERT INTO t (a) VALUES (1) RETURNING a) SELECT a FROM x',
      'WITH x AS (UPDATE t SET a = 1 RETURNING a) SELECT a FROM x',
      'WITH x AS (DELETE FROM t RETURNING a) SELECT a FROM x',
      'WITH x AS (merge INTO t USING u ON true WHEN MATCHED THEN DO NOTHING) SELECT 1',
      'SELECT a INTO b FROM t',
      'SELECT a FROM t FOR SHARE',
      'SELECT a FROM t FOR UPDATE',
      'SELECT lock FROM t',
      'UPDATE t SET a = 1',
      'EXPLAIN SELECT 1',
      'RESELECT 1',
      'TABLES t',
      '',
    ])
      expect(prepared(sql).readOnly, sql).to.equal(false);
    expect(prepared('SELECT a_update, inserted, "delete" FROM shared').readOnly).to.equal(true);
  });

  it('inserts rows that are written out, and nothing else', () => {
    for (const sql of [
      'INSERT INTO t (a) VALUES ($1)',
      'insert into t default values',
      '/* x */ INSERT INTO t (a) VALUES (1)',
      'INSERT INTO portable (selected) VALUES (1)',
    ])
      expect(prepared(sql).insert, sql).to.equal(true);
    for (const sql of [
      'INSERT INTO t (a) SELECT 1',
      'INSERT INTO t (a) TABLE u',
      'insert into t (a) values (1) on conflict do nothing',
      'INSERT INTO t (a) WITH x AS (VALUES (1)) VALUES (2)',
      'WITH x AS (VALUES (1)) INSERT INTO t (a) VALUES (1)',
      'INSERT INTO t (a) VALUES (1); INSERT INTO t (a) VALUES (2)',
      'UPDATE t SET a = 1',
      'REINSERT INTO t (a) VALUES (1)',
      'INSERTED INTO t (a) VALUES (1)',
      '',
    ])
      expect(prepared(sql).insert, sql).to.equal(false);
  });
});

describe('a value for PostgreSQL', () => {
  const bound = (value: unknown, cast = ''): string | null | undefined =>
    bindValues(prepared(`SELECT $1${cast}`), [value])[0];
  const sparse: { a?: unknown } = { a: undefined };
  const cases: readonly (readonly [unknown, string, string | null])[] = [
    [null, '', null],
    [undefined, '', null],
    [null, '::jsonb', null],
    [undefined, '::jsonb', null],
    ['a', '', 'a'],
    ['', '', ''],
    ['😀', '', '😀'],
    [1.5, '', '1.5'],
    [0, '', '0'],
    [12345678901234567890n, '', '12345678901234567890'],
    [true, '', 'true'],
    [false, '', 'false'],
    [new Date(0), '', '1970-01-01T00:00:00.000Z'],
    [new Uint8Array([0, 255]), '', String.raw`\x00ff`],
    [{ a: [1, null] }, '', '{"a":[1,null]}'],
    [[1, 'a'], '', '[1,"a"]'],
    ['a', '::jsonb', '"a"'],
    [1, '::jsonb', '1'],
    [{ a: null }, '::jsonb', '{"a":null}'],
    ['null', '::jsonb', '"null"'],
    [sparse, '::jsonb', '{}'],
    [[1, null, 'a,"b"\\'], '::text[]', String.raw`{"1",NULL,"a,\"b\"\\"}`],
    [[[1], [2]], '::int[]', '{{"1"},{"2"}}'],
    [[], '::int[]', '{}'],
    [[{ a: 1 }, true], '::text[]', String.raw`{"{\"a\":1}","true"}`],
    ['{1}', '::int[]', '{1}'],
    [{ a: 1 }, '::int[]', '{"a":1}'],
  ];
  for (const [value, cast, text] of cases)
    it(`${typeof value === 'bigint' ? value : JSON.stringify(value)}${cast} is ${text}`, () =>
      expect(bound(value, cast)).to.equal(text));

  const circle: unknown[] = [];
  circle.push(circle);
  const refused: readonly (readonly [string, unknown, string])[] = [
    ['NUL', 'a\0', ''],
    ['half a surrogate pair', '\ud800', ''],
    ['NaN', NaN, ''],
    ['a number beyond all bounds', Infinity, ''],
    ['one inside JSON', { a: [-Infinity] }, '::jsonb'],
    ['no date', new Date(NaN), ''],
    ['a function', (): null => null, ''],
    ['a symbol in JSON', Symbol('a'), '::jsonb'],
    ['a circle', circle, '::jsonb'],
    ['NUL inside an array', ['\0'], '::text[]'],
  ];
  for (const [name, value, cast] of refused)
    it(`is rejected: ${name}`, () => {
      const work = (): unknown => bindValues(prepared(`SELECT $1::int, $2${cast}`), [1, value]);
      expect(work).to.throw().with.property('code', 'QRY_BAD_VALUE');
      try {
        work();
      } catch (error) {
        const detail = 'cannot be kept in the database';
        expect((error as Fault).options.issues).to.deep.equal([{ pointer: '$2', code: 'QRY_BAD_VALUE', detail }]);
      }
    });

  it('keeps what was thrown, also where it names a field already', () => {
    const own = createFault('QRY_BAD_VALUE', {}, { issues: [] });
    for (const thrown of [own, new Error('x')]) {
      const value = {
        toJSON(): never {
          throw thrown;
        },
      };
      expect(() => bindValues(prepared('SELECT $1::jsonb'), [value]))
        .to.throw()
        .with.property('cause', thrown);
    }
  });

  it('is sent once for every parameter, in the order of the numbers', () => {
    expect(bindValues(prepared('SELECT $3, $1'), ['a', 'b', 'c', 'd'])).to.deep.equal(['a', 'b', 'c']);
  });
});

describe('an answer of PostgreSQL', () => {
  const cases: readonly (readonly [readonly number[], string, unknown])[] = [
    [[16], 't', true],
    [[16], 'f', false],
    [[17, 18, 19, 25, 1042, 1043, 1082, 1083, 2950, 0, 600], '7', '7'],
    [[20], '9007199254740991', 9007199254740991],
    [[20], '9007199254740992', '9007199254740992'],
    [[20], '-7', -7],
    [[21, 23, 26, 700, 701], '7', 7],
    [[700, 701], '1e-7', 1e-7],
    [[114, 3802], '{"a":1}', { a: 1 }],
    [[1114], '2026-01-02 03:04:05', '2026-01-02T03:04:05.000Z'],
    [[1184], '2026-01-02 03:04:05+00', '2026-01-02T03:04:05.000Z'],
    [[1700], '1.5', 1.5],
    [[1700], '7', 7],
    [[1700], '9007199254740993', '9007199254740993'],
    [[1700], '12345678901234.56', 12345678901234.56],
    [[1700], '12345678901234567.89', '12345678901234567.89'],
    [[1700, 700, 701], 'NaN', 'NaN'],
    [[700, 701], '-Infinity', '-Infinity'],
    [[1000], '{t,NULL,f}', [true, null, false]],
    [[1001, 1002, 1003, 1009, 1014, 1015, 1182, 1183, 2951], '{7}', ['7']],
    [[1016, 1005, 1007, 1028, 1021, 1022, 1231], '{7,NULL}', [7, null]],
    [[199, 3807], String.raw`{"{\"a\":1}"}`, [{ a: 1 }]],
    [[1115, 1185], '{"2026-01-02 03:04:05"}', ['2026-01-02T03:04:05.000Z']],
  ];
  for (const [types, text, value] of cases)
    it(`${text} of ${types.join(', ')}`, () => {
      for (const type of types) expect(getParser(type)(text), String(type)).to.deep.equal(value);
    });

  it('knows 21 types and their arrays', () => expect(parsers.size).to.equal(42));

  for (const [text, expected] of [
    ['2026-01-02 03:04:05.678+00', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02 03:04:05.67', '2026-01-02T03:04:05.670Z'],
    ['2026-01-02 03:04:05.6+05', '2026-01-02T03:04:05.600+05:00'],
    ['2026-01-02 03:04:05-00', '2026-01-02T03:04:05.000-00:00'],
    ['2026-01-02 03:04:05.1+00:00', '2026-01-02T03:04:05.100Z'],
    ['2026-01-02 03:04:05 BC', '2026-01-02 03:04:05 BC'],
    ['2026-01-02 03:04:05.1 BC', '2026-01-02 03:04:05.1 BC'],
    ['1234567-01-02 03:04:05', '1234567-01-02 03:04:05'],
    ['2026-01-02', '2026-01-02'],
    ['-infinity', '-infinity'],
  ] as const)
    it(`${text} is the instant ${expected}`, () => expect(parseTimestamp(text)).to.equal(expected));

  const arrays: readonly (readonly [string, unknown[]])[] = [
    ['{}', []],
    ['{a,b}', ['a', 'b']],
    ['{"a,b","{}"}', ['a,b', '{}']],
    [String.raw`{"\"","\\"}`, ['"', '\\']],
    ['{""}', ['']],
    ['{NULL,"NULL",null}', [null, 'NULL', 'null']],
    ['{{a},{b,c}}', [['a'], ['b', 'c']]],
    ['{{{a}},{}}', [[['a']], []]],
    ['{{a},b}', [['a'], 'b']],
    ['[0:1]={a,b}', ['a', 'b']],
    // Broken text gives what could be read.
    ['', []],
    ['{', []],
    ['{a', ['a']],
    ['{"a', ['a']],
    ['{"a\\', ['a']],
    ['{{a', [['a']]],
  ];
  for (const [text, items] of arrays)
    it(`reads the array ${text}`, () => expect(parseArray(text, (item) => item)).to.deep.equal(items));

  it('writes an array that is read back', () => {
    const items = ['a', null, '', 'NULL', '{}', '"', '\\', ' b ', ['c', ['d']]];
    const element = (item: unknown): string | null =>
      Array.isArray(item) ? formatArrayLiteral(item, element) : (item as string | null);
    expect(parseArray(formatArrayLiteral(items, element), (item) => item)).to.deep.equal(items);
  });
});

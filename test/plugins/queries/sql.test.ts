/** The SQL scanner: tables of texts with the expected tokens, and properties for any text. */
import { expect } from 'chai';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';
import { measureCpuTime } from '../../support/cpu.js';
import { generateText, fc } from '../../support/properties.js';
import { countRuns } from '../../support/sample.js';

const listTokens = (sql: string): string[] =>
  scanSql(sql).tokens.map(({ type, start, end }) => `${type} ${sql.slice(start, end)}`);
const listTables = (sql: string): string[] => scanSql(sql).tables.map(({ name }) => name);
const listColumns = (sql: string): (string | null)[] => scanSql(sql).placeholders.map(({ column }) => column);
const listCasts = (sql: string): (string | null)[] => scanSql(sql).placeholders.map(({ cast }) => cast);

describe('SQL scanner', () => {
  describe('tokens', () => {
    const cases: readonly (readonly [string, string[]])[] = [
      ["'it''s' x", ["string 'it''s'", 'word x']],
      [String.raw`E'a\'b' 'a\' b`, [String.raw`string E'a\'b'`, String.raw`string 'a\'`, 'word b']],
      ["x'1F' B'01' n'x' U&'d\\0061'", ["string x'1F'", "string B'01'", "string n'x'", "string U&'d\\0061'"]],
      ['"a ""b""" U&"x"', ['quoted-identifier "a ""b"""', 'quoted-identifier U&"x"']],
      ['$$ $1 $$ $a$ $$ $a$', ['dollar-string $$ $1 $$', 'dollar-string $a$ $$ $a$']],
      ['$1 $12 a$1', ['placeholder $1', 'placeholder $12', 'word a$1']],
      ['a -- b $1\nc', ['word a', 'comment -- b $1', 'word c']],
      ['/* a /* b */ $1 */c', ['comment /* a /* b */ $1 */', 'word c']],
      [
        '1 1.5 .5 1e-3 0xFF 1_000',
        ['number 1', 'number 1.5', 'number .5', 'number 1e-3', 'number 0xFF', 'number 1_000'],
      ],
      ["a->>'b' ? $1", ['word a', 'operator ->>', "string 'b'", 'operator ?', 'placeholder $1']],
      ['a?|$1 a?&$2', ['word a', 'operator ?|', 'placeholder $1', 'word a', 'operator ?&', 'placeholder $2']],
      ['a@>$1', ['word a', 'operator @>', 'placeholder $1']],
      ['a=-1', ['word a', 'operator =', 'operator -', 'number 1']],
      ['a=--b', ['word a', 'operator =', 'comment --b']],
      ['f(a)[1]', ['word f', 'open (', 'word a', 'close )', 'open [', 'number 1', 'close ]']],
      ['a.b,c;', ['word a', 'dot .', 'word b', 'comma ,', 'word c', 'semicolon ;']],
      ['a::int', ['word a', 'cast ::int']],
      ['a::text::jsonb', ['word a', 'cast ::text', 'cast ::jsonb']],
      ['a :: ', ['word a', 'operator ::']],
      ['täble', ['word täble']],
    ];
    for (const [sql, expected] of cases) it(sql, () => expect(listTokens(sql)).to.deep.equal(expected));
  });

  describe('casts', () => {
    const cases: readonly (readonly [string, string | null])[] = [
      ['$1', null],
      ['$1::jsonb', 'jsonb'],
      ['$1 :: JSONB', 'jsonb'],
      ['$1::double precision + 1', 'double precision'],
      ['$1::timestamp with time zone', 'timestamp with time zone'],
      ['$1::timestamp(3) without time zone', 'timestamp(3) without time zone'],
      ['$1::timestamp at time zone', 'timestamp'],
      ['$1::timestamptz', 'timestamptz'],
      ['$1::character varying ( 10 )', 'character varying(10)'],
      ['$1::numeric(10, 2)', 'numeric(10,2)'],
      ['$1::int[]', 'int[]'],
      ['$1::int[3][]', 'int[][]'],
      ['$1::int array', 'int[]'],
      ['$1::pg_catalog.int8', 'int8'],
      ['$1::my."Odd Type"', 'my.Odd Type'],
      ['$1::"char"', 'char'],
      ['$1::interval day to second', 'interval day to second'],
      ['$1::text AS x', 'text'],
      ['$1::text::jsonb', 'text'],
      ['CAST($1 AS jsonb)', 'jsonb'],
      ['cast($1 as numeric(10,2))', 'numeric(10,2)'],
      ['($1)::jsonb', 'jsonb'],
      ['(($1))::jsonb', 'jsonb'],
      ['f($1)::jsonb', null],
      ['($1 + 1)::jsonb', null],
      ['$1 /* c */::jsonb', 'jsonb'],
    ];
    for (const [sql, expected] of cases) it(sql, () => expect(listCasts(`SELECT ${sql}`)).to.deep.equal([expected]));
  });

  describe('verb, statements, RETURNING', () => {
    const cases: readonly (readonly [string, string, number, boolean])[] = [
      ['', '', 0, false],
      ['  -- nothing\n ;;', '', 0, false],
      ['select 1', 'SELECT', 1, false],
      ['(SELECT 1) UNION (SELECT 2);', 'SELECT', 1, false],
      ['SELECT 1; SELECT 2', 'SELECT', 2, false],
      ["SELECT ';' -- ;\n;", 'SELECT', 1, false],
      ['INSERT INTO a VALUES (1) RETURNING *', 'INSERT', 1, true],
      ["INSERT INTO a VALUES ('RETURNING')", 'INSERT', 1, false],
      ['WITH x AS (SELECT 1) UPDATE a SET b = 1', 'UPDATE', 1, false],
      ['WITH x AS (INSERT INTO a VALUES (1) RETURNING *) INSERT INTO b SELECT * FROM x', 'INSERT', 1, false],
      [
        'WITH RECURSIVE x (n) AS NOT MATERIALIZED (SELECT 1), y AS (SELECT 2) DELETE FROM a RETURNING id',
        'DELETE',
        1,
        true,
      ],
      ['WITH x AS (WITH y AS (SELECT 1) SELECT * FROM y) SELECT * FROM x', 'SELECT', 1, false],
      [
        'WITH RECURSIVE t AS (SELECT 1) SEARCH DEPTH FIRST BY a, b SET o CYCLE id SET c USING p SELECT 1',
        'SELECT',
        1,
        false,
      ],
    ];
    for (const [sql, verb, statements, returning] of cases) {
      it(sql, () => expect(scanSql(sql)).to.include({ verb, statements, returning }));
    }
  });

  describe('tables', () => {
    const cases: readonly (readonly [string, string[]])[] = [
      ['SELECT * FROM a', ['a']],
      ['SELECT * FROM A, "B" b, s.c AS d JOIN ONLY e ON true', ['a', 'B', 'c', 'e']],
      ['SELECT * FROM a LEFT OUTER JOIN b USING (id), c', ['a', 'b', 'c']],
      ['SELECT * FROM (a JOIN b ON a.x = b.x) JOIN ((c)) ON true', ['a', 'b', 'c']],
      ['SELECT * FROM (SELECT * FROM a, b) x, c', ['a', 'b', 'c']],
      ['SELECT (SELECT 1 FROM a), b FROM c WHERE EXISTS (SELECT 1 FROM d)', ['a', 'c', 'd']],
      ['SELECT * FROM generate_series(1, 2) g, a, jsonb_each(a.x) e', ['a']],
      ['SELECT * FROM ROWS FROM (f(), g()) r, a', ['a']],
      ['SELECT * FROM a, LATERAL (SELECT * FROM b) l', ['a', 'b']],
      ['SELECT * FROM unnest($1::int[]) WITH ORDINALITY AS t (x, n) JOIN a ON true', ['a']],
      ['SELECT EXTRACT(year FROM x), substring(y from 1 for 2), trim(both from z) FROM a', ['a']],
      ['SELECT * FROM a WHERE x IS DISTINCT FROM y AND x IS NOT DISTINCT FROM z', ['a']],
      ['SELECT * FROM a FOR UPDATE', ['a']],
      ['SELECT * FROM a FOR NO KEY UPDATE OF a', ['a']],
      ['INSERT INTO a (x) VALUES (1) ON CONFLICT (x) DO UPDATE SET x = 2', ['a']],
      ['INSERT INTO s.a SELECT * FROM b', ['a', 'b']],
      ['UPDATE a SET x = b.x FROM b WHERE true', ['a', 'b']],
      ['DELETE FROM a USING b, c WHERE true', ['a', 'b', 'c']],
      ['MERGE INTO a USING b ON true WHEN MATCHED THEN UPDATE SET x = 1', ['a', 'b']],
      ['WITH x AS (SELECT * FROM a) SELECT * FROM x JOIN b ON true', ['a', 'b']],
      ['WITH a AS (SELECT * FROM a) SELECT * FROM a', ['a']],
      ['WITH RECURSIVE a AS (SELECT 1 UNION SELECT * FROM a) SELECT * FROM a, public.a', ['a']],
      ['WITH x AS (SELECT 1), y AS (SELECT * FROM x) SELECT * FROM y', []],
      ['SELECT * FROM (WITH x AS (SELECT 1) SELECT * FROM x) q, x', ['x']],
      ["SELECT 'FROM a' /* FROM b */ -- FROM c", []],
      ['SELECT a.from FROM b', ['b']],
    ];
    for (const [sql, expected] of cases) it(sql, () => expect(listTables(sql)).to.deep.equal(expected));

    it('returns the position of the last part of a name', () => {
      const sql = 'SELECT * FROM public."Users" u';
      const [table] = scanSql(sql).tables;
      expect(sql.slice(table?.start, table?.end)).to.equal('"Users"');
    });
  });

  describe('columns of placeholders', () => {
    const cases: readonly (readonly [string, (string | null)[]])[] = [
      ['INSERT INTO t (a, "B") VALUES ($1, $2)', ['a', 'B']],
      ['INSERT INTO s.t AS x (a, b) VALUES ($1, $2), ($3, DEFAULT), ($4::int, $5::jsonb)', ['a', 'b', 'a', 'a', 'b']],
      ['INSERT INTO t (a, b) VALUES (ARRAY[$1, $2], $3)', [null, null, 'b']],
      ['INSERT INTO t (a, b) VALUES (lower($1), ($2)), (coalesce($3, 1), $4 + 1)', [null, 'b', null, null]],
      ['INSERT INTO t (a, b) OVERRIDING SYSTEM VALUE VALUES ($1, $2)', ['a', 'b']],
      ['INSERT INTO t (a, b) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM t WHERE a = $1)', ['a', 'b', 'a']],
      ['INSERT INTO t (a) VALUES ($1), ($2), (($3))', ['a', 'a', 'a']],
      ['INSERT INTO t VALUES ($1)', [null]],
      ['UPDATE t SET a = $1, b = b + $2, c = $3 || c WHERE t.d = $4', ['a', null, null, 'd']],
      ['UPDATE t SET (a, b) = ($1, $2), (c) = ROW($3)', ['a', 'b', 'c']],
      ['SELECT * FROM t WHERE a <> $1 AND b<$2 AND c >= $3::int AND d != $4', ['a', 'b', 'c', 'd']],
      ['SELECT * FROM t WHERE a LIKE $1 AND b NOT ILIKE $2 AND c ~* $3', ['a', 'b', 'c']],
      ['SELECT * FROM t WHERE $1 = a AND $2::int < t.b AND $3 = f(a)', ['a', 'b', null]],
      ['SELECT * FROM t WHERE a IN ($1, $2) AND b NOT IN ($3)', ['a', 'a', 'b']],
      ['SELECT * FROM t WHERE a IS NOT DISTINCT FROM $1 AND b IS DISTINCT FROM $2', ['a', 'b']],
      ['SELECT * FROM t WHERE a BETWEEN $1 AND $2', ['a', null]],
      ['SELECT * FROM t WHERE lower(a) = $1 AND a + b = $2 AND a::text = $3', [null, null, null]],
      ["SELECT * FROM t WHERE a->>'k' = $1 AND a->k = $2 AND a ? $3 AND a->>$4 = 'x'", [null, null, null, null]],
      ['SELECT * FROM t WHERE a = ANY($1) LIMIT $2', [null, null]],
      ['SELECT * FROM t WHERE data @> $1', ['data']],
      ['SELECT f(x => $1)', [null]],
      ['SELECT * FROM t WHERE a = b AND substring(c FROM $1) = d', [null]],
      ['SELECT * FROM t WHERE NOT trim(BOTH FROM $1) = $2', [null, null]],
    ];
    for (const [sql, expected] of cases) it(sql, () => expect(listColumns(sql)).to.deep.equal(expected));
  });

  it('return the column that a value is compared with, also if its type differs', () => {
    const standsFor = (sql: string): (string | null)[] => scanSql(sql).placeholders.map(({ stands }) => stands);
    for (const [sql, expected] of [
      ['SELECT 1 FROM t WHERE tags ?| $1::text[] AND t.id = ANY($2) AND $3 = c', ['tags', 'id', 'c']],
      ["SELECT 1 FROM t WHERE a ILIKE '%' || $1 || '%' AND f(b) = ANY($2) AND lower(c) ?& $3", [null, null, null]],
    ] as const)
      expect(standsFor(sql), sql).to.deep.equal(expected);
  });

  it('include placeholders inside strings', () => {
    const sql = `SELECT '%$1%', 'costs $100', E'$2', "$3", $$ $4 $$ -- $5`;
    const found = scanSql(sql).quotedPlaceholders;
    expect(found.map(({ name }) => name)).to.deep.equal(['$1', '$2']);
    for (const { name, start, end } of found) expect(sql.slice(start, end)).to.equal(name);
  });

  describe('syntax errors', () => {
    const cases: readonly (readonly [string, string, string])[] = [
      ["SELECT 'a", 'SQL_UNTERMINATED', 'string'],
      ['SELECT "a', 'SQL_UNTERMINATED', 'quoted identifier'],
      ['SELECT $x$ a $y$', 'SQL_UNTERMINATED', 'dollar-quoted string'],
      ['SELECT 1 /* /* */', 'SQL_UNTERMINATED', 'comment'],
      ['SELECT (1', 'SQL_UNBALANCED', '('],
      ['SELECT 1)', 'SQL_UNBALANCED', ')'],
      ['SELECT a[1', 'SQL_UNBALANCED', '['],
    ];
    for (const [sql, code, what] of cases) {
      it(sql, () => expect(scanSql(sql).faults.map((f) => [f.code, f.what])).to.deep.equal([[code, what]]));
    }
    it('are not found in valid text', () => {
      expect(scanSql(`SELECT (a[1]) FROM "x" WHERE b = 'it''s' AND c = $q$ ' $q$ -- '`).faults).to.deep.equal([]);
    });
  });

  describe('arbitrary text', () => {
    const pieces = fc.constantFrom(
      ...`' '' " $$ $a$ $1 $2 -- /* */ ( ) [ ] , ; . :: : E' ? ->> = - + \n \\ 1 1.5 1e a b int jsonb with time zone`.split(
        ' ',
      ),
      ...'WITH RECURSIVE AS SELECT INSERT INTO VALUES UPDATE SET DELETE FROM USING JOIN WHERE IN NOT CAST RETURNING'.split(
        ' ',
      ),
    );
    const texts = fc.oneof(
      generateText(),
      fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(' ')),
      fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join('')),
    );

    it('is scanned without throwing, into ordered tokens that do not overlap and omit only blanks', () => {
      fc.assert(
        fc.property(texts, (text) => {
          const scan = scanSql(text);
          let at = 0;
          for (const { start, end } of scan.tokens) {
            expect(start).to.be.at.least(at);
            expect(end).to.be.greaterThan(start);
            expect(text.slice(at, start).trim()).to.equal('');
            at = end;
          }
          expect(text.slice(at).trim()).to.equal('');
          for (const { start, end } of [
            ...scan.placeholders,
            ...scan.tables,
            ...scan.quotedPlaceholders,
            ...scan.faults,
          ]) {
            expect(start).to.be.at.least(0);
            expect(end).to.be.within(start, text.length);
          }
        }),
        { numRuns: countRuns('strings', 600, 3000) },
      );
    });

    it('is scanned in reasonable time if it is long and deep', () => {
      for (const part of [
        '(',
        'FROM (',
        "'",
        '$1,',
        'WITH a AS (',
        '/*',
        '$a$',
        'a.',
        '::int',
        'SELECT FROM ',
        '"',
        'IN ($1',
      ]) {
        expect(
          measureCpuTime(() => scanSql(part.repeat(4000))),
          part,
        ).to.be.lessThan(2000);
      }
    });
  });
});

/** Contract of values: parameters, and the native JSON value of each type. */
import { expect } from 'chai';
import { expectRejected, type DialectFlavour } from './dialect-flavour.js';
import type { Run } from './dialect-support.js';
import { catchFault } from './dialect-support.js';

/** SQL expression and the expected result. */
const ANSWERS: readonly (readonly [string, unknown])[] = [
  ['1::int', 1],
  ['1::int2', 1],
  ['9007199254740991::int8', 9007199254740991],
  ['9007199254740993::int8', '9007199254740993'],
  ['(-5)::int8', -5],
  ['count(*)', 1],
  ['2.50::numeric', 2.5],
  ['9007199254740993::numeric', '9007199254740993'],
  ['1.5::float8', 1.5],
  ['0.25::float4', 0.25],
  ['true', true],
  ['false', false],
  ["'x'::text", 'x'],
  ["''::text", ''],
  ['NULL::text', null],
  [`'{"a":[1,null,"x"]}'::jsonb`, { a: [1, null, 'x'] }],
  [`'[]'::json`, []],
  [`'null'::jsonb`, null],
  [`'"text"'::jsonb`, 'text'],
  ["'2026-01-02'::date", '2026-01-02'],
  ["'2026-01-02 03:04:05.6'::timestamp", '2026-01-02T03:04:05.600Z'],
  ["'2026-01-02 03:04:05+02'::timestamptz", '2026-01-02T01:04:05.000Z'],
  ["'2026-01-02 03:04:05.123456+00'::timestamptz", '2026-01-02T03:04:05.123456Z'],
  ["'infinity'::timestamptz", 'infinity'],
  ["'0044-03-15 00:00:00 BC'::timestamp", '0044-03-15 00:00:00 BC'],
  ["'03:04:05'::time", '03:04:05'],
  ["'1 day 2 hours'::interval", '1 day 02:00:00'],
  [String.raw`'\x6869'::bytea`, String.raw`\x6869`],
  ["'6f9619ff-8b86-d011-b42d-00c04fc964ff'::uuid", '6f9619ff-8b86-d011-b42d-00c04fc964ff'],
  ['ARRAY[1,2,NULL]::int[]', [1, 2, null]],
  [String.raw`ARRAY['a','b,c','d"e\f','NULL','',NULL]::text[]`, ['a', 'b,c', 'd"e\\f', 'NULL', '', null]],
  ['ARRAY[]::text[]', []],
  ['ARRAY[ARRAY[1,2],ARRAY[3,4]]', [[1, 2], [3, 4]]], // oxfmt-ignore
  [`ARRAY['{"a":1}']::jsonb[]`, [{ a: 1 }]],
  ["ARRAY['2026-01-02 03:04:05+00']::timestamptz[]", ['2026-01-02T03:04:05.000Z']],
  ["'(1,2)'::point", '(1,2)'],
  ["'2026-01-02 03:04:05+00'::timestamptz::text", '2026-01-02 03:04:05+00'],
];

/** SQL expression over `$1`, the value bound to it, and the result. */
const BOUND: readonly (readonly [string, unknown, unknown])[] = [
  ['$1::text', `it's "quoted" \\ and ; -- so on`, `it's "quoted" \\ and ; -- so on`],
  ['$1::text', '', ''],
  ['$1::text', 'ünï 😀 \u200b', 'ünï 😀 \u200b'],
  ['$1::text', null, null],
  ['$1::text', undefined, null],
  ['$1::text', 5, '5'],
  ['$1::text', { a: 1 }, '{"a":1}'],
  ['$1::text', [1, 'a'], '[1,"a"]'],
  ['$1::int', 5, 5],
  ['$1::int', '5', 5],
  ['$1::int8', 9007199254740993n, '9007199254740993'],
  ['$1::float8', 0.1, 0.1],
  ['$1::double precision', 1e21, 1e21],
  ['$1::numeric(10,2)', 1.005, 1.01],
  ['$1::boolean', true, true],
  ['$1::boolean', 'false', false],
  ['$1::timestamptz', '2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z'],
  ['$1::timestamptz', '2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
  ['$1::timestamp with time zone', new Date(0), '1970-01-01T00:00:00.000Z'],
  ['$1::date', '2026-01-02', '2026-01-02'],
  ['$1::jsonb', { a: [1, { b: null }] }, { a: [1, { b: null }] }],
  ['$1::jsonb', ['a', 'b'], ['a', 'b']],
  ['$1::jsonb', 'text', 'text'],
  ['$1::jsonb', '{"a":1}', '{"a":1}'],
  ['$1::jsonb', '"', '"'],
  ['$1::jsonb', true, true],
  ['$1::jsonb', 5, 5],
  ['$1::jsonb', null, null],
  ['CAST($1 AS jsonb)', ['x'], ['x']],
  ['($1)::json', { k: 'v' }, { k: 'v' }],
  // Literal JSON text: the cast that follows directly is text, so the value is sent unchanged.
  ['$1::text::jsonb', '{"same":0}', { same: 0 }],
  ['$1::text[]', ['a', 'b,"c"', null], ['a', 'b,"c"', null]],
  ['$1::int[]', [1, 2], [1, 2]],
  ['2 = ANY($1::int[])', [1, 2], true],
  ['$1::text || $1::text', 'a', 'aa'],
];

const REJECTED = Symbol('refused');

export function valuesContract(run: Run, { differences, keyless, postgresql }: DialectFlavour): void {
  const selectValue = async (sql: string, ...values: unknown[]): Promise<unknown> =>
    (await run(`SELECT ${sql} AS v`, values))[0]?.['v'];
  const getExpectedAnswer = (sql: string, expected: unknown): unknown => {
    const difference = Object.hasOwn(differences, sql) ? differences[sql] : undefined;
    if (difference === undefined) return expected;
    return 'answer' in difference ? difference.answer : REJECTED;
  };

  for (const [sql, expected] of ANSWERS) {
    const answer = getExpectedAnswer(sql, expected);
    if (answer === REJECTED)
      it(`rejects ${sql}: ${differences[sql]?.why ?? ''}`, () => expectRejected(() => selectValue(sql)));
    else
      it(`returns ${JSON.stringify(answer)} for ${sql}`, async () =>
        expect(await selectValue(sql)).to.deep.equal(answer));
  }
  for (const [sql, value, expected] of BOUND) {
    const shown = typeof value === 'bigint' ? `${value}n` : JSON.stringify(value);
    const answer = getExpectedAnswer(sql, expected);
    if (answer === REJECTED)
      it(`rejects ${sql}: ${differences[sql]?.why ?? ''}`, () => expectRejected(() => selectValue(sql, value)));
    else it(`binds ${shown} to ${sql}`, async () => expect(await selectValue(sql, value)).to.deep.equal(answer));
  }

  it('takes parameters repeated and out of order', async () => {
    const rows = await run(
      'SELECT $2::text AS b, $1::int AS a, $2::text || $1::text AS c'.replace('$1::text', '$1::int'),
      [1, 'x'],
    );
    expect(rows).to.deep.equal([{ b: 'x', a: 1, c: 'x1' }]);
  });

  it('ignores placeholders in strings, comments and quoted names', async () => {
    const sql = `SELECT '$1' AS a, /* $2 */ $1::int AS "$3", $tag$ $1 $tag$ AS c -- $4`;
    expect(await run(sql, [7])).to.deep.equal([{ a: '$1', $3: 7, c: ' $1 ' }]);
  });

  it('runs the JSON operators that look like placeholders of other databases', async () => {
    await run('CREATE TABLE react (id text PRIMARY KEY, reactions jsonb NOT NULL)');
    await run('INSERT INTO react (id, reactions) VALUES ($1, $2)', ['a', { same: 0 }], [2]);
    const sql = `UPDATE react SET reactions = jsonb_set(reactions, ARRAY[$2], (COALESCE(reactions->>$2, '0')::int + 1)::text::jsonb)
      WHERE id = $1 AND reactions ? $2 RETURNING id, reactions::text AS reactions`;
    if (!postgresql) {
      await expectRejected(() => run(sql, ['a', 'same']));
      return;
    }
    expect(await run(sql, ['a', 'same'])).to.deep.equal([{ id: 'a', reactions: '{"same": 1}' }]);
    expect(await run(sql, ['a', 'other'])).to.deep.equal([]);
  });

  it('binds to a JSON column by the flag of the model', async () => {
    await run('CREATE TABLE bag (id int, data jsonb)');
    const values = [{ a: 1 }, ['x'], 'plain', '{"a":1}', '"', 5, false, null];
    for (const [i, value] of values.entries()) {
      await run('INSERT INTO bag (id, data) VALUES ($1, $2)', [i, value], [2]);
    }
    const rows = await run('SELECT data FROM bag ORDER BY id');
    expect(rows.map((row) => row['data'])).to.deep.equal(values);
  });

  it('returns the row of an INSERT without RETURNING, also before a semicolon or a comment', async () => {
    await run('CREATE TABLE plain (id int PRIMARY KEY, name text)');
    for (const [i, tail] of ['', ';', ' -- RETURNING nothing', ' /* ; */ ; -- end'].entries()) {
      const rows = await run(`INSERT INTO plain (id, name) VALUES ($1, $2)${tail}`, [i, 'n']);
      expect(rows, tail).to.deep.equal([{ id: i, name: 'n' }]);
    }
    expect(await run('UPDATE plain SET name = $1', ['m'])).to.deep.equal([]);
    expect(await run('INSERT INTO plain (id) VALUES (9) RETURNING id')).to.deep.equal([{ id: 9 }]);
  });

  it('returns the row of an INSERT into a table without a key, if the database can', async () => {
    await run('CREATE TABLE keyless (id int)');
    expect(await run('INSERT INTO keyless (id) VALUES ($1)', [1])).to.deep.equal(keyless ? [{ id: 1 }] : []);
    expect(await run('SELECT id FROM keyless')).to.deep.equal([{ id: 1 }]);
  });

  it('returns the changed rows, as RETURNING names them', async () => {
    await run('CREATE TABLE stock (id int PRIMARY KEY, name text, amount int NOT NULL)');
    const insert =
      'INSERT INTO stock (id, name, amount) VALUES ($1, $2, 5), ($3, $2, 7) RETURNING id, amount AS left_over';
    expect(await run(insert, [1, 'n', 2])).to.deep.equal([
      { id: 1, left_over: 5 },
      { id: 2, left_over: 7 },
    ]);
    const update = 'UPDATE stock SET amount = amount - $2 WHERE name = $1 AND amount >= $2 RETURNING id, amount';
    expect(await run(update, ['n', 6])).to.deep.equal([{ id: 2, amount: 1 }]);
    expect(await run(update, ['n', 6])).to.deep.equal([]);
    expect(await run('DELETE FROM stock WHERE id = $1 RETURNING name, amount + 1 AS more', [2])).to.deep.equal([
      { name: 'n', more: 2 },
    ]);
    expect(await run('SELECT id FROM stock')).to.deep.equal([{ id: 1 }]);
  });

  it('inserts a row or updates the existing one', async () => {
    await run('CREATE TABLE counted (id int PRIMARY KEY, name text UNIQUE, times int NOT NULL)');
    const upsert = `INSERT INTO counted (id, name, times) VALUES ($1, $2, 1)
      ON CONFLICT (name) DO UPDATE SET times = counted.times + excluded.times RETURNING id, times`;
    expect(await run(upsert, [1, 'a'])).to.deep.equal([{ id: 1, times: 1 }]);
    expect(await run(upsert, [2, 'a'])).to.deep.equal([{ id: 1, times: 2 }]);
    const once = 'INSERT INTO counted (id, name, times) VALUES ($1, $2, 0) ON CONFLICT (name) DO NOTHING RETURNING id';
    expect(await run(once, [3, 'a'])).to.deep.equal([]);
    expect(await run(once, [4, 'b'])).to.deep.equal([{ id: 4 }]);
    expect(await run('SELECT id, times FROM counted ORDER BY id')).to.deep.equal([
      { id: 1, times: 2 },
      { id: 4, times: 0 },
    ]);
  });

  it('finds nothing by a value of another type that only begins with the same text', async () => {
    await run('CREATE TABLE typed (id int PRIMARY KEY, state text, n float8)');
    await run(`INSERT INTO typed (id, state, n) VALUES (1, 'open', 0)`);
    await run('CREATE TABLE typed_too (id text PRIMARY KEY)');
    await run(`INSERT INTO typed_too (id) VALUES ('x')`);
    for (const [sql, value] of [
      ['SELECT t.id FROM typed t JOIN typed_too AS o ON o.id <> t.state WHERE t.id = $1', '1abc'],
      ['SELECT t.id FROM typed t JOIN typed_too AS o ON o.id <> t.state WHERE o.id = $1', 0],
      ['SELECT id FROM typed WHERE state = $1', 0],
      ['SELECT id FROM typed WHERE state = $1', false],
      ['SELECT id FROM typed WHERE state = $1', { state: 1 }],
      ['SELECT id FROM typed WHERE lower(state) = $1', 0],
      ['SELECT id FROM typed WHERE state IN ($1, $1)', 0],
      ['SELECT id FROM typed WHERE id = $1', '1abc'],
      ['SELECT id FROM typed WHERE id IN ($1)', 'abc'],
      ['SELECT id FROM typed WHERE n = $1', 'abc'],
      ['SELECT id FROM typed WHERE id = ANY($1::int[])', ['1abc']],
      ['SELECT id FROM typed WHERE state = ANY($1::text[])', [0]],
      ['UPDATE typed SET state = state WHERE id = $1 RETURNING id', 'abc'],
    ] as const) {
      const rows = await run(sql, [value]).catch((error: unknown) => {
        expect((error as { code?: unknown }).code, sql).to.equal('QRY_BAD_VALUE');
        return [];
      });
      expect(rows, `${sql} with ${JSON.stringify(value)}`).to.deep.equal([]);
    }
    expect(await run('SELECT id FROM typed WHERE id = ANY($1::int[])', [[3, 1]])).to.deep.equal([{ id: 1 }]);
    expect(await run(`SELECT id FROM typed WHERE state = $1`, ['open '])).to.deep.equal([]);
    expect(await run(`SELECT id FROM typed WHERE state = $1`, ['OPEN'])).to.deep.equal([]);
    expect(await run(`SELECT id FROM typed WHERE state ILIKE $1`, ['OP%'])).to.deep.equal([{ id: 1 }]);
  });

  it('returns equal rows when a statement runs again', async () => {
    for (let i = 0; i < 3; i++)
      expect(await run('SELECT $1::int AS a, now() IS NOT NULL AS b', [i])).to.deep.equal([{ a: i, b: true }]);
  });

  it('returns every column of every row', async () => {
    const rows = await run(
      'WITH RECURSIVE g(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g WHERE n < 200) SELECT n, NULL::int AS gap FROM g',
    );
    expect(rows).to.have.length(200);
    expect(rows[199]).to.deep.equal({ n: 200, gap: null });
  });

  it('follows a table whose columns change', async () => {
    await run('CREATE TABLE grows (id int PRIMARY KEY)');
    await run('INSERT INTO grows (id) VALUES (1)');
    const select = 'SELECT * FROM grows';
    for (let i = 0; i < 12; i++) await run(select);
    await run('ALTER TABLE grows ADD COLUMN extra text');
    for (let i = 0; i < 12; i++) expect(await run(select)).to.deep.equal([{ id: 1, extra: null }]);
    expect(await run('INSERT INTO grows (id) VALUES (2)')).to.deep.equal([{ id: 2, extra: null }]);
  });

  for (const [what, text] of [
    ['NUL', 'a\0b'],
    ['half a surrogate pair', 'a\ud800b'],
  ] as const) {
    it(`rejects ${what} in text, in arrays and in JSON`, async () => {
      expect((await catchFault(run('SELECT $1::text', [text]))).code).to.equal('QRY_BAD_VALUE');
      expect((await catchFault(run(`SELECT 'x' = ANY($1::text[])`, [[text]]))).code).to.equal('QRY_BAD_VALUE');
      expect((await catchFault(run('SELECT $1::jsonb', [{ text }]))).code).to.equal('QRY_BAD_VALUE');
    });
  }
}

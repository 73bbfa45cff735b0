/**
 * Rows as JSON text directly from the wire equal, byte for byte, JSON.stringify of the rows as objects: every type,
 * every shape, hostile texts, fragmented results, and errors in the middle.
 */
import { expect } from 'chai';
import { RawJson } from '../../../contract/raw-json.js';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';
import postgres from '../../../plugins/dialects/postgres/runtime.js';
import type { Dialect, Rendering } from '../../../plugins/dialects/kind.js';
import { createPostgresDatabase, startPostgres } from '../../support/postgres.js';
import { openDialect } from '../../contracts/dialect-open.js';
import { catchFault } from '../../contracts/dialect-support.js';
import type { OpenDialect } from '../../contracts/dialect-support.js';
import { skipTest } from '../../support/skip.js';
import { generateText, fc } from '../../support/properties.js';

const SHAPES = ['one', 'many', 'count'] as const;

/** One text in and one value out for each type that has a way of its own, and some that have not. */
const VALUES: readonly (readonly [string, readonly (string | null)[]])[] = [
  ['int2', ['0', '-1', '32767', null]],
  ['int4', ['0', '-2147483648', null]],
  ['int8', ['999999999999999', '-99999999999999', '-999999999999999', '9007199254740993', '9223372036854775807', '0']],
  ['float4', ['0.1', '-0', '1e20', '1e-20', 'NaN', 'Infinity', '16777216']],
  [
    'float8',
    ['0', '-0', '-0.5', '0.1', '1.25', '1e15', '123456789012345678', '1e-5', '1e300', 'NaN', '-Infinity', null],
  ],
  ['numeric', ['1.50', '0', '-0.0', '12345678901234567890', 'NaN']],
  ['bool', ['t', 'f', null]],
  [
    'text',
    ['', 'plain', 'quote " in', 'back \\ slash', 'line\nfeed\ttab\u0001', 'ümläut €', '😀', '\u2028\u007f', null],
  ],
  ['varchar(9)', ['short', null]],
  ['char(4)', ['ab']],
  ['uuid', ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11']],
  ['json', ['{"b": 1.0, "a": [1, 2]}', '"text"', 'null', '12345678901234567890']],
  ['jsonb', ['{"b": 1.0, "a": [1, null]}', '[]']],
  ['date', ['2026-01-02', 'infinity']],
  ['time', ['03:04:05.6']],
  ['timestamp', ['2026-01-02 03:04:05', '2026-01-02 03:04:05.6']],
  [
    'timestamptz',
    [
      '2026-01-02 03:04:05+00',
      '2026-01-02 03:04:05.6+02',
      '2026-01-02 03:04:05.678901+00',
      '0044-03-15 12:00:00+00 BC',
      '12026-01-02 03:04:05+00',
      'infinity',
      null,
    ],
  ],
  ['text[]', ['{a,"b c",NULL}']],
  ['int8[]', ['{1,9007199254740993}']],
  ['bytea', ['\\xdeadbeef']],
];

describe('dialect postgres, results as text', () => {
  let made: OpenDialect | undefined;
  const handle = (): Dialect => {
    if (!made) throw new Error('not open');
    return made.handle;
  };

  before(async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    made = await openDialect(postgres, { url: await createPostgresDatabase() });
  });
  after(() => made?.close());

  async function render(sql: string, values: readonly unknown[], rendering: Rendering): Promise<string> {
    const prepared = handle().prepare({ scan: scanSql(sql), jsonColumns: [] });
    const rendered = await handle().render?.(prepared, values, rendering);
    if (!(rendered instanceof RawJson)) throw new Error('not held');
    return Buffer.from(rendered.json).toString('utf8');
  }

  /** The reference: rows as objects, names selected, shaped, serialized. */
  async function expected(sql: string, values: readonly unknown[], { names, shape }: Rendering): Promise<string> {
    const rows = await handle().run(handle().prepare({ scan: scanSql(sql), jsonColumns: [] }), values, null);
    const kept = rows.map((row) =>
      names === null
        ? row
        : Object.fromEntries(names.filter((name) => Object.hasOwn(row, name)).map((name) => [name, row[name]])),
    );
    return JSON.stringify(shape === 'many' || (shape === 'count' && kept.length > 1) ? kept : (kept[0] ?? null));
  }

  async function expectSame(
    sql: string,
    values: readonly unknown[] = [],
    names: Rendering['names'] = null,
  ): Promise<void> {
    for (const shape of SHAPES) {
      const rendering = { names, shape, hide: null };
      expect(await render(sql, values, rendering), `${sql} as ${shape}`).to.equal(
        await expected(sql, values, rendering),
      );
    }
  }

  for (const [type, texts] of VALUES) {
    it(`serializes ${type}`, async () => {
      await expectSame(`SELECT v::${type} AS v FROM unnest($1::text[]) AS v`, [texts]);
    });
  }

  for (const [what, sql, names] of [
    ['no row', 'SELECT 1 AS a WHERE false', null],
    ['one row', 'SELECT 1 AS a, NULL AS b', null],
    ['many rows', 'SELECT n AS a FROM generate_series(1, 3) AS n', null],
    ['names in another order', 'SELECT 1 AS a, 2 AS b, 3 AS c', ['c', 'a']],
    ['unknown names', 'SELECT 1 AS a, 2 AS b', ['x', 'b', 'y']],
    ['none of the names', 'SELECT 1 AS a', ['x']],
    ['a name twice', 'SELECT 1 AS a', ['a', 'a']],
    ['a column twice', 'SELECT 1 AS a, 2 AS b, 3 AS a', null],
    ['a column twice, with names selected', 'SELECT 1 AS a, 2 AS a', ['a']],
    ['names that objects would sort', 'SELECT 1 AS b, 2 AS "10", 3 AS "9"', null],
    ['odd names', 'SELECT 1 AS "a b", 2 AS "ü", 3 AS "?column?"', null],
    ['no column', 'SELECT FROM generate_series(1, 2)', null],
    ['a statement without rows', 'SET LOCAL lock_timeout = 0', null],
  ] as const) {
    it(`returns ${what} in every shape`, () => expectSame(sql, [], names));
  }

  it('returns any text unchanged', async () => {
    const text = generateText({ maxLength: 60 }).filter((s) => !s.includes('\0'));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 5 }), async (texts) => {
        const sql = 'SELECT v FROM unnest($1::text[]) AS v';
        const rendering: Rendering = { names: null, shape: 'many', hide: null };
        expect(JSON.parse(await render(sql, [texts], rendering))).to.deep.equal(texts.map((v) => ({ v })));
      }),
      { numRuns: 100 },
    );
  });

  it('returns results that are larger than any packet, and small ones after them', async () => {
    const sql = `SELECT n, repeat(md5(n::text), $1::int) AS t FROM generate_series(1, 300) AS n`;
    await expectSame(sql, [3]);
    await expectSame(sql, [300]);
    await expectSame(`SELECT repeat('x', 3000000) AS t`);
    await expectSame('SELECT 1 AS a');
  });

  it('separates pipelined results, also after errors', async () => {
    // Some fail at their third row, when others have been sent.
    const sql = 'SELECT $1::int AS n, 10 / ($2::int - g) AS q FROM generate_series(1, $1::int) AS g';
    const rendering: Rendering = { names: ['n'], shape: 'many', hide: null };
    const answers = await Promise.allSettled(
      Array.from({ length: 200 }, (_, n) => render(sql, [n % 40, n % 5 === 0 ? 3 : 100], rendering)),
    );
    answers.forEach((answer, n) => {
      if (n % 5 === 0 && n % 40 > 2) expect(answer.status).to.equal('rejected');
      else {
        const rows = Array.from({ length: n % 40 }, () => ({ n: n % 40 }));
        expect(answer).to.deep.equal({ status: 'fulfilled', value: JSON.stringify(rows) });
      }
    });
  });

  it('follows a change of the columns', async () => {
    const run = (sql: string): Promise<unknown> =>
      handle().run(handle().prepare({ scan: scanSql(sql), jsonColumns: [] }), [], null);
    await run('CREATE TABLE changing (a int)');
    await run('INSERT INTO changing VALUES (1)');
    await expectSame('SELECT * FROM changing');
    await run(`ALTER TABLE changing ADD COLUMN b text DEFAULT 'x'`);
    await expectSame('SELECT * FROM changing');
    await run('ALTER TABLE changing ALTER COLUMN a TYPE text');
    await expectSame('SELECT * FROM changing');
  });

  it('rejects like run', async () => {
    const rendering: Rendering = { names: null, shape: 'one', hide: null };
    expect((await catchFault(render('SELECT $1::int AS n', ['x'], rendering))).code).to.equal('QRY_BAD_VALUE');
    expect((await catchFault(render('SELECT * FROM nowhere', [], rendering))).code).to.equal('QRY_FAILED');
  });
});

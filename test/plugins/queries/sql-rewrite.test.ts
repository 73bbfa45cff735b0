/** Statements with timestamps: what is added to which text, and what is unchanged. */
import { expect } from 'chai';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';
import { TIMESTAMPS } from '../../../contract/model.js';
import { rewriteSql, type SqlRewrite } from '../../../plugins/queries/sql/text/rewrite.js';
import { fc } from '../../support/properties.js';

const stamped = (sql: string): SqlRewrite => rewriteSql(scanSql(sql), { timestamps: true, softDelete: false });
const softly = (sql: string, timestamps = false): SqlRewrite =>
  rewriteSql(scanSql(sql), { timestamps, softDelete: true });

describe('SQL rewriting', () => {
  describe('timestamps of an INSERT', () => {
    const T = '::timestamptz';
    const cases: readonly (readonly [string, string])[] = [
      ['INSERT INTO t (a) VALUES ($1)', `INSERT INTO t (a, created_at, updated_at) VALUES ($1, $2${T}, $2${T})`],
      [
        'INSERT INTO t (a, created_at) VALUES ($1, $2)',
        `INSERT INTO t (a, created_at, updated_at) VALUES ($1, $2, $3${T})`,
      ],
      [
        'insert into t ("updated_at", a) values ($1, f($2, (3)))',
        `insert into t ("updated_at", a, created_at) values ($1, f($2, (3)), $3${T})`,
      ],
      [
        'INSERT INTO s.t AS x (a, b) VALUES (1, 2), (3, (4))  RETURNING a; -- end',
        `INSERT INTO s.t AS x (a, b, created_at, updated_at) VALUES (1, 2, $1${T}, $1${T}), (3, (4), $1${T}, $1${T})  RETURNING a; -- end`,
      ],
      [
        'INSERT INTO t (a) OVERRIDING SYSTEM VALUE VALUES (1)',
        `INSERT INTO t (a, created_at, updated_at) OVERRIDING SYSTEM VALUE VALUES (1, $1${T}, $1${T})`,
      ],
      [
        "INSERT INTO t (a -- , created_at\n) VALUES ('created_at, updated_at)' /* ) */)",
        `INSERT INTO t (a -- , created_at\n, created_at, updated_at) VALUES ('created_at, updated_at)' /* ) */, $1${T}, $1${T})`,
      ],
      [
        'INSERT INTO t (a) SELECT x FROM y WHERE z = $1',
        `INSERT INTO t (a, created_at, updated_at) SELECT x, $2${T}, $2${T} FROM y WHERE z = $1`,
      ],
      [
        'INSERT INTO t (a) SELECT DISTINCT ON (k) x IS DISTINCT FROM 1 AS from, (SELECT 1 FROM q) FROM y',
        `INSERT INTO t (a, created_at, updated_at) SELECT DISTINCT ON (k) x IS DISTINCT FROM 1 AS from, (SELECT 1 FROM q), $1${T}, $1${T} FROM y`,
      ],
      [
        'INSERT INTO t (a) SELECT 1 ON CONFLICT DO NOTHING',
        `INSERT INTO t (a, created_at, updated_at) SELECT 1, $1${T}, $1${T} ON CONFLICT DO NOTHING`,
      ],
      [
        'INSERT INTO t (a) (SELECT 1 UNION ALL SELECT 2) UNION VALUES (3), (4)',
        `INSERT INTO t (a, created_at, updated_at) (SELECT 1, $1${T}, $1${T} UNION ALL SELECT 2, $1${T}, $1${T}) UNION VALUES (3, $1${T}, $1${T}), (4, $1${T}, $1${T})`,
      ],
      [
        'INSERT INTO t (a) WITH x AS (SELECT 1 AS n) SELECT n FROM x',
        `INSERT INTO t (a, created_at, updated_at) WITH x AS (SELECT 1 AS n) SELECT n, $1${T}, $1${T} FROM x`,
      ],
      [
        'INSERT INTO t (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET a = excluded.a WHERE t.b RETURNING *',
        `INSERT INTO t (a, created_at, updated_at) VALUES ($1, $2${T}, $2${T}) ON CONFLICT (a) DO UPDATE SET updated_at = $2${T}, a = excluded.a WHERE t.b RETURNING *`,
      ],
      [
        'INSERT INTO t (created_at, updated_at) VALUES ($1, $1) ON CONFLICT (a) DO UPDATE SET b = 1',
        `INSERT INTO t (created_at, updated_at) VALUES ($1, $1) ON CONFLICT (a) DO UPDATE SET updated_at = $2${T}, b = 1`,
      ],
      [
        'INSERT INTO t (a) SELECT x.from, 1 AS where FROM y',
        `INSERT INTO t (a, created_at, updated_at) SELECT x.from, 1 AS where, $1${T}, $1${T} FROM y`,
      ],
      [
        'INSERT INTO t (a) SELECT 1 EXCEPT DISTINCT SELECT 2 INTERSECT SELECT 3',
        `INSERT INTO t (a, created_at, updated_at) SELECT 1, $1${T}, $1${T} EXCEPT DISTINCT SELECT 2, $1${T}, $1${T} INTERSECT SELECT 3, $1${T}, $1${T}`,
      ],
      ['INSERT INTO t DEFAULT VALUES', `INSERT INTO t (created_at, updated_at) VALUES ($1${T}, $1${T})`],
      [
        'WITH x AS (INSERT INTO q (a) VALUES (1) RETURNING a) INSERT INTO t (a) SELECT a FROM x',
        `WITH x AS (INSERT INTO q (a) VALUES (1) RETURNING a) INSERT INTO t (a, created_at, updated_at) SELECT a, $1${T}, $1${T} FROM x`,
      ],
    ];
    for (const [sql, expected] of cases) it(sql, () => expect(stamped(sql).scan.text).to.equal(expected));

    it('adds the next placeholder number, in any order of the others', () => {
      const { now, scan, columns } = stamped('INSERT INTO t (a, b, c) VALUES ($3, $1, $1)');
      expect(now).to.equal(4);
      expect(columns).to.deep.equal(['created_at', 'updated_at']);
      expect(scan.placeholders.filter(({ n }) => n === 4).map(({ column }) => column)).to.deep.equal([
        'created_at',
        'updated_at',
      ]);
    });

    it('reports what it cannot extend', () => {
      expect(stamped('INSERT INTO t VALUES (1)').fault).to.equal('no-columns');
      expect(stamped('INSERT INTO t SELECT 1').fault).to.equal('no-columns');
      expect(stamped('INSERT INTO t (SELECT 1)').fault).to.equal('no-columns');
      for (const query of ['(SELECT 1)', 'TABLE x', 'VALUES (1)', 'WITH x AS (SELECT 1) TABLE x'])
        expect(stamped(`INSERT INTO t (${query})`).fault, query).to.equal('no-columns');
      const { fault, scan, now, columns } = stamped('INSERT INTO t (a) TABLE x');
      expect([fault, scan.text, now, columns]).to.deep.equal(['source', 'INSERT INTO t (a) TABLE x', null, []]);
      expect(stamped('INSERT INTO t (a) VALUES (1)').fault).to.equal(null);
    });

    it('applies to an UPDATE and an INSERT', () => {
      for (const sql of ['UPDATE t SET a = 1', 'UPDATE t SET updated_at = 1', 'INSERT INTO t (a) VALUES (1)'])
        expect(stamped(sql).timestampsUsed, sql).to.equal(true);
    });

    it('leaves a written column unchanged', () => {
      const sql = 'INSERT INTO t (created_at, updated_at) VALUES ($1, $1)';
      const { scan, now, timestampsUsed } = stamped(sql);
      expect([scan.text, now, timestampsUsed]).to.deep.equal([sql, null, true]);
    });
  });

  describe('timestamps of an UPDATE', () => {
    const N = (n: number): string => `updated_at = $${n}::timestamptz`;
    const cases: readonly (readonly [string, string])[] = [
      ['UPDATE t SET a = $1 WHERE id = $2', `UPDATE t SET ${N(3)}, a = $1 WHERE id = $2`],
      ['UPDATE ONLY s.t AS x SET (a, b) = ($1, 2)', `UPDATE ONLY s.t AS x SET ${N(2)}, (a, b) = ($1, 2)`],
      ['UPDATE t SET (a, updated_at) = (1, $1)', 'UPDATE t SET (a, updated_at) = (1, $1)'],
      ['UPDATE t SET updated_at = now(), a = 1', 'UPDATE t SET updated_at = now(), a = 1'],
      ['UPDATE t SET "updated_at" = now()', 'UPDATE t SET "updated_at" = now()'],
      ['UPDATE t SET a = 1, updated_at = now()', 'UPDATE t SET a = 1, updated_at = now()'],
      ['UPDATE t SET a = updated_at', `UPDATE t SET ${N(1)}, a = updated_at`],
      [
        'UPDATE t SET a = (SELECT 1 FROM q WHERE updated_at = $1)',
        `UPDATE t SET ${N(2)}, a = (SELECT 1 FROM q WHERE updated_at = $1)`,
      ],
      ["UPDATE t /* SET */ SET -- SET\n a = ' SET '", `UPDATE t /* SET */ SET ${N(1)}, -- SET\n a = ' SET '`],
      [
        'WITH x AS (UPDATE q SET a = 1 RETURNING a) UPDATE t SET b = 2 FROM x',
        `WITH x AS (UPDATE q SET a = 1 RETURNING a) UPDATE t SET ${N(1)}, b = 2 FROM x`,
      ],
    ];
    for (const [sql, expected] of cases) it(sql, () => expect(stamped(sql).scan.text).to.equal(expected));
  });

  it('returns the columns that it adds to, of those with a time', () => {
    expect(stamped('UPDATE t SET a = 1').columns).to.deep.equal(['updated_at']);
    expect(TIMESTAMPS).to.deep.equal(['created_at', 'updated_at', 'deleted_at']);
  });

  it('leaves other statements unchanged, and reports that the option has no effect', () => {
    for (const sql of [
      'SELECT 1',
      'DELETE FROM t',
      'WITH x AS (INSERT INTO t (a) VALUES (1) RETURNING a) SELECT a FROM x',
      'MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN UPDATE SET b = 1',
      '',
      'SELECT 1; UPDATE t SET a = 1',
    ]) {
      const { scan, timestampsUsed, now } = stamped(sql);
      expect([scan.text, timestampsUsed, now], sql).to.deep.equal([sql, false, null]);
    }
  });

  describe('soft deletion', () => {
    const D = 'SET deleted_at = ';
    const cases: readonly (readonly [string, string])[] = [
      ['DELETE FROM t WHERE id = $1', `UPDATE t ${D}$2::timestamptz WHERE id = $1`],
      ['DELETE FROM  t', `UPDATE   t ${D}$1::timestamptz`],
      ['DELETE FROM/**/t', `UPDATE /**/t ${D}$1::timestamptz`],
      ['DELETE FROM t', `UPDATE t ${D}$1::timestamptz`],
      ['delete from only s."T" as x ;', `UPDATE only s."T" as x ${D}$1::timestamptz ;`],
      [
        'DELETE FROM t x USING a, b WHERE x.id = a.id RETURNING x.*',
        `UPDATE t x ${D}$1::timestamptz FROM a, b WHERE x.id = a.id RETURNING x.*`,
      ],
      ['DELETE /* all */ FROM t RETURNING id', `UPDATE /* all */ t ${D}$1::timestamptz RETURNING id`],
      [
        'WITH x AS (SELECT 1 AS id) DELETE FROM t WHERE id IN (SELECT id FROM x)',
        `WITH x AS (SELECT 1 AS id) UPDATE t ${D}$1::timestamptz WHERE id IN (SELECT id FROM x)`,
      ],
    ];
    it('ends at the end of an enclosing bracket', () =>
      expect(softly('(DELETE FROM t)').scan.text).to.equal(`(UPDATE t ${D}$1::timestamptz)`));
    for (const [sql, expected] of cases) it(sql, () => expect(softly(sql).scan.text).to.equal(expected));

    it('also sets the timestamp of the change', () => {
      const { scan, columns } = softly('DELETE FROM t WHERE id = $1', true);
      expect(scan.text).to.equal(
        'UPDATE t SET deleted_at = $2::timestamptz, updated_at = $2::timestamptz WHERE id = $1',
      );
      expect(columns).to.deep.equal(['deleted_at', 'updated_at']);
    });

    it('has no effect on anything but a DELETE', () => {
      for (const sql of ['SELECT 1', 'UPDATE t SET a = 1', 'WITH x AS (DELETE FROM t RETURNING id) SELECT id FROM x']) {
        const { scan, softDeleteUsed } = softly(sql);
        expect([scan.text, softDeleteUsed], sql).to.deep.equal([sql, false]);
      }
    });
  });

  it('never throws, and adds only its placeholder to any text', () => {
    const word = fc.constantFrom(
      ...'INSERT INTO UPDATE SET DELETE FROM t a ( ) , = $1 VALUES SELECT WITH AS ON CONFLICT DO UNION . ; USING'.split(
        ' ',
      ),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 25 }), fc.boolean(), (words, softDelete) => {
        const scan = scanSql(words.join(' '));
        const { now, scan: after } = rewriteSql(scan, { timestamps: true, softDelete });
        if (now === null) expect(after).to.equal(scan);
        else expect(after.placeholders.filter(({ n }) => n !== now).length).to.equal(scan.placeholders.length);
      }),
      { numRuns: 2000 },
    );
  });

  it('returns the table that a statement writes to', () => {
    const targets: readonly (readonly [string, string | null])[] = [
      ['INSERT INTO s."T" (a) VALUES (1)', 'T'],
      ['UPDATE ONLY t SET a = 1', 't'],
      ['DELETE FROM t USING x', 't'],
      ['MERGE INTO t USING x ON true WHEN MATCHED THEN DELETE', 't'],
      ['WITH t AS (SELECT 1) INSERT INTO u SELECT 1 FROM t', 'u'],
      ['WITH t AS (INSERT INTO u SELECT 1) SELECT 1 FROM t', null],
      ['SELECT 1 FROM t', null],
      ['', null],
    ];
    for (const [sql, name] of targets) expect(scanSql(sql).target?.name ?? null, sql).to.equal(name);
  });
});

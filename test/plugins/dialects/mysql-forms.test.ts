/** Writes that return rows on MySQL and MariaDB: INSERT, ON CONFLICT, UPDATE, DELETE and their RETURNING. */
import { expect } from 'chai';
import { BootError } from '../../../contract/boot-error.js';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';
import type { ChangeSteps, InsertSteps } from '../../../plugins/dialects/mysql/forms.js';
import { prepareMysqlStatement } from '../../../plugins/dialects/mysql/prepare.js';

const prepare = (sql: string) => prepareMysqlStatement({ scan: scanSql(sql), jsonColumns: [] });
const collapseBlanks = (text: string): string => text.replace(/\s+/g, ' ').trim();
const prepareInsert = (sql: string): InsertSteps => prepare(sql).forms.mysql.steps as InsertSteps;
const prepareChange = (sql: string, flavour: 'mysql' | 'mariadb' = 'mysql') =>
  prepare(sql).forms[flavour].steps as ChangeSteps;

describe('INSERT on MySQL', () => {
  for (const [written, mysql, mariadb, select] of [
    [
      'INSERT INTO t (id) VALUES ($1) RETURNING id, a + 1',
      'INSERT INTO t (id) VALUES (?)',
      ' RETURNING id, a + 1 AS "?column?"',
      'SELECT id, a + 1 AS "?column?" FROM t',
    ],
    ['INSERT INTO t (id) VALUES ($1)', 'INSERT INTO t (id) VALUES (?)', ' RETURNING *', 'SELECT * FROM t'],
    ['INSERT INTO t DEFAULT VALUES RETURNING id', 'INSERT INTO t () VALUES ()', ' RETURNING id', 'SELECT id FROM t'],
    [
      'INSERT INTO t AS x (id) VALUES (1) RETURNING x.id',
      'INSERT INTO t (id) VALUES (1)',
      ' RETURNING t.id',
      'SELECT t.id FROM t',
    ],
    [
      'INSERT INTO t x (id) VALUES (1) RETURNING x.id, y.x',
      'INSERT INTO t (id) VALUES (1)',
      ' RETURNING t.id, y.x',
      'SELECT t.id, y.x FROM t',
    ],
    [
      'INSERT INTO s.t (id) VALUES (1) RETURNING id',
      'INSERT INTO s.t (id) VALUES (1)',
      ' RETURNING id',
      'SELECT id FROM s.t',
    ],
    [
      'WITH x AS (SELECT 1) INSERT INTO t (id) SELECT 1 FROM x RETURNING id',
      'WITH x AS (SELECT 1) INSERT INTO t (id) SELECT 1 FROM x',
      ' RETURNING id',
      'SELECT id FROM t',
    ],
  ] as const) {
    it(written, () => {
      const { forms } = prepare(written);
      expect(collapseBlanks(forms.mysql.main.text)).to.equal(mysql);
      expect(collapseBlanks(forms.mariadb.main.text)).to.equal(mysql + mariadb);
      expect(forms.mariadb.steps).to.equal(null);
      expect((forms.mysql.steps as InsertSteps).select.text).to.equal(select);
      expect((forms.mysql.steps as InsertSteps).hasReturning).to.equal(written.includes('RETURNING'));
    });
  }

  it('replaces the alias of a table of another schema everywhere', () => {
    const { mariadb } = prepare('INSERT INTO s.t AS x (id) VALUES (1) RETURNING x.id').forms;
    expect(collapseBlanks(mariadb.main.text)).to.equal('INSERT INTO s.t (id) VALUES (1) RETURNING s.t.id');
  });

  const INTO = 'INSERT INTO t (id, a) VALUES (1, 2) ';
  for (const [written, update, conflict] of [
    ['ON CONFLICT (id) DO NOTHING', '"id" = t."id"', ['id']],
    ['ON CONFLICT (id, "A") DO NOTHING', '"id" = t."id"', ['id', 'A']],
    ['ON CONFLICT DO NOTHING', '"id" = t."id"', null],
    ['ON CONFLICT ON CONSTRAINT k DO NOTHING', '"id" = t."id"', null],
    ['ON CONFLICT ON CONSTRAINT k DO UPDATE SET a = 3', 'a = 3', null],
    [
      'ON CONFLICT (id) DO UPDATE SET a = excluded.a + 1, b = EXCLUDED."B"',
      'a = VALUES(a) + 1, b = VALUES("B")',
      ['id'],
    ],
    ['ON CONFLICT (id) DO UPDATE SET a = (SELECT 1 FROM u WHERE x = 1)', 'a = (SELECT 1 FROM u WHERE x = 1)', ['id']],
    ['ON CONFLICT (id) DO UPDATE SET a = $1, excluded = 2', 'a = ?, excluded = 2', ['id']],
  ] as const) {
    it(written, () => {
      const { forms } = prepare(`${INTO}${written} RETURNING id`);
      expect(collapseBlanks(forms.mysql.main.text)).to.equal(`${INTO}ON DUPLICATE KEY UPDATE ${update}`);
      expect(forms.mariadb).to.deep.equal(forms.mysql);
      expect(forms.mysql.steps).to.include({ step: 'insert', table: 't', conflicting: true, hasReturning: true });
      expect((forms.mysql.steps as InsertSteps).conflict).to.deep.equal(conflict);
    });
  }
  it('replaces the alias of the table in DO UPDATE too', () => {
    const { main } = prepare(
      'INSERT INTO t AS x (id, a) VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET a = x.a + excluded.a',
    ).forms.mysql;
    expect(collapseBlanks(main.text)).to.equal(
      'INSERT INTO t (id, a) VALUES (1, 2) ON DUPLICATE KEY UPDATE a = t.a + VALUES(a)',
    );
  });

  it('recognizes the values that can be written twice', () => {
    const values = (list: string): (string | null)[] =>
      prepareInsert(`INSERT INTO t (id) VALUES ${list} RETURNING id`).rows.map(
        (row) => collapseBlanks(row.get('id')?.text ?? '') || null,
      );
    const steady = `(-1), ('x'), ($1::int), ($$y$$), (LOWER('A')), (UPPER('a')), (TRIM('a')), (COALESCE(1, 2)), (CAST('1' AS CHAR))`;
    expect(values(steady)).to.deep.equal([
      '-1',
      `'x'`,
      'CAST(? AS SIGNED)',
      `'y'`,
      `LOWER('A')`,
      `UPPER('a')`,
      `TRIM('a')`,
      'COALESCE(1, 2)',
      `CAST('1' AS CHAR)`,
    ]);
    expect(values(`(CAST(1 AS SIGNED)), (CAST(1 AS TEXT)), (CAST(1 AS BIGINT)), (CAST(1 AS INT))`)).to.not.include(
      null,
    );
    expect(values('(uuid()), (now()), (1 * 2), (a), (DEFAULT), (f(lower(1))), (xlower(1)), (lowerx(1))')).to.deep.equal(
      Array(8).fill(null),
    );
  });
  it('returns the values of each named column of each row', () => {
    const listInsertRows = (sql: string) =>
      prepareInsert(sql).rows.map((row) => Object.fromEntries([...row].map(([name, value]) => [name, value?.text])));
    expect(
      listInsertRows('INSERT INTO t (id, "B", c) VALUES ($1, 2, now()), (3, lower($2), 5) RETURNING id'),
    ).to.deep.equal([
      { id: '?', b: '2', c: undefined },
      { id: '3', b: 'lower(?)', c: '5' },
    ]);
    expect(listInsertRows('INSERT INTO t (id, b) SELECT $1, 2 FROM u WHERE c = 3 RETURNING id')).to.deep.equal([
      { id: '?', b: '2' },
    ]);
    expect(listInsertRows('INSERT INTO t VALUES (1) RETURNING id')).to.deep.equal([]);
    expect(listInsertRows('INSERT INTO t (id) TABLE u RETURNING id')).to.deep.equal([]);
  });
});

describe('UPDATE and DELETE on MySQL', () => {
  it('locks the rows of an UPDATE with RETURNING first', () => {
    expect(prepareChange('UPDATE t SET a = $1, "B" = 2 WHERE id = $2 RETURNING id, a + 1')).to.deep.equal({
      step: 'update',
      table: 't',
      alias: 't',
      found: { text: ' FROM t WHERE id = ? FOR UPDATE', order: [1], places: [40] },
      select: { text: 'SELECT id, a + 1 AS "?column?" FROM t', order: [], places: [] },
      change: { text: 'UPDATE t SET a = ?, "B" = 2', order: [0], places: [17] },
      sets: ['a', 'b'],
    });
  });
  it('reads the rows of a DELETE with RETURNING first, except on MariaDB', () => {
    expect(prepareChange('DELETE FROM t WHERE id = $1 RETURNING id')).to.deep.equal({
      step: 'delete',
      table: 't',
      alias: 't',
      found: { text: ' FROM t WHERE id = ? FOR UPDATE', order: [0], places: [25] },
      select: { text: 'SELECT id FROM t', order: [], places: [] },
      change: { text: 'DELETE FROM t', order: [], places: [] },
      sets: [],
    });
    const { mariadb } = prepare('DELETE FROM t WHERE id = $1 RETURNING id, 1').forms;
    expect([mariadb.main.text, mariadb.steps]).to.deep.equal([
      'DELETE FROM t WHERE id = ? RETURNING id, 1 AS "?column?"',
      null,
    ]);
  });
  for (const [sql, found, select, change, alias] of [
    ['UPDATE ONLY t SET a = 1 RETURNING *', ' FROM t FOR UPDATE', 'SELECT * FROM t', 'UPDATE t SET a = 1', 't'],
    [
      'UPDATE t AS x SET a = 1 WHERE x.id = 1 RETURNING x.id',
      ' FROM t AS x WHERE x.id = 1 FOR UPDATE',
      'SELECT x.id FROM t AS x',
      'UPDATE t AS x SET a = 1',
      'x',
    ],
    [
      'UPDATE t x SET a = (SELECT 1 FROM u WHERE 1) RETURNING x.id',
      ' FROM t x FOR UPDATE',
      'SELECT x.id FROM t x',
      'UPDATE t x SET a = (SELECT 1 FROM u WHERE 1)',
      'x',
    ],
    [
      'UPDATE s.t SET a = 1 WHERE b RETURNING id',
      ' FROM s.t WHERE b FOR UPDATE',
      'SELECT id FROM s.t',
      'UPDATE s.t SET a = 1',
      't',
    ],
    [
      'DELETE FROM ONLY t AS x WHERE x.id = 1 RETURNING x.id',
      ' FROM t AS x WHERE x.id = 1 FOR UPDATE',
      'SELECT x.id FROM t AS x',
      'DELETE FROM t',
      'x',
    ],
    ['DELETE FROM t x RETURNING x.id', ' FROM t x FOR UPDATE', 'SELECT x.id FROM t x', 'DELETE FROM t', 'x'],
    ['DELETE FROM s.t RETURNING id', ' FROM s.t FOR UPDATE', 'SELECT id FROM s.t', 'DELETE FROM s.t', 't'],
  ] as const) {
    it(sql, () => {
      const steps = prepareChange(sql);
      expect([
        collapseBlanks(steps.found.text),
        steps.select.text,
        collapseBlanks(steps.change.text),
        steps.alias,
        steps.table,
      ]).to.deep.equal([found.trim(), select, change, alias, 't']);
      const hasOwn = sql.startsWith('DELETE') && alias === 't';
      expect(prepare(sql).forms.mariadb.steps === null).to.equal(hasOwn);
    });
  }
  for (const sql of [
    'UPDATE t SET a = $1 WHERE id = $2',
    'DELETE FROM t WHERE id = $1',
    'WITH x AS (SELECT 1) UPDATE t SET a = 1',
  ]) {
    it(`${sql} is unchanged`, () => {
      const { mysql } = prepare(sql).forms;
      expect([mysql.main.text, mysql.steps]).to.deep.equal([sql.replace(/\$\d/g, '?'), null]);
    });
  }

  const FURTHER = 'a sub-query in WHERE';
  const INSIDE = ['a write inside WITH', 'an actionable of its own, in the same transaction'] as const;
  for (const [sql, what, instead] of [
    ['UPDATE t SET a = u.a FROM u WHERE u.id = t.id', 'UPDATE with further tables', FURTHER],
    ['DELETE FROM t USING u WHERE u.id = t.id', 'DELETE with further tables', FURTHER],
    ['WITH x AS (SELECT 1) UPDATE t SET a = 1 RETURNING id', 'WITH before a write that answers with rows', FURTHER],
    ['WITH x AS (SELECT 1) DELETE FROM t x RETURNING id', 'WITH before a write that answers with rows', FURTHER],
    ['DELETE FROM (SELECT 1)', 'a statement without a table', 'the name of a table'],
    ['UPDATE 1 SET a = 1', 'a statement without a table', 'the name of a table'],
    ['WITH w AS (INSERT INTO t (a) VALUES (1) RETURNING id) SELECT * FROM w', ...INSIDE],
    ['WITH w AS (UPDATE t SET a = 1 RETURNING id) SELECT * FROM w', ...INSIDE],
    ['WITH w AS (DELETE FROM t RETURNING id) SELECT * FROM w', ...INSIDE],
    [
      'INSERT INTO t (id) VALUES (1) ON CONFLICT (id) WHERE a DO NOTHING',
      'a condition of ON CONFLICT',
      'the columns of a unique key alone',
    ],
    [
      'INSERT INTO t (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET a = 2 WHERE t.a = 1',
      'DO UPDATE ... WHERE',
      'CASE in the SET list',
    ],
    [
      'INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING',
      'ON CONFLICT without columns',
      'ON CONFLICT (column) DO NOTHING',
    ],
  ] as const) {
    it(`rejects ${sql}`, () => {
      expect(() => prepare(sql))
        .to.throw(BootError)
        .with.property('params')
        .that.deep.equals({ what, instead });
    });
  }
});

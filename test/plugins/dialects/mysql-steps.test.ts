/**
 * Rows that MySQL does not return are read again: by which key, in which statements, and what a model or the database
 * excludes.
 */
import { expect } from 'chai';
import { BootError } from '../../../contract/boot-error.js';
import { Fault } from '../../../contract/fault.js';
import type { ModelColumn, ModelTable } from '../../../contract/model.js';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';
import type { MysqlCatalogue, MysqlCatalogueTable } from '../../../plugins/dialects/mysql/catalogue.js';
import type { StatementResult } from '../../../plugins/dialects/mysql/statement-result.js';
import type { MysqlConnection } from '../../../plugins/dialects/mysql/connection.js';
import { prepareMysqlStatement } from '../../../plugins/dialects/mysql/prepare.js';
import { runForm } from '../../../plugins/dialects/mysql/steps.js';
import type { Bind } from '../../../plugins/dialects/mysql/bind.js';
import { createModelColumn } from '../../support/model-tables.js';

const prepare = (sql: string, tables: ModelTable[] = []) =>
  prepareMysqlStatement({ scan: scanSql(sql), jsonColumns: [], tables });
const collapseBlanks = (text: string): string => text.replace(/\s+/g, ' ').trim();

describe('RETURNING that a model excludes', () => {
  const model = (columns: Partial<ModelColumn>[], uniques: string[][] = []): ModelTable => ({
    model: '_t',
    table: 't',
    stores: [],
    uniques,
    columns: columns.map((column) => createModelColumn('', { type: 'integer', ...column })),
  });
  const KEYED = model([{ name: 'id', primaryKey: true }, { name: 'a' }]);
  const MIXED = model([{ name: 'Id', primaryKey: true }, { name: 'a' }]);
  const COUNTED = model([{ name: 'id', primaryKey: true, autoIncrement: true }, { name: 'a' }]);
  const UNIQUE = model([{ name: 'a', unique: true }, { name: 'b' }]);
  const PAIR = model([{ name: 'a' }, { name: 'b' }], [['a', 'b']]);
  const BARE = model([{ name: 'a' }]);
  const LOST = 'RETURNING of t, whose rows cannot be found again,';
  for (const [sql, table, what] of [
    ['INSERT INTO t (id) VALUES (1) RETURNING id', KEYED, null],
    ['INSERT INTO t (a) VALUES (1) RETURNING id', KEYED, LOST],
    ['INSERT INTO t (a) VALUES (1)', KEYED, null],
    ['INSERT INTO t (a) VALUES (1) RETURNING id', COUNTED, null],
    ['INSERT INTO t (id, a) VALUES (uuid(), 1) RETURNING id', COUNTED, LOST],
    ['INSERT INTO t (a) VALUES (1) RETURNING a', UNIQUE, null],
    ['INSERT INTO t (a) VALUES (1), (now()) RETURNING a', UNIQUE, LOST],
    ['INSERT INTO t (b) VALUES (1) RETURNING a', UNIQUE, LOST],
    ['INSERT INTO t (a, b) VALUES (1, 2) RETURNING a', PAIR, null],
    ['INSERT INTO t (a) VALUES (1) RETURNING a', PAIR, LOST],
    ['INSERT INTO u (a) VALUES (1) RETURNING a', BARE, null],
    ['UPDATE t SET a = 1 RETURNING a', BARE, 'RETURNING of t, whose model has no key,'],
    ['UPDATE t SET a = 1 RETURNING a', KEYED, null],
    ['UPDATE t SET "ID" = 1 RETURNING a', KEYED, 'RETURNING of t in an UPDATE of its key "id"'],
    ['UPDATE t SET id = 1', KEYED, null],
    ['UPDATE t SET id = 1 RETURNING a', MIXED, 'RETURNING of t in an UPDATE of its key "Id"'],
    ['UPDATE t SET a = 1 RETURNING a', UNIQUE, null],
    ['DELETE FROM t RETURNING a', BARE, 'RETURNING of t, whose model has no key,'],
    ['DELETE FROM t RETURNING a', KEYED, null],
  ] as const) {
    it(`${sql}: ${what ?? 'is possible'}`, () => {
      const findRejection = (): unknown => prepare(sql, [table]).refusals.mysql?.params['what'] ?? null;
      if (what !== null && sql.startsWith('UPDATE'))
        expect(findRejection).to.throw(BootError).with.nested.property('params.what', what);
      else expect(findRejection()).to.equal(what);
    });
  }
  it('is rejected immediately if neither server supports it, and recorded if one does', () => {
    expect(prepare('DELETE FROM t RETURNING a', [BARE]).refusals.mariadb).to.equal(null);
    expect(() => prepare('INSERT INTO t (a) VALUES (1) ON CONFLICT (b) DO NOTHING RETURNING a', [KEYED])).to.throw(
      BootError,
    );
  });
});

describe('steps of a write on MySQL', () => {
  const KEYS: MysqlCatalogueTable['keys'] = [
    { name: 'PRIMARY', primary: true, columns: ['id'] },
    { name: 'u', primary: false, columns: ['a', 'B'] },
  ];
  const bind: Bind = ({ order }) => order.map((n) => `$${n + 1}`);

  async function run(
    sql: string,
    known: Partial<MysqlCatalogueTable>,
    answers: (Partial<StatementResult> | Error)[],
  ): Promise<string[]> {
    const sent: string[] = [];
    const wire: MysqlConnection = {
      flavour: 'mysql',
      stream: () => Promise.reject(new Error('not streamed')),
      runCommand: () => Promise.resolve(),
      readWarnings: () => Promise.resolve([]),
      run(text, values) {
        const shown = values.map((value) =>
          typeof value === 'object' && value !== null && 'value' in value ? String(value.value) : String(value),
        );
        sent.push([collapseBlanks(text), ...shown].join(' | '));
        const answer = answers.shift();
        if (answer instanceof Error) return Promise.reject(answer);
        return Promise.resolve({ rows: null, fields: [], insertId: '0', affected: 1, ...answer });
      },
    };
    const table: MysqlCatalogueTable = { columns: new Map(), auto: null, keys: [], ...known };
    const catalogue: MysqlCatalogue = new Map([['t', table]]);
    const rows = await runForm(wire, prepare(sql).forms.mysql, bind, catalogue);
    return rows.length > 0 ? [...sent, JSON.stringify(rows)] : sent;
  }
  const FIELDS = [{ name: 'id', orgTable: 't' }] as never;

  for (const [title, sql, known, answers, sent] of [
    [
      'find a row by its primary key',
      'INSERT INTO t (id, a) VALUES ($1, $2) RETURNING id',
      { keys: KEYS },
      [{}, { rows: [[5]], fields: FIELDS }],
      ['INSERT INTO t (id, a) VALUES (?, ?) | $1 | $2', 'SELECT id FROM t WHERE ("id" = ?) | $1', '[{"id":5}]'],
    ],
    [
      'find rows by another key',
      'INSERT INTO t (a, "B") VALUES ($1, 2), ($2, $3) RETURNING id + $4',
      { keys: KEYS },
      [],
      [
        'INSERT INTO t (a, "B") VALUES (?, 2), (?, ?) | $1 | $2 | $3',
        'SELECT id + ? AS "?column?" FROM t WHERE ("a" = ? AND "B" = 2) OR ("a" = ? AND "B" = ?) | $4 | $1 | $2 | $3',
      ],
    ],
    [
      'find rows by the number of the server',
      'INSERT INTO t (a) VALUES ($1), ($2) RETURNING id',
      { auto: 'id', keys: KEYS },
      [{ insertId: '9007199254740993', affected: 2 }],
      [
        'INSERT INTO t (a) VALUES (?), (?) | $1 | $2',
        'SELECT id FROM t WHERE "id" >= ? AND "id" < ? ORDER BY "id" | 9007199254740993 | 9007199254740995',
      ],
    ],
    [
      'read nothing if nothing was written',
      'INSERT INTO t (id) SELECT 1 FROM u RETURNING id',
      { keys: KEYS },
      [{ affected: 0 }],
      ['INSERT INTO t (id) SELECT 1 FROM u'],
    ],
    [
      'read nothing if there is no key and nothing is requested',
      'INSERT INTO t (a) VALUES (1)',
      {},
      [],
      ['INSERT INTO t (a) VALUES (1)'],
    ],
    [
      'find a row by the columns of its conflict',
      'INSERT INTO t (id, a, b) VALUES (1, 2, 3) ON CONFLICT (a, b) DO UPDATE SET b = 4 RETURNING id',
      { keys: KEYS },
      [],
      [
        'INSERT INTO t (id, a, b) VALUES (1, 2, 3) ON DUPLICATE KEY UPDATE b = 4',
        'SELECT id FROM t WHERE ("a" = 2 AND "b" = 3)',
      ],
    ],
    [
      'find a row by a key it names if the conflict names none',
      'INSERT INTO t (id, a) VALUES (1, 2) ON CONFLICT DO NOTHING RETURNING id',
      { auto: 'id', keys: KEYS },
      [],
      [
        'INSERT INTO t (id, a) VALUES (1, 2) ON DUPLICATE KEY UPDATE "id" = t."id"',
        'SELECT id FROM t WHERE ("id" = 1)',
      ],
    ],
    [
      'change each row and read it',
      'UPDATE t SET a = $1 WHERE b = $2 RETURNING id',
      { keys: KEYS },
      [{ rows: [[1], [2]] }, {}, { rows: [[1]], fields: FIELDS }, {}, { rows: [[2]], fields: FIELDS }],
      [
        'SELECT "t"."id" FROM t WHERE b = ? FOR UPDATE | $2',
        'UPDATE t SET a = ? WHERE "t"."id" = ? | $1 | 1',
        'SELECT id FROM t WHERE "t"."id" = ? | 1',
        'UPDATE t SET a = ? WHERE "t"."id" = ? | $1 | 2',
        'SELECT id FROM t WHERE "t"."id" = ? | 2',
        '[{"id":1},{"id":2}]',
      ],
    ],
    [
      'read each row and delete it',
      'DELETE FROM t x WHERE x.b = 1 RETURNING id',
      { keys: [KEYS[1]!] },
      [{ rows: [[1, 2]] }],
      [
        'SELECT "x"."a", "x"."B" FROM t x WHERE x.b = 1 FOR UPDATE',
        'SELECT id FROM t x WHERE "x"."a" = ? AND "x"."B" = ? | 1 | 2',
        'DELETE FROM t WHERE "a" = ? AND "B" = ? | 1 | 2',
      ],
    ],
    [
      'change nothing if nothing is found',
      'UPDATE t SET a = 1 RETURNING id',
      { keys: KEYS },
      [],
      ['SELECT "t"."id" FROM t FOR UPDATE'],
    ],
  ] as const) {
    it(title, async () => {
      expect(await run(sql, known, structuredClone([...answers]))).to.deep.equal(sent);
    });
  }

  it('run a statement unchanged if it needs no steps, and if the table is unknown', async () => {
    expect(await run('UPDATE t SET a = $1', {}, [])).to.deep.equal(['UPDATE t SET a = ? | $1']);
    expect(await run('INSERT INTO other (a) VALUES (1)', {}, [])).to.deep.equal(['INSERT INTO other (a) VALUES (1)']);
  });
  it('evaluate RETURNING for each row', async () => {
    const sent = await run('UPDATE t SET a = $1 RETURNING id + $2', { keys: KEYS }, [{ rows: [[7]] }]);
    expect(sent.at(-1)).to.equal('SELECT id + ? AS "?column?" FROM t WHERE "t"."id" = ? | $2 | 7');
  });
  for (const [sql, before] of [
    ['UPDATE t SET a = 1 RETURNING id', 0],
    ['DELETE FROM t RETURNING id', 1],
  ] as const) {
    it(`${sql} fails if the change of a row fails`, async () => {
      const answers = [{ rows: [[7]] }, ...Array<object>(before).fill({}), new Error('refused')];
      const failed: unknown = await run(sql, { keys: KEYS }, answers).catch((error: unknown) => error);
      expect(failed).to.have.property('message', 'refused');
    });
  }

  for (const [sql, known, message] of [
    ['INSERT INTO t VALUES (1) RETURNING id', { keys: KEYS }, 'rows of t cannot be found again: RETURNING needs a key'],
    [
      'UPDATE t SET id = 1 RETURNING id',
      { keys: [{ name: 'PRIMARY', primary: true, columns: ['Id'] }] },
      'an UPDATE of the key of t cannot answer with rows',
    ],

    ['INSERT INTO t (a) VALUES (1) RETURNING id', {}, 'rows of t cannot be found again: RETURNING needs a key'],
    [
      'INSERT INTO t (id, a) VALUES (NULL, 1) RETURNING id',
      { auto: 'ID', keys: KEYS },
      'rows of t cannot be found again: RETURNING needs a key',
    ],
    [
      'INSERT INTO t (a) VALUES (1) ON CONFLICT DO NOTHING RETURNING id',
      { auto: 'id', keys: KEYS },
      'rows of t cannot be found again: RETURNING needs a key',
    ],
    ['UPDATE t SET a = 1 RETURNING id', {}, 'rows of t cannot be found again: RETURNING needs a key'],
    ['UPDATE t SET "ID" = 1 RETURNING id', { keys: KEYS }, 'an UPDATE of the key of t cannot answer with rows'],
  ] as const) {
    it(`${sql} fails: ${message}`, async () => {
      const failed: unknown = await run(sql, known, []).catch((error: unknown) => error);
      expect(failed).to.be.instanceOf(Fault).with.property('code', 'QRY_FAILED');
      expect(((failed as Fault).cause as Error).message).to.equal(message);
    });
  }
});

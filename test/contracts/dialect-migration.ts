/** Contract of migrations: from models to tables by adding only. */
import { expect } from 'chai';
import type { Fault } from '../../contract/fault.js';
import { introspectPostgres } from '../../plugins/dialects/shared/introspect.js';
import type { DialectFlavour } from './dialect-flavour.js';
import type { OpenDialect, Run } from './dialect-support.js';
import { defineColumn, catchFault, id, defineTable } from './dialect-support.js';

export function migrationContract(run: Run, open: () => OpenDialect, { postgresql }: DialectFlavour): void {
  const users = defineTable(
    'm_users',
    id,
    defineColumn('email', 'text', { unique: true, maxLength: 20 }),
    defineColumn('age', 'integer', { nullable: true, index: true }),
    defineColumn('score', 'float', { nullable: true }),
    defineColumn('active', 'boolean', { nullable: true }),
    defineColumn('born', 'timestamp', { nullable: true }),
    defineColumn('tags', 'json', { nullable: true }),
  );

  it('creates tables with every type', async () => {
    const { statements } = await open().syncSchema([users]);
    expect(statements).to.have.length.greaterThan(0);
    const values = ['a@x', 1, 0.5, true, '2026-01-02T03:04:05Z', ['t']];
    const rows = await run(
      'INSERT INTO m_users (email, age, score, active, born, tags) VALUES ($1, $2, $3, $4, $5, $6)',
      values,
      [6],
    );
    expect(rows).to.deep.equal([
      { id: 1, email: 'a@x', age: 1, score: 0.5, active: true, born: '2026-01-02T03:04:05.000Z', tags: ['t'] },
    ]);
  });

  it('prints its plan, in text and statements, and changes nothing by that', async () => {
    const notes = defineTable('m_notes', id, defineColumn('text', 'text', { maxLength: 9, unique: true }));
    const first = await open().plan([notes]);
    expect(first.warnings).to.deep.equal([]);
    expect(first.steps.map(({ table: name, change, detail }) => `${name}: ${change} ${detail}`)).to.deep.equal([
      'm_notes: create table id integer, text text',
      'm_notes: add unique text',
      'm_notes: add check text: at most 9 characters',
    ]);
    expect(await open().plan([notes])).to.deep.equal(first);
    const { statements, progress } = await open().syncSchema([notes]);
    expect(first.steps.flatMap(({ sql }) => sql)).to.deep.equal(statements);
    expect(progress).to.deep.equal(
      first.steps.map(({ store, table: name, change, detail }, i) => `${i + 1}/3 ${store} ${name} ${change} ${detail}`),
    );
    const changed = defineTable(
      'm_notes',
      id,
      defineColumn('text', 'boolean'),
      defineColumn('at', 'timestamp', { nullable: true }),
    );
    const second = await open().plan([changed]);
    expect(second.steps.map(({ change, detail }) => [change, detail])).to.deep.equal([
      ['add column', 'at timestamp, optional'],
    ]);
    const drift = second.warnings.map(({ column: field, message }) => `${field ?? ''}: ${message}`);
    expect(drift).to.have.length(3);
    expect(drift[0]).to.match(/^text: column has type .* the model says boolean/);
    expect(drift[1]).to.match(/^text: the length check m_notes_text_length/);
    expect(drift[2]).to.match(/^text: unique in the table, and not in the model/);
    expect((await open().plan([])).steps).to.deep.equal([]);
  });

  it('finds nothing to do the second time', async () => {
    expect(await open().syncSchema([users])).to.deep.equal({ warnings: [], statements: [], progress: [] });
  });

  it('enforces unique columns, required columns and lengths, and names the field', async () => {
    const insert = (email: unknown): Promise<Fault> =>
      catchFault(run('INSERT INTO m_users (email) VALUES ($1)', [email]));
    for (const [email, code] of [
      ['a@x', 'QRY_UNIQUE'],
      [null, 'QRY_NOT_NULL'],
      ['x'.repeat(21), 'QRY_CHECK'],
    ]) {
      const fault = await insert(email);
      expect(fault.code).to.equal(code);
      expect(fault.options.issues?.[0]?.pointer).to.equal('/email');
    }
    // Characters are counted, not bytes.
    await run('INSERT INTO m_users (email) VALUES ($1)', ['ü'.repeat(20)]);
  });

  it('adds what is missing to a table with rows and keeps the rest', async () => {
    const more = defineTable(
      'm_users',
      ...users.columns,
      defineColumn('nick', 'text', { index: true }),
      defineColumn('code', 'text', { nullable: true, unique: true }),
    );
    const { warnings } = await open().syncSchema([more]);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.match(/required column/);
    expect(await run('SELECT nick, code FROM m_users WHERE id = 1')).to.deep.equal([{ nick: null, code: null }]);
    await run(`UPDATE m_users SET code = 'c' WHERE id = 1`);
    expect((await catchFault(run(`INSERT INTO m_users (email, code) VALUES ('b@x', 'c')`))).code).to.equal(
      'QRY_UNIQUE',
    );
    expect((await open().syncSchema([users])).statements, 'nothing is dropped').to.deep.equal([]);
  });

  it('warns about types that differ and changes nothing', async () => {
    const { warnings, statements } = await open().syncSchema([
      defineTable('m_users', id, defineColumn('email', 'boolean')),
    ]);
    expect(statements).to.deep.equal([]);
    expect(warnings.join()).to.match(/type (?:text|varchar\(21\)), the model says boolean/);
  });

  it('creates foreign keys in any order, also circular ones', async () => {
    const to = (name: string): { references: { table: string; column: string } } => ({
      references: { table: name, column: 'id' },
    });
    await open().syncSchema([
      defineTable('m_a', id, defineColumn('b_id', 'integer', { nullable: true, ...to('m_b') })),
      defineTable('m_b', id, defineColumn('a_id', 'integer', { nullable: true, ...to('m_a') })),
      defineTable('m_c', id, defineColumn('parent', 'integer', { nullable: true, ...to('m_c') })),
    ]);
    for (const [name, field] of [
      ['m_a', 'b_id'],
      ['m_b', 'a_id'],
      ['m_c', 'parent'],
    ]) {
      const fault = await catchFault(run(`INSERT INTO ${name} (${field}) VALUES (99)`));
      expect(fault.code).to.equal('QRY_FOREIGN_KEY');
      expect(fault.options.issues?.[0]?.pointer).to.equal(`/${field}`);
    }
  });

  it('works with two concurrent starts', async () => {
    const late = defineTable('m_late', id, defineColumn('name', 'text', { unique: true }));
    await Promise.all([open().syncSchema([late]), open().syncSchema([late]), open().syncSchema([late])]);
    expect(await run(`INSERT INTO m_late (name) VALUES ('x')`)).to.deep.equal([{ id: 1, name: 'x' }]);
  });

  it('accepts long and unusual names', async () => {
    const long = 'm_'.padEnd(50, 'long');
    const odd = defineTable(
      long,
      id,
      defineColumn('select', 'text', { unique: true, maxLength: 3 }),
      defineColumn('a "b', 'text'),
    );
    await open().syncSchema([odd]);
    expect((await open().syncSchema([odd])).statements).to.deep.equal([]);
  });

  it('creates unique combinations, full-text indexes and composite keys, once', async () => {
    const plain = defineTable(
      'm_many',
      defineColumn('a', 'text', { primaryKey: true }),
      defineColumn('b', 'integer', { primaryKey: true, index: true }),
      defineColumn('c', 'text', { search: true, index: true }),
      defineColumn('d', 'json', { nullable: true, search: true }),
    );
    const many = { ...plain, uniques: [['b', 'c'], ['a', 'b'], ['d']] };
    const { progress: made } = await open().syncSchema([many]);
    const count = (change: string): number => made.filter((one) => one.includes(` ${change} `)).length;
    // The key covers (a, b) and the pair begins with b: neither needs a separate index. MySQL has none for JSON.
    expect(['add unique', 'add index', 'add search index'].map(count)).to.deep.equal(
      postgresql ? [2, 1, 2] : [1, 1, 1],
    );
    const again = await open().syncSchema([many]);
    expect([again.statements, again.warnings.length]).to.deep.equal([[], postgresql ? 0 : 2]);
    await run(`INSERT INTO m_many (a, b, c) VALUES ('x', 1, 'running'), ('x', 2, 'running'), ('y', 1, 'still')`);
    for (const [values, pointers] of [
      [`'x', 1, 'other'`, ['/a', '/b']],
      [`'z', 2, 'running'`, ['/b', '/c']],
    ] as const) {
      const fault = await catchFault(run(`INSERT INTO m_many (a, b, c) VALUES (${values})`));
      expect([fault.code, ...(fault.options.issues ?? []).map(({ pointer }) => pointer)]).to.deep.equal([
        'QRY_UNIQUE',
        ...pointers,
      ]);
    }
    await run('CREATE TABLE m_later (a varchar(99), b varchar(99))');
    const later = {
      ...defineTable('m_later', defineColumn('a', 'text'), defineColumn('b', 'text', { search: true })),
      uniques: [['b', 'a']],
    };
    expect((await open().syncSchema([later])).statements).to.have.length(2);
    expect((await open().syncSchema([{ ...later, uniques: [['a', 'b']] }])).statements, 'in any order').to.deep.equal(
      [],
    );
  });

  it('names table and columns, and changes nothing, if rows conflict with a unique index', async () => {
    await run('CREATE TABLE m_dup (id int, name varchar(300))');
    await run(`INSERT INTO m_dup (id, name) VALUES (1, 'x'), (2, 'x')`);
    const wanted = defineTable(
      'm_dup',
      defineColumn('name', 'text', { unique: true }),
      defineColumn('extra', 'text', { nullable: true }),
    );
    const fault = await catchFault(open().syncSchema([wanted]));
    expect(fault.code).to.equal('QRY_DUPLICATES');
    expect(fault.params).to.deep.equal({ table: 'm_dup', columns: 'name' });
    const { cause } = fault.options;
    expect(JSON.stringify({ ...(cause as object), message: (cause as Error).message })).not.to.match(/=\(/);
    // MySQL cannot roll back earlier changes.
    const left = await run(`SELECT ${postgresql ? '*' : 'id, name'} FROM m_dup WHERE id = 1`);
    expect(left).to.deep.equal([{ id: 1, name: 'x' }]);
  });

  if (!postgresql) return;
  it('reads columns, indexes and constraints of the named tables in its schema, and of no others', async () => {
    for (const sql of [
      'CREATE TABLE k_other (id int PRIMARY KEY, a varchar(7) UNIQUE, mine int)',
      'CREATE SCHEMA k_away',
      'CREATE TABLE k_away.k_one (only_there text)',
      'CREATE TYPE k_composite AS (k_field int)',
      `CREATE TABLE k_one (gone int, n int NOT NULL DEFAULT 1, id bigint GENERATED ALWAYS AS IDENTITY,
        c varchar(20), d char(3), free varchar, money numeric(12, 2), r int REFERENCES k_other,
        CONSTRAINT k_pair UNIQUE (n, c), CONSTRAINT k_low CHECK (n < 9))`,
      'ALTER TABLE k_one DROP COLUMN gone',
      'CREATE INDEX k_plain ON k_one (c, n)',
      'CREATE UNIQUE INDEX k_more ON k_one (n) INCLUDE (d)',
      'CREATE INDEX k_part ON k_one (c) WHERE n > 1',
      'CREATE INDEX k_lower ON k_one (lower(c))',
      'CREATE VIEW k_view AS SELECT n FROM k_one',
      'CREATE SEQUENCE k_counter',
    ])
      await run(sql);
    const session = { query: (sql: string, values?: readonly unknown[]) => run(sql, values) };
    const known = await introspectPostgres(session, '{k_one,k_view,k_counter,k_composite,k_more}');
    expect([...known.keys()].sort()).to.deep.equal(['k_one', 'k_view']);
    expect(known.get('k_view')?.table).to.equal(false);
    const one = known.get('k_one');
    expect(one?.table).to.equal(true);
    const plain = {
      ...{ nullable: true, filled: false, length: null, collation: null },
      ...{ counted: false, generated: false, default: null, comment: null },
    };
    expect([...(one?.columns ?? [])]).to.deep.equal([
      ['n', { ...plain, type: 'int4', written: 'integer', nullable: false, filled: true, default: '1' }],
      ['id', { ...plain, type: 'int8', written: 'bigint', nullable: false, filled: true, counted: true }],
      ['c', { ...plain, type: 'varchar', written: 'character varying(20)', length: 20 }],
      ['d', { ...plain, type: 'bpchar', written: 'character(3)', length: 3 }],
      ['free', { ...plain, type: 'varchar', written: 'character varying' }],
      ['money', { ...plain, type: 'numeric', written: 'numeric(12,2)' }],
      ['r', { ...plain, type: 'int4', written: 'integer' }],
    ]);
    const other = { unique: false, primary: false, constraint: false };
    expect(one?.indexes).to.have.deep.members([
      { ...other, name: 'k_pair', unique: true, constraint: true, columns: ['n', 'c'] },
      { ...other, name: 'k_plain', columns: ['c', 'n'] },
      { ...other, name: 'k_more', unique: true, columns: ['n'] },
      { ...other, name: 'k_part', columns: [] },
      { ...other, name: 'k_lower', columns: [] },
    ]);
    expect(one?.constraints.filter(({ type }) => type !== 'other')).to.have.deep.members([
      { name: 'k_low', type: 'check', target: null, columns: ['n'], targetColumns: [], definition: 'CHECK ((n < 9))' },
      {
        ...{ name: 'k_one_r_fkey', type: 'foreign', target: 'k_other', columns: ['r'], targetColumns: ['id'] },
        definition: 'FOREIGN KEY (r) REFERENCES k_other(id)',
      },
    ]);
  });
}

/**
 * Schema drift on every SQL database: reported with the remedy, fixed only on request, and tables of ten thousand rows
 * that get a column, indexes and references.
 */
import { expect } from 'chai';
import type { ModelTable } from '../../../contract/model.js';
import { defineColumn, catchFault, id, defineTable } from '../../contracts/dialect-support.js';
import { STORES, type MigratedStore } from '../../contracts/migration-stores.js';
import { skipTest } from '../../support/skip.js';

const DIGITS =
  '(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)';
/** Ten thousand numbers, in SQL that every database accepts. */
const NUMBERS = `(SELECT a.d + 10 * b.d + 100 * c.d + 1000 * e.d AS n FROM ${DIGITS} a, ${DIGITS} b, ${DIGITS} c, ${DIGITS} e) numbers`;

for (const [name, open] of Object.entries(STORES)) {
  describe(`schema drift on ${name}`, function () {
    let store: MigratedStore;
    const words = async (tables: readonly ModelTable[], destroy = false): Promise<string[]> => {
      const { steps, warnings } = await store.plan(tables, destroy);
      return [
        ...steps.map(({ destructive, change, detail, loses }) =>
          [
            destructive ? '-' : '+',
            change,
            detail.replace(/ \(.*\)/, ''),
            ...(loses === null ? [] : [`: ${loses}`]),
          ].join(' '),
        ),
        ...warnings.map(({ column: field, message }) => `! ${field ?? ''}: ${message}`),
      ];
    };

    before(async function () {
      const opened = await open();
      if ('skip' in opened) skipTest(this, opened.skip);
      store = opened;
    });
    after(() => store?.close());

    it('reports columns that the model does not have, and fixes them only on request', async () => {
      await store.run(
        'CREATE TABLE d_all (id BIGINT PRIMARY KEY, must INT NOT NULL, may INT, code INT NOT NULL, opt INT NOT NULL, req INT, uni INT)',
      );
      await store.run('CREATE UNIQUE INDEX d_all_mine ON d_all (uni)');
      await store.run('INSERT INTO d_all VALUES (1, 2, 3, 4, 5, 6, 7), (2, 2, NULL, 4, 5, 6, 8)');
      const model = defineTable(
        'd_all',
        defineColumn('id', 'integer', { primaryKey: true }),
        defineColumn('code', 'text'),
        defineColumn('opt', 'integer', { nullable: true }),
        defineColumn('req', 'integer'),
        defineColumn('uni', 'integer', { nullable: true }),
      );
      const left = (await words([model])).join('\n');
      for (const reported of [
        /! code: column has type int\S*, the model says text; it is left as it is; `lintel migrate --destroy` changes the type/,
        /! opt: is optional in the model, and the table demands a value; .* allows NULL/,
        /! req: is required in the model, and the table allows NULL; .* forbids it/,
        /! uni: unique in the table, and not in the model; .* drops the index d_all_mine/,
        /! must: the model does not know this column, which demands a value: every INSERT fails; give it a default/,
        /! may: the model does not know this column; .* drops it/,
      ]) {
        expect(left).to.match(reported);
      }
      expect(left).not.to.match(/^[-+]/m);
      const atStart = await store.syncSchema([model]);
      expect(atStart.statements, 'nothing at a start').to.deep.equal([]);
      expect(atStart.warnings, 'and only what requests meet').to.have.length(4);

      const steps = await words([model], true);
      expect(steps.map((one) => one.replace(/(change type code: ).*/, '$1'))).to.deep.equal([
        '- drop unique uni',
        '- change type code: ',
        '- allow null opt',
        '- forbid null req',
        '- drop column must : 2 values',
        '- drop column may : 1 value',
      ]);
      const { progress } = await store.syncSchema([model], true);
      expect(progress).to.have.length(6);
      expect(await words([model], true)).to.deep.equal([]);
      expect(await words([model])).to.deep.equal([]);
      expect(await store.run('SELECT code FROM d_all WHERE id = 1')).to.deep.equal([{ code: '4' }]);
      await store.run(`INSERT INTO d_all (id, code, req, uni) VALUES (3, 'x', 1, 8)`);
    });

    it('reports columns whose values would have to change, and leaves them', async () => {
      const lax = name.startsWith('m') ? 'FLOAT' : 'REAL';
      await store.run(
        `CREATE TABLE d_near (id BIGINT PRIMARY KEY, price DECIMAL(10, 2), ratio ${lax}, day DATE, whole DECIMAL(20, 0))`,
      );
      const may = { nullable: true };
      const near = defineTable(
        'd_near',
        defineColumn('id', 'integer', { primaryKey: true }),
        defineColumn('price', 'float', may),
        defineColumn('ratio', 'float', may),
        defineColumn('day', 'timestamp', may),
        defineColumn('whole', 'integer', may),
      );
      const reported = 'which changes values to fit without an error; it is left as it is';
      const { warnings } = await store.syncSchema([near]);
      expect(
        warnings.filter((one) => one.includes(reported)),
        warnings.join('\n'),
      ).to.have.length(3);
      expect(await words([near], true), 'and nothing is offered').to.have.length(3);
      const exact = defineTable(
        'd_exact',
        id,
        defineColumn('price', 'float', may),
        defineColumn('at', 'timestamp', may),
      );
      await store.syncSchema([exact]);
      expect(await words([exact])).to.deep.equal([]);
    });

    it('reports and replaces different bounds and foreign keys', async () => {
      const to = (target: string): object => ({ references: { table: target, column: 'id' } });
      const before = [
        defineTable('d_one', id),
        defineTable('d_two', id),
        defineTable(
          'd_ref',
          id,
          defineColumn('at', 'integer', { nullable: true, ...to('d_one') }),
          defineColumn('t', 'text', { maxLength: 9 }),
        ),
      ];
      await store.syncSchema(before);
      const after = [
        ...before.slice(0, 2),
        defineTable(
          'd_ref',
          id,
          defineColumn('at', 'integer', { nullable: true, ...to('d_two') }),
          defineColumn('t', 'text', { maxLength: 30 }),
        ),
      ];
      const left = (await words(after)).join('\n');
      expect(left).to.match(/! at: foreign key refers to d_one, the model says d_two; .* replaces it/);
      expect(left).to.match(/! t: the length check d_ref_t_length holds another bound than max_length 30/);
      await store.syncSchema(after, true);
      expect(await words(after, true)).to.deep.equal([]);
      await store.run('INSERT INTO d_two (id) VALUES (50)');
      await store.run(`INSERT INTO d_ref (at, t) VALUES (50, '${'x'.repeat(30)}')`);
      expect(await hasFailed(store, `INSERT INTO d_ref (t) VALUES ('${'x'.repeat(31)}')`)).to.equal(true);
      const none = [
        ...before.slice(0, 2),
        defineTable('d_ref', id, defineColumn('at', 'integer', { nullable: true }), defineColumn('t', 'text')),
      ];
      await store.syncSchema(none, true);
      await store.run(`INSERT INTO d_ref (at, t) VALUES (99, '${'x'.repeat(2000)}')`);
      expect((await words(none, true)).filter((one) => !one.startsWith('!'))).to.deep.equal([]);
    });

    it('rolls back a change if a value does not fit the new type', async () => {
      await store.run('CREATE TABLE d_cast (id BIGINT PRIMARY KEY, n VARCHAR(20), more INT)');
      await store.run(`INSERT INTO d_cast VALUES (1, '12', 1), (2, 'twelve', 1)`);
      const model = defineTable(
        'd_cast',
        defineColumn('id', 'integer', { primaryKey: true }),
        defineColumn('n', 'integer', { nullable: true }),
      );
      expect((await words([model], true))[0]).to.match(/- change type n: .* of 2 values what bigint cannot hold/i);
      const fault = await catchFault(store.syncSchema([model], true));
      expect([fault.code, fault.params['table']]).to.deep.equal(['QRY_MIGRATION', 'd_cast']);
      expect(await store.run('SELECT n, more FROM d_cast WHERE id = 2')).to.deep.equal([{ n: 'twelve', more: 1 }]);
      await store.run(`UPDATE d_cast SET n = '13' WHERE id = 2`);
      await store.syncSchema([model], true);
      expect(await store.run('SELECT n FROM d_cast WHERE id = 2')).to.deep.equal([{ n: 13 }]);
      const odd = defineTable(
        'd_cast',
        defineColumn('id', 'integer', { primaryKey: true }),
        defineColumn('n', 'timestamp', { nullable: true }),
      );
      expect(await words([odd], true)).to.have.length(1);
      expect((await words([odd], true))[0]).to.match(/! n: .* no cast is certain/);
    });

    it('migrates a table of ten thousand rows, reporting each step, and names conflicting rows', async () => {
      await store.syncSchema([
        defineTable('d_kind', id),
        defineTable(
          'd_big',
          id,
          defineColumn('name', 'text', { maxLength: 40 }),
          defineColumn('body', 'text'),
          defineColumn('kind', 'integer'),
        ),
      ]);
      await store.run('INSERT INTO d_kind (id) VALUES (1)');
      await store.run(
        `INSERT INTO d_big (name, body, kind) SELECT concat('name ', n), concat('words of number ', n), 1 FROM ${NUMBERS}`,
      );
      const grown = (wordField: string): ModelTable[] => [
        defineTable('d_kind', id),
        defineTable(
          'd_big',
          id,
          defineColumn('name', 'text', { unique: wordField === 'name', maxLength: 40 }),
          defineColumn('body', 'text', { search: true }),
          defineColumn('kind', 'integer', {
            index: true,
            unique: wordField === 'kind',
            references: { table: 'd_kind', column: 'id' },
          }),
          defineColumn('added', 'integer'),
        ),
      ];
      const fault = await catchFault(store.syncSchema(grown('kind')));
      expect([fault.code, fault.params]).to.deep.equal(['QRY_DUPLICATES', { table: 'd_big', columns: 'kind' }]);
      const { progress } = await store.syncSchema(grown('name'));
      const of = progress.length;
      expect(progress.map((one) => one.split(' ')[0])).to.deep.equal(progress.map((_, i) => `${i + 1}/${of}`));
      expect(progress.join('\n'))
        .to.contain('add unique name')
        .and.contain('add search index body')
        .and.contain('add foreign key kind');
      expect(await words(grown('name'))).to.satisfy((left: string[]) =>
        left.every((one) => /^! (?:added: is required|body: column has collation)/.test(one)),
      );
      expect(await hasFailed(store, `INSERT INTO d_big (name, body, kind) VALUES ('name 77', '', 1)`)).to.equal(true);
      expect(await hasFailed(store, `INSERT INTO d_big (name, body, kind) VALUES ('fresh', '', 2)`)).to.equal(true);
    });
  });
}

async function hasFailed(store: MigratedStore, sql: string): Promise<boolean> {
  try {
    await store.run(sql);
    return false;
  } catch {
    return true;
  }
}

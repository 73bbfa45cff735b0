/** `lintel import`: models of a database that other programs made; on PostgreSQL, MariaDB and MySQL. */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { hostCli, runCli, type Finished } from '../support/cli.js';
import { createClient, type Loose } from '../support/client.js';
import { createImportedShop, type ShopDialect } from '../support/imported-shops.js';
import { createTempProject, type TempProject } from '../support/project.js';

const MODELS = [
  ...['_Stores', '_addresses', '_bookings', '_categories', '_coupons', '_customers', '_events', '_line_notes', '_logs'],
  ...['_order_lines', '_orders', '_payments', '_products', '_profiles'],
];

for (const dialect of ['postgres', 'mariadb', 'mysql'] as const satisfies readonly ShopDialect[]) {
  // Each test goes on with the files that the one before has left.
  describe(`lintel import, on ${dialect}`, function () {
    let project: TempProject;
    let env: Record<string, string> = {};
    before(async function () {
      env = await createImportedShop(this, dialect);
      project = await createTempProject({ 'lintel.config.json': {} });
    });
    after(() => project?.dispose());

    const run = (...words: string[]): Promise<Finished> => runCli(words, { cwd: project.folder, env });
    const readModel = (name: string): Promise<string> =>
      readFile(join(project.folder, 'definitions', 'models', `${name}.model.json`), 'utf8');

    // What the command does with files is the same everywhere.
    const isFirst = dialect === 'postgres';
    if (isFirst)
      it('prints models with --dry-run, and writes none', async () => {
        const { code, stdout, stderr } = await run('import', '--dry-run', '--tables', 'order_lines, categories');
        expect([code, stderr]).to.deep.equal([0, '']);
        expect(stdout).to.contain('definitions/models/_order_lines.model.json\n{\n  "table": "order_lines",\n');
        expect(stdout).to.contain('\n2 models to write, ').and.not.contain('customers_');
        expect(await readdir(project.folder)).to.deep.equal(['lintel.config.json']);
      });

    it('writes a model of each table, and lists what models cannot contain', async () => {
      const { code, stdout, stderr } = await run('import');
      expect([code, stderr]).to.deep.equal([0, '']);
      const files = await readdir(join(project.folder, 'definitions', 'models'));
      expect(files.sort()).to.deep.equal(MODELS.map((name) => `${name}.model.json`));
      for (const text of [
        'Order Items\n  ! no model: a name in definitions has letters, digits and "_" only\n',
        '  ! post code: no field: a name in definitions',
        'busy_customers\n  ! is no table (a view perhaps)',
        '  ! order_id, line: foreign key ',
        ' has ON DELETE CASCADE: the model does not say it\n',
        '  ! table: no field: "table" next to the fields of this model means something else\n',
        '  ! category_id, price: index products_both is of several columns',
        '! index products_title is of an expression, a prefix or a part of the rows',
        '  ! price: column has type ',
        '  ! is_main: has the default ',
        'logs\n',
        '  ! has no primary key\n',
      ])
        expect(stdout).to.contain(text);
      // Of another schema, in which there is a table of the same name.
      expect(stdout).to.match(/ {2}! customer: foreign key \S+ to \w+\.customers: a field refers/);
      expect(stdout).to.match(
        /\n {2}! during: no field: no field type holds \w+.*; it demands a value, so every INSERT/,
      );
    });

    it('copies types, keys, bounds, references and comments of the tables', async () => {
      const customers = await readModel('_customers');
      expect(customers)
        .to.match(/^\/\/ People who buy\.\n/)
        .and.contain('\n  // As on the invoice\n  "name": ');
      expect(customers).to.contain('"email": { "type": "String", "max_length": 120, "unique": true }');
      expect(await readModel('_addresses')).to.contain(
        '"id": { "type": "Number", "primary_key": true, "auto_increment": true }',
      );
      expect(await readModel('_orders'))
        .to.contain('"unique": [["customer_id", "number"]]')
        .and.contain('"foreign_key": { "of": "_customers", "key": "id" } }')
        .and.contain('"total": { "type": "Number" }');
      expect(await readModel('_order_lines'))
        .to.contain('"order_id": { "type": "Number", "primary_key": true, "foreign_key": ')
        .and.contain('"line": { "type": "Number", "primary_key": true }');
      expect(await readModel('_products'))
        .to.contain('"stock": { "type": "Number" }')
        .and.contain('"active": { "type": "Boolean" }')
        .and.contain('"price": { "type": "Float", "indexable": true }');
    });

    it('leaves nothing to migrate, and no error in a check with the database', async () => {
      const migrated = await run('migrate', '--check', '--format', 'json');
      expect([migrated.code, (JSON.parse(migrated.stdout) as { steps: unknown }).steps]).to.deep.equal([0, []]);
      if (!isFirst) return;
      const checked = await run('check', '--database');
      expect([checked.code, checked.stderr]).to.deep.equal([0, '']);
      expect(checked.stdout).to.contain('0 errors, 1 warning, 0 hints').and.contain('LNK_FIELD_CASE');
    });

    it('serves resources of imported tables', async () => {
      for (const model of ['categories', 'products', 'customers']) {
        const added = await run('add', 'crud', model);
        expect([added.code, added.stderr]).to.deep.equal([0, '']);
      }
      const checked = await run('check', '--database');
      expect([checked.code, checked.stderr], checked.stdout).to.deep.equal([0, '']);
      expect(checked.stdout).to.contain('0 errors, ');
      const served = hostCli(['serve'], { cwd: project.folder, env: { ...env, PORT: '0' } });
      const [, url = ''] = await served.waitForOutput(/ready at (http:\S+)/);
      try {
        const client = createClient(url);
        const call = async <T = Loose>(path: string, body: Loose, status = 200): Promise<T> => {
          const response = await client.post<T>(path, body);
          expect(response.status, `${path}: ${JSON.stringify(response.body)}`).to.equal(status);
          return response.body;
        };
        const { id: category_id } = await call('/categories/create', { title: 'tea' });
        const product = { category_id, stock: 3, active: true };
        for (const [id, price] of [
          [1, 2.5],
          [2, 1.5],
          [3, 2.5],
        ])
          await call('/products/create', { ...product, id, price, title: `tea ${id}` });
        await call('/products/create', { ...product, id: 3, price: 1, title: 'twice' }, 409);
        const list = async (body: Loose): Promise<unknown> =>
          (await call<Loose[]>('/products/list', body)).map(({ id }) => id);
        expect(await list({ limit: 2 })).to.deep.equal([1, 2]);
        expect(await list({ limit: 2, after_id: 2 })).to.deep.equal([3]);
        expect(await list({ limit: 2, sort: '-price' })).to.deep.equal([1, 3]);
        expect(await list({ limit: 9, sort: '-price', after_price: 2.5, after_id: 1 })).to.deep.equal([3, 2]);
        expect(await list({ limit: 9, title: 'tea 2' })).to.deep.equal([2]);
        expect(await list({ limit: 9, active: false })).to.deep.equal([]);
        expect(await call('/products/update', { id: 2, stock: 9, active: false })).to.deep.include({
          ...{ stock: 9, price: 1.5, title: 'tea 2', active: false },
        });
        expect(await call('/products/delete', { id: 2 })).to.deep.equal({ id: 2 });
        await call('/products/read', { id: 2 }, 404);
        // Without a default, a JSON column of MySQL does not say that it has lists.
        const [first, second] = isFirst ? [['a'], ['b']] : [{ a: 1 }, { b: 1 }];
        const ada = {
          email: 'ada@example.com',
          name: 'Ada',
          state: 'busy',
          settings: { theme: 'dark' },
          labels: first,
        };
        const { id, created_at } = await call('/customers/create', ada);
        expect(await call('/customers/read', { id })).to.deep.include({ ...ada, id, created_at });
        expect(await call('/customers/list', { limit: 5, state: 'busy', sort: '-created_at' })).to.have.length(1);
        const behind = { limit: 5, sort: 'created_at', after_created_at: created_at, after_id: id };
        expect(await call('/customers/list', behind)).to.deep.equal([]);
        await call('/customers/update', { id, name: 'Ada L.', labels: second });
        await call('/customers/delete', { id });
        await call('/customers/read', { id }, 404);
      } finally {
        await served.stop();
      }
      if (!isFirst) return;
      const tested = await run('test');
      expect([tested.code, tested.stderr], tested.stdout).to.deep.equal([0, '']);
    });

    if (!isFirst) return;
    it('compares in a second run, and overwrites nothing without --force', async () => {
      const file = join(project.folder, 'definitions', 'models', '_customers.model.json');
      const before = await readModel('_customers');
      const changed = before.replace('"max_length": 80', '"max_length": 70').replace('{\n', '{\n  // Mine\n');
      await writeFile(file, changed);
      const again = await run('import');
      expect([again.code, again.stderr]).to.deep.equal([0, '']);
      expect(again.stdout).to.contain('14 models compared with the database:\n').and.contain('\n0 models written, ');
      expect(again.stdout).to.match(/customers \(main\)\n.*\+ add check +name: at most 70 characters\n/s);
      expect(await readModel('_customers')).to.equal(changed);
      const forced = await run('import', '--tables', 'customers', '--force');
      expect(forced.stdout).to.match(/^wrote definitions\/models\/_customers\.model\.json\n/);
      expect(await readModel('_customers')).to.equal(before);
    });

    it('rejects an unknown table, and an address of another database', async () => {
      const unknown = await run('import', '--tables', 'costumers');
      expect([unknown.code, unknown.stderr]).to.deep.equal([
        2,
        'The database has no table "costumers" that a model can have. Did you mean "customers"?\n',
      ]);
      expect((await run('import', '--tables', 'busy_customers')).stderr).to.contain('(is no table (a view perhaps)');
      expect((await run('import', '--url', 'sqlite://x')).code).to.equal(2);
      expect((await run('import', '--connection', 'other')).stderr).to.equal('The config has no connection "other".\n');
    });
  });
}

describe('lintel import, without a server', () => {
  it('names a missing variable, and reports an unreachable address', async () => {
    const project = await createTempProject({ 'lintel.config.json': {} });
    try {
      const embedded = await runCli(['import'], { cwd: project.folder });
      expect([embedded.code, embedded.stderr]).to.match(/^1,.*has no server; set DATABASE_URL or MYSQL_URL/s);
      const env = { OLD: 'postgres://postgres:secret@127.0.0.1:1/none' };
      const away = await runCli(['import', '--url', '$ENV.OLD'], { cwd: project.folder, env });
      expect(away.code).to.equal(1);
      expect(away.stderr)
        .to.match(/dialect:postgres.* read its tables/)
        .and.not.contain('secret');
      expect(await readdir(project.folder)).to.not.include('definitions');
    } finally {
      await project.dispose();
    }
  });
});

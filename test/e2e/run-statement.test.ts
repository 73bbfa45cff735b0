/** Statements of an editor on the databases of a kernel: rows, plans, nothing kept, writes after a confirmation, the token. */
import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { request as openRequest } from 'node:http';
import { join } from 'node:path';
import { listenForEditors, type EditorListener } from '../../cli/editor-listener.js';
import { createRequestReports } from '../../cli/request-reports.js';
import { hostCli } from '../support/cli.js';
import { describeOnEach, SQL } from '../support/databases.js';
import { createTempProject } from '../support/project.js';
import { waitUntil } from '../support/until.js';

const MODEL = {
  id: { type: 'Number', primary_key: true },
  owner: { type: 'String', unique: true },
  pin: { type: 'String', optional: true, secret: true },
};
const FILES = {
  'definitions/_line.model.json': { number: { type: 'Number', primary_key: true, auto_increment: true } },
  'definitions/_account.model.json': MODEL,
  'definitions/fill.json': {
    ...{ id: 'fill', resource: 'fill', returnables: ['id'] },
    actionables: [
      {
        ...{ id: 1, mode: 'QUERY', result: 'many' },
        sql_query: {
          query:
            "INSERT INTO _account (id, owner, pin) SELECT n, 'o' || n, 'secret' FROM generate_series(1, 300) n RETURNING id",
        },
      },
    ],
  },
};

interface Address {
  readonly port: number;
  readonly token: string;
}

interface Answer {
  readonly status: number;
  readonly rows?: readonly Readonly<Record<string, unknown>>[];
  readonly hasMore?: boolean;
  readonly message?: string;
  readonly needsConfirmation?: boolean;
}

const post = ({ port, token }: Address, statement: unknown, method = 'POST'): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const sent = openRequest({ host: '127.0.0.1', port, method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, ...(JSON.parse(text) as object) }));
    });
    sent.on('error', reject);
    sent.end(typeof statement === 'string' ? statement : JSON.stringify(statement));
  });

const readAddress = async (folder: string): Promise<Address> =>
  JSON.parse(await readFile(join(folder, '.lintel/dev.json'), 'utf8')) as Address;

const ON = SQL.filter(({ name }) => name === 'pglite' || name === 'postgres');

describeOnEach('statements of an editor', ON, { files: FILES }, (running) => {
  let listener: EditorListener;
  let address: Address;
  before(async () => {
    const started = running();
    listener = await listenForEditors(started.kernel, createRequestReports());
    address = await readAddress(started.project.folder);
    expect((await started.post('/fill', {})).status).to.equal(200);
  });
  after(() => listener.close());

  const run = (sql: string, parameters: readonly unknown[] = [], more: object = {}): Promise<Answer> =>
    post(address, { sql, parameters, ...more });
  const count = async (): Promise<unknown> => (await run('SELECT count(*)::int AS n FROM _account')).rows?.[0]?.['n'];

  it('return rows with bound values, without secrets, up to a limit', async () => {
    const found = await run(
      'SELECT id, owner, pin FROM _account WHERE id = ANY($1) AND owner <> $2 ORDER BY id DESC; ',
      [[1, 2, 3], 'o2'],
    );
    expect(found.rows).to.deep.equal([
      { id: 3, owner: 'o3', pin: '‹secret›' },
      { id: 1, owner: 'o1', pin: '‹secret›' },
    ]);
    expect(found.hasMore).to.equal(false);
    const parts = await run(
      'SELECT substring(pin, 2), p || 1 AS q, length(pin) AS n FROM (SELECT pin, pin AS p FROM _account) a',
    );
    expect(parts.rows?.[0]).to.deep.equal({ substring: '‹secret›', q: '‹secret›', n: 6 });
    const many = await run('SELECT id FROM _account ORDER BY id -- all');
    expect(many.rows?.length).to.equal(200);
    expect(many.hasMore).to.equal(true);
    expect((await run('VALUES (1), (2)')).rows?.length).to.equal(2);
    expect((await run('WITH w AS (SELECT 1 AS a) SELECT a FROM w')).rows).to.deep.equal([{ a: 1 }]);
  });

  it('are rejected without a confirmation if they write, and rolled back with one', async () => {
    for (const sql of [
      'UPDATE _account SET owner = owner || $1',
      'DELETE FROM _account WHERE owner <> $1 RETURNING id',
      'INSERT INTO _account (id, owner) VALUES (1000, $1)',
      'WITH gone AS (DELETE FROM _account WHERE owner <> $1 RETURNING id) SELECT count(*)::int AS n FROM gone',
      'SELECT id FROM _account WHERE owner <> $1 FOR UPDATE',
    ]) {
      const refused = await run(sql, ['x']);
      expect(refused.message, sql).to.include('only after a confirmation');
      expect(refused.needsConfirmation, sql).to.equal(true);
      const confirmed = await run(sql, ['x'], { confirmed: true });
      expect(confirmed.message, sql).to.equal(undefined);
      expect(await count(), sql).to.equal(300);
      expect((await run("SELECT owner FROM _account WHERE owner LIKE '%x' OR id = 1000")).rows, sql).to.deep.equal([]);
    }
    const gone = await run('DELETE FROM _account WHERE id < 3 RETURNING id', [], { confirmed: true });
    expect(gone.rows?.length).to.equal(2);
  });

  it('are rejected by the database if a function writes', async () => {
    const sequence = "nextval(pg_get_serial_sequence('_line', 'number'))";
    const refused = await run(`SELECT ${sequence}`);
    expect(refused.message).to.include('calls a function that writes');
    expect(refused.needsConfirmation).to.equal(true);
    const changed = await run(`SELECT set_config('transaction_read_only', 'off', true), ${sequence}`);
    expect(changed.message).to.be.a('string');
    expect((await run(`SELECT ${sequence}`, [], { confirmed: true })).rows).to.have.length(1);
  });

  it('leave no lock in a connection that requests use', async () => {
    const locks = "SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711";
    expect((await run('SELECT pg_advisory_lock(4711)')).rows).to.have.length(1);
    await waitUntil(async () => (await run(locks)).rows?.[0]?.['n'] === 0);
  });

  it('are explained without running', async () => {
    const plan = await run('UPDATE _account SET owner = $1 WHERE id = $2', ['x', 1], { explain: true });
    const lines = plan.rows?.map((row) => String(Object.values(row)[0])) ?? [];
    expect(lines[0]).to.match(/^Update on _account/);
    expect(await count()).to.equal(300);
  });

  it('are rejected with a reason if they are invalid or no single read or write', async () => {
    const refuse = async (sql: string, parameters: readonly unknown[] = []): Promise<string | undefined> =>
      (await run(sql, parameters, { confirmed: true })).message;
    expect(await refuse('SELECT 1; DELETE FROM _account')).to.include('One statement at a time');
    for (const sql of ['DROP TABLE _account', 'COMMIT', 'SET ROLE x', "COPY _account TO '/tmp/x'", 'BEGIN'])
      expect(await refuse(sql), sql).to.include('Only SELECT, INSERT, UPDATE and DELETE');
    expect(await refuse('SELECT $2::int', [1])).to.include('The statement has $2');
    expect(await refuse('SELECT nothing FROM _account')).to.include('nothing');
    expect((await run('SELECT 1', [], { connection: 'shop' })).message).to.include('no open connection "shop"');
    expect(await count()).to.equal(300);
  });

  it('require the token', async () => {
    const { port } = address;
    expect((await post({ port, token: 'x' }, { sql: 'SELECT 1' })).status).to.equal(403);
    expect((await post(address, {}, 'GET')).status).to.equal(405);
    for (const body of ['no JSON', '[]', '{"sql":1}', '{"sql":"SELECT 1","parameters":1}'])
      expect((await post(address, body)).status, body).to.equal(400);
  });
});

const MYSQL_FILES = {
  'definitions/_account.model.json': MODEL,
  'definitions/fill.json': {
    ...{ id: 'fill', resource: 'fill' },
    actionables: [
      {
        ...{ id: 1, mode: 'QUERY' },
        sql_query: {
          query: "INSERT INTO _account (id, owner, pin) VALUES (1, 'o1', 's'), (2, 'o2', 's'), (3, 'o3', 's')",
        },
      },
    ],
  },
};
const ON_MYSQL = SQL.filter(({ name }) => name === 'mariadb' || name === 'mysql');

describeOnEach('statements of an editor', ON_MYSQL, { files: MYSQL_FILES }, (running) => {
  let listener: EditorListener | undefined;
  let address: Address;
  before(async () => {
    const started = running();
    listener = await listenForEditors(started.kernel, createRequestReports());
    address = await readAddress(started.project.folder);
    expect((await started.post('/fill', {})).status).to.equal(200);
  });
  after(() => listener?.close());

  const run = (sql: string, parameters: readonly unknown[] = [], more: object = {}): Promise<Answer> =>
    post(address, { sql, parameters, ...more });
  const list = async (): Promise<unknown> => (await run('SELECT id, owner FROM _account ORDER BY id')).rows;
  const ALL = [1, 2, 3].map((id) => ({ id, owner: `o${id}` }));

  it('return rows in order, with bound values and without secrets', async () => {
    const found = await run('SELECT id, owner, pin FROM _account WHERE owner <> $1 ORDER BY id DESC', ['o2']);
    expect(found.message).to.equal(undefined);
    expect(found.rows).to.deep.equal([
      { id: 3, owner: 'o3', pin: '‹secret›' },
      { id: 1, owner: 'o1', pin: '‹secret›' },
    ]);
    const many = await run(
      'SELECT a.id FROM _account a, _account b, _account c, _account d, _account e, _account f -- all',
    );
    expect([many.message, many.rows?.length, many.hasMore]).to.deep.equal([undefined, 200, true]);
    expect((await run('SELECT id FROM _account ORDER BY id LIMIT 1')).rows).to.deep.equal([{ id: 1 }]);
  });

  it('are rejected without a confirmation if they write, and rolled back with one', async () => {
    for (const sql of [
      'UPDATE _account SET owner = CONCAT(owner, $1)',
      'DELETE FROM _account WHERE owner <> $1',
      'INSERT INTO _account (id, owner) VALUES (1000, $1)',
      'SELECT id FROM _account WHERE owner <> $1 FOR UPDATE',
    ]) {
      expect((await run(sql, ['x'])).needsConfirmation, sql).to.equal(true);
      expect((await run(sql, ['x'], { confirmed: true })).message, sql).to.equal(undefined);
      expect(await list(), sql).to.deep.equal(ALL);
    }
  });

  it('are rejected if they commit, even when confirmed', async () => {
    for (const sql of ['DROP TABLE _account', 'TRUNCATE _account', 'COMMIT', 'CALL p()', 'LOCK TABLES _account WRITE'])
      expect((await run(sql, [], { confirmed: true })).message, sql).to.include('Only SELECT, INSERT');
    expect((await run("SELECT id FROM _account INTO OUTFILE '/tmp/lintel-rows'")).message).to.be.a('string');
    expect(await list()).to.deep.equal(ALL);
  });

  it('leave no lock in a connection that requests use', async () => {
    expect((await run("SELECT GET_LOCK('lintel', 1) AS got")).rows).to.deep.equal([{ got: 1 }]);
    // The server closes a connection in its own time.
    await waitUntil(async () => (await run("SELECT IS_FREE_LOCK('lintel') AS free")).rows?.[0]?.['free'] === 1);
  });

  it('are explained without running', async () => {
    const plan = await run('SELECT id FROM _account WHERE owner = $1', ['x'], { explain: true });
    expect(plan.message).to.equal(undefined);
    // Each server has its own form of a plan.
    expect(Object.keys(JSON.parse(String(plan.rows?.[0]?.['EXPLAIN'])) as object).join()).to.match(/query/);
    expect((await run('DELETE FROM _account', [], { explain: true })).message).to.equal(undefined);
    expect(await list()).to.deep.equal(ALL);
  });

  it('are rejected if they write to a table that cannot be rolled back', async () => {
    const { kernel } = running();
    const main = kernel.instances.find(({ key }) => key.endsWith('/main'))?.handle() as {
      readonly execute: (text: string, values: readonly unknown[], transaction: null) => Promise<unknown>;
    };
    await main.execute('CREATE TABLE logged (id INT) ENGINE = MyISAM', [], null);
    const refused = await run('INSERT INTO logged (id) VALUES (1)', [], { confirmed: true });
    expect(refused.message).to.include('"logged" cannot roll back');
    expect((await run('SELECT id FROM logged')).rows).to.deep.equal([]);
    await main.execute('DROP TABLE logged', [], null);
  });
});

describe('the address for statements', () => {
  it('is in a file that only its owner can read, while `lintel dev` runs', async () => {
    const project = await createTempProject(FILES);
    const server = hostCli(['dev'], { cwd: project.folder, env: { PORT: '0' } });
    await server.waitForOutput(/ready at http/);
    const file = join(project.folder, '.lintel/dev.json');
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    const answer = await post(await readAddress(project.folder), { sql: 'SELECT count(*)::int AS n FROM _account' });
    expect(answer.rows).to.deep.equal([{ n: 0 }]);
    expect((await server.stop()).code).to.equal(0);
    expect(existsSync(file)).to.equal(false);
    await project.dispose();
  });
});

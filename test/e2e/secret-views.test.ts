/**
 * Secrets behind views and functions that scripts of the project create: under their names for them, through several of
 * them and by position, on every SQL database. Values of other columns are returned.
 */
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { createDatabase, describeOnEach, SQL, type SqlName } from '../support/databases.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createTempProject, type TempProject } from '../support/project.js';
import { chooseDatabases } from '../support/short-run.js';
import { skipTest } from '../support/skip.js';

const TOKEN = 'canaryTokenQm7xT2vLs9Rw4Zk';

const VIEWS = `
  CREATE VIEW key_view AS SELECT id, token AS k, upper(label) AS name FROM keys_of;
  CREATE VIEW key_columns (a, b) AS SELECT label, token FROM keys_of;
  CREATE OR REPLACE VIEW key_twice AS SELECT v.k AS z, v.name FROM key_view v;
  CREATE VIEW key_join AS SELECT c.b || '!' AS joined, c.a FROM key_columns c;
  CREATE VIEW key_safe AS SELECT id, length(token) AS k FROM keys_of WHERE token <> '';
  CREATE TABLE key_copy AS SELECT token AS copied, label FROM keys_of;
`;
const FUNCTIONS = `
  CREATE FUNCTION key_rows(t text) RETURNS TABLE (i text, k text) LANGUAGE sql STABLE AS $$ SELECT id, token FROM keys_of WHERE id = t $$;
  CREATE FUNCTION key_of(t text) RETURNS text LANGUAGE sql STABLE AS 'SELECT token FROM keys_of WHERE id = t';
  CREATE FUNCTION key_inner(t text) RETURNS text LANGUAGE sql STABLE AS $$ SELECT key_of(t) $$;
  CREATE FUNCTION key_long(t text) RETURNS text LANGUAGE plpgsql STABLE AS $body$
    DECLARE v text; BEGIN SELECT token INTO v FROM keys_of WHERE id = t; RETURN v; END $body$;
  CREATE FUNCTION key_out(t text, OUT a text, OUT b text) LANGUAGE sql STABLE AS $$ SELECT label, token FROM keys_of WHERE id = t $$;
  CREATE VIEW key_json AS SELECT row_to_json(k) AS j FROM keys_of k;
  CREATE FUNCTION key_id(t text) RETURNS text LANGUAGE sql STABLE AS 'SELECT id FROM keys_of WHERE token = t';
`;
const MYSQL_FUNCTIONS = `
  CREATE FUNCTION key_of(t varchar(40)) RETURNS varchar(200) READS SQL DATA
    RETURN (SELECT token FROM keys_of WHERE id = t);
  CREATE FUNCTION key_id(t varchar(200)) RETURNS varchar(40) READS SQL DATA
    RETURN (SELECT id FROM keys_of WHERE token = t);
`;

const VIEW_LEAKS = [
  'SELECT * FROM key_view',
  'SELECT k FROM key_view',
  'SELECT k AS other FROM key_view',
  'SELECT * FROM key_columns',
  'SELECT reverse(b) AS r FROM key_columns',
  'SELECT * FROM key_twice',
  'SELECT z AS other FROM key_twice',
  'SELECT * FROM key_join',
  "SELECT substr(joined, 1, 20) AS r FROM key_join WHERE a <> ''",
  'SELECT key_of(id) AS open FROM keys_of',
  "SELECT concat(key_of('a'), '!') AS open",
];
const FUNCTION_LEAKS = [
  "SELECT * FROM key_rows('a')",
  "SELECT r.k AS open FROM key_rows('a') r",
  "SELECT * FROM key_of('a')",
  "SELECT * FROM key_of('a') AS open",
  "SELECT key_inner('a') AS open",
  "SELECT key_long('a') AS open",
  "SELECT key_of('a')",
  "SELECT a, b FROM key_out('a')",
  "SELECT j ->> 'token' AS open FROM key_json",
  "SELECT x.j -> 'token' AS open FROM (SELECT row_to_json(k) AS j FROM keys_of k) x",
];
const VALID: readonly (readonly [query: string, answer: object])[] = [
  ['SELECT name, id FROM key_view', { name: 'FIRST', id: 'a' }],
  ['SELECT a FROM key_columns', { a: 'first' }],
  ['SELECT name FROM key_twice', { name: 'FIRST' }],
  ['SELECT k FROM key_safe', { k: TOKEN.length }],
  [`SELECT key_id('${TOKEN}') AS i`, { i: 'a' }],
];
const FUNCTION_VALID: typeof VALID = [["SELECT i FROM key_rows('a')", { i: 'a' }]];

/** Another user of the same database, with the rights that requests need. */
async function startUnprivileged(project: TempProject, env: Readonly<Record<string, string>>): Promise<TestKernel> {
  const address = new URL(env['DATABASE'] ?? '');
  const user = `reader_${randomUUID().slice(0, 8)}`;
  const connection = await mysql.createConnection(address.href);
  await connection.query(`CREATE USER ${user} IDENTIFIED BY 'secret'`);
  const rights = 'SELECT, INSERT, UPDATE, DELETE, EXECUTE';
  await connection.query(`GRANT ${rights} ON ${address.pathname.slice(1)}.* TO ${user}`);
  await connection.end();
  [address.username, address.password] = [user, 'secret'];
  return startKernel({ project, env: { ...env, DATABASE: address.href }, statementChecks: 'stores' });
}

const listLeaks = (name: SqlName): readonly string[] =>
  name === 'pglite' || name === 'postgres' ? [...VIEW_LEAKS, ...FUNCTION_LEAKS] : VIEW_LEAKS;
const listValid = (name: SqlName): typeof VALID =>
  name === 'pglite' || name === 'postgres' ? [...VALID, ...FUNCTION_VALID] : VALID;
const defineRead = (id: string, query: string): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'QUERY', sql_query: { query, parameters: [] } }],
});

const listScripts = (name: SqlName): Record<string, string> => ({
  'migrations/1-views.sql': VIEWS.replace(/ {2}CREATE TABLE key_copy.*\n/, ''),
  'migrations/2-functions.sql': /mysql|mariadb/.test(name) ? MYSQL_FUNCTIONS : FUNCTIONS,
});
const createDefinitions = (name: SqlName): readonly object[] => [
  {
    _keys_of: {
      id: { type: 'String', primary_key: true, max_length: 40 },
      label: { type: 'String', max_length: 40 },
      token: { type: 'String', max_length: 200, secret: true },
    },
  },
  {
    ...defineRead('add', ''),
    returnables: ['id'],
    actionables: [
      {
        ...{ id: 1, mode: 'QUERY' },
        sql_query: {
          query: 'INSERT INTO keys_of (id, label, token) VALUES ($1, $2, $3)',
          parameters: ['id', 'label', 'token'],
        },
      },
    ],
  },
  ...listLeaks(name).map((query, i) => defineRead(`r${i}`, query)),
  ...listValid(name).map(([query], i) => defineRead(`s${i}`, query)),
];

function defineSuite(kernel: () => TestKernel, name: SqlName): void {
  before(async () => {
    expect((await kernel().post('/add', { id: 'a', label: 'first', token: TOKEN })).status).to.equal(200);
  });

  it('are not returned, neither whole nor in parts', async () => {
    const pieces = [TOKEN, [...TOKEN].reverse().join('')].flatMap((text) => [text.slice(0, 12), text.slice(-12)]);
    const found = await Promise.all(
      listLeaks(name).map(async (query, i) => {
        const { status, text } = await kernel().post(`/r${i}`, {});
        return status === 200 && !pieces.some((piece) => text.includes(piece)) ? [] : [`${query}: ${status} ${text}`];
      }),
    );
    expect(found.flat()).to.deep.equal([]);
  });

  it('hide no other column', async () => {
    const found = await Promise.all(listValid(name).map((_, i) => kernel().post(`/s${i}`, {})));
    expect(found.map(({ body }) => body)).to.deep.equal(listValid(name).map(([, answer]) => answer));
  });
}

describeOnEach(
  'secrets of views and functions',
  SQL,
  (name) => ({ files: { ...listScripts(name), 'definitions/all.json': createDefinitions(name) } }),
  defineSuite,
);

for (const database of chooseDatabases(SQL, (one) => one.name)) {
  const { name } = database;
  describe(`secrets of views and functions that no script creates (${name})`, () => {
    const isMysql = /mysql|mariadb/.test(name);
    let kernel: TestKernel;
    let project: TempProject;
    let unprivileged: TestKernel | undefined;
    let scripted: TestKernel | undefined;
    before(async function () {
      const found = await createDatabase(database);
      if ('skip' in found) return skipTest(this, found.skip);
      // The embedded database is in the folder of the project.
      const config = database.make === null ? { connections: { main: { use: 'pglite', path: 'data' } } } : found.config;
      project = await createTempProject({
        'lintel.config.json': { ...config, http: { port: 0 } },
        'definitions/all.json': createDefinitions(name),
        ...listScripts(name),
      });
      await (await startKernel({ project, env: found.env })).close();
      // The other user may not run scripts.
      if (isMysql) await project.write('lintel.config.json', { ...config, migrate: false, http: { port: 0 } });
      if (isMysql) scripted = await startUnprivileged(project, found.env);
      await rm(join(project.folder, 'migrations'), { recursive: true });
      kernel = await startKernel({ project, env: found.env, statementChecks: 'stores' });
      if (isMysql) unprivileged = await startUnprivileged(project, found.env);
    });
    after(async () => {
      await unprivileged?.close();
      await scripted?.close();
      await kernel?.close();
      await project?.dispose();
    });

    it('are logged at the start, with their names in the result', () => {
      const stored = kernel.kernel.problems().filter(({ code }) => code === 'LNK_SECRET_STORED');
      const objects = new Set(stored.map(({ message }) => /"(\w+)"/.exec(message)?.[1]));
      // There `||` is a disjunction, which reveals nothing of a text.
      const others = /mysql|mariadb/.test(name) ? [] : ['key_join', 'key_rows', 'key_inner', 'key_long', 'key_out'];
      expect([...objects].sort()).to.deep.equal(['key_view', 'key_columns', 'key_twice', 'key_of', ...others].sort());
      expect(stored.find(({ message }) => message.includes('"key_columns"'))?.message).to.include('under the names b;');
    });

    defineSuite(() => kernel, name);

    if (!isMysql) return;
    it('whose definitions the user may not read return every secret, unless a script creates them', async () => {
      const read = async (of: TestKernel | undefined, query: string): Promise<string | undefined> =>
        (await of?.post(`/${query}`, {}))?.text;
      const rest = listLeaks(name).map((_, i) => read(unprivileged, `r${i}`));
      for (const text of await Promise.all(rest)) expect(text).to.not.include(TOKEN.slice(0, 12));
      // The length of a token, and the name of its key.
      expect([await read(unprivileged, 's3'), await read(unprivileged, 's4')]).to.deep.equal(['{}', '{}']);
      expect(await read(scripted, 's3')).to.equal(`{"k":${TOKEN.length}}`);
      const stored = unprivileged?.kernel.problems().filter(({ code }) => code === 'LNK_SECRET_STORED');
      expect(stored?.map(({ message }) => message).join())
        .to.include('"key_safe"')
        .and.to.include('"key_id"');
    });
  });
}

/**
 * Encrypted columns with `blind_index`: unique and found by their values on every SQL database, although all
 * ciphertexts differ. The index is created, stored and compared automatically, and is never returned.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Problem } from '../../contract/problem.js';
import { InvalidDefinitionsError } from '../../language/project/invalid-definitions.js';
import type { Loose } from '../support/client.js';
import { describeOnBothDatabases, startKernel, type TestKernel } from '../support/kernel.js';
import { createMysqlDatabase, startMysql } from '../support/mysql.js';
import { waitUntil } from '../support/until.js';
import type { Files } from '../support/project.js';
import { createJsonBehaviour, startUpstream } from '../support/upstream.js';
import { skipTest } from '../support/skip.js';
import {
  ENCRYPT,
  ENV,
  FILES,
  INSERT,
  MODELS,
  RULES,
  SERVED,
  defineCipher,
  query,
  defineIndexedResource,
} from '../support/blind-index.js';

function suite(served: () => TestKernel): void {
  const post = (path: string, sent: object | unknown[] = {}) => served().post(`/${path}`, sent);
  const ok = async (path: string, sent: object | unknown[]): Promise<unknown> => {
    const { status, body } = await post(path, sent);
    expect(status, `${path} ${JSON.stringify(body)}`).to.equal(200);
    return body;
  };
  const findIds = async (path: string, sent: object): Promise<unknown[]> =>
    ((await ok(path, sent)) as Loose[]).map(({ id }) => id);

  it('are unique: the second row with a value is rejected with 409 and a pointer', async () => {
    await ok('add', { id: 'u1', email: 'unique@example.com' });
    const { status, body } = await post('add', { id: 'u2', email: 'unique@example.com' });
    expect([status, (body['errors'] as Loose[])[0]?.['pointer']]).to.deep.equal([409, '/email']);
    await ok('once', { id: 'u3', email: 'unique@example.com' });
    expect(await findIds('find', { email: 'unique@example.com' })).to.deep.equal(['u1']);
  });

  it('are found by their values, in the form of the rule, and decrypted', async () => {
    await ok('add', { id: 'f1', email: 'Found@Example.com' });
    await ok('row', { id: 'f2', email: 'other@example.com' });
    expect(await ok('find', { email: ' FOUND@example.COM ' })).to.deep.equal([
      { id: 'f1', email: 'found@example.com' },
    ]);
    for (const path of ['find-alias', 'find-cast', 'find-sub', 'find-join', 'find-phone'])
      expect(await findIds(path, { email: 'found@example.com', id: 'x', phone: 'x' }), path).to.deep.equal(
        path === 'find-phone' ? [] : ['f1'],
      );
    const both = {
      email: 'found@example.com',
      other: 'other@example.com',
      emails: ['other@example.com', 'found@example.com'],
    };
    expect(await findIds('find-in', both)).to.deep.equal(['f1', 'f2']);
    expect(await findIds('find', { email: 'nobody@example.com' })).to.deep.equal([]);
    const { body } = await post('sealed-first', { email: 'found@example.com' });
    expect(Number(body['n'])).to.equal(1);
  });

  it('are found after each kind of write', async () => {
    await ok('many', [
      { id: 'w1', email: 'one@w' },
      { id: 'w2', email: 'two@w' },
      { id: 'w3', email: 'three@w' },
    ]);
    await ok('stamped', { id: 'w4', email: 'four@w' });
    await ok('upsert', { id: 'w1', email: 'new-one@w' });
    await ok('change', { id: 'w2', email: 'new-two@w' });
    await ok('patch', { id: 'w3', email: 'new-three@w' });
    await ok('patch', { id: 'w4' });
    for (const [email, ids] of Object.entries({
      'one@w': [],
      'new-one@w': ['w1'],
      'two@w': [],
      'new-two@w': ['w2'],
      'three@w': [],
      'new-three@w': ['w3'],
      'four@w': ['w4'],
    }))
      expect(await findIds('find-alias', { email }), email).to.deep.equal(ids);
    await ok('drop', { email: 'four@w' });
    expect(await findIds('find-alias', { email: 'four@w' })).to.deep.equal([]);
  });

  it('never return their index, which differs from those of other columns', async () => {
    await ok('add-two', { id: 's1', email: 'same', phone: 'same' });
    expect(await findIds('find-phone', { phone: 'same' })).to.deep.equal(['s1']);
    const bodies = [
      await ok('row', { id: 's2', email: 'secret@example.com' }),
      await ok('star', {}),
      await ok('named', {}),
    ];
    for (const body of bodies) expect(JSON.stringify(body)).not.to.match(/blind/);
  });

  it('are never stored without encryption', async () => {
    const { status, body } = await post('hashed', { id: 'h1', email: 'clear@example.com' });
    expect([status, body['code']]).to.deep.equal([500, 'SQL_NOT_ENCRYPTED']);
  });
}

describe('encrypted columns with a blind index', () => {
  const wrapped = defineIndexedResource(
    'wrapped',
    query('SELECT row_to_json(p) AS row, p::text AS line FROM people p', [], { result: 'many' }),
  );
  describeOnBothDatabases(
    'on',
    { files: { 'definitions/a.json': [...MODELS, ...SERVED, wrapped] }, env: ENV },
    (kernel) => {
      suite(kernel);

      it('omit their index in rows that are read as one value', async () => {
        await kernel().post('/row', { id: 'r1', email: 'row@example.com' });
        const { status, body } = await kernel().post<readonly Loose[]>('/wrapped');
        expect([status, body.length > 0]).to.deep.equal([200, true]);
        expect(JSON.stringify(body)).not.to.match(/blind/);
      });
    },
  );

  for (const flavour of ['mariadb', 'mysql'] as const)
    describe(`on (${flavour})`, () => {
      let kernel: TestKernel | undefined;
      before(async function () {
        const server = await startMysql(flavour);
        if ('skip' in server) return skipTest(this, server.skip);
        kernel = await startKernel({ files: FILES, env: { ...ENV, MYSQL_URL: await createMysqlDatabase(flavour) } });
      });
      after(() => kernel?.close());
      suite(() => kernel!);
    });

  const config = { connections: { main: { use: 'pglite', path: 'memory://' } } };
  async function listProblems(files: Files, env: Readonly<Record<string, string>> = ENV): Promise<readonly Problem[]> {
    try {
      const kernel = await startKernel({ files, config, env });
      await kernel.close();
      return [];
    } catch (error) {
      if (error instanceof InvalidDefinitionsError) return error.problems;
      throw error;
    }
  }
  async function codes(definitions: object[], env?: Readonly<Record<string, string>>): Promise<string[]> {
    const problems = await listProblems({ 'definitions/a.json': [...MODELS, ...definitions] }, env);
    return problems.filter(({ severity }) => severity === 'error').map(({ code, message }) => `${code} ${message}`);
  }

  it('are an error at load if another actionable encrypts a value that is searched for later', async () => {
    const sealing = query('SELECT id FROM notes WHERE id = $1', ['email'], { ...RULES, ...ENCRYPT });
    const later = query('DELETE FROM people WHERE email = $1', ['email'], { id: 2, run_in_background: true });
    const [first = ''] = await codes([defineIndexedResource('x', sealing, later)]);
    expect(first).to.include('LNK_BLIND_FORM').and.include('done later');
  });

  it('prevent the start if the key is missing or short, naming the variable', async () => {
    for (const [BLIND_INDEX_KEY, what] of [
      [undefined, 'is not set'],
      ['short', 'has 5 bytes'],
    ]) {
      const env = { KEY: ENV.KEY, ...(BLIND_INDEX_KEY !== undefined && { BLIND_INDEX_KEY }) };
      const [first = ''] = await codes([], env);
      expect(first).to.include('BLD_KEY').and.include('BLIND_INDEX_KEY').and.include(what);
    }
  });

  it('are an error at load if an actionable requires a unique encrypted field without an index', async () => {
    for (const unique of [['email'], [['id', 'email']]]) {
      const insert = query('INSERT INTO notes (id, email) VALUES ($1, $2)', ['id', 'email'], ENCRYPT, { unique });
      const [first = ''] = await codes([defineIndexedResource('x', insert)]);
      expect(first).to.include('CPH_UNIQUE');
    }
    const combined = query(INSERT, ['id', 'email'], ENCRYPT, { unique: [['id', 'email']] });
    expect(await codes([defineIndexedResource('x', combined)])).to.deep.equal([]);
  });

  it('do not send their index to other services', async () => {
    const upstream = await startUpstream(createJsonBehaviour({}));
    const give = query('SELECT * FROM people', [], { no_op: true });
    const request = { url: `${upstream.url}/`, method: 'POST', request_body: { row: '$PAYLOAD.row' } };
    const call = {
      ...{ id: 2, mode: 'HTTPREQUEST', http: request },
      depends_on: [{ resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'self_', for: 'row' }] }],
    };
    const kernel = await startKernel({
      files: { 'definitions/a.json': [...MODELS, ...SERVED.slice(0, 1), defineIndexedResource('call', give, call)] },
      config: { ...config, outbound: { allow: [`127.0.0.1:${upstream.port}`] } },
      env: ENV,
    });
    try {
      expect((await kernel.post('/add', { id: 'c1', email: 'call@example.com' })).status).to.equal(200);
      expect((await kernel.post('/call')).status).to.equal(200);
      expect(upstream.requests[0]?.body).to.include('"c1"').and.not.to.include('blind');
    } finally {
      await kernel.close();
      await upstream.close();
    }
  });

  it('get their index in existing rows from a resource that decrypts and writes them again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lintel-blind-'));
    const connections = { main: { use: 'pglite', path: folder } };
    const model = (field: object): object => ({
      _people: { id: { type: 'String', primary_key: true }, email: { type: 'String', ...field } },
    });
    const DECRYPT = { ciphers: [defineCipher('Decrypt', 'email')] };
    const index = defineIndexedResource(
      'index',
      query('SELECT id, email FROM people', [], { ...DECRYPT, no_op: true, result: 'many' }),
      query(
        'UPDATE people SET email = $2 WHERE id = $1',
        ['id', 'email'],
        {
          ...{ id: 2, ...ENCRYPT },
          depends_on: [
            { resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'self_', for: 'rows' }] },
          ],
        },
        { multi: 'rows' },
      ),
    );
    const add = defineIndexedResource('add', query(INSERT, ['id', 'email'], ENCRYPT));
    const find = defineIndexedResource('find', query('SELECT id FROM people WHERE email = $1', ['email'], RULES));
    const on = (definitions: object[]): Promise<TestKernel> =>
      startKernel({ files: { 'definitions/a.json': definitions }, config: { connections }, env: ENV });
    try {
      const before = await on([model({}), add]);
      await before.post('/add', { id: 'old', email: 'old@example.com' });
      await before.close();
      const after = [model({ blind_index: true }), add, find, index];
      const warned = ({ log }: TestKernel): unknown[] =>
        log
          .filter(({ message }) => message.includes('rows that are there have no index'))
          .map(({ fields }) => fields['column']);
      const first = await on(after);
      expect(warned(first), 'the column is added').to.deep.equal(['email__blind']);
      await first.close();
      const kernel = await on(after);
      expect(warned(kernel), 'the column is there, and empty').to.deep.equal(['email__blind']);
      const findByOldEmail = async (): Promise<unknown> =>
        (await kernel.post('/find', { email: 'old@example.com' })).body;
      expect(await findByOldEmail()).to.equal(null);
      expect((await kernel.post('/index', {})).status).to.equal(200);
      expect(await findByOldEmail()).to.deep.equal({ id: 'old' });
      await kernel.close();
      const last = await on(after);
      expect(warned(last), 'all rows have one').to.deep.equal([]);
      await last.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('get their index in deferred work, from a queue', async () => {
    const later = { ...defineIndexedResource('later', query(INSERT, ['id', 'email'], ENCRYPT)), queue: { delay: 0 } };
    const definitions = [...MODELS, later, ...SERVED.filter((one) => one['id'] === 'find')];
    const kernel = await startKernel({
      files: { 'definitions/a.json': definitions },
      config,
      env: { ...ENV, QUEUE_ENCRYPTION_KEY: 'canary-queue-key-Zk4mV7pXs2Rt9Lw6' },
    });
    try {
      expect((await kernel.post('/later', { id: 'q1', email: 'later@example.com' })).status).to.be.oneOf([200, 202]);
      const find = async (): Promise<readonly Loose[]> =>
        (await kernel.post<readonly Loose[]>('/find', { email: 'later@example.com' })).body;
      await waitUntil(async () => (await find()).length > 0);
      expect(await find()).to.deep.equal([{ id: 'q1', email: 'later@example.com' }]);
    } finally {
      await kernel.close();
    }
  });

  const wrong: readonly (readonly [text: string, parameters: readonly unknown[], code?: string])[] = [
    ['SELECT id FROM people WHERE lower(email) = $1', ['email']],
    ['SELECT id FROM people WHERE email LIKE $1', ['email']],
    ['SELECT id FROM people WHERE email > $1', ['email']],
    ["SELECT id FROM people WHERE email = $1 || '@example.com'", ['email']],
    ["SELECT id FROM people WHERE email = 'ada@example.com'", []],
    // No list of values, though the name of the function ends like ALL.
    ['SELECT id FROM people WHERE email = small($1)', ['email']],
    ["SELECT 'x' || email AS long FROM people", []],
    ["SELECT 'x' || p.email AS long FROM people p", []],
    ['SELECT $1 LIKE p.email AS alike FROM people p', ['email']],
    ['SELECT id FROM people ORDER BY email', []],
    ['SELECT email, count(*) FROM people GROUP BY email', []],
    ['SELECT DISTINCT email FROM people', []],
    ['SELECT DISTINCT id, email FROM people', []],
    ['SELECT CASE email WHEN $1 THEN 1 END AS same FROM people', ['email']],
    ['SELECT email LIKE $1 AS alike FROM people', ['email']],
    ['SELECT NULLIF(email, $1) AS other FROM people', ['email']],
    ['SELECT id FROM people WHERE (id, email) = ($1, $2)', ['id', 'email']],
    ['SELECT id FROM people WHERE email = lower($1)', ['email']],
    ['SELECT id FROM people WHERE email = (SELECT email FROM notes LIMIT 1)', []],
    ['WITH x AS (SELECT * FROM people) SELECT id FROM x WHERE x.email = $1', ['email']],
    ['SELECT p.id FROM people p JOIN notes n ON n.email = p.email', []],
    ['SELECT p.id FROM people p JOIN people q USING (email)', []],
    ['SELECT p.id FROM people p, notes n WHERE email = $1', ['email']],
    ['SELECT id FROM (SELECT id, email FROM people) AS q WHERE q.email = $1', ['email']],
    ['SELECT id FROM people WHERE email__blind = $1', ['email']],
    ['SELECT email__blind AS x FROM people', []],
    [INSERT, ['id', 'email'], 'LNK_BLIND_CLEAR'],
    ['UPDATE people SET email = $1', ['email'], 'LNK_BLIND_CLEAR'],
    [INSERT, ['id', { literal: 'ada@example.com' }], 'LNK_BLIND_CLEAR'],
    ['UPDATE people SET email = n.email FROM notes n', [], 'LNK_BLIND_FORM'],
    ["UPDATE people SET email = 'ada'", [], 'LNK_BLIND_FORM'],
    ['INSERT INTO people (id, email) SELECT id, email FROM notes', [], 'LNK_BLIND_FORM'],
    ['INSERT INTO people VALUES ($1, $2)', ['id', 'email'], 'LNK_BLIND_FORM'],
    ['UPDATE people SET (id, email) = ($1, $2)', ['id', 'email'], 'LNK_BLIND_FORM'],
  ];
  it('are an error at load if a statement compares them in another form or writes them without encryption', async () => {
    const files: Record<string, unknown> = { 'definitions/models.json': MODELS };
    for (const [n, [text, parameters]] of wrong.entries())
      files[`definitions/x${n}.json`] = defineIndexedResource(`x${n}`, query(text, [...parameters]));
    const problems = await listProblems(files);
    for (const [n, [text, , code = 'LNK_BLIND_FORM']] of wrong.entries()) {
      const own = problems.filter(({ file, severity }) => file === `definitions/x${n}.json` && severity === 'error');
      expect(
        own.map((one) => one.code),
        text,
      ).to.include(code);
    }
  });
});

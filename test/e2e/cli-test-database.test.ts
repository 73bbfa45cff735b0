/** `lintel test --database`: cases on the configured servers, in databases of their own. */
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { hostCli, runCli } from '../support/cli.js';
import { SQL, STORES, type Database } from '../support/databases.js';
import { createTempProject, type TempProject } from '../support/project.js';
import { skipTest } from '../support/skip.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { waitUntil } from '../support/until.js';

const NOW = '2026-03-01T10:00:00.000Z';
const insert = (more: object = {}): object => ({
  id: 1,
  mode: 'QUERY',
  payload_validation: [{ field: { text: { type: 'STRING' } }, min_length: 1 }],
  sql_query: {
    query: 'INSERT INTO entry (text, done, at) VALUES ($1, false, $2)',
    parameters: ['text', '$DATETIME'],
    unique: ['text'],
  },
  ...more,
});
const RESOURCES = [
  { id: 'add', resource: 'add', actionables: [insert()], returnables: ['id'] },
  { id: 'later', resource: 'later', actionables: [insert({ run_in_background: true })] },
];
const MODEL = {
  id: { type: 'Number', primary_key: true, auto_increment: true },
  text: { type: 'String', max_length: 50, unique: true },
  done: { type: 'Boolean' },
  data: { type: 'JSON_OBJECT', optional: true },
  at: { type: 'DateTime' },
};
const request = (resource: string, text: string, more: object = {}): object => ({
  request: { resource, body: { text } },
  ...more,
});
const SCRIPTED = { id: 1, text: 'of a script' };
const GIVEN = { id: 2, text: 'given', done: true, data: { a: [1] }, at: NOW };
const CASES = [
  {
    id: 'rows are given, written and read',
    given: { now: NOW, tables: { entry: [{ text: 'given', done: true, data: { a: [1] }, at: NOW }] } },
    steps: [request('add', 'new')],
    expect: { tables: { entry: [SCRIPTED, GIVEN, { id: 3, text: 'new', done: false, data: null, at: NOW }] } },
  },
  {
    id: 'each case begins again',
    given: { now: NOW },
    steps: [request('add', 'new'), request('add', 'new', { expect: { status: 409 } })],
    expect: { tables: { entry: [SCRIPTED, { id: 2, text: 'new' }] } },
  },
  {
    id: 'another program changes rows',
    given: { now: NOW, tables: { entry: [{ text: 'given', done: true, data: { a: [1] }, at: NOW }] } },
    steps: [
      {
        delete: { entry: [{ data: { a: [1] } }] },
        update: {
          entry: [{ where: { text: { $contains: 'script' } }, set: { text: 'new', data: { b: 1 }, at: NOW } }],
        },
        insert: { entry: [{ id: 2, text: 'given', done: true, at: NOW }] },
      },
      request('add', 'new', { expect: { status: 409 } }),
      { update: { entry: [{ where: { id: 2 }, set: { done: false } }] } },
    ],
    expect: {
      tables: {
        entry: [
          { id: 1, text: 'new', done: false, data: { b: 1 }, at: NOW },
          { id: 2, text: 'given', done: false, data: null, at: NOW },
        ],
      },
    },
  },
  {
    id: 'the server says what is wrong',
    steps: [request('add', '', { expect: { problem: { code: 'VAL_PAYLOAD', pointer: '/text' } } })],
    expect: { unchanged: true },
  },
];
const JOB = {
  id: 'jobs run to their end',
  given: { now: NOW },
  steps: [request('later', 'new', { expect: { status: 202 } }), { run: 'jobs' }],
  expect: { jobs: [], tables: { entry: [SCRIPTED, { text: 'new' }] } },
};
const FILES = {
  'definitions/models.json': { _entry: MODEL },
  'migrations/001.sql': `INSERT INTO entry (text, done, at) VALUES ('of a script', false, '2026-01-01 00:00:00');`,
};

interface Report {
  readonly cases: readonly { readonly id: string; readonly failures: readonly { readonly message: string }[] }[];
}

async function runCases(
  project: TempProject,
  env: Record<string, string>,
  ...words: string[]
): Promise<Report['cases']> {
  const { stdout, stderr } = await runCli(['test', '--reporter', 'json', ...words], { cwd: project.folder, env });
  expect(stderr).to.equal('');
  return (JSON.parse(stdout) as Report).cases;
}

/** Other suites use the server at the same time. */
const OF_OTHERS = /^lintel_test_(?![0-9a-f]{12}(?:_copies)?$)/;

/** Databases of tests that a server still has, and tables of the configured one. */
const READERS: Readonly<Record<string, (url: string) => Promise<readonly string[]>>> = {
  async postgres(url) {
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      `SELECT datname AS name FROM pg_database WHERE datname LIKE 'lintel\\_test\\_%'
       UNION ALL SELECT relname FROM pg_class WHERE relname = 'entry'`,
    );
    await client.end();
    return rows.map(({ name }) => name);
  },
  async mysql(url) {
    const client = await mysql.createConnection(url.replace('mariadb:', 'mysql:'));
    const [rows] = await client.query<mysql.RowDataPacket[]>(
      `SELECT schema_name AS name FROM information_schema.schemata WHERE schema_name LIKE 'lintel\\_test\\_%'
       UNION ALL SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()`,
    );
    await client.end();
    return rows.map(({ name }) => String(name));
  },
  async mongodb(url) {
    const client = await MongoClient.connect(url);
    const { databases } = (await client.db('admin').command({ listDatabases: 1 })) as { databases: { name: string }[] };
    const collections = await client.db().collections();
    await client.close();
    return [
      ...databases.map(({ name }) => name).filter((name) => name.startsWith('lintel_test_')),
      ...collections.map(({ collectionName }) => collectionName),
    ];
  },
};

function describeOn(
  { name, make, config }: Database,
  files: object,
  cases: readonly object[],
  more: object = {},
): void {
  describe(`lintel test --database (${name})`, () => {
    let project: TempProject;
    let url = '';
    before(async function () {
      const found = make === null ? '' : await make();
      if (typeof found !== 'string') return skipTest(this, found.skip);
      url = found;
      project = await createTempProject({
        ...files,
        'lintel.config.json': { ...config('$ENV.DATABASE'), ...more },
        'definitions/a.test.json': { id: 'all', cases },
      });
    });
    after(() => project?.dispose());

    it('runs cases in a new database, which it drops, and does not change the configured one', async () => {
      const found = await runCases(project, { DATABASE: url }, '--database');
      expect(found.flatMap(({ id, failures }) => failures.map(({ message }) => `${id}: ${message}`))).to.deep.equal([]);
      expect(found).to.have.lengthOf(cases.length);
      const read = READERS[name === 'mariadb' ? 'mysql' : name];
      expect((await read?.(url))?.filter((one) => !OF_OTHERS.test(one))).to.deep.equal([]);
    });
  });
}

const [, postgres, ...mysqls] = SQL;
if (postgres) {
  const queue = { use: 'postgres', url: '$ENV.DATABASE' };
  describeOn(postgres, { ...FILES, 'definitions/all.resource.json': RESOURCES }, [...CASES, JOB], { queue });
}
for (const one of mysqls) describeOn(one, { ...FILES, 'definitions/all.resource.json': RESOURCES.slice(0, 1) }, CASES);

const NOTES = {
  'definitions/models.json': { _note: { text: { type: 'String' }, at: { type: 'DateTime', optional: true } } },
  'definitions/all.resource.json': [
    {
      id: 'note',
      resource: 'note',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          payload_validation: [{ field: { text: { type: 'STRING' } } }],
          mongo_query: { collection: 'notes', action: 'INSERT', parameters: ['text'] },
        },
      ],
    },
  ],
};
const NOTE_CASES = [
  {
    id: 'documents are given, written and read',
    given: { tables: { note: [{ text: 'given', at: NOW }] } },
    steps: [request('note', 'new')],
    expect: { tables: { note: [{ text: 'given', at: NOW }, { text: 'new' }] } },
  },
  { id: 'each case begins again', steps: [request('note', 'new')], expect: { tables: { note: [{ text: 'new' }] } } },
  {
    id: 'another program changes documents',
    given: { tables: { note: [{ text: 'given', at: NOW }, { text: 'other' }] } },
    steps: [
      {
        delete: { note: [{ text: 'other' }] },
        update: { note: [{ where: { at: NOW }, set: { at: '2026-03-02T00:00:00Z' } }] },
        insert: { note: [{ text: 'third' }] },
      },
      request('note', 'new'),
    ],
    expect: {
      tables: { note: [{ text: 'given', at: '2026-03-02T00:00:00.000Z' }, { text: 'third' }, { text: 'new' }] },
    },
  },
];
for (const store of STORES) if (store.name === 'mongodb') describeOn(store, NOTES, NOTE_CASES);

describe('lintel test --database without a server', () => {
  it('names the connection that cannot be opened', async () => {
    const project = await createTempProject({
      ...FILES,
      'lintel.config.json': { connections: { main: { use: 'postgres', url: 'postgres://nobody@127.0.0.1:1/none' } } },
      'definitions/all.resource.json': RESOURCES,
      'definitions/a.test.json': { id: 'all', cases: CASES },
    });
    const { code, stderr } = await runCli(['test', '--database'], { cwd: project.folder });
    await project.dispose();
    expect(code).to.equal(1);
    expect(stderr).to.include('Connection main cannot be opened: ');
  });
});

describe('lintel test --database, interrupted', () => {
  it('drops its database', async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    const url = await createPostgresDatabase();
    const slow = {
      id: 'slow',
      resource: 'slow',
      actionables: [insert({ sql_query: { query: 'SELECT pg_sleep(60) AS slept' } })],
    };
    const project = await createTempProject({
      ...FILES,
      'lintel.config.json': { connections: { main: { use: 'postgres', url, statement_timeout: 100 } } },
      'definitions/all.resource.json': [...RESOURCES, slow],
      'definitions/a.test.json': { id: 'all', cases: [{ id: 'slow', steps: [request('slow', 'a')] }] },
    });
    const others = new Set(await READERS['postgres']?.(url));
    const listOwn = async (): Promise<readonly string[]> =>
      ((await READERS['postgres']?.(url)) ?? []).filter((name) => !others.has(name) && !OF_OTHERS.test(name));
    const running = hostCli(['test', '--database'], { cwd: project.folder });
    await waitUntil(async () => (await listOwn()).length === 1, 'its database is there');
    running.send('SIGINT');
    const { code } = await running.finished;
    expect([code, await listOwn()]).to.deep.equal([130, []]);
    await project.dispose();
  });
});

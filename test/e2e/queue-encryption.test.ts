/**
 * Waiting jobs are encrypted in every queue store when they contain protected values: readers of the store cannot read
 * them, the run can, and without the key nothing starts.
 */
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import pg from 'pg';
import type { BootError } from '../../contract/boot-error.js';
import { InvalidDefinitionsError } from '../../language/project/invalid-definitions.js';
import {
  defineCallAction,
  defineExtraction,
  defineQueuedResource,
  defineSqlAction,
  STEP_STORES,
  startStepKernel,
} from '../support/job-steps.js';
import { DUE, waitForValue, JOBS, fetchJobs } from '../support/jobs.js';
import { DATABASES, startKernel, type TestKernel } from '../support/kernel.js';
import { createMongoDatabase, startMongo } from '../support/mongo.js';
import { startRedis } from '../support/redis.js';
import { skipTest } from '../support/skip.js';
import { waitUntil } from '../support/until.js';

const KEY = 'a key of the queue with 32 bytes, or more';
const SECRET = 'correct horse battery staple';
const rules = [{ field: { id: { type: 'STRING' }, password: { type: 'STRING' } } }];
const insert = (id: number, rest: object = {}): object => ({
  ...{ id, mode: 'QUERY', payload_validation: rules },
  sql_query: { query: 'INSERT INTO notes (id, text) VALUES ($1, $2)', parameters: ['id', 'password'] },
  ...rest,
});
const hashables = [{ property: 'password', algorithm: 'BCRYPT', options: { rounds_cost: 4 } }];
const FILES = (delay: number): Record<string, unknown> => ({
  'definitions/all.json': [
    { _notes: { id: { type: 'String', primary_key: true }, text: { type: 'String' } } },
    // The first stores a hash; the deferred one needs the plain text.
    {
      id: 'both',
      resource: 'both',
      actionables: [
        insert(1, { hashables }),
        {
          ...{ id: 2, mode: 'QUERY', queue: { delay } },
          sql_query: { query: 'UPDATE notes SET text = $2 WHERE id = $1', parameters: ['id', 'password'] },
        },
      ],
    },
    { id: 'hashed', resource: 'hashed', queue: { delay }, actionables: [insert(1, { hashables })] },
    {
      id: 'all',
      resource: 'all',
      actionables: [{ id: 1, mode: 'QUERY', result: 'many', sql_query: { query: 'SELECT id, text FROM notes' } }],
      returnables: ['id', 'text'],
    },
    JOBS,
    DUE,
  ],
});
const MAIN = { main: { use: 'pglite', path: 'memory://' } };

/** Everything a server of Redis holds, as text. */
async function inRedis(url: string, prefix: string): Promise<string> {
  const client = new Redis(url);
  const dump = async (key: string): Promise<unknown> => {
    const type = await client.type(key);
    if (type === 'hash') return client.hgetall(key);
    return type === 'string' ? client.get(key) : '';
  };
  try {
    return JSON.stringify(await Promise.all((await client.keys(`${prefix}*`)).map(dump)));
  } finally {
    client.disconnect();
  }
}

async function inMongo(url: string): Promise<string> {
  const client = new MongoClient(url);
  try {
    return JSON.stringify(await client.db().collection('lintel_jobs').find().toArray());
  } finally {
    await client.close();
  }
}

interface Place {
  readonly config: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  readonly kept: (kernel: TestKernel) => Promise<string>;
}
const inTable = async (kernel: TestKernel): Promise<string> => JSON.stringify(await fetchJobs(kernel));
const onServer = DATABASES[1]!.make;
/** The database of the definitions: on the server if there is one, which is faster. */
const createDefinitionPlace = async (queue: object): Promise<Pick<Place, 'config' | 'env'>> => {
  const server = await onServer();
  return 'skip' in server
    ? { config: { connections: MAIN, queue }, env: {} }
    : { config: { connections: server.connections, queue }, env: server.env };
};
const PLACES: Readonly<Record<string, () => Promise<Place | { readonly skip: string }>>> = {
  embedded: () =>
    Promise.resolve({ config: { connections: MAIN, queue: { use: 'embedded' } }, env: {}, kept: inTable }),
  postgres: async () => {
    const server = await onServer();
    return 'skip' in server ? server : { config: { connections: server.connections }, env: server.env, kept: inTable };
  },
  redis: async () => {
    const server = await startRedis();
    if ('skip' in server) return server;
    const prefix = `rest-${process.pid}:`;
    return {
      ...(await createDefinitionPlace({ use: 'redis', url: server.url, prefix })),
      kept: () => inRedis(server.url, prefix),
    };
  },
  mongo: async () => {
    const server = await startMongo();
    if ('skip' in server) return server;
    const url = await createMongoDatabase();
    const database = new URL(url).pathname.slice(1);
    return { ...(await createDefinitionPlace({ use: 'mongo', url, database })), kept: () => inMongo(url) };
  },
};

for (const [name, make] of Object.entries(PLACES)) {
  describe(`waiting jobs in ${name}`, function () {
    let kernel: TestKernel | undefined;
    afterEach(async () => {
      await kernel?.close();
      kernel = undefined;
    });

    it('are encrypted, and their run has the sent values', async function () {
      const place = await make();
      if ('skip' in place) return skipTest(this, place.skip);
      const { config, env, kept } = place;
      kernel = await startKernel({ files: FILES(1), config, env: { ...env, QUEUE_ENCRYPTION_KEY: KEY } });
      const running = kernel;
      expect((await running.post('/both', { id: 'a', password: SECRET })).status).to.equal(200);
      expect((await running.post('/hashed', { id: 'b', password: SECRET })).status).to.equal(202);
      let stored = '';
      await waitUntil(async () => {
        stored = await kept(running);
        return stored.split('sealed.1.').length >= 3;
      }, 'both wait');
      expect(stored).not.to.include('correct horse');
      expect(stored).not.to.include('$2b$');
      const texts = async (): Promise<Map<unknown, unknown>> => {
        const { body } = await running.post<{ id: string; text: string }[]>('/all');
        return new Map([body].flat().map((row) => [row.id, row.text]));
      };
      await waitUntil(async () => (await texts()).get('a') === SECRET && (await texts()).has('b'), 'both were done');
      expect((await texts()).get('b')).to.match(/^\$2b\$04\$/);
    });
  });
}

/** Every row of every table but those of the application, as text. */
async function rowsIn(url: string | undefined): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables " +
        "WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND tablename <> 'keys'",
    );
    const rows: string[] = [];
    for (const { name } of tables.rows)
      for (const row of (await client.query(`SELECT '${name}' AS of, t::text FROM ${name} t`)).rows)
        rows.push(JSON.stringify(row));
    return rows.join('\n');
  } finally {
    await client.end();
  }
}

describe('results that a completed step stores for later steps', () => {
  it('are encrypted in every table, and the next run has them', async function () {
    const store = await STEP_STORES.find(({ name }) => name === 'postgres')!.make();
    if ('skip' in store) return skipTest(this, store.skip);
    const insert = `INSERT INTO keys (id, token) VALUES (1, '${SECRET}') RETURNING token`;
    const steps = [
      defineSqlAction(1, insert),
      defineCallAction(2, { with: '$PAYLOAD.token' }, defineExtraction(1, 'token', 'token')),
    ];
    const files = {
      'definitions/all.json': [
        { _keys: { id: { type: 'Number', primary_key: true }, token: { type: 'String', secret: true } } },
        defineQueuedResource('work', steps, { queue: { retries: 0 } }),
      ],
    };
    const running = await startStepKernel({ ...store, env: { ...store.env, QUEUE_ENCRYPTION_KEY: KEY } }, files);
    try {
      running.failNext(1);
      expect((await running.post('/work', {})).status).to.equal(202);
      const [dead] = await waitForValue(
        () => running.jobs(),
        ([job]) => job?.state === 'dead',
      );
      const stored = await rowsIn(store.env['DATABASE_URL']);
      expect(stored)
        .to.match(/lintel_inbox.*sealed\.1\./)
        .and.not.to.include('correct horse');
      await running.retry(dead?.id ?? '');
      await waitForValue(
        () => running.jobs(),
        ({ length }) => length === 0,
      );
      expect(running.calls().map(({ body }) => body)).to.deep.equal([{ with: SECRET }, { with: SECRET }]);
    } finally {
      await running.close();
    }
  });
});

describe('results that a step with a document stores', () => {
  it('are encrypted in the collection of notes, and the next run has them', async function () {
    const [server, beside] = [await startMongo(), await STEP_STORES.find(({ name }) => name === 'embedded')!.make()];
    if ('skip' in server) return skipTest(this, server.skip);
    if ('skip' in beside) return skipTest(this, beside.skip);
    const documents = { main: { use: 'mongodb', url: '$ENV.MONGO_URL' } };
    const store = { ...beside, documents, env: { MONGO_URL: await createMongoDatabase() } };
    const write = { collection: 'keys', action: 'INSERT', document: { token: SECRET } };
    const fetch = { collection: 'lintel_inbox', action: 'FETCH', filter_predicate: {} };
    const files = {
      'definitions/all.json': [
        { _keys: { token: { type: 'String', secret: true } } },
        defineQueuedResource(
          'work',
          [
            { id: 1, mode: 'QUERY', mongo_query: write },
            defineCallAction(2, { with: '$PAYLOAD.token' }, defineExtraction(1, 'token', 'token')),
          ],
          { queue: { retries: 0 } },
        ),
        {
          ...{ id: 'notes', resource: 'notes', returnables: ['body'] },
          actionables: [{ id: 1, mode: 'QUERY', result: 'many', mongo_query: fetch }],
        },
      ],
    };
    const running = await startStepKernel({ ...store, env: { ...store.env, QUEUE_ENCRYPTION_KEY: KEY } }, files);
    try {
      running.failNext(1);
      expect((await running.post('/work', {})).status).to.equal(202);
      const [dead] = await waitForValue(
        () => running.jobs(),
        ([job]) => job?.state === 'dead',
      );
      const { text } = await running.post('/notes', {});
      expect(text).to.include('sealed.1.').and.not.to.include('correct horse');
      await running.retry(dead?.id ?? '');
      await waitForValue(
        () => running.jobs(),
        ({ length }) => length === 0,
      );
      expect(running.calls().map(({ body }) => body)).to.deep.equal([{ with: SECRET }, { with: SECRET }]);
    } finally {
      await running.close();
    }
  });
});

describe('queue key', () => {
  const config = { connections: MAIN, queue: { use: 'embedded' } };
  async function catchStartError(env: Record<string, string>, files = FILES(0)): Promise<unknown> {
    try {
      await (await startKernel({ files, config, env })).close();
    } catch (error) {
      return error;
    }
    return null;
  }

  it('is required by work with a protected value, hashed or not: without it the start fails', async () => {
    const error = await catchStartError({});
    expect(error).to.be.instanceOf(InvalidDefinitionsError);
    const problems = (error as InvalidDefinitionsError).problems.filter(({ severity }) => severity === 'error');
    expect(problems.map(({ code }) => code)).to.deep.equal(['LTR_KEY', 'LTR_KEY']);
    expect(problems[0]?.message).to.include('QUEUE_ENCRYPTION_KEY').and.include('"password"').and.include('is not set');
  });

  it('is required if a step stores a secret for later steps', async () => {
    const insert = `INSERT INTO keys (id, token) VALUES (1, '${SECRET}') RETURNING token`;
    const steps = [
      defineSqlAction(1, insert),
      defineCallAction(2, { with: '$PAYLOAD.token' }, defineExtraction(1, 'token', 'token')),
    ];
    const definitions = [
      { _keys: { id: { type: 'Number', primary_key: true }, token: { type: 'String', secret: true } } },
      defineQueuedResource('work', steps),
    ];
    const error = await catchStartError({ SERVICE: 'https://example.com' }, { 'definitions/all.json': definitions });
    const problems = (error as InvalidDefinitionsError).problems.filter(({ severity }) => severity === 'error');
    expect(problems.map(({ code }) => code)).to.deep.equal(['LTR_KEY']);
  });

  it('has at least 32 bytes', async () => {
    const error = await catchStartError({ QUEUE_ENCRYPTION_KEY: 'short' });
    expect(
      (error as BootError | InvalidDefinitionsError).message +
        JSON.stringify((error as InvalidDefinitionsError).problems),
    ).to.include('has 5 bytes and needs at least 32');
  });
});

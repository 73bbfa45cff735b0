/** Repeated job steps under changed definitions, lists, parallel actionables, documents and a queue in another database. */
import { expect } from 'chai';
import { listJobSteps } from '../../cli/jobs.js';
import {
  defineCallAction,
  defineExtraction,
  defineQueuedResource,
  defineSqlAction,
  STEP_STORES,
  startStepKernel,
  type StepKernel,
} from '../support/job-steps.js';
import { waitForValue } from '../support/jobs.js';
import { createMysqlDatabase, startMysql } from '../support/mysql.js';
import { createMongoDatabase, startMongo } from '../support/mongo.js';
import { skipTest } from '../support/skip.js';
const defineNoteInsert = (id: number, what: string, rest: object = {}): object =>
  defineSqlAction(id, `INSERT INTO notes (what) VALUES ('${what}') RETURNING n, what`, [], rest);
const all = {
  id: 'all-notes',
  resource: 'all-notes',
  actionables: [defineSqlAction(1, 'SELECT n, what FROM notes ORDER BY n', [], { result: 'many' })],
};
const inbox = {
  id: 'all-inbox',
  resource: 'all-inbox',
  actionables: [defineSqlAction(1, 'SELECT body FROM lintel_inbox', [], { result: 'many' })],
};
const MODELS = {
  _keys: { id: { type: 'Number', primary_key: true }, token: { type: 'String', secret: true } },
  _notes: { n: { type: 'Number', primary_key: true, auto_increment: true }, what: { type: 'String' } },
};
const files = (...resources: readonly object[]): object => ({
  'definitions/models.json': MODELS,
  'definitions/all.json': [all, inbox, ...resources],
});
const steps = (...actionables: readonly object[]): object =>
  defineQueuedResource('work', actionables, { queue: { retries: 0 } });

describe('job steps', function () {
  let running: StepKernel | undefined;
  afterEach(async () => {
    await running?.close();
    running = undefined;
  });
  async function start(...resources: readonly object[]): Promise<StepKernel> {
    const store = await STEP_STORES[0]!.make();
    if ('skip' in store) throw new Error(store.skip);
    return (running = await startStepKernel(store, files(...resources)));
  }
  const texts = async (): Promise<unknown[]> => (await running!.rows('notes')).map((row) => row['what']);
  const waitUntilNoJobs = (): Promise<unknown> =>
    waitForValue(
      () => running!.jobs(),
      ({ length }) => length === 0,
    );
  /** They are removed when the end of the work is noted. */
  const noNotes = (): Promise<unknown> =>
    waitForValue(
      () => running!.rows('inbox'),
      ({ length }) => length === 0,
    );
  const dead = async (): Promise<string> => {
    const jobs = await waitForValue(
      () => running!.jobs(),
      ([job]) => job?.state === 'dead',
    );
    return jobs[0]?.id ?? '';
  };
  async function change(...resources: readonly object[]): Promise<void> {
    const { kernel } = running!;
    await kernel.project.write('definitions/all.json', [all, inbox, ...resources] as unknown);
    const { applied } = await kernel.kernel.reload();
    expect(applied).to.equal(true);
  }

  it('that are complete are not repeated after the definition of a later one is fixed', async () => {
    const found = defineExtraction(1, 'n', 'first');
    const { post, retry, calls, failNext } = await start(
      steps(
        defineNoteInsert(1, 'one'),
        defineCallAction(2, { n: '$PAYLOAD.first' }, found),
        defineNoteInsert(3, 'three'),
      ),
    );
    failNext(1);
    await post('/work', {});
    const id = await dead();
    await change(
      steps(
        defineNoteInsert(1, 'other'),
        defineCallAction(2, { mended: '$PAYLOAD.first' }, found),
        defineNoteInsert(3, 'changed'),
      ),
    );
    expect(await retry(id)).to.equal(true);
    await waitUntilNoJobs();
    expect(await texts()).to.deep.equal(['one', 'changed']);
    expect(calls().map(({ body }) => body)).to.deep.equal([{ n: 1 }, { mended: 1 }]);
  });

  it('are rejected if a fixed one reads a value that was not stored', async () => {
    const { post, retry, failNext, jobs } = await start(
      steps(
        defineNoteInsert(1, 'one'),
        defineCallAction(2, { n: '$PAYLOAD.first' }, defineExtraction(1, 'n', 'first')),
      ),
    );
    failNext(1);
    await post('/work', {});
    const id = await dead();
    await change(
      steps(
        defineNoteInsert(1, 'one'),
        defineCallAction(2, { what: '$PAYLOAD.text' }, defineExtraction(1, 'what', 'text')),
      ),
    );
    await retry(id);
    await dead();
    expect((await jobs())[0]?.failure).to.include({
      code: 'JOB_CHANGED',
      detail: 'The actionable work#2 now needs a value that was not stored with the job: name:work:text.',
    });
    expect(await texts()).to.deep.equal(['one']);
  });

  it('of a list run once, all of them or none', async () => {
    const item = { query: 'INSERT INTO notes (what) VALUES ($1)', parameters: ['$PAYLOAD.what'], multi: 'items' };
    const { post, retry, failNext } = await start(
      steps(
        { id: 1, mode: 'QUERY', sql_query: item },
        defineCallAction(2, { first: '$PAYLOAD.n' }, defineExtraction(1, '0.n', 'n')),
      ),
    );
    failNext(1);
    await post('/work', { items: [{ what: 'a' }, { what: 'b' }] });
    await retry(await dead());
    await waitUntilNoJobs();
    expect(await texts()).to.deep.equal(['a', 'b']);
    expect(running!.calls().map(({ body }) => body)).to.deep.equal([{ first: 1 }, { first: 1 }]);
  });

  it('that are parallel each run once', async () => {
    const { post, retry, failNext } = await start(
      steps(
        defineNoteInsert(1, 'beside', { parallel: true }),
        defineCallAction(2, { beside: true }, { parallel: true }),
        defineNoteInsert(3, 'behind'),
      ),
    );
    failNext(1);
    await post('/work', {});
    const id = await dead();
    expect(await texts()).to.deep.equal(['beside']);
    await retry(id);
    await waitUntilNoJobs();
    expect(await texts()).to.deep.equal(['beside', 'behind']);
  });

  it('with calls send the id of the job, or a key of their own, the same in each run', async () => {
    const { post, retry, failNext, calls } = await start(
      steps(
        defineCallAction(1, { call: 1 }, { parallel: true }),
        {
          ...{ id: 2, mode: 'HTTPREQUEST', parallel: true },
          http: {
            ...{ url: '$ENV.SERVICE/', method: 'POST', request_body: { call: 2 } },
            headers: { 'Idempotency-Key': 'second-$GENERATOR.ULID' },
          },
        },
        defineNoteInsert(3, 'behind'),
      ),
    );
    failNext(2);
    await post('/work', {});
    const id = await dead();
    expect(await retry(id)).to.equal(true);
    await waitUntilNoJobs();
    const listKeys = (n: number): string[] => calls().flatMap(({ key, body }) => (body['call'] === n ? [key] : []));
    expect(listKeys(1)).to.deep.equal([id, id]);
    const [first, ...others] = listKeys(2);
    expect(first).to.match(/^second-\w{26}$/);
    expect(others).to.deep.equal([first]);
  });

  it('that share a transaction run together', async () => {
    const { post, retry, failNext } = await start(
      steps(
        defineNoteInsert(1, 'a'),
        defineNoteInsert(2, 'b'),
        defineCallAction(3, {}),
        defineNoteInsert(4, 'c'),
        defineNoteInsert(5, 'd'),
      ),
    );
    failNext(1);
    await post('/work', {});
    await retry(await dead());
    await waitUntilNoJobs();
    expect(await texts()).to.deep.equal(['a', 'b', 'c', 'd']);
    // No note remains, and a single step leaves none.
    await noNotes();
  });

  it('are listed as complete, failed or waiting, without their values', async () => {
    const { post, kernel, failNext } = await start(
      steps(
        defineNoteInsert(1, 'sesame'),
        defineCallAction(2, { n: '$PAYLOAD.what' }, defineExtraction(1, 'what', 'what')),
        defineNoteInsert(3, 'c'),
      ),
    );
    failNext(1);
    await post('/work', {});
    const found = await kernel.kernel.listJobAdmins()[0]!.show(await dead());
    const part = kernel.kernel.plans().byId.get('work')?.parts.get('work#3');
    const shown = listJobSteps(found!.view, found!.notes, part);
    expect(shown?.map(({ actions, state }) => [...actions, state])).to.deep.equal([
      ['work#1', 'done'],
      ['work#2', 'failed'],
      ['work#3', 'waiting'],
    ]);
    expect(shown?.[1]?.error?.code).to.equal('OUT_STATUS');
    expect(JSON.stringify([shown, found])).not.to.contain('sesame');
  });

  it('that only read a secret run again instead of being stored', async () => {
    const key = defineExtraction(1, 'token', 'token');
    const { post, kernel, retry, failNext, calls, rows } = await start(
      steps(
        defineSqlAction(1, 'SELECT token FROM keys WHERE id = 1'),
        defineCallAction(2, { with: '$PAYLOAD.token' }, key),
        defineNoteInsert(3, 'behind'),
        defineCallAction(4, {}),
      ),
      {
        id: 'key',
        resource: 'key',
        actionables: [defineSqlAction(1, "INSERT INTO keys (id, token) VALUES (1, 'sesame')")],
      },
    );
    await post('/key', {});
    failNext(1);
    await post('/work', {});
    const id = await dead();
    expect(JSON.stringify([await kernel.kernel.listJobAdmins()[0]?.show(id), await rows('inbox')])).not.to.contain(
      'sesame',
    );
    await retry(id);
    await waitUntilNoJobs();
    expect(calls().map(({ body }) => body)).to.deep.equal([{ with: 'sesame' }, { with: 'sesame' }, {}]);
    expect(await texts()).to.deep.equal(['behind']);
  });

  it('store nothing for a job of one step', async () => {
    const { post } = await start(steps(defineNoteInsert(1, 'only'), defineNoteInsert(2, 'group')));
    await post('/work', {});
    await waitUntilNoJobs();
    expect(await texts()).to.deep.equal(['only', 'group']);
  });

  for (const flavour of ['mariadb', 'mysql'] as const)
    it(`run once in ${flavour} when the queue is in another store`, async function () {
      const server = await startMysql(flavour);
      if ('skip' in server) return skipTest(this, server.skip);
      const env = { MYSQL_URL: await createMysqlDatabase(flavour) };
      const connections = {
        main: { use: 'mysql', url: '$ENV.MYSQL_URL' },
        jobs: { use: 'pglite', path: 'memory://' },
      };
      const queue = { use: 'embedded', connection: 'jobs', backoff: 0.02, poll: 0.3 };
      const plain = (id: number, what: string): object =>
        defineSqlAction(id, `INSERT INTO notes (what) VALUES ('${what}')`, []);
      running = await startStepKernel(
        { connections, env, queue },
        files(steps(plain(1, 'one'), defineCallAction(2, {}), plain(3, 'two'))),
      );
      running.failNext(1);
      await running.post('/work', {});
      const id = await dead();
      expect(await running.rows('inbox')).to.have.length(1);
      await running.retry(id);
      await waitUntilNoJobs();
      expect(await texts()).to.deep.equal(['one', 'two']);
      await noNotes();
    });

  const DOCUMENTS: readonly (readonly [
    string,
    () => Promise<{ readonly skip: string } | { env: Record<string, string>; documents?: object }>,
  ])[] = [
    ['embedded', () => Promise.resolve({ env: {} })],
    [
      'mongodb',
      async () => {
        const server = await startMongo();
        if ('skip' in server) return server;
        return {
          env: { DOCS: await createMongoDatabase() },
          documents: { main: { use: 'mongodb', url: '$ENV.DOCS' } },
        };
      },
    ],
  ];
  for (const [name, make] of DOCUMENTS)
    it(`run once in documents (${name})`, async function () {
      const made = await make();
      if ('skip' in made) return skipTest(this, made.skip);
      const store = await STEP_STORES[0]!.make();
      if ('skip' in store) return skipTest(this, store.skip);
      const mongo = (id: number, mongo_query: object, rest: object = {}): object => ({
        id,
        mode: 'QUERY',
        mongo_query,
        ...rest,
      });
      const add = (id: number, what: string): object =>
        mongo(id, { collection: 'parts', action: 'INSERT', document: { what } });
      running = await startStepKernel(
        { ...store, env: made.env, ...('documents' in made && { documents: made.documents }) },
        {
          'definitions/models.json': { _parts: { what: { type: 'String' } } },
          'definitions/all.json': [
            steps(
              add(1, 'one'),
              defineCallAction(2, { of: '$PAYLOAD.what' }, defineExtraction(1, 'what', 'what')),
              add(3, 'two'),
            ),
            {
              id: 'all-notes',
              resource: 'all-notes',
              actionables: [
                mongo(
                  1,
                  { collection: 'parts', action: 'FETCH', filter_predicate: {}, sort: { what: 1 } },
                  { result: 'many' },
                ),
              ],
            },
          ],
        },
      );
      running.failNext(1);
      await running.post('/work', {});
      await running.retry(await dead());
      await waitUntilNoJobs();
      expect(await texts()).to.deep.equal(['one', 'two']);
      expect(running.calls().map(({ body }) => body)).to.deep.equal([{ of: 'one' }, { of: 'one' }]);
    });
});

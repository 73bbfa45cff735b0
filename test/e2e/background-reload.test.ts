/**
 * Accepted jobs and their order: due times, priorities, and definitions that change between acceptance and run. One
 * kernel in this process, on the embedded database.
 */
import { expect } from 'chai';
import type { JobAdmin } from '../../contract/deferred.js';
import type { Loose } from '../support/client.js';
import { DUE, waitForValue, JOBS, fetchJobs, waitUntilNoJobs } from '../support/jobs.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { startUpstream } from '../support/upstream.js';

const NOTES = {
  seq: { type: 'Number', auto_increment: true, primary_key: true },
  text: { type: 'String' },
};
const note = (rest: Loose = {}, parameters: readonly string[] = ['text']): Loose => ({
  id: 'note',
  resource: 'note',
  actionables: [
    { id: 1, mode: 'QUERY', sql_query: { query: 'INSERT INTO notes (text) VALUES ($1)', parameters }, ...rest },
  ],
});

describe('deferred work over time', function () {
  let kernel!: TestKernel;
  const start = async (resources: readonly Loose[], queue: Loose = {}, config: Loose = {}): Promise<void> => {
    const files = Object.fromEntries(resources.map((one) => [`definitions/${String(one['id'])}.json`, one]));
    kernel = await startKernel({
      files: {
        ...files,
        'definitions/_notes.model.json': NOTES,
        'definitions/jobs.json': JOBS,
        'definitions/due.json': DUE,
        'definitions/notes.json': {
          id: 'notes',
          resource: 'notes',
          actionables: [
            { id: 1, mode: 'QUERY', result: 'many', sql_query: { query: 'SELECT text FROM notes ORDER BY seq' } },
          ],
        },
      },
      config: {
        connections: { main: { use: 'pglite', path: 'memory://' } },
        queue: { use: 'embedded', backoff: 0.02, poll: 0.2, ...queue },
        ...config,
      },
    });
  };
  afterEach(() => kernel.close());

  const notes = async (): Promise<string[]> =>
    (await kernel.post<readonly { text: string }[]>('/notes')).body.map(({ text }) => text);
  const accept = async (path: string, body: Loose): Promise<void> => {
    expect((await kernel.post(path, body)).status).to.equal(202);
  };
  const reload = async (definition: Loose): Promise<void> => {
    await kernel.project.write('definitions/note.json', definition);
    const { applied, failure } = await kernel.kernel.reload();
    expect(applied, String(failure)).to.equal(true);
  };
  const getJobAdmin = (): JobAdmin => kernel.kernel.listJobAdmins()[0] as JobAdmin;

  it('starts the higher priority first, and among equals the work that was accepted first', async () => {
    let go = (): void => undefined;
    const upstream = await startUpstream((_req, res) => {
      go = () => void res.writeHead(204).end();
    });
    const at = (id: string, priority?: number): Loose => ({
      ...note({ queue: { ...(priority !== undefined && { priority }) } }),
      id,
      resource: id,
    });
    const held = {
      id: 'held',
      resource: 'held',
      actionables: [{ id: 1, mode: 'HTTPREQUEST', queue: {}, http: { url: `${upstream.url}/` } }],
    };
    await start(
      [held, at('low', -2), at('plain'), at('high', 7.5)],
      { concurrency: 1 },
      { outbound: { allow: [`127.0.0.1:${upstream.port}`] } },
    );
    // All other jobs must wait for it.
    await accept('/held', {});
    await waitForValue(
      () => upstream.requests,
      ({ length }) => length === 1,
    );
    for (const text of ['low 1', 'plain 1', 'high 1', 'plain 2', 'high 2'])
      await accept(`/${text.split(' ')[0]}`, { text });
    go();
    await waitUntilNoJobs(kernel);
    await upstream.close();
    expect(await notes()).to.deep.equal(['high 1', 'high 2', 'plain 1', 'plain 2', 'low 1']);
  });

  it('is accepted in the envelope that the config chooses', async () => {
    await start([note({ queue: {} })], {}, { envelope: 'success-message-data' });
    const { status, body, headers } = await kernel.post('/note', { text: 'x' });
    expect(status).to.equal(202);
    expect(body).to.deep.equal({
      success: true,
      message: 'Operation successful',
      data: { accepted: true, id: headers.get('x-request-id') },
    });
    await waitForValue(
      async () => (await kernel.post<{ data: readonly unknown[] }>('/notes')).body.data,
      ({ length }) => length === 1,
    );
  });

  it('waits for the delay, and keeps the timestamp of its acceptance', async () => {
    await start([note({ queue: { delay: 2 } }, ['$DATETIME'])]);
    const from = Date.now();
    await accept('/note', {});
    expect(await notes()).to.deep.equal([]);
    await waitUntilNoJobs(kernel);
    expect(Date.now() - from).to.be.at.least(2000);
    const [at = ''] = await notes();
    expect(Date.parse(at) - from).to.be.lessThan(1900);
  });

  it('runs for a resource that a reload is the first to defer', async () => {
    await start([note()]);
    await reload(note({ run_in_background: true }));
    await accept('/note', { text: 'first' });
    await waitForValue(notes, ({ length }) => length === 1);
  });

  it('is stored with its reason when its definition is removed, and runs when it is added again', async () => {
    await start([note({ queue: { delay: 3600, retries: 1 } })]);
    await accept('/note', { text: 'kept' });
    await reload({ ...note({ queue: {} }), id: 'other', resource: 'other' });
    await kernel.post('/due', {});
    const [dead] = await waitForValue(
      () => fetchJobs(kernel),
      ([row]) => row?.state === 'dead',
    );
    expect(dead).to.deep.include({ attempts: 2, failure_code: 'JOB_UNKNOWN' });
    expect(await notes()).to.deep.equal([]);
    await reload(note({ queue: { delay: 3600, retries: 1 } }));
    expect(await getJobAdmin().retry(dead?.id ?? '')).to.equal(true);
    await waitForValue(notes, ({ length }) => length === 1);
  });

  it('is stored when its definition needs other values now, and runs when only other parts changed', async () => {
    await start([note({ queue: { delay: 3600, retries: 0 } })]);
    await accept('/note', { text: 'kept' });
    await reload(note({ queue: { delay: 3600, retries: 0 } }, ['$PAYLOAD.title']));
    await kernel.post('/due', {});
    const [dead] = await waitForValue(
      () => fetchJobs(kernel),
      ([row]) => row?.state === 'dead',
    );
    expect(dead?.failure_code).to.equal('JOB_CHANGED');
    await reload(note({ queue: { priority: 3 } }));
    expect(await getJobAdmin().retry(dead?.id ?? '')).to.equal(true);
    expect(await waitForValue(notes, ({ length }) => length === 1)).to.deep.equal(['kept']);
  });

  it('loses nothing while definitions are reloaded again and again', async () => {
    await start([note({ queue: {} })], { concurrency: 4 });
    const texts = Array.from({ length: 40 }, (_, index) => `n${index}`);
    const swaps = (async () => {
      for (let round = 0; round < 5; round++) await reload(note({ queue: { priority: round } }));
    })();
    await Promise.all([swaps, ...texts.map((text) => accept('/note', { text }))]);
    await waitUntilNoJobs(kernel);
    expect((await notes()).sort()).to.deep.equal([...texts].sort());
  });
});

/**
 * Accepted work and the end of a process on the embedded database: killed after its response and during the work, and
 * stopped. The next process runs the rest. Several processes on one server: `cluster-jobs.test.ts`.
 */
import { expect } from 'chai';
import { startCli, type Child } from '../support/child.js';
import type { Client } from '../support/client.js';
import { startPausableUpstream, type PausableUpstream } from '../support/pausable-upstream.js';
import { JOBS, waitUntilNoJobs, createQueueConfig } from '../support/jobs.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createTempProject, type TempProject } from '../support/project.js';
import { waitUntilReady } from '../support/serve.js';
import { waitUntil } from '../support/until.js';

const definitions = [
  JOBS,
  { _ledger: { id: { type: 'String', primary_key: true }, text: { type: 'String' } } },
  {
    id: 'ledger',
    resource: 'ledger',
    actionables: [{ id: 1, mode: 'QUERY', result: 'many', sql_query: { query: 'SELECT id, text FROM ledger' } }],
  },
  {
    id: 'later',
    resource: 'later',
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        queue: { delay: 0.5 },
        sql_query: { query: 'INSERT INTO ledger (id, text) VALUES ($1, $2)', parameters: ['id', 'text'] },
      },
    ],
  },
  {
    id: 'call',
    resource: 'call',
    run_in_background: true,
    actionables: [
      {
        id: 1,
        mode: 'HTTPREQUEST',
        http: { url: '$ENV.REMOTE/work', method: 'POST', request_body: { made: '$GENERATOR.ULID', at: '$DATETIME' } },
      },
    ],
  },
];

describe('accepted work after the end of its process', function () {
  let upstream!: PausableUpstream;
  let project!: TempProject;
  let child: Child | undefined;
  let kernel: TestKernel | undefined;

  before(async () => {
    upstream = await startPausableUpstream();
    project = await createTempProject({
      'definitions/all.json': definitions,
      'lintel.config.json': {
        queue: { ...createQueueConfig('pglite'), lease: 1 },
        outbound: { allow: [`127.0.0.1:${upstream.port}`] },
      },
    });
  });
  after(async () => {
    await child?.stop('SIGKILL');
    await kernel?.close();
    await upstream?.close();
    await project?.dispose();
  });
  const env = (): Record<string, string> => ({ REMOTE: upstream.url, PORT: '0' });
  const next = async (): Promise<TestKernel> => (kernel = await startKernel({ project, env: env() }));

  const calls = async (count: number): Promise<void> => {
    await waitUntil(() => upstream.calls.length >= count, `${count} calls came`);
    expect(upstream.calls).to.have.length(count);
  };
  /** A call that is under way, and a row that waits; returns the id of the call. */
  async function accept(client: Client, id: string): Promise<unknown> {
    upstream.clearCalls();
    upstream.holdAnswers(true);
    const { body } = await client.post('/call', {});
    await calls(1);
    expect((await client.post('/later', { id, text: 'kept' })).status).to.equal(202);
    return body['id'];
  }
  const ledger = async (client: Client): Promise<readonly unknown[]> =>
    (await client.post<readonly unknown[]>('/ledger')).body;
  const [a, b] = ['a', 'b'].map((id) => ({ id, text: 'kept' }));

  it('that was killed: the next one runs waiting work, and repeats running work under the same id', async () => {
    child = startCli(['serve'], { cwd: project.folder, env: env(), node: ['--no-opt'] });
    const id = await accept(await waitUntilReady(child), 'a');
    await child.stop('SIGKILL');
    upstream.holdAnswers(false);
    const client = await next();
    await waitUntilNoJobs(client);
    expect(await ledger(client)).to.deep.equal([a]);
    await calls(2);
    expect(new Set(upstream.calls.map(({ key }) => key))).to.deep.equal(new Set([id]));
    expect(new Set(upstream.calls.map(({ body }) => body)).size, 'with the same values').to.equal(1);
  });

  it('after a signal: finishes running work, and the next process runs the remaining work', async () => {
    const first = kernel!;
    await accept(first, 'b');
    const drained = first.kernel.drain();
    upstream.holdAnswers(false);
    await drained;
    await first.close();
    const client = await next();
    await waitUntilNoJobs(client);
    expect(await ledger(client)).to.deep.equal([a, b]);
    // The call was counted as done by the process that ended.
    await calls(1);
  });
});

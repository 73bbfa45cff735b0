/**
 * Limits and maintenance apply however a resource is called: by another one that depends on it, over a connection, from
 * a job, by a schedule. Real HTTP and WebSocket on a real kernel; the test runs the deferred work.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Outcome, JobEntry, RuntimeServices } from '../../contract/deferred.js';
import { describeKernel } from '../../cli/openapi.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { PLUGIN_FIXTURES, defineReturnResource } from '../support/project.js';
import { connect } from '../support/sockets.js';
import { createBearerInit, signJwt, KEY } from '../support/tokens.js';

interface Behind {
  readonly puts: JobEntry[];
  readonly state: { readonly running: RuntimeServices };
}

const defineRateLimit = (limit: number, identifier = '$PAYLOAD.who'): object => ({
  rate_limit: { limit, identifier, expires_after: 600 },
});
const needing = (...targets: readonly string[]): object => ({
  depends_on: targets.map((id) => ({ resource_id: id, action_ids: [1] })),
});
const defineDependent = (id: string, targets: readonly string[], more: object = {}, own: object = {}): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'RETURN', value: { by: id }, ...needing(...targets), ...more }],
  ...own,
});
const target = (id: string, more: object = {}): object => ({ ...defineReturnResource(id, { from: id }), ...more });
const GUARD = { tokenize: { type: 'JWT', encryption_key: '$ENV.KEY' }, protected: { extract_claims: ['id'] } };

const files = (maintenance: boolean): Record<string, unknown> => ({
  'definitions/a.json': [
    target('code', defineRateLimit(2)),
    target('code-job', defineRateLimit(2)),
    target('code-twice', defineRateLimit(2)),
    target('by-claim', { ...GUARD, ...defineRateLimit(2, '$PROTECTED.id') }),
    target('by-address', defineRateLimit(2, '$HEADER.ip')),
    defineDependent('over-code', ['code']),
    defineDependent('over-over', ['over-code']),
    defineDependent(
      'over-twice',
      ['code-twice'],
      {},
      {
        actionables: [
          { id: 1, mode: 'RETURN', value: 1, ...needing('code-twice') },
          { id: 2, mode: 'RETURN', value: 2, ...needing('code-twice') },
        ],
      },
    ),
    defineDependent('over-claim', ['by-claim'], {}, GUARD),
    defineDependent('over-address', ['by-address']),
    defineDependent('both-limits', ['by-address'], {}, defineRateLimit(5)),
    defineDependent('later', ['code-job', 'switched'], { behind: { after: 0 } }),
    defineDependent('nightly', ['switched', 'code'], { behind: { clock: '0 0 0 1 1 *' } }),
    target('switched', { maintenance }),
    defineDependent('over-switched', ['switched'], {}, GUARD),
    defineDependent('own-job', [], { behind: { after: 0 } }, { maintenance }),
  ],
});

describe('guarantees for every way to call a resource', () => {
  let kernel!: TestKernel;
  let behind!: Behind;
  const never = new AbortController().signal;
  before(async () => {
    behind = (await import(pathToFileURL(join(PLUGIN_FIXTURES, 'behind', 'runtime.js')).href)) as Behind;
    kernel = await startKernel({
      files: files(false),
      env: { KEY },
      config: { plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'behind')], websocket: { enabled: true } },
    });
  });
  after(() => kernel.close());
  afterEach(() => void behind.puts.splice(0));

  const statuses = async (path: string, times: number, body: object, init: RequestInit = {}): Promise<number[]> => {
    const all: number[] = [];
    for (let i = 0; i < times; i++) all.push((await kernel.post(path, body, init)).status);
    return all;
  };
  const switched = async (maintenance: boolean): Promise<void> => {
    await kernel.project.write('definitions/a.json', files(maintenance)['definitions/a.json']);
    expect((await kernel.kernel.reload()).applied).to.equal(true);
  };
  const shortly = (outcome: Outcome): unknown => (outcome.done ? 'done' : [outcome.code, outcome.retryable]);

  it('count requests through other resources in a limit, together with its own', async () => {
    expect(await statuses('/over-code', 1, { who: 'a' })).to.deep.equal([200]);
    expect(await statuses('/code', 1, { who: 'a' })).to.deep.equal([200]);
    const rejected = await kernel.post('/over-over', { who: 'a' });
    expect([rejected.status, rejected.body['code']]).to.deep.equal([429, 'LIM_EXCEEDED']);
    expect(rejected.headers.get('retry-after')).to.match(/^\d+$/);
    expect(await statuses('/over-code', 3, { who: 'b' })).to.deep.equal([200, 200, 429]);
    expect((await kernel.post('/over-code', {})).status, 'without what is counted by').to.equal(422);
  });

  it('count a request once in a limit, with any number of actionables that use it', async () => {
    expect(await statuses('/over-twice', 3, { who: 'a' })).to.deep.equal([200, 200, 429]);
  });

  it('count a limit by claim after the guard, one by address before it', async () => {
    const [ada, bob] = [createBearerInit(await signJwt({ id: 'ada' })), createBearerInit(await signJwt({ id: 'bob' }))];
    expect(await statuses('/over-claim', 2, {})).to.deep.equal([401, 401]);
    expect(await statuses('/over-claim', 3, {}, ada)).to.deep.equal([200, 200, 429]);
    expect(await statuses('/by-claim', 1, {}, ada)).to.deep.equal([429]);
    expect(await statuses('/over-claim', 1, {}, bob)).to.deep.equal([200]);
    expect(await statuses('/over-address', 1, {})).to.deep.equal([200]);
    expect(await statuses('/both-limits', 2, { who: 'z' })).to.deep.equal([200, 429]);
  });

  it('count messages of a connection too', async () => {
    const client = await connect(kernel.url);
    for (const code of [undefined, undefined, 'LIM_EXCEEDED'])
      expect((await client.sendRequest('over-code', { who: 'socket' })).error?.['code']).to.equal(code);
    await client.close();
  });

  it('count a job when it is accepted, and not when it runs', async () => {
    expect(await statuses('/later', 3, { who: 'a' })).to.deep.equal([202, 202, 429]);
    expect(behind.puts).to.have.length(2);
    for (const { work } of behind.puts)
      for (const attempt of [1, 2, 3])
        expect(shortly(await behind.state.running.runJob(work, attempt, never))).to.equal('done');
    expect(await statuses('/code-job', 1, { who: 'b' })).to.deep.equal([200]);
  });

  it('reject requests through another resource during maintenance, before the guard of that one', async () => {
    const ada = createBearerInit(await signJwt({ id: 'ada' }));
    expect(await statuses('/over-switched', 1, {}, ada)).to.deep.equal([200]);
    await switched(true);
    for (const init of [ada, {}]) {
      const rejected = await kernel.post('/over-switched', {}, init);
      expect([rejected.status, rejected.body['code']]).to.deep.equal([503, 'RES_MAINTENANCE']);
      expect(rejected.headers.get('retry-after')).to.equal('60');
    }
    const client = await connect(kernel.url);
    expect((await client.sendRequest('over-switched')).error?.['code']).to.equal('RES_MAINTENANCE');
    await client.close();
    expect((await kernel.post('/later', { who: 'm' })).status).to.equal(503);
    expect(kernel.kernel.plans().byId.get('over-switched')?.summary.guard).to.contain('maintenance of switched');
    await switched(false);
  });

  it('defer jobs to a later attempt during maintenance, and stop scheduled runs', async () => {
    expect(await statuses('/later', 1, { who: 'c' })).to.deep.equal([202]);
    expect(await statuses('/own-job', 1, {})).to.deep.equal([202]);
    const works = behind.puts.map(({ work }) => work);
    const { running } = behind.state;
    const [schedule] = running.schedules();
    const tick = () => running.runSchedule(schedule!, 'clock:1', Date.now(), never);
    // No caller, nothing to count by.
    expect(shortly(await tick())).to.equal('done');
    await switched(true);
    for (const work of works)
      expect(shortly(await running.runJob(work, 1, never))).to.deep.equal(['RES_MAINTENANCE', true]);
    expect(shortly(await tick())).to.deep.equal(['RES_MAINTENANCE', true]);
    await switched(false);
    for (const work of works) expect(shortly(await running.runJob(work, 2, never))).to.equal('done');
    expect(shortly(await tick())).to.equal('done');
  });

  it('report it to callers', async () => {
    const { paths } = (await describeKernel(kernel.kernel)) as unknown as {
      readonly paths: Readonly<
        Record<string, { readonly post: { readonly responses: Readonly<Record<string, unknown>> } }>
      >;
    };
    expect(paths['/over-code']?.post.responses).to.include.keys('429', '422');
    expect(paths['/switched']?.post.responses).not.to.include.keys('429');
  });
});

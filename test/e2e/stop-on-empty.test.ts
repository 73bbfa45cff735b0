/**
 * `on_empty: {"stop": true}`: an already known event ends the request there, without an error. Earlier work is
 * committed, later work is neither run nor deferred, and its response is not cached.
 */
import { expect } from 'chai';
import { describeOnBothDatabases } from '../support/kernel.js';
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
import { skipTest } from '../support/skip.js';

const KNOWN = 'INSERT INTO events (id) VALUES ($1) ON CONFLICT (id) DO NOTHING RETURNING id';
const stop = { must_return_value: true, on_empty: { stop: true } };
const event = (id: number, rest: object = {}): object =>
  defineSqlAction(id, KNOWN, ['$PAYLOAD.id'], { ...stop, ...rest });
const note = (id: number, what: string, rest: object = {}): object =>
  defineSqlAction(
    id,
    `INSERT INTO notes (event, what) VALUES ($1, '${what}') RETURNING event, what`,
    ['$PAYLOAD.id'],
    rest,
  );
const resource = (id: string, actionables: readonly object[], rest: object = {}): object => ({
  ...{ id, resource: id, actionables },
  ...rest,
});
const all = (table: string): object =>
  resource(`all-${table}`, [defineSqlAction(1, `SELECT * FROM ${table} ORDER BY 1`, [], { result: 'many' })]);

const FILES = {
  'definitions/models.json': {
    _events: { id: { type: 'String', primary_key: true } },
    _notes: {
      n: { type: 'Number', primary_key: true, auto_increment: true },
      event: { type: 'String' },
      what: { type: 'String' },
    },
  },
  'definitions/all.json': [
    resource('plain', [event(1), note(2, 'plain')]),
    resource('before', [note(1, 'before'), event(2), note(3, 'behind')]),
    resource('main-first', [note(1, 'first', { main_returnable: true }), event(2), note(3, 'behind')]),
    resource('apart', [event(1), note(2, 'plain')], { transaction: false }),
    resource('cached', [event(1, { cacheable: { duration: 60 } }), note(2, 'cached')]),
    resource('listed', [event(1, { result: 'many' }), note(2, 'listed')]),
    resource('needed', [
      event(1, { no_op: true }),
      note(2, 'needed', { depends_on: [{ resource_id: 'self', action_ids: [1] }] }),
    ]),
    resource('at-once', [event(1, { parallel: true }), note(2, 'beside', { parallel: true }), note(3, 'behind')]),
    resource('puts-off', [event(1), note(2, 'later', { queue: {} })]),
    resource('all-later', [event(1), note(2, 'behind')], { run_in_background: true }),
    all('events'),
    all('notes'),
  ],
};

describeOnBothDatabases('already known event', { files: FILES, validated: true }, (kernel) => {
  const notes = async (id: string): Promise<unknown[]> =>
    (await kernel().post<{ event: string; what: string }[]>('/all-notes')).body
      .filter((row) => row.event === id)
      .map((row) => row.what);
  const twice = async (path: string): Promise<readonly [unknown, unknown, unknown[]]> => {
    const first = await kernel().post(`/${path}`, { id: path });
    const second = await kernel().post(`/${path}`, { id: path });
    expect([first.status, second.status], path).to.deep.equal([200, 200]);
    return [first.body, second.body, await notes(path)];
  };

  it('returns 200 and null, and runs no later actionable', async () => {
    const gave = { event: 'plain', what: 'plain' };
    expect(await twice('plain')).to.deep.equal([gave, null, ['plain']]);
    for (const path of ['apart', 'listed', 'needed', 'cached'])
      expect((await twice(path)).slice(1), path).to.deep.equal([null, [path === 'apart' ? 'plain' : path]]);
  });

  it('keeps earlier work, and returns its result if it is the main one', async () => {
    expect((await twice('before'))[2]).to.deep.equal(['before', 'behind', 'before']);
    const first = { event: 'main-first', what: 'first' };
    expect(await twice('main-first')).to.deep.equal([first, first, ['first', 'behind', 'first']]);
  });

  it('lets parallel actionables finish', async () => {
    expect((await twice('at-once'))[2]).to.have.members(['beside', 'behind', 'beside']);
  });

  it('defers nothing', async () => {
    await kernel().post('/puts-off', { id: 'puts-off' });
    await waitForValue(
      () => notes('puts-off'),
      ({ length }) => length === 1,
    );
    await kernel().post('/puts-off', { id: 'puts-off' });
    expect(await kernel().kernel.listJobAdmins()[0]?.list({})).to.deep.equal([]);
    expect(await notes('puts-off')).to.deep.equal(['later']);
  });

  it('completes a job, which is not dead', async () => {
    const admin = kernel().kernel.listJobAdmins()[0];
    for (let n = 0; n < 2; n++) {
      expect((await kernel().post('/all-later', { id: 'later' })).status).to.equal(202);
      await waitForValue(
        () => admin?.list({}),
        (jobs) => jobs?.length === 0,
      );
    }
    expect(await notes('later')).to.deep.equal(['behind']);
  });
});

describe('already known event, in work of several steps', function () {
  let running: StepKernel | undefined;
  before(async function () {
    const store = await STEP_STORES[0]!.make();
    if ('skip' in store) return skipTest(this, store.skip);
    running = await startStepKernel(store, {
      'definitions/models.json': FILES['definitions/models.json'],
      'definitions/all.json': [
        defineQueuedResource('hook', [
          event(1),
          defineCallAction(2, { event: '$PAYLOAD.known' }, defineExtraction(1, 'id', 'known')),
          note(3, 'done'),
        ]),
        all('notes'),
      ],
    });
  });
  after(() => running?.close());

  it('ends without an error, and is detected when the work of the first request is repeated', async () => {
    const { post, jobs, failNext, calls, rows } = running!;
    failNext(2);
    for (let n = 0; n < 2; n++) {
      await post('/hook', { id: 'e1' });
      await waitForValue(jobs, ({ length }) => length === 0);
    }
    expect(calls()).to.have.length(3);
    expect(await rows('notes')).to.have.length(1);
  });
});

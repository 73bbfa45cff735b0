/** Job administration: jobs from a row and from a document, and the ids that jobs have in stores. */
import { expect } from 'chai';
import { mergeJobs } from '../../../cli/jobs.js';
import type { JobView } from '../../../contract/deferred.js';
import { collectBacklog } from '../../../plugins/triggers/deferred-work/runner.js';
import { toClaimedJob, listStates, toJobView, type StoredJob } from '../../../plugins/queues/mongo/documents.js';
import { toJobData, toShortId, toUuid } from '../../../plugins/queues/shared/job.js';
import { createSqlJobAdmin } from '../../../plugins/queues/shared/sql-job-admin.js';

const at = (seconds: number): Date => new Date(seconds * 1000);
const VIEW = {
  ...{ id: 'i', resource: 'r', part: 'p', state: 'waiting', priority: 2, attempts: 1, retries: 4 },
  ...{ acceptedAt: 5000, dueAt: 7000, failure: null },
};
const FAILURE = { code: 'C', detail: 'why', at: 9000 };

describe('job as a document', () => {
  const createKeptEntry = (rest: object = {}): StoredJob =>
    ({
      ...{ priority: 2, attempts: 1, retries: 4, state: 'waiting', nextRunAt: at(7) },
      ...{ failCode: null, failReason: null, failedAt: null, token: null },
      data: { id: 'i', resource: 'r', part: 'p', acceptedAt: 5000, work: '{}' },
      ...rest,
    }) as unknown as StoredJob;

  it('is due while it waits, delayed or not, and has its last failure', () => {
    expect(toJobView(createKeptEntry())).to.deep.equal(VIEW);
    expect(toJobView(createKeptEntry({ state: 'delayed' }))).to.deep.equal(VIEW);
    expect(toJobView(createKeptEntry({ nextRunAt: null }))).to.deep.equal({ ...VIEW, dueAt: null });
    expect(toJobView(createKeptEntry({ state: 'running' }))).to.deep.equal({ ...VIEW, state: 'running', dueAt: null });
    const dead = createKeptEntry({ state: 'dead', failCode: 'C', failReason: 'why', failedAt: at(9) });
    expect(toJobView(dead)).to.deep.equal({ ...VIEW, state: 'dead', dueAt: null, failure: FAILURE });
    expect(toJobView(createKeptEntry({ failCode: 'C' })).failure).to.deep.equal({ code: 'C', detail: '', at: 0 });
  });

  it('is claimed with its token, its attempt, its body and the notes of earlier attempts', () => {
    const claimed = { id: 'i', token: 't', attempt: 1, retries: 4, body: '{}' };
    expect(toClaimedJob(createKeptEntry(), 't')).to.deep.equal({ ...claimed, journal: null });
    expect(toClaimedJob(createKeptEntry({ journal: '' }), 't')).to.deep.equal({ ...claimed, journal: null });
    expect(toClaimedJob(createKeptEntry({ journal: 'notes' }), 't')).to.deep.equal({ ...claimed, journal: 'notes' });
  });

  it('waits in two states, and has one state otherwise', () => {
    expect([listStates('waiting'), listStates('running'), listStates('dead')]).to.deep.equal([
      ['waiting', 'delayed'],
      ['running'],
      ['dead'],
    ]);
  });
});

describe('job as a row', () => {
  const ROW = {
    ...{ id: 'i', resource: 'r', part: 'p', state: 'waiting', rank: 2, attempts: '1', retries: '4', accepted: 5000 },
    ...{ due: '7000.4', failed: null, failure_code: null, fail_reason: null, work: '{}', journal: null },
  };
  const asked: unknown[] = [];
  const createTestAdmin = (...rows: object[]) =>
    createSqlJobAdmin((name, _text, values) => {
      asked.splice(0, asked.length, name, ...values);
      return Promise.resolve(rows as never);
    });

  it('is due while it waits, delayed or not, and has its last failure', async () => {
    const showRow = async (rest: object) => (await createTestAdmin({ ...ROW, ...rest }).list({}))[0];
    expect(await showRow({})).to.deep.equal(VIEW);
    expect(await showRow({ state: 'delayed' })).to.deep.equal(VIEW);
    expect(await showRow({ state: 'running' })).to.deep.equal({ ...VIEW, state: 'running', dueAt: null });
    const dead = { state: 'dead', failure_code: 'C', fail_reason: 'why', failed: '9000.2' };
    expect(await showRow(dead)).to.deep.equal({ ...VIEW, state: 'dead', dueAt: null, failure: FAILURE });
  });

  it('is listed by state and resource, up to a limit', async () => {
    await createTestAdmin().list({});
    expect(asked).to.deep.equal(['list', null, null, 1000]);
    await createTestAdmin().list({ state: 'dead', resource: 'r', limit: 5 });
    expect(asked).to.deep.equal(['list', 'dead', 'r', 5]);
  });

  it('is shown with its body and its notes, if it exists', async () => {
    expect(await createTestAdmin(ROW).show('i')).to.deep.equal({ view: VIEW, body: '{}', journal: null });
    expect(await createTestAdmin({ ...ROW, journal: 'notes' }).show('i')).to.deep.include({
      body: '{}',
      journal: 'notes',
    });
    expect([await createTestAdmin().show('i'), asked]).to.deep.equal([null, ['show', toUuid('i')]]);
  });

  it('is retried and purged, which returns whether it existed', async () => {
    expect([await createTestAdmin({}).retry('i'), await createTestAdmin().retry('i'), asked]).to.deep.equal([
      true,
      false,
      ['retry', toUuid('i')],
    ]);
    expect([await createTestAdmin({}).purge({ id: 'i' }), asked]).to.deep.equal([1, ['purge', toUuid('i')]]);
    expect([await createTestAdmin({}, {}).purge({ dead: true }), asked]).to.deep.equal([2, ['purge-dead']]);
  });

  it('is counted, with the age of the oldest, which is never negative', async () => {
    const counts = { ready: '3', delayed: '2', running: '1', dead: '0', oldest: '1.5' };
    const backlog = { ready: 3, delayed: 2, running: 1, dead: 0, oldest: 1.5 };
    expect(await createTestAdmin(counts).countBacklog()).to.deep.equal(backlog);
    expect(await createTestAdmin({ ...counts, oldest: '-2' }).countBacklog()).to.deep.equal({ ...backlog, oldest: 0 });
  });
});

describe('jobs of several queues', () => {
  it('are listed by age, and the list is cut after that', () => {
    const at = (acceptedAt: number): JobView => ({ ...VIEW, id: String(acceptedAt), acceptedAt }) as JobView;
    const rows = mergeJobs([[at(1), at(4), at(6)], [at(2), at(3)], []], 4);
    expect(rows.map(({ acceptedAt }) => acceptedAt)).to.deep.equal([1, 2, 3, 4]);
  });

  it('are counted if a store responds; one that fails or hangs hides no other', async () => {
    const counts = { ready: 3, delayed: 2, running: 1, dead: 0, oldest: 1.5 };
    const answering = { backlog: () => Promise.resolve(counts) };
    const failing = { backlog: () => Promise.reject(new Error('away')) };
    const throwing = {
      backlog: () => {
        throw new Error('away');
      },
    };
    const silent = { backlog: () => new Promise<never>(() => undefined) };
    expect(await collectBacklog([failing, answering, silent, throwing, {}, answering], 20)).to.deep.equal({
      ...{ ready: 6, delayed: 4, running: 2, dead: 0, oldest: 1.5 },
    });
    expect([await collectBacklog([failing], 20), await collectBacklog([], 20)]).to.deep.equal([null, null]);
  });
});

describe('job ids', () => {
  it('are derived from the id of the product, in the format of each store', () => {
    const digest = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect([toUuid('abc'), toShortId('abc')]).to.deep.equal([
      'ba7816bf-8f01-cfea-4141-40de5dae2223',
      digest.slice(0, 24),
    ]);
    expect(
      toJobData({ id: 'i', resource: 'r', part: 'p', acceptedAt: 5, body: '{}', delay: 1, priority: 2, retries: 3 }),
    ).to.deep.equal({
      ...{ id: 'i', resource: 'r', part: 'p', acceptedAt: 5, work: '{}' },
    });
  });
});

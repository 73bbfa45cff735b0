/** One run of a claimed job, the record of its end, and the pauses before a retry. Time is manual. */
import { expect } from 'chai';
import type { Outcome } from '../../../contract/deferred.js';
import type { TelemetryEvent } from '../../../contract/telemetry.js';
import type { Run } from '../../../plugins/queues/kind.js';
import { createLeases, type Leases } from '../../../plugins/queues/shared/leases.js';
import { createRun } from '../../../plugins/queues/shared/runs.js';
import { computePause, readSettings } from '../../../plugins/queues/shared/settings.js';
import type { ClaimedJob } from '../../../plugins/queues/shared/store.js';
import { replaceTime, type ManualTime } from '../../support/manual-time.js';
import { createTestJob } from '../../support/queues.js';

const DONE: Outcome = { done: true };
const failing = (retryable: boolean): Outcome => ({ done: false, code: 'TST_FAILED', detail: 'Failed.', retryable });

describe('run of a claimed job', () => {
  let time!: ManualTime;
  let leases!: Leases;
  let events: string[] = [];
  let messages: string[] = [];
  let fields: object[] = [];
  let ended: TelemetryEvent[] = [];
  let later: number[] = [];
  /** How often the store rejects before it responds, and its response. */
  let [failures, isHeld] = [0, true];
  const { random } = Math;
  beforeEach(() => {
    time = replaceTime();
    Math.random = () => 0.5;
    [events, messages, fields, ended, later, failures, isHeld] = [[], [], [], [], [], 0, true];
    leases = createLeases((held) => Promise.resolve(new Set(held.map(({ id }) => id))), 10_000);
  });
  afterEach(() => {
    leases.forfeitAll();
    time.restoreGlobals();
    Math.random = random;
  });

  const answer = (event: string): Promise<boolean> => {
    events.push(event);
    return failures-- > 0 ? Promise.reject(new Error('unavailable')) : Promise.resolve(isHeld);
  };
  const note = (given: object, message: string): void => {
    fields.push(given);
    messages.push(message);
  };
  const { work } = createTestJob({ a: 1 }, { id: 'one' });
  const claimed = (attempt: number, retries: number, body = JSON.stringify(work)): ClaimedJob => ({
    ...{ id: 'one', token: 'mine', attempt, retries, body, journal: null },
  });
  const start = (job: ClaimedJob, run: Run) =>
    createRun({
      store: {
        saveJournal: ({ id }, journal) => answer(`note ${id} ${journal}`),
        completeJob: ({ id, token }) => answer(`done ${id} ${token}`),
        fail: ({ id }, { code, detail }, after) => answer(`fail ${id} ${code} ${detail} ${after}`),
      },
      leases,
      settings: readSettings({ backoff: 2 }, 1),
      log: { debug: note, info: note, warn: note, error: note },
      emit: (event) => void ended.push(event),
      scheduleSweep: (milliseconds) => void later.push(milliseconds),
      findSharedStore: () => Promise.resolve(null),
    })(job, run);
  const settleJob = async (job: ClaimedJob, outcome: Outcome): Promise<void> => {
    const settle = await start(job, () => Promise.resolve(outcome));
    await settle();
  };
  const names = { what: 'work-ended', id: 'one', resource: work.resource, part: work.part };

  it('receives the work, the attempt, and a signal that ends with the lease', async () => {
    let seen: unknown[] = [];
    let aborted = (): boolean => false;
    const settle = await start(claimed(3, 5), (given, attempt, signal) => {
      seen = [given, attempt, [...leases.all].length];
      aborted = () => signal.aborted;
      return Promise.resolve(DONE);
    });
    expect(seen).to.deep.equal([work, 3, 1]);
    expect(aborted()).to.equal(false);
    leases.forfeitAll();
    expect(aborted()).to.equal(true);
    await settle();
  });

  it('is new to the store once: only then has no step been done', async () => {
    const seen: unknown[] = [];
    for (const more of [{}, { fresh: false }, { fresh: true }]) {
      const settle = await start({ ...claimed(1, 0), ...more }, (_work, _attempt, _signal, { fresh }) => {
        seen.push(fresh);
        return Promise.resolve(DONE);
      });
      await settle();
    }
    expect(seen).to.deep.equal([undefined, undefined, true]);
  });

  it('stores a note of a step, every 200 ms until the store responds, before it continues', async () => {
    failures = 2;
    const running = start(claimed(1, 0), async (_work, _attempt, _signal, journal) => {
      await journal.write([]);
      events.push('next step');
      return DONE;
    });
    await time.advance(399);
    expect(events).to.deep.equal(['note one []', 'note one []']);
    await time.advance(1);
    const settle = await running;
    await settle();
    expect(events).to.deep.equal(['note one []', 'note one []', 'note one []', 'next step', 'done one mine']);
  });

  it('removes a finished job, reports it, and releases its lease', async () => {
    await settleJob(claimed(1, 0), DONE);
    expect([events, later, messages]).to.deep.equal([['done one mine'], [], []]);
    expect(ended).to.deep.equal([{ ...names, attempt: 1, outcome: 'done', code: undefined }]);
    expect(leases.all.size).to.equal(0);
  });

  for (const [attempt, retries, retryable, after] of [
    [1, 0, true, null],
    [1, 1, true, 2000],
    [2, 1, true, null],
    [2, 2, true, 4000],
    [3, 2, true, null],
    [1, 5, false, null],
  ] as const)
    it(`${after === null ? 'ends' : 'repeats'} a job that failed ${retryable ? '' : 'permanently '}in attempt ${attempt}, with ${retries} more allowed`, async () => {
      await settleJob(claimed(attempt, retries), failing(retryable));
      expect(events).to.deep.equal([`fail one TST_FAILED Failed. ${after}`]);
      expect(later).to.deep.equal(after === null ? [] : [after]);
      const outcome = after === null ? 'dead' : 'again';
      expect(ended).to.deep.equal([{ ...names, attempt, outcome, code: 'TST_FAILED' }]);
      expect(messages.join()).to.contain(after === null ? 'is dead' : 'retrying');
      const logged = { job: 'one', code: 'TST_FAILED', attempt, of: retries + 1 };
      expect(fields).to.deep.equal([after === null ? logged : { ...logged, again: after / 1000 }]);
    });

  it('waits if a limiter rejected it, whatever its attempts', async () => {
    await settleJob(claimed(1, 0, JSON.stringify({ ...work, acceptedAt: 0 })), {
      done: false,
      code: 'TST_FAILED',
      detail: 'Failed.',
      retryable: true,
      waits: true,
    });
    // Half as long as it has been there, a minute at most.
    expect(events).to.deep.equal(['fail one TST_FAILED Failed. 60000']);
    expect(ended).to.deep.equal([{ ...names, attempt: 1, outcome: 'again', code: 'TST_FAILED' }]);
    expect(messages).to.deep.equal(['job deferred: not admitted yet']);
  });

  it('counts as failed, and may be repeated, when the work throws', async () => {
    const settle = await start(claimed(1, 1), () => Promise.reject(new Error('broken')));
    await settle();
    expect(events).to.deep.equal(['fail one JOB_FAILED The job threw an error. 2000']);
    expect(messages[0]).to.equal('job threw an error');
  });

  it('reports no names for an invalid job', async () => {
    for (const body of ['no JSON', 'null']) await settleJob(claimed(1, 0, body), failing(false));
    const unnamed = { ...names, resource: undefined, part: undefined, attempt: 1, outcome: 'dead', code: 'TST_FAILED' };
    expect(ended).to.deep.equal([unnamed, unnamed]);
  });

  it('retries an unavailable store every 200 ms, until the end is recorded', async () => {
    failures = 2;
    let isOver = false;
    const settling = settleJob(claimed(1, 0), DONE).then(() => (isOver = true));
    await time.advance(399);
    expect([events.length, isOver, leases.all.size]).to.deep.equal([2, false, 1]);
    await time.advance(1);
    await settling;
    expect([events.length, ended.length, leases.all.size]).to.deep.equal([3, 1, 0]);
  });

  it('records nothing once its lease is lost', async () => {
    for (const outcome of [DONE, failing(true)]) {
      const settle = await start(claimed(1, 5), () => Promise.resolve(outcome));
      leases.forfeitAll();
      await settle();
    }
    expect([events, ended, later]).to.deep.equal([[], [], []]);
    expect(messages).to.have.length(2);
    expect(messages[0]).to.contain('lease lost');
  });

  it('stops retrying when the lease is lost meanwhile', async () => {
    failures = Infinity;
    const settling = settleJob(claimed(1, 0), DONE);
    await time.advance(300);
    leases.forfeitAll();
    await time.advance(200);
    await settling;
    expect([events.length, ended]).to.deep.equal([2, []]);
  });

  it('forgets the steps of a job whose end is recorded, and of no other', async () => {
    const done: Outcome = { done: true, forget: () => Promise.resolve(void events.push('forgotten')) };
    await settleJob(claimed(1, 0), done);
    expect(events).to.deep.equal(['done one mine', 'forgotten']);
    isHeld = false;
    await settleJob(claimed(1, 0), done);
    expect(events.slice(2), 'another runs it').to.deep.equal(['done one mine']);
  });

  it('reports nothing, and plans no other attempt, if another process holds the job', async () => {
    isHeld = false;
    await settleJob(claimed(1, 5), DONE);
    await settleJob(claimed(1, 5), failing(true));
    expect([events.length, ended, later]).to.deep.equal([2, [], []]);
    expect(messages.filter((message) => message.includes('lease lost'))).to.have.length(2);
  });
});

describe('queue settings', () => {
  it('are in milliseconds, each with a default', () => {
    const defaults = { concurrency: 10, lease: 30_000, backoff: 2000, poll: 7000, maxPayload: 262_144 };
    expect(readSettings({}, 7)).to.deep.include(defaults);
    expect(readSettings({ lease: '1', concurrency: null }, 7)).to.deep.include(defaults);
    const given = { concurrency: 3, lease: 0.5, backoff: 0.1, poll: 1, max_payload: 5 };
    expect(readSettings(given, 7)).to.deep.include({
      ...{ concurrency: 3, lease: 500, backoff: 100, poll: 1000, maxPayload: 5 },
    });
  });

  it('double the pause with each attempt, up to an hour, and vary it by a tenth', () => {
    const { random } = Math;
    const pauses = (value: number, ...attempts: number[]): number[] => {
      Math.random = () => value;
      return attempts.map((attempt) => Math.round(computePause(attempt, { backoff: 1000 })));
    };
    try {
      expect(pauses(0.5, 1, 2, 3, 4)).to.deep.equal([1000, 2000, 4000, 8000]);
      expect(pauses(0, 1, 12, 13, 100, 1e9)).to.deep.equal([900, 1_843_200, 3_240_000, 3_240_000, 3_240_000]);
      expect(pauses(1, 1, 100)).to.deep.equal([1100, 3_960_000]);
      expect(Math.round(computePause(40, { backoff: 1e-7 }))).to.equal(118);
    } finally {
      Math.random = random;
    }
  });
});

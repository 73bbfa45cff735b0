/** Sweeps of a queue, the results of callers while the store is unavailable, and log entries. */
import { expect } from 'chai';
import { Fault } from '../../../contract/fault.js';
import type { Log } from '../../../contract/plugin.js';
import { createStoreWatch } from '../../../plugins/queues/shared/store-watch.js';
import { createSweeper, LOST } from '../../../plugins/queues/shared/sweeper.js';
import type { SweepResult } from '../../../plugins/queues/shared/store.js';
import { replaceTime, type ManualTime } from '../../support/manual-time.js';

describe('store sweeps', () => {
  let time!: ManualTime;
  let sweeps: number[] = [];
  let wakes = 0;
  let messages: string[] = [];
  let answer: () => Promise<SweepResult> = () => Promise.resolve(NOTHING);
  const NOTHING: SweepResult = { woken: 0, dead: [], next: null };
  const note = (_fields: object, message: string): void => void messages.push(message);
  const log: Log = { debug: note, info: note, warn: note, error: note };
  beforeEach(() => {
    time = replaceTime();
    [sweeps, wakes, messages, answer] = [[], 0, [], () => Promise.resolve(NOTHING)];
  });
  afterEach(() => time.restoreGlobals());
  const create = () =>
    createSweeper(
      (lost) => {
        expect(lost).to.equal(LOST);
        sweeps.push(time.now());
        return answer();
      },
      1000,
      log,
      () => wakes++,
    );

  it('begin at the start, repeat after each pause, and wake the process each time', async () => {
    const sweeper = create();
    await sweeper.start();
    await time.advance(2500);
    expect([sweeps, wakes, messages]).to.deep.equal([[0, 1000, 2000], 3, []]);
    await sweeper.stop();
    expect(time.timers()).to.equal(0);
    await time.advance(5000);
    expect(sweeps).to.have.length(3);
  });

  it('run when the next job is due, if that is sooner', async () => {
    const nexts = [300, 0, 5000, null];
    answer = () => Promise.resolve({ ...NOTHING, next: nexts.shift() ?? null });
    const sweeper = create();
    await sweeper.start();
    await time.advance(2400);
    expect(sweeps).to.deep.equal([0, 300, 301, 1301, 2301]);
    await sweeper.stop();
  });

  it('run sooner when a job that is due sooner is added, and no later', async () => {
    const sweeper = create();
    await sweeper.start();
    sweeper.scheduleSweep(5000);
    sweeper.scheduleSweep(400);
    sweeper.scheduleSweep(600);
    expect(time.timers()).to.equal(1);
    await time.advance(1300);
    expect(sweeps).to.deep.equal([0, 400]);
    await time.advance(100);
    expect(sweeps).to.deep.equal([0, 400, 1400]);
    await sweeper.stop();
  });

  it('never overlap, and a stop waits for the one in progress', async () => {
    let finish = (): void => undefined;
    answer = () => new Promise((resolve) => (finish = () => resolve(NOTHING)));
    const sweeper = create();
    const starting = sweeper.start();
    sweeper.scheduleSweep(100);
    await time.advance(500);
    expect(sweeps).to.deep.equal([0]);
    let isStopped = false;
    const stopping = sweeper.stop().then(() => (isStopped = true));
    await time.advance(500);
    expect(isStopped).to.equal(false);
    finish();
    await Promise.all([starting, stopping]);
    expect([sweeps, time.timers()]).to.deep.equal([[0], 0]);
  });

  it('follow immediately after a slow one during which a job became due, and continue after that', async () => {
    const sweeper = create();
    await sweeper.start();
    let finish = (): void => undefined;
    answer = () => new Promise((resolve) => (finish = () => resolve(NOTHING)));
    await time.advance(1000);
    sweeper.scheduleSweep(100);
    await time.advance(1500);
    expect(sweeps).to.deep.equal([0, 1000]);
    answer = () => Promise.resolve(NOTHING);
    finish();
    await time.advance(1500);
    expect(sweeps).to.deep.equal([0, 1000, 2501, 3501]);
    await sweeper.stop();
  });

  it('do not begin before the start', async () => {
    const sweeper = create();
    sweeper.scheduleSweep(10);
    await time.advance(5000);
    expect([sweeps, time.timers()]).to.deep.equal([[], 0]);
  });

  it('continue after a failed one, and still wake the process', async () => {
    answer = () => Promise.reject(new Error('unavailable'));
    const sweeper = create();
    await sweeper.start();
    await time.advance(1000);
    expect([sweeps, wakes, messages]).to.deep.equal([[0, 1000], 2, []]);
    await sweeper.stop();
  });

  it('log each dead job, and how many may run', async () => {
    answer = () => Promise.resolve({ woken: 1, dead: ['a', 'b'], next: null });
    const sweeper = create();
    await sweeper.start();
    const dead = 'job is dead: too many attempts';
    expect(messages).to.deep.equal([dead, dead, 'jobs due']);
    await sweeper.stop();
  });
});

describe('unavailable store', () => {
  let time!: ManualTime;
  let messages: string[] = [];
  beforeEach(() => {
    time = replaceTime();
    messages = [];
  });
  afterEach(() => time.restoreGlobals());
  const note = (_fields: object, message: string): void => {
    messages.push(message.includes('store available') ? 'back' : 'unavailable');
  };
  const log: Log = { debug: note, info: note, warn: note, error: note };
  const wrong = new Error('no connection');
  const rejectWrong = (): Promise<never> => Promise.reject(wrong);
  const works = (): Promise<string> => Promise.resolve('answer');
  const catchFailure = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (error: unknown) => error,
    );
  const expectUnavailable = (failure: unknown, cause?: unknown): void => {
    expect(failure).to.be.instanceOf(Fault);
    const { code, options } = failure as Fault;
    expect([code, options.retryable, options.headers]).to.deep.equal(['JOB_AWAY', true, { 'retry-after': '1' }]);
    if (cause !== undefined) expect(options.cause).to.equal(cause);
  };

  it('is logged once when it fails and once when it works again', async () => {
    const watch = createStoreWatch(log);
    expect(await watch.track(works())).to.equal('answer');
    expect(messages).to.deep.equal([]);
    expect(await catchFailure(watch.track(rejectWrong()))).to.equal(wrong);
    await catchFailure(watch.track(rejectWrong()));
    expect(messages).to.deep.equal(['unavailable']);
    await watch.track(works());
    await watch.track(works());
    expect(messages).to.deep.equal(['unavailable', 'back']);
    await catchFailure(watch.track(rejectWrong()));
    expect(messages).to.deep.equal(['unavailable', 'back', 'unavailable']);
  });

  it('rejects callers with JOB_AWAY, without the text of a driver', async () => {
    const watch = createStoreWatch(log);
    expectUnavailable(await catchFailure(watch.trackOrFault(rejectWrong())), wrong);
    expectUnavailable(await catchFailure(watch.trackInTime(rejectWrong)), wrong);
    expect([await watch.trackOrFault(works()), await watch.trackInTime(works)]).to.deep.equal(['answer', 'answer']);
  });

  it('responds to callers within their timeout, and is logged also while its driver retries', async () => {
    const watch = createStoreWatch(log);
    let reject = (_error: Error): void => undefined;
    const asking = catchFailure(watch.trackInTime(() => new Promise<never>((_, no) => (reject = no))));
    await time.advance(899);
    expect(messages).to.deep.equal([]);
    await time.advance(1);
    expectUnavailable(await asking);
    expect(messages).to.deep.equal(['unavailable']);
    // It may fail when nothing waits for it any more.
    reject(wrong);
    await time.advance(0);
    expect([messages.length, time.timers()]).to.deep.equal([1, 0]);
  });

  it('is awaited without a timeout if it is in this process', async () => {
    const watch = createStoreWatch(log, Infinity);
    let resolve = (_value: string): void => undefined;
    const asking = watch.trackInTime(() => new Promise<string>((yes) => (resolve = yes)));
    await time.advance(100_000);
    expect(time.timers()).to.equal(0);
    resolve('late');
    expect([await asking, messages]).to.deep.equal(['late', []]);
  });

  it('leaves no timer after a caller was served', async () => {
    const watch = createStoreWatch(log);
    await watch.trackInTime(works);
    await catchFailure(watch.trackInTime(rejectWrong));
    expect(time.timers()).to.equal(0);
  });

  it('is not logged as working again for the response to a call that began just before the failure', async () => {
    const watch = createStoreWatch(log);
    let resolve = (_value: string): void => undefined;
    const failing = catchFailure(watch.track(rejectWrong()));
    const late = watch.track(new Promise<string>((yes) => (resolve = yes)));
    await failing;
    resolve('late');
    await late;
    expect(messages).to.deep.equal(['unavailable']);
  });

  it('is not logged again for a call that began before the last change', async () => {
    const watch = createStoreWatch(log);
    let [rejectOld, resolveOld] = [(_error: Error): void => undefined, (_value: string): void => undefined];
    const old = catchFailure(watch.track(new Promise<never>((_, no) => (rejectOld = no))));
    const older = watch.track(new Promise<string>((yes) => (resolveOld = yes)));
    await catchFailure(watch.track(rejectWrong()));
    // A response from before has no meaning now.
    resolveOld('late');
    await older;
    expect(messages).to.deep.equal(['unavailable']);
    await watch.track(works());
    rejectOld(wrong);
    await old;
    expect(messages).to.deep.equal(['unavailable', 'back']);
  });
});

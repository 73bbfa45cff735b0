/**
 * Log entries about an unavailable store, and the results of callers: with stores that never respond, respond late, or
 * fail.
 */
import { expect } from 'chai';
import { Fault } from '../../contract/fault.js';
import type { Log } from '../../contract/plugin.js';
import { createStoreWatch, type StoreWatch } from '../../plugins/queues/shared/store-watch.js';

const UNAVAILABLE = 'queue store unavailable; jobs are neither accepted nor run';
const BACK = 'queue store available';
const PATIENCE = 5;

interface PendingCall {
  readonly call: () => Promise<string>;
  readonly answer: () => void;
  readonly fail: () => void;
}
function createPendingCall(): PendingCall {
  let [answer, fail] = [(): void => {}, (): void => {}];
  const promise = new Promise<string>((resolve, reject) => {
    answer = () => resolve('done');
    fail = () => reject(new Error('lost'));
  });
  return { call: () => promise, answer: () => answer(), fail: () => fail() };
}

describe('queue store watch', () => {
  let reported: string[];
  let watch: StoreWatch;
  const recordMessage = (_what: object, message: string): void => void reported.push(message);
  const ready = (): Promise<string> => Promise.resolve('done');
  const expectRejection = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => expect.fail('it was taken'),
      (error: unknown) => error instanceof Fault && error.code,
    );

  beforeEach(() => {
    reported = [];
    const log: Log = { debug: recordMessage, info: recordMessage, warn: recordMessage, error: recordMessage };
    watch = createStoreWatch(log, PATIENCE);
  });

  it('reports that it is unavailable after a rejection, although the driver retries', async () => {
    expect(await expectRejection(watch.trackInTime(createPendingCall().call))).to.equal('JOB_AWAY');
    expect(await expectRejection(watch.trackInTime(createPendingCall().call))).to.equal('JOB_AWAY');
    expect(reported).to.deep.equal([UNAVAILABLE]);
    await watch.trackInTime(ready);
    expect(reported).to.deep.equal([UNAVAILABLE, BACK]);
  });

  it('ignores a late response: the next query reports', async () => {
    const late = createPendingCall();
    expect(await expectRejection(watch.trackInTime(late.call))).to.equal('JOB_AWAY');
    late.answer();
    await late.call();
    expect(reported).to.deep.equal([UNAVAILABLE]);
    await watch.track(ready());
    expect(reported).to.deep.equal([UNAVAILABLE, BACK]);
  });

  it('ignores a late failure when it is available again', async () => {
    const late = createPendingCall();
    const lost = watch.track(late.call()).catch(() => undefined);
    expect(await expectRejection(watch.trackInTime(createPendingCall().call))).to.equal('JOB_AWAY');
    await watch.trackInTime(ready);
    late.fail();
    await lost;
    expect(reported).to.deep.equal([UNAVAILABLE, BACK]);
  });

  it('reports nothing as long as all queries return in time', async () => {
    expect(await watch.trackInTime(ready)).to.equal('done');
    expect(await watch.trackOrFault(ready())).to.equal('done');
    expect(reported).to.deep.equal([]);
  });
});

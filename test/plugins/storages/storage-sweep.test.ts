/** Removing the parts of failed uploads from a bucket: until the server responds, within limits. */
import { expect } from 'chai';
import type { Log } from '../../../contract/plugin.js';
import { NETWORK_REASONS } from '../../../plugins/shared/network-reasons.light.js';
import { toOpenFault } from '../../../plugins/storages/minio/errors.js';
import { createSweep, type Leftover } from '../../../plugins/storages/minio/sweep.js';
import { replaceTime, type ManualTime } from '../../support/manual-time.js';

function sweeping(clear: (leftover: Leftover) => Promise<void>) {
  const kept: unknown[] = [];
  const ignore = (): void => {};
  const log: Log = { debug: ignore, info: ignore, error: ignore, warn: (fields) => void kept.push(fields) };
  return { sweep: createSweep(clear, log), kept };
}

describe('bucket sweep', () => {
  it('removes each added upload, once', async () => {
    const cleared: string[] = [];
    const { sweep, kept } = sweeping(async ({ key }) => void cleared.push(key));
    sweep.add({ key: 'a', parts: null });
    sweep.add({ key: 'b', parts: null });
    await sweep.close();
    expect([cleared, kept]).to.deep.equal([['a', 'b'], []]);
  });

  it('logs the names that the server did not remove before the end', async () => {
    const { sweep, kept } = sweeping(async () => {
      throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    });
    sweep.add({ key: 'a', parts: null });
    await sweep.close();
    expect(kept).to.deep.equal([{ key: 'a', why: 'the server did not answer' }]);
  });

  it('remembers the parts of an upload that is added again without them', async () => {
    const cleared: Leftover[] = [];
    let isAway = true;
    const { sweep } = sweeping(async (leftover) => {
      if (isAway) throw new Error('away');
      cleared.push(leftover);
    });
    sweep.add({ key: 'a', parts: { id: '7' } });
    sweep.add({ key: 'a', parts: null });
    isAway = false;
    await sweep.close();
    expect(cleared).to.deep.equal([{ key: 'a', parts: { id: '7' } }]);
  });
});

describe('bucket sweep whose server does not respond', () => {
  let time!: ManualTime;
  beforeEach(() => (time = replaceTime()));
  afterEach(() => time.restoreGlobals());
  const coded = (code: string): Error => Object.assign(new Error('x'), { code });

  it('retries after pauses that double, a minute at most, and stops after 35 attempts', async () => {
    let tries = 0;
    const { sweep, kept } = sweeping(async () => {
      tries++;
      throw coded('ECONNREFUSED');
    });
    sweep.add({ key: 'a', parts: null });
    await time.advance(0);
    const pauses: (number | null)[] = [];
    for (let pause = time.next(); pause !== null && pauses.length < 50; pause = time.next()) {
      pauses.push(pause);
      await time.advance(pause);
    }
    const expected = Array.from({ length: 34 }, (_, i) => Math.min(250 * 2 ** i, 60_000));
    expect([pauses, tries]).to.deep.equal([expected, 35]);
    expect(kept).to.deep.equal([{ key: 'a', why: 'ECONNREFUSED' }]);
  });

  it('begins with a short pause again after a success, and without a pause when nothing waits', async () => {
    let isAway = true;
    const cleared: string[] = [];
    const { sweep } = sweeping(async ({ key }) => {
      if (isAway || key === 'never') throw coded('X');
      cleared.push(key);
    });
    sweep.add({ key: 'a', parts: null });
    await time.advance(2000);
    expect(time.next()).to.equal(1750);
    sweep.add({ key: 'never', parts: null });
    expect(time.timers(), 'one round at a time').to.equal(1);
    isAway = false;
    await time.advance(1750);
    expect([cleared, time.next()]).to.deep.equal([['a'], 250]);
    sweep.add({ key: 'b', parts: null });
    await time.advance(250);
    expect(cleared, 'what comes before it meets the same').to.deep.equal(['a']);
    const empty = sweeping(async () => undefined);
    empty.sweep.add({ key: 'c', parts: null });
    await time.advance(0);
    expect(time.timers()).to.equal(1);
  });

  it('restarts with a key that is added again', async () => {
    let tries = 0;
    const { sweep, kept } = sweeping(async () => {
      tries++;
      throw coded('X');
    });
    sweep.add({ key: 'a', parts: null });
    while (tries < 34) await time.advance(time.next() ?? 0);
    sweep.add({ key: 'a', parts: null });
    await time.advance(60_000);
    expect([tries, kept]).to.deep.equal([35, []]);
  });

  it('stores ten thousand keys, and logs those beyond', async () => {
    const { sweep, kept } = sweeping(async () => {
      throw coded('X');
    });
    for (let n = 0; n <= 10_000; n++) sweep.add({ key: `key ${n}`, parts: null });
    expect(kept).to.deep.equal([{ key: 'key 10000', why: 'too many are waiting' }]);
  });

  it('waits for the current round when it ends, tries once more, and then sets no timer', async () => {
    const asked: string[] = [];
    let answer = (): void => undefined;
    const { sweep, kept } = sweeping(async ({ key }) => {
      asked.push(key);
      if (asked.length === 1) await new Promise<void>((resolve) => (answer = resolve));
      if (asked.length < 3) throw coded('X');
    });
    sweep.add({ key: 'a', parts: null });
    const closing = sweep.close();
    await time.advance(0);
    expect(asked).to.deep.equal(['a']);
    answer();
    await closing;
    expect([asked, kept]).to.deep.equal([['a', 'a'], [{ key: 'a', why: 'the server did not answer' }]]);
    sweep.add({ key: 'b', parts: null });
    await time.advance(100_000);
    expect([asked.length, time.timers()]).to.deep.equal([2, 0]);
  });

  it('ends the current pause', async () => {
    const { sweep } = sweeping(async () => {
      throw coded('X');
    });
    sweep.add({ key: 'a', parts: null });
    await time.advance(0);
    expect(time.timers()).to.equal(1);
    await sweep.close();
    expect(time.timers()).to.equal(0);
  });
});

describe('bucket that cannot be opened', () => {
  const getReason = (error: Error): unknown => toOpenFault(error, 'files').params['reason'];
  const coded = (code: string): Error => Object.assign(new Error('x'), { code });

  it('has a reason in fixed texts for the codes of a network or a server', () => {
    expect(getReason(coded('ECONNREFUSED'))).to.equal(NETWORK_REASONS['ECONNREFUSED']);
    expect(getReason(coded('InvalidAccessKeyId'))).to.equal('the access key is unknown');
  });

  it('has the code without a text, and no text for inherited property names', () => {
    expect(getReason(coded('EODD'))).to.equal('the server cannot be asked (EODD)');
    expect(getReason(coded('toString'))).to.equal('the server cannot be asked (toString)');
  });
});

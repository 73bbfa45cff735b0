/** Clearing away what failed uploads left in a bucket: until the server answers, and no longer than it may. */
import { expect } from 'chai';
import type { Log } from '../../kernel/contract/plugin.js';
import { NETWORK_REASONS } from '../../plugins/kinds/network-reasons.js';
import { openFault } from '../../plugins/storages/minio/errors.js';
import { createSweep, type Leftover } from '../../plugins/storages/minio/sweep.js';

function sweeping(clear: (leftover: Leftover) => Promise<void>) {
  const kept: unknown[] = [];
  const ignore = (): void => {};
  const log: Log = { debug: ignore, info: ignore, error: ignore, warn: (fields) => void kept.push(fields) };
  return { sweep: createSweep(clear, log), kept };
}

describe('the sweep of a bucket', () => {
  it('clears what is handed in, once', async () => {
    const cleared: string[] = [];
    const { sweep, kept } = sweeping(async ({ key }) => void cleared.push(key));
    sweep.add({ key: 'a', parts: null });
    sweep.add({ key: 'b', parts: null });
    await sweep.close();
    expect([cleared, kept]).to.deep.equal([['a', 'b'], []]);
  });

  it('names in the log what the server did not clear before the end', async () => {
    const { sweep, kept } = sweeping(async () => {
      throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    });
    sweep.add({ key: 'a', parts: null });
    await sweep.close();
    expect(kept).to.deep.equal([{ key: 'a', why: 'the server did not answer' }]);
  });

  it('remembers the parts of an upload that is handed in again without them', async () => {
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

describe('a bucket that cannot be opened', () => {
  const reasonOf = (error: Error): unknown => openFault(error, 'files').params['reason'];
  const coded = (code: string): Error => Object.assign(new Error('x'), { code });

  it('has a reason in fixed words for the codes that a network or a server gives', () => {
    expect(reasonOf(coded('ECONNREFUSED'))).to.equal(NETWORK_REASONS['ECONNREFUSED']);
    expect(reasonOf(coded('InvalidAccessKeyId'))).to.equal('the access key is unknown');
  });

  it('has the code where there are no words, and no words for names that every object has', () => {
    expect(reasonOf(coded('EODD'))).to.equal('the server cannot be asked (EODD)');
    expect(reasonOf(coded('toString'))).to.equal('the server cannot be asked (toString)');
  });
});

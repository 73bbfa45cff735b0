/** Bounds of results: of each statement, and of all large results that the process holds at the same time. */
import { expect } from 'chai';
import { getHeapStatistics } from 'node:v8';
import type { Requester } from '../../../contract/requester.js';
import { LargeResult, UNBOUNDED, type ResultLimits } from '../../../plugins/shared/results.js';

const MIB = 1_048_576;
const LIMITS: ResultLimits = { rows: 10, bytes: 64 * MIB, checkFrom: MIB };
/** An eighth of the memory of the process. */
const MOST = Math.floor(getHeapStatistics().heap_size_limit / 8);

function createRequest() {
  const ends: (() => void)[] = [];
  const requester = { invocation: { onFinish: (work: () => void) => void ends.push(work) } } as unknown as Requester;
  return { requester, end: () => ends.forEach((work) => work()) };
}
/** Fits only where nothing else is held. */
const fitsAll = (requester: Requester | null = null): string | null => {
  const result = new LargeResult(UNBOUNDED, requester);
  const fault = result.checkSize(1, MOST - 2 * MIB);
  result.dispose();
  return fault?.code ?? null;
};

describe('result limits', () => {
  it('apply to rows and bytes of one statement', () => {
    const check = (rows: number, bytes: number): unknown => {
      const fault = new LargeResult(LIMITS, null).checkSize(rows, bytes);
      return fault === null ? null : [fault.code, fault.params];
    };
    expect(check(10, MIB)).to.equal(null);
    expect(check(11, 1)).to.deep.equal(['QRY_RESULT', { max: 10, what: 'rows' }]);
    expect(check(1, 64 * MIB + 1)).to.deep.equal(['QRY_RESULT', { max: 64 * MIB, what: 'bytes' }]);
  });

  it('count a large result until its request ends', () => {
    const { requester, end } = createRequest();
    const held = new LargeResult(LIMITS, requester);
    expect(held.checkSize(1, 8 * MIB)).to.equal(null);
    expect(held.next).to.equal(8 * MIB);
    held.close();
    expect(fitsAll()).to.equal('QRY_CROWDED');
    end();
    expect(fitsAll()).to.equal(null);
  });

  it('count a result outside a request until it is read', () => {
    const held = new LargeResult(LIMITS, null);
    expect(held.checkSize(1, 8 * MIB)).to.equal(null);
    expect(fitsAll()).to.equal('QRY_CROWDED');
    held.close();
    expect(fitsAll()).to.equal(null);
  });

  it('do not count small results', () => {
    expect(new LargeResult(LIMITS, null).checkSize(1, MIB)).to.equal(null);
    expect(fitsAll()).to.equal(null);
  });
});

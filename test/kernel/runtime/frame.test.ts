/** Execution context of a request: what its forks share, and what each fork owns. */
import { expect } from 'chai';
import { ParallelFrame, createFrame, type FrameMemory } from '../../../kernel/runtime/frame.js';
import { createTestInvocation } from '../../support/invocation.js';
import { createResourcePlan } from '../../support/plans.js';

const [MADE, NAME, EXTRACTED] = [0, 1, 2];
let made = 0;
const make = (): string => `made ${++made}`;
const plan = createResourcePlan([], {
  ...{ slots: 3, results: 2, memos: [MADE], makers: [{ slot: NAME, memo: MADE, make, action: null }] },
});
const frame = (): FrameMemory => createFrame(createTestInvocation({}, { startedAt: 5 }), plan);

describe('execution context', () => {
  it('has one timestamp, shared with its forks', () => {
    const one = frame();
    expect(one.now()).to.equal('1970-01-01T00:00:00.005Z');
    expect([one.forkFrame({}).now(), new ParallelFrame(one).now()]).to.deep.equal([one.now(), one.now()]);
  });

  it('starts without payload, claims and persistent headers', () => {
    const { payload, received, claims, lastingHeaders, unit, committedTo, headers, results, slots } = frame();
    expect({ payload, received, claims, lastingHeaders, unit, committedTo, headers }).to.deep.equal({
      ...{ payload: {}, received: {}, claims: null, lastingHeaders: null, unit: null, committedTo: -1, headers: {} },
    });
    expect([results.length, slots.length, Object.isFrozen(payload)]).to.deep.equal([2, 3, true]);
  });

  it('is copied for one item with the payload replaced', () => {
    const one = frame();
    Object.assign(one, {
      ...{ payload: { list: [1] }, received: { list: ['1'] }, claims: { id: 7 }, lastingHeaders: { x: '1' } },
      ...{ committedTo: 4, unit: 'unit' },
    });
    one.headers['y'] = '2';
    one.results[0] = 'result';
    one.slots[EXTRACTED] = 'extracted';
    const fork = one.forkFrame({ item: 1 });
    const { received, claims, lastingHeaders, committedTo, unit } = one;
    expect(fork).to.deep.include({ received, claims, lastingHeaders, committedTo, unit });
    expect([fork.payload, fork.slots[EXTRACTED]]).to.deep.equal([{ item: 1 }, 'extracted']);
    expect([fork.headers, fork.results]).to.deep.equal([{ y: '2' }, ['result', undefined]]);
    fork.headers['z'] = '3';
    fork.results[1] = 'of the item';
    fork.slots[EXTRACTED] = 'of the item';
    expect([one.headers, one.results[1], one.slots[EXTRACTED]]).to.deep.equal([
      { y: '2', z: '3' },
      'of the item',
      'extracted',
    ]);
    expect(fork.forkFrame({ deeper: 1 })).to.deep.include({ received, claims, lastingHeaders, committedTo, unit });
  });

  it('is shared by parallel actionables, except the transaction and the callbacks after its commit', () => {
    const one = frame();
    const next = new ParallelFrame(one);
    Object.assign(next, { payload: { a: 1 }, lastingHeaders: { x: '1' }, committedTo: 3, unit: 'own' });
    expect([one.payload, one.lastingHeaders, one.committedTo, one.unit]).to.deep.equal([{ a: 1 }, { x: '1' }, 3, null]);
    one.received = { a: '1' };
    one.claims = { id: 7 };
    expect(next).to.include({ received: one.received, claims: one.claims, committedTo: 3, payload: one.payload });
    expect([next.slots, next.results, next.headers, next.invocation]).to.deep.equal([
      ...[one.slots, one.results, one.headers, one.invocation],
    ]);
    expect(next.forkFrame({ b: 1 })).to.deep.include({ unit: 'own', payload: { b: 1 }, received: { a: '1' } });
  });
});

describe('value generated once', () => {
  beforeEach(() => (made = 0));

  it('is generated again for each item that has its name, and kept in a retry', () => {
    const one = frame();
    one.slots[NAME] = one.slots[MADE] = make();
    const first = one.forkFrame({ item: 1 });
    const second = one.forkFrame({ item: 2 });
    expect([first.slots[NAME], second.slots[NAME]]).to.deep.equal(['made 2', 'made 3']);
    const again = [one.forkFrame({ item: 1 }, first), one.forkFrame({ item: 2 }, second)];
    expect(again.map(({ slots }) => slots[NAME])).to.deep.equal(['made 2', 'made 3']);
    expect(made).to.equal(3);
  });

  it('is not generated for an item before its first use, or if its name has another value', () => {
    const one = frame();
    expect(one.forkFrame({}).slots[NAME]).to.equal(undefined);
    one.slots[NAME] = 'extracted';
    expect(one.forkFrame({}).slots[NAME]).to.equal('extracted');
    one.slots[MADE] = make();
    const fork = one.forkFrame({});
    expect([fork.slots[NAME], fork.slots[MADE], made]).to.deep.equal(['extracted', undefined, 1]);
  });
});

describe('callbacks after a commit', () => {
  for (const [what, open] of [
    ['of the request', (one: FrameMemory) => one],
    ['of a parallel actionable', (frame: FrameMemory) => new ParallelFrame(frame)],
  ] as const)
    it(`run once, in order, after the commit ${what}, and never after a rollback`, async () => {
      const done: string[] = [];
      const note = (name: string) => async (): Promise<void> => {
        await new Promise((resolve) => setImmediate(resolve));
        done.push(name);
      };
      const one = open(frame());
      await one.afterCommit(note('without a unit'));
      expect(done.splice(0)).to.deep.equal(['without a unit']);
      one.unit = 1;
      void one.afterCommit(note('a'));
      void one.forkFrame({}).afterCommit(note('b'));
      void one.forkFrame({}).forkFrame({}).afterCommit(note('c'));
      expect(done).to.deep.equal([]);
      await one.flushCallbacks(true);
      expect(done.splice(0)).to.deep.equal(['a', 'b', 'c']);
      await one.flushCallbacks(true);
      void one.afterCommit(note('d'));
      await one.flushCallbacks(false);
      await one.flushCallbacks(true);
      expect(done).to.deep.equal([]);
    });

  it('of a fork outside a transaction run immediately', () => {
    const done: string[] = [];
    const one = frame();
    const fork = one.forkFrame({});
    one.unit = 1;
    void fork.afterCommit(() => void done.push('fork'));
    expect(done).to.deep.equal(['fork']);
  });
});

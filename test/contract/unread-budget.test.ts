/**
 * Unread responses: counted while they are buffered, and the slowest of the network with most are cut off. Under manual
 * time.
 */
import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { UnreadBudget } from '../../contract/unread-budget.js';

describe('unread responses', () => {
  let now = 0;
  const clock = { now: () => now, wait: () => new Promise<void>(() => {}) };
  const createTestUnread = () => {
    const cut: string[] = [];
    const taken = new Map<string, number>();
    const unread = new UnreadBudget(100, clock);
    const answer = (name: string, network: string, bytes: number): EventEmitter => {
      const res = Object.assign(new EventEmitter(), { destroy: () => void (cut.push(name), res.emit('close')) });
      unread.add(res, network, bytes, () => taken.get(name) ?? 0);
      return res;
    };
    return { cut, taken, unread, answer };
  };

  it('are counted until they have been sent, however they end', () => {
    const { unread, answer } = createTestUnread();
    const [one, two] = [answer('one', 'a', 30), answer('two', 'a', 40)];
    expect(unread.bytes).to.equal(70);
    one.emit('finish');
    one.emit('close');
    two.emit('close');
    expect(unread.bytes).to.equal(0);
  });

  it('are cut off above the limit, first those of the network with most bytes', () => {
    const { cut, unread, answer } = createTestUnread();
    answer('other', 'b', 30);
    answer('first', 'a', 30);
    answer('second', 'a', 40);
    now += 1000;
    answer('new', 'c', 60);
    expect(cut).to.deep.equal(['first', 'second']);
    expect(unread.bytes).to.equal(90);
  });

  it('are cut off by progress: first the longest stalled, then the slowest', () => {
    const { cut, taken, unread, answer } = createTestUnread();
    for (const name of ['fast', 'slow', 'stalled', 'still']) answer(name, 'a', 25);
    now += 1000;
    // Measured here: one that reads nothing more from now on is stalled from now on.
    for (const [name, bytes] of [
      ['fast', 20],
      ['slow', 5],
      ['stalled', 10],
    ] as const)
      taken.set(name, bytes);
    answer('one', 'b', 25);
    expect(cut).to.deep.equal(['still']);
    now += 1000;
    for (const [name, bytes] of [
      ['fast', 40],
      ['slow', 10],
      ['one', 1],
    ] as const)
      taken.set(name, bytes);
    answer('two', 'b', 25);
    expect(cut).to.deep.equal(['still', 'stalled']);
    answer('three', 'b', 25);
    expect(cut).to.deep.equal(['still', 'stalled', 'slow']);
    expect(unread.bytes).to.equal(100);
  });

  it('in progress may use half of the limit together, and a mebibyte each', () => {
    const unread = new UnreadBudget(8_000_000, clock);
    const cut: string[] = [];
    const begin = (name: string) => {
      const res = Object.assign(new EventEmitter(), { destroy: () => void (cut.push(name), res.emit('close')) });
      return { res, held: unread.add(res, 'a', 0, () => 0) };
    };
    const [first, second] = [begin('first'), begin('second')];
    expect([unread.setHeld(first.held, 3_999_999), unread.setHeld(second.held, 2_000_000)]).to.deep.equal([
      true,
      false,
    ]);
    expect([unread.setHeld(second.held, 1_048_575), unread.bytes]).to.deep.equal([true, 5_048_574]);
    // One that was read a moment ago, or holds nothing, is not the oldest.
    begin('empty');
    now += 1000;
    unread.setHeld(first.held, 3_000_000);
    unread.add(begin('third').res, 'a', 6_000_000, () => 0);
    expect(cut).to.deep.equal(['second']);
    first.res.emit('close');
    expect([unread.setHeld(first.held, 5), unread.bytes]).to.deep.equal([true, 6_000_000]);
  });

  it('have a grace period: many large responses that are read are not cut off', () => {
    const { cut, answer } = createTestUnread();
    const all = [1, 2, 3, 4].map((n) => answer(`n${n}`, 'a', 60));
    expect(cut).to.deep.equal([]);
    for (const one of all) one.emit('finish');
    now += 1000;
    answer('next', 'a', 60);
    expect(cut).to.deep.equal([]);
  });
});

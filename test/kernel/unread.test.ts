/** Answers that are not read: counted while they are here, and the oldest of the network with most are cut off. The time is the test's own. */
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { Unread } from '../../kernel/http/unread-limit.js';

describe('answers that are not read', () => {
  let now = 0;
  const createTestUnread = () => {
    const cut: string[] = [];
    const unread = new Unread(100, () => now);
    const answer = (name: string, network: string, bytes: number): EventEmitter => {
      const res = Object.assign(new EventEmitter(), { destroy: () => void (cut.push(name), res.emit('close')) });
      unread.add(res as unknown as ServerResponse, network, bytes);
      return res;
    };
    return { cut, unread, answer };
  };

  it('are counted until they have left, however they end', () => {
    const { unread, answer } = createTestUnread();
    const [one, two] = [answer('one', 'a', 30), answer('two', 'a', 40)];
    expect(unread.bytes).to.equal(70);
    one.emit('finish');
    one.emit('close');
    two.emit('close');
    expect(unread.bytes).to.equal(0);
  });

  it('are cut off when they are too much: the oldest of the network that holds most', () => {
    const { cut, unread, answer } = createTestUnread();
    answer('other', 'b', 30);
    answer('first', 'a', 30);
    answer('second', 'a', 40);
    now += 1000;
    answer('new', 'c', 60);
    expect(cut).to.deep.equal(['first', 'second']);
    expect(unread.bytes).to.equal(90);
  });

  it('have a moment: many large answers that are read are no reason', () => {
    const { cut, answer } = createTestUnread();
    const all = [1, 2, 3, 4].map((n) => answer(`n${n}`, 'a', 60));
    expect(cut).to.deep.equal([]);
    for (const one of all) one.emit('finish');
    now += 1000;
    answer('next', 'a', 60);
    expect(cut).to.deep.equal([]);
  });
});

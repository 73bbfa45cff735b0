/** The latest messages of a relay: limits of number, age and bytes, gaps, and what a reconnecting client has missed. */
import { expect } from 'chai';
import type { Delivery } from '../../../contract/delivery.js';
import {
  formatMessageId,
  packMessage,
  parseMessageNumber,
  unpackMessage,
} from '../../../plugins/relays/shared/messages.js';
import { createRing, type RingOptions } from '../../../plugins/relays/shared/ring.js';
import { readRelaySettings } from '../../../plugins/relays/shared/settings.js';

function createTestRing(rest: Partial<RingOptions> = {}) {
  const time = { now: 1000 };
  const ring = createRing({ most: 100, keep: 50, bytes: 1000, now: () => time.now, ...rest });
  const message = (number: number): Delivery => ({ action: 'told', data: number, to: { all: true }, id: null });
  const add = (number: number, size = 1, at?: number) => ring.add(number, message(number), size, at);
  const after = (number: number) => ring.listAfter(number)?.map(({ data }) => data) ?? null;
  return { ring, time, add, after };
}

describe('messages stored by a relay', () => {
  it('are those after a number, none after the latest, and unknown if some are missing', () => {
    const { ring, add, after } = createTestRing();
    expect([ring.latest(), after(-1), after(0)]).to.deep.equal([-1, [], null]);
    for (const number of [0, 1, 2]) add(number);
    expect([-1, 0, 1, 2, 3].map(after)).to.deep.equal([[0, 1, 2], [1, 2], [2], [], null]);
    expect(ring.latest()).to.equal(2);
  });

  it('restart if the numbers have a gap, or go back', () => {
    const { ring, add, after } = createTestRing();
    add(0);
    add(5);
    add(6);
    expect([after(0), after(3), after(4), after(5)]).to.deep.equal([null, null, [5, 6], [6]]);
    add(6);
    expect([after(4), after(5), after(6)]).to.deep.equal([null, [6], []]);
    ring.begin(9);
    expect([ring.latest(), after(8), after(9)]).to.deep.equal([9, null, []]);
    add(10);
    expect([after(8), after(9)]).to.deep.equal([null, [10]]);
  });

  it('are limited in number', () => {
    const { add, after } = createTestRing({ most: 2 });
    for (const number of [0, 1]) add(number);
    expect(after(-1)).to.deep.equal([0, 1]);
    add(2);
    expect([after(-1), after(0)]).to.deep.equal([null, [1, 2]]);
  });

  it('are limited in bytes together', () => {
    const { add, after } = createTestRing({ bytes: 10 });
    add(0, 4);
    add(1, 6);
    expect(after(-1)).to.deep.equal([0, 1]);
    add(2, 4);
    expect([after(-1), after(0)]).to.deep.equal([null, [1, 2]]);
    add(3, 11);
    expect([after(2), after(3)]).to.deep.equal([null, []]);
    add(4, 10);
    expect(after(3)).to.deep.equal([4]);
  });

  it('are limited in age, also if nothing newer was added', () => {
    const { time, add, after } = createTestRing();
    add(0);
    add(1, 1, 1020);
    time.now = 1050;
    expect(after(-1)).to.deep.equal([0, 1]);
    time.now = 1051;
    expect([after(-1), after(0)]).to.deep.equal([null, [1]]);
    time.now = 1071;
    expect([after(0), after(1)]).to.deep.equal([null, []]);
  });

  it('stay in order over thousands, with few stored', () => {
    const { add, after } = createTestRing({ most: 3 });
    for (let number = 0; number < 5000; number++) add(number);
    expect([after(4995), after(4996), after(4998)]).to.deep.equal([null, [4997, 4998, 4999], [4999]]);
  });
});

describe('message ids', () => {
  it('are a number of an epoch, and other text is invalid', () => {
    expect([formatMessageId('e-1_A', 0), formatMessageId('e', 12)]).to.deep.equal(['e-1_A.0', 'e.12']);
    expect([
      parseMessageNumber('e-1_A.0', 'e-1_A'),
      parseMessageNumber('e.12', 'e'),
      parseMessageNumber(`e.${'9'.repeat(15)}`, 'e'),
    ]).to.deep.equal([...[0, 12, 999_999_999_999_999]]);
    for (const id of ['f.1', 'e.', 'e.01', 'e.-1', 'e.1.', '.1', 'e1', 'e.1x', ' e.1', `e.${'9'.repeat(16)}`, ''])
      expect(parseMessageNumber(id, 'e'), id).to.equal(null);
    const long = 'e'.repeat(64);
    expect([parseMessageNumber(`${long}.1`, long), parseMessageNumber(`${long}e.1`, `${long}e`)]).to.deep.equal([
      1,
      null,
    ]);
  });
});

describe('serialized messages', () => {
  it('are parsed, and other text is ignored: other programs can write into the store', () => {
    for (const to of [{ all: true }, { uids: ['u'], of: { realm: null, open: true } }, { rooms: [] }] as const) {
      const message = { action: 'a', data: { x: [1] }, to };
      expect(unpackMessage(packMessage(message).text)).to.deep.equal(message);
    }
    expect(unpackMessage('{"action":"a","to":{"all":true}}')).to.deep.equal({
      action: 'a',
      data: null,
      to: { all: true },
    });
    const wrong = [{}, null, [], 'all', { all: false }, { uids: 'u' }, { rooms: null }, { everybody: true }];
    const texts = wrong.map((to) => JSON.stringify({ action: 'a', data: null, to }));
    for (const text of [...texts, '', '{', 'null', '[]', '{"action":1,"to":{"all":true}}'])
      expect(unpackMessage(text), text).to.equal(null);
  });
});

describe('relay settings', () => {
  it('are in milliseconds, each with a default', () => {
    expect(readRelaySettings({ replay: true, keep: 2, most: 5 })).to.deep.equal({ replay: true, keep: 2000, most: 5 });
    const { replay, keep, most } = readRelaySettings({ replay: 'yes' });
    expect([replay, keep > 1000, most > 1]).to.deep.equal([false, true, true]);
  });
});

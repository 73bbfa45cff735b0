/** What the console holds of many requests: the newest, some of each second before, all while it has a reader; within its bounds. */
import { expect } from 'chai';
import type { InvocationRecord } from '../../../contract/telemetry.js';
import { estimateSize } from '../../../plugins/observers/console/masked-copy.js';
import { createRecordStore, type RecordStore } from '../../../plugins/observers/console/record-store.js';

const MASK = { isSecret: () => false, maskText: (text: string) => text, masked: '-' };

const createStore = (requests: number, bytes = 1_000_000): RecordStore =>
  createRecordStore({ requests, bytes }, { readMask: () => MASK, isDev: true });

function addRequests(store: RecordStore, count: number, size = 1): void {
  for (let i = 0; i < count; i++) {
    const record: InvocationRecord = {
      id: `${i}`,
      trigger: 'http',
      resource: 'note',
      path: '/note',
      method: 'POST',
      startedAt: 5000 + i,
      status: 200,
      code: undefined,
      milliseconds: 1,
      actions: [],
    };
    store.count(record);
    store.add({ record, notes: null, copy: null, size });
  }
}
const listNumbers = (store: RecordStore): readonly number[] => store.view.list().map(({ number }) => number);

describe('the records of the console', () => {
  it('are the newest requests, and some of each second before', () => {
    const store = createStore(500);
    addRequests(store, 300);
    const expected = [...Array.from({ length: 20 }, (_, i) => i + 1), ...Array.from({ length: 32 }, (_, i) => i + 269)];
    expect(listNumbers(store)).to.deep.equal(expected);
    expect([store.view.bytes, store.view.counts.get('note')?.count]).to.deep.equal([52, 300]);
    expect([store.view.find(20)?.id, store.view.find(21), store.view.find(300)?.id]).to.deep.equal(['19', null, '299']);
  });

  it('are all requests within the limits while a reader follows them', () => {
    const store = createStore(100);
    const followed: number[] = [];
    const unsubscribe = store.view.subscribe(({ number }) => followed.push(number));
    addRequests(store, 300);
    expect(listNumbers(store)).to.deep.equal(Array.from({ length: 100 }, (_, i) => i + 201));
    unsubscribe();
    addRequests(store, 1);
    expect(followed).to.have.lengthOf(300);
  });

  it('are fewer than the newest where they are large or the limit is low', () => {
    const large = createStore(500, 100);
    addRequests(large, 50, 30);
    expect([listNumbers(large), large.view.bytes]).to.deep.equal([[48, 49, 50], 90]);
    const few = createStore(2);
    addRequests(few, 5);
    expect(listNumbers(few)).to.deep.equal([4, 5]);
    few.view.clear();
    expect([listNumbers(few), few.view.bytes]).to.deep.equal([[], 0]);
  });

  it('hold no value of unknown size', () => {
    expect(estimateSize({ a: 'text', b: [1, null, true] })).to.be.within(50, 200);
    expect(estimateSize(Array.from({ length: 5000 }, () => 1))).to.equal(Infinity);
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(estimateSize(circle)).to.equal(Infinity);
  });
});

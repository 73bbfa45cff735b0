/** Features of the memory cache only: limits, forgotten removals, and expiry by its own clock. */
import { expect } from 'chai';
import type { Fault } from '../../../contract/fault.js';
import { createMemory, type MemoryOptions } from '../../../plugins/caches/memory/memory.js';
import type { Cache } from '../../../plugins/caches/kind.js';

const memory = (options: Partial<MemoryOptions> = {}): { cache: Cache; pass: (milliseconds: number) => void } => {
  let instant = 0;
  const cache = createMemory({ maxEntries: 10_000, maxBytes: 64_000_000, now: () => instant, ...options });
  return { cache, pass: (milliseconds) => (instant += milliseconds) };
};

const text = (value: Uint8Array | null): string | null => (value === null ? null : Buffer.from(value).toString());
const storeValue = async (cache: Cache, key: string, value: string | Uint8Array): Promise<void> =>
  cache.setValue(key, Buffer.from(value), 600, (await cache.getValue(key)).lease);

describe('memory cache within its limits', () => {
  it('does not retain the larger buffer that a value is part of', async () => {
    const { cache } = memory();
    const packet = Buffer.from(new ArrayBuffer(100_000));
    const { lease } = await cache.getValue('a');
    await cache.setValue('a', packet.subarray(10, 20), 600, lease);
    const { value } = await cache.getValue('a');
    packet.fill(7);
    expect([...(value ?? [])]).to.deep.equal(Array.from({ length: 10 }, () => 0));
    expect(value?.buffer.byteLength).to.equal(10);
  });

  it('expires values, windows and flags at their instant, and not before', async () => {
    const { cache, pass } = memory();
    await cache.setValue('value', Buffer.from('v'), 10, (await cache.getValue('value')).lease);
    await cache.setFlags([{ key: 'mark', seconds: 10 }]);
    expect(await cache.count('window', 10)).to.deep.equal({ count: 1, left: 10_000 });
    pass(9999);
    const state = async (): Promise<unknown[]> => [
      text((await cache.getValue('value')).value),
      await cache.hasFlag('mark'),
      await cache.count('window', 10),
    ];
    expect(await state()).to.deep.equal(['v', true, { count: 2, left: 1 }]);
    pass(1);
    expect(await state()).to.deep.equal([null, false, { count: 1, left: 10_000 }]);
  });

  it('replaces an expired value, and no valid one', async () => {
    const { cache, pass } = memory();
    const { lease } = await cache.getValue('a');
    await cache.setValue('a', Buffer.from('one'), 10, lease);
    pass(9999);
    await cache.setValue('a', Buffer.from('two'), 10, lease);
    expect(text((await cache.getValue('a')).value)).to.equal('one');
    pass(1);
    await cache.setValue('a', Buffer.from('three'), 10, lease);
    expect(text((await cache.getValue('a')).value)).to.equal('three');
  });

  it('stores with a lease if the key was not removed since, whatever else was', async () => {
    const { cache } = memory();
    const { lease } = await cache.getValue('a');
    await cache.remove(['b', 'c']);
    await cache.setValue('a', Buffer.from('a'), 600, lease);
    await cache.setValue('b', Buffer.from('b'), 600, lease);
    expect([text((await cache.getValue('a')).value), (await cache.getValue('b')).value]).to.deep.equal(['a', null]);
  });

  it('voids leases of forgotten removals only: 10 000 are remembered, each key once', async () => {
    const { cache } = memory();
    const { lease } = await cache.getValue('a');
    for (let n = 0; n < 3; n++) await cache.remove(Array.from({ length: 10_000 }, (_, i) => `key ${i}`));
    await cache.setValue('a', Buffer.from('a'), 600, lease);
    expect(text((await cache.getValue('a')).value)).to.equal('a');
    await cache.remove(['one more']);
    await cache.setValue('b', Buffer.from('b'), 600, lease);
    expect((await cache.getValue('b')).value).to.equal(null);
    await cache.setValue('c', Buffer.from('c'), 600, (await cache.getValue('c')).lease);
    expect(text((await cache.getValue('c')).value)).to.equal('c');
  });

  it('extends a flag, and never shortens it', async () => {
    const { cache, pass } = memory();
    for (const seconds of [5, 10, 1]) await cache.setFlags([{ key: 'a', seconds }]);
    pass(9999);
    expect(await cache.hasFlag('a')).to.equal(true);
    pass(1);
    expect(await cache.hasFlag('a')).to.equal(false);
  });

  it('sets the flag of a token again, also without space for another', async () => {
    const { cache, pass } = memory({ maxMarks: 2 });
    await cache.setFlags(['a', 'b'].map((key) => ({ key, seconds: 10 })));
    await cache.setFlags([{ key: 'a', seconds: 20 }]);
    pass(15_000);
    expect([await cache.hasFlag('a'), await cache.hasFlag('b')]).to.deep.equal([true, false]);
  });
});

describe('full memory cache', () => {
  it('evicts the least recently used values, by number', async () => {
    const { cache } = memory({ maxEntries: 3 });
    for (const key of ['a', 'b', 'c']) await storeValue(cache, key, key);
    expect(text((await cache.getValue('a')).value)).to.equal('a');
    await storeValue(cache, 'd', 'd');
    const left = await Promise.all(['a', 'b', 'c', 'd'].map(async (key) => text((await cache.getValue(key)).value)));
    expect(left).to.deep.equal(['a', null, 'c', 'd']);
  });

  it('evicts values by their bytes, and does not store one that is larger than the cache', async () => {
    const { cache } = memory({ maxBytes: 10_000 });
    for (const key of ['a', 'b', 'c']) await storeValue(cache, key, Buffer.alloc(4000));
    const sizes = await Promise.all(['a', 'b', 'c'].map(async (key) => (await cache.getValue(key)).value?.length));
    expect(sizes).to.deep.equal([undefined, 4000, 4000]);
    await storeValue(cache, 'huge', Buffer.alloc(20_000));
    expect((await cache.getValue('huge')).value).to.equal(null);
    expect((await cache.getValue('c')).value?.length).to.equal(4000);
  });

  it('evicts no counter and no flag for values', async () => {
    const { cache } = memory({ maxEntries: 5, maxBytes: 10_000 });
    await cache.setFlags([{ key: 'token', seconds: 600 }]);
    await cache.count('caller', 600);
    for (let n = 0; n < 1000; n++) await storeValue(cache, `value ${n}`, 'value');
    expect(await cache.hasFlag('token')).to.equal(true);
    expect((await cache.count('caller', 600)).count).to.equal(2);
  });

  it('rejects a flag without space instead of evicting another, until one expires', async () => {
    const { cache, pass } = memory({ maxMarks: 2 });
    await cache.setFlags([
      { key: 'a', seconds: 10 },
      { key: 'b', seconds: 600 },
    ]);
    const failure = await Promise.resolve()
      .then(() => cache.setFlags([{ key: 'c', seconds: 600 }]))
      .catch((error: unknown) => error);
    expect((failure as Fault).code).to.equal('CCH_AWAY');
    expect([await cache.hasFlag('a'), await cache.hasFlag('b'), await cache.hasFlag('c')]).to.deep.equal([
      true,
      true,
      false,
    ]);
    pass(11_000);
    await cache.setFlags([{ key: 'c', seconds: 600 }]);
    expect([await cache.hasFlag('a'), await cache.hasFlag('c')]).to.deep.equal([false, true]);
  });

  it('evicts the oldest counter when there are too many', async () => {
    const { cache } = memory({ maxMarks: 2 });
    for (const key of ['a', 'b', 'c']) await cache.count(key, 600);
    expect((await cache.count('c', 600)).count).to.equal(2);
    expect((await cache.count('a', 600)).count).to.equal(1);
  });

  it('counts many expired windows without retaining them', async () => {
    const { cache, pass } = memory({ maxMarks: 2000 });
    await cache.setFlags([{ key: 'kept', seconds: 1_000_000 }]);
    for (let n = 0; n < 20_000; n++) {
      await cache.setFlags([{ key: `mark ${n}`, seconds: 1 }]);
      if (n % 1000 === 0) pass(1500);
    }
    expect(await cache.hasFlag('kept')).to.equal(true);
  });
});

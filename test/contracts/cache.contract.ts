/**
 * What every cache must do: give back what it was given byte for byte, forget it in time, never store what was computed before a
 * removal, count in windows that end, remember marks. Time is made to pass by whoever opens the cache.
 */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Cache } from '../../plugins/caches/kind.js';
import { vectorFile } from '../support/project.js';
import { skipTest } from '../support/skip.js';

export interface OpenCache {
  readonly handle: Cache;
  /** Lets time pass until the check holds; rejects when it does not in ten seconds of that time. */
  readonly until: (check: () => Promise<boolean>) => Promise<void>;
  readonly close: () => Promise<void>;
}

const bytes = (text: string): Uint8Array => Buffer.from(text);
const textOf = (value: Uint8Array | null): string | null => (value === null ? null : Buffer.from(value).toString());

/** Keys as somebody may make them out of what clients send. */
function oddKeys(): string[] {
  const made = [
    '',
    ' ',
    '\0',
    'a\0b',
    'a:b',
    'a::b',
    '{a}',
    '*',
    '\r\nDEL a\r\n',
    '\ud800',
    '\udbff',
    '\ufffd',
    'é',
    'é',
  ];
  const wordy = ['__proto__', 'constructor', '"\\ud800"', '!"\\ud800"', 'x'.repeat(10_000)];
  const file = vectorFile('naughty-strings.jsonl');
  const lines = file === null ? [] : readFileSync(file, 'utf8').trim().split('\n');
  const naughty = lines.map((line) => (JSON.parse(line) as { text: string }).text);
  return [...new Set([...made, ...wordy, ...naughty])];
}

export function cacheContract(name: string, open: () => Promise<OpenCache | { readonly skip: string }>): void {
  describe(`cache ${name}`, function () {
    let cache: Cache;
    let until: OpenCache['until'];
    let close: (() => Promise<void>) | undefined;
    let made = 0;
    const fresh = (): string => `contract ${++made}`;

    before(async function () {
      const opened = await open();
      if ('skip' in opened) return skipTest(this, opened.skip);
      ({ handle: cache, until, close } = opened);
    });
    after(() => close?.());

    const read = async (key: string): Promise<string | null> => textOf((await cache.recall(key)).value);
    async function write(key: string, value: string, seconds = 600): Promise<void> {
      const { lease } = await cache.recall(key);
      await cache.keep(key, bytes(value), seconds, lease);
    }

    it('gives back what was kept, byte for byte', async () => {
      const all = Uint8Array.from({ length: 256 }, (_, n) => n);
      for (const value of [all, bytes(''), bytes('{"a":"é\\u0000"}'), Buffer.from(all).subarray(13, 200)]) {
        const key = fresh();
        await cache.keep(key, value, 600, (await cache.recall(key)).lease);
        expect([...((await cache.recall(key)).value ?? [])]).to.deep.equal([...value]);
      }
    });

    it('gives null for what was never kept', async () => {
      expect(await read(fresh())).to.equal(null);
    });

    it('keeps large values', async () => {
      const key = fresh();
      const value = Buffer.alloc(5_000_000, 'lintel ');
      await cache.keep(key, value, 600, (await cache.recall(key)).lease);
      expect(Buffer.compare((await cache.recall(key)).value ?? Buffer.alloc(0), value)).to.equal(0);
    });

    it('tells keys of any text from one another', async () => {
      const keys = oddKeys();
      for (const [n, key] of keys.entries()) await write(key, String(n));
      const wrong: string[] = [];
      for (const [n, key] of keys.entries()) if ((await read(key)) !== String(n)) wrong.push(key);
      expect(wrong).to.deep.equal([]);
    });

    it('forgets a value when its time is over, and not before', async () => {
      const key = fresh();
      await write(key, 'short', 0.3);
      await write(`${key} long`, 'long', 600);
      expect(await read(key)).to.equal('short');
      await until(async () => (await read(key)) === null);
      expect(await read(`${key} long`)).to.equal('long');
    });

    it('keeps the first of two that were computed at the same time, and takes another when it is over', async () => {
      const key = fresh();
      const [one, two] = [await cache.recall(key), await cache.recall(key)];
      await cache.keep(key, bytes('one'), 0.3, one.lease);
      await cache.keep(key, bytes('two'), 600, two.lease);
      expect(await read(key)).to.equal('one');
      await until(async () => (await read(key)) === null);
      await write(key, 'three');
      expect(await read(key)).to.equal('three');
    });

    it('removes what is named, and nothing else; a key of nothing is no failure', async () => {
      const keys = [fresh(), fresh(), fresh()] as const;
      for (const key of keys) await write(key, 'here');
      await cache.remove([keys[0], keys[1], fresh()]);
      await cache.remove([]);
      expect(await Promise.all(keys.map(read))).to.deep.equal([null, null, 'here']);
    });

    it('does not store what was computed before a removal, and stores what was computed after it', async () => {
      const key = fresh();
      const before = await cache.recall(key);
      await cache.remove([key]);
      await cache.keep(key, bytes('stale'), 600, before.lease);
      expect(await read(key)).to.equal(null);
      const after = await cache.recall(key);
      await cache.keep(key, bytes('fresh'), 600, after.lease);
      await cache.keep(key, bytes('stale'), 600, before.lease);
      expect(await read(key)).to.equal('fresh');
    });

    it('does so however many other keys were removed meanwhile', async () => {
      const key = fresh();
      const { lease } = await cache.recall(key);
      await cache.remove([key]);
      for (let n = 0; n < 12; n++) await cache.remove(Array.from({ length: 1000 }, (_, i) => `other ${n} ${i}`));
      await cache.keep(key, bytes('stale'), 600, lease);
      expect(await read(key)).to.equal(null);
    });

    it('stores nothing without a lease', async () => {
      const key = fresh();
      await cache.keep(key, bytes('made up'), 600, '');
      expect(await read(key)).to.equal(null);
    });

    it('gives the right to compute to one at a time, where processes share it', async () => {
      if (cache.claim === undefined) return;
      const claim = async (key: string, token: string, milliseconds = 300): Promise<number> =>
        (await cache.claim?.(key, token, milliseconds)) ?? NaN;
      const key = fresh();
      const tokens = ['a', 'b', 'c'];
      const all = await Promise.all(tokens.map((token) => claim(key, token)));
      const one = tokens.filter((_, at) => all[at] === 0);
      expect(one).to.have.length(1);
      expect(Math.max(...all)).to.be.within(1, 300);
      await cache.release?.(key, 'another');
      expect(await claim(key, 'd')).to.be.greaterThan(0);
      await cache.release?.(key, one[0] ?? '');
      expect(await claim(key, 'd')).to.equal(0);
      await until(async () => (await claim(key, 'e', 600_000)) === 0);
      await write(key, 'value');
      await cache.release?.(key, 'e');
      expect(await claim(key, 'f')).to.be.lessThan(0);
    });

    it('counts every call of a window once, also those at the same time', async () => {
      const key = fresh();
      const counted = await Promise.all(Array.from({ length: 50 }, async () => (await cache.count(key, 600)).count));
      expect(counted.sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 50 }, (_, n) => n + 1));
      expect((await cache.count(fresh(), 600)).count).to.equal(1);
    });

    it('tells how long a window still lasts, does not lengthen it, and begins anew after it', async () => {
      const key = fresh();
      const first = await cache.count(key, 0.4);
      expect(first.left).to.be.within(1, 400);
      let last = first;
      await until(async () => {
        const next = await cache.count(key, 0.4);
        if (next.count > 1) expect(next.left).to.be.at.most(last.left);
        last = next;
        return next.count === 1;
      });
    });

    it('remembers marks, each for its own time', async () => {
      const [short, long] = [fresh(), fresh()];
      await cache.mark([
        { key: short, seconds: 0.3 },
        { key: long, seconds: 600 },
      ]);
      await cache.mark([]);
      expect([await cache.isMarked(short), await cache.isMarked(long)]).to.deep.equal([true, true]);
      expect(await cache.isMarked(fresh())).to.equal(false);
      await until(async () => !(await cache.isMarked(short)));
      expect(await cache.isMarked(long)).to.equal(true);
    });

    it('never shortens a mark', async () => {
      const key = fresh();
      await cache.mark([{ key, seconds: 600 }]);
      await cache.mark([{ key, seconds: 0.05 }]);
      const other = fresh();
      await cache.mark([{ key: other, seconds: 0.1 }]);
      await until(async () => !(await cache.isMarked(other)));
      expect(await cache.isMarked(key)).to.equal(true);
    });

    it('keeps values, counters and marks apart, and removing a value touches neither', async () => {
      const key = fresh();
      await write(key, 'value');
      await cache.mark([{ key, seconds: 600 }]);
      expect((await cache.count(key, 600)).count).to.equal(1);
      await cache.remove([key]);
      expect([await read(key), await cache.isMarked(key), (await cache.count(key, 600)).count]).to.deep.equal([
        null,
        true,
        2,
      ]);
    });
  });
}

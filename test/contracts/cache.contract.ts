/**
 * Contract of caches: return what was stored byte for byte, expire it in time, never store what was computed before a
 * removal, count in windows that end, store flags. The caller that opens the cache moves time.
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

const toBytes = (text: string): Uint8Array => Buffer.from(text);
const toText = (value: Uint8Array | null): string | null => (value === null ? null : Buffer.from(value).toString());

/** Keys that may be built from values of clients. */
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
    const createKey = (): string => `contract ${++made}`;

    before(async function () {
      const opened = await open();
      if ('skip' in opened) return skipTest(this, opened.skip);
      ({ handle: cache, until, close } = opened);
    });
    after(() => close?.());

    const read = async (key: string): Promise<string | null> => toText((await cache.getValue(key)).value);
    async function write(key: string, value: string, seconds = 600): Promise<void> {
      const { lease } = await cache.getValue(key);
      await cache.setValue(key, toBytes(value), seconds, lease);
    }

    it('returns a stored value, byte for byte', async () => {
      const all = Uint8Array.from({ length: 256 }, (_, n) => n);
      for (const value of [all, toBytes(''), toBytes('{"a":"é\\u0000"}'), Buffer.from(all).subarray(13, 200)]) {
        const key = createKey();
        await cache.setValue(key, value, 600, (await cache.getValue(key)).lease);
        expect([...((await cache.getValue(key)).value ?? [])]).to.deep.equal([...value]);
      }
    });

    it('returns null for a key that was never stored', async () => {
      expect(await read(createKey())).to.equal(null);
    });

    it('stores large values', async () => {
      const key = createKey();
      const value = Buffer.alloc(5_000_000, 'lintel ');
      await cache.setValue(key, value, 600, (await cache.getValue(key)).lease);
      expect(Buffer.compare((await cache.getValue(key)).value ?? Buffer.alloc(0), value)).to.equal(0);
    });

    it('distinguishes keys of any text', async () => {
      const keys = oddKeys();
      for (const [n, key] of keys.entries()) await write(key, String(n));
      const wrong: string[] = [];
      for (const [n, key] of keys.entries()) if ((await read(key)) !== String(n)) wrong.push(key);
      expect(wrong).to.deep.equal([]);
    });

    it('expires a value after its duration, and not before', async () => {
      const key = createKey();
      await write(key, 'short', 0.3);
      await write(`${key} long`, 'long', 600);
      expect(await read(key)).to.equal('short');
      await until(async () => (await read(key)) === null);
      expect(await read(`${key} long`)).to.equal('long');
    });

    it('stores the first of two that were computed at the same time, and another one after it expires', async () => {
      const key = createKey();
      const [one, two] = [await cache.getValue(key), await cache.getValue(key)];
      await cache.setValue(key, toBytes('one'), 0.3, one.lease);
      await cache.setValue(key, toBytes('two'), 600, two.lease);
      expect(await read(key)).to.equal('one');
      await until(async () => (await read(key)) === null);
      await write(key, 'three');
      expect(await read(key)).to.equal('three');
    });

    it('removes the named keys, and nothing else; a missing key is not an error', async () => {
      const keys = [createKey(), createKey(), createKey()] as const;
      for (const key of keys) await write(key, 'here');
      await cache.remove([keys[0], keys[1], createKey()]);
      await cache.remove([]);
      expect(await Promise.all(keys.map(read))).to.deep.equal([null, null, 'here']);
    });

    it('does not store what was computed before a removal, and stores what was computed after it', async () => {
      const key = createKey();
      const before = await cache.getValue(key);
      await cache.remove([key]);
      await cache.setValue(key, toBytes('stale'), 600, before.lease);
      expect(await read(key)).to.equal(null);
      const after = await cache.getValue(key);
      await cache.setValue(key, toBytes('fresh'), 600, after.lease);
      await cache.setValue(key, toBytes('stale'), 600, before.lease);
      expect(await read(key)).to.equal('fresh');
    });

    it('does so however many other keys were removed meanwhile', async () => {
      const key = createKey();
      const { lease } = await cache.getValue(key);
      await cache.remove([key]);
      for (let n = 0; n < 12; n++) await cache.remove(Array.from({ length: 1000 }, (_, i) => `other ${n} ${i}`));
      await cache.setValue(key, toBytes('stale'), 600, lease);
      expect(await read(key)).to.equal(null);
    });

    it('stores nothing without a lease', async () => {
      const key = createKey();
      await cache.setValue(key, toBytes('made up'), 600, '');
      expect(await read(key)).to.equal(null);
    });

    it('assigns the computation to one at a time, if processes share it', async () => {
      if (cache.claim === undefined) return;
      const claimKey = async (key: string, token: string, milliseconds = 300): Promise<number> =>
        (await cache.claim?.(key, token, milliseconds)) ?? NaN;
      const key = createKey();
      const tokens = ['a', 'b', 'c'];
      const all = await Promise.all(tokens.map((token) => claimKey(key, token)));
      const one = tokens.filter((_, at) => all[at] === 0);
      expect(one).to.have.length(1);
      expect(Math.max(...all)).to.be.within(1, 300);
      await cache.release?.(key, 'another');
      expect(await claimKey(key, 'd')).to.be.greaterThan(0);
      await cache.release?.(key, one[0] ?? '');
      expect(await claimKey(key, 'd')).to.equal(0);
      await until(async () => (await claimKey(key, 'e', 600_000)) === 0);
      await write(key, 'value');
      await cache.release?.(key, 'e');
      expect(await claimKey(key, 'f')).to.be.lessThan(0);
    });

    it('counts every call of a window once, also concurrent ones', async () => {
      const key = createKey();
      const counted = await Promise.all(Array.from({ length: 50 }, async () => (await cache.count(key, 600)).count));
      expect(counted.sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 50 }, (_, n) => n + 1));
      expect((await cache.count(createKey(), 600)).count).to.equal(1);
    });

    it('returns how long a window still lasts, does not extend it, and restarts after it', async () => {
      const key = createKey();
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

    it('stores flags, each for its own duration', async () => {
      const [short, long] = [createKey(), createKey()];
      // On a slow machine the short one is over before it is read.
      await until(async () => {
        await cache.setFlags([
          { key: short, seconds: 0.3 },
          { key: long, seconds: 600 },
        ]);
        await cache.setFlags([]);
        return cache.hasFlag(short);
      });
      expect(await cache.hasFlag(long)).to.equal(true);
      expect(await cache.hasFlag(createKey())).to.equal(false);
      await until(async () => !(await cache.hasFlag(short)));
      expect(await cache.hasFlag(long)).to.equal(true);
    });

    it('never shortens a flag', async () => {
      const key = createKey();
      await cache.setFlags([{ key, seconds: 600 }]);
      await cache.setFlags([{ key, seconds: 0.05 }]);
      const other = createKey();
      await cache.setFlags([{ key: other, seconds: 0.1 }]);
      await until(async () => !(await cache.hasFlag(other)));
      expect(await cache.hasFlag(key)).to.equal(true);
    });

    it('separates values, counters and flags, and removing a value affects neither', async () => {
      const key = createKey();
      await write(key, 'value');
      await cache.setFlags([{ key, seconds: 600 }]);
      expect((await cache.count(key, 600)).count).to.equal(1);
      await cache.remove([key]);
      expect([await read(key), await cache.hasFlag(key), (await cache.count(key, 600)).count]).to.deep.equal([
        null,
        true,
        2,
      ]);
    });
  });
}

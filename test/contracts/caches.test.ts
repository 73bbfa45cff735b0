/**
 * Runs the cache contract against memory, with manual time, and a real Redis; and features of only one of them: limits,
 * outages, sharing by two processes.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createMemory, type MemoryOptions } from '../../plugins/caches/memory/memory.js';
import redis from '../../plugins/caches/redis/runtime.js';
import { Fault } from '../../contract/fault.js';
import type { RuntimeContext } from '../../contract/plugin.js';
import type { Cache } from '../../plugins/caches/kind.js';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.js';
import { startOwnRedis, startRedis } from '../support/redis.js';
import { cacheContract, type OpenCache } from './cache.contract.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';
import { waitUntil as waitUntil } from '../support/until.js';

const memory = (options: Partial<MemoryOptions> = {}): { cache: Cache; pass: (milliseconds: number) => void } => {
  let instant = 0;
  const cache = createMemory({ maxEntries: 10_000, maxBytes: 64_000_000, now: () => instant, ...options });
  return { cache, pass: (milliseconds) => (instant += milliseconds) };
};

cacheContract('memory', () => {
  const { cache, pass } = memory();
  const waitWithClock = async (check: () => Promise<boolean>): Promise<void> => {
    for (let passed = 0; !(await check()); passed += 50) {
      if (passed > 10_000) throw new Error('did not happen');
      pass(50);
    }
  };
  return Promise.resolve({ handle: cache, until: waitWithClock, close: () => Promise.resolve() });
});

interface OpenRedis extends OpenCache {
  /** Messages of the log, in order. */
  readonly reported: string[];
}

async function openRedis(url: string, prefix = `test:${randomUUID()}:`): Promise<OpenRedis> {
  const reported: string[] = [];
  const recordMessage = (_fields: object, message: string): void => void reported.push(message);
  const log = { debug: recordMessage, info: recordMessage, warn: recordMessage, error: recordMessage };
  const context = { options: { url, prefix }, log, instance: 'redis' } as unknown as RuntimeContext;
  const handle = redis.create?.(context);
  if (handle === undefined) throw new Error('no handle');
  await redis.open?.(handle, context);
  return { handle, until: waitUntil, close: async () => redis.close?.(handle), reported };
}

cacheContract('redis', async () => {
  const server = await startRedis();
  return 'skip' in server ? server : openRedis(server.url);
});

const text = (value: Uint8Array | null): string | null => (value === null ? null : Buffer.from(value).toString());
const storeValue = async (cache: Cache, key: string, value: string | Uint8Array): Promise<void> =>
  cache.setValue(key, Buffer.from(value), 600, (await cache.getValue(key)).lease);

describe('cache redis, with a server', function () {
  let server: { url: string; port: number; stop: () => Promise<void> } | undefined;
  const opened: { close: () => Promise<unknown> }[] = [];

  before(async function () {
    const found = await startOwnRedis();
    if ('skip' in found) return skipTest(this, found.skip);
    server = found;
  });
  after(async () => {
    for (const { close } of opened) await close();
    await server?.stop();
  });

  async function open(url = server?.url ?? '', prefix?: string): Promise<OpenRedis> {
    const made = await openRedis(url, prefix);
    opened.push(made);
    return made;
  }
  async function behindProxy(): Promise<OpenRedis & { proxy: FaultProxy }> {
    const proxy = await startFaultProxy({ host: '127.0.0.1', port: server?.port ?? 0 });
    const made = await open(`redis://127.0.0.1:${proxy.port}`);
    opened.push(proxy);
    return { ...made, proxy };
  }

  /** Code of its rejection, and the milliseconds it took. */
  async function measureRejection(work: () => unknown): Promise<[string, number]> {
    const elapsed = startStopwatch();
    try {
      await work();
      return ['none', 0];
    } catch (error) {
      return [error instanceof Fault ? error.code : String(error), elapsed()];
    }
  }
  const everyMethod = (cache: Cache): (() => unknown)[] => [
    () => cache.getValue('a'),
    () => cache.setValue('a', Buffer.from('x'), 1, 'lease'),
    () => cache.remove(['a']),
    () => cache.count('a', 1),
    () => cache.setFlags([{ key: 'a', seconds: 1 }]),
    () => cache.hasFlag('a'),
  ];
  async function expectUnavailable(cache: Cache): Promise<void> {
    for (const work of everyMethod(cache)) {
      const [code, milliseconds] = await measureRejection(work);
      expect(code).to.equal('CCH_AWAY');
      expect(milliseconds).to.be.below(1200);
    }
  }

  it('returns the same to two clients: values, removals with their leases, counters, flags', async () => {
    const prefix = `shared:${randomUUID()}:`;
    const [one, two] = [(await open(undefined, prefix)).handle, (await open(undefined, prefix)).handle];
    await storeValue(one, 'key', 'value');
    expect(text((await two.getValue('key')).value)).to.equal('value');
    await two.remove(['key']);
    const { value, lease } = await one.getValue('key');
    expect(value).to.equal(null);
    await two.remove(['key']);
    await one.setValue('key', Buffer.from('stale'), 600, lease);
    expect((await two.getValue('key')).value).to.equal(null);
    await one.count('caller', 600);
    expect((await two.count('caller', 600)).count).to.equal(2);
    await one.setFlags([{ key: 'token', seconds: 600 }]);
    expect(await two.hasFlag('token')).to.equal(true);
  });

  it('receives no key in plain text, since keys contain values of requests', async () => {
    const SECRET = 'canaryPin4711Zk';
    const { handle } = await open();
    await storeValue(handle, `pin ${SECRET}`, 'value');
    const { lease } = await handle.getValue(`pin ${SECRET} absent`);
    await handle.claim?.(`pin ${SECRET} absent`, lease, 60_000);
    await handle.count(SECRET, 600);
    await handle.setFlags([{ key: SECRET, seconds: 600 }]);
    const { client } = handle as unknown as { client: { keys(pattern: string): Promise<string[]> } };
    const keys = await client.keys('*');
    expect(keys.length).to.be.at.least(5);
    const forms = [SECRET, Buffer.from(SECRET).toString('base64url'), Buffer.from(SECRET).toString('hex')];
    expect(keys.filter((key) => forms.some((form) => key.includes(form)))).to.deep.equal([]);
  });

  it('separates systems with different prefixes', async () => {
    const [one, two] = [(await open()).handle, (await open()).handle];
    await storeValue(one, 'key', 'value');
    expect((await two.getValue('key')).value).to.equal(null);
  });

  it('rejects within 1.2 seconds while the server is unavailable, and works when it is available again', async () => {
    const { handle, proxy, until, reported } = await behindProxy();
    await storeValue(handle, 'key', 'value');
    proxy.reset();
    await expectUnavailable(handle);
    await proxy.passTraffic();
    await until(async () => (await measureRejection(() => handle.getValue('key')))[0] === 'none');
    expect(text((await handle.getValue('key')).value)).to.equal('value');
    expect(reported.filter((line) => line.includes('store unavailable')).length).to.equal(1);
    expect(reported.filter((line) => line.includes('store available')).length).to.equal(1);
  });

  it('disconnects from a server that hangs: the first command in a second, the next ones immediately', async () => {
    const { handle, proxy, until } = await behindProxy();
    await storeValue(handle, 'key', 'value');
    proxy.stall();
    const [code, milliseconds] = await measureRejection(() => handle.getValue('key'));
    expect([code, milliseconds < 1200]).to.deep.equal(['CCH_AWAY', true]);
    for (const work of everyMethod(handle)) {
      const [next, took] = await measureRejection(work);
      expect([next, took < 100], `${took}`).to.deep.equal(['CCH_AWAY', true]);
    }
    await proxy.passTraffic();
    await until(async () => (await measureRejection(() => handle.getValue('key')))[0] === 'none');
    expect(text((await handle.getValue('key')).value)).to.equal('value');
  });

  it('opens while the server is unavailable, logs it once, and reports that it is unhealthy', async () => {
    const proxy = await startFaultProxy({ host: '127.0.0.1', port: server?.port ?? 0 });
    opened.push(proxy);
    proxy.reset();
    const elapsed = startStopwatch();
    const { handle, until, reported } = await open(`redis://127.0.0.1:${proxy.port}`);
    expect(elapsed()).to.be.below(2000);
    await expectUnavailable(handle);
    expect(await redis.health?.(handle)).to.include({ ok: false, optional: true });
    await proxy.passTraffic();
    await until(async () => (await redis.health?.(handle))?.ok === true);
    expect(reported.filter((line) => line.includes('store unavailable')).length).to.equal(1);
  });

  it('logs that a server restarted empty', async () => {
    const own = await startOwnRedis();
    if ('skip' in own) throw new Error(own.skip);
    const { reported, until, handle } = await open(own.url);
    await own.stop();
    const again = await startOwnRedis(own.port);
    if ('skip' in again) throw new Error(again.skip);
    opened.push({ close: again.stop });
    await until(() => Promise.resolve(reported.some((line) => line.includes('store is empty after a reconnect'))));
    await until(async () => (await measureRejection(() => handle.hasFlag('a')))[0] === 'none');
  });

  it('logs that a server may evict entries, and rejects what a full one does not accept', async () => {
    const own = await startOwnRedis(undefined, '--maxmemory 2mb --maxmemory-policy allkeys-lru');
    if ('skip' in own) throw new Error(own.skip);
    opened.push({ close: own.stop });
    const lru = await open(own.url);
    await waitUntil(() => Promise.resolve(lru.reported.some((line) => line.includes('maxmemory-policy'))));
    const strict = await startOwnRedis(undefined, '--maxmemory 2mb --maxmemory-policy noeviction');
    if ('skip' in strict) throw new Error(strict.skip);
    opened.push({ close: strict.stop });
    const { handle, reported } = await open(strict.url);
    const { lease } = await handle.getValue('huge');
    const [code] = await measureRejection(async () => {
      for (let n = 0; n < 8; n++) await storeValue(handle, `part ${n}`, Buffer.alloc(1_000_000));
      await handle.setValue('huge', Buffer.alloc(4_000_000), 600, lease);
    });
    expect(code).to.equal('CCH_AWAY');
    expect(reported.some((line) => line.includes('maxmemory-policy'))).to.equal(false);
  });

  it('rejects an invalid Redis URL before anything is opened', () => {
    for (const url of ['', 'localhost:6379', 'http://127.0.0.1', undefined]) {
      const context = { options: { url }, log: null } as unknown as RuntimeContext;
      expect(() => redis.create?.(context))
        .to.throw()
        .with.property('code', 'CCH_ADDRESS');
    }
  });
});

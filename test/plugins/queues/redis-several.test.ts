/**
 * Redis with several servers: a cluster works like one server, and where a sentinel has replaced a lost server by a
 * replica, limits, revoked tokens, messages, schedules and jobs continue.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Fault } from '../../../contract/fault.js';
import type { PluginRuntime, RuntimeContext } from '../../../contract/plugin.js';
import cache from '../../../plugins/caches/redis/runtime.js';
import { createClient } from '../../../plugins/queues/redis/connection.js';
import { createRedisStore } from '../../../plugins/queues/redis/store.js';
import scheduler from '../../../plugins/schedulers/redis/runtime.js';
import { parseRedisAddress } from '../../../plugins/shared/redis.js';
import { startRedisCluster, startRedisSentinel, type RedisDeployment } from '../../support/redis-deployments.js';
import { listActions, openRedisRelay, createDelivery } from '../../support/relays.js';
import { skipTest } from '../../support/skip.js';
import { startStopwatch } from '../../support/stopwatch.js';
import { waitUntil } from '../../support/until.js';
import { cacheContract } from '../../contracts/cache.contract.js';
import { queueStoreContract } from '../../contracts/queue-store.contract.js';
import { relayContract } from '../../contracts/relay.contract.js';
import { schedulerContract } from '../../contracts/scheduler.contract.js';

const T = Date.parse('2026-03-01T03:00:00Z');
/** False if it fails, or returns anything else. */
const answers = (work: Promise<unknown>, expected?: unknown): Promise<boolean> =>
  work.then(
    (found) => found === expected,
    () => false,
  );
const doNothing = (): void => undefined;
const log = { debug: doNothing, info: doNothing, warn: doNothing, error: doNothing };

async function openPlugin<H>(runtime: PluginRuntime<H>, url: string, prefix = `test:${randomUUID()}:`) {
  const context = { options: { url, prefix }, log, instance: 'main' } as unknown as RuntimeContext;
  const handle = runtime.create?.(context);
  if (handle === undefined) throw new Error('no handle');
  await runtime.open?.(handle, context);
  return { handle, until: waitUntil, close: async () => runtime.close?.(handle) };
}

async function openStore(url: string) {
  const address = parseRedisAddress({ url, prefix: `test:${randomUUID()}:` });
  if (address === null) throw new Error('no address');
  const client = createClient(address);
  await client.connect();
  return {
    store: createRedisStore(client, address.prefix, doNothing),
    dispose: () => Promise.resolve(client.disconnect()),
  };
}

describe('Redis cluster', function () {
  let servers: RedisDeployment | undefined;
  const openOrSkip = async <T>(open: (url: string) => Promise<T>): Promise<T | { skip: string }> => {
    if (servers !== undefined) return open(servers.url);
    const started = await startRedisCluster();
    if ('skip' in started) return started;
    servers = started;
    return open(started.url);
  };
  after(() => servers?.stop());

  cacheContract('redis, a cluster', () => openOrSkip((url) => openPlugin(cache, url)));
  relayContract('redis, a cluster', (options) =>
    openOrSkip((url) => openRedisRelay(url, `test:${randomUUID()}:`, options)),
  );
  schedulerContract('redis, a cluster', () =>
    openOrSkip((url) => {
      const prefix = `test:${randomUUID()}:`;
      return Promise.resolve(() => openPlugin(scheduler, url, prefix));
    }),
  );
  queueStoreContract({ name: 'redis, a cluster', createStore: () => openOrSkip(openStore) });

  // The last test: a server is missing afterwards.
  describe('with a lost server', () => {
    it('rejects in time what is stored there, and never restarts a counter', async function () {
      const kept = await openOrSkip((url) => openPlugin(cache, url));
      if ('skip' in kept) return skipTest(this, kept.skip);
      const keys = Array.from({ length: 12 }, (_, n) => `key ${n}`);
      for (const key of keys) await kept.handle.count(key, 600);
      await servers?.lose();
      const elapsed = startStopwatch();
      const counted = await Promise.all(
        keys.map((key) =>
          Promise.resolve(kept.handle.count(key, 600)).then(
            ({ count }) => count,
            (error: unknown) => (error as Fault).code,
          ),
        ),
      );
      expect(elapsed()).to.be.lessThan(2500);
      expect(new Set(counted)).to.include('CCH_AWAY');
      expect(counted.filter((one) => one !== 'CCH_AWAY' && one !== 2)).to.deep.equal([]);
      await kept.close();
    });
  });
});

describe('lost Redis server and its replica', function () {
  let servers: RedisDeployment;
  before(async function () {
    const found = await startRedisSentinel();
    if ('skip' in found) return skipTest(this, found.skip);
    servers = found;
  });
  after(() => servers?.stop());

  it('continues on the replica, with the counters, revoked tokens and claims', async () => {
    const { url } = servers;
    const kept = await openPlugin(cache, url);
    const clock = await openPlugin(scheduler, url);
    const relay = await openRedisRelay(url, `test:${randomUUID()}:`);
    const { store, dispose } = await openStore(url);
    for (let n = 1; n <= 3; n += 1) expect((await kept.handle.count('ada', 600)).count).to.equal(n);
    await kept.handle.setFlags([{ key: 'revoked', seconds: 600 }]);
    expect(await clock.handle.claimRun('nightly', T, 600, 'one')).to.equal('mine');
    await relay.handle.publish(createDelivery('before'));
    await waitUntil(() => relay.got.length === 1, 'the message came back');
    await servers.lose();
    // Rejected meanwhile, and never counted from zero.
    let count = 0;
    const passes = async (): Promise<boolean> => {
      count = await Promise.resolve(kept.handle.count('ada', 600)).then(
        (counted) => counted.count,
        () => 0,
      );
      return count > 0;
    };
    await waitUntil(passes, 'the replica counts');
    expect(count).to.be.greaterThan(3);
    expect(await kept.handle.hasFlag('revoked')).to.equal(true);
    await waitUntil(
      () => answers(clock.handle.claimRun('nightly', T, 600, 'another'), 'taken'),
      'the instant is taken',
    );
    await waitUntil(() => answers(relay.handle.publish(createDelivery('after'))), 'the relay is back');
    await waitUntil(() => listActions(relay.got).at(-1) === 'after', 'the message came back');
    await waitUntil(() => answers(store.ping()), 'the queue is back');
    await Promise.all([kept.close(), clock.close(), relay.close(), dispose()]);
  });
});

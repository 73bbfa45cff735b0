/**
 * Runs the relay contract against the local relay and a real Redis; and cases of one of them: passing time, other
 * processes.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import type { Delivery } from '../../contract/delivery.js';
import { createLocal } from '../../plugins/relays/local/runtime.js';
import local from '../../plugins/relays/local/runtime.js';
import { startFaultProxy } from '../support/fault-proxy.js';
import { startRedis } from '../support/redis.js';
import {
  listActions,
  openRedisRelay,
  openRelay,
  createDelivery,
  type LoggedRelay,
  type RelayOptions,
} from '../support/relays.js';
import { relayContract } from './relay.contract.js';
import { skipTest } from '../support/skip.js';
import { waitUntil } from '../support/until.js';

relayContract('local', (options) => openRelay(local, options));
relayContract('redis', async (options) => {
  const server = await startRedis();
  return 'skip' in server ? server : openRedisRelay(server.url, `test:${randomUUID()}:`, options);
});

describe('relay local over time', () => {
  it('removes what is too old, and reports it', async () => {
    let now = 0;
    const got: Delivery[] = [];
    const relay = createLocal({
      replay: true,
      keep: 1200,
      most: 100,
      deliver: (message) => void got.push(message),
      now: () => now,
    });
    for (let n = 0; n < 5; n++) {
      await relay.publish(createDelivery(`n${n}`));
      now += 400;
    }
    const after = async (n: number): Promise<unknown> =>
      (await relay.listSince(got[n]!.id!))?.map(({ action }) => action);
    expect(await after(1)).to.deep.equal(['n2', 'n3', 'n4']);
    now += 1;
    expect(await after(1)).to.equal(undefined);
    expect(await after(2)).to.deep.equal(['n3', 'n4']);
    now += 1_000_000;
    expect(await after(4)).to.deep.equal([]);
    expect(await after(3)).to.equal(undefined);
  });

  it('stores no more bytes than its limit, whatever it receives', async () => {
    const got: Delivery[] = [];
    const relay = createLocal({
      replay: true,
      keep: 1e9,
      most: 100_000,
      deliver: (message) => void got.push(message),
      now: () => 0,
    });
    for (let n = 0; n < 300; n++) await relay.publish(createDelivery(`n${n}`, 'x'.repeat(200_000)));
    expect(await relay.listSince(got[0]!.id!)).to.equal(null);
    expect((await relay.listSince(got[299 - 100]!.id!))?.length).to.equal(100);
  });
});

describe('relay redis, several processes', function () {
  let url = '';
  const opened: { close: () => Promise<unknown> }[] = [];
  before(async function () {
    const server = await startRedis();
    if ('skip' in server) return skipTest(this, server.skip);
    ({ url } = server);
  });
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close();
  });
  async function several(count: number, options: RelayOptions = {}): Promise<LoggedRelay[]> {
    const prefix = `test:${randomUUID()}:`;
    const relays = await Promise.all(Array.from({ length: count }, () => openRedisRelay(url, prefix, options)));
    opened.push(...relays);
    return relays;
  }

  it('all receive every message once, in the same order, from any sender', async () => {
    const relays = await several(3);
    await Promise.all(
      relays.flatMap(({ handle }, from) =>
        Array.from({ length: 100 }, (_, n) => handle.publish(createDelivery(`${from}:${n}`))),
      ),
    );
    for (const { got } of relays) await waitUntil(() => got.length >= 300, 'the last message');
    const [first = [], ...others] = relays.map(({ got }) => listActions(got));
    for (const other of others) expect(other).to.deep.equal(first);
    expect(new Set(first).size).to.equal(300);
    for (const from of [0, 1, 2]) {
      const mine = first.filter((action) => action.startsWith(`${from}:`));
      expect(mine).to.deep.equal(Array.from({ length: 100 }, (_, n) => `${from}:${n}`));
    }
  });

  it('receive earlier messages after they join, and send none of them to their clients', async () => {
    const prefix = `test:${randomUUID()}:`;
    const first = await openRedisRelay(url, prefix, { replay: true });
    opened.push(first);
    for (const action of ['a', 'b', 'c']) await first.handle.publish(createDelivery(action));
    await waitUntil(() => first.got.length === 3, 'the last message');
    const late = await openRedisRelay(url, prefix, { replay: true });
    opened.push(late);
    await first.handle.publish(createDelivery('d'));
    await waitUntil(() => late.got.length > 0, 'the message after it joined');
    expect(listActions(late.got)).to.deep.equal(['d']);
    expect(listActions((await late.handle.listSince(first.got[0]!.id!)) ?? [])).to.deep.equal(['b', 'c', 'd']);
  });

  it('let a client that has seen more elsewhere wait until they catch up', async () => {
    const prefix = `test:${randomUUID()}:`;
    const server = new URL(url);
    const proxy = await startFaultProxy({ host: server.hostname, port: Number(server.port) });
    const fast = await openRedisRelay(url, prefix, { replay: true });
    const slow = await openRedisRelay(`redis://127.0.0.1:${proxy.port}`, prefix, { replay: true });
    opened.push(fast, slow, proxy);
    await fast.handle.publish(createDelivery('a'));
    await waitUntil(() => slow.got.length === 1, 'the first message');
    await proxy.rejectConnections();
    await fast.handle.publish(createDelivery('b'));
    await waitUntil(() => fast.got.length === 2, 'the second message');
    const asked = slow.handle.listSince(fast.got[1]!.id!);
    await proxy.passTraffic();
    expect(await asked).to.deep.equal([]);
    expect(listActions(slow.got)).to.deep.equal(['a', 'b']);
  });

  it('share nothing with a system of another prefix', async () => {
    const [one, two] = [await several(1), await several(1)].flat() as [LoggedRelay, LoggedRelay];
    await one.handle.publish(createDelivery('mine'));
    await two.handle.publish(createDelivery('yours'));
    await waitUntil(() => one.got.length + two.got.length >= 2, 'both');
    expect([listActions(one.got), listActions(two.got)]).to.deep.equal([['mine'], ['yours']]);
  });

  it('use keys of one slot, trim the stream, and let it expire', async () => {
    const prefix = `test:${randomUUID()}:`;
    const relay = await openRedisRelay(url, prefix, { most: 100, keep: 5 });
    opened.push(relay);
    await Promise.all(Array.from({ length: 2000 }, () => relay.handle.publish(createDelivery('a'))));
    const client = new Redis(url);
    try {
      const keys = await client.keys(`*${prefix}*`);
      expect(keys.sort()).to.deep.equal([`{${prefix}relay}:counter`, `{${prefix}relay}:messages`]);
      expect(await client.xlen(`{${prefix}relay}:messages`)).to.be.within(100, 400);
      expect(await client.pttl(`{${prefix}relay}:messages`)).to.be.within(1, 65_000);
    } finally {
      client.disconnect();
    }
  });
});

/**
 * Runs the relay contract against the process alone and a real Redis; and what only one of them can do: let time pass, reach other
 * processes.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import type { Delivery } from '../../contract/deferred.js';
import { createLocal } from '../../plugins/relays/local/local.js';
import local from '../../plugins/relays/local/runtime.js';
import { faultProxy } from '../support/fault-proxy.js';
import { startRedis } from '../support/redis.js';
import { actions, onRedis, openRelay, told, type Opened, type RelayOptions } from '../support/relays.js';
import { relayContract } from './relay.contract.js';
import { skipTest } from '../support/skip.js';
import { until } from '../support/until.js';

relayContract('local', (options) => openRelay(local, options));
relayContract('redis', async (options) => {
  const server = await startRedis();
  return 'skip' in server ? server : onRedis(server.url, `test:${randomUUID()}:`, options);
});

describe('relay local, as time passes', () => {
  it('forgets what is too old, and says so', async () => {
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
      await relay.publish(told(`n${n}`));
      now += 400;
    }
    const after = async (n: number): Promise<unknown> => (await relay.since(got[n]!.id!))?.map(({ action }) => action);
    expect(await after(1)).to.deep.equal(['n2', 'n3', 'n4']);
    now += 1;
    expect(await after(1)).to.equal(undefined);
    expect(await after(2)).to.deep.equal(['n3', 'n4']);
    now += 1_000_000;
    expect(await after(4)).to.deep.equal([]);
    expect(await after(3)).to.equal(undefined);
  });

  it('keeps no more bytes than it may, whatever it is told', async () => {
    const got: Delivery[] = [];
    const relay = createLocal({
      replay: true,
      keep: 1e9,
      most: 100_000,
      deliver: (message) => void got.push(message),
      now: () => 0,
    });
    for (let n = 0; n < 300; n++) await relay.publish(told(`n${n}`, 'x'.repeat(200_000)));
    expect(await relay.since(got[0]!.id!)).to.equal(null);
    expect((await relay.since(got[299 - 100]!.id!))?.length).to.equal(100);
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
  async function several(count: number, options: RelayOptions = {}): Promise<Opened[]> {
    const prefix = `test:${randomUUID()}:`;
    const relays = await Promise.all(Array.from({ length: count }, () => onRedis(url, prefix, options)));
    opened.push(...relays);
    return relays;
  }

  it('all have every message once, in the same order, whoever sent it', async () => {
    const relays = await several(3);
    await Promise.all(
      relays.flatMap(({ handle }, from) => Array.from({ length: 100 }, (_, n) => handle.publish(told(`${from}:${n}`)))),
    );
    for (const { got } of relays) await until(() => got.length >= 300, 'the last message');
    const [first = [], ...others] = relays.map(({ got }) => actions(got));
    for (const other of others) expect(other).to.deep.equal(first);
    expect(new Set(first).size).to.equal(300);
    for (const from of [0, 1, 2]) {
      const mine = first.filter((action) => action.startsWith(`${from}:`));
      expect(mine).to.deep.equal(Array.from({ length: 100 }, (_, n) => `${from}:${n}`));
    }
  });

  it('a process that joins later knows what others sent, and tells its clients nothing of it', async () => {
    const prefix = `test:${randomUUID()}:`;
    const first = await onRedis(url, prefix, { replay: true });
    opened.push(first);
    for (const action of ['a', 'b', 'c']) await first.handle.publish(told(action));
    await until(() => first.got.length === 3, 'the last message');
    const late = await onRedis(url, prefix, { replay: true });
    opened.push(late);
    await first.handle.publish(told('d'));
    await until(() => late.got.length > 0, 'the message after it joined');
    expect(actions(late.got)).to.deep.equal(['d']);
    expect(actions((await late.handle.since(first.got[0]!.id!)) ?? [])).to.deep.equal(['b', 'c', 'd']);
  });

  it('a client that has seen more elsewhere waits for this process to catch up', async () => {
    const prefix = `test:${randomUUID()}:`;
    const server = new URL(url);
    const proxy = await faultProxy({ host: server.hostname, port: Number(server.port) });
    const fast = await onRedis(url, prefix, { replay: true });
    const slow = await onRedis(`redis://127.0.0.1:${proxy.port}`, prefix, { replay: true });
    opened.push(fast, slow, proxy);
    await fast.handle.publish(told('a'));
    await until(() => slow.got.length === 1, 'the first message');
    await proxy.refuse();
    await fast.handle.publish(told('b'));
    await until(() => fast.got.length === 2, 'the second message');
    const asked = slow.handle.since(fast.got[1]!.id!);
    await proxy.pass();
    expect(await asked).to.deep.equal([]);
    expect(actions(slow.got)).to.deep.equal(['a', 'b']);
  });

  it('shares nothing with a system of another prefix', async () => {
    const [one, two] = [await several(1), await several(1)].flat() as [Opened, Opened];
    await one.handle.publish(told('mine'));
    await two.handle.publish(told('yours'));
    await until(() => one.got.length + two.got.length >= 2, 'both');
    expect([actions(one.got), actions(two.got)]).to.deep.equal([['mine'], ['yours']]);
  });

  it('puts its keys into one slot, keeps the stream short, and lets it end', async () => {
    const prefix = `test:${randomUUID()}:`;
    const relay = await onRedis(url, prefix, { most: 100, keep: 5 });
    opened.push(relay);
    await Promise.all(Array.from({ length: 2000 }, () => relay.handle.publish(told('a'))));
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

/**
 * The relay on Redis when its server is lost, hangs, loses responses or restarts empty: nothing is delivered twice, and
 * missed messages are reported.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import type { Fault } from '../../../contract/fault.js';
import { startFaultProxy, type FaultProxy } from '../../support/fault-proxy.js';
import { pickFreePort, pause } from '../../support/guarded-server.js';
import { startOwnRedis } from '../../support/redis.js';
import {
  listActions,
  openRedisRelay,
  createDelivery,
  type LoggedRelay,
  type RelayOptions,
} from '../../support/relays.js';
import { skipTest } from '../../support/skip.js';
import { startStopwatch } from '../../support/stopwatch.js';
import { waitUntil } from '../../support/until.js';

describe('relay redis, when its server fails', function () {
  let server: { url: string; port: number; stop: () => Promise<void> } | undefined;
  let proxy: FaultProxy;
  const opened: { close: () => Promise<unknown> }[] = [];
  before(async function () {
    const found = await startOwnRedis();
    if ('skip' in found) return skipTest(this, found.skip);
    server = found;
  });
  beforeEach(async () => {
    proxy = await startFaultProxy({ host: '127.0.0.1', port: server!.port });
  });
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close();
    await proxy.close();
  });
  after(() => server?.stop());

  /** One that reaches the server through the proxy, and one that always does. */
  async function pair(options: RelayOptions = {}): Promise<[cut: LoggedRelay, other: LoggedRelay]> {
    const prefix = `test:${randomUUID()}:`;
    const relays: [LoggedRelay, LoggedRelay] = [
      await openRedisRelay(`redis://127.0.0.1:${proxy.port}`, prefix, options),
      await openRedisRelay(server!.url, prefix, options),
    ];
    opened.push(...relays);
    return relays;
  }
  const catchCode = (work: Promise<void>): Promise<string> =>
    work.then(
      () => 'none',
      (error: unknown) => (error as Fault).code,
    );

  it('continues at its position after a lost connection: no message is missing or repeated', async () => {
    const [cut, other] = await pair();
    const sent: string[] = [];
    for (let round = 0; round < 5; round++) {
      await proxy.rejectConnections();
      for (let n = 0; n < 20; n++) {
        sent.push(`${round}:${n}`);
        await other.handle.publish(createDelivery(`${round}:${n}`));
      }
      await proxy.passTraffic();
      await waitUntil(() => cut.got.length === sent.length, `round ${round}`);
    }
    expect(listActions(cut.got)).to.deep.equal(sent);
    expect(listActions(other.got)).to.deep.equal(sent);
  });

  it('continues at its position when connections break in the middle of a message', async () => {
    const [cut, other] = await pair();
    const sent: string[] = [];
    for (let n = 0; n < 200; n++) {
      if (n % 20 === 0) proxy.cutAfter(40 + n, 'pass');
      sent.push(`n${n}`);
      await other.handle.publish(createDelivery(`n${n}`, 'x'.repeat(500)));
    }
    await waitUntil(() => cut.got.length >= 200, 'the last message');
    expect(listActions(cut.got)).to.deep.equal(sent);
  });

  it('delivers its own messages immediately while the server is unavailable, and rejects others within a second', async () => {
    const [cut, other] = await pair();
    await proxy.rejectConnections();
    const elapsed = startStopwatch();
    expect(await catchCode(cut.handle.publish(createDelivery('alone')))).to.equal('RLY_AWAY');
    expect(elapsed()).to.be.below(1000);
    expect(listActions(cut.got)).to.deep.equal(['alone']);
    expect(await cut.health()).to.deep.equal({ ok: false, optional: true, detail: 'the relay does not respond' });
    await other.handle.publish(createDelivery('meanwhile'));
    await proxy.passTraffic();
    await waitUntil(() => cut.got.length === 2, 'what was said meanwhile');
    await waitUntil(() => cut.log.some(({ message }) => message === 'relay available'), 'the log');
    expect(listActions(cut.got)).to.deep.equal(['alone', 'meanwhile']);
    expect(listActions(other.got)).to.deep.equal(['meanwhile']);
    const rows = cut.log.map(({ message, fields }) => [message, fields['lost']]);
    expect(rows).to.deep.equal([
      ['relay unavailable; messages reach only clients of this process', undefined],
      ['relay available', 1],
    ]);
    expect(await cut.health()).to.deep.equal({ ok: true, detail: '1 messages were not sent to other processes' });
  });

  it('stores what others did not receive, if messages are stored, and sends it in order when the server is available', async () => {
    const [cut, other] = await pair({ replay: true });
    await proxy.rejectConnections();
    for (const action of ['a', 'b', 'c']) await cut.handle.publish(createDelivery(action));
    expect(listActions(cut.got)).to.deep.equal(['a', 'b', 'c']);
    await other.handle.publish(createDelivery('meanwhile'));
    await proxy.passTraffic();
    await waitUntil(() => other.got.length === 4, 'what was kept');
    await cut.handle.publish(createDelivery('after'));
    await waitUntil(() => listActions(cut.got).at(-1) === 'after' && other.got.length === 5, 'the next one');
    expect(listActions(other.got)).to.deep.equal(['meanwhile', 'a', 'b', 'c', 'after']);
    expect(listActions(cut.got)).to.deep.equal(['a', 'b', 'c', 'meanwhile', 'after']);
    expect((await other.handle.listSince(other.got[0]!.id!))?.map(({ action }) => action)).to.deep.equal([
      'a',
      'b',
      'c',
      'after',
    ]);
    expect(await cut.health()).to.deep.equal({ ok: true });
  });

  it('sends once what the server already had, and no more than is stored', async () => {
    const [cut, other] = await pair({ replay: true, most: 5 });
    proxy.muteResponses();
    await cut.handle.publish(createDelivery('unsure'));
    await waitUntil(() => other.got.length === 1, 'the message that arrived');
    await proxy.rejectConnections();
    for (let n = 0; n < 8; n++) await cut.handle.publish(createDelivery(`n${n}`));
    await proxy.passTraffic();
    await waitUntil(() => listActions(other.got).at(-1) === 'n7', 'what was kept');
    expect(listActions(other.got)).to.deep.equal(['unsure', 'n3', 'n4', 'n5', 'n6', 'n7']);
    expect(listActions(cut.got)).to.deep.equal(['unsure', ...Array.from({ length: 8 }, (_, n) => `n${n}`)]);
  });

  it('disconnects from a server that hangs, within a second, and connects again', async () => {
    const [cut, other] = await pair();
    proxy.stall();
    const [start, elapsed] = [performance.now(), startStopwatch()];
    expect(await catchCode(cut.handle.publish(createDelivery('hung')))).to.equal('RLY_AWAY');
    expect(performance.now() - start).to.be.at.least(500);
    expect(elapsed()).to.be.lessThan(1100);
    await other.handle.publish(createDelivery('behind its back'));
    await proxy.rejectConnections();
    await proxy.passTraffic();
    await waitUntil(() => cut.got.length >= 2, 'the message of the other');
    expect(listActions(cut.got)).to.deep.equal(['hung', 'behind its back']);
  });

  it('delivers once what the server had although its response was lost', async () => {
    const [cut, other] = await pair();
    proxy.muteResponses();
    expect(await catchCode(cut.handle.publish(createDelivery('unsure')))).to.equal('RLY_AWAY');
    await waitUntil(() => other.got.length === 1, 'the message that arrived');
    expect(listActions(cut.got)).to.deep.equal(['unsure']);
    await proxy.rejectConnections();
    await proxy.passTraffic();
    await other.handle.publish(createDelivery('next'));
    await waitUntil(() => cut.got.length >= 2, 'the next message');
    expect(listActions(cut.got)).to.deep.equal(['unsure', 'next']);
    expect(listActions(other.got)).to.deep.equal(['unsure', 'next']);
  });

  it('starts without a server, and joins when it becomes available', async () => {
    const prefix = `test:${randomUUID()}:`;
    await proxy.rejectConnections();
    const early = await openRedisRelay(`redis://127.0.0.1:${proxy.port}`, prefix);
    const other = await openRedisRelay(server!.url, prefix);
    opened.push(early, other);
    await other.handle.publish(createDelivery('before'));
    await proxy.passTraffic();
    await waitUntil(() => early.got.length > 0, 'what was sent since it was opened');
    await other.handle.publish(createDelivery('after'));
    await waitUntil(() => early.got.length === 2, 'the next one');
    expect(listActions(early.got)).to.deep.equal(['before', 'after']);
  });

  it('reports how many messages it missed during a longer outage', async () => {
    const [cut, other] = await pair({ most: 10, replay: true });
    await other.handle.publish(createDelivery('first'));
    await waitUntil(() => cut.got.length === 1, 'the first');
    await proxy.rejectConnections();
    for (let n = 0; n < 500; n++) await other.handle.publish(createDelivery(`n${n}`));
    await proxy.passTraffic();
    await waitUntil(() => listActions(cut.got).includes('n499'), 'the latest');
    const missed = cut.log.find(({ message }) => message.startsWith('messages to clients lost'))?.fields['missed'];
    expect(missed).to.equal(501 - cut.got.length);
    expect(await cut.handle.listSince(cut.got[0]!.id!)).to.equal(null);
    expect(await cut.handle.listSince(cut.got.at(-1)!.id!)).to.deep.equal([]);
  });

  it('drains: messages being sent are sent', async () => {
    const [cut, other] = await pair();
    const work = Array.from({ length: 50 }, (_, n) => cut.handle.publish(createDelivery(`n${n}`)));
    await cut.drain();
    await cut.close();
    await Promise.all(work);
    await waitUntil(() => other.got.length === 50, 'the last');
  });
});

describe('relay redis, when its server restarts empty', function () {
  it('continues with new messages in all processes, and knows none of the previous ids', async function () {
    const port = await pickFreePort();
    const found = await startOwnRedis(port);
    if ('skip' in found) return skipTest(this, found.skip);
    const prefix = `test:${randomUUID()}:`;
    const relays = [
      await openRedisRelay(found.url, prefix, { replay: true }),
      await openRedisRelay(found.url, prefix, { replay: true }),
    ] as const;
    try {
      for (const action of ['a', 'b']) await relays[0].handle.publish(createDelivery(action));
      for (const { got } of relays) await waitUntil(() => got.length === 2, 'before');
      await found.stop();
      const again = await startOwnRedis(port);
      if ('skip' in again) throw new Error(again.skip);
      try {
        // Both must be connected again: a message sent before reaches only those that are.
        for (const { log } of relays)
          await waitUntil(
            () => log.some(({ message }) => message.startsWith('relay is empty after a reconnect')),
            'the log',
          );
        for (const { health } of relays) while (!((await health()) as { ok: boolean }).ok) await pause(10);
        await relays[1].handle.publish(createDelivery('c'));
        for (const { got } of relays) await waitUntil(() => got.length === 3, 'after');
        for (const { got, handle, log } of relays) {
          expect(listActions(got)).to.deep.equal(['a', 'b', 'c']);
          expect(await handle.listSince(got[0]!.id!)).to.equal(null);
          expect(await handle.listSince(got[2]!.id!)).to.deep.equal([]);
          expect(log.some(({ message }) => message.startsWith('relay is empty after a reconnect'))).to.equal(true);
        }
        const client = new Redis(again.url);
        await client.flushall();
        client.disconnect();
        await relays[0].handle.publish(createDelivery('d'));
        for (const { got } of relays) await waitUntil(() => listActions(got).at(-1) === 'd', 'after it was emptied');
      } finally {
        await again.stop();
      }
    } finally {
      for (const { close } of relays) await close();
    }
  });
});

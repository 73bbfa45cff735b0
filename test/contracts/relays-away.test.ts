/** The relay on Redis when its server is lost, hangs, loses answers, comes back empty: nothing is told twice, what is missed is known. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import type { Fault } from '../../contract/fault.js';
import { faultProxy, type FaultProxy } from '../support/fault-proxy.js';
import { freePort, pause } from '../support/guarded.js';
import { ownRedis } from '../support/redis.js';
import { actions, onRedis, told, type Opened, type RelayOptions } from '../support/relays.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';
import { until } from '../support/until.js';

describe('relay redis, when its server fails', function () {
  let server: { url: string; port: number; stop: () => Promise<void> } | undefined;
  let proxy: FaultProxy;
  const opened: { close: () => Promise<unknown> }[] = [];
  before(async function () {
    const found = await ownRedis();
    if ('skip' in found) return skipTest(this, found.skip);
    server = found;
  });
  beforeEach(async () => {
    proxy = await faultProxy({ host: '127.0.0.1', port: server!.port });
  });
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close();
    await proxy.close();
  });
  after(() => server?.stop());

  /** One that reaches the server through the proxy, and one that always does. */
  async function pair(options: RelayOptions = {}): Promise<[cut: Opened, other: Opened]> {
    const prefix = `test:${randomUUID()}:`;
    const relays: [Opened, Opened] = [
      await onRedis(`redis://127.0.0.1:${proxy.port}`, prefix, options),
      await onRedis(server!.url, prefix, options),
    ];
    opened.push(...relays);
    return relays;
  }
  const codeOf = (work: Promise<void>): Promise<string> =>
    work.then(
      () => 'none',
      (error: unknown) => (error as Fault).code,
    );

  it('goes on where it was after a lost connection: nothing is missed, nothing comes twice', async () => {
    const [cut, other] = await pair();
    const sent: string[] = [];
    for (let round = 0; round < 5; round++) {
      await proxy.refuse();
      for (let n = 0; n < 20; n++) {
        sent.push(`${round}:${n}`);
        await other.handle.publish(told(`${round}:${n}`));
      }
      await proxy.pass();
      await until(() => cut.got.length === sent.length, `round ${round}`);
    }
    expect(actions(cut.got)).to.deep.equal(sent);
    expect(actions(other.got)).to.deep.equal(sent);
  });

  it('goes on where it was when connections break in the middle of a message', async () => {
    const [cut, other] = await pair();
    const sent: string[] = [];
    for (let n = 0; n < 200; n++) {
      if (n % 20 === 0) proxy.cutAfter(40 + n, 'pass');
      sent.push(`n${n}`);
      await other.handle.publish(told(`n${n}`, 'x'.repeat(500)));
    }
    await until(() => cut.got.length >= 200, 'the last message');
    expect(actions(cut.got)).to.deep.equal(sent);
  });

  it('has its own messages at once while the server is away, others never: refused within a second', async () => {
    const [cut, other] = await pair();
    await proxy.refuse();
    const elapsed = startStopwatch();
    expect(await codeOf(cut.handle.publish(told('alone')))).to.equal('RLY_AWAY');
    expect(elapsed()).to.be.below(1000);
    expect(actions(cut.got)).to.deep.equal(['alone']);
    expect(await cut.health()).to.deep.equal({ ok: false, optional: true, detail: 'the relay does not answer' });
    await other.handle.publish(told('meanwhile'));
    await proxy.pass();
    await until(() => cut.got.length === 2, 'what was said meanwhile');
    await until(() => cut.log.some(({ message }) => message === 'the relay is back'), 'the log');
    expect(actions(cut.got)).to.deep.equal(['alone', 'meanwhile']);
    expect(actions(other.got)).to.deep.equal(['meanwhile']);
    const rows = cut.log.map(({ message, fields }) => [message, fields['lost']]);
    expect(rows).to.deep.equal([
      ['the relay is away; messages reach the clients of this process only', undefined],
      ['the relay is back', 1],
    ]);
    expect(await cut.health()).to.deep.equal({ ok: true, detail: '1 messages did not reach other processes' });
  });

  it('keeps what others did not get, where messages are kept, and sends it in order when the server is back', async () => {
    const [cut, other] = await pair({ replay: true });
    await proxy.refuse();
    for (const action of ['a', 'b', 'c']) await cut.handle.publish(told(action));
    expect(actions(cut.got)).to.deep.equal(['a', 'b', 'c']);
    await other.handle.publish(told('meanwhile'));
    await proxy.pass();
    await until(() => other.got.length === 4, 'what was kept');
    await cut.handle.publish(told('after'));
    await until(() => actions(cut.got).at(-1) === 'after' && other.got.length === 5, 'the next one');
    expect(actions(other.got)).to.deep.equal(['meanwhile', 'a', 'b', 'c', 'after']);
    expect(actions(cut.got)).to.deep.equal(['a', 'b', 'c', 'meanwhile', 'after']);
    expect((await other.handle.since(other.got[0]!.id!))?.map(({ action }) => action)).to.deep.equal([
      'a',
      'b',
      'c',
      'after',
    ]);
    expect(await cut.health()).to.deep.equal({ ok: true });
  });

  it('sends once what the server had already, and no more than is kept', async () => {
    const [cut, other] = await pair({ replay: true, most: 5 });
    proxy.mute();
    await cut.handle.publish(told('unsure'));
    await until(() => other.got.length === 1, 'the message that arrived');
    await proxy.refuse();
    for (let n = 0; n < 8; n++) await cut.handle.publish(told(`n${n}`));
    await proxy.pass();
    await until(() => actions(other.got).at(-1) === 'n7', 'what was kept');
    expect(actions(other.got)).to.deep.equal(['unsure', 'n3', 'n4', 'n5', 'n6', 'n7']);
    expect(actions(cut.got)).to.deep.equal(['unsure', ...Array.from({ length: 8 }, (_, n) => `n${n}`)]);
  });

  it('gives a server up that hangs, within a second, and finds it again', async () => {
    const [cut, other] = await pair();
    proxy.stall();
    const [start, elapsed] = [performance.now(), startStopwatch()];
    expect(await codeOf(cut.handle.publish(told('hung')))).to.equal('RLY_AWAY');
    expect(performance.now() - start).to.be.at.least(500);
    expect(elapsed()).to.be.lessThan(1100);
    await other.handle.publish(told('behind its back'));
    await proxy.refuse();
    await proxy.pass();
    await until(() => cut.got.length >= 2, 'the message of the other');
    expect(actions(cut.got)).to.deep.equal(['hung', 'behind its back']);
  });

  it('tells its clients once what the server had although its answer was lost', async () => {
    const [cut, other] = await pair();
    proxy.mute();
    expect(await codeOf(cut.handle.publish(told('unsure')))).to.equal('RLY_AWAY');
    await until(() => other.got.length === 1, 'the message that arrived');
    expect(actions(cut.got)).to.deep.equal(['unsure']);
    await proxy.refuse();
    await proxy.pass();
    await other.handle.publish(told('next'));
    await until(() => cut.got.length >= 2, 'the next message');
    expect(actions(cut.got)).to.deep.equal(['unsure', 'next']);
    expect(actions(other.got)).to.deep.equal(['unsure', 'next']);
  });

  it('starts without a server, and takes part when there is one', async () => {
    const prefix = `test:${randomUUID()}:`;
    await proxy.refuse();
    const early = await onRedis(`redis://127.0.0.1:${proxy.port}`, prefix);
    const other = await onRedis(server!.url, prefix);
    opened.push(early, other);
    await other.handle.publish(told('before'));
    await proxy.pass();
    await until(() => early.got.length > 0, 'what was sent since it was opened');
    await other.handle.publish(told('after'));
    await until(() => early.got.length === 2, 'the next one');
    expect(actions(early.got)).to.deep.equal(['before', 'after']);
  });

  it('says how much it missed when it was away for longer than is kept', async () => {
    const [cut, other] = await pair({ most: 10, replay: true });
    await other.handle.publish(told('first'));
    await until(() => cut.got.length === 1, 'the first');
    await proxy.refuse();
    for (let n = 0; n < 500; n++) await other.handle.publish(told(`n${n}`));
    await proxy.pass();
    await until(() => actions(cut.got).includes('n499'), 'the latest');
    const missed = cut.log.find(({ message }) => message.startsWith('messages to clients were missed'))?.fields[
      'missed'
    ];
    expect(missed).to.equal(501 - cut.got.length);
    expect(await cut.handle.since(cut.got[0]!.id!)).to.equal(null);
    expect(await cut.handle.since(cut.got.at(-1)!.id!)).to.deep.equal([]);
  });

  it('drains: what is being sent is sent', async () => {
    const [cut, other] = await pair();
    const work = Array.from({ length: 50 }, (_, n) => cut.handle.publish(told(`n${n}`)));
    await cut.drain();
    await cut.close();
    await Promise.all(work);
    await until(() => other.got.length === 50, 'the last');
  });
});

describe('relay redis, when its server comes back empty', function () {
  it('goes on with what is sent from then on, in all processes, and knows none of the ids before', async function () {
    const port = await freePort();
    const found = await ownRedis(port);
    if ('skip' in found) return skipTest(this, found.skip);
    const prefix = `test:${randomUUID()}:`;
    const relays = [
      await onRedis(found.url, prefix, { replay: true }),
      await onRedis(found.url, prefix, { replay: true }),
    ] as const;
    try {
      for (const action of ['a', 'b']) await relays[0].handle.publish(told(action));
      for (const { got } of relays) await until(() => got.length === 2, 'before');
      await found.stop();
      const again = await ownRedis(port);
      if ('skip' in again) throw new Error(again.skip);
      try {
        // Both must be there again: what is sent before reaches whoever is.
        for (const { log } of relays)
          await until(() => log.some(({ message }) => message.startsWith('the relay came back empty')), 'the log');
        for (const { health } of relays) while (!((await health()) as { ok: boolean }).ok) await pause(10);
        await relays[1].handle.publish(told('c'));
        for (const { got } of relays) await until(() => got.length === 3, 'after');
        for (const { got, handle, log } of relays) {
          expect(actions(got)).to.deep.equal(['a', 'b', 'c']);
          expect(await handle.since(got[0]!.id!)).to.equal(null);
          expect(await handle.since(got[2]!.id!)).to.deep.equal([]);
          expect(log.some(({ message }) => message.startsWith('the relay came back empty'))).to.equal(true);
        }
        const client = new Redis(again.url);
        await client.flushall();
        client.disconnect();
        await relays[0].handle.publish(told('d'));
        for (const { got } of relays) await until(() => actions(got).at(-1) === 'd', 'after it was emptied');
      } finally {
        await again.stop();
      }
    } finally {
      for (const { close } of relays) await close();
    }
  });
});

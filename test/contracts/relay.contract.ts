/**
 * Contract of relays: deliver each message to the process once and in order, store missed messages for a while, and
 * report when some of them are gone.
 */
import { expect } from 'chai';
import type { Delivery } from '../../contract/delivery.js';
import { Fault } from '../../contract/fault.js';
import { listActions, createDelivery, type OpenRelay, type RelayOptions } from '../support/relay-messages.js';
import { skipTest } from '../support/skip.js';
import { waitUntil } from '../support/until.js';

const catchCode = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof Fault ? error.code : String(error)),
  );

export function relayContract(
  name: string,
  open: (options: RelayOptions) => Promise<OpenRelay | { readonly skip: string }>,
): void {
  describe(`relay ${name}`, function () {
    const opened: OpenRelay[] = [];
    async function make(this: Mocha.Context, options: RelayOptions = {}): Promise<OpenRelay> {
      const found = await open(options);
      if ('skip' in found) return skipTest(this, found.skip);
      opened.push(found);
      return found;
    }
    afterEach(async () => {
      for (const { close } of opened.splice(0)) await close();
    });

    it('delivers every message to the process once, in order, unchanged', async function () {
      const { handle, got } = await make.call(this);
      const data = { text: 'é\u0000\ud83d\ude00', list: [1, null, { a: true }], ['__proto__']: 1 };
      const targets: Delivery['to'][] = [{ all: true }, { uids: ['7', 'ä'] }, { rooms: ['match 5'] }];
      for (const to of targets) await handle.publish({ action: 'one', data, to });
      for (let n = 0; n < 50; n++) await handle.publish(createDelivery(`n${n}`, n));
      await waitUntil(() => got.length >= 53, 'the last message');
      expect(got.slice(0, 3)).to.deep.equal(targets.map((to) => ({ action: 'one', data, to, id: null })));
      expect(listActions(got.slice(3))).to.deep.equal(Array.from({ length: 50 }, (_, n) => `n${n}`));
    });

    it('keeps the order of messages that are not awaited', async function () {
      const { handle, got } = await make.call(this);
      await Promise.all(Array.from({ length: 200 }, (_, n) => handle.publish(createDelivery(`n${n}`))));
      await waitUntil(() => got.length >= 200, 'the last message');
      expect(listActions(got)).to.deep.equal(Array.from({ length: 200 }, (_, n) => `n${n}`));
    });

    it('rejects a message that is too large, and delivers it to no client', async function () {
      const { handle, got } = await make.call(this);
      expect(await catchCode(handle.publish(createDelivery('huge', 'é'.repeat(131_072))))).to.equal('RLY_LARGE');
      await handle.publish(createDelivery('large', 'x'.repeat(261_000)));
      await waitUntil(() => got.length > 0, 'the large one');
      expect(listActions(got)).to.deep.equal(['large']);
    });

    it('returns no ids if nothing is stored, and accepts none', async function () {
      const { handle, got } = await make.call(this);
      await handle.publish(createDelivery('a'));
      await waitUntil(() => got.length === 1, 'the message');
      expect(got[0]?.id).to.equal(null);
      for (const id of ['', '0', 'x.1', '__proto__.1']) expect(await handle.listSince(id)).to.equal(null);
    });

    it('returns messages after an id, oldest first, and none after the latest', async function () {
      const { handle, got } = await make.call(this, { replay: true });
      for (const action of ['a', 'b', 'c', 'd']) await handle.publish(createDelivery(action));
      await waitUntil(() => got.length === 4, 'the last message');
      const ids = got.map(({ id }) => id ?? '');
      expect(new Set(ids).size).to.equal(4);
      expect(listActions((await handle.listSince(ids[1]!)) ?? [])).to.deep.equal(['c', 'd']);
      expect(await handle.listSince(ids[0]!)).to.deep.equal(got.slice(1));
      expect(await handle.listSince(ids[3]!)).to.deep.equal([]);
    });

    it('rejects unknown ids', async function () {
      const { handle, got } = await make.call(this, { replay: true });
      await handle.publish(createDelivery('a'));
      await waitUntil(() => got.length === 1, 'the message');
      const [epoch = ''] = got[0]!.id!.split('.');
      const wrong = [
        '',
        '1',
        `${epoch}`,
        `${epoch}.`,
        `${epoch}.-1`,
        `${epoch}.01`,
        `${epoch}.1e1`,
        'other.0',
        'x'.repeat(9999),
      ];
      for (const id of wrong) expect(await handle.listSince(id), id).to.equal(null);
      // It may be in transit from another process, so it is awaited; it never arrives.
      expect(await handle.listSince(`${epoch}.99`)).to.equal(null);
    });

    it('stores a limited number, and reports a gap to clients that are further behind', async function () {
      const { handle, got } = await make.call(this, { replay: true, most: 10 });
      for (let n = 0; n < 30; n++) await handle.publish(createDelivery(`n${n}`));
      await waitUntil(() => got.length === 30, 'the last message');
      expect(listActions((await handle.listSince(got[19]!.id!)) ?? [])).to.deep.equal(
        Array.from({ length: 10 }, (_, n) => `n${n + 20}`),
      );
      expect(await handle.listSince(got[18]!.id!)).to.equal(null);
    });
  });
}

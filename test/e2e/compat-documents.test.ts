/**
 * A document shop in the style of another system with the interface, unchanged in its profile, on both document stores:
 * the requests of its clients and the responses.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { SHOP } from '../support/circles-documents.js';
import { describeOnEach, STORES } from '../support/databases.js';
import { connect } from '../support/sockets.js';
import { createBearerInit, KEY } from '../support/tokens.js';

const ADA = { email: 'ada@example.com', handle: 'ada', password: 'a long password', points: 1, address: {} };

describeOnEach(
  'definitions of a document shop',
  STORES,
  {
    files: SHOP,
    config: { profile: 'sub0', on_problem: 'refuse', websocket: { enabled: true } },
    env: { JWT_SECRET_KEY: KEY },
  },
  (kernel) => {
    let ada = {} as Loose;
    let placed = {} as Loose;
    const as = (who: Loose): RequestInit => createBearerInit(String(who['session']));
    async function data(path: string, body: unknown = {}, init?: RequestInit): Promise<Loose> {
      const answer = await kernel().post(path, body, init);
      expect(answer.status, `${path} ${answer.text}`).to.equal(200);
      expect(answer.body).to.have.all.keys('success', 'message', 'data');
      return answer.body['data'] as Loose;
    }
    async function expectRejected(path: string, status: number, body: unknown = {}, init?: RequestInit): Promise<void> {
      const answer = await kernel().post(path, body, init);
      expect(answer.status, `${path} ${answer.text}`).to.equal(status);
      expect(answer.body).to.include({ success: false });
    }

    it('sign up once for each address, and in: the store generates the id, and it is in the token', async () => {
      const made = await data('/sign-up', ADA);
      expect(made).to.have.all.keys('_id', 'handle', 'session');
      await expectRejected('/sign-up', 409, { ...ADA, handle: 'another' });
      ada = await data('/sign-in', ADA);
      expect(ada).to.include({ _id: made['_id'], handle: 'ada', points: 1 });
      await expectRejected('/sign-in', 401, { ...ADA, password: 'not that password' });
      await expectRejected('/sign-in', 401, { ...ADA, email: 'nobody@example.com' });
      await expectRejected('/sign-in', 422, { email: { $ne: null }, password: { $ne: null } });
    });

    it('update fields of a nested object, and counters', async () => {
      await expectRejected('/address', 401, { city: 'Turin' });
      const changed = { address: { city: 'Turin', zip: '10100' }, points: 6 };
      expect(await data('/address', { city: 'Turin', zip: '10100' }, as(ada))).to.deep.equal(changed);
    });

    it('treat a value of a client as a value, also if it looks like an operator', async () => {
      await expectRejected('/address', 422, { city: { $inc: 1 }, zip: '1' }, as(ada));
      const kept = { address: { city: '$set', zip: '$points' }, points: 11 };
      expect(await data('/address', { city: '$set', zip: '$points' }, as(ada))).to.deep.equal(kept);
      await expectRejected('/orders/find', 422, { status: { $ne: null } });
    });

    it('place an order after a read that is written last, and notify all connections', async () => {
      const watcher = await connect(kernel().url);
      try {
        placed = await data('/order', { lines: [{ sku: 'a', n: 2 }], total: 12.5, status: 'FULFILLED' }, as(ada));
        expect(placed).to.deep.include({ status: 'new', total: 12.5, lines: { 0: { sku: 'a' } } });
        expect(await watcher.next()).to.deep.include({ action: 'ordered', data: placed });
      } finally {
        await watcher.close();
      }
    });

    it('find by operators, inside lists, by claims; no row is null, one an object, several a list', async () => {
      const found = await data('/orders', { from: 10, sku: 'a' }, as(ada));
      expect(found).to.include({ _id: placed['_id'], customer: ada['_id'], total: 12.5 });
      expect(found['created_at']).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(await data('/orders', { from: 13, sku: 'a' }, as(ada))).to.equal(null);
      await data('/order', { lines: [{ sku: 'a' }, { sku: 'b' }], total: 20 }, as(ada));
      expect(await data('/orders', { from: 10, sku: 'a' }, as(ada))).to.have.length(2);
      expect(await data('/orders', { from: 10, sku: 'b' }, as(ada))).to.include({ total: 20 });
    });

    it('update nothing the second time', async () => {
      expect(await data('/orders/done', { _id: placed['_id'] })).to.include({ status: 'FULFILLED', total: 12.5 });
      expect(await data('/orders/done', { _id: placed['_id'] })).to.equal(null);
    });
  },
);

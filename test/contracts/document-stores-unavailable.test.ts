/** An unavailable MongoDB: disconnected, hanging, killed and restarted, or without a replica set. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import mongodb from '../../plugins/document-stores/mongodb/runtime.js';
import { createCalls } from '../../plugins/document-stores/mongodb/calls.js';
import type { MongoConnection } from '../../plugins/document-stores/mongodb/connection.js';
import { isOutcomeUnknown } from '../support/client.js';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.js';
import { startKernel } from '../support/kernel.js';
import { createMongoDatabase, startOwnMongo, startMongo } from '../support/mongo.js';
import { defineColumn, catchFault } from './dialect-support.js';
import { removeIds, defineCollection, createStoreOpener, retryUntilSuccess } from './document-store-support.js';
import { waitForValue } from '../support/jobs.js';
import { NO_MONGO, skipTest } from '../support/skip.js';
import { sampleTests } from '../support/sample.js';

const querying = (id: string, mongo_query: object): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'QUERY', mongo_query: { collection: '_note', ...mongo_query } }],
});
const NOTES = {
  'definitions/_note.json': { text: { type: 'String' } },
  'definitions/a.json': [
    querying('note', { action: 'INSERT', parameters: ['$PAYLOAD.text'] }),
    querying('notes', { action: 'FETCH' }),
  ],
};

const { open, closeAll } = createStoreOpener(mongodb);

describe('document stores on MongoDB, unavailable', function () {
  describe('document store mongodb, between two attempts of its driver', () => {
    /** The driver has lost the server in between and found it again, or not. */
    const runWithLoss = async (name: string, lost: boolean): Promise<unknown> => {
      let times = 1;
      const calls = createCalls(
        () =>
          ({
            reach: () => ({ isAvailable: true, times }),
            settings: { pool: 1, poolWait: 100 },
          }) as unknown as MongoConnection,
      );
      const work = (): Promise<never> => {
        if (lost) times++;
        return Promise.reject(Object.assign(new Error('no connection'), { name }));
      };
      return (await catchFault(calls.call(null, true, work))).params['outcome'];
    };

    for (const name of ['MongoWaitQueueTimeoutError', 'MongoPoolClearedError']) {
      it(`reports an unknown outcome for ${name} after a lost connection, and otherwise that nothing was sent`, async () => {
        expect(await runWithLoss(name, true)).to.match(/not known/);
        expect(await runWithLoss(name, false)).to.equal(undefined);
      });
    }
  });

  describe('document store mongodb, over a failing connection', () => {
    let proxy: FaultProxy;
    let through = '';
    before(async function () {
      const server = await startMongo();
      if ('skip' in server) return skipTest(this, server.skip);
      const address = new URL(await createMongoDatabase());
      proxy = await startFaultProxy({ host: address.hostname, port: Number(address.port) });
      address.port = String(proxy.port);
      through = address.href;
    });
    afterEach(() => proxy?.passTraffic());
    after(async () => {
      await closeAll();
      await proxy?.close();
    });

    it('rejects if no connection becomes free in time', async () => {
      // Selecting a server waits as long as a request, and a busy machine takes longer the first time.
      const { handle } = await retryUntilSuccess(() => open(through, { pool_size: 1, pool_wait: 0.3 }));
      await retryUntilSuccess(() => handle.count('x', {}, null));
      proxy.muteResponses();
      const [first, second] = [catchFault(handle.count('x', {}, null)), catchFault(handle.count('x', {}, null))];
      for (const fault of [await first, await second]) {
        expect(fault.code).to.equal('QRY_UNAVAILABLE');
        expect(fault.options.retryable).to.equal(true);
        expect(fault.options.headers).to.deep.equal({ 'retry-after': '1' });
      }
    });

    it('reports an unknown outcome if a write may have been sent, and not if no server was available', async () => {
      const { handle } = await open(through, { pool_wait: 0.3 });
      await retryUntilSuccess(() => handle.insert('once', [{ n: 0 }], null));
      proxy.muteResponses();
      const fault = await catchFault(handle.insert('once', [{ n: 1 }], null));
      expect(fault.code).to.equal('QRY_UNAVAILABLE');
      expect(fault.params['outcome']).to.match(/not known/);
      expect(fault.options.retryable ?? false).to.equal(false);
      await proxy.rejectConnections();
      await retryUntilSuccess(async () => {
        const later = await catchFault(handle.insert('once', [{ n: 2 }], null));
        expect([later.params['outcome'], later.options.retryable]).to.deep.equal([undefined, true]);
      });
      await proxy.passTraffic();
      await retryUntilSuccess(() => handle.insert('once', [{ n: 3 }], null));
      expect(await handle.count('once', { n: 2 }, null), 'what was not sent is not there').to.equal(0);
      expect(await handle.count('once', { n: 1 }, null), 'not sent twice').to.be.below(2);
    });

    it('does so too if a retry found no server after the first attempt lost its connection', async () => {
      const { handle } = await open(through, { pool_wait: 0.5 });
      await retryUntilSuccess(() => handle.insert('twice', [{ n: 0 }], null));
      proxy.cutAfter(1000, 'refuse');
      const fault = await catchFault(handle.insert('twice', [{ n: 1, text: 'x'.repeat(2_000_000) }], null));
      expect([fault.code, fault.options.retryable ?? false]).to.deep.equal(['QRY_UNAVAILABLE', false]);
      expect(fault.params['outcome']).to.match(/not known/);
    });

    it('continues after its connections were cut; what a cut transaction wrote is rolled back', async () => {
      const { handle } = await open(through, { pool_wait: 2 });
      await handle.insert('cut', [{ n: 0 }], null);
      const inside = await handle.begin();
      if (inside === null) throw new Error('no transactions');
      await handle.insert('cut', [{ n: 1 }], inside);
      proxy.reset();
      const fault = await catchFault(handle.insert('cut', [{ n: 2 }], inside));
      expect(fault.code).to.equal('QRY_UNAVAILABLE');
      await handle.rollback(inside);
      await proxy.passTraffic();
      for (let round = 0; round < 3; round++) {
        proxy.reset();
        await proxy.passTraffic();
        await retryUntilSuccess(() => handle.insert('cut', [{ n: 10 + round }], null));
      }
      expect(await handle.count('cut', { n: { $in: [1, 2] } }, null)).to.equal(0);
    });
  });

  // Without a replica set: no election, and the same storage.
  describe('document store mongodb, on a server of its own', function () {
    let data = '';
    let server: Exclude<Awaited<ReturnType<typeof startOwnMongo>>, { skip: string }> | undefined;
    async function start(port?: number): Promise<boolean> {
      const found = await startOwnMongo(port, data, false);
      if ('skip' in found) return false;
      server = found;
      return true;
    }
    before(async function () {
      data = await mkdtemp(join(tmpdir(), 'lintel-mongo-'));
      if (!(await start())) return skipTest(this, NO_MONGO);
    });
    after(async () => {
      await closeAll();
      await server?.stop();
      await rm(data, { recursive: true, force: true });
    });

    it('has no transactions, logs that once, and supports the rest', async () => {
      const { handle, logged, syncSchema } = await open(server?.url ?? '');
      expect(logged().match(/no replica set/g)).to.have.length(1);
      expect(await handle.begin()).to.equal(null);
      const { warnings } = await syncSchema([
        defineCollection('alone', [defineColumn('n', 'integer', { unique: true })]),
      ]);
      expect(warnings).to.deep.equal([]);
      await handle.insert('alone', [{ n: 1 }, { n: 2 }, { n: 3 }], null);
      const updated = await handle.update('alone', { n: { $gt: 1 } }, { $inc: { n: 10 } }, {}, null);
      expect(removeIds(updated)).to.deep.equal([{ n: 12 }, { n: 13 }]);
      expect((await catchFault(handle.insert('alone', [{ n: 1 }], null))).code).to.equal('QRY_UNIQUE');
      expect(await handle.remove('alone', {}, {}, null)).to.have.length(3);
    });

    it('rejects a job that writes the items of a list, because a retry would write them twice', async () => {
      const list = querying('list', { action: 'INSERT', parameters: ['text'], multi: 'items' });
      const files = { ...NOTES, 'definitions/list.json': [{ ...list, queue: { delay: 0, retries: 0 } }] };
      const config = { queue: { use: 'embedded' }, connections: { main: { use: 'pglite', path: 'memory://' } } };
      const kernel = await startKernel({
        files,
        config,
        env: { MONGO_URL: (server?.url ?? '').replace('/?', '/lists?') },
      });
      try {
        expect((await kernel.post('/list', { items: [{ text: 'a' }, { text: 'b' }] })).status).to.equal(202);
        const [dead] = await waitForValue(
          () => kernel.kernel.listJobAdmins()[0]!.list({}),
          ([job]) => job?.state === 'dead',
        );
        expect(dead?.failure?.code).to.equal('DOC_LIST_AGAIN');
        expect((await kernel.post('/notes', {})).body).to.deep.equal(null);
      } finally {
        await kernel.close();
      }
    });

    it('returns 503 while the server is unavailable, and serves again with its data afterwards', async () => {
      const { port = 0, url = '' } = server ?? {};
      const kernel = await startKernel({ files: NOTES, env: { MONGO_URL: url.replace('/?', '/away?') } });
      try {
        expect((await kernel.post('/note', { text: 'one' })).status).to.equal(200);
        await server?.stop();
        for (const name of ['/note', '/notes']) {
          const { status, headers, body } = await kernel.post(name, { text: 'two' });
          expect([status, body['code']]).to.deep.equal([503, 'QRY_UNAVAILABLE']);
          expect(headers.get('retry-after')).to.equal(isOutcomeUnknown(body) ? null : '1');
        }
        await start(port);
        await retryUntilSuccess(async () => expect((await kernel.post('/notes', {})).status).to.equal(200));
        expect((await kernel.post('/note', { text: 'three' })).status).to.equal(200);
        const { body } = await kernel.post('/notes', {});
        const texts = (body as unknown as { text: string }[]).map(({ text }) => text);
        expect(texts).to.include('one').and.include('three');
      } finally {
        await kernel.close();
      }
    });
  });

  sampleTests('mongo', this, 3);
});

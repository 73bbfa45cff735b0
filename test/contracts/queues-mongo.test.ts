/**
 * Runs the queue contract against MongoDB, and cases of such a server: killed and restarted, standalone, rejected
 * login, operators in values.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoBackend } from '@agendajs/mongo-backend';
import { expect } from 'chai';
import mongo from '../../plugins/queues/mongo/runtime.js';
import { BootError } from '../../contract/boot-error.js';
import { Fault } from '../../contract/fault.js';
import { startFaultProxy } from '../support/fault-proxy.js';
import type { ServerOrSkip } from '../support/guarded-server.js';
import { createMongoDatabase, startOwnMongo, startMongo } from '../support/mongo.js';
import { openQueue, createTestJob, type Address, type OpenedQueue } from '../support/queues.js';
import { waitUntil } from '../support/until.js';
import { testQueueOutage } from './queue-outage.js';
import { queueContract } from './queue.contract.js';
import { testQueueProcesses } from './queue-processes.js';
import { DONE, isEmpty } from './queue-support.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';
import { sampleTests } from '../support/sample.js';

type Plugin = 'mongo' | 'mongo, patiently';
const at = (url: string, options: object = {}, plugin: Plugin = 'mongo'): Address => ({
  plugin,
  options: { url, ...options },
});
const onServer = async (plugin: Plugin = 'mongo, patiently'): Promise<ServerOrSkip<Address>> => {
  const server = await startMongo();
  return 'skip' in server ? server : at(await createMongoDatabase(), {}, plugin);
};

describe('queue on MongoDB', function () {
  queueContract({
    name: 'mongo',
    wakes: false,
    async createPlace() {
      const address = await onServer();
      if ('skip' in address) return address;
      return {
        open: (options) => openQueue({ ...address, options: { ...address.options, ...options } }),
        dispose: () => Promise.resolve(),
        async openTool() {
          const backend = new MongoBackend({ address: String(address.options['url']), collection: 'lintel_jobs' });
          await backend.repository.connect();
          return { jobs: backend.repository, end: () => backend.disconnect() };
        },
      };
    },
  });

  testQueueProcesses({ name: 'mongo', shared: true, lease: 2, address: () => onServer() });

  testQueueOutage({
    name: 'mongo',
    async openProxied() {
      const direct = await onServer('mongo');
      if ('skip' in direct) return direct;
      const url = new URL(String(direct.options['url']));
      const proxy = await startFaultProxy({ host: url.hostname, port: Number(url.port) });
      url.port = String(proxy.port);
      return { direct, proxy, address: { ...direct, options: { ...direct.options, url: url.href } } };
    },
  });

  describe('server of the queue mongo', function () {
    const opened: OpenedQueue[] = [];
    const ends: (() => Promise<unknown>)[] = [];
    async function open(address: Address): Promise<OpenedQueue> {
      const one = await openQueue({ ...address, options: { poll: 0.1, ...address.options } });
      opened.push(one);
      return one;
    }
    async function shared(context: Mocha.Context): Promise<Address> {
      const address = await onServer();
      return 'skip' in address ? skipTest(context, address.skip) : address;
    }
    const hasMessage = (one: OpenedQueue, words: string): boolean =>
      one.messages.some((message) => message.includes(words));

    afterEach(async () => {
      await Promise.all(opened.splice(0).map((one) => one.close()));
      for (const end of ends.splice(0)) await end();
    });

    it('has all that was accepted after it was killed and restarted', async function () {
      const data = await mkdtemp(join(tmpdir(), 'lintel-mongo-data-'));
      ends.push(() => rm(data, { recursive: true, force: true }));
      const first = await startOwnMongo(undefined, data);
      if ('skip' in first) return skipTest(this, first.skip);
      let { stop } = first;
      ends.unshift(() => stop());
      const one = await open(at(first.url, { lease: 1 }));
      const begun: string[] = [];
      let finish = (): void => {};
      await one.queue.startWorker(async (work, attempt) => {
        begun.push(work.id);
        if (work.id === 'runs' && attempt === 1) await new Promise<void>((resolve) => (finish = resolve));
        return DONE;
      });
      const puts = [createTestJob(null, { id: 'runs', retries: 3 }), createTestJob(null, { id: 'waits', delay: 1 })];
      // Rejected if the emulated server is slow, and accepted once.
      await waitUntil(() =>
        one.queue.add(puts).then(
          () => true,
          () => false,
        ),
      );
      await waitUntil(() => begun.includes('runs'), 'one runs');
      // The guard of the server ends it as `kill -9` does.
      await stop();
      const elapsed = startStopwatch();
      const rejected: unknown = await one.queue.add([createTestJob()]).catch((error: unknown) => error);
      expect(elapsed()).to.be.lessThan(1100);
      expect(rejected).to.be.instanceOf(Fault).and.include({ code: 'JOB_AWAY' });
      expect(await mongo.health?.(one.queue)).to.deep.include({ ok: false });
      const second = await startOwnMongo(first.port, data);
      if ('skip' in second) throw new Error(second.skip);
      ({ stop } = second);
      await waitUntil(() => begun.includes('waits'), 'what waited was done');
      // Its end counts unless another process began it meanwhile; then that end counts.
      finish();
      await waitUntil(() => isEmpty(one), 'what ran is done');
      expect(await mongo.health?.(one.queue)).to.deep.equal({ ok: true });
    });

    it('is reported if it is standalone, and still accepts several jobs at once', async function () {
      const server = await startOwnMongo(undefined, undefined, false);
      if ('skip' in server) return skipTest(this, server.skip);
      ends.push(server.stop);
      const one = await open(at(server.url));
      expect(hasMessage(one, 'is not a replica set')).to.equal(true);
      let ran = 0;
      await one.queue.startWorker(() => Promise.resolve((ran++, DONE)));
      await one.queue.add([createTestJob(), createTestJob()]);
      await waitUntil(() => ran === 2, 'both were done');
      await waitUntil(() => isEmpty(one), 'nothing is left');
    });

    it('is not affected by an operator inside a value', async function () {
      const one = await open(await shared(this));
      const put = createTestJob({ $gt: '' }, { id: '$$NOW' });
      const work = { ...put.work, resource: '$state', part: '$$ROOT' };
      await one.queue.add([{ ...put, work }, createTestJob(null, { id: '$where', delay: 60 })]);
      expect((await one.queue.show('$$NOW'))?.work).to.deep.equal(work);
      expect((await one.queue.list({ resource: '$state' })).map(({ id, part }) => [id, part])).to.deep.equal([
        ['$$NOW', '$$ROOT'],
      ]);
      await one.queue.startWorker(() =>
        Promise.resolve({ done: false, code: '$token', detail: '$$ROOT', retryable: false }),
      );
      await waitUntil(async () => (await one.queue.list({ state: 'dead' })).length === 1, 'it is dead');
      expect((await one.queue.show('$$NOW'))?.view.failure).to.include({ code: '$token', detail: '$$ROOT' });
      const operator = { $ne: '' } as unknown as string;
      expect(await one.queue.purge({ id: operator })).to.equal(0);
      expect(await one.queue.retry(operator)).to.equal(false);
      expect(await one.queue.list({ resource: operator })).to.deep.equal([]);
    });

    it('separates collections and databases of different names', async function () {
      const address = await shared(this);
      const one = await open(address);
      const other = await open({ ...address, options: { ...address.options, collection: 'other_jobs' } });
      await one.queue.add([createTestJob()]);
      expect([(await one.queue.list({})).length, (await other.queue.list({})).length]).to.deep.equal([1, 0]);
      const named = new URL(String(address.options['url']));
      const name = named.pathname.slice(1);
      named.pathname = '/';
      const same = await open(at(named.href, { database: name }));
      expect(await same.queue.list({})).to.have.length(1);
    });

    it('prevents the start if it rejects the login, and if the URL is invalid', async function () {
      const address = await shared(this);
      const url = new URL(String(address.options['url']));
      url.username = 'nobody';
      url.password = 'wrong';
      for (const [given, code] of [
        [url.href, 'JOB_MONGO_REFUSED'],
        ['http://127.0.0.1:1', 'JOB_MONGO_ADDRESS'],
      ] as const) {
        const rejected: unknown = await open(at(given)).catch((error: unknown) => error);
        expect(rejected).to.be.instanceOf(BootError).and.include({ code });
      }
    });
  });

  sampleTests('mongo', this, 12);
});

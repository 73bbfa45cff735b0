/**
 * Runs the queue contract against Redis, and cases of such a server: without persistence, full, restarted empty,
 * rejected login. A suite that stops or fills a server has a separate one.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedisBackend } from '@agendajs/redis-backend';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import redis from '../../plugins/queues/redis/runtime.js';
import { BootError } from '../../contract/boot-error.js';
import { Fault } from '../../contract/fault.js';
import { startFaultProxy } from '../support/fault-proxy.js';
import type { ServerOrSkip } from '../support/guarded-server.js';
import { openQueue, createTestJob, type Address, type OpenedQueue } from '../support/queues.js';
import { waitUntil } from '../support/until.js';
import { startOwnRedis, startRedis, type RedisServer } from '../support/redis.js';
import { testQueueOutage } from './queue-outage.js';
import { queueContract } from './queue.contract.js';
import { testQueueProcesses } from './queue-processes.js';
import { DONE, isEmpty } from './queue-support.js';
import { skipTest } from '../support/skip.js';

const at = (url: string, options: object = {}): Address => ({ plugin: 'redis', options: { url, ...options } });
const onServer = async (): Promise<ServerOrSkip<Address>> => {
  const server = await startRedis();
  return 'skip' in server ? server : at(server.url, { prefix: `test:${randomUUID()}:` });
};

queueContract({
  name: 'redis',
  wakes: true,
  async createPlace() {
    const address = await onServer();
    if ('skip' in address) return address;
    return {
      open: (options) => openQueue({ ...address, options: { ...address.options, ...options } }),
      dispose: () => Promise.resolve(),
      async openTool() {
        const { url, prefix } = address.options;
        const backend = new RedisBackend({ connectionString: String(url), keyPrefix: `${String(prefix)}{queue}:` });
        await backend.repository.connect();
        return { jobs: backend.repository, end: () => backend.disconnect() };
      },
    };
  },
});

testQueueProcesses({ name: 'redis', shared: true, address: onServer });

testQueueOutage({
  name: 'redis',
  async openProxied() {
    const direct = await onServer();
    if ('skip' in direct) return direct;
    const url = new URL(String(direct.options['url']));
    const proxy = await startFaultProxy({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    return { direct, proxy, address: { ...direct, options: { ...direct.options, url: url.href } } };
  },
});

describe('server of the queue redis', function () {
  const servers: RedisServer[] = [];
  const opened: OpenedQueue[] = [];
  const folders: string[] = [];

  /** Settings of the command line; suites that use the shared server are skipped without one. */
  async function server(context: Mocha.Context, settings = '', port?: number): Promise<RedisServer & { port: number }> {
    const found = await startOwnRedis(port, settings);
    if ('skip' in found) return skipTest(context, found.skip);
    servers.push(found);
    return found;
  }
  async function open(url: string, options: object = {}): Promise<OpenedQueue> {
    const one = await openQueue(at(url, { poll: 0.1, ...options }));
    opened.push(one);
    return one;
  }
  const hasMessage = (one: OpenedQueue, words: string): boolean =>
    one.messages.some((message) => message.includes(words));
  const health = async (one: OpenedQueue) => redis.health?.(one.queue);

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
    await Promise.all(servers.splice(0).map(({ stop }) => stop()));
    await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
  });

  for (const [settings, words] of [
    ['', 'without persistence'],
    [`--save '3600 1'`, 'with snapshots only'],
    ['--appendonly yes --maxmemory-policy allkeys-lru', 'evicts jobs when its memory is full'],
  ] as const)
    it(`is reported if it may lose jobs (${settings || 'no persistence'})`, async function () {
      const one = await open((await server(this, settings)).url);
      await waitUntil(() => hasMessage(one, words), 'it was said');
      expect(await health(one)).to.deep.equal({ ok: true });
    });

  it('is not reported if it is configured to keep jobs', async function () {
    const one = await open((await server(this, '--appendonly yes')).url);
    await one.queue.add([createTestJob()]);
    // The response to the query of its settings arrives before that of a later command.
    await one.queue.list({});
    expect(one.messages).to.deep.equal([]);
  });

  it('is reported as loss of data if it was flushed, while connections are open', async function () {
    const { url } = await server(this);
    const [worker, other] = [await open(url), await open(url)];
    await worker.queue.startWorker(() => new Promise(() => {}));
    await other.queue.add([createTestJob(), createTestJob()]);
    expect(hasMessage(other, 'is empty after a reconnect')).to.equal(false);
    const operator = new Redis(url);
    await operator.flushall();
    operator.disconnect();
    await waitUntil(() => hasMessage(worker, 'is empty after a reconnect'), 'the worker saw it');
    expect(await health(worker)).to.deep.include({ ok: false, optional: true });
    // A process that only adds jobs detects it with the next job, although the worker was connected.
    await other.queue.add([createTestJob()]);
    expect(hasMessage(other, 'is empty after a reconnect')).to.equal(true);
    await worker.queue.releaseClaims();
  });

  it('is reported as loss of data if it was restarted without its data', async function () {
    const first = await server(this);
    const one = await open(first.url);
    await one.queue.add([createTestJob()]);
    await servers.splice(0)[0]?.stop();
    await server(this, '', first.port);
    await waitUntil(
      () =>
        one.queue.add([createTestJob()]).then(
          () => true,
          () => false,
        ),
      'it takes work again',
    );
    expect(hasMessage(one, 'is empty after a reconnect')).to.equal(true);
    expect(await one.queue.list({})).to.have.length(1);
  });

  it('has all that was accepted after it was killed and restarted with its data, without a report', async function () {
    const folder = await mkdtemp(join(tmpdir(), 'lintel-redis-data-'));
    folders.push(folder);
    const settings = `--dir '${folder}' --appendonly yes --appendfsync always`;
    const first = await server(this, settings);
    const one = await open(first.url, { lease: 0.5 });
    const begun: string[] = [];
    let finish = (): void => {};
    await one.queue.startWorker(async (work, attempt) => {
      begun.push(work.id);
      if (work.id === 'runs' && attempt === 1) await new Promise<void>((resolve) => (finish = resolve));
      return DONE;
    });
    await one.queue.add([
      createTestJob(null, { id: 'runs', retries: 3 }),
      createTestJob(null, { id: 'waits', delay: 1 }),
    ]);
    await waitUntil(() => begun.includes('runs'), 'one runs');
    const operator = new Redis(first.url, { retryStrategy: () => null });
    operator.on('error', () => undefined);
    const pid = Number(/process_id:(\d+)/.exec(await operator.info('server'))?.[1]);
    const ended = once(operator, 'end');
    process.kill(pid, 'SIGKILL');
    await ended;
    await servers.splice(0)[0]?.stop();
    const rejected: unknown = await one.queue.add([createTestJob()]).catch((error: unknown) => error);
    expect(rejected).to.be.instanceOf(Fault).and.include({ code: 'JOB_AWAY' });
    await server(this, settings, first.port);
    await waitUntil(() => begun.includes('waits'), 'what waited was done');
    // Its end counts unless another process began it meanwhile; then that end counts.
    finish();
    await waitUntil(() => isEmpty(one), 'what ran is done');
    expect(hasMessage(one, 'is empty after a reconnect')).to.equal(false);
  });

  it('rejects new jobs if it is full, runs existing ones, and accepts jobs again', async function () {
    const { url } = await server(this, '--maxmemory 3mb --maxmemory-policy noeviction');
    const one = await open(url, { concurrency: 4 });
    const large = 'x'.repeat(100_000);
    const fill = async (): Promise<unknown> => {
      for (let n = 0; n < 100; n++) await one.queue.add([createTestJob(large), createTestJob(large)]);
      return 'never full';
    };
    const rejected: unknown = await fill().catch((error: unknown) => error);
    expect(rejected).to.be.instanceOf(Fault).and.include({ code: 'JOB_AWAY' });
    const waiting = (await one.queue.list({})).length;
    // Two were accepted together, or none.
    expect(waiting % 2).to.equal(0);
    let ran = 0;
    await one.queue.startWorker(() => Promise.resolve((ran++, DONE)));
    await waitUntil(() => isEmpty(one), 'all was done');
    expect(ran).to.equal(waiting);
    await one.queue.add([createTestJob(large)]);
    await waitUntil(() => ran === waiting + 1, 'it takes work again');
  });

  it('prevents the start if it rejects the login, and if the URL is invalid', async function () {
    const { url } = await server(this);
    const operator = new Redis(url);
    await operator.config('SET', 'requirepass', 'secret');
    operator.disconnect();
    for (const [given, code] of [
      [url, 'JOB_REDIS_REFUSED'],
      [url.replace('redis://', 'redis://:wrong@'), 'JOB_REDIS_REFUSED'],
      ['http://127.0.0.1:1', 'JOB_REDIS_ADDRESS'],
    ] as const) {
      const rejected: unknown = await open(given).catch((error: unknown) => error);
      expect(rejected).to.be.instanceOf(BootError).and.include({ code });
    }
    await (await open(url.replace('redis://', 'redis://:secret@'))).queue.add([createTestJob()]);
  });

  it('does not prevent the start if it is unavailable, and connects later', async function () {
    const first = await server(this);
    await servers.splice(0)[0]?.stop();
    const one = await open(first.url);
    expect(hasMessage(one, 'store unavailable')).to.equal(true);
    expect(await health(one)).to.deep.include({ ok: false });
    let ran = 0;
    await one.queue.startWorker(() => Promise.resolve((ran++, DONE)));
    await server(this, '', first.port);
    await waitUntil(
      () =>
        one.queue.add([createTestJob()]).then(
          () => true,
          () => false,
        ),
      'it was found',
    );
    await waitUntil(() => ran === 1, 'work was done');
    expect(await health(one)).to.deep.equal({ ok: true });
  });

  it('stores the keys of a queue in one slot of a cluster, and separates several systems', async function () {
    const { url } = await server(this);
    const [one, other] = [await open(url, { prefix: 'a:' }), await open(url, { prefix: 'b:' })];
    await one.queue.add([createTestJob(null, { id: 'same {x}' }), createTestJob(null, { delay: 60 })]);
    await other.queue.add([createTestJob(null, { id: 'same {x}' })]);
    expect([(await one.queue.list({})).length, (await other.queue.list({})).length]).to.deep.equal([2, 1]);
    const operator = new Redis(url);
    const keys = await operator.keys('*');
    const parseHashTag = (key: string): string | undefined => /^[^{]*\{([^}]+)\}/.exec(key)?.[1];
    expect(keys.filter((key) => key.startsWith('a:'))).to.have.length(9);
    expect(new Set(keys.map(parseHashTag))).to.deep.equal(new Set(['queue']));
    operator.disconnect();
  });
});

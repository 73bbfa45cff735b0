/**
 * Readiness depends on whether the database responds, not on the duration; and it ends when the database is
 * unavailable.
 */
import { expect } from 'chai';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { defineQueryResource } from '../support/project.js';
import { skipTest } from '../support/skip.js';
import { waitUntil } from '../support/until.js';

/** Milliseconds in each direction. */
const LATENCY = 300;

describe('readiness', () => {
  let kernel: TestKernel;
  let proxy: FaultProxy;
  before(async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    const url = new URL(await createPostgresDatabase());
    proxy = await startFaultProxy({ host: url.hostname, port: Number(url.port) });
    [url.hostname, url.port] = ['127.0.0.1', String(proxy.port)];
    kernel = await startKernel({
      files: { 'definitions/a.json': defineQueryResource('slow', 'SELECT 1 AS a FROM pg_sleep(0.2)') },
      config: { connections: { main: { use: 'postgres', url: '$ENV.DATABASE_URL', pool_size: 2, pool_wait: 30 } } },
      env: { DATABASE_URL: url.href },
    });
  });
  after(async () => {
    await kernel?.close();
    await proxy?.close();
  });
  const getStatus = async (): Promise<number> => (await kernel.request('GET', '/status/ready')).status;

  it('does not change while a slow network, new connections and other requests delay the check', async () => {
    expect(await getStatus()).to.equal(200);
    proxy.delayTraffic(LATENCY);
    let isOver = false;
    const callers = Array.from({ length: 3 }, async () => {
      while (!isOver) await kernel.post('/slow');
    });
    const statuses: number[] = [];
    while (statuses.length < 6) statuses.push(await getStatus());
    isOver = true;
    await Promise.all(callers);
    expect(statuses).to.deep.equal([200, 200, 200, 200, 200, 200]);
  });

  it('ends when the database rejects connections, and returns with it', async () => {
    await proxy.rejectConnections();
    await waitUntil(async () => (await getStatus()) === 503);
    await proxy.passTraffic();
    await waitUntil(async () => (await getStatus()) === 200);
  });
});

/**
 * A Redis that is closed or hangs: everything is computed, and what was to be removed meanwhile is not returned
 * afterwards.
 */
import { expect } from 'chai';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { startOwnRedis } from '../support/redis.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';
import { waitUntil } from '../support/until.js';

describe('cached results with an unavailable Redis', function () {
  let kernel: TestKernel;
  let proxy: FaultProxy;
  let stop: (() => Promise<void>) | undefined;

  before(async function () {
    const server = await startOwnRedis();
    if ('skip' in server) return skipTest(this, server.skip);
    ({ stop } = server);
    proxy = await startFaultProxy({ host: '127.0.0.1', port: server.port });
    const files = {
      'definitions/a.json': [
        defineReturnResource(
          'made',
          { made: '$GENERATOR.ULID' },
          {
            cacheable: { read_from_cache: true, duration: 600, cache_key: 'made' },
          },
        ),
        defineReturnResource('drop', 1, { cacheable: { invalidate_cache_keys: ['made'] } }),
      ],
    };
    const config = { cache: { use: 'redis', url: '$ENV.REDIS' } };
    kernel = await startKernel({ files, config, env: { REDIS: `redis://127.0.0.1:${proxy.port}` } });
  });
  after(async () => {
    await kernel?.close();
    await proxy?.close();
    await stop?.();
  });

  const fetchMade = async (): Promise<unknown> => {
    const { status, body } = await kernel.post('/made', {});
    expect(status).to.equal(200);
    return body['made'];
  };
  async function untilKept(): Promise<unknown> {
    let kept: unknown;
    await waitUntil(async () => (kept = await fetchMade()) === (await fetchMade()), 'a result is kept');
    return kept;
  }

  it('are computed, quickly, with one line in the log; the process stays ready', async () => {
    await untilKept();
    for (const way of ['reset', 'stall'] as const) {
      proxy[way]();
      const elapsed = startStopwatch();
      const answers = [await fetchMade(), await fetchMade(), await fetchMade()];
      expect(new Set(answers).size).to.equal(3);
      expect(elapsed()).to.be.below(1500);
      expect((await kernel.request('GET', '/status/ready')).status).to.equal(200);
      await proxy.passTraffic();
      await untilKept();
    }
    expect(
      kernel.log.filter(({ message }) => message.includes('results are computed, invalidations are pending')).length,
    ).to.equal(1);
  });

  it('are not returned if they were removed meanwhile', async () => {
    const before = await untilKept();
    proxy.reset();
    expect((await kernel.post('/drop', {})).status).to.equal(200);
    await proxy.passTraffic();
    for (let n = 0; n < 20; n++) expect(await fetchMade()).not.to.equal(before);
    expect(await untilKept()).not.to.equal(before);
  });
});

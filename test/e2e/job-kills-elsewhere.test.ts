/** Real processes that are killed between any two groups of a job, with the queue on another server than the rows. */
import { testKills } from '../support/job-kills-judged.js';
import { ownRedis } from '../support/redis.js';

testKills('redis', async () => {
  const server = await ownRedis();
  if ('skip' in server) return server;
  const { url, stop } = server;
  const queue = { use: 'redis', url: '$ENV.QUEUE_URL' };
  return { queue, env: { QUEUE_URL: url }, address: { plugin: 'redis', options: { url } }, stop };
});

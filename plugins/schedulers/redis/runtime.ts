/** One connection that reconnects. While the server is unavailable, calls fail immediately. */
import type { Redis } from 'ioredis';
import { BootError } from '../../../contract/boot-error.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { RETENTION_MS, scheduler, type Ledger, type Scheduler } from '../kind.js';
import { parseRedisAddress, createRedisClient, dropIfSilent, waitForSettled } from '../../shared/redis.js';
import { withSettings } from '../shared/settings.js';
import { SCRIPTS, type Scripted } from './scripts.js';

type Client = Redis & Scripted;

interface RedisScheduler extends Scheduler {
  readonly client: Client;
}

/** Milliseconds in which a claimant may repeat its claim. */
const RETRY_MS = 600_000;

function createLedger(client: Client, prefix: string): Ledger {
  // The hash tag stores all keys of a schedule in one slot of a cluster.
  const scheduleKey = (key: string): string => `${prefix}schedule:{${key}}`;
  const instantsKey = (key: string): string => `${scheduleKey(key)}:instants`;
  async function runCommand<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      dropIfSilent(client, error);
      throw error;
    }
  }
  return {
    claimRun: (key, instant, lease, by) =>
      runCommand(() => {
        const schedule = scheduleKey(key);
        const claimed = `${schedule}:by:${instant}`;
        return client.lintelClaim(schedule, instantsKey(key), claimed, instant, lease * 1000, by, RETRY_MS);
      }),
    renewClaim: (key, instant, lease) =>
      runCommand(async () => (await client.lintelRenew(scheduleKey(key), instant, lease * 1000)) === 1),
    finishRun: (key, instant) =>
      runCommand(async () => {
        await client.lintelFinish(scheduleKey(key), instantsKey(key), instant, instant - RETENTION_MS);
      }),
    resolveLatest: (key, form, since) =>
      runCommand(async () => Number(await client.lintelLatest(scheduleKey(key), form, since))),
    countSkipped: (key) => runCommand(async () => Number((await client.hget(scheduleKey(key), 'skipped')) ?? 0)),
  };
}

export default defineRuntime<Scheduler, RedisScheduler>(scheduler, {
  create({ options }) {
    const address = parseRedisAddress(options);
    if (address === null) throw new BootError('CRN_ADDRESS', { what: 'Redis (`redis://:password@host:6379/0`)' });
    const client = createRedisClient<Scripted>(address, SCRIPTS);
    // Without a listener, ioredis prints errors to the console.
    client.on('error', () => undefined);
    return { ...withSettings(createLedger(client, address.prefix), options), client };
  },

  async open({ client }) {
    // Waits for the first attempt but not for its success: the driver reconnects.
    await waitForSettled(client.connect());
  },

  close({ client }) {
    client.disconnect();
    return Promise.resolve();
  },

  async health({ client }) {
    try {
      await client.ping();
      return { ok: true };
    } catch {
      return { ok: false, optional: true, detail: 'the schedule store does not respond' };
    }
  },
});

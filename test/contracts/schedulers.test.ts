/**
 * Runs the contract of schedulers against all four ledgers on real databases; and with an unavailable server: a call
 * that fails within a second.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { BootError } from '../../contract/boot-error.js';
import type { PluginRuntime, RuntimeContext } from '../../contract/plugin.js';
import pglite from '../../plugins/dialects/pglite/runtime.js';
import type { Scheduler } from '../../plugins/schedulers/kind.js';
import embedded from '../../plugins/schedulers/embedded/runtime.js';
import mongo from '../../plugins/schedulers/mongo/runtime.js';
import postgres from '../../plugins/schedulers/postgres/runtime.js';
import redis from '../../plugins/schedulers/redis/runtime.js';
import { pickFreePort } from '../support/guarded-server.js';
import { startFaultProxy } from '../support/fault-proxy.js';
import { createMongoDatabase, startMongo } from '../support/mongo.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { waitUntil } from '../support/until.js';
import { startRedis } from '../support/redis.js';
import { schedulerContract, type OpenScheduler } from './scheduler.contract.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';

const WAITING = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
/** Whether a connection to this database waits for a lock. */
async function isWaiting(client: pg.Client): Promise<boolean> {
  // In a transaction the activity is read once.
  await client.query('SELECT pg_stat_clear_snapshot()');
  return (await client.query(WAITING)).rows.length > 0;
}

const doNothing = (): void => undefined;
const log = { debug: doNothing, info: doNothing, warn: doNothing, error: doNothing };

async function openScheduler(
  runtime: PluginRuntime<Scheduler>,
  options: object,
  more: object = {},
): Promise<OpenScheduler> {
  const context = { options, log, instance: 'scheduler', ...more } as unknown as RuntimeContext;
  const handle = runtime.create?.(context);
  if (handle === undefined) throw new Error('no handle');
  await runtime.open?.(handle, context);
  return { handle, close: async () => runtime.close?.(handle) };
}

schedulerContract('embedded', async () => {
  const context = { options: { path: 'memory://' }, log, instance: 'main', folder: '' } as unknown as RuntimeContext;
  const main = pglite.create?.(context);
  if (main === undefined) throw new Error('no handle');
  await pglite.open?.(main, context);
  let users = 0;
  return async () => {
    users++;
    const { handle } = await openScheduler(embedded, {}, { resolve: () => main });
    return { handle, close: async () => void (--users === 0 && (await pglite.close?.(main))) };
  };
});

schedulerContract('postgres', async () => {
  const server = await startPostgres();
  if ('skip' in server) return server;
  const url = await createPostgresDatabase();
  return () => openScheduler(postgres, { url });
});

schedulerContract('redis', async () => {
  const server = await startRedis();
  if ('skip' in server) return server;
  const prefix = `test:${randomUUID()}:`;
  return () => openScheduler(redis, { url: server.url, prefix });
});

schedulerContract('mongo', async () => {
  const server = await startMongo();
  if ('skip' in server) return server;
  const url = await createMongoDatabase();
  // The server of the tests may run in an emulator.
  return () => openScheduler(mongo, { url, timeout: 10 });
});

describe('schedulers on a server', function () {
  const SERVERS = [
    { name: 'postgres', runtime: postgres, scheme: 'postgres', start: startPostgres, fresh: createPostgresDatabase },
    { name: 'redis', runtime: redis, scheme: 'redis', start: startRedis, fresh: null },
    { name: 'mongo', runtime: mongo, scheme: 'mongodb', start: startMongo, fresh: createMongoDatabase },
  ] as const;

  for (const { name, runtime, scheme, start, fresh } of SERVERS) {
    it(`${name}: reject every call within about a second without a server`, async () => {
      const { handle, close } = await openScheduler(runtime, {
        url: `${scheme}://127.0.0.1:${await pickFreePort()}/x`,
      });
      const elapsed = startStopwatch();
      const failed = await handle.claimRun('a#1', Date.now(), 30, 'me').catch((error: unknown) => error);
      expect(failed).to.be.instanceOf(Error);
      expect(elapsed()).to.be.lessThan(2500);
      expect(await runtime.health?.(handle)).to.include({ ok: false, optional: true });
      await close();
    });

    it(`${name}: disconnect from a server that hangs, and use it again when it responds`, async function () {
      const server = await start();
      if ('skip' in server) return skipTest(this, server.skip);
      const address = new URL(fresh === null ? server.url : await fresh());
      const proxy = await startFaultProxy({ host: address.hostname, port: Number(address.port) });
      address.port = String(proxy.port);
      const prefix = `test:${randomUUID()}:`;
      const { handle, close } = await openScheduler(runtime, {
        url: address.href,
        ...(name === 'redis' && { prefix }),
      });
      try {
        // Its tables are created first, which may take several attempts on a busy machine.
        let claimed: unknown;
        await waitUntil(async () => {
          claimed = await handle.claimRun('a#1', 1000, 30, 'me').catch(() => null);
          return claimed !== null;
        });
        expect(claimed).to.equal('mine');
        proxy.stall();
        const elapsed = startStopwatch();
        expect(await handle.renewClaim('a#1', 1000, 30).catch((error: unknown) => error)).to.be.instanceOf(Error);
        expect(elapsed()).to.be.lessThan(2500);
        await proxy.passTraffic();
        await waitUntil(() => handle.renewClaim('a#1', 1000, 30).catch(() => false));
      } finally {
        await close();
        await proxy.close();
      }
    });

    it(`${name}: prevent the start for a URL of another type, which is not printed`, () => {
      const context = { options: { url: 'file:///secret' }, log, instance: 'scheduler' } as unknown as RuntimeContext;
      expect(() => runtime.create?.(context))
        .to.throw(BootError)
        .with.property('code', 'CRN_ADDRESS');
    });
  }

  it('postgres: wait with the first claim until its tables exist, also while another process creates them', async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    const url = await createPostgresDatabase();
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    const { handle, close } = await openScheduler(postgres, { url });
    try {
      await other.query('BEGIN');
      // A lock that the creation has to wait for.
      await other.query('CREATE TABLE lintel_schedules (key text PRIMARY KEY)');
      const codes: unknown[] = [];
      let claimed: unknown = null;
      let isOpen = false;
      // It fails after a second, which may have passed on a busy machine.
      const claim = async (): Promise<void> => {
        isOpen = true;
        try {
          claimed = await handle.claimRun('a#1', 1000, 30, 'one');
        } catch (error) {
          codes.push((error as { readonly code?: unknown }).code);
        }
        isOpen = false;
      };
      const claims: Promise<void>[] = [];
      await waitUntil(async () => {
        if (!isOpen) claims.push(claim());
        return codes.includes('42P01') || (await isWaiting(other));
      }, 'the claim waits');
      await other.query('ROLLBACK');
      await Promise.all(claims);
      await waitUntil(async () => {
        if (claimed === null) await claim();
        return claimed !== null;
      });
      expect(claimed).to.equal('mine');
      expect(codes, 'a table that is not there').to.not.include('42P01');
    } finally {
      await close();
      await other.end();
    }
  });

  it('postgres: do not assign an instant that is removed during a claim', async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    const url = await createPostgresDatabase();
    const { handle, close } = await openScheduler(postgres, { url });
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    try {
      expect(await handle.claimRun('a#1', 1000, 30, 'one')).to.equal('mine');
      await handle.finishRun('a#1', 1000);
      // Another process forgets it, and has not ended that when the claim begins.
      await other.query('BEGIN');
      await other.query('DELETE FROM lintel_schedule_instants');
      const claimed = handle.claimRun('a#1', 1000, 30, 'two');
      await waitUntil(() => isWaiting(other), 'the claim waits');
      await other.query('UPDATE lintel_schedules SET forgotten = 1000');
      await other.query('COMMIT');
      expect(await claimed).not.to.equal('mine');
    } finally {
      await other.end();
      await close();
    }
  });

  it('prevent the start for an unknown time zone in the environment', () => {
    const options = { url: 'redis://127.0.0.1:1', time_zone: 'Mars/Olympus' };
    const context = { options, log, instance: 'scheduler' } as unknown as RuntimeContext;
    expect(() => redis.create?.(context))
      .to.throw(BootError)
      .with.property('code', 'CRN_ZONE');
  });
});

/** A separate client, which connects on first use and gives up after a second. */
import type { MongoClient } from 'mongodb';
import { BootError } from '../../../contract/boot-error.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { scheduler, type Scheduler } from '../kind.js';
import { createMongoClient } from '../../shared/mongo-client.js';
import { createOnce, withSettings } from '../shared/settings.js';
import { createMongoLedger, type InstantDocument, type ScheduleDocument } from './ledger.js';

interface MongoScheduler extends Scheduler {
  readonly client: MongoClient;
}

/** Seconds. */
const TIMEOUT = 0.9;

function createClient({ url, timeout }: Readonly<Record<string, unknown>>): MongoClient {
  const deadline = (typeof timeout === 'number' ? timeout : TIMEOUT) * 1000;
  const createAddressError = (cause?: unknown): BootError =>
    new BootError('CRN_ADDRESS', { what: 'MongoDB (`mongodb://user:password@host:27017/database`)' }, cause);
  if (typeof url !== 'string' || !/^mongodb(\+srv)?:\/\/./.test(url)) throw createAddressError();
  try {
    return createMongoClient(url, {
      appName: 'lintel scheduler',
      maxPoolSize: 4,
      serverSelectionTimeoutMS: deadline,
      connectTimeoutMS: deadline,
      socketTimeoutMS: deadline,
      waitQueueTimeoutMS: deadline,
      // A claim must hold after a failover.
      writeConcern: { w: 'majority' },
      // The caller repeats claims safely.
      retryWrites: false,
      readPreference: 'primary',
    });
  } catch (error) {
    throw createAddressError(error);
  }
}

export default defineRuntime<Scheduler, MongoScheduler>(scheduler, {
  create({ options }) {
    const client = createClient(options);
    const collections = {
      schedules: client.db().collection<ScheduleDocument>('lintel_schedules'),
      instants: client.db().collection<InstantDocument>('lintel_schedule_instants'),
    };
    const ready = createOnce(async () => {
      await collections.instants.createIndex({ key: 1, instant: 1 });
      return collections;
    });
    return { ...withSettings(createMongoLedger(ready), options), client };
  },

  async close({ client }) {
    await client.close();
  },

  async health({ client }) {
    try {
      await client.db().command({ ping: 1 });
      return { ok: true };
    } catch {
      return { ok: false, optional: true, detail: 'the schedule store does not respond' };
    }
  },
});

/** Opens and closes the queue `mongo`. An unavailable server does not fail the start. */
import { BootError } from '../../../contract/boot-error.js';
import { defineRuntime, type RuntimeContext } from '../../../contract/plugin.js';
import { queue, type Queue } from '../kind.js';
import { createQueue } from '../shared/queue.js';
import { readSettings } from '../shared/settings.js';
import { createServer, type Server } from './connection.js';
import { createMongoStore } from './store.js';
import { worker } from '../shared/worker.js';

export interface MongoQueue extends Queue {
  /** Null after `close`. */
  server: Server | null;
}

/** A retry cannot fix a failed login or missing rights. */
const FATAL: ReadonlySet<unknown> = new Set([13, 18, 8000]);

const textOr = (given: unknown, otherwise: string): string => (typeof given === 'string' ? given : otherwise);

/** `patience`: milliseconds after which `add` is rejected. */
export function createMongoQueue(
  {
    options,
    env,
    log,
    running,
  }: Pick<RuntimeContext, 'options' | 'log' | 'running'> & Partial<Pick<RuntimeContext, 'env'>>,
  patience?: number,
): MongoQueue {
  const { url, database, collection } = options;
  if (typeof url !== 'string' || !/^mongodb(?:\+srv)?:\/\/./.test(url)) throw new BootError('JOB_MONGO_ADDRESS', {});
  const place = { database: textOr(database, 'lintel'), collection: textOr(collection, 'lintel_jobs') };
  const server = createServer({ url, ...place });
  const store = createMongoStore(server);
  const settings = readSettings(options, 0.5, env);
  const made = createQueue({
    store,
    settings,
    log,
    emit: (event) => running?.emit(event),
    ...(patience !== undefined && { patience }),
  });
  return { ...made, server };
}

export default defineRuntime<Queue, MongoQueue>(queue, {
  create: (context) => createMongoQueue(context),

  async open({ server }, { log }) {
    if (server === null) return;
    try {
      const { isStandalone } = await server.getConnection();
      if (isStandalone) log.warn({}, 'queue store is not a replica set: jobs of one request may be accepted in part');
    } catch (error) {
      if (FATAL.has((error as { readonly code?: unknown }).code)) throw new BootError('JOB_MONGO_REFUSED', {}, error);
      log.warn({ err: error }, 'queue store unavailable, retrying');
    }
  },

  ...worker,

  async close(handle) {
    const { server } = handle;
    handle.server = null;
    await handle.drain();
    await server?.close();
  },

  async health(handle) {
    try {
      await handle.list({ limit: 1 });
      return { ok: true };
    } catch {
      return { ok: false, detail: 'the queue store does not respond' };
    }
  },
});

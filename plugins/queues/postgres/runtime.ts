/** Opens and closes the queue `postgres`. An unavailable server does not fail the start. */
import { BootError } from '../../../contract/boot-error.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { queue, type Queue } from '../kind.js';
import { createQueue } from '../shared/queue.js';
import { readSettings } from '../shared/settings.js';
import { createSqlStore, detectTransactionalStore } from '../shared/sql-store.js';
import { createServer, type Server } from './server.js';
import { worker } from '../shared/worker.js';

interface PostgresQueue extends Queue {
  /** Null after `close`. */
  server: Server | null;
}

/** A retry cannot fix a failed login or a missing database. */
const FATAL = /^(?:28P01|28000|3D000)$/;

export default defineRuntime<Queue, PostgresQueue>(queue, {
  create({ options, env, log, running }) {
    const { url, pool_size: size } = options;
    if (typeof url !== 'string' || !/^postgres(?:ql)?:\/\/./.test(url)) throw new BootError('JOB_POSTGRES_ADDRESS', {});
    const server = createServer({ url, size: typeof size === 'number' ? size : 4 }, log);
    const made = createQueue({
      store: createSqlStore(server.run, server.jobs, server.notifyWorkers),
      settings: readSettings(options, 1, env),
      log,
      emit: (event) => running?.emit(event),
      resolveTransactionalStore: (statements) => detectTransactionalStore(server.run, statements),
    });
    return {
      ...made,
      server,
      // Processes that only inspect or add need no notifications.
      startWorker(run) {
        server.listen(made.wake);
        return made.startWorker(run);
      },
    };
  },

  async open({ server }, { log }) {
    try {
      await server?.ready();
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (typeof code === 'string' && FATAL.test(code)) throw new BootError('JOB_POSTGRES_REFUSED', {}, error);
      log.warn({ err: error }, 'queue store unavailable, retrying');
    }
  },

  ...worker,

  // The connection to its database empties its tables.
  openTestStore: () => ({ reset: () => Promise.resolve() }),

  async close(handle) {
    const { server } = handle;
    handle.server = null;
    await handle.drain();
    await server?.close();
  },

  async health({ server }) {
    try {
      await server?.run('health', 'SELECT 1', []);
      return { ok: true };
    } catch {
      // Requests that do not use the queue are still served.
      return { ok: false, optional: true, detail: 'the queue store does not respond' };
    }
  },
});

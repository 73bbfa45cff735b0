/** Opens and closes the queue `postgres`. An unavailable server does not fail the start. */
import { BootError } from '../../../contract/boot-error.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { queue, type Queue } from '../kind.js';
import { createQueue } from '../shared/queue.js';
import { readSettings } from '../shared/settings.js';
import { createSqlStore, detectTransactionalStore } from '../shared/sql-store.js';
import { createServer, type Server } from './server.js';
import { worker } from '../shared/worker.js';

const servers = new WeakMap<Queue, Server>();

/** A retry cannot fix a failed login or a missing database. */
const FATAL = /^(?:28P01|28000|3D000)$/;

export default defineRuntime(queue, {
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
    const handle: Queue = {
      ...made,
      // Processes that only inspect or add need no notifications.
      startWorker(run) {
        server.listen(made.wake);
        return made.startWorker(run);
      },
    };
    servers.set(handle, server);
    return handle;
  },

  async open(handle, { log }) {
    try {
      await servers.get(handle)?.ready();
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (typeof code === 'string' && FATAL.test(code)) throw new BootError('JOB_POSTGRES_REFUSED', {}, error);
      log.warn({ err: error }, 'queue store unavailable, retrying');
    }
  },

  ...worker,

  async close(handle) {
    const server = servers.get(handle);
    servers.delete(handle);
    await handle.drain();
    await server?.close();
  },

  async health(handle) {
    try {
      await servers.get(handle)?.run('health', 'SELECT 1', []);
      return { ok: true };
    } catch {
      // Requests that do not use the queue are still served.
      return { ok: false, optional: true, detail: 'the queue store does not respond' };
    }
  },
});

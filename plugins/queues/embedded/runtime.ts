/**
 * Runtime of the queue `embedded`: its tables are in the embedded database, which has one session, so the queue waits during
 * transactions of requests.
 */
import { BootError } from '../../../contract/boot-error.js';
import { asText } from '../../../contract/json.js';
import { defineRuntime } from '../../../contract/plugin.js';
import type { RuntimeContext } from '../../../contract/plugin.js';
import { dialect, type Dialect } from '../../dialects/kind.js';
import { queue, type Queue } from '../kind.js';
import { createQueue } from '../shared/queue.js';
import { readSettings } from '../shared/settings.js';
import { makeTables } from '../shared/sql-schema.js';
import { createSqlStore, createTransactionalStore, type RunSql } from '../shared/sql-store.js';
import { createEmbeddedRepository, runAll } from './agenda.js';
import { worker } from '../shared/worker.js';

/** No other process adds jobs, so polling is rare. */
const POLL_SECONDS = 5;

interface EmbeddedQueue extends Queue {
  readonly ensureTables: () => Promise<void>;
}

function resolveConnection({ options, resolve }: RuntimeContext): Dialect {
  const connection = asText(options['connection']) || 'main';
  try {
    return resolve(dialect, connection);
  } catch (error) {
    if (error instanceof BootError && /^PLG_(?:UNDECLARED|NO_RUNTIME)$/.test(error.code))
      throw new BootError('JOB_NOT_EMBEDDED', { connection }, error);
    throw error;
  }
}

export default defineRuntime<Queue, EmbeddedQueue>(queue, {
  create(context) {
    const main = resolveConnection(context);
    let making: Promise<void> | null = null;
    const ensureTables = (): Promise<void> =>
      (making ??= makeTables((text) => runAll(main, text)).catch((error: unknown) => {
        making = null;
        throw error;
      }));
    const run: RunSql = async (_name, text, values) => {
      await ensureTables();
      return main.execute(text, values, null);
    };
    const made = createQueue({
      store: createSqlStore(run, createEmbeddedRepository(main)),
      settings: readSettings(context.options, POLL_SECONDS, context.env),
      log: context.log,
      emit: (event) => context.running?.emit(event),
      patience: Infinity,
      resolveTransactionalStore: (statements) =>
        Promise.resolve(statements === main ? createTransactionalStore(main) : null),
    });
    return { ...made, ensureTables };
  },

  open: (handle) => handle.ensureTables(),
  ...worker,
  close: (handle) => handle.drain(),
  // The connection empties its tables.
  openTestStore: () => ({ reset: () => Promise.resolve() }),
});

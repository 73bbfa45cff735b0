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
import { createSqlStore, insideOf, type RunSql } from '../shared/sql-store.js';
import { repositoryOn, runAll } from './agenda.js';
import { worker } from '../shared/worker.js';

/** No other process adds jobs, so polling is rare. */
const POLL_SECONDS = 5;

const makers = new WeakMap<Queue, () => Promise<void>>();

function mainOf({ options, resolve }: RuntimeContext): Dialect {
  const connection = asText(options['connection']) || 'main';
  try {
    return resolve(dialect, connection);
  } catch (error) {
    if (error instanceof BootError && /^PLG_(?:UNDECLARED|NO_RUNTIME)$/.test(error.code))
      throw new BootError('JOB_NOT_EMBEDDED', { connection }, error);
    throw error;
  }
}

export default defineRuntime(queue, {
  create(context) {
    const main = mainOf(context);
    let making: Promise<void> | null = null;
    const ready = (): Promise<void> =>
      (making ??= makeTables((text) => runAll(main, text)).catch((error: unknown) => {
        making = null;
        throw error;
      }));
    const run: RunSql = async (_name, text, values) => {
      await ready();
      return main.execute(text, values, null);
    };
    const handle = createQueue({
      store: createSqlStore(run, repositoryOn(main)),
      settings: readSettings(context.options, POLL_SECONDS, context.env),
      log: context.log,
      told: (event) => context.running?.tell(event),
      patience: Infinity,
      within: (statements) => Promise.resolve(statements === main ? insideOf(main) : null),
    });
    makers.set(handle, ready);
    return handle;
  },

  open: async (handle) => makers.get(handle)?.(),
  ...worker,
  close: (handle) => handle.rest(),
});

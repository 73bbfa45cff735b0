/** Runtime of the scheduler `embedded`: statements through a SQL connection, without a timeout. */
import { BootError } from '../../../contract/boot-error.js';
import { asText } from '../../../contract/json.js';
import { defineRuntime, type RuntimeContext } from '../../../contract/plugin.js';
import { dialect, type Dialect } from '../../dialects/kind.js';
import { scheduler } from '../kind.js';
import { createOnce, withSettings } from '../shared/settings.js';
import { createSqlLedger, TABLES, TABLES_EXIST } from '../shared/sql-ledger.js';

function resolveConnection({ options, resolve }: RuntimeContext): Dialect {
  const connection = asText(options['connection']) || 'main';
  try {
    return resolve(dialect, connection);
  } catch (error) {
    if (error instanceof BootError && /^PLG_(?:UNDECLARED|NO_RUNTIME)$/.test(error.code))
      throw new BootError('CRN_NOT_EMBEDDED', { connection }, error);
    throw error;
  }
}

export default defineRuntime(scheduler, {
  create(context) {
    const { options } = context;
    const main = resolveConnection(context);
    const tables = createOnce(async () => {
      const [found] = await main.execute(TABLES_EXIST, [], null);
      if (found?.['there'] === true) return;
      for (const table of TABLES) await main.execute(table, [], null);
    });
    const ledger = createSqlLedger(async (text, values) => {
      await tables();
      return main.execute(text, values, null);
    });
    return withSettings(ledger, options);
  },
  // The connection empties its tables.
  openTestStore: () => ({ reset: () => Promise.resolve() }),
});

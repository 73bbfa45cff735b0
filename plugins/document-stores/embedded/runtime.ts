/** Runtime of the document store `embedded`: its tables are in a SQL connection, which opens and closes itself. */
import { BootError } from '../../../contract/boot-error.js';
import { defineRuntime, type RuntimeContext } from '../../../contract/plugin.js';
import { dialect, type Dialect } from '../../dialects/kind.js';
import { documentStore, type DocumentStore } from '../kind.js';
import { migrateCollections, outlineCollections } from './migrate.js';
import { createEmbeddedStore } from './store.js';
import { createTables, type CollectionTables } from './tables.js';

interface OpenStore {
  readonly sql: Dialect;
  readonly tables: CollectionTables;
}

const opened = new WeakMap<DocumentStore, OpenStore>();
const requireParts = (handle: DocumentStore): OpenStore => {
  const found = opened.get(handle);
  if (found === undefined) throw new Error('not a handle of this plugin');
  return found;
};

const getConnectionName = (options: RuntimeContext['options']): string =>
  typeof options['connection'] === 'string' ? options['connection'] : 'main';

function resolveSql({ resolve, instance, options }: RuntimeContext): Dialect {
  const connection = getConnectionName(options);
  try {
    return resolve(dialect, connection);
  } catch (error) {
    if (error instanceof BootError && error.code === 'PLG_NO_RUNTIME')
      throw new BootError('DOC_CONNECTION', { instance, connection }, error);
    throw error;
  }
}

export default defineRuntime(documentStore, {
  create(context) {
    const sql = resolveSql(context);
    const tables = createTables(sql, context.instance);
    const handle = createEmbeddedStore({ sql, tables, instance: context.instance });
    opened.set(handle, { sql, tables });
    return handle;
  },

  async open(handle, { instance, options }) {
    const [row] = await requireParts(handle).sql.execute('SELECT version() AS version', [], null);
    if (!/^PostgreSQL\b/.test(String(row?.['version'])))
      throw new BootError('DOC_NOT_POSTGRESQL', { instance, connection: getConnectionName(options) });
  },

  async health(handle) {
    try {
      await requireParts(handle).sql.execute('SELECT 1 AS one', [], null);
      return { ok: true };
    } catch {
      return { ok: false, detail: 'the database does not respond' };
    }
  },

  plan: (handle, models, { instance }) => outlineCollections({ ...requireParts(handle), instance }, models),

  async syncSchema(handle, models, { instance, log }, progress) {
    const parts = requireParts(handle);
    await migrateCollections({ ...parts, instance }, models, log, progress);
    parts.tables.clearCache();
  },
});

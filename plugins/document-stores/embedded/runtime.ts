/** Runtime of the document store `embedded`: its tables are in a SQL connection, which opens and closes itself. */
import { BootError } from '../../../contract/boot-error.js';
import { defineRuntime, type RuntimeContext } from '../../../contract/plugin.js';
import { dialect, type Dialect } from '../../dialects/kind.js';
import { documentStore, type DocumentStore } from '../kind.js';
import { migrateCollections, outlineCollections } from './migrate.js';
import { createDescribingStore } from './describing.js';
import { createEmbeddedStore } from './store.js';
import { createTables, type CollectionTables } from './tables.js';
import { createTestRows } from '../shared/test-rows.js';

interface EmbeddedStore extends DocumentStore {
  readonly sql: Dialect;
  readonly tables: CollectionTables;
}

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

export default defineRuntime<DocumentStore, EmbeddedStore>(documentStore, {
  create(context) {
    const sql = resolveSql(context);
    const tables = createTables(sql, context.instance);
    const store = createEmbeddedStore({ sql, tables, instance: context.instance });
    return { ...store, sql, tables, describing: () => createDescribingStore(store) };
  },

  async open({ sql }, { instance, options }) {
    const [row] = await sql.execute('SELECT version() AS version', [], null);
    if (!/^PostgreSQL\b/.test(String(row?.['version'])))
      throw new BootError('DOC_NOT_POSTGRESQL', { instance, connection: getConnectionName(options) });
  },

  async health({ sql }) {
    try {
      await sql.execute('SELECT 1 AS one', [], null);
      return { ok: true };
    } catch {
      return { ok: false, detail: 'the database does not respond' };
    }
  },

  plan: ({ sql, tables }, models, { instance }) => outlineCollections({ sql, tables, instance }, models),

  async syncSchema({ sql, tables }, models, { instance, log }, progress) {
    await migrateCollections({ sql, tables, instance }, models, log, progress);
    tables.clearCache();
  },

  // The connection empties the tables behind the collections.
  openTestStore: (handle) => ({ reset: () => Promise.resolve(), ...createTestRows(handle) }),
});

/** The document store `embedded`: its tables are in a SQL connection. */
import { BootError } from '../../../contract/boot-error.js';
import { defineRuntime, type RuntimeContext } from '../../../contract/plugin.js';
import { dialect, type Dialect } from '../../dialects/kind.js';
import { documentStore, DescribedRejection, type DocumentStore, type Document } from '../kind.js';
import { migrateCollections, outlineCollections } from './migrate.js';
import { withPlainErrors, compileTest, projectDocuments, updateDocuments } from './engine.js';
import { Fault } from '../../../contract/fault.js';
import { extractSearch } from './search.js';
import { copyPlain } from './codec.js';
import { createOrder } from './sort-order.js';
import { omitInsertOperators } from './upsert.js';
import { runAggregateOn } from './aggregate.js';
import { createEmbeddedStore } from './store.js';
import { createTables, type CollectionTables } from './tables.js';
import { createDocumentRows } from '../shared/document-rows.js';
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

  plan: ({ sql, tables }, models, { instance }) => outlineCollections({ sql, tables, instance }, models),

  async syncSchema({ sql, tables }, models, { instance, log }, progress) {
    await migrateCollections({ sql, tables, instance }, models, log, progress);
    tables.clearCache();
  },

  createRowSource: createDocumentRows,

  // The connection empties the tables behind the collections.
  openTestStore: (handle) => ({ reset: () => Promise.resolve(), ...createTestRows(handle) }),
});

/** Faults are about values, which only a request has. */
async function describeCall(work: () => void): Promise<readonly Document[]> {
  try {
    withPlainErrors(work);
    return await Promise.resolve([]);
  } catch (error) {
    if (error instanceof Fault || !(error instanceof Error)) throw error;
    throw new DescribedRejection(error.message);
  }
}

function compileFilter(given: Document): Document {
  const { rest } = extractSearch(copyPlain(given), ['']);
  compileTest(rest);
  return rest;
}

/** The query language rejects what it cannot run at all. */
function createDescribingStore(store: DocumentStore): DocumentStore {
  return {
    ...store,
    insert: () => Promise.resolve([]),
    find: (_collection, filter, { sort, projection }) =>
      describeCall(() => {
        const rest = compileFilter(filter);
        if (sort !== undefined) createOrder(sort);
        if (projection !== undefined) projectDocuments([], rest, projection);
      }),
    update: (_collection, filter, update, { arrayFilters = [] }) =>
      describeCall(
        () => void updateDocuments([], compileFilter(filter), omitInsertOperators(copyPlain(update)), arrayFilters),
      ),
    remove: (_collection, filter) => describeCall(() => void compileFilter(filter)),
    count: async (_collection, filter) => (await describeCall(() => void compileFilter(filter))).length,
    aggregate: (_collection, pipeline) => describeCall(() => void runAggregateOn(copyPlain(pipeline), [], () => [])),
  };
}

/** Helpers of the contract of document stores: opening one by its runtime with a discarded log, and short models. */
import { tmpdir } from 'node:os';
import type { MigrationOutline } from '../../contract/migration.js';
import type { ModelColumn, ModelTable } from '../../contract/model.js';
import type { Health, Log, PluginRuntime, RuntimeContext } from '../../contract/plugin.js';
import type { Document, DocumentStore, DocumentTransaction } from '../../plugins/document-stores/kind.js';

export interface StoreSyncResult {
  readonly warnings: readonly string[];
  /** The sent operation, in terms of the store. */
  readonly statements: readonly string[];
  readonly progress: readonly string[];
}

/** An open store under test. */
export interface OpenStore {
  readonly handle: DocumentStore;
  readonly syncSchema: (tables: readonly ModelTable[]) => Promise<StoreSyncResult>;
  readonly plan: (tables: readonly ModelTable[]) => Promise<MigrationOutline>;
  readonly health: () => Promise<Health | undefined>;
  /** Every word that the store has written to its log. */
  readonly logged: () => string;
  readonly close: () => Promise<void>;
}

/** An empty store, or why there is none. */
export type MakeStore = () => Promise<OpenStore | { readonly skip: string }>;

export interface StoreOptions {
  readonly options?: Readonly<Record<string, unknown>>;
  readonly folder?: string;
  /** Other plugins that the store runs on. */
  readonly resolve?: RuntimeContext['resolve'];
}

const failToResolve = (): never => {
  throw new Error('nothing to resolve');
};

export async function openStore(
  runtime: PluginRuntime<DocumentStore>,
  { options = {}, folder = tmpdir(), resolve = failToResolve }: StoreOptions = {},
): Promise<OpenStore> {
  const lines: string[] = [];
  const createContext = (warnings: string[], statements: string[]): RuntimeContext => {
    const recordLine = (fields: object, message: string): void => {
      const { err } = fields as { err?: unknown };
      lines.push(`${message} ${JSON.stringify(fields)} ${err instanceof Error ? String(err.stack) : ''}`);
    };
    const log: Log = {
      debug: (fields, message) => {
        recordLine(fields, message);
        if ('sql' in fields) statements.push(String(fields.sql));
      },
      info: recordLine,
      warn: (fields, message) => {
        recordLine(fields, message);
        warnings.push(message);
      },
      error: recordLine,
    };
    const { signal } = new AbortController();
    return { id: 'document-store:test', instance: 'main', options, log, signal, env: () => undefined, folder, resolve };
  };
  const context = createContext([], []);
  const handle = runtime.create?.(context);
  if (!handle) throw new Error('no handle');
  try {
    await runtime.open?.(handle, context);
  } catch (error) {
    await runtime.close?.(handle);
    throw error;
  }
  return {
    handle,
    async syncSchema(tables) {
      const [warnings, statements, progress]: string[][] = [[], [], []];
      await runtime.syncSchema?.(handle, tables, createContext(warnings ?? [], statements ?? []), (step, at, of) => {
        progress?.push(`${at}/${of} ${step.store} ${step.table} ${step.change} ${step.detail}`);
      });
      return { warnings: warnings ?? [], statements: statements ?? [], progress: progress ?? [] };
    },
    plan: async (tables) => (await runtime.plan?.(handle, tables, context)) ?? { steps: [], warnings: [] },
    health: async () => runtime.health?.(handle),
    logged: () => lines.join('\n'),
    close: async () => runtime.close?.(handle),
  };
}

/** Stores that a suite opens by their addresses, to be closed together. */
export function createStoreOpener(runtime: PluginRuntime<DocumentStore>): {
  readonly open: (url: string, options?: object) => Promise<OpenStore>;
  readonly closeAll: () => Promise<unknown>;
} {
  const opened: OpenStore[] = [];
  return {
    async open(url, options = {}) {
      const store = await openStore(runtime, { options: { url, ...options } });
      opened.push(store);
      return store;
    },
    closeAll: () => Promise.all(opened.splice(0).map((store) => store.close())),
  };
}

/** A model whose documents are in this store. */
export const defineCollection = (
  name: string,
  columns: readonly ModelColumn[],
  uniques: readonly (readonly string[])[] = columns.filter(({ unique }) => unique).map((column) => [column.name]),
): ModelTable => ({
  model: `_${name}`,
  table: name,
  stores: [{ kind: 'document-store', instance: 'main' }],
  columns,
  uniques,
});

/** An id of `bson`, from any copy of the package. */
export const isId = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && '_bsontype' in value && value._bsontype === 'ObjectId';

/** Documents without their ids, which the stores generate. */
export const removeIds = (documents: readonly Document[]): Document[] =>
  documents.map(({ _id, ...rest }) => (_id === undefined ? { withoutId: true } : rest));

/** Runs `work` in a transaction, again as long as the store reports a retry. */
export async function inTransaction(
  handle: DocumentStore,
  work: (inside: DocumentTransaction | null) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const inside = await handle.begin();
    try {
      await work(inside);
      if (inside !== null) await handle.commit(inside);
      return;
    } catch (error) {
      if (inside !== null) await handle.rollback(inside);
      if (!handle.retryable(error)) throw error;
      // As the kernel does, so that two that met do not meet again.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5 * 2 ** Math.min(attempt, 4)));
    }
  }
}

/** Tries again until it does not throw. */
export async function retryUntilSuccess<T>(what: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + 20_000; ;) {
    try {
      return await what();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

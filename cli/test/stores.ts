/** The stores of a kernel under test: emptied before each case, filled with what it gives, and read afterwards. */
import { isObject, type Json, type JsonObject } from '../../contract/json.js';
import type { ModelTable } from '../../contract/model.js';
import type { TestStore, TestStoredFile } from '../../contract/tests.js';
import { mapModelsByAlias } from '../../language/analysis/tables.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';

export interface TestStores {
  /** Throws where a store in use cannot be emptied. */
  resetAll(): Promise<void>;
  /** Throws where no store has it. */
  getTable(name: string): ModelTable;
  insertRows(table: ModelTable, rows: readonly JsonObject[]): Promise<void>;
  readRows(table: ModelTable): Promise<readonly JsonObject[]>;
  changeRows: Required<TestStore>['changeRows'];
  /** Throws where no resource stores files. */
  insertFiles(files: readonly TestStoredFile[]): Promise<void>;
  readFiles(): Promise<readonly TestStoredFile[]>;
  readonly tables: readonly ModelTable[];
}

interface StoreUnderTest {
  readonly key: string;
  readonly kind: string;
  readonly instance: string;
  readonly store: TestStore | null;
}

const SIGNS = ['openTestStore', 'syncSchema', 'createJobAdmin', 'describeStorage'];

/** Plugins that hold data: those with tables, jobs or files, and those that say whether processes share their data. */
function listStores({ instances, project: { registry } }: Kernel): StoreUnderTest[] {
  return instances.flatMap((one) => {
    const { key, id, runtime, context } = one;
    const isStore = SIGNS.some((method) => method in runtime) || registry.plugins.get(id)?.facts?.shared !== undefined;
    if (!isStore) return [];
    const store = runtime.openTestStore?.(one.handle(), context) ?? null;
    return [{ key, kind: id.split(':')[0] ?? '', instance: context.instance, store }];
  });
}

/** Columns that statements set themselves, so a test may omit them. */
const TIMESTAMPS = ['created_at', 'updated_at'];

export function openTestStores(kernel: Kernel): TestStores {
  const stores = listStores(kernel);
  const { tables } = kernel.plans();
  const byModel = new Map(tables.map((table) => [table.model, table]));
  const aliases = mapModelsByAlias([...byModel.keys()]);
  const storeOf = ({ table, stores: places }: ModelTable): Required<TestStore> => {
    const found = stores.find(({ kind, instance }) =>
      places.some((place) => place.kind === kind && place.instance === instance),
    );
    const { store } = found ?? {};
    if (!store?.insertRows || !store.readRows || !store.changeRows)
      throw new Error(`the table "${table}" cannot be read: ${found?.key ?? 'its store'} does not support tests`);
    return store as Required<TestStore>;
  };
  return {
    tables,
    async resetAll() {
      for (const { key, store } of stores) {
        if (store === null) throw new Error(`${key} cannot be emptied between cases: it has no \`openTestStore\``);
        await store.reset();
      }
    },
    getTable(name) {
      const table = byModel.get(aliases.get(name.toLowerCase()) ?? '');
      if (table === undefined) throw new Error(`no query uses the table "${name}", so no store has it`);
      return table;
    },
    async insertRows(table, rows) {
      const now = new Date().toISOString();
      const columns = table.columns.filter(({ name }) => TIMESTAMPS.includes(name));
      const defaults = Object.fromEntries(columns.map(({ name }) => [name, now]));
      await storeOf(table).insertRows(
        table,
        rows.map((row) => ({ ...defaults, ...row })),
      );
    },
    readRows: (table) => storeOf(table).readRows(table),
    changeRows: (table, rows, values) => storeOf(table).changeRows(table, rows, values),
    async insertFiles(files) {
      if (files.length === 0) return;
      const found = stores.find(({ store }) => store?.insertFiles !== undefined);
      if (found === undefined) throw new Error('no resource stores files, so there is no storage');
      await found.store?.insertFiles?.(files);
    },
    async readFiles() {
      const files: TestStoredFile[] = [];
      for (const { store } of stores) files.push(...((await store?.readFiles?.()) ?? []));
      return files;
    },
  };
}

/** Tables come after those that they refer to, in whatever order a test has them. `rows`: a column that is null in all refers to nothing. */
export function sortByReferences<T extends { readonly table: ModelTable; readonly rows?: readonly JsonObject[] }>(
  given: readonly T[],
): T[] {
  const sorted: T[] = [];
  const visited = new Set<T>();
  const visit = (one: T): void => {
    if (visited.has(one)) return;
    visited.add(one);
    for (const { name, references } of one.table.columns) {
      const target = given.find(({ table }) => table.table === references?.table);
      const isSet = one.rows?.some((row) => (row[name] ?? null) !== null) ?? true;
      if (target !== undefined && isSet) visit(target);
    }
    sorted.push(one);
  };
  given.forEach(visit);
  return sorted;
}

export const listRows = (rows: Json | undefined): JsonObject[] =>
  Array.isArray(rows) ? (rows as readonly Json[]).filter((row) => isObject(row)) : [];

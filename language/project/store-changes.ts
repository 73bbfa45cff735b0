/** Changes the schemas of open stores, for commands: without a deadline, whatever the config says. */
import type {
  BlindIndexSource,
  FilledIndex,
  FillProgress,
  MigrationOptions,
  MigrationOutline,
  MigrationProgress,
} from '../../contract/migration.js';
import type { ModelTable } from '../../contract/model.js';
import type { Script } from '../../contract/statement-check.js';
import { attributeFailure, type Codes } from './plugin-failures.js';
import type { OpenPlugin } from './store-checks.js';

export interface StoreSchemas {
  readonly stores: readonly (OpenPlugin & { readonly key: string })[];
  readonly tables: readonly ModelTable[];
  readonly indexSources: readonly BlindIndexSource[];
  readonly codes: Codes;
  readonly readScripts: (store: OpenPlugin) => Promise<readonly Script[]>;
}

export function selectTables({ id, context }: OpenPlugin, tables: readonly ModelTable[]): readonly ModelTable[] {
  const [kind] = id.split(':');
  return tables.filter(({ stores }) =>
    stores.some((place) => place.kind === kind && place.instance === context.instance),
  );
}

const ADDING: MigrationOptions = { destroy: false };

/** What a plugin was asked to do, for messages. */
export const SYNC = 'prepare its tables';

export async function migrateStores(
  { stores, tables, codes, readScripts }: StoreSchemas,
  progress: MigrationProgress,
  how: MigrationOptions = ADDING,
): Promise<void> {
  for (const store of stores) {
    const { runtime, context, key } = store;
    await attributeFailure(key, SYNC, codes, async () =>
      runtime.syncSchema?.(store.handle(), selectTables(store, tables), context, progress, {
        ...how,
        scripts: await readScripts(store),
      }),
    );
  }
}

/** Reads only. */
export async function outlineMigration(
  { stores, tables, codes, readScripts }: StoreSchemas,
  how: MigrationOptions = ADDING,
): Promise<MigrationOutline> {
  const parts: MigrationOutline[] = [];
  for (const store of stores) {
    const { runtime, context, key } = store;
    const plan = async () =>
      runtime.plan?.(store.handle(), selectTables(store, tables), context, {
        ...how,
        scripts: await readScripts(store),
      });
    const part = await attributeFailure(key, 'look at its tables', codes, plan);
    if (part !== undefined) parts.push(part);
  }
  return {
    steps: parts.flatMap(({ steps }) => steps),
    warnings: parts.flatMap(({ warnings }) => warnings),
  };
}

/** Fills the blind indexes of rows that have none. */
export async function fillStoreIndexes(
  { stores, tables, indexSources, codes }: StoreSchemas,
  progress: FillProgress,
): Promise<readonly FilledIndex[]> {
  const filled: FilledIndex[] = [];
  for (const store of stores) {
    const { runtime, context, key } = store;
    const fill = async () =>
      runtime.fillIndexes?.(store.handle(), selectTables(store, tables), context, indexSources, progress);
    filled.push(...((await attributeFailure(key, 'fill its blind indexes', codes, fill)) ?? []));
  }
  return filled;
}

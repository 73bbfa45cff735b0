/**
 * Migrates collections to the models, one change at a time without locks: after a conflict it starts over. Only adds.
 */
import { createFault, type Fault } from '../../../contract/fault.js';
import type { MigrationOutline, MigrationProgress } from '../../../contract/migration.js';
import type { ModelTable } from '../../../contract/model.js';
import type { Log } from '../../../contract/plugin.js';
import { toCollectionStep, toStoreName } from '../shared/outline.js';
import {
  createPartialFilter,
  planCollections,
  type KnownCollection,
  type CollectionIndex,
  type CollectionPlan,
  type PlannedChange,
} from '../shared/plan.js';
import type { MongoConnection } from './connection.js';
import { cleanCause, isMongoConnectionLost, getErrorNumber } from './errors.js';

export interface MongoMigrationContext {
  readonly store: string;
  readonly log: Log;
  readonly progress?: MigrationProgress | undefined;
}

interface ListedCollection {
  readonly name: string;
  readonly type?: string;
  readonly options?: {
    readonly validator?: unknown;
    readonly validationLevel?: string;
    readonly validationAction?: string;
  };
}

async function readPlan(connection: MongoConnection, tables: readonly ModelTable[]): Promise<CollectionPlan> {
  const { db } = connection;
  const names = tables.map(({ table }) => table);
  const found = (await db.listCollections({ name: { $in: names } }).toArray()) as readonly ListedCollection[];
  const known = new Map<string, KnownCollection>();
  for (const { name, type, options = {} } of found) {
    const plain = type === undefined || type === 'collection';
    const lenient = options.validationLevel === 'off' || options.validationAction === 'warn';
    const indexes = plain ? (await db.collection(name).indexes()).map(toKnownIndex) : [];
    known.set(name, { plain, lenient, validator: options.validator, indexes });
  }
  return planCollections(tables, known);
}

function toKnownIndex({
  name,
  key,
  unique,
  weights,
  partialFilterExpression: filter,
}: Readonly<Record<string, unknown>>): CollectionIndex {
  const words = isRecord(weights) ? Object.keys(weights) : null;
  const fields = isRecord(key) && words === null ? Object.keys(key) : [];
  return { name: String(name), fields, unique: unique === true, partial: filter !== undefined, words };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** `moderate`: existing invalid documents are not validated on update. */
const VALIDATION = { validationLevel: 'moderate', validationAction: 'error' } as const;

function createCommand(planned: PlannedChange): Readonly<Record<string, unknown>> {
  const { collection } = planned;
  switch (planned.change) {
    case 'create':
      return { create: collection, validator: { $jsonSchema: planned.rules }, ...VALIDATION };
    case 'add-rules':
    case 'change-rules':
      return { collMod: collection, validator: { $jsonSchema: planned.rules }, ...VALIDATION };
    case 'add-unique': {
      const key = Object.fromEntries(planned.columns.map(({ name }) => [name, 1]));
      const index = {
        key,
        name: planned.name,
        unique: true,
        partialFilterExpression: createPartialFilter(planned.columns),
      };
      return { createIndexes: collection, indexes: [index] };
    }
    case 'add-index': {
      const key = Object.fromEntries(planned.columns.map(({ name }) => [name, 1]));
      return { createIndexes: collection, indexes: [{ key, name: planned.name }] };
    }
    case 'add-search': {
      const key = Object.fromEntries(planned.columns.map(({ name }) => [name, 'text']));
      // A field named `language` must not select that of the index.
      const words = { default_language: 'english', language_override: '_words_language' };
      return { createIndexes: collection, indexes: [{ key, name: planned.name, ...words }] };
    }
  }
}

/** Another process makes the same change. */
const MEANWHILE = new Set([48, 112, 276, 285, 12586, 12587]);
const DUPLICATE = 11000;
const ROUNDS = 20;

export async function migrateMongo(
  connection: MongoConnection,
  tables: readonly ModelTable[],
  context: MongoMigrationContext,
): Promise<void> {
  if (tables.length === 0) return;
  const { log } = context;
  const first = await planChanges(connection, tables);
  for (const { message, ...place } of first.warnings) log.warn(place, message);
  let { changes } = first;
  const changed = new Set<string>();
  for (let round = 1; changes.length > 0; round++) {
    const met = await changeAll(connection, changes, context, round === ROUNDS);
    for (const { collection } of changes) changed.add(collection);
    if (!met) break;
    ({ changes } = await planChanges(connection, tables));
  }
  if (changed.size > 0) log.info({ tables: [...changed] }, 'collections migrated');
}

/** True after a conflict with another process. */
async function changeAll(
  { db, print }: MongoConnection,
  changes: readonly PlannedChange[],
  { log, store, progress }: MongoMigrationContext,
  last: boolean,
): Promise<boolean> {
  for (const [index, planned] of changes.entries()) {
    progress?.(toCollectionStep(store, planned), index + 1, changes.length);
    const command = createCommand(planned);
    try {
      await db.command(command);
    } catch (error) {
      if (!last && MEANWHILE.has(getErrorNumber(error) ?? 0)) return true;
      throw createMigrationFault(planned, error);
    }
    log.debug({ table: planned.collection, sql: print(command) }, 'migration');
  }
  return false;
}

/** Existing documents can violate a unique index. */
function createMigrationFault({ change, collection: table, columns }: PlannedChange, error: unknown): Fault {
  const cause = cleanCause(error);
  if (change !== 'add-unique' || getErrorNumber(error) !== DUPLICATE)
    return createFault('QRY_MIGRATION', { table }, { cause, retryable: isMongoConnectionLost(error) });
  return createFault('QRY_DUPLICATES', { table, columns: columns.map(({ name }) => name).join(', ') }, { cause });
}

async function planChanges(connection: MongoConnection, tables: readonly ModelTable[]): Promise<CollectionPlan> {
  try {
    return await readPlan(connection, tables);
  } catch (error) {
    const table = tables.map((one) => one.table).join(', ');
    throw createFault(
      'QRY_MIGRATION',
      { table },
      { cause: cleanCause(error), retryable: isMongoConnectionLost(error) },
    );
  }
}

/** Reads only. */
export async function outlineMongo(
  connection: MongoConnection,
  tables: readonly ModelTable[],
  store: string,
): Promise<MigrationOutline> {
  if (tables.length === 0) return { steps: [], warnings: [] };
  const { changes, warnings } = await planChanges(connection, tables);
  return {
    steps: changes.map((planned) => ({
      ...toCollectionStep(store, planned),
      sql: [connection.print(createCommand(planned))],
    })),
    warnings: warnings.map((warning) => ({ store: toStoreName(store), ...warning })),
  };
}

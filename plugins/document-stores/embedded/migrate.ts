/** Plans and creates tables and indexes of models. Rules are stored in the comment of the table. Only adds. */
import { Fault, createFault } from '../../../contract/fault.js';
import type { MigrationOutline, MigrationProgress, MigrationStep } from '../../../contract/migration.js';
import type { ModelTable } from '../../../contract/model.js';
import type { Log } from '../../../contract/plugin.js';
import { BY_LOCKS, type Dialect, type Transaction } from '../../dialects/kind.js';
import { toCollectionStep, toStoreName } from '../shared/outline.js';
import { planCollections, type KnownCollection, type CollectionIndex, type PlannedChange } from '../shared/plan.js';
import { NO_METADATA, type CollectionMetadata } from './rules.js';
import { formatPathLiteral, formatSearchVector } from './search.js';
import { createTexts, formatComment, formatOrderIndex, parseComment, toIndexName } from './tables.js';
import { toOrderIndexName, toTableName, type CollectionTables } from './tables.js';
import { quoteSqlName } from '../../queries/sql/text/quotes.js';

export interface MigrationPlace {
  readonly sql: Dialect;
  readonly tables: CollectionTables;
  readonly instance: string;
}

/** Missing fields and null may repeat in a unique index. */
const formatIndexExpression = (field: string): string => `(NULLIF((doc #> ${formatPathLiteral(field)})::text, 'null'))`;

const toKnownIndex = ({ change, columns }: PlannedChange, name: string): CollectionIndex => {
  const fields = columns.map((column) => column.name);
  const words = change === 'add-search' ? fields : null;
  return {
    name,
    fields: words === null ? fields : [],
    unique: change === 'add-unique',
    words,
    partial: change === 'add-unique',
  };
};

function formatIndexSql(planned: PlannedChange, table: string, name: string): string[] {
  const fields = planned.columns.map((column) => column.name);
  const index = quoteSqlName(toIndexName(table, name));
  if (planned.change === 'add-unique')
    return [`CREATE UNIQUE INDEX ${index} ON ${quoteSqlName(table)} (${fields.map(formatIndexExpression).join(', ')})`];
  if (planned.change === 'add-search')
    return [`CREATE INDEX ${index} ON ${quoteSqlName(table)} USING gin (${formatSearchVector(fields)})`];
  return [];
}

interface PlannedStep {
  readonly step: MigrationStep;
  readonly planned: PlannedChange;
}

/** `state` is updated with each step. */
function planStep(planned: PlannedChange, instance: string, state: Map<string, CollectionMetadata>): PlannedStep {
  const table = toTableName(planned.collection, instance);
  const before = state.get(planned.collection) ?? NO_METADATA;
  const after: CollectionMetadata =
    'rules' in planned
      ? { ...before, rules: planned.rules }
      : { ...before, indexes: [...before.indexes, toKnownIndex(planned, planned.name)] };
  state.set(planned.collection, after);
  const own =
    'rules' in planned
      ? planned.change === 'create'
        ? createTexts(table).create
        : []
      : formatIndexSql(planned, table, planned.name);
  return { planned, step: { ...toCollectionStep(instance, planned), sql: [...own, formatComment(table, after)] } };
}

/** Collections of versions before 0.6 lack it. */
function planOrderIndex(collection: string, instance: string): PlannedStep {
  const planned = { collection, change: 'add-index', name: 'order', columns: [] } as const;
  const sql = [formatOrderIndex(toTableName(collection, instance))];
  return { planned, step: { ...toCollectionStep(instance, planned), detail: '_id', sql } };
}

const TABLES = `SELECT c.relname AS name, obj_description(c.oid, 'pg_class') AS known,
EXISTS (SELECT FROM pg_catalog.pg_class i WHERE i.relnamespace = s.oid AND i.relname = wanted.ordered) AS ordered
FROM unnest($1::text[], $2::text[]) AS wanted(name, ordered) JOIN pg_catalog.pg_class c ON c.relname = wanted.name JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
WHERE s.nspname = current_schema()`;

async function planSteps({ sql, instance }: MigrationPlace, models: readonly ModelTable[], inside: Transaction | null) {
  const names = new Map(models.map(({ table }) => [toTableName(table, instance), table]));
  const tables = [...names.keys()];
  const rows = await sql.execute(TABLES, [tables, tables.map(toOrderIndexName)], inside);
  const state = new Map(rows.map(({ name, known }) => [names.get(String(name)) ?? '', parseComment(known)]));
  const collections = new Map([...state].map(([name, known]) => [name, toKnownCollection(known)]));
  const { changes, warnings } = planCollections(models, collections);
  const unordered = rows.filter(({ ordered }) => ordered === false).map(({ name }) => names.get(String(name)) ?? '');
  return {
    steps: [
      ...unordered.map((name) => planOrderIndex(name, instance)),
      ...changes.map((planned) => planStep(planned, instance, state)),
    ],
    warnings: warnings.map((warning) => ({ store: toStoreName(instance), ...warning })),
  };
}

const toKnownCollection = ({ rules, indexes }: CollectionMetadata): KnownCollection => ({
  plain: true,
  validator: rules === null ? null : { $jsonSchema: rules },
  lenient: false,
  indexes,
});

export async function outlineCollections(
  place: MigrationPlace,
  models: readonly ModelTable[],
): Promise<MigrationOutline> {
  if (models.length === 0) return { steps: [], warnings: [] };
  const { steps, warnings } = await planSteps(place, models, null);
  return { steps: steps.map(({ step }) => step), warnings };
}

/** An advisory lock serializes processes that start together. */
export async function migrateCollections(
  place: MigrationPlace,
  models: readonly ModelTable[],
  log: Log,
  progress: MigrationProgress | undefined,
): Promise<void> {
  if (models.length === 0) return;
  const { steps, warnings } = await planSteps(place, models, null);
  for (const { message, ...where } of warnings) log.warn(where, message);
  if (steps.length === 0) return;
  const { sql, tables } = place;
  const transaction = await sql.begin(BY_LOCKS);
  try {
    await sql.execute('SET LOCAL statement_timeout = 0', [], transaction);
    await tables.lockCreation(transaction);
    const now = await planSteps(place, models, transaction);
    for (const [i, { step, planned }] of now.steps.entries()) {
      const { sql: texts, ...reported } = step;
      progress?.(reported, i + 1, now.steps.length);
      for (const text of texts) {
        await sql.execute(text, [], transaction).catch(createMigrationThrower(planned));
        log.debug({ table: step.table, sql: text }, 'migration');
      }
    }
    await sql.commit(transaction);
    log.info({ steps: now.steps.length }, 'collections migrated');
  } catch (error) {
    await sql.rollback(transaction);
    throw error;
  }
}

/** Existing documents can violate a unique index. */
const createMigrationThrower =
  ({ change, collection: table, columns }: PlannedChange) =>
  (cause: unknown): never => {
    if (change === 'add-unique' && cause instanceof Fault && cause.code === 'QRY_UNIQUE') {
      const params = { table, columns: columns.map(({ name }) => name).join(', ') };
      throw createFault('QRY_DUPLICATES', params, { cause: cause.options.cause });
    }
    const unavailable = cause instanceof Fault && cause.code === 'QRY_UNAVAILABLE';
    throw createFault('QRY_MIGRATION', { table }, { cause, retryable: unavailable });
  };

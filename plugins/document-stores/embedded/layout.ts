/**
 * Plans and creates the tables and indexes of models. The rules of a collection are stored in the comment of its table. Only
 * adds.
 */
import { Fault, fault } from '../../../contract/fault.js';
import type { MigrationOutline, MigrationProgress, MigrationStep } from '../../../contract/migration.js';
import type { ModelTable } from '../../../contract/model.js';
import type { Log } from '../../../contract/plugin.js';
import { BY_LOCKS, type Dialect, type Transaction } from '../../dialects/kind.js';
import { stepOf, storeName } from '../shared/outline.js';
import { planCollections, type KnownCollection, type KnownIndex, type Planned } from '../shared/plan.js';
import { NOTHING, type Known } from './rules.js';
import { pathLiteral, searchedText } from './search.js';
import { commentOf, indexName, knownOf, quote, tableName, textsOf, type Tables } from './tables.js';

export interface Place {
  readonly sql: Dialect;
  readonly tables: Tables;
  readonly instance: string;
}

/** Missing fields and null become SQL NULL, which may repeat in a unique index. */
const expression = (field: string): string => `(NULLIF((doc #> ${pathLiteral(field)})::text, 'null'))`;

const indexOf = ({ change, columns }: Planned, name: string): KnownIndex => {
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

/** The index of terms covers all other indexes. */
function indexSql(planned: Planned, table: string, name: string): string[] {
  const fields = planned.columns.map((column) => column.name);
  const index = quote(indexName(table, name));
  if (planned.change === 'add-unique')
    return [`CREATE UNIQUE INDEX ${index} ON ${quote(table)} (${fields.map(expression).join(', ')})`];
  if (planned.change === 'add-search')
    return [`CREATE INDEX ${index} ON ${quote(table)} USING gin (${searchedText(fields)})`];
  return [];
}

interface Made {
  readonly step: MigrationStep;
  readonly planned: Planned;
}

/** `state` is updated with each step. */
function write(planned: Planned, instance: string, state: Map<string, Known>): Made {
  const table = tableName(planned.collection, instance);
  const before = state.get(planned.collection) ?? NOTHING;
  const after: Known =
    'rules' in planned
      ? { ...before, rules: planned.rules }
      : { ...before, indexes: [...before.indexes, indexOf(planned, planned.name)] };
  state.set(planned.collection, after);
  const own =
    'rules' in planned
      ? planned.change === 'create'
        ? textsOf(table).create
        : []
      : indexSql(planned, table, planned.name);
  return { planned, step: { ...stepOf(instance, planned), sql: [...own, commentOf(table, after)] } };
}

const TABLES = `SELECT c.relname AS name, obj_description(c.oid, 'pg_class') AS known
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
WHERE s.nspname = current_schema() AND c.relname = ANY ($1::text[])`;

async function look({ sql, instance }: Place, models: readonly ModelTable[], inside: Transaction | null) {
  const names = new Map(models.map(({ table }) => [tableName(table, instance), table]));
  const rows = await sql.execute(TABLES, [[...names.keys()]], inside);
  const state = new Map(rows.map(({ name, known }) => [names.get(String(name)) ?? '', knownOf(known)]));
  const collections = new Map([...state].map(([name, known]) => [name, collectionOf(known)]));
  const { changes, warnings } = planCollections(models, collections);
  return {
    steps: changes.map((planned) => write(planned, instance, state)),
    warnings: warnings.map((warning) => ({ store: storeName(instance), ...warning })),
  };
}

const collectionOf = ({ rules, indexes }: Known): KnownCollection => ({
  plain: true,
  validator: rules === null ? null : { $jsonSchema: rules },
  lenient: false,
  indexes,
});

export async function outline(place: Place, models: readonly ModelTable[]): Promise<MigrationOutline> {
  if (models.length === 0) return { steps: [], warnings: [] };
  const { steps, warnings } = await look(place, models, null);
  return { steps: steps.map(({ step }) => step), warnings };
}

/** An advisory lock serializes processes that start together. */
export async function build(
  place: Place,
  models: readonly ModelTable[],
  log: Log,
  progress: MigrationProgress | undefined,
): Promise<void> {
  if (models.length === 0) return;
  const { steps, warnings } = await look(place, models, null);
  for (const { message, ...where } of warnings) log.warn(where, message);
  if (steps.length === 0) return;
  const { sql, tables } = place;
  const transaction = await sql.begin(BY_LOCKS);
  try {
    await sql.execute('SET LOCAL statement_timeout = 0', [], transaction);
    await tables.alone(transaction);
    const now = await look(place, models, transaction);
    for (const [i, { step, planned }] of now.steps.entries()) {
      const { sql: texts, ...told } = step;
      progress?.(told, i + 1, now.steps.length);
      for (const text of texts) {
        await sql.execute(text, [], transaction).catch(refusal(planned));
        log.debug({ table: step.table, sql: text }, 'migration');
      }
    }
    await sql.commit(transaction);
    log.info({ steps: now.steps.length }, 'collections brought to the shape of the models');
  } catch (error) {
    await sql.rollback(transaction);
    throw error;
  }
}

/** Existing documents can violate a unique index. */
const refusal =
  ({ change, collection: table, columns }: Planned) =>
  (cause: unknown): never => {
    if (change === 'add-unique' && cause instanceof Fault && cause.code === 'QRY_UNIQUE') {
      const params = { table, columns: columns.map(({ name }) => name).join(', ') };
      throw fault('QRY_DUPLICATES', params, { cause: cause.options.cause });
    }
    const away = cause instanceof Fault && cause.code === 'QRY_UNAVAILABLE';
    throw fault('QRY_MIGRATION', { table }, { cause, retryable: away });
  };

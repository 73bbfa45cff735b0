/** Decides which found tables get a model. Pure. */
import type { FoundDifference, FoundTable } from '../../contract/found-tables.js';
import { mapModelsByAlias } from '../../language/analysis/tables.js';
import { listModelOptions } from './model-text.js';

/** A model of the project, with the table that it has on this connection. */
export interface KnownModel {
  readonly model: string;
  readonly table: string;
  readonly file: string;
}

export interface ModelChoice {
  /** Tables with a model to write, without what the written models cannot say. */
  readonly chosen: readonly FoundTable[];
  readonly differences: readonly FoundDifference[];
}

export interface ChoiceInput {
  readonly tables: readonly FoundTable[];
  /** Null: all tables. */
  readonly names: readonly string[] | null;
  readonly known: readonly KnownModel[];
  /** Files that may be written again. */
  readonly replaced: (model: KnownModel) => boolean;
  readonly connection: string | null;
}

export function chooseModels({ tables, names, known, replaced, connection }: ChoiceInput): ModelChoice {
  const differences: FoundDifference[] = [];
  const wanted = tables.filter(({ table: { table } }) => names === null || names.includes(table));
  const candidates = wanted.filter(({ table: { table, model } }) => {
    const own = known.find((one) => one.table === table || one.model === model);
    if (own !== undefined && own.table !== table) {
      const message = `no model: ${own.file} has a model "${own.model}" already, of the table "${own.table}"`;
      differences.push({ table, column: null, message });
    }
    return own === undefined || (own.table === table && own.model === model && replaced(own));
  });
  const models = new Map(known.map(({ model, table }) => [table, model]));
  const fresh = candidates.map(({ table: { model } }) => model);
  const byAlias = mapModelsByAlias([...new Set([...known.map(({ model }) => model), ...fresh])]);
  const reachable = candidates.filter(({ table: { table, model } }) => {
    const other = byAlias.get(table.toLowerCase());
    if (other === model) return true;
    const message = `no model: statements that say "${table}" mean the model "${other}"`;
    differences.push({ table, column: null, message });
    return false;
  });
  for (const { table } of reachable) models.set(table.table, table.model);
  const chosen = reachable.map((found) => limitFields(found, models, connection, differences));
  const isWanted = new Set(chosen.map(({ table }) => table.table));
  return { chosen: chosen.filter(({ table }) => isWanted.has(table.table)), differences };
}

/** References need a model; the names of members next to the fields are reserved. */
function limitFields(
  found: FoundTable,
  models: ReadonlyMap<string, string>,
  connection: string | null,
  differences: FoundDifference[],
): FoundTable {
  const { table } = found;
  const addDifference = (column: string, message: string): void =>
    void differences.push({ table: table.table, column, message });
  const taken = listModelOptions(found, connection);
  const columns = table.columns.flatMap((column) => {
    const { name, references } = column;
    if (Object.hasOwn(taken, name)) {
      addDifference(name, `no field: "${name}" next to the fields of this model means something else`);
      return [];
    }
    if (references === null || models.has(references.table)) return [column];
    addDifference(name, `foreign key to ${references.table}, which has no model: the model does not say it`);
    return [{ ...column, references: null }];
  });
  return { ...found, table: { ...table, columns } };
}

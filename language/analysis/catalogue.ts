/** The tables of the models. */
import type { Catalogue, CatalogueTable } from '../../contract/statement-text.js';
import { isObject, type Json } from '../../contract/json.js';
import { TIMESTAMPS } from '../../contract/model.js';
import { memoize } from './memoize.js';
import type { Definition } from './model.js';
import type { Lookups } from './stage-cache.js';
import type { TableNames } from './tables.js';

export function createCatalogue(definitions: readonly Definition[], tables: TableNames): Catalogue {
  const byModel = new Map<string, CatalogueTable>();
  for (const definition of definitions)
    if (definition.sort === 'model' && !byModel.has(definition.name))
      byModel.set(definition.name, describeTable(definition));
  return {
    table: (name) => byModel.get(tables.findModel(name) ?? ''),
    tables: [...byModel.keys()].map((model) => tables.getTable(model)),
  };
}

const describeTable = memoize(({ name, finds }: Definition): CatalogueTable => {
  const fields = finds.declarations.filter(({ symbol }) => symbol === 'model-field');
  const columns = fields.map((field) => field.name);
  return {
    model: name,
    columns: [...new Set([...columns, ...TIMESTAMPS])],
    fields: new Map(fields.map((field) => [field.name, field.value])),
    needed: fields.filter(({ value }) => isNeeded(value)).map((field) => field.name),
  };
});

/** Records what is read: a statement depends on its tables and on the fields that it binds. */
export function recordCatalogue({ readAnswer }: Lookups<Catalogue>): Catalogue {
  const readField = (name: string, column: string): Json | undefined =>
    readAnswer(`column ${column} of ${name}`, (from) => from.table(name)?.fields.get(column), JSON.stringify);
  const readTable = (name: string): CatalogueTable | undefined => {
    const columns = readAnswer(`columns of ${name}`, (from) => from.table(name)?.columns);
    if (columns === undefined) return undefined;
    return {
      model: readAnswer(`model of ${name}`, (from) => from.table(name)?.model) ?? '',
      columns,
      get needed() {
        return readAnswer(`needed of ${name}`, (from) => from.table(name)?.needed) ?? [];
      },
      fields: { get: (column) => readField(name, column) },
    };
  };
  return {
    table: readTable,
    get tables() {
      return readAnswer('', (from) => from.tables);
    },
  };
}

/** A column that an INSERT has to write. */
export const isNeeded = (value: Json): boolean =>
  isObject(value) && value['optional'] !== true && value['auto_increment'] !== true && value['default'] === undefined;

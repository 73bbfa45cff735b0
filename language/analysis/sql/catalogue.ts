/** The tables of the models. */
import { isObject, type Json } from '../../../contract/json.js';
import type { Definition } from '../model.js';
import type { TableNames } from '../tables.js';

export interface CatalogueTable {
  readonly model: string;
  readonly columns: readonly string[];
  /** Field definitions by column. */
  readonly fields: ReadonlyMap<string, Json>;
  /** Columns that an INSERT must set. */
  readonly needed: readonly string[];
}

export interface Catalogue {
  table(name: string): CatalogueTable | undefined;
  readonly tables: readonly string[];
}

/** These columns are added when statements mention them; writes with timestamps fill them. */
export const TIMESTAMPS: readonly string[] = ['created_at', 'updated_at', 'deleted_at'];

export function createCatalogue(definitions: readonly Definition[], tables: TableNames): Catalogue {
  const byModel = new Map<string, CatalogueTable>();
  for (const { sort, name, finds } of definitions) {
    if (sort !== 'model' || byModel.has(name)) continue;
    const fields = finds.declarations.filter(({ symbol }) => symbol === 'model-field');
    const columns = fields.map((field) => field.name);
    byModel.set(name, {
      model: name,
      columns: [...new Set([...columns, ...TIMESTAMPS])],
      fields: new Map(fields.map((field) => [field.name, field.value])),
      needed: fields.filter(({ value }) => isNeeded(value)).map((field) => field.name),
    });
  }
  return {
    table: (name) => byModel.get(tables.findModel(name) ?? ''),
    tables: [...byModel.keys()].map((model) => tables.getTable(model)),
  };
}

const isNeeded = (value: Json): boolean =>
  isObject(value) && value['optional'] !== true && value['auto_increment'] !== true && value['default'] === undefined;

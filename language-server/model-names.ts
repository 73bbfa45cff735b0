/** Finds models by the names that queries and tests use. */
import type { DataModel } from '../language/analysis/model.js';
import { mapModelsByAlias } from '../language/analysis/tables.js';

export function findModelByAlias(models: readonly DataModel[], alias: string): DataModel | undefined {
  const name = mapModelsByAlias(models.map((one) => one.name)).get(alias.toLowerCase());
  return models.find((one) => one.name === name);
}

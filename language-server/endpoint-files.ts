/** Files that code actions write for a model, by owner column; bundled apart, because few sessions load it. */
import type { DataModel } from '../language/analysis/model.js';
import { compileTables } from '../language/analysis/model-tables.js';
import { memoizeWith } from '../language/analysis/memoize.js';
import type { Analysis } from '../language/analysis/analysis.js';
import type { Config } from '../language/analysis/config.js';
import type { Registry } from '../language/analysis/registry.js';
import { createCrudFiles, type CrudFiles } from '../language/export/crud-files.js';
import { createCrud, listOwners, type Crud } from '../plugins/index.crud.js';

const getTables = memoizeWith(({ models }: Analysis, registry: Registry) => compileTables(models, registry));

export interface EndpointFiles extends Pick<CrudFiles<Crud>, 'paths' | 'writeFiles'> {
  /** Null: there is at most one, which needs no choice. */
  readonly owner: string | null;
}

/** Empty where the model is no table with a key, or its resources are there. */
export function listEndpointFiles(
  analysis: Analysis,
  registry: Registry,
  { chosen }: Config,
  model: DataModel['name'],
): readonly EndpointFiles[] {
  const byModel = getTables(analysis, registry);
  const table = byModel.get(model);
  if (table === undefined) return [];
  const tables = [...byModel.values()];
  const owners = listOwners(analysis.resources, table, tables).map(({ column }) => column);
  return (owners.length > 1 ? owners : [null]).flatMap((owner) => {
    const made = createCrudFiles({ analysis, registry, chosen, table, tables, owner: owner ?? undefined, createCrud });
    return typeof made === 'string' ? [] : [{ ...made, owner }];
  });
}

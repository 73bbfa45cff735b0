/**
 * Reports a collection without a model only if its name resembles a model, or if other collections of its kind of store have
 * models.
 */
import { nearest } from '../../source/suggest.js';
import { aliasesOf, collectionsOf, type TableNames } from '../tables.js';
import type { Definition } from '../model.js';
import { hint, rename, type Report } from '../report.js';
import type { Stores } from '../stores.js';

export interface CollectionCheck {
  readonly definitions: readonly Definition[];
  readonly tables: TableNames;
  readonly stores: Stores;
  readonly report: Report;
}

export function checkCollections({ definitions, tables, stores, report }: CollectionCheck): void {
  const models = definitions.flatMap(({ sort, name }) => (sort === 'model' ? [name] : []));
  for (const { doc, finds } of definitions) {
    const named = finds.documents.flatMap((query) =>
      collectionsOf(query).map((one) => ({ ...one, store: query.store })),
    );
    for (const { node, name, store } of named) {
      if (tables.modelOf(name) !== undefined) continue;
      const near = nearName(name, models, tables);
      const beside = models.some((model) => stores.of(model).some(({ kind }) => kind === store));
      if (near === undefined && !beside) continue;
      const params = { name, hint: hint(near) };
      report.add('LNK_COLLECTION', { doc, start: node.start, end: node.end }, params, rename(near));
    }
  }
}

function nearName(name: string, models: readonly string[], tables: TableNames): string | undefined {
  const near = nearest(name, models.flatMap(aliasesOf));
  const model = near === undefined ? undefined : tables.modelOf(near);
  return model === undefined ? undefined : tables.tableOf(model);
}

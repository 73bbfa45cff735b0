/**
 * Reports a collection without a model if its name resembles one, or if other collections of its store have models.
 */
import { findNearest } from '../../source/suggest.js';
import { listAliases, listCollections, type TableNames } from '../tables.js';
import type { Definition } from '../model.js';
import { formatHint, createRenameFix, type Report } from '../report.js';
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
      listCollections(query).map((one) => ({ ...one, store: query.store })),
    );
    for (const { node, name, store } of named) {
      if (tables.findModel(name) !== undefined) continue;
      const near = suggestCollection(name, models, tables);
      const beside = models.some((model) => stores.listStores(model).some(({ kind }) => kind === store));
      if (near === undefined && !beside) continue;
      const params = { name, hint: formatHint(near) };
      report.add('LNK_COLLECTION', { doc, start: node.start, end: node.end }, params, createRenameFix(near));
    }
  }
}

function suggestCollection(name: string, models: readonly string[], tables: TableNames): string | undefined {
  const near = findNearest(name, models.flatMap(listAliases));
  const model = near === undefined ? undefined : tables.findModel(near);
  return model === undefined ? undefined : tables.getTable(model);
}

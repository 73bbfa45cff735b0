/** Warns about foreign keys between models in different stores, which no database can enforce. */
import type { Definition } from '../model.js';
import type { Registry } from '../registry.js';
import type { Report } from '../report.js';
import type { Stores } from '../stores.js';
import type { TableNames } from '../tables.js';

export interface ForeignInput {
  readonly definitions: readonly Definition[];
  readonly tables: TableNames;
  readonly registry: Registry;
  readonly stores: Stores;
  readonly report: Report;
}

export function checkForeign({ definitions, tables, registry, stores, report }: ForeignInput): void {
  for (const { sort, name, finds } of definitions) {
    if (sort !== 'model') continue;
    // Stores without foreign keys report them separately.
    const own = stores
      .listStores(name)
      .filter(({ kind }) => registry.kinds.get(kind)?.config?.models?.references === true);
    for (const { refers, name: target, spot } of finds.references) {
      const model = refers.symbol === 'model' ? tables.findModel(String(target)) : undefined;
      if (model === undefined) continue;
      const places = stores.listStores(model);
      const lost = own.find(
        ({ kind, instance }) => !places.some((place) => place.kind === kind && place.instance === instance),
      );
      const [elsewhere] = places;
      if (lost === undefined || elsewhere === undefined) continue;
      const words = { model, name: lost.instance, kind: elsewhere.kind, elsewhere: elsewhere.instance };
      report.add('LNK_FOREIGN_ELSEWHERE', spot, words);
    }
  }
}

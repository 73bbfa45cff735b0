/** Checks references between models, and to their fields. */
import type { TableNames } from './tables.js';
import { formatHint, createRenameFix, type Report } from './report.js';
import type { Stores } from './stores.js';
import type { Registry } from './registry.js';
import { memoize } from './memoize.js';
import type { Definition } from './model.js';
import { findNearest } from '../source/suggest.js';

interface ReferenceContext {
  readonly tables: TableNames;
  readonly report: Report;
  readonly stores: Stores;
  readonly registry: Registry;
}

const listModelReferences = memoize(({ finds }: Definition) =>
  finds.references.filter(({ refers: { symbol } }) => symbol === 'model' || symbol === 'model-field'),
);

/** Checks references between models (`foreign_key.of`) and to their fields. */
export function linkModelReferences(definitions: readonly Definition[], context: ReferenceContext): void {
  const { tables, report, stores, registry } = context;
  /** True if every store of the model generates this key itself. */
  const isMade = (model: string, field: string): boolean => {
    const places = stores.listStores(model);
    return places.length > 0 && places.every(({ kind }) => registry.kinds.get(kind)?.config?.models?.key === field);
  };
  const models = new Map(definitions.filter((d) => d.sort === 'model').map((d) => [d.name, d]));
  for (const definition of definitions) {
    for (const { refers, name, spot, within } of listModelReferences(definition)) {
      if (refers.symbol === 'model' && tables.findModel(String(name)) === undefined) {
        const near = findNearest(String(name), models.keys());
        report.add('LNK_UNKNOWN_MODEL', spot, { name, hint: formatHint(near) }, createRenameFix(near));
      }
      if (refers.symbol !== 'model-field' || within === null) continue;
      const target = models.get(tables.findModel(within.name) ?? '');
      if (target === undefined) continue;
      const fields = target.finds.declarations.filter((d) => d.symbol === 'model-field').map((d) => d.name);
      if (fields.includes(String(name)) || isMade(target.name, String(name))) continue;
      const near = findNearest(String(name), fields);
      report.add(
        'LNK_UNKNOWN_FIELD',
        spot,
        { model: target.name, name, hint: formatHint(near) },
        createRenameFix(near),
      );
    }
  }
}

interface ForeignInput extends ReferenceContext {
  readonly definitions: readonly Definition[];
}

/** Warns about foreign keys between models in different stores, which no database can enforce. */
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

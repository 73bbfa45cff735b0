/** Guesses the tables of a statement that names none: those of the resource, and the one it is named after. */
import type { DataModel } from '../../language/analysis/model.js';
import type { DocumentContext } from '../document-context.js';
import type { QueryContext } from '../queries/query-context.js';
import { listColumns, type Tables } from '../queries/tables.js';

/** So many other models may be offered where nothing hints at one. */
const MOST = 8;

/** The likeliest first. `selected`: columns that the statement names already. */
export function listLikelyModels(
  view: DocumentContext,
  { resource }: QueryContext,
  tables: Tables,
  near: readonly DataModel[],
  selected: readonly string[],
): readonly DataModel[] {
  const used = (resource?.definition.finds.statements ?? []).flatMap(({ scan }) =>
    scan.tables.flatMap(({ name }) => tables.findModel(name) ?? []),
  );
  const named = listNameWords(view, resource).flatMap((word) => tables.findModel(word) ?? []);
  const likely = [...new Set([...used, ...named])].filter((model) => near.includes(model));
  const all = likely.length > 0 ? likely : near.length <= MOST ? near : [];
  if (selected.length === 0) return all;
  const isFitting = (model: DataModel): boolean => {
    const names = new Set(listColumns(model).map(({ name }) => name.toLowerCase()));
    return selected.every((name) => names.has(name));
  };
  const [fitting = all] = [likely.filter(isFitting), near.filter(isFitting)].filter((models) => models.length > 0);
  return fitting.slice(0, MOST);
}

function listNameWords({ doc: { file } }: DocumentContext, resource: QueryContext['resource']): string[] {
  const base = file.slice(file.lastIndexOf('/') + 1).replace(/\..*$/, '');
  const names = [resource?.path ?? '', resource?.id ?? '', base].map((name) => name.toLowerCase());
  return names
    .flatMap((name) => [name.replaceAll('-', '_'), ...name.split(/[^a-z0-9_]+/)])
    .filter((word) => word !== '');
}

/** Looks up parts of an analysis by name, with one index per analysis. */
import type { Analysis } from '../analysis.js';
import type { ActionModel, ResourceModel } from '../model.js';
import { mapModelsByAlias } from '../tables.js';

export interface AnalysisLookup {
  readonly resource: (id: string) => ResourceModel | undefined;
  readonly action: (key: string) => ActionModel | undefined;
  readonly model: (name: string) => string | undefined;
  readonly hasField: (model: string, field: string) => boolean;
}

const kept = new WeakMap<Analysis, AnalysisLookup>();

export function getLookup(analysis: Analysis): AnalysisLookup {
  const known = kept.get(analysis);
  if (known !== undefined) return known;
  const { resources, models } = analysis;
  // If several resources have one id, the first one counts, as in the linking stage.
  const byId = new Map([...resources].reverse().map((one) => [one.id, one]));
  const actions = new Map(resources.flatMap((one) => one.actions.map((action) => [action.key, action])));
  const byAlias = mapModelsByAlias(models.map(({ name }) => name));
  const fields = new Map(models.map(({ name, fields: all }) => [name, new Set(all.map((field) => field.name))]));
  const lookup: AnalysisLookup = {
    resource: (id) => byId.get(id),
    action: (key) => actions.get(key),
    model: (name) => byAlias.get(name.toLowerCase()),
    hasField: (model, field) => fields.get(model)?.has(field) === true,
  };
  kept.set(analysis, lookup);
  return lookup;
}

/** The possible shapes of a result, from what plugins declare for OpenAPI. */
import type { ApiChange, ApiPlace, Forms, JsonSchema } from '../../../contract/api.js';
import {
  ANY,
  createListSchema,
  createObjectSchema,
  findSchema,
  getProperties,
  isAny,
} from '../../../contract/forms.js';
import { ActionPhase, ResourcePhase } from '../../../contract/slot.js';
import type { PluginUsage } from '../facts.js';
import type { LinkedAction, LinkedResource } from '../linked-resource.js';
import type { Registry } from '../registry.js';
import { isInside } from '../report.js';
import { createValueSchema } from '../written-values.js';

export interface ResultContext {
  readonly registry: Registry;
  readonly owner: LinkedResource;
  readonly action: LinkedAction;
  /** The columns of its statement; null if unknown. */
  readonly columns: readonly string[] | null;
}

/** `isOwn`: before `returnables` and other steps shape it. */
export function deriveResultForms(context: ResultContext, isOwn: boolean): Forms {
  const { owner, action, registry } = context;
  const places = owner.definition.finds.places.filter(
    ({ node, plugin }) =>
      node === action.node ||
      (isInside(node, action.node) && registry.kind(registry.plugins.get(plugin)?.kind ?? '')?.select.by === 'key'),
  );
  if (places.some(({ sound }) => !sound)) return [ANY];
  const end = isOwn ? ActionPhase.SHAPE : ResourcePhase.ADMIT;
  return places
    .flatMap((place) => listChanges(context, place))
    .filter(({ phase }) => phase < end)
    .sort((a, b) => a.phase - b.phase || (a.order ?? 0) - (b.order ?? 0))
    .reduce<Forms>((forms, { change }) => change(forms, NO_RESULTS), [ANY]);
}

const NO_RESULTS = { others: [], action: () => null, names: new Set<string>(), secrets: new Set<string>(), main: null };

function listChanges({ registry, owner, action, columns }: ResultContext, place: PluginUsage): readonly ApiChange[] {
  const { slot, value, holder } = place;
  const row = columns === null ? ANY : createObjectSchema(Object.fromEntries(columns.map((name) => [name, ANY])));
  const described: ApiPlace = {
    ...{
      slot,
      value,
      holder,
      root: holder,
      written: (json) => createValueSchema(json, () => ANY),
      payload: () => null,
      used: () => false,
    },
    facts: (kind, name) => registry.plugin(kind, name)?.facts,
    getValueSchema: () => ANY,
    statement: () => (columns === null ? null : { verb: '', rows: createListSchema(row), reads: false }),
    isMade: (name) => owner.names.has(name),
    repeated: action.repeat !== null,
  };
  return registry.plugins.get(place.plugin)?.openapi?.(described).changes ?? [];
}

/** True if no result of these shapes has a value at the path. */
export const isAbsent = (forms: Forms, path: readonly string[]): boolean =>
  forms.every((form) => findSchema(form, path) === null);

/** As part of a sentence: `a list`. */
export function describeForms(forms: Forms): string {
  const words = new Set(forms.map(describeForm));
  return [...words].join(' or ');
}

const MOST_NAMES = 5;

function describeForm(form: JsonSchema): string {
  if (isAny(form)) return 'any value';
  const { type } = form;
  if (type === 'array') return 'a list';
  const names = Object.keys(getProperties(form) ?? {});
  if (type !== 'object') return type === 'null' ? 'null' : 'a single value';
  if (names.length === 0) return 'an object without fields';
  const more = names.length > MOST_NAMES ? ', ...' : '';
  return `one object with ${names
    .slice(0, MOST_NAMES)
    .map((name) => `"${name}"`)
    .join(', ')}${more}`;
}

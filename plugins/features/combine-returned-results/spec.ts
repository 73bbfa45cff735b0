/** Spec of `combine_returned_results_from`: merges the results of several actionables. */
import { list, numeric, shape } from '../../../contract/combinators.js';
import type { ApiChange, ApiPart, ApiPlace, ApiResults, Forms, JsonSchema } from '../../../contract/api.js';
import type { Json } from '../../../contract/json.js';
import { definePlugin } from '../../../contract/plugin.js';
import { ActionPhase, ResourcePhase } from '../../../contract/slot.js';
import {
  isList,
  isObjectSchema,
  createObjectSchema,
  getProperties,
  listRequired,
  omitNames,
} from '../../../contract/forms.js';

const combine = list(
  numeric({ doc: 'Id of an actionable of this resource.', refers: { symbol: 'action', edge: true } }).integer(),
  { doc: 'Actionables whose object results are merged, in this order, into the result.', examples: [[1, 2]] },
).min(1);

export default definePlugin({
  kind: 'feature',
  name: 'combine_returned_results_from',
  since: '0.2.0',
  summary: 'Merges the object results of the named actionables, in that order, into the result.',
  details:
    'A name in several results has the value of the last one; the result into which the others are merged comes last. ' +
    'Results that are not objects are ignored, and nothing is merged into a list. On an actionable, the named ones ' +
    'run before it. Secret fields of results merged on a resource are left out, unless its `returnables` name them.',
  facts: { applies: 'when-present' },
  slots: {
    resource: shape({ combine_returned_results_from: combine }),
    actionable: shape({ combine_returned_results_from: combine }),
  },
  openapi: describeApi,
  examples: [{ title: 'Merged with the first actionable', json: { combine_returned_results_from: [1] } }],
  counterExamples: [
    {
      title: 'No such actionable',
      json: { combine_returned_results_from: [9] },
      code: 'LNK_UNKNOWN_ACTION',
      at: '/combine_returned_results_from/0',
    },
  ],
});

function describeApi({ slot, value }: ApiPlace): ApiPart {
  const written = value['combine_returned_results_from'];
  const ids = Array.isArray(written) ? (written as readonly Json[]).map(Number) : [];
  const ofResource = slot === 'resource';
  const phase = ofResource ? ResourcePhase.REPLY : ActionPhase.SHAPE;
  const changeForms: ApiChange['change'] = (forms, results) => mergeForms(forms, ids, results, ofResource);
  return { changes: [{ phase, order: -100, change: changeForms }], repeatable: true };
}

/** Merges the schemas of results; a list stays unchanged. */
function mergeForms(forms: Forms, ids: readonly number[], results: ApiResults, ofResource: boolean): Forms {
  const hideSecrets = (row: JsonSchema): JsonSchema =>
    ofResource ? omitNames(row, (name) => results.secrets.has(name)) : row;
  const others = ids.map((id) =>
    (results.action(id) ?? []).map((form) => (isObjectSchema(form) ? hideSecrets(form) : form)),
  );
  return forms.map((form) => {
    if (isList(form)) return form;
    const parts = [...others, [form]];
    // One part with unknown fields makes all unknown.
    if (
      parts.some((part) =>
        part.some((one) => one['type'] === undefined || (isObjectSchema(one) && getProperties(one) === null)),
      )
    )
      return { type: 'object' };
    const objects = parts.map((part) => part.filter(isObjectSchema));
    const rows = objects.flat();
    if (rows.length === 0) return form;
    const properties = Object.assign({}, ...rows.map(getProperties)) as Record<string, JsonSchema>;
    const certain = parts.flatMap((part) =>
      part.length === 1 && part[0] !== undefined && isObjectSchema(part[0]) ? listRequired(part[0]) : [],
    );
    return createObjectSchema(openWhereDouble(properties, rows), [...new Set(certain)]);
  });
}

/** A field of several results may have any of their types. */
function openWhereDouble(
  properties: Record<string, JsonSchema>,
  rows: readonly JsonSchema[],
): Record<string, JsonSchema> {
  const isDouble = (name: string): boolean =>
    rows.filter((row) => Object.hasOwn(getProperties(row) ?? {}, name)).length > 1;
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, isDouble(name) ? {} : schema]));
}

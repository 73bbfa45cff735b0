/** Rules for the request body, validated before anything runs. */
import { flag, list, numeric, record, shape, slot } from '../../../contract/combinators.js';
import { asText, escapePointer, isObject, type Json } from '../../../contract/json.js';
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import type { ApiField, ApiPart, ApiPlace } from '../../../contract/api.js';
import { pickBounds, toRule } from '../../validation-types/shared/fields.light.js';
import { createFieldSchemas } from '../../validation-types/shared/rule-schemas.light.js';
import { createRemovalFix } from '../../shared/field-removal.light.js';

const BOUNDS = ['min_length', 'max_length'] as const;
const PAIRS = [
  BOUNDS,
  ['min', 'max'],
  ['arr_min_length', 'arr_length'],
  ['items_min_length', 'items_max_length'],
] as const;

const RULE = '{"field": {"email": {"type": "EMAIL"}}}';
const TYPE = `it stands in the type of a field: \`${RULE}\``;
const MISTAKEN = {
  fields: { say: 'the fields of a rule are written in `"field"`', rename: 'field' },
  name: `the name of a field is the key before its type: \`${RULE}\``,
  type: TYPE,
  optional: TYPE,
  required: 'fields are required unless their type says `"optional": true`',
  min: TYPE,
  max: TYPE,
  arr_length: TYPE,
  arr_min_length: TYPE,
  items_min_length: TYPE,
  items_max_length: TYPE,
};

export default definePlugin({
  kind: 'feature',
  name: 'payload_validation',
  since: '0.1.0',
  summary:
    'Rules for fields of the request body. All rules of a resource are checked before its first actionable runs.',
  details:
    'Every named field is required unless it is `optional`. A payload that breaks rules is rejected with 422 and one ' +
    'entry in `errors` for each, with a JSON pointer (`/items/0/sku`). If the body is a list, the rules apply to each ' +
    'item. Values of a query string or a path are text; rules for numbers or lists convert them. With `canonical` a ' +
    'text is first converted to one form: it is checked, searched, compared and stored in that form, even if rules ' +
    'are not checked.',
  facts: { applies: 'when-present' },
  requires: ['validation-type:*'],
  slots: {
    actionable: shape({
      payload_validation: list(
        shape(
          {
            field: record(
              slot(['payload_validation.type'], {
                doc: 'The type of the field, with its bounds.',
                form: '{"type": "STRING"}',
              }),
              {
                doc: 'Field names and their types.',
                declares: 'payload-field',
                examples: [{ email: { type: 'EMAIL' } }],
              },
            ).required(),
            min_length: numeric({ doc: 'Minimum number of characters, for every field of this rule.' })
              .integer()
              .min(0),
            max_length: numeric({ doc: 'Maximum number of characters, for every field of this rule.' })
              .integer()
              .min(0),
          },
          { form: RULE, mistaken: MISTAKEN },
        ),
        { doc: 'Rules for the request body.', form: `[${RULE}]` },
      ),
      bypass_payload_validation: flag({
        doc: 'The rules of this actionable are not checked. Their fields remain names of the payload.',
        default: false,
      }),
    }),
  },
  check,
  openapi: describeApi,
  errors: {
    VAL_BOUNDS: {
      severity: 'error',
      title: 'Contradicting bounds',
      message: '{low} {min} is larger than {high} {max}: no value is valid.',
      help: 'Fix one of the two.',
    },
    VAL_BOUND_UNUSED: {
      severity: 'warning',
      tag: 'unnecessary',
      title: 'Bound without effect',
      message: '{bound} has no effect: no field of this rule is measured by length.',
      help: 'Put bounds of numbers into the type definition, as `min` and `max`.',
    },
    VAL_BYPASSED: {
      severity: 'hint',
      title: 'Rules without effect',
      message: 'The rules of this actionable are not checked.',
      help: 'Remove `bypass_payload_validation` to check them.',
    },
  },
  examples: [
    {
      title: 'A nested object and a list',
      json: {
        payload_validation: [
          {
            field: {
              address: {
                type: 'OBJECT',
                fields: { city: { type: 'STRING' }, zip: { type: 'STRING', optional: true } },
              },
              tags: { type: 'STRINGARRAY', arr_length: 4, items_max_length: 20 },
            },
          },
        ],
      },
    },
    {
      title: 'An address in one form, however it is typed',
      json: { payload_validation: [{ field: { email: { type: 'EMAIL', canonical: 'email' } }, max_length: 120 }] },
    },
    {
      title: 'Rules that are not checked',
      json: { payload_validation: [{ field: { email: { type: 'EMAIL' } } }], bypass_payload_validation: true },
    },
    {
      title: 'An address and a password',
      json: {
        payload_validation: [
          { field: { email: { type: 'EMAIL' } }, max_length: 120 },
          { field: { password: { type: 'STRING', min_length: 8 } } },
        ],
      },
    },
  ],
  counterExamples: [
    {
      title: 'Unknown type',
      json: { payload_validation: [{ field: { age: { type: 'INTEGER' } } }] },
      code: 'DEF_UNKNOWN_PLUGIN',
      at: '/payload_validation/0/field/age/type',
    },
    {
      title: 'No field',
      json: { payload_validation: [{ min_length: 2 }] },
      code: 'DEF_REQUIRED',
      at: '/payload_validation/0',
    },
    {
      title: 'Contradicting bounds',
      json: { payload_validation: [{ field: { a: { type: 'STRING' } }, min_length: 9, max_length: 3 }] },
      code: 'VAL_BOUNDS',
      at: '/payload_validation/0/min_length',
    },
    {
      title: 'Bounds of the rule and of the field cross',
      json: { payload_validation: [{ field: { a: { type: 'STRING', max_length: 3 } }, min_length: 9 }] },
      code: 'VAL_BOUNDS',
      at: '/payload_validation/0/field/a/max_length',
    },
  ],
});

/** Bypassed rules still document the fields. */
function describeApi({ value, getValueSchema }: ApiPlace): ApiPart {
  const rules = Array.isArray(value['payload_validation']) ? (value['payload_validation'] as readonly Json[]) : [];
  const entries = rules
    .map(toRule)
    .flatMap((rule) => Object.entries(createFieldSchemas(rule['field'], pickBounds(rule), getValueSchema)));
  if (value['bypass_payload_validation'] !== true) {
    return {
      fields: Object.fromEntries(entries),
      refuses: entries.length === 0 ? [] : ['VAL_PAYLOAD'],
      repeatable: true,
    };
  }
  const loose = entries.map(([name]): [string, ApiField] => [name, { schema: {}, required: false }]);
  return { fields: Object.fromEntries(loose), refuses: [], repeatable: true };
}

function check({ value, facts }: CheckPlace): Finding[] {
  const rules = Array.isArray(value['payload_validation']) ? (value['payload_validation'] as readonly Json[]) : [];
  const isMeasured = (type: Json): boolean =>
    isObject(type) &&
    (facts('validation-type', asText(type['type']))?.bounded === true ||
      Object.values(isObject(type['fields']) ? type['fields'] : {}).some(isMeasured));
  const found = rules.flatMap((rule, index) => {
    if (!isObject(rule) || !isObject(rule['field'])) return [];
    const at = `/payload_validation/${index}`;
    const measured = Object.values(rule['field']).some(isMeasured);
    const unused = BOUNDS.filter((bound) => rule[bound] !== undefined && !measured);
    return [
      ...checkBounds(rule, {}, at),
      ...checkNestedBounds(rule['field'], pickBounds(rule), `${at}/field`),
      ...unused.map((bound) => ({
        code: 'VAL_BOUND_UNUSED',
        at: `${at}/${bound}`,
        params: { bound },
        // With several unused bounds, removing one would leave the others.
        ...(unused.length === 1 && createRemovalFix(`${at}/${bound}`)),
      })),
    ];
  });
  const bypassed = value['bypass_payload_validation'] === true && rules.length > 0;
  return bypassed ? [...found, { code: 'VAL_BYPASSED', at: '/bypass_payload_validation' }] : found;
}

type Bounds = Readonly<Record<string, Json>>;

/** Checks fields and their nested fields with the bounds of the surrounding rule. */
function checkNestedBounds(fields: Bounds, around: Bounds, at: string): Finding[] {
  return Object.entries(fields).flatMap(([name, type]) => {
    if (!isObject(type)) return [];
    const here = `${at}/${escapePointer(name)}`;
    const bounds = pickBounds({ ...around, ...type });
    const inside = isObject(type['fields']) ? checkNestedBounds(type['fields'], bounds, `${here}/fields`) : [];
    return [...checkBounds(type, around, here), ...inside];
  });
}

/** A field's own bounds take precedence over those `around` it, which are reported there. */
function checkBounds(own: Bounds, around: Bounds, at: string): Finding[] {
  return PAIRS.flatMap(([low, high]) => {
    if (own[low] === undefined && own[high] === undefined) return [];
    const min = own[low] ?? around[low];
    const max = own[high] ?? around[high];
    if (typeof min !== 'number' || typeof max !== 'number' || min <= max) return [];
    const place = own[low] === undefined ? high : low;
    const finding = { code: 'VAL_BOUNDS', at: `${at}/${place}`, params: { low, min, high, max } };
    if (own[low] === undefined || own[high] === undefined) return [finding];
    const edits = [
      { at: `${at}/${low}`, value: max },
      { at: `${at}/${high}`, value: min },
    ];
    return [{ ...finding, fix: { title: 'exchange the two', edits, asks: true as const } }];
  });
}

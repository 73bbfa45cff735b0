/** `payload_validation`: rules for the request body, judged before anything runs. */
import { list, numeric, record, shape, slot } from '../../../kernel/schema/combinators.js';
import { asText, isObject, type Json } from '../../../kernel/contract/json.js';
import { definePlugin, type CheckPlace, type Finding } from '../../../kernel/contract/plugin.js';

const BOUNDS = ['min_length', 'max_length'] as const;
const PAIRS = [BOUNDS, ['min', 'max']] as const;

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
};

export default definePlugin({
  kind: 'feature',
  name: 'payload_validation',
  since: '0.1.0',
  summary: 'Rules for fields of the request body. All rules of a resource are judged before its first actionable runs.',
  details:
    'Every field named is required unless it says `optional`. A payload that breaks rules is refused with 422 and one entry of `errors` for each.',
  facts: { applies: 'when-present' },
  requires: ['validation-type:*'],
  slots: {
    actionable: shape({
      payload_validation: list(
        shape(
          {
            field: record(
              slot(['payload_validation.type'], {
                doc: 'The type of the field and its own bounds.',
                form: '{"type": "STRING"}',
              }),
              {
                doc: 'Field names and their types.',
                declares: 'payload-field',
                examples: [{ email: { type: 'EMAIL' } }],
              },
            ).required(),
            min_length: numeric({ doc: 'Fewest characters, for every field of this rule.' }).integer().min(0),
            max_length: numeric({ doc: 'Most characters, for every field of this rule.' }).integer().min(0),
          },
          { form: RULE, mistaken: MISTAKEN },
        ),
        { doc: 'Rules for the request body.', form: `[${RULE}]` },
      ),
    }),
  },
  check,
  errors: {
    VAL_BOUNDS: {
      severity: 'error',
      title: 'Bounds cross',
      message: '{low} {min} is larger than {high} {max}: nothing could pass.',
      help: 'Correct one of the two.',
    },
    VAL_BOUND_UNUSED: {
      severity: 'warning',
      title: 'Bound without effect',
      message: '{bound} has no effect: no field of this rule is measured by length.',
      help: 'Put bounds of numbers into the type definition, as `min` and `max`.',
    },
  },
  examples: [
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
      title: 'Bounds cross',
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

function check({ value, facts }: CheckPlace): Finding[] {
  const rules = Array.isArray(value['payload_validation']) ? (value['payload_validation'] as readonly Json[]) : [];
  return rules.flatMap((rule, index) => {
    if (!isObject(rule) || !isObject(rule['field'])) return [];
    const at = `/payload_validation/${index}`;
    const types = Object.entries(rule['field']);
    const measured = types.some(
      ([, type]) => isObject(type) && facts('validation-type', asText(type['type']))?.['bounded'] === true,
    );
    const unused = BOUNDS.filter((bound) => rule[bound] !== undefined && !measured);
    return [
      ...crossing(rule, {}, at),
      ...types.flatMap(([name, type]) => (isObject(type) ? crossing(type, rule, `${at}/field/${segment(name)}`) : [])),
      ...unused.map((bound) => ({ code: 'VAL_BOUND_UNUSED', at: `${at}/${bound}`, params: { bound } })),
    ];
  });
}

type Bounds = Readonly<Record<string, Json>>;

/** A field's own bounds win over those of its rule (`around`); what both leave open crosses nothing. */
function crossing(own: Bounds, around: Bounds, at: string): Finding[] {
  return PAIRS.flatMap(([low, high]) => {
    if (own[low] === undefined && own[high] === undefined) return [];
    const min = own[low] ?? around[low];
    const max = own[high] ?? around[high];
    if (typeof min !== 'number' || typeof max !== 'number' || min <= max) return [];
    const place = own[low] === undefined ? high : low;
    return [{ code: 'VAL_BOUNDS', at: `${at}/${place}`, params: { low, min, high, max } }];
  });
}

/** A field name as part of a JSON pointer (RFC 6901). */
const segment = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

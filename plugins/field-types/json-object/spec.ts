/** Spec of `JSON_OBJECT`. */
import { asText, escapePointer, isObject, type Json } from '../../../contract/json.js';
import { definePlugin, type Finding } from '../../../contract/plugin.js';
import { Slot } from '../../../contract/slot.js';
import { record, shape, slot } from '../../../contract/combinators.js';
import type { ApiPlace, JsonSchema } from '../../../contract/api.js';
import { toNullable, createObjectSchema } from '../../../contract/forms.js';
import { search } from '../shared/search.light.js';

/** Options that only a column can have. */
const OF_COLUMNS = ['primary_key', 'auto_increment', 'unique', 'indexable', 'fts', 'foreign_key', 'secret'];

export default definePlugin({
  kind: 'field-type',
  name: 'JSON_OBJECT',
  aliases: ['OBJECT', 'MAP'],
  since: '0.1.0',
  summary: 'An object.',
  facts: { column: 'json', holds: 'object' },
  schema: shape({
    ...search,
    properties: record(slot([Slot.MODEL_FIELD], { doc: 'Definition of the sub-field.' }), {
      doc: 'Sub-fields of the object. Each may be absent; a present one must have its type.',
      examples: [{ theme: { type: 'String' } }],
    }),
  }),
  openapi: ({ value, getValueSchema }) => {
    const { properties } = value;
    if (!isObject(properties)) return { value: { type: 'object' } };
    const fields = Object.entries(properties).map(([name, field]) => [name, ofField(field, getValueSchema)] as const);
    return { value: createObjectSchema(Object.fromEntries(fields), []) };
  },
  check: ({ value }) => checkProperties(value['properties']),
  errors: {
    FLD_NO_EFFECT: {
      severity: 'warning',
      tag: 'unnecessary',
      title: 'No effect inside an object',
      message: '"{name}" has no effect here: only fields of the model itself are columns.',
      help: 'Make the sub-field a field of the model, or leave the option out.',
    },
  },
  examples: [{ title: 'Settings', json: { type: 'JSON_OBJECT', properties: { theme: { type: 'String' } } } }],
  counterExamples: [
    {
      title: 'Sub-fields without names',
      json: { type: 'JSON_OBJECT', properties: ['theme'] },
      code: 'DEF_TYPE',
      at: '/properties',
    },
    {
      title: 'Unknown type of a sub-field',
      json: { type: 'JSON_OBJECT', properties: { theme: { type: 'Text' } } },
      code: 'DEF_UNKNOWN_PLUGIN',
      at: '/properties/theme/type',
    },
    {
      title: 'An option of columns on a sub-field',
      json: { type: 'JSON_OBJECT', properties: { theme: { type: 'String', unique: true } } },
      code: 'FLD_NO_EFFECT',
      at: '/properties/theme/unique',
    },
  ],
});

function checkProperties(properties: Json | undefined): Finding[] {
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, field]) =>
    OF_COLUMNS.filter((option) => isObject(field) && Object.hasOwn(field, option)).map((option) => ({
      code: 'FLD_NO_EFFECT',
      at: `/properties/${escapePointer(name)}/${option}`,
      params: { name: option },
      fix: {
        title: `remove "${option}"`,
        edits: [{ at: `/properties/${escapePointer(name)}/${option}`, remove: true as const }],
      },
    })),
  );
}

/** Sub-fields may be absent. */
const ofField = (field: Json, valueOf: ApiPlace['getValueSchema']): JsonSchema =>
  isObject(field) ? toNullable(valueOf('field-type', asText(field['type']), field)) : {};

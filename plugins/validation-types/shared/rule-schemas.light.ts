/** JSON Schema of payload rules. It must never be stricter than the validation. */
import type { ApiField, ApiPlace, JsonSchema } from '../../../contract/api.js';
import { asText, type Json } from '../../../contract/json.js';
import { toNullable, createObjectSchema } from '../../../contract/forms.js';
import { pickBounds, toRule, type Rule } from './fields.light.js';
import { validationType } from '../kind.js';

type ValueOf = ApiPlace['getValueSchema'];

const toBoundSchema = (rule: Rule, name: string, keyword: string): JsonSchema =>
  typeof rule[name] === 'number' ? { [keyword]: rule[name] } : {};

/** `items_`: bounds of each item of a list. */
export const createTextSchema = (rule: Rule, prefix: '' | 'items_' = ''): JsonSchema => ({
  type: 'string',
  // Bounds apply to the canonical form, which may differ in length from the value sent.
  ...(rule['canonical'] === undefined && {
    ...toBoundSchema(rule, `${prefix}min_length`, 'minLength'),
    ...toBoundSchema(rule, `${prefix}max_length`, 'maxLength'),
  }),
});

export const createCountSchema = (rule: Rule): JsonSchema => ({
  ...toBoundSchema(rule, 'arr_min_length', 'minItems'),
  ...toBoundSchema(rule, 'arr_length', 'maxItems'),
});

/** Bounds around fields apply to each field without its own; optional fields may be null. */
export function createFieldSchemas(fields: Json | undefined, bounds: Rule, valueOf: ValueOf): Record<string, ApiField> {
  const entries = Object.entries(toRule(fields)).map(([name, own]): [string, ApiField] => {
    const rule = { ...bounds, ...toRule(own) };
    const schema = valueOf(validationType.kind, asText(rule['type']), rule);
    const optional = rule['optional'] === true;
    return [name, { schema: optional ? toNullable(schema) : schema, required: !optional }];
  });
  return Object.fromEntries(entries);
}

export function createFieldsSchema(rule: Rule, valueOf: ValueOf): JsonSchema {
  const fields = Object.entries(createFieldSchemas(rule['fields'], pickBounds(rule), valueOf));
  const closed = rule['closed'] === true && { additionalProperties: false };
  if (fields.length === 0) return { type: 'object', ...closed };
  const properties = Object.fromEntries(fields.map(([name, { schema }]) => [name, schema]));
  const required = fields.flatMap(([name, field]) => (field.required ? [name] : []));
  return { ...createObjectSchema(properties, required), ...closed };
}

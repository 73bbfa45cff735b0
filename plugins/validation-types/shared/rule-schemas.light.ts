/**
 * JSON Schema of payload rules, equivalent to the closures of `fields.ts`. A schema must never be stricter than the validation.
 */
import type { ApiField, ApiPlace, JsonSchema } from '../../../contract/api.js';
import { asText, type Json } from '../../../contract/json.js';
import { nullable, objectOf } from '../../../contract/forms.js';
import { boundsOf, ruleOf, type Rule } from './fields.light.js';
import { validationType } from '../kind.js';

type ValueOf = ApiPlace['valueOf'];

const bound = (rule: Rule, name: string, keyword: string): JsonSchema =>
  typeof rule[name] === 'number' ? { [keyword]: rule[name] } : {};

/** `items_`: bounds of each item of a list. */
export const textSchema = (rule: Rule, prefix: '' | 'items_' = ''): JsonSchema => ({
  type: 'string',
  // Bounds apply to the canonical form, which may differ in length from the value sent.
  ...(rule['canonical'] === undefined && {
    ...bound(rule, `${prefix}min_length`, 'minLength'),
    ...bound(rule, `${prefix}max_length`, 'maxLength'),
  }),
});

export const countSchema = (rule: Rule): JsonSchema => ({
  ...bound(rule, 'arr_min_length', 'minItems'),
  ...bound(rule, 'arr_length', 'maxItems'),
});

/** Bounds around fields apply to each field without its own; optional fields may be null. */
export function fieldSchemas(fields: Json | undefined, bounds: Rule, valueOf: ValueOf): Record<string, ApiField> {
  const entries = Object.entries(ruleOf(fields)).map(([name, own]): [string, ApiField] => {
    const rule = { ...bounds, ...ruleOf(own) };
    const schema = valueOf(validationType.kind, asText(rule['type']), rule);
    const optional = rule['optional'] === true;
    return [name, { schema: optional ? nullable(schema) : schema, required: !optional }];
  });
  return Object.fromEntries(entries);
}

export function fieldsSchema(rule: Rule, valueOf: ValueOf): JsonSchema {
  const fields = Object.entries(fieldSchemas(rule['fields'], boundsOf(rule), valueOf));
  const closed = rule['closed'] === true && { additionalProperties: false };
  if (fields.length === 0) return { type: 'object', ...closed };
  const properties = Object.fromEntries(fields.map(([name, { schema }]) => [name, schema]));
  const required = fields.flatMap(([name, field]) => (field.required ? [name] : []));
  return { ...objectOf(properties, required), ...closed };
}

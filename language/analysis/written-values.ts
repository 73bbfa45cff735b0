/** Schema of a value: a literal is constant, an accessor has its plugin's schema. */
import type { JsonSchema } from '../../contract/api.js';
import { isObject, type Json } from '../../contract/json.js';
import { parseTemplate } from '../strings/accessor.js';
import { combineForms, createListSchema, NULL, createObjectSchema } from '../../contract/forms.js';

export type AccessorSchema = (root: string, tail: readonly string[]) => JsonSchema;

export function createValueSchema(json: Json, accessor: AccessorSchema): JsonSchema {
  if (json === null) return NULL;
  if (typeof json === 'string') return createTextSchema(json, accessor);
  if (typeof json === 'number') return { type: Number.isInteger(json) ? 'integer' : 'number', const: json };
  if (typeof json === 'boolean') return { type: 'boolean', const: json };
  if (Array.isArray(json)) {
    const items = (json as readonly Json[]).map((item) => createValueSchema(item, accessor));
    return createListSchema(combineForms(items), { minItems: items.length, maxItems: items.length });
  }
  if (!isObject(json)) return {};
  const entries = Object.entries(json).map(([name, value]) => [name, createValueSchema(value, accessor)] as const);
  return createObjectSchema(Object.fromEntries(entries));
}

/** A string that is exactly one accessor keeps the value's type. */
function createTextSchema(text: string, accessor: AccessorSchema): JsonSchema {
  const parts = parseTemplate(text);
  const [first] = parts;
  if (parts.every((part) => typeof part === 'string')) return { type: 'string', const: text };
  return parts.length === 1 && first !== undefined && typeof first !== 'string'
    ? accessor(first.root, first.tail)
    : { type: 'string' };
}

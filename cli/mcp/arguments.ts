/** Checks the arguments of a tool with the part of JSON Schema that the tools use. */
import { isObject, type Json, type JsonObject } from '../../contract/json.js';
import { findNearest } from '../../language/source/suggest.js';

/** A sentence about the first argument that is not right; null if all are. */
export function findArgumentError(schema: JsonObject, value: unknown, name = 'arguments'): string | null {
  const { type, properties, required, items, maxLength, maxItems } = schema;
  if (type === 'string') {
    if (typeof value !== 'string') return `"${name}" must be text.`;
    return value.length > Number(maxLength) ? `"${name}" must have at most ${Number(maxLength)} characters.` : null;
  }
  if (type === 'array') {
    if (!Array.isArray(value)) return `"${name}" must be a list.`;
    if (value.length > Number(maxItems)) return `"${name}" must have at most ${Number(maxItems)} entries.`;
    const each = (value as readonly unknown[]).map((one, i) =>
      findArgumentError(isObject(items) ? items : {}, one, `${name}.${i}`),
    );
    return each.find((error) => error !== null) ?? null;
  }
  if (!isObject(value)) return `"${name}" must be an object.`;
  const known = isObject(properties) ? properties : {};
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(known, key)) continue;
    const near = findNearest(key, Object.keys(known));
    return `"${key}" is no argument here${near === undefined ? '' : `; did you mean "${near}"`}.`;
  }
  const missing = (Array.isArray(required) ? (required as readonly Json[]) : []).find(
    (key) => typeof key === 'string' && !Object.hasOwn(value, key),
  );
  if (typeof missing === 'string') return `"${missing}" is missing.`;
  for (const [key, one] of Object.entries(value)) {
    const own = known[key];
    const error = isObject(own) ? findArgumentError(own, one, key) : null;
    if (error !== null) return error;
  }
  return null;
}

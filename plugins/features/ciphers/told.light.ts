/**
 * What callers are told of results: a field that is decrypted is any JSON, whatever type its column has. Decrypts nothing.
 */
import type { ApiPart, ApiPlace, JsonSchema } from '../../../kernel/contract/api.js';
import { asText, isObject, type Json, type JsonObject } from '../../../kernel/contract/json.js';
import { ActionPhase } from '../../../kernel/contract/slot.js';
import { ANY, mapRows, propertiesOf } from '../../../kernel/schema/forms.js';

/** Before everything that looks at the result, such as `verify_hashables`. */
export const BEFORE_OTHERS = -200;

export function told({ value }: ApiPlace): ApiPart {
  const entries = Array.isArray(value['ciphers']) ? (value['ciphers'] as readonly Json[]) : [];
  const opened = new Set(
    entries.flatMap((entry) => {
      const names = isObject(entry) && entry['operation'] === 'Decrypt' ? entry['properties'] : [];
      // What lies deeper is inside JSON, of which the column tells nothing certain either.
      return Array.isArray(names) ? names.map((name: Json) => asText(name).split('.')[0] ?? '') : [];
    }),
  );
  if (opened.size === 0) return {};
  const change = (row: JsonSchema): JsonSchema => {
    const known = propertiesOf(row);
    if (known === null) return row;
    const properties = Object.entries(known).map(([name, schema]) => [name, opened.has(name) ? ANY : schema]);
    return { ...row, properties: Object.fromEntries(properties) as JsonObject };
  };
  return {
    changes: [{ phase: ActionPhase.CONFIRM, order: BEFORE_OTHERS, change: (forms) => mapRows(forms, change) }],
  };
}

/** Which field of a document a parameter of an INSERT is: names only, known at load. The checker and the compiler ask here. Light. */
import type { Json } from '../../../kernel/contract/json.js';
import { parseTemplate } from '../../../kernel/language/accessor.js';

/** What is made rather than read names no field. */
const MADE: ReadonlySet<string> = new Set(['GENERATOR', 'DATETIME', 'ENV']);

/** A bare name is its own field, an accessor has its last segment; null where neither names one. */
export function fieldName(json: Json): string | null {
  if (typeof json !== 'string') return null;
  const [only, ...more] = parseTemplate(json);
  if (only === undefined || more.length > 0) return null;
  if (typeof only === 'string') return /^[A-Za-z_][\w.]*$/.test(only) ? (only.split('.').at(-1) ?? null) : null;
  return MADE.has(only.root) ? null : (only.tail.at(-1) ?? null);
}

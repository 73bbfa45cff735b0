/** Maps parameters of an INSERT to field names at load, for checker and compiler. */
import type { Json } from '../../../contract/json.js';
import { parseTemplate } from '../../../language/strings/accessor.js';

/** The tail of such a root names a generator or a variable, and no field. */
const MADE: ReadonlySet<string> = new Set(['GENERATOR', 'ENV']);

/** A bare name is its own field, an accessor has its last segment; null where neither applies. */
export function getFieldName(json: Json): string | null {
  if (typeof json !== 'string') return null;
  const [only, ...more] = parseTemplate(json);
  if (only === undefined || more.length > 0) return null;
  if (typeof only === 'string') return /^[A-Za-z_][\w.]*$/.test(only) ? (only.split('.').at(-1) ?? null) : null;
  return MADE.has(only.root) ? null : (only.tail.at(-1) ?? null);
}

/** The fields of an INSERT's parameters, for checker and compiler. */
import type { Json } from '../../../contract/json.js';
import { parseTemplate } from '../../../language/strings/accessor.js';

/** Its tail names a generator or a variable. */
const MADE: ReadonlySet<string> = new Set(['GENERATOR', 'ENV']);

/** A bare name is its own field, an accessor has its last segment. */
export function getFieldName(json: Json): string | null {
  if (typeof json !== 'string') return null;
  const [only, ...more] = parseTemplate(json);
  if (only === undefined || more.length > 0) return null;
  if (typeof only === 'string') return /^[A-Za-z_][\w.]*$/.test(only) ? (only.split('.').at(-1) ?? null) : null;
  return MADE.has(only.root) ? null : (only.tail.at(-1) ?? null);
}

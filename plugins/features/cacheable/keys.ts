/**
 * Names of entries, made of values without loss: two different lists of values never give one text. The name that a definition
 * writes says which entries belong together, so that others can remove them; what an answer depends on tells the entries of one
 * name from one another. Compiled once, rendered per request.
 */
import { createHash } from 'node:crypto';
import { isObject } from '../../../kernel/contract/json.js';
import type { Frame, PlanTools, ReadPlace, Reader } from '../../../kernel/contract/plan.js';
import { parseTemplate } from '../../../kernel/language/accessor.js';
import { compilePath } from '../../../kernel/language/path.js';

/** Longer texts are replaced by their hash. */
const LONGEST = 200;

export type Naming = (frame: Frame) => string;

/**
 * `user $PAYLOAD.id` becomes `["user ","5"]`, wherever the value comes from and whether it was sent as a number or as text: any
 * resource that writes the same words around equal values means the same entries.
 */
export function compileName(written: string, tools: PlanTools): Naming {
  const parts = parseTemplate(written).map((part) =>
    typeof part === 'string' ? JSON.stringify(part) : tools.value(written.slice(part.start, part.end)),
  );
  if (parts.every((part) => typeof part === 'string')) {
    const constant = short(`[${parts.join()}]`);
    return () => constant;
  }
  return (frame) => {
    let out = '';
    for (const part of parts) out += `${out === '' ? '[' : ','}${typeof part === 'string' ? part : plain(part(frame))}`;
    return short(`${out}]`);
  };
}

/** A name for what a definition gives none. */
export const constantName = (text: string): string => short(JSON.stringify([text]));

/** A value as part of a name: numbers and switches as text, objects with their names in order. */
function plain(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'object' && value !== null) return JSON.stringify(value, inOrder);
  // Nothing in these needs an escape.
  return value === null || value === undefined ? 'null' : `"${value as number | boolean | bigint}"`;
}

const inOrder = (_key: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/**
 * Everything that the plan reads of this request, types included: `5` and `"5"` may be answered differently. Made at the first
 * request, when all of the plan is known.
 */
export function compileVariant(place: string, tools: PlanTools): Naming {
  // Hashed: the store reads every letter of a key each time.
  const begin = hashed(JSON.stringify([tools.version, place]));
  let readers: readonly Reader[] | null = null;
  return (frame) => {
    readers ??= readersOf(tools.reads());
    let out = begin;
    for (const read of readers) out += `,${exact(read(frame))}`;
    return short(out);
  };
}

/** Each thing once; the payload as a whole covers its fields. */
function readersOf(places: readonly ReadPlace[]): readonly Reader[] {
  const fields = new Map<string, Reader>();
  for (const place of places) {
    if (place.from === 'payload' && place.slot !== null) {
      const { slot } = place;
      fields.set(`slot ${slot}`, ({ slots }) => slots[slot]);
    } else if (place.from === 'payload') {
      const { field } = place;
      fields.set(`payload ${field === null ? '' : JSON.stringify(field)}`, fieldReader(field));
    } else if (place.from === 'claims') {
      const read = compilePath(place.path);
      fields.set(`claims ${JSON.stringify(place.path)}`, ({ claims }) => read(claims));
    } else if (place.from === 'result') {
      const { index } = place;
      fields.set(`result ${index}`, ({ results }) => results[index]);
    } else fields.set(`elsewhere ${fields.size}`, carefully(place.read));
  }
  const whole = fields.has('payload ');
  return [...fields].flatMap(([key, read]) => (whole && key.startsWith('payload "') ? [] : [read]));
}

/** A list has no fields: it is meant whole. */
const fieldReader =
  (field: string | null): Reader =>
  ({ payload }) =>
    field === null || Array.isArray(payload) ? payload : Object.hasOwn(payload, field) ? payload[field] : undefined;

/** What cannot be read is absent here; whoever needs it refuses the request. */
const carefully =
  (read: Reader): Reader =>
  (frame) => {
    try {
      return read(frame);
    } catch {
      return undefined;
    }
  };

/** No JSON text begins with these letters. */
const exact = (value: unknown): string =>
  typeof value === 'string'
    ? JSON.stringify(value)
    : Number.isFinite(value)
      ? `${value as number}`
      : value === undefined
        ? 'u'
        : typeof value === 'bigint'
          ? `b${value}`
          : JSON.stringify(value);

const short = (text: string): string => (text.length <= LONGEST ? text : `#${hashed(text)}`);

const hashed = (text: string): string => createHash('sha256').update(text).digest('base64url');

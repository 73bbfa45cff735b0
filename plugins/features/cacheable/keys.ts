/**
 * Injective keys of cache entries. The name groups entries for invalidation; the variant separates the entries of one
 * name. Compiled once, rendered per request.
 */
import { createHash } from 'node:crypto';
import { isObject } from '../../../contract/json.js';
import type { Frame, PlanTools, ReadPlace, Reader } from '../../../contract/plan.js';
import { parseTemplate } from '../../../language/strings/accessor.js';
import { compilePath } from '../../../language/strings/path.js';

/** Longer keys are replaced by their SHA-256 hash. */
const LONGEST = 200;

export type KeyRenderer = (frame: Frame) => string;

/**
 * `user $PAYLOAD.id` becomes `["user ","5"]` for a number or text, so that resources with the same template address
 * the same entries.
 */
export function compileName(written: string, tools: PlanTools): KeyRenderer {
  const parts = parseTemplate(written).map((part) =>
    typeof part === 'string' ? JSON.stringify(part) : tools.value(written.slice(part.start, part.end)),
  );
  if (parts.every((part) => typeof part === 'string')) {
    const constant = shortenKey(`[${parts.join()}]`);
    return () => constant;
  }
  return (frame) => {
    let out = '';
    for (const part of parts)
      out += `${out === '' ? '[' : ','}${typeof part === 'string' ? part : normalizeValue(part(frame))}`;
    return shortenKey(`${out}]`);
  };
}

/** Name of entries without a `cache_key`. */
export const createConstantName = (text: string): string => shortenKey(JSON.stringify([text]));

/** Numbers and booleans become text, and object keys are sorted: equal values have one form. */
function normalizeValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'object' && value !== null) return JSON.stringify(value, sortKeys);
  // These values need no JSON escapes.
  return value === null || value === undefined ? 'null' : `"${value as number | boolean | bigint}"`;
}

const sortKeys = (_key: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/**
 * Key of every request value that the plan reads, with types: `5` and `"5"` may have different responses. Built when
 * all reads are known.
 */
export function compileVariant(place: string, tools: PlanTools): KeyRenderer {
  const begin = JSON.stringify([tools.version, place]);
  let readers: readonly Reader[] | null = null;
  return (frame) => {
    readers ??= createReaders(tools.reads());
    let out = begin;
    for (const read of readers) out += `,${serializeExact(read(frame))}`;
    return shortenKey(out);
  };
}

/** Each place is read once; the payload as a whole covers its fields. */
function createReaders(places: readonly ReadPlace[]): readonly Reader[] {
  const fields = new Map<string, Reader>();
  for (const place of places) {
    if (place.from === 'payload' && place.slot !== null) {
      const { slot } = place;
      fields.set(`slot ${slot}`, ({ slots }) => slots[slot]);
    } else if (place.from === 'payload') {
      const { field } = place;
      fields.set(`payload ${field === null ? '' : JSON.stringify(field)}`, createFieldReader(field));
    } else if (place.from === 'claims') {
      const read = compilePath(place.path);
      fields.set(`claims ${JSON.stringify(place.path)}`, ({ claims }) => read(claims));
    } else if (place.from === 'result') {
      const { index } = place;
      fields.set(`result ${index}`, ({ results }) => results[index]);
    } else fields.set(`elsewhere ${fields.size}`, ignoreErrors(place.read));
  }
  const whole = fields.has('payload ');
  return [...fields].flatMap(([key, read]) => (whole && key.startsWith('payload "') ? [] : [read]));
}

/** A list payload has no fields. */
const createFieldReader =
  (field: string | null): Reader =>
  ({ payload }) =>
    field === null || Array.isArray(payload) ? payload : Object.hasOwn(payload, field) ? payload[field] : undefined;

/** The step that needs an unreadable value rejects the request. */
const ignoreErrors =
  (read: Reader): Reader =>
  (frame) => {
    try {
      return read(frame);
    } catch {
      return undefined;
    }
  };

/** No JSON text begins with the prefixes `u` and `b`. */
const serializeExact = (value: unknown): string =>
  value === undefined ? 'u' : typeof value === 'bigint' ? `b${value}` : JSON.stringify(value);

/** Without values of requests. */
export function describeKey(key: string): string {
  const parsed = /^n(\[.*\])$/s.exec(key)?.[1];
  const [first, ...rest] = parsed === undefined ? [] : (JSON.parse(parsed) as readonly string[]);
  if (first !== undefined) return rest.length === 0 ? first : `${first}…`;
  return /\["[^"]*","((?:actionable|resource) [^"]*)"\]/.exec(key)?.[1] ?? 'a long key, as its hash';
}

const shortenKey = (text: string): string => (text.length <= LONGEST ? text : `#${hashText(text)}`);

const hashText = (text: string): string => createHash('sha256').update(text).digest('base64url');

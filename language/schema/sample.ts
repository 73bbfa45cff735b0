/** Creates a short, deterministic sample value for a JSON Schema. Covers the keywords of payload rules; others are ignored. */
import type { JsonSchema } from '../../contract/api.js';
import { isObject, type Json, type JsonObject } from '../../contract/json.js';
import { propertiesOf, requiredOf } from '../../contract/forms.js';

const TEXT = 'text';
/** A sample e-mail address and the shortest one. */
const ADDRESS = 'ada@example.com';
const SHORT_ADDRESS = 'a@b.co';
/** Maximum length of an address's local part and of a host label. */
const LABEL = 63;

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2030-01-31T12:00:00.000Z',
  date: '2030-01-31',
  uuid: '8f14e45f-ceea-4e7a-9c1b-2f3d4a5b6c7d',
  uri: 'https://example.com/',
  'uri-reference': '/',
};

/** `everything`: includes optional members. */
export function sampleOfSchema(schema: JsonSchema, everything = false): Json {
  const { allOf, anyOf, oneOf, type } = schema;
  if (Object.hasOwn(schema, 'const')) return schema['const'] ?? null;
  if (Array.isArray(schema['enum'])) return (schema['enum'] as readonly Json[])[0] ?? null;
  if (Array.isArray(allOf)) return sampleOfSchema(together([schema, ...(allOf as readonly Json[])]), everything);
  for (const choice of [anyOf, oneOf]) {
    const first = Array.isArray(choice) ? telling(choice as readonly Json[]) : undefined;
    if (first !== undefined) return sampleOfSchema(first, everything);
  }
  switch (typeIn(type)) {
    case 'object':
      return sampleObject(schema, everything);
    case 'array':
      return sampleList(schema, everything);
    case 'number':
    case 'integer':
      return sampleNumber(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return Object.hasOwn(schema, 'properties') ? sampleObject(schema, everything) : sampleText(schema);
  }
}

/** For a nullable type, the other type. */
const typeIn = (type: Json | undefined): Json | undefined =>
  Array.isArray(type) ? ((type as readonly Json[]).find((one) => one !== 'null') ?? 'null') : type;

const telling = (choices: readonly Json[]): JsonSchema | undefined => {
  const schemas: readonly JsonSchema[] = choices.filter(isObject);
  return schemas.find(({ type }) => type !== 'null') ?? schemas[0];
};

function sampleObject(schema: JsonSchema, everything: boolean): JsonObject {
  const properties = propertiesOf(schema) ?? {};
  const required = requiredOf(schema);
  const names = everything ? [...new Set([...required, ...Object.keys(properties)])] : required;
  return Object.fromEntries(names.map((name) => [name, sampleOfSchema(properties[name] ?? {}, everything)]));
}

function sampleList({ items, minItems, maxItems }: JsonSchema, everything: boolean): Json {
  const least = typeof minItems === 'number' ? minItems : 0;
  const most = typeof maxItems === 'number' ? maxItems : Infinity;
  const item = isObject(items) ? sampleOfSchema(items, everything) : TEXT;
  return Array.from({ length: Math.min(Math.max(least, 1), most) }, () => item);
}

function sampleNumber({ type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: JsonSchema): number {
  const step = typeof multipleOf === 'number' ? multipleOf : typeIn(type) === 'integer' ? 1 : 0;
  const inner = step || 0.001;
  const lowest = Math.max(bound(minimum, -Infinity), bound(exclusiveMinimum, -Infinity) + inner);
  const highest = Math.min(bound(maximum, Infinity), bound(exclusiveMaximum, Infinity) - inner);
  const wanted = Math.max(Math.min(1, highest), lowest);
  if (step === 0) return wanted;
  const up = Math.ceil(wanted / step) * step;
  return up <= highest ? up : Math.floor(highest / step) * step;
}

const bound = (value: Json | undefined, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

function sampleText({ format, minLength, maxLength }: JsonSchema): string {
  const least = bound(minLength, 0);
  const most = bound(maxLength, Infinity);
  if (format === 'email') return sampleAddress(least, most);
  const fixed = typeof format === 'string' ? FORMATS[format] : undefined;
  if (fixed !== undefined) return fixed;
  const text = TEXT.length >= least ? TEXT : TEXT.repeat(Math.ceil(least / TEXT.length)).slice(0, least);
  return text.slice(0, Math.max(most, least));
}

/** Long addresses are extended with host labels. */
function sampleAddress(least: number, most: number): string {
  if (most < ADDRESS.length) return SHORT_ADDRESS;
  let address = ADDRESS;
  while (address.length < least) {
    const missing = Math.max(Math.min(least - address.length - 1, LABEL), 1);
    address = address.replace('@', `@${'x'.repeat(missing)}.`);
  }
  return address;
}

/** Merges schemas into one that satisfies all; the narrower bound wins. */
function together(all: readonly Json[]): JsonSchema {
  const merged: Record<string, Json> = {};
  for (const one of all) {
    if (!isObject(one)) continue;
    for (const [word, value] of Object.entries(one)) {
      if (word === 'allOf' && one === all[0]) continue;
      const known = merged[word];
      merged[word] = known === undefined ? value : narrower(word, known, value);
    }
  }
  return merged;
}

function narrower(word: string, one: Json, other: Json): Json {
  if (typeof one === 'number' && typeof other === 'number')
    return /^(min|exclusiveMin)/.test(word) ? Math.max(one, other) : Math.min(one, other);
  if (Array.isArray(one) && Array.isArray(other)) {
    const [first, second] = [one as readonly Json[], other as readonly Json[]];
    if (word === 'required' || word === 'allOf') return [...new Set([...first, ...second])];
    return first.filter((value) => second.includes(value));
  }
  if (Array.isArray(one)) return other;
  if (Array.isArray(other)) return one;
  if (isObject(one) && isObject(other)) {
    const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
    if (word === 'properties')
      return Object.fromEntries(names.map((name) => [name, together([at(one, name), at(other, name)])]));
    return together([one, other]);
  }
  // Integers are numbers.
  return one === 'integer' || other === 'integer' ? 'integer' : other;
}

const at = (object: Json, name: string): Json => (object as JsonObject)[name] ?? {};

/** Adds text values for paths that accessors read and rules do not cover. */
export function withNeeded(
  ruled: Readonly<Record<string, Json>>,
  needed: readonly (readonly string[])[],
): Record<string, Json> {
  const sample: Record<string, Json> = { ...ruled };
  for (const [root, ...rest] of needed) {
    if (root === undefined) continue;
    // Values from rules are valid; only an object may lack nested members.
    if (Object.hasOwn(ruled, root) && !(rest.length > 0 && isObject(ruled[root]))) continue;
    sample[root] = withText(sample[root], rest);
  }
  return sample;
}

function withText(known: Json | undefined, [segment, ...rest]: readonly string[]): Json {
  // Items of a list come from the rules.
  if (segment === undefined || Array.isArray(known)) return known ?? TEXT;
  const object = isObject(known) ? known : {};
  return { ...object, [segment]: withText(object[segment], rest) };
}

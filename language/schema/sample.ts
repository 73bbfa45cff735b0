/** A short, deterministic sample value for a JSON Schema. Covers the keywords of payload rules. */
import type { JsonSchema } from '../../contract/api.js';
import { isObject, type Json, type JsonObject } from '../../contract/json.js';
import { getProperties, listRequired } from '../../contract/forms.js';

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
export function sampleSchema(schema: JsonSchema, everything = false): Json {
  const { allOf, anyOf, oneOf, type } = schema;
  if (Object.hasOwn(schema, 'const')) return schema['const'] ?? null;
  if (Array.isArray(schema['enum'])) return (schema['enum'] as readonly Json[])[0] ?? null;
  if (Array.isArray(allOf)) return sampleSchema(mergeSchemas([schema, ...(allOf as readonly Json[])]), everything);
  for (const choice of [anyOf, oneOf]) {
    const first = Array.isArray(choice) ? chooseSchema(choice as readonly Json[]) : undefined;
    if (first !== undefined) return sampleSchema(first, everything);
  }
  switch (getType(type)) {
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
const getType = (type: Json | undefined): Json | undefined =>
  Array.isArray(type) ? ((type as readonly Json[]).find((one) => one !== 'null') ?? 'null') : type;

const chooseSchema = (choices: readonly Json[]): JsonSchema | undefined => {
  const schemas: readonly JsonSchema[] = choices.filter(isObject);
  return schemas.find(({ type }) => type !== 'null') ?? schemas[0];
};

function sampleObject(schema: JsonSchema, everything: boolean): JsonObject {
  const properties = getProperties(schema) ?? {};
  const required = listRequired(schema);
  const names = everything ? [...new Set([...required, ...Object.keys(properties)])] : required;
  return Object.fromEntries(names.map((name) => [name, sampleSchema(properties[name] ?? {}, everything)]));
}

function sampleList({ items, minItems, maxItems }: JsonSchema, everything: boolean): Json {
  const least = typeof minItems === 'number' ? minItems : 0;
  const most = typeof maxItems === 'number' ? maxItems : Infinity;
  const item = isObject(items) ? sampleSchema(items, everything) : TEXT;
  return Array.from({ length: Math.min(Math.max(least, 1), most) }, () => item);
}

function sampleNumber({ type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: JsonSchema): number {
  const step = typeof multipleOf === 'number' ? multipleOf : getType(type) === 'integer' ? 1 : 0;
  const inner = step || 0.001;
  const lowest = Math.max(toNumber(minimum, -Infinity), toNumber(exclusiveMinimum, -Infinity) + inner);
  const highest = Math.min(toNumber(maximum, Infinity), toNumber(exclusiveMaximum, Infinity) - inner);
  const wanted = Math.max(Math.min(1, highest), lowest);
  if (step === 0) return wanted;
  const up = Math.ceil(wanted / step) * step;
  return up <= highest ? up : Math.floor(highest / step) * step;
}

const toNumber = (value: Json | undefined, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

function sampleText({ format, minLength, maxLength }: JsonSchema): string {
  const least = toNumber(minLength, 0);
  const most = toNumber(maxLength, Infinity);
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
function mergeSchemas(all: readonly Json[]): JsonSchema {
  const merged: Record<string, Json> = {};
  for (const one of all) {
    if (!isObject(one)) continue;
    for (const [word, value] of Object.entries(one)) {
      if (word === 'allOf' && one === all[0]) continue;
      const known = merged[word];
      merged[word] = known === undefined ? value : narrowKeyword(word, known, value);
    }
  }
  return merged;
}

function narrowKeyword(word: string, one: Json, other: Json): Json {
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
      return Object.fromEntries(names.map((name) => [name, mergeSchemas([at(one, name), at(other, name)])]));
    return mergeSchemas([one, other]);
  }
  // Integers are numbers.
  return one === 'integer' || other === 'integer' ? 'integer' : other;
}

const at = (object: Json, name: string): Json => (object as JsonObject)[name] ?? {};

/** Text values for paths that accessors read without rules. */
export function addNeededPaths(
  ruled: Readonly<Record<string, Json>>,
  needed: readonly (readonly string[])[],
): Record<string, Json> {
  const sample: Record<string, Json> = { ...ruled };
  for (const [root, ...rest] of needed) {
    if (root === undefined) continue;
    // Only an object may lack nested members.
    if (Object.hasOwn(ruled, root) && !(rest.length > 0 && isObject(ruled[root]))) continue;
    sample[root] = addText(sample[root], rest);
  }
  return sample;
}

function addText(known: Json | undefined, [segment, ...rest]: readonly string[]): Json {
  // Items of a list come from the rules.
  if (segment === undefined || Array.isArray(known)) return known ?? TEXT;
  const object = isObject(known) ? known : {};
  return { ...object, [segment]: addText(object[segment], rest) };
}

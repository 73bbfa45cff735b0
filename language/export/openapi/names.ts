/** Names of operations, by their paths, and of the schemas that they share. */
import { isObject, type JsonObject } from '../../../contract/json.js';
import type { CodeEntry } from '../../../contract/problem.js';
import { getProperties, isList, isObjectSchema } from '../../../contract/forms.js';

/** `/wallet/history/{entry}`: the words of a name. */
const listWords = (path: string): string[] =>
  path
    .replace(/\{([^}]*)\}/g, 'by-$1')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');

/** By path: `WalletHistoryByEntry`. Equal names are numbered in the order of the paths. */
export function nameOperations(paths: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  return new Map(
    paths.map((path) => {
      const words = listWords(path).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
      const joined = words.join('');
      const base = /^[A-Z]/.test(joined) ? joined : `Resource${joined}`;
      let name = base;
      for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${base}${n}`;
      taken.add(name.toLowerCase());
      return [path, name] as const;
    }),
  );
}

/** The schemas of a document that have names. */
export interface NamedSchemas {
  /** A reference to the schema; the schema itself if it says nothing. */
  add(name: string, schema: JsonObject): JsonObject;
  /** The problem of this code. */
  addProblem(code: string): JsonObject;
  list(): JsonObject;
}

export const toRef = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

/** A problem document (RFC 9457). */
const PROBLEM: JsonObject = {
  type: 'object',
  description: 'Why a request was rejected or failed. Programs use `code`; texts may change.',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'success', 'message'],
  properties: {
    type: { type: 'string', description: 'A URI that names the code.' },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'A sentence for people.' },
    instance: { type: 'string', description: 'The request.' },
    code: { type: 'string', pattern: '^[A-Z]{2,3}_[A-Z0-9_]+$' },
    errors: {
      type: 'array',
      description: 'What is wrong with the input, one by one.',
      items: {
        type: 'object',
        required: ['pointer', 'code', 'detail'],
        properties: {
          pointer: { type: 'string', description: 'JSON pointer into the payload.' },
          code: { type: 'string' },
          detail: { type: 'string' },
        },
      },
    },
    success: { type: 'boolean', const: false },
    message: { type: 'string', description: 'The same as `detail`.' },
  },
};

export function createNamedSchemas(codes: Readonly<Record<string, CodeEntry>>): NamedSchemas {
  const named = new Map<string, JsonObject>([['Problem', PROBLEM]]);
  return {
    add(name, schema) {
      const properties = getProperties(schema);
      if (properties === null ? !isList(schema) : Object.keys(properties).length === 0) return schema;
      named.set(name, schema);
      return toRef(name);
    },
    addProblem(code) {
      const description = codes[code]?.title;
      named.set(code, {
        ...(description !== undefined && { description }),
        allOf: [toRef('Problem'), { type: 'object', properties: { code: { const: code } } }],
      });
      return toRef(code);
    },
    list: () => Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** The same result with its objects as named schemas: `Row` for items of a list, else `Result`. */
export function nameResult(schemas: NamedSchemas, name: string, result: JsonObject): JsonObject {
  const { anyOf } = result;
  const forms = Array.isArray(anyOf) ? (anyOf as readonly JsonObject[]) : [result];
  return nameObjects(schemas, `${name}${forms.some(isList) ? 'Row' : 'Result'}`, result);
}

/** The objects of a value or list under one name; different ones are numbered. */
export function nameObjects(schemas: NamedSchemas, name: string, value: JsonObject): JsonObject {
  const known = new Map<string, JsonObject>();
  const nameObject = (schema: JsonObject): JsonObject => {
    const text = JSON.stringify(schema);
    const ref = known.get(text) ?? schemas.add(`${name}${known.size === 0 ? '' : String(known.size + 1)}`, schema);
    known.set(text, ref);
    return ref;
  };
  const nameForm = (form: JsonObject): JsonObject => {
    if (isObjectSchema(form)) return nameObject(form);
    const { items } = form;
    return isList(form) && isObject(items) ? { ...form, items: nameForms(items) } : form;
  };
  /** Alternatives of an item: `null`, and objects that may be null. */
  const nameForms = (schema: JsonObject): JsonObject => {
    const { anyOf: inner, type } = schema;
    if (Array.isArray(inner)) return { ...schema, anyOf: (inner as readonly JsonObject[]).map(nameForm) };
    if (!Array.isArray(type) || !type.includes('object') || type.length !== 2) return nameForm(schema);
    return { anyOf: [nameForm({ ...schema, type: 'object' }), { type: 'null' }] };
  };
  return nameForms(value);
}

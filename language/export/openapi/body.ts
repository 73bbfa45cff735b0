/** The request body of an operation: JSON, a multipart form for files, or a plugin's own schema. */
import type { ApiField, ApiFile } from '../../../contract/api.js';
import type { JsonObject } from '../../../contract/json.js';
import { createListSchema, createObjectSchema } from '../../../contract/forms.js';
import type { ResourceDescription } from './resource.js';

export interface BodyInput {
  readonly described: ResourceDescription;
  /** Without path parameters. */
  readonly fields: readonly (readonly [string, ApiField])[];
  /** Null if no example is known. */
  readonly example: JsonObject | null;
}

export function createRequestBody({ described, fields, example }: BodyInput): JsonObject {
  const files = Object.entries(described.files);
  const properties = Object.fromEntries(fields.map(([name, { schema }]) => [name, schema]));
  const required = fields.flatMap(([name, field]) => (field.required ? [name] : []));
  // The files are required, so only a form is valid.
  if (files.length > 0)
    return { required: true, content: { 'multipart/form-data': createForm(properties, required, files) } };
  if (described.body !== null) return { required: true, content: { 'application/json': { schema: described.body } } };
  const item = createObjectSchema(properties, required);
  const schema = described.list ? createListSchema(item) : item;
  const json = { schema, ...(example !== null && { example: described.list ? [example] : example }) };
  return {
    ...((required.length > 0 || described.list) && { required: true }),
    content: { 'application/json': json },
  };
}

function createForm(
  properties: Readonly<Record<string, JsonObject>>,
  required: readonly string[],
  files: readonly (readonly [string, ApiFile])[],
): JsonObject {
  const parts = files.map(([name, file]) => [name, toFilePart(file)] as const);
  const encoding = files.flatMap(([name, { types }]) =>
    types === undefined ? [] : [[name, { contentType: types.join(', ') }] as const],
  );
  return {
    schema: createObjectSchema({ ...properties, ...Object.fromEntries(parts) }, required),
    ...(encoding.length > 0 && { encoding: Object.fromEntries(encoding) }),
  };
}

function toFilePart({ doc, most = 1, bytes }: ApiFile): JsonObject {
  const file: JsonObject = { type: 'string', format: 'binary', ...(bytes !== undefined && { maxLength: bytes }) };
  return most === 1
    ? { ...file, description: doc }
    : { ...createListSchema(file, { maxItems: most }), description: doc };
}

/** Combines limits of two consumers of a file: each consumer validates it. */
export function narrowFile(one: ApiFile, other: ApiFile): ApiFile {
  const getLeast = (a: number | undefined, b: number | undefined): number | undefined =>
    a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
  const bytes = getLeast(one.bytes, other.bytes);
  const types = one.types === undefined || other.types === undefined ? (one.types ?? other.types) : one.types;
  return {
    doc: one.doc,
    most: Math.min(one.most ?? 1, other.most ?? 1),
    ...(bytes !== undefined && { bytes }),
    ...(types !== undefined && { types }),
  };
}

/**
 * OpenAPI documents of definitions without serving anything, and helpers that read them. Asserts only that definitions
 * are valid.
 */
import { withProgramCodes } from '../../language/problems/with-program-codes.js';
import { expect } from 'chai';
import { analyseFiles } from '../../language/analysis/analyse.js';
import { analyseConfig } from '../../language/analysis/config.js';
import { isObject, type Json, type JsonObject } from '../../contract/json.js';
import { createOpenapi } from '../../language/export/openapi/document.js';
import { CONFIG, FIXTURE_ENV, SQL, createTrialRegistry } from './fixtures.js';
import type { Files } from './project.js';

export const registry = withProgramCodes(createTrialRegistry());
export function createDocumentFromFiles(
  files: readonly { file: string; text: string }[],
  written: object = {},
): JsonObject {
  const text = files.find(({ file }) => file === CONFIG)?.text ?? JSON.stringify(written);
  const { config } = analyseConfig(CONFIG, text, registry, FIXTURE_ENV);
  if (config === null) return {};
  const analysis = analyseFiles(
    files.filter(({ file }) => file !== CONFIG),
    registry,
    { env: FIXTURE_ENV, sql: SQL, given: config },
  );
  return createOpenapi({ analysis, registry, config, info: { title: 'test', version: '1.0.0' }, sql: SQL });
}

/** The definitions are valid, or the test is wrong. */
export function createOpenApiDocument(definitions: Files, config: object = {}): JsonObject {
  const files = Object.entries(definitions).map(([file, json]) => ({ file, text: JSON.stringify(json) }));
  const document = createDocumentFromFiles(files, config);
  expect(Object.keys(document['paths'] as object), 'nothing is sound').not.to.deep.equal([]);
  return document;
}

export const getAtPointer = (json: Json | undefined, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inside, key) => (inside as Record<string, unknown> | undefined)?.[key], json);

/** With the schemas in the place of references to them, but for those of problems. */
export function resolveRefs(document: JsonObject, json: unknown): unknown {
  if (Array.isArray(json)) return (json as unknown[]).map((one) => resolveRefs(document, one));
  if (!isObject(json)) return json;
  const ref = json['$ref'];
  if (typeof ref === 'string') return resolveRefs(document, getAtPointer(document, ...ref.slice(2).split('/')));
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, resolveRefs(document, value)]));
}

export const getBodySchema = (document: JsonObject, path: string): unknown =>
  resolveRefs(
    document,
    getAtPointer(document, 'paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema'),
  );
export const getAnswerSchema = (document: JsonObject, path: string): unknown =>
  resolveRefs(
    document,
    getAtPointer(document, 'paths', path, 'post', 'responses', '200', 'content', 'application/json', 'schema'),
  );
export const listStatuses = (document: JsonObject, path: string, method = 'post'): string[] =>
  Object.keys(getAtPointer(document, 'paths', path, method, 'responses') as object);

/** Undefined for a status that the operation does not have. */
export function getErrorCodes(document: JsonObject, path: string, status: number): unknown {
  const response = getAtPointer(document, 'paths', path, 'post', 'responses', String(status));
  const content = getAtPointer(resolveRefs(document, response) as Json | undefined, 'content');
  const schema = getAtPointer(content as Json | undefined, 'application/problem+json', 'schema') as Json | undefined;
  if (schema === undefined) return undefined;
  const each = (getAtPointer(schema, 'oneOf') ?? [schema]) as readonly Json[];
  return each.map((one) => getAtPointer(one, 'allOf', '1', 'properties', 'code', 'const'));
}

/** One document of many, under separate paths: reading the rules of OpenAPI takes longer than validating by them. */
export function mergeDocuments(documents: readonly JsonObject[]): JsonObject {
  const found = documents.filter((document) => document['paths'] !== undefined);
  const paths = found.flatMap((document, i) =>
    Object.entries(document['paths'] as JsonObject).map(([path, item]) => [`/${i}${path}`, item] as const),
  );
  const mergeComponents = (name: string): Json =>
    Object.assign({}, ...found.map((one) => getAtPointer(one, 'components', name))) as Json;
  return {
    ...found[0],
    paths: Object.fromEntries(paths),
    components: Object.fromEntries(
      ['schemas', 'responses', 'headers', 'securitySchemes'].map((name) => [name, mergeComponents(name)]),
    ),
  };
}

export const NOTE = {
  _note: {
    id: { type: 'String', primary_key: true, max_length: 26 },
    text: { type: 'String', max_length: 500 },
    stars: { type: 'Number', optional: true },
    tags: { type: 'JSON_ARRAY', property_type: 'String' },
    hidden: { type: 'String', secret: true },
    written_at: { type: 'DateTime' },
  },
};
export const ID = { type: 'string', maxLength: 26 };
export const TEXT = { type: 'string', maxLength: 500 };

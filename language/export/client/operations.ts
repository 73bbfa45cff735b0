/** The operations of an OpenAPI document, as a client calls them: one for each path. */
import { asText, isObject, type Json, type JsonObject } from '../../../contract/json.js';
import { getProperties, isObjectSchema } from '../../../contract/forms.js';
import { nameOperations } from '../openapi/names.js';

export interface ClientOperation {
  /** Of the resource. */
  readonly id: string;
  /** `WalletDeposit`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly doc: string;
  readonly parameters: readonly JsonObject[];
  /** Null where nothing is sent. */
  readonly payload: JsonObject | null;
  readonly isPayloadRequired: boolean;
  readonly isForm: boolean;
  /** The body is no object, so parameters of the path are apart. */
  readonly hasFreeBody: boolean;
  readonly data: JsonObject;
  /** The field of the response that has it; null if it is the response. */
  readonly result: string | null;
  readonly codes: readonly string[];
  readonly security: readonly (readonly string[])[];
  readonly isRepeatable: boolean;
  readonly isConnectedOnly: boolean;
}

const WITHOUT_BODY = new Set(['get', 'delete']);

export function listOperations(document: JsonObject): ClientOperation[] {
  const paths = toObject(document['paths']);
  const names = nameOperations(Object.keys(paths));
  return Object.entries(paths).flatMap(([path, item]) => {
    const all = Object.entries(toObject(item));
    // All methods do the same; one with a body can send everything.
    const [method, written] = all.find(([one]) => !WITHOUT_BODY.has(one)) ?? all[0] ?? [];
    if (method === undefined) return [];
    return [readOperation(document, { path, method, name: names.get(path) ?? path, operation: toObject(written) })];
  });
}

interface WrittenOperation {
  readonly path: string;
  readonly method: string;
  readonly name: string;
  readonly operation: JsonObject;
}

function readOperation(document: JsonObject, { path, method, name, operation }: WrittenOperation): ClientOperation {
  const operationId = asText(operation['operationId']);
  // Of several methods, each has its own.
  const id = operationId.endsWith(`:${method}`) ? operationId.slice(0, -method.length - 1) : operationId;
  const responses = Object.entries(toObject(operation['responses']));
  const [, success] = responses.find(([status]) => status.startsWith('2')) ?? [];
  const answer = readContent(toObject(success));
  const result = typeof operation['x-lintel-result'] === 'string' ? operation['x-lintel-result'] : null;
  const body = toObject(operation['requestBody']);
  const [type, payload] = Object.entries(toObject(body['content']))[0] ?? [];
  const parameters = toList(operation['parameters']);
  const query = parameters.filter((one) => one['in'] === 'query');
  const sent = payload === undefined ? createQuerySchema(query) : toObject(toObject(payload)['schema']);
  return {
    id,
    name,
    method: method.toUpperCase(),
    path,
    doc: [operation['summary'], operation['description']].filter((text) => typeof text === 'string').join('. '),
    parameters: parameters.filter((one) => one['in'] !== 'query'),
    payload: sent,
    isPayloadRequired: body['required'] === true || query.some((one) => one['required'] === true),
    isForm: type === 'multipart/form-data',
    hasFreeBody: path.includes('{') && sent !== null && !isObjectSchema(resolveRef(document, sent)),
    data: result === null ? answer : toObject(getProperties(answer)?.[result]),
    result,
    codes: listCodes(
      document,
      responses.filter(([status]) => !status.startsWith('2')).map(([, response]) => toObject(response)),
    ),
    security: toList(operation['security']).map((way) => Object.keys(way)),
    isRepeatable: operation['x-lintel-repeatable'] === true,
    isConnectedOnly: operation['x-lintel-connected-only'] === true,
  };
}

function createQuerySchema(query: readonly JsonObject[]): JsonObject | null {
  if (query.length === 0) return null;
  return {
    type: 'object',
    properties: Object.fromEntries(query.map((one) => [asText(one['name']), toObject(one['schema'])])),
    required: query.filter((one) => one['required'] === true).map((one) => asText(one['name'])),
  };
}

function listCodes(document: JsonObject, responses: readonly JsonObject[]): string[] {
  const schemas = responses.map((response) => readContent(resolveRef(document, response)));
  const refs = schemas.flatMap((schema) => (Array.isArray(schema['oneOf']) ? toList(schema['oneOf']) : [schema]));
  const names = refs.map(({ $ref }) => (typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : ''));
  return [...new Set(names)].filter((code) => code !== '').sort();
}

const readContent = ({ content }: JsonObject): JsonObject =>
  toObject(toObject(Object.values(toObject(content))[0])['schema']);

/** Of a schema or a response; the same for one without a reference. */
export function resolveRef(document: JsonObject, json: JsonObject): JsonObject {
  const { $ref } = json;
  if (typeof $ref !== 'string') return json;
  return toObject(
    $ref
      .slice(2)
      .split('/')
      .reduce<Json | undefined>((at, key) => toObject(at)[key], document),
  );
}

export const toObject = (json: Json | undefined): JsonObject => (isObject(json) ? json : {});
export const toList = (json: Json | undefined): readonly JsonObject[] =>
  Array.isArray(json) ? (json as readonly Json[]).filter(isObject) : [];

/** Converts a resource to OpenAPI operations, one per method. Adds nothing to what plugins describe. */
import type { ApiField, ApiFile } from '../../../contract/api.js';
import { isObject, type Json, type JsonObject } from '../../../contract/json.js';
import type { ResourceModel } from '../../analysis/model.js';
import { hasParameters, listPathParameters } from '../../strings/route.js';
import { combineForms, createObjectSchema, createListSchema, getProperties } from '../../../contract/forms.js';
import { nameResult, type NamedSchemas } from './names.js';
import type { ResourceDescription } from './resource.js';
import { listTransportErrors, toHeaderDocs, HEADERS, type Responses } from './responses.js';
import type { Scope } from './scope.js';

/** Methods with the payload in the query string. */
export const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'DELETE']);

export interface OperationInput {
  readonly scope: Scope;
  readonly resource: ResourceModel;
  readonly described: ResourceDescription;
  /** Alternatives, each a list of security schemes that are all required. */
  readonly security: readonly (readonly string[])[];
  readonly tag: string;
  readonly operationId: string;
  readonly method: string;
  readonly responses: Responses;
  readonly schemas: NamedSchemas;
  /** Of the operation, in names of schemas: `WalletDeposit`. */
  readonly name: string;
}

export function createOperation(input: OperationInput): JsonObject {
  const { scope, resource, described, security, tag, operationId, method, responses, schemas, name } = input;
  const withBody = !WITHOUT_BODY.has(method);
  const sample = findSample(scope, resource);
  const parameters = [
    ...listPathParameters(resource.path).map((name) => pathParameter(name, described.fields.get(name), sample)),
    ...(withBody ? [] : queryParameters(resource, described, sample)),
    ...headerParameters(described),
  ];
  const body = withBody ? createBody(input, sample) : null;
  const takes = !withBody ? 'nothing' : Object.keys(described.files).length > 0 ? 'files' : 'body';
  const result = nameResult(schemas, name, combineForms(described.bare));
  const schema = combineForms(described.wrap([result]));
  const field = findResultField(schema, result);
  const rejections = [...described.rejections, ...listTransportErrors(takes)];
  return {
    operationId,
    summary: formatSummary(resource.path),
    description: formatDescription(resource, described),
    tags: [tag],
    // An empty list is said of operations that anyone may call.
    security: isGuarded(security) ? security.map((way) => Object.fromEntries(way.map((one) => [one, []]))) : [],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== null && { requestBody: body }),
    responses: {
      [described.accepted ? '202' : '200']: createSuccess(input, schema),
      ...responses.toResponses(rejections),
    },
    ...(field !== undefined && { 'x-lintel-result': field }),
    ...(described.repeatable && { 'x-lintel-repeatable': true }),
    ...(described.connectedOnly && { 'x-lintel-connected-only': true }),
  };
}

const isGuarded = (security: OperationInput['security']): boolean => security.some((way) => way.length > 0);

/** `wallet/history/:entry` → Wallet history by entry. */
function formatSummary(path: string): string {
  const words = path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? `by ${segment.slice(1)}` : segment))
    .join(' ')
    .replace(/[-_.]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function formatDescription({ id }: ResourceModel, { touches, notes }: ResourceDescription): string {
  const tables = touches.map((name) => `\`${name}\``).join(', ');
  return [`Resource \`${id}\`${tables === '' ? '' : `, with ${tables}`}.`, ...new Set(notes)].join(' ');
}

type Sample = Readonly<Record<string, Json>> | null;

function findSample({ input }: Scope, { id }: ResourceModel): Sample {
  const sample = input.samples?.get(id);
  if (Array.isArray(sample)) return isObject(sample[0]) ? sample[0] : null;
  return isObject(sample) ? sample : null;
}

const toExample = (sample: Sample, name: string): { example?: Json } =>
  sample !== null && Object.hasOwn(sample, name) ? { example: sample[name] ?? null } : {};

const pathParameter = (name: string, field: ApiField | undefined, sample: Sample): JsonObject => ({
  name,
  in: 'path',
  required: true,
  schema: field?.schema ?? { type: 'string' },
  ...toExample(sample, name),
});

const listBodyFields = ({ path }: ResourceModel, { fields }: ResourceDescription): [string, ApiField][] =>
  [...fields].filter(([name]) => !listPathParameters(path).includes(name));

const queryParameters = (resource: ResourceModel, described: ResourceDescription, sample: Sample): JsonObject[] =>
  listBodyFields(resource, described).map(([name, { schema, required }]) => ({
    name,
    in: 'query',
    ...(required && { required }),
    schema,
    ...toExample(sample, name),
  }));

/** OpenAPI ignores header parameters with these names. */
export const DESCRIBED_ELSEWHERE: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

const headerParameters = ({ headers }: ResourceDescription): JsonObject[] =>
  Object.entries(headers)
    .filter(([name]) => !DESCRIBED_ELSEWHERE.has(name.toLowerCase()))
    .map(([name, { doc, schema, required }]) => ({
      name,
      in: 'header',
      description: doc,
      ...(required && { required }),
      schema,
    }));

function createBody({ resource, described, schemas, name }: OperationInput, sample: Sample): JsonObject {
  const inPath = listPathParameters(resource.path);
  const rest = Object.entries(sample ?? {}).filter(([field]) => !inPath.includes(field));
  const example = sample === null ? null : Object.fromEntries(rest);
  const nameSchema = (schema: JsonObject): JsonObject => schemas.add(`${name}Payload`, schema);
  return createRequestBody({ described, fields: listBodyFields(resource, described), example, nameSchema });
}

const createSuccess = ({ described }: OperationInput, schema: JsonObject): JsonObject => ({
  description: described.accepted ? 'The work is accepted, and runs after this response.' : 'The result.',
  headers: { ...HEADERS, ...toHeaderDocs(described.answers) },
  content: { 'application/json': { schema } },
});

/** The field that has the result, where the config adds something around it. */
function findResultField(schema: JsonObject, result: JsonObject): string | undefined {
  if (schema === result) return undefined;
  return Object.entries(getProperties(schema) ?? {}).find(([, one]) => one === result)?.[0];
}

/** `/wallet/history/{entry}`. */
export const formatOpenapiPath = ({ path }: ResourceModel): string =>
  `/${hasParameters(path) ? path.replace(/(?<=^|\/):([^/]+)/g, '{$1}') : path}`;

interface BodyInput {
  readonly described: ResourceDescription;
  /** Without path parameters. */
  readonly fields: readonly (readonly [string, ApiField])[];
  /** Null if no example is known. */
  readonly example: JsonObject | null;
  /** A reference to the schema under a name. */
  readonly nameSchema: (schema: JsonObject) => JsonObject;
}

function createRequestBody({ described, fields, example, nameSchema }: BodyInput): JsonObject {
  const files = Object.entries(described.files);
  const properties = Object.fromEntries(fields.map(([name, { schema }]) => [name, schema]));
  const required = fields.flatMap(([name, field]) => (field.required ? [name] : []));
  // The files are required, so only a form is valid.
  if (files.length > 0)
    return { required: true, content: { 'multipart/form-data': createForm(properties, required, files, nameSchema) } };
  if (described.body !== null)
    return { required: true, content: { 'application/json': { schema: nameSchema(described.body) } } };
  const item = createObjectSchema(properties, required);
  const schema = nameSchema(described.list ? createListSchema(item) : item);
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
  nameSchema: BodyInput['nameSchema'],
): JsonObject {
  const parts = files.map(([name, file]) => [name, toFilePart(file)] as const);
  const encoding = files.flatMap(([name, { types }]) =>
    types === undefined ? [] : [[name, { contentType: types.join(', ') }] as const],
  );
  return {
    schema: nameSchema(createObjectSchema({ ...properties, ...Object.fromEntries(parts) }, required)),
    ...(encoding.length > 0 && { encoding: Object.fromEntries(encoding) }),
  };
}

function toFilePart({ doc, most = 1, bytes }: ApiFile): JsonObject {
  const file: JsonObject = { type: 'string', format: 'binary', ...(bytes !== undefined && { maxLength: bytes }) };
  return most === 1
    ? { ...file, description: doc }
    : { ...createListSchema(file, { maxItems: most }), description: doc };
}

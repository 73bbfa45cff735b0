/** One resource as operations of OpenAPI: a verb each, with parameters, body, answers. Says nothing that plugins did not. */
import type { ApiField } from '../../contract/api.js';
import { isObject, type Json, type JsonObject } from '../../contract/json.js';
import type { ResourceModel } from '../../analysis/model.js';
import { hasParameters, pathParameters } from '../../language/route.js';
import { choice, listOf, objectOf } from '../../schema/forms.js';
import type { Described } from './resource.js';
import { doorRefusals, headerDocs, HEADERS, type Responses } from './responses.js';
import type { Scope } from './scope.js';

/** Verbs whose payload is the query string. */
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'DELETE']);

export interface OperationInput {
  readonly scope: Scope;
  readonly resource: ResourceModel;
  readonly described: Described;
  /** Names of security schemes, all of them needed. */
  readonly security: readonly string[];
  readonly tag: string;
  readonly operationId: string;
  readonly method: string;
  readonly responses: Responses;
}

export function operationOf(input: OperationInput): JsonObject {
  const { scope, resource, described, security, tag, operationId, method, responses } = input;
  const withBody = !WITHOUT_BODY.has(method);
  const sample = sampleOf(scope, resource);
  const parameters = [
    ...pathParameters(resource.path).map((name) => pathParameter(name, described.fields.get(name), sample)),
    ...(withBody ? [] : queryParameters(resource, described, sample)),
    ...headerParameters(described),
  ];
  const body = withBody ? requestBody(resource, described, sample) : null;
  const refusals = [...described.refusals, ...doorRefusals(withBody)];
  return {
    operationId,
    summary: summaryOf(resource.path),
    description: descriptionOf(resource, described),
    tags: [tag],
    ...(security.length > 0 && { security: [Object.fromEntries(security.map((name) => [name, []]))] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== null && { requestBody: body }),
    responses: { '200': success(described), ...responses.of(refusals) },
  };
}

/** `wallet/history/:entry`: Wallet history by entry. */
function summaryOf(path: string): string {
  const words = path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? `by ${segment.slice(1)}` : segment))
    .join(' ')
    .replace(/[-_.]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function descriptionOf({ id }: ResourceModel, { touches, notes }: Described): string {
  const tables = touches.map((name) => `\`${name}\``).join(', ');
  return [`Resource \`${id}\`${tables === '' ? '' : `, with ${tables}`}.`, ...new Set(notes)].join(' ');
}

type Sample = Readonly<Record<string, Json>> | null;

function sampleOf({ input }: Scope, { id }: ResourceModel): Sample {
  const sample = input.samples?.get(id);
  if (Array.isArray(sample)) return isObject(sample[0]) ? sample[0] : null;
  return isObject(sample) ? sample : null;
}

const exampleOf = (sample: Sample, name: string): { example?: Json } =>
  sample !== null && Object.hasOwn(sample, name) ? { example: sample[name] ?? null } : {};

const pathParameter = (name: string, field: ApiField | undefined, sample: Sample): JsonObject => ({
  name,
  in: 'path',
  required: true,
  schema: field?.schema ?? { type: 'string' },
  ...exampleOf(sample, name),
});

const beside = ({ path }: ResourceModel, { fields }: Described): [string, ApiField][] =>
  [...fields].filter(([name]) => !pathParameters(path).includes(name));

const queryParameters = (resource: ResourceModel, described: Described, sample: Sample): JsonObject[] =>
  beside(resource, described).map(([name, { schema, required }]) => ({
    name,
    in: 'query',
    ...(required && { required }),
    schema,
    ...exampleOf(sample, name),
  }));

/** OpenAPI has other places for these. */
const SPOKEN_FOR: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

const headerParameters = ({ headers }: Described): JsonObject[] =>
  Object.entries(headers)
    .filter(([name]) => !SPOKEN_FOR.has(name.toLowerCase()))
    .map(([name, { doc, schema, required }]) => ({
      name,
      in: 'header',
      description: doc,
      ...(required && { required }),
      schema,
    }));

function requestBody(resource: ResourceModel, described: Described, sample: Sample): JsonObject | null {
  if (described.body !== null) {
    return { required: true, content: { 'application/json': { schema: described.body } } };
  }
  const fields = beside(resource, described);
  const files = Object.entries(described.files);
  const properties = Object.fromEntries(fields.map(([name, { schema }]) => [name, schema]));
  const required = fields.flatMap(([name, field]) => (field.required ? [name] : []));
  const item = objectOf(properties, required);
  const schema = described.list ? listOf(item) : item;
  const rest = Object.fromEntries(
    Object.entries(sample ?? {}).filter(([name]) => !pathParameters(resource.path).includes(name)),
  );
  const example = described.list ? [rest] : rest;
  if (files.length > 0) {
    return { required: true, content: { 'multipart/form-data': { schema: formOf(properties, required, files) } } };
  }
  return {
    ...((required.length > 0 || described.list) && { required: true }),
    content: { 'application/json': { schema, ...(sample !== null && { example }) } },
  };
}

const FILE: JsonObject = { type: 'string', format: 'binary' };

function formOf(
  properties: JsonObject,
  required: readonly string[],
  files: readonly (readonly [string, { readonly doc: string; readonly many?: boolean }])[],
): JsonObject {
  const parts = files.map(([name, { doc, many }]) => [
    name,
    many === true ? { type: 'array', items: FILE, description: doc } : { ...FILE, description: doc },
  ]);
  return {
    type: 'object',
    properties: { ...properties, ...(Object.fromEntries(parts) as JsonObject) },
    ...(required.length > 0 && { required }),
  };
}

const success = ({ forms, answers }: Described): JsonObject => ({
  description: 'The result.',
  headers: { ...HEADERS, ...headerDocs(answers) },
  content: { 'application/json': { schema: choice(forms) } },
});

/** `/wallet/history/{entry}`. */
export const pathOf = ({ path }: ResourceModel): string =>
  `/${hasParameters(path) ? path.replace(/(?<=^|\/):([^/]+)/g, '{$1}') : path}`;

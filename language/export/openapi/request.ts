/** Describes a request to one resource for request editors, with a valid payload. Sends nothing. */
import { asText, type Json, type JsonObject } from '../../../contract/json.js';
import { listPayloadReaders } from '../../analysis/checks/readers.js';
import type { ActionModel, ResourceModel } from '../../analysis/model.js';
import { listPathParameters } from '../../strings/route.js';
import { splitForms, isAny, isList, getProperties } from '../../../contract/forms.js';
import { sampleSchema, addNeededPaths } from '../../schema/sample.js';
import { listEvents } from './events.js';
import { DESCRIBED_ELSEWHERE, WITHOUT_BODY } from './operation.js';
import { describeResource, collectSecretNames, type ResourceDescription } from './resource.js';
import { createScope, type OpenapiInput } from './scope.js';
import type { GuardScheme } from './security.js';
import { listTexts } from './accessor-texts.js';

export interface RequestShape {
  readonly id: string;
  /** E.g. `/wallet/history/:entry`. */
  readonly path: string;
  /** The first is the default. */
  readonly methods: readonly string[];
  /** Methods with the payload in the query string. */
  readonly withoutBody: readonly string[];
  readonly parameters: readonly { readonly name: string; readonly sample: string }[];
  readonly headers: readonly { readonly name: string; readonly doc: string; readonly required: boolean }[];
  /** Authentication alternatives, each with all required credentials; an empty one allows anonymous access. */
  readonly ways: readonly (readonly Credential[])[];
  /** Sample payload without path parameters. */
  readonly payload: Json;
  /** Optional fields with valid sample values. */
  readonly optional: JsonObject;
  readonly files: readonly FilePart[];
  /** Shape of the result; null if unknown. */
  readonly answers: { readonly list: boolean; readonly names: readonly string[] } | null;
  /** The response only confirms that the work was accepted. */
  readonly accepted: boolean;
  /** Messages to WebSocket clients. */
  readonly events: readonly { readonly action: string; readonly to: string }[];
  /** Names that are omitted from responses unless listed explicitly. */
  readonly secrets: readonly string[];
}

export interface Credential {
  readonly name: string;
  readonly header: string;
  /** Precedes the token: `Bearer `. */
  readonly prefix: string;
  readonly doc: string;
}

export interface FilePart {
  readonly name: string;
  readonly doc: string;
  readonly most: number;
  /** Maximum bytes of each file; null if unlimited or unknown. */
  readonly bytes: number | null;
  readonly types: readonly string[];
}

/** Returns null if no request can reach the resource. */
export function createRequestShape(input: OpenapiInput, resource: ResourceModel): RequestShape | null {
  const scope = createScope(input);
  const described = describeResource(scope, resource);
  if (described === null) return null;
  const { methods } = input.config.http;
  const inPath = listPathParameters(resource.path);
  const { ruled, unruled, optional } = createSamples(described);
  const sample = addNeededPaths(ruled, [...unruled, ...listNeededPaths(input, resource)]);
  const body = omitNames(sample, inPath);
  return {
    id: resource.id,
    path: `/${resource.path}`,
    methods,
    withoutBody: methods.filter((method) => WITHOUT_BODY.has(method)),
    parameters: inPath.map((name) => ({ name, sample: toText(sample[name] ?? 'text') })),
    headers: Object.entries(described.headers)
      .filter(([name]) => !DESCRIBED_ELSEWHERE.has(name.toLowerCase()))
      .map(([name, { doc, required }]) => ({ name, doc, required })),
    ways: described.security.map((way) => way.flatMap(toCredentials)),
    payload: described.body !== null ? createSampleBody(described.body) : described.list ? [body] : body,
    optional: omitNames(optional, [...inPath, ...Object.keys(sample)]),
    files: Object.entries(described.files).map(([name, { doc, most = 1, bytes = null, types = [] }]) => ({
      name,
      doc,
      most,
      bytes,
      types,
    })),
    answers: describeAnswers(described),
    accepted: described.accepted,
    events: [...listEvents(scope, resource)].map(({ action, to }) => ({ action, to })),
    secrets: [...collectSecretNames(scope, resource.actions)].sort(),
  };
}

/** `unruled`: required fields without a known type. */
function createSamples({ fields }: ResourceDescription) {
  const all = [...fields];
  const toSamples = (those: typeof all): Record<string, Json> =>
    Object.fromEntries(those.map(([name, { schema }]) => [name, sampleSchema(schema)]));
  const required = all.filter(([, field]) => field.required);
  return {
    ruled: toSamples(required.filter(([, { schema }]) => !isAny(schema))),
    unruled: required.flatMap(([name, { schema }]) => (isAny(schema) ? [[name]] : [])),
    optional: toSamples(all.filter(([, field]) => !field.required)),
  };
}

/** Payload paths that accessors read; a request without them is rejected. */
function listNeededPaths({ registry, config }: OpenapiInput, resource: ResourceModel): (readonly string[])[] {
  if (config.profile !== null) return [];
  const roots = listPayloadReaders(registry);
  const isMade = (name = '', action: string | null): boolean => resource.sources.read(name, action).sort !== 'payload';
  const texts = [
    ...resource.actions
      .filter(isDone)
      .flatMap((action) => listTexts(action).map((text) => [text, action.key] as const)),
    ...listTexts(null, resource, resource.actions).map((text) => [text, null] as const),
  ];
  return texts.flatMap(([{ parts }, action]) =>
    parts.flatMap(({ root, tail }) => {
      const path = tail.filter((segment) => !/^\d+$/.test(segment));
      return roots.includes(root) && path.length > 1 && !isMade(path[0], action) ? [path] : [];
    }),
  );
}

/** Runs for a request, with names that refer to the payload: neither scheduled nor repeated. */
const isDone = ({ timing, repeat }: ActionModel): boolean => !timing.scheduled && repeat === null;

const omitNames = (object: Readonly<Record<string, Json>>, names: readonly string[]): Record<string, Json> =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

const toText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The schema accepts anything, so an empty object serves as sample. */
const createSampleBody = (schema: JsonObject): Json => (Object.keys(schema).length === 0 ? {} : sampleSchema(schema));

function toCredentials({ name, scheme }: GuardScheme): Credential[] {
  const doc = typeof scheme['description'] === 'string' ? scheme['description'] : '';
  if (scheme['type'] === 'http') {
    const word = asText(scheme['scheme']);
    return [{ name, header: 'Authorization', prefix: `${word.charAt(0).toUpperCase()}${word.slice(1)} `, doc }];
  }
  return scheme['in'] === 'header' ? [{ name, header: asText(scheme['name']), prefix: '', doc }] : [];
}

function describeAnswers({ forms }: ResourceDescription): RequestShape['answers'] {
  const all = forms.map((form) => {
    const row = isList(form) ? splitForms((form['items'] ?? {}) as JsonObject) : [form];
    return { list: isList(form), names: row.flatMap((one) => Object.keys(getProperties(one) ?? {})) };
  });
  const names = [...new Set(all.flatMap((one) => one.names))];
  return names.length === 0 ? null : { list: all.some(({ list }) => list), names };
}

/**
 * What a request to one resource needs, for people who try it out: path, headers, guards, files, and a payload that passes the
 * rules. The same knowledge as the OpenAPI document, of one resource; sends nothing.
 */
import { asText, type Json, type JsonObject } from '../../contract/json.js';
import { payloadReaders } from '../../analysis/checks/readers.js';
import type { ActionModel, ResourceModel } from '../../analysis/model.js';
import { pathParameters } from '../../language/route.js';
import { formsOf, isAny, isList, propertiesOf } from '../../schema/forms.js';
import { sampleOfSchema, withNeeded } from '../../schema/sample.js';
import { eventsIn } from './connected.js';
import { SPOKEN_FOR, WITHOUT_BODY } from './operation.js';
import { describeResource, secretsOf, type Described } from './resource.js';
import { scopeOf, type OpenapiInput } from './scope.js';
import type { Guarding } from './security.js';
import { textsOf } from './texts.js';

export interface RequestShape {
  readonly id: string;
  /** `/wallet/history/:entry` */
  readonly path: string;
  /** The first is the usual one. */
  readonly methods: readonly string[];
  /** Those of `methods` whose payload is the query string. */
  readonly withoutBody: readonly string[];
  /** What stands in the path. */
  readonly parameters: readonly { readonly name: string; readonly sample: string }[];
  readonly headers: readonly { readonly name: string; readonly doc: string; readonly required: boolean }[];
  /** Ways in, each with everything that has to be shown; one without anything is open to all. */
  readonly ways: readonly (readonly Credential[])[];
  /** A body without what stands in the path. */
  readonly payload: Json;
  /** What may be left out, by name, with values that pass. */
  readonly optional: JsonObject;
  readonly files: readonly FilePart[];
  /** What the answer holds; null where it cannot be told. */
  readonly answers: { readonly list: boolean; readonly names: readonly string[] } | null;
  /** The answer only says that the work was accepted. */
  readonly accepted: boolean;
  /** Messages to clients that stay connected. */
  readonly events: readonly { readonly action: string; readonly to: string }[];
  /** Names that never leave unless they are listed. */
  readonly secrets: readonly string[];
}

export interface Credential {
  readonly name: string;
  readonly header: string;
  /** Stands before the token: `Bearer `. */
  readonly prefix: string;
  readonly doc: string;
}

export interface FilePart {
  readonly name: string;
  readonly doc: string;
  /** Files at most. */
  readonly most: number;
  /** Of each at most; null: no bound is known. */
  readonly bytes: number | null;
  readonly types: readonly string[];
}

/** Null for what no request reaches. */
export function requestOf(input: OpenapiInput, resource: ResourceModel): RequestShape | null {
  const scope = scopeOf(input);
  const described = describeResource(scope, resource);
  if (described === null) return null;
  const { methods } = input.config.http;
  const inPath = pathParameters(resource.path);
  const { ruled, unruled, optional } = samplesOf(described);
  const sample = withNeeded(ruled, [...unruled, ...neededBy(input, resource)]);
  const body = without(sample, inPath);
  return {
    id: resource.id,
    path: `/${resource.path}`,
    methods,
    withoutBody: methods.filter((method) => WITHOUT_BODY.has(method)),
    parameters: inPath.map((name) => ({ name, sample: textOf(sample[name] ?? 'text') })),
    headers: Object.entries(described.headers)
      .filter(([name]) => !SPOKEN_FOR.has(name.toLowerCase()))
      .map(([name, { doc, required }]) => ({ name, doc, required })),
    ways: described.security.map((way) => way.flatMap(credentialOf)),
    payload: described.body !== null ? bodyOf(described.body) : described.list ? [body] : body,
    optional: without(optional, [...inPath, ...Object.keys(sample)]),
    files: Object.entries(described.files).map(([name, { doc, most = 1, bytes = null, types = [] }]) => ({
      ...{ name, doc, most, bytes, types },
    })),
    answers: answersOf(described),
    accepted: described.accepted,
    events: [...eventsIn(scope, resource)].map(({ action, to }) => ({ action, to })),
    secrets: [...secretsOf(scope, resource.actions)].sort(),
  };
}

/** `unruled`: names of which nothing is known but that a request without them is refused. */
function samplesOf({ fields }: Described) {
  const all = [...fields];
  const sampled = (those: typeof all): Record<string, Json> =>
    Object.fromEntries(those.map(([name, { schema }]) => [name, sampleOfSchema(schema)]));
  const required = all.filter(([, field]) => field.required);
  return {
    ruled: sampled(required.filter(([, { schema }]) => !isAny(schema))),
    unruled: required.flatMap(([name, { schema }]) => (isAny(schema) ? [[name]] : [])),
    optional: sampled(all.filter(([, field]) => !field.required)),
  };
}

/** Paths of the payload that accessors read: a request without them is refused. */
function neededBy({ registry, config }: OpenapiInput, resource: ResourceModel): (readonly string[])[] {
  if (config.profile !== null) return [];
  const roots = payloadReaders(registry);
  const isMade = (name = '', action: string | null): boolean => resource.sources.read(name, action).sort !== 'payload';
  const texts = [
    ...resource.actions.filter(isDone).flatMap((action) => textsOf(action).map((text) => [text, action.key] as const)),
    ...textsOf(null, resource, resource.actions).map((text) => [text, null] as const),
  ];
  return texts.flatMap(([{ parts }, action]) =>
    parts.flatMap(({ root, tail }) => {
      const path = tail.filter((segment) => !/^\d+$/.test(segment));
      return roots.includes(root) && path.length > 1 && !isMade(path[0], action) ? [path] : [];
    }),
  );
}

/** For a request; names of repeated work are those of its items. */
const isDone = ({ timing, repeat }: ActionModel): boolean => !timing.scheduled && repeat === null;

const without = (object: Readonly<Record<string, Json>>, names: readonly string[]): Record<string, Json> =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Anything may be sent: an empty object is the least that says something. */
const bodyOf = (schema: JsonObject): Json => (Object.keys(schema).length === 0 ? {} : sampleOfSchema(schema));

function credentialOf({ name, scheme }: Guarding): Credential[] {
  const doc = typeof scheme['description'] === 'string' ? scheme['description'] : '';
  if (scheme['type'] === 'http') {
    const word = asText(scheme['scheme']);
    return [{ name, header: 'Authorization', prefix: `${word.charAt(0).toUpperCase()}${word.slice(1)} `, doc }];
  }
  return scheme['in'] === 'header' ? [{ name, header: asText(scheme['name']), prefix: '', doc }] : [];
}

function answersOf({ forms }: Described): RequestShape['answers'] {
  const all = forms.map((form) => {
    const row = isList(form) ? formsOf((form['items'] ?? {}) as JsonObject) : [form];
    return { list: isList(form), names: row.flatMap((one) => Object.keys(propertiesOf(one) ?? {})) };
  });
  const names = [...new Set(all.flatMap((one) => one.names))];
  return names.length === 0 ? null : { list: all.some(({ list }) => list), names };
}

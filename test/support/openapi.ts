/**
 * Validates requests and responses by an OpenAPI document, with ajv over draft 2020-12: a client whose every call is
 * compared with the document. Also validates the document itself.
 */
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv-2020/dist/2020.js';
import { expect } from 'chai';
import { isObject, type Json, type JsonObject } from '../../contract/json.js';
import type { Answer, Client } from './client.js';

const FORMATS = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z$/,
  email: /^[^@\s]+@[^@\s]+$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  date: /^\d{4}-\d\d-\d\d$/,
  binary: true,
  'uri-reference': /^[^\s<>"{}|\\^`]+$/,
} as const;

/** Errors of a document, as text; empty for a valid one. */
export async function listDocumentErrors(document: JsonObject): Promise<string> {
  // The validator resolves references in place.
  const copy = JSON.parse(JSON.stringify(document)) as Record<string, unknown>;
  const { valid, errors } = await new Validator().validate(copy);
  return valid ? '' : JSON.stringify(errors);
}

const at = (json: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((inside, key) => (isObject(inside) ? inside[key] : undefined), json);

const escapePointer = (text: string): string => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));

export interface DocumentChecker {
  /** Throws when the document does not contain the call, or the response does not match. */
  checkCall(method: string, path: string, sent: unknown, answer: Answer<unknown>): void;
  /** Whether the document has such a path and verb. */
  hasOperation(method: string, path: string): boolean;
  /** Validated operations, with their statuses. */
  readonly seen: ReadonlyMap<string, ReadonlySet<number>>;
}

export function createDocumentChecker(document: JsonObject): DocumentChecker {
  const settings = { strict: false, allErrors: true, ownProperties: true, formats: FORMATS } as const;
  const ajv = new Ajv2020(settings).addSchema(document, 'api:');
  // In a form every value is text, and one that is repeated a list.
  const ofForms = new Ajv2020({ ...settings, coerceTypes: 'array' }).addSchema(document, 'api:');
  const [made, madeForForms] = [new Map<string, ValidateFunction>(), new Map<string, ValidateFunction>()];
  const paths = Object.keys((at(document, 'paths') ?? {}) as object);
  const seen = new Map<string, Set<number>>();

  const findSchemaErrors = (pointer: readonly string[], value: unknown, rules = ajv): string => {
    const known = rules === ajv ? made : madeForForms;
    const place = pointer.map(escapePointer).join('/');
    const validate = known.get(place) ?? rules.compile({ $ref: `api:#/${place}` });
    known.set(place, validate);
    return validate(value) === true ? '' : `${JSON.stringify(validate.errors)} for ${JSON.stringify(value)}`;
  };

  return {
    seen,
    hasOperation(method, path) {
      const template = findTemplate(paths, path);
      return template !== undefined && at(document, 'paths', template, method.toLowerCase()) !== undefined;
    },
    checkCall(method, path, sent, { status, headers, body, text }) {
      const template = findTemplate(paths, path);
      expect(template, `${path} is not in the document`).not.to.equal(undefined);
      const operation = ['paths', template ?? '', method.toLowerCase()];
      const label = `${method} ${template}`;
      seen.set(label, (seen.get(label) ?? new Set()).add(status));
      const found = at(document, ...operation, 'responses', String(status));
      expect(found, `${label} may not answer ${status}: ${text}`).not.to.equal(undefined);
      const ref = at(found, '$ref');
      const response = typeof ref === 'string' ? ref.slice(2).split('/') : [...operation, 'responses', String(status)];
      const [type = ''] = (headers.get('content-type') ?? '').split(';');
      const issues = findSchemaErrors([...response, 'content', type, 'schema'], body);
      expect(issues === '', `${label} ${status}: ${issues}`).to.equal(true);
      if (isSuccess(status))
        expect(listUnknownNames(document, [...response, 'content', type, 'schema'], body), label).to.deep.equal([]);
      checkSent(operation, label, sent, status);
    },
  };

  /** A served request satisfied the rules, so it must match the schema. */
  function checkSent(operation: readonly string[], label: string, sent: unknown, status: number): void {
    const body = [...operation, 'requestBody'];
    if (at(document, ...body) === undefined || typeof sent === 'string' || sent instanceof Uint8Array) return;
    if (!isSuccess(status)) return;
    const isForm = sent instanceof FormData;
    const schema = [...body, 'content', isForm ? 'multipart/form-data' : 'application/json', 'schema'];
    // The fields of any body may be sent as text parts; that is declared once for all of them.
    if (isForm && at(document, ...schema) === undefined) return;
    expect(at(document, ...schema), `${label} took a body of another type`).to.not.equal(undefined);
    const issues = isForm ? findSchemaErrors(schema, toFormParts(sent), ofForms) : findSchemaErrors(schema, sent ?? {});
    expect(issues === '', `${label} took this: ${issues}`).to.equal(true);
  }
}

const isSuccess = (status: number): boolean => status === 200 || status === 202;

/** Text parts as they are, files as text of their length; a name that is repeated becomes a list. */
function toFormParts(form: FormData): Record<string, unknown> {
  const parts: Record<string, unknown> = {};
  for (const name of new Set(form.keys())) {
    const values = form.getAll(name).map((part) => (typeof part === 'string' ? part : ' '.repeat(part.size)));
    parts[name] = values.length === 1 ? values[0] : values;
  }
  return parts;
}

/** The path of the document that a call means; fixed ones first. */
function findTemplate(paths: readonly string[], path: string): string | undefined {
  const bare = path.split('?')[0] ?? path;
  if (paths.includes(bare)) return bare;
  return paths.find((one) => new RegExp(`^${one.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(bare));
}

/** The target of a reference. */
function resolve(document: JsonObject, schema: Json | undefined): Json {
  const ref = at(schema, '$ref');
  return (typeof ref === 'string' ? at(document, ...ref.slice(2).split('/')) : schema) ?? null;
}

/** Names of a response, or of its rows, that no alternative of its schema has. */
function listUnknownNames(document: JsonObject, pointer: readonly string[], body: unknown): string[] {
  const schema = resolve(document, at(document, ...pointer));
  const forms = Array.isArray(at(schema, 'anyOf')) ? (at(schema, 'anyOf') as readonly Json[]) : [schema ?? null];
  const rows = Array.isArray(body) ? (body as readonly unknown[]) : [body];
  const known = forms
    .map((form) => resolve(document, form))
    .map((form) => at(Array.isArray(body) ? resolve(document, at(form, 'items')) : form, 'properties'));
  if (known.every((one) => one === undefined)) return [];
  const names = new Set(known.flatMap((one) => Object.keys(isObject(one) ? one : {})));
  return rows.flatMap((row) => (isObject(row) ? Object.keys(row).filter((name) => !names.has(name)) : []));
}

/** The same client; calls in the document are validated, others are not. */
export function checkKnownCalls(client: Client, checker: DocumentChecker): Client {
  return checkAllCalls(client, {
    ...checker,
    checkCall: (method, path, ...rest) =>
      checker.hasOperation(method, path) && checker.checkCall(method, path, ...rest),
  });
}

/** The same client; every call is validated. */
export function checkAllCalls(client: Client, checker: DocumentChecker): Client {
  return {
    ...client,
    async post<T>(path: string, body?: unknown, init?: RequestInit) {
      const answer = await client.post<T>(path, body, init);
      checker.checkCall('POST', path, body, answer);
      return answer;
    },
    async request<T>(method: string, path: string, init?: RequestInit) {
      const answer = await client.request<T>(method, path, init);
      checker.checkCall(method, path, init?.body, answer);
      return answer;
    },
  };
}

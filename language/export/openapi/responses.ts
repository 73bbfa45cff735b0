/** Converts error codes to OpenAPI responses, one per status. */
import type { ApiError } from '../../../contract/api.js';
import type { JsonObject } from '../../../contract/json.js';
import type { CodeEntry } from '../../../contract/problem.js';

type Codes = Readonly<Record<string, CodeEntry>>;

/** For every request, and for requests with a body or files. */
const ALWAYS = ['REQ_URL_TOO_LONG', 'REQ_NAME_REFUSED', 'INT_UNEXPECTED'];
const WITH_BODY = [
  'REQ_MALFORMED',
  'REQ_ABORTED',
  'REQ_TOO_LARGE',
  'REQ_TOO_COMPLEX',
  'REQ_MEDIA_TYPE',
  'REQ_ENCODING',
  'REQ_FORM',
  'REQ_PART',
  'REQ_SILENT',
  'VAL_NOT_OBJECT',
];

/** What the HTTP layer reads for an operation. */
export type BodyKind = 'nothing' | 'body' | 'files';

const BY_INTAKE: Readonly<Record<BodyKind, readonly string[]>> = {
  nothing: ALWAYS,
  body: [...ALWAYS, ...WITH_BODY, 'REQ_NO_FILES'],
  files: [...ALWAYS, ...WITH_BODY, 'REQ_NO_ROOM'],
};

const RETRY = { headers: { 'retry-after': 'Seconds to wait.' } };

export const listTransportErrors = (takes: BodyKind): ApiError[] =>
  BY_INTAKE[takes].map((code) => ({ code, ...(code === 'REQ_NO_ROOM' && RETRY) }));

export const REQUEST_ID: JsonObject = {
  description: 'Id of the request; the log knows more under it.',
  schema: { type: 'string', format: 'uuid' },
};

export const HEADERS: JsonObject = { 'x-request-id': { $ref: '#/components/headers/RequestId' } };

/** A problem document (RFC 9457). */
export const PROBLEM: JsonObject = {
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

/** Creates the responses of operations; equal ones are created once. */
export interface Responses {
  /** By ascending status. Codes missing from the catalogue are omitted. */
  toResponses(refusals: readonly ApiError[]): Record<string, JsonObject>;
  /** Shared responses that were used, for `components`. */
  listUsed(): Record<string, JsonObject>;
}

/** `type`: the media type of problem documents. */
export function createResponses(codes: Codes, type: string): Responses {
  const made = new Map<string, JsonObject>();
  const asked = new Set<JsonObject>();
  const toResponses = (refusals: readonly ApiError[]): Record<string, JsonObject> => {
    const byStatus = [...groupByStatus(refusals, codes)].sort(([a], [b]) => a - b);
    return Object.fromEntries(
      byStatus.map(([status, found]) => {
        const key = [status, ...[...found.keys()].sort()].join('|');
        const known = made.get(key) ?? createResponse([...found.values()], codes, type);
        made.set(key, known);
        asked.add(known);
        return [String(status), known];
      }),
    );
  };
  const door: { readonly name: string; readonly response: JsonObject; readonly ref: JsonObject }[] = [];
  for (const [takes, suffix] of [
    ['body', ''],
    ['nothing', '-without-body'],
    ['files', '-with-files'],
  ] as const) {
    const refusals = listTransportErrors(takes);
    for (const [status, one] of Object.entries(toResponses(refusals))) {
      const found = groupByStatus(refusals, codes).get(Number(status));
      const name = `Door-${status}${suffix}`;
      if (Object.hasOwn(one, '$ref')) continue;
      const ref = { $ref: `#/components/responses/${name}` };
      door.push({ name, response: one, ref });
      made.set([status, ...[...(found?.keys() ?? [])].sort()].join('|'), ref);
    }
  }
  const listUsed = (): Record<string, JsonObject> =>
    Object.fromEntries(door.flatMap((one) => (asked.has(one.ref) ? [[one.name, one.response]] : [])));
  return { toResponses, listUsed };
}

function groupByStatus(refusals: readonly ApiError[], codes: Codes): Map<number, Map<string, ApiError>> {
  const byStatus = new Map<number, Map<string, ApiError>>();
  for (const refusal of refusals) {
    const status = refusal.status ?? codes[refusal.code]?.status;
    if (status === undefined) continue;
    const known = byStatus.get(status) ?? new Map<string, ApiError>();
    const { code, message = '', headers = {} } = refusal;
    known.set([code, message, ...Object.keys(headers)].join(' '), refusal);
    byStatus.set(status, known);
  }
  return byStatus;
}

function createResponse(refusals: readonly ApiError[], codes: Codes, type: string): JsonObject {
  const names = [...new Set(refusals.map(({ code }) => code))].sort();
  const lines = refusals.map(({ code, message }) => {
    // The parameters of a message are known only at request time.
    const text = message ?? (codes[code]?.message ?? '').replace(/\{[a-zA-Z]+\}/g, '…');
    return `- \`${code}\`: ${text}`;
  });
  const headers = Object.assign({}, ...refusals.map((one) => one.headers ?? {})) as Record<string, string>;
  return {
    description: [...new Set(lines)].sort().join('\n'),
    headers: { ...HEADERS, ...toHeaderDocs(headers) },
    content: {
      [type]: {
        schema: {
          allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: names } } }],
        },
      },
    },
  };
}

export const toHeaderDocs = (headers: Readonly<Record<string, string>>): Record<string, JsonObject> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );

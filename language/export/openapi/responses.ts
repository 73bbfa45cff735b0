/** Converts error codes to OpenAPI responses, one per status. */
import type { ApiError } from '../../../contract/api.js';
import type { JsonObject } from '../../../contract/json.js';
import type { CodeEntry } from '../../../contract/problem.js';
import type { NamedSchemas } from './names.js';

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

/** Creates the responses of operations; equal ones are created once. */
export interface Responses {
  /** By ascending status. Codes missing from the catalogue are omitted. */
  toResponses(rejections: readonly ApiError[]): Record<string, JsonObject>;
  /** For `components`: those that several operations have, which refer to them from then on. */
  shareRepeated(operations: readonly Record<string, JsonObject>[]): Record<string, JsonObject>;
}

/** `type`: the media type of problem documents. */
export function createResponses(codes: Codes, type: string, schemas: NamedSchemas): Responses {
  const made = new Map<string, JsonObject>();
  const names = new Map<JsonObject, string>();
  return {
    toResponses: (rejections) => {
      const byStatus = [...groupByStatus(rejections, codes)].sort(([a], [b]) => a - b);
      return Object.fromEntries(
        byStatus.map(([status, found]) => {
          const key = [status, ...[...found.keys()].sort()].join('|');
          const response = made.get(key) ?? createResponse([...found.values()], codes, type, schemas);
          made.set(key, response);
          names.set(response, formatName(status, [...found.values()]));
          return [String(status), response];
        }),
      );
    },
    shareRepeated: (operations) => {
      const uses = new Map<JsonObject, number>();
      const all = operations.flatMap((responses) => Object.values(responses));
      for (const response of all) uses.set(response, (uses.get(response) ?? 0) + 1);
      const shared: Record<string, JsonObject> = {};
      const refs = new Map<JsonObject, JsonObject>();
      for (const [response, count] of uses) {
        const name = names.get(response);
        if (name === undefined || count < 2) continue;
        let free = name;
        for (let n = 2; Object.hasOwn(shared, free); n++) free = `${name}.${n}`;
        shared[free] = response;
        refs.set(response, { $ref: `#/components/responses/${free}` });
      }
      for (const responses of operations)
        for (const [status, response] of Object.entries(responses)) responses[status] = refs.get(response) ?? response;
      return shared;
    },
  };
}

/** `409.QRY_UNIQUE`, `413.REQ_PART.3`: the status, the first code, and how many there are. */
function formatName(status: number, rejections: readonly ApiError[]): string {
  const all = [...new Set(rejections.map(({ code }) => code))].sort();
  return [status, all[0] ?? '', ...(all.length > 1 ? [all.length] : [])].join('.');
}

function groupByStatus(rejections: readonly ApiError[], codes: Codes): Map<number, Map<string, ApiError>> {
  const byStatus = new Map<number, Map<string, ApiError>>();
  for (const rejection of rejections) {
    const status = rejection.status ?? codes[rejection.code]?.status;
    if (status === undefined) continue;
    const known = byStatus.get(status) ?? new Map<string, ApiError>();
    const { code, message = '', headers = {} } = rejection;
    known.set([code, message, ...Object.keys(headers)].join(' '), rejection);
    byStatus.set(status, known);
  }
  return byStatus;
}

function createResponse(
  rejections: readonly ApiError[],
  codes: Codes,
  type: string,
  schemas: NamedSchemas,
): JsonObject {
  const names = [...new Set(rejections.map(({ code }) => code))].sort();
  const lines = rejections.map(({ code, message }) => {
    // The parameters of a message are known only at request time.
    const text = message ?? (codes[code]?.message ?? '').replace(/\{[a-zA-Z]+\}/g, '…');
    return `- \`${code}\`: ${text}`;
  });
  const problems = names.map((code) => schemas.addProblem(code));
  const [only, ...others] = problems;
  const headers = Object.assign({}, ...rejections.map((one) => one.headers ?? {})) as Record<string, string>;
  return {
    description: [...new Set(lines)].sort().join('\n'),
    headers: { ...HEADERS, ...toHeaderDocs(headers) },
    content: {
      [type]: { schema: only !== undefined && others.length === 0 ? only : { oneOf: problems, discriminator } },
    },
  };
}

/** The value of `code` is the name of the schema. */
const discriminator: JsonObject = { propertyName: 'code' };

export const toHeaderDocs = (headers: Readonly<Record<string, string>>): Record<string, JsonObject> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );

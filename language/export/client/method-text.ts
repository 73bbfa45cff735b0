/** The signatures of calls. */
import { asText, type JsonObject } from '../../../contract/json.js';
import type { ClientOperation } from './operations.js';
import { writeComment, writeKey, writeType } from './type-text.js';

export const toMethodName = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** Nothing is sent. */
const EMPTY = 'Readonly<Record<string, never>>';

interface Parameter {
  readonly type: string;
  readonly isRequired: boolean;
}

/** What is sent: the parameters of the path and the fields of the body are one object. */
function writePayload({ payload, parameters, isPayloadRequired, hasFreeBody }: ClientOperation): Parameter {
  const inPath = parameters.filter((one) => one['in'] === 'path');
  const written = payload === null ? EMPTY : writeType(payload, { input: true, indent: '  ' });
  if (inPath.length === 0) return { type: written, isRequired: isPayloadRequired };
  const fields = inPath.map((one) => `readonly ${writeKey(asText(one['name']))}: string | number`);
  const own = `{ ${[...fields, ...(hasFreeBody ? [`readonly body: ${written}`] : [])].join('; ')} }`;
  return { type: written === EMPTY || hasFreeBody ? own : `${own} & ${written}`, isRequired: true };
}

export function writeMethod(operation: ClientOperation): string {
  const { parameters, path, method } = operation;
  const headers = parameters.filter((one) => one['in'] === 'header');
  const areAsked = headers.some(isAsked);
  const type =
    headers.length === 0
      ? 'CallOptions'
      : `CallOptions & { readonly headers${areAsked ? '' : '?'}: { ${headers.map(writeHeader).join('; ')} } }`;
  const payload = writePayload(operation);
  // What is required cannot follow what is not.
  const mark = payload.isRequired || areAsked ? '' : '?';
  const written = `payload${mark}: ${payload.type}, options${areAsked ? '' : '?'}: ${type}`;
  return writeSignature(operation, written, `${method} ${path}`);
}

/** Over a connection. `listeners`: a type for those of the rooms that the call joins. */
export function writeCall(operation: ClientOperation, listeners: string | null): string {
  const { type, isRequired } = writePayload(operation);
  const mark = isRequired || listeners !== null ? '' : '?';
  const own = listeners === null ? '' : `, listeners: ${listeners}`;
  return writeSignature(operation, `payload${mark}: ${type}${own}, options?: CallOptions`, '');
}

function writeSignature({ name, doc, data }: ClientOperation, parameters: string, note: string): string {
  const result = `Promise<Result<${writeType(data, { input: false, indent: '  ' })}, ${name}Code>>`;
  return `${writeComment(note === '' ? doc : `${doc}\n${note}`, '  ')}  ${toMethodName(name)}(${parameters}): ${result};\n`;
}

const isAsked = (header: JsonObject): boolean => header['required'] === true;

const writeHeader = (header: JsonObject): string =>
  `readonly ${writeKey(asText(header['name']))}${isAsked(header) ? '' : '?'}: string | number | boolean${isAsked(header) ? '' : ' | undefined'}`;

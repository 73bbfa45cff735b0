/** The signatures of calls, and what stays connected: events, calls and rooms. */
import { asText, type Json, type JsonObject } from '../../../contract/json.js';
import { toList, toObject, type ClientOperation } from './operations.js';
import { writeComment, writeKey, writeText, writeType } from './type-text.js';

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
  const areRequired = headers.some(isRequiredHeader);
  const type =
    headers.length === 0
      ? 'CallOptions'
      : `CallOptions & { readonly headers${areRequired ? '' : '?'}: { ${headers.map(writeHeader).join('; ')} } }`;
  const payload = writePayload(operation);
  // What is required cannot follow what is not.
  const mark = payload.isRequired || areRequired ? '' : '?';
  const written = `payload${mark}: ${payload.type}, options${areRequired ? '' : '?'}: ${type}`;
  return writeSignature(operation, written, `${method} ${path}`);
}

/** Over a connection. `listeners`: a type for those of the rooms that the call joins. */
function writeCall(operation: ClientOperation, listeners: string | null): string {
  const { type, isRequired } = writePayload(operation);
  const mark = isRequired || listeners !== null ? '' : '?';
  const own = listeners === null ? '' : `, listeners: ${listeners}`;
  return writeSignature(operation, `payload${mark}: ${type}${own}, options?: CallOptions`, '');
}

function writeSignature({ name, doc, data }: ClientOperation, parameters: string, note: string): string {
  const result = `Promise<Result<${writeType(data, { input: false, indent: '  ' })}, ${name}Code>>`;
  return `${writeComment(note === '' ? doc : `${doc}\n${note}`, '  ')}  ${toMethodName(name)}(${parameters}): ${result};\n`;
}

const isRequiredHeader = (header: JsonObject): boolean => header['required'] === true;

const writeHeader = (header: JsonObject): string =>
  `readonly ${writeKey(asText(header['name']))}${isRequiredHeader(header) ? '' : '?'}: string | number | boolean${isRequiredHeader(header) ? '' : ' | undefined'}`;

export function writeSocketTypes(operations: readonly ClientOperation[], websocket: JsonObject): string {
  const events = toList(websocket['events']).map((event) => {
    const doc = `To ${toNames(event['to']).join(', ')}, from ${toNames(event['resources']).join(', ')}.`;
    const type = writeType(toObject(event['data']), { input: false, indent: '  ' });
    return `${writeComment(doc, '  ')}  readonly ${writeKey(asText(event['action']))}: ${type};\n`;
  });
  const joins = listJoins(operations, websocket).map(([operation, names]) =>
    writeCall(operation, `Listeners<${names.length === 0 ? 'never' : names.map(writeText).join(' | ')}>`),
  );
  return [
    `/** The messages that the server sends, with what they contain. */\nexport interface Events {\n${events.join('')}}\n`,
    `/** Calls over a connection. */\nexport interface Calls {\n${listCalls(operations, websocket)
      .map((operation) => writeCall(operation, null))
      .join('')}}\n`,
    `/** Calls that join rooms, with listeners for what is sent to these. */\nexport interface Joins {\n${joins.join('')}}\n`,
  ].join('\n');
}

export function writeSocketValues(operations: readonly ClientOperation[], websocket: JsonObject): string {
  const calls = listCalls(operations, websocket).map(({ name }) => {
    const key = toMethodName(name);
    return `    ${key}: (payload?: unknown, more?: CallOptions) => call(OPERATIONS.${key}, payload, more),\n`;
  });
  const joins = listJoins(operations, websocket).map(([{ name }]) => {
    const key = toMethodName(name);
    return `    ${key}: (payload: unknown, own: object, more?: CallOptions) => join(OPERATIONS.${key}, payload, own, more),\n`;
  });
  return [
    `const SOCKET_PATH = ${writeText(asText(websocket['path']))};\n`,
    `function createCalls(call: Call): Calls {\n  return {\n${calls.join('')}  };\n}\n`,
    `function createJoins(${joins.length === 0 ? '_' : 'join'}: Join): Joins {\n  return {\n${joins.join('')}  };\n}\n`,
  ].join('\n');
}

function listCalls(operations: readonly ClientOperation[], { calls }: JsonObject): readonly ClientOperation[] {
  const ids = new Set(toNames(calls));
  return operations.filter(({ id }) => ids.has(id));
}

/** With the events that are sent to the rooms. */
const listJoins = (
  operations: readonly ClientOperation[],
  { joins }: JsonObject,
): (readonly [ClientOperation, readonly string[]])[] =>
  toList(joins).flatMap(({ resource, events }) =>
    operations.filter(({ id }) => id === resource).map((operation) => [operation, toNames(events)] as const),
  );

const toNames = (json: Json | undefined): readonly string[] =>
  Array.isArray(json) ? (json as readonly Json[]).map(asText) : [];

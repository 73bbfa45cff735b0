/** The part of a client that stays connected: events, calls and rooms. */
import { asText, type Json, type JsonObject } from '../../../contract/json.js';
import { toMethodName, writeCall } from './method-text.js';
import { toList, toObject, type ClientOperation } from './operations.js';
import { writeComment, writeKey, writeText, writeType } from './type-text.js';

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

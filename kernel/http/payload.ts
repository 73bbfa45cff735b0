/** What a request brings as payload: the JSON body, or the query string for verbs that have no body. */
import type { IncomingMessage } from 'node:http';
import { fault } from '../contract/fault.js';
import { POISON_KEYS } from '../contract/json.js';
import type { Payload } from '../contract/plan.js';
import { isJsonType, parseJson, readBytes, type BodyLimits } from './body.js';

const EMPTY: Payload = Object.freeze({});
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE']);

/** The payload stands in the query string, where every value is text. */
export const isInQuery = (req: IncomingMessage): boolean => WITHOUT_BODY.has(req.method ?? '');

/** `query` is the text behind the question mark; what stands in the path wins over what is sent beside it. */
export async function readPayload(
  req: IncomingMessage,
  query: string,
  parameters: Readonly<Record<string, string>> | null,
  limits: BodyLimits,
): Promise<Payload> {
  const sent = isInQuery(req) ? queryPayload(query) : await bodyPayload(req, limits);
  return parameters === null ? sent : withParameters(sent, parameters);
}

function withParameters(sent: Payload, parameters: Readonly<Record<string, string>>): Payload {
  // A list has no place for names.
  if (Array.isArray(sent)) throw fault('VAL_NOT_OBJECT');
  return { ...sent, ...parameters };
}

async function bodyPayload(req: IncomingMessage, limits: BodyLimits): Promise<Payload> {
  const { headers } = req;
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  if (!hasBody) return EMPTY;
  if (!isJsonType(headers['content-type'])) throw fault('REQ_MEDIA_TYPE', {}, { headers: { connection: 'close' } });
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw fault('REQ_ENCODING', {}, { headers: { connection: 'close' } });
  const bytes = await readBytes(req, limits.body);
  if (bytes.length === 0) return EMPTY;
  const value = parseJson(bytes, limits);
  if (typeof value !== 'object' || value === null) throw fault('VAL_NOT_OBJECT');
  return value as Payload;
}

/** A name that is repeated becomes a list. */
function queryPayload(query: string): Payload {
  if (query === '') return EMPTY;
  const payload = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of new URLSearchParams(query)) {
    if (POISON_KEYS.has(name)) throw fault('REQ_NAME_REFUSED');
    const before = payload[name];
    payload[name] = before === undefined ? value : [...(typeof before === 'string' ? [before] : before), value];
  }
  return payload;
}

/** Reads the payload of a request: a JSON body, or the query string for methods without a body. */
import type { IncomingMessage } from 'node:http';
import { addText, type BodyFormat, type TextPayload } from '../../contract/body-format.js';
import { CLOSE, createFault } from '../../contract/fault.js';
import { POISON_KEYS } from '../../contract/json.js';
import type { Payload } from '../../contract/plan.js';
import { LONG_BODY, parseLongBody } from '../../language/project/long-json.js';
import type { Project } from '../../language/project/project.js';
import { isJsonType } from '../../language/strings/header.js';
import { parseJson, readBytes, type BodyLimits } from './body.js';

const EMPTY: Payload = Object.freeze({});
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE']);

/** Every value of a query string is text. */
export const isInQuery = (req: IncomingMessage): boolean => WITHOUT_BODY.has(req.method ?? '');

/** By media type. A plugin is loaded with the first body that it reads. */
export function createFormats({
  registry,
  runtimes,
}: Pick<Project, 'registry' | 'runtimes'>): ReadonlyMap<string, BodyFormat> {
  const formats = new Map<string, BodyFormat>();
  for (const [id, { facts }] of registry.plugins) {
    const [type, load] = [facts?.media_type, runtimes.get(id)];
    if (typeof type !== 'string' || load === undefined) continue;
    const read: BodyFormat['read'] = async (request, input) => {
      const runtime = await load();
      if (runtime.readBody === undefined) throw createFault('REQ_MEDIA_TYPE', {}, CLOSE);
      return runtime.readBody(request, input);
    };
    formats.set(type, { read });
  }
  return formats;
}

/** `formats` by media type. Null for JSON and for unknown types. */
export function findFormat({ headers }: IncomingMessage, formats: ReadonlyMap<string, BodyFormat>): BodyFormat | null {
  const type = headers['content-type'];
  if (type === undefined || type === 'application/json') return null;
  return formats.get(/^([^ ;]+) *(?:;|$)/.exec(type)?.[1]?.toLowerCase() ?? '') ?? null;
}

/** Compressed bodies can expand beyond every limit, and signatures cover the bytes as sent. */
export function rejectEncoding({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw createFault('REQ_ENCODING', {}, CLOSE);
}

/** `read`: the body, if a guard has read it already. */
export async function readJsonPayload(
  req: IncomingMessage,
  read: Promise<Buffer> | null,
  limits: BodyLimits,
): Promise<Payload> {
  const { headers } = req;
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  if (!hasBody) return EMPTY;
  if (!isJsonType(headers['content-type'])) throw createFault('REQ_MEDIA_TYPE', {}, CLOSE);
  rejectEncoding(req);
  const bytes = await (read ?? readBytes(req, limits.body));
  if (bytes.length === 0) return EMPTY;
  const value = bytes.length > LONG_BODY ? await parseLongBody(bytes, limits) : parseJson(bytes, limits);
  if (typeof value !== 'object' || value === null) throw createFault('VAL_NOT_OBJECT');
  return value as Payload;
}

/** False where decoding replaced invalid bytes. */
function isUtf8(query: string): boolean {
  try {
    return decodeURIComponent(query) !== '';
  } catch {
    return false;
  }
}

export function parseQueryPayload(query: string): Payload {
  if (query === '') return EMPTY;
  const payload = Object.create(null) as TextPayload;
  for (const [name, value] of new URLSearchParams(query)) {
    if (POISON_KEYS.has(name)) throw createFault('REQ_NAME_REFUSED');
    if (`${name}${value}`.includes('\u{fffd}') && !isUtf8(query)) throw createFault('REQ_MALFORMED');
    addText(payload, name, value);
  }
  return payload;
}

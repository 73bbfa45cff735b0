/** A request of a step as bytes, with credentials for its resource. */
import { asText, isObject, type Json, type JsonObject } from '../../contract/json.js';
import { encodeForm, type ContentReader } from './contents.js';
import { asObject } from './definition.js';
import { fillAll, fillSaved, type Saved } from './saved.js';
import type { OutgoingRequest } from './send.js';
import type { TestServer } from './server.js';

export async function createRequest(
  server: TestServer,
  request: JsonObject,
  given: JsonObject,
  { saved, contents }: { readonly saved: Saved; readonly contents: ContentReader },
): Promise<OutgoingRequest> {
  const id = asText(request['resource']);
  const path = request['path'] === undefined ? server.findPath(id) : String(fillSaved(asText(request['path']), saved));
  if (path === null) throw new Error(`the resource "${id}" is not served`);
  const url = new URL(path.startsWith('/') ? path : `/${path}`, server.url);
  const method = asText(request['method']) || 'POST';
  const { bytes, type } = await encodeBody(request, saved, contents);
  const headers = fillAll(asObject(request['headers']), saved) as Readonly<Record<string, string>>;
  const credentials = await server.createCredentials({
    id: id === '' ? server.findResource(url.pathname) : id,
    claims: readClaims(request['as'], given, saved),
    signed: typeof request['signed'] === 'boolean' ? request['signed'] : null,
    method,
    path: `${url.pathname}${url.search}`,
    body: bytes ?? EMPTY,
  });
  return {
    method,
    url,
    body: bytes,
    headers: { ...(type !== null && { 'content-type': type }), ...credentials, ...headers },
  };
}

async function encodeBody(
  { body, files }: JsonObject,
  saved: Saved,
  contents: ContentReader,
): Promise<{ readonly bytes: Uint8Array | null; readonly type: string | null }> {
  const filled = body === undefined ? undefined : fillAll(body, saved);
  if (files !== undefined) return encodeForm(files, filled, contents);
  if (filled === undefined) return { bytes: null, type: null };
  return { bytes: Buffer.from(JSON.stringify(filled)), type: 'application/json' };
}

/** The handshake of a step `connect`. */
export async function createHandshake(
  server: TestServer,
  connect: JsonObject,
  given: JsonObject,
  saved: Saved,
): Promise<{ readonly url: URL; readonly headers: Readonly<Record<string, string>> }> {
  const upgrade = server.kernel.upgrades.find(({ setting }) => setting === 'websocket.path');
  if (upgrade === undefined) throw new Error('the config does not enable WebSocket (`"websocket": {"enabled": true}`)');
  const uid = asText(connect['uid']);
  const query = uid === '' ? '' : `?uid=${encodeURIComponent(String(fillSaved(uid, saved)))}`;
  const claims = readClaims(connect['as'], given, saved);
  const path = `${upgrade.path}${query}`;
  const url = new URL(path, server.url.replace(/^http/, 'ws'));
  const ids = [asText(connect['resource']), ...server.kernel.analysis().resources.map(({ id }) => id)].filter(Boolean);
  for (const id of claims === null ? [] : ids) {
    const headers = await server.createCredentials({ id, claims, signed: null, method: 'GET', path, body: EMPTY });
    if (Object.keys(headers).length > 0) return { url, headers };
  }
  return { url, headers: {} };
}

const EMPTY = new Uint8Array();

function readClaims(as: Json | undefined, given: JsonObject, saved: Saved): JsonObject | null {
  const claims = as === undefined || as === true ? given['claims'] : as;
  return isObject(claims) ? (fillAll(claims, saved) as JsonObject) : null;
}

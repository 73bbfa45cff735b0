/**
 * Plain requests without fetch, which takes longer than the request itself: text or bytes with a few headers, on reused
 * connections. Sends what fetch sends and fails in the same way; the rest is passed to fetch.
 */
import { Agent, request, type IncomingMessage } from 'node:http';

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true });
const decoder = new TextDecoder();

/** A larger body may be rejected before it is sent, which fetch supports. */
const LARGE = 65_536;
const KNOWN = new Set(['method', 'headers', 'body']);
/** Headers that fetch sets itself, or rejects. */
const OWN = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'upgrade', 'keep-alive']);
const USUAL = { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' };

/** Null where only fetch can send it. */
export function send(url: string, init: RequestInit): Promise<ReceivedResponse> | null {
  const { method = 'GET', body, headers = {} } = init;
  if (Object.keys(init).some((name) => !KNOWN.has(name))) return null;
  if (Object.getPrototypeOf(headers) !== Object.prototype) return null;
  if (body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)) return null;
  if (body !== undefined && body.length > LARGE / 4) return null;
  const given = Object.entries(headers as Readonly<Record<string, string>>).map(
    ([name, value]) => [name.toLowerCase(), String(value).trim()] as const,
  );
  if (given.some(([name]) => OWN.has(name))) return null;
  const content = body === undefined ? null : Buffer.from(body as string);
  const all: Record<string, string | number> = { ...USUAL };
  if (typeof body === 'string') all['content-type'] = 'text/plain;charset=UTF-8';
  Object.assign(all, Object.fromEntries(given));
  if (content !== null || method === 'POST' || method === 'PUT') all['content-length'] = content?.length ?? 0;
  return sendRequest(new URL(url), method, all, content);
}

function sendRequest(
  { hostname, port, pathname, search }: URL,
  method: string,
  headers: Readonly<Record<string, string | number>>,
  content: Buffer | null,
): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => reject(new TypeError('fetch failed', { cause }));
    const sending = request({ agent, host: hostname, port, path: pathname + search, method, headers }, (message) => {
      const parts: Buffer[] = [];
      message.on('data', (part: Buffer) => parts.push(part));
      message.on('error', fail);
      message.on('end', () => {
        const status = message.statusCode ?? 0;
        if (status >= 300 && status < 400 && message.headers.location !== undefined)
          fail(new Error(`a redirect to ${message.headers.location}`));
        resolve({ status, headers: toHeaders(message), text: decoder.decode(Buffer.concat(parts)) });
      });
    });
    sending.on('error', fail);
    sending.end(content);
  });
}

function toHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return headers;
}

/**
 * A small HTTP client of a kernel under test: JSON posts, forms and everything that fetch can send, and bytes on a
 * plain socket for everything that fetch would correct or reject. It has no assertions.
 */
import { connect } from 'node:net';
import { send, type ReceivedResponse } from './send.js';

export type Loose = Readonly<Record<string, unknown>>;

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: T;
}

export interface Client {
  /** Sends `body` as JSON; text and bytes are sent unchanged. Without a body nothing is sent. */
  post<T = Loose>(path: string, body?: unknown, init?: RequestInit): Promise<Answer<T>>;
  request<T = Loose>(method: string, path: string, init?: RequestInit): Promise<Answer<T>>;
  /** Writes bytes to a new connection and gives everything that comes back until the server closes it. */
  raw(bytes: string | Buffer | readonly (string | Buffer)[]): Promise<string>;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const SILENCE_MS = 8000;

const isSendable = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array;

async function viaFetch(url: string, init: RequestInit): Promise<ReceivedResponse> {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export function createClient(url: string): Client {
  async function request<T>(method: string, path: string, init: RequestInit = {}): Promise<Answer<T>> {
    const { status, headers, text } = await (send(url + path, { method, ...init }) ??
      viaFetch(url + path, { method, ...init }));
    const isJson = (headers.get('content-type') ?? '').includes('json') && text !== '';
    return { status, headers, text, body: (isJson ? JSON.parse(text) : text) as T };
  }

  return {
    request,
    post<T>(path: string, body?: unknown, init: RequestInit = {}) {
      if (body === undefined) return request<T>('POST', path, init);
      const headers = { ...JSON_TYPE, ...(init.headers as Record<string, string> | undefined) };
      return request<T>('POST', path, { ...init, headers, body: isSendable(body) ? body : JSON.stringify(body) });
    },
    raw: (bytes) => exchangeRaw(Number(new URL(url).port), Array.isArray(bytes) ? bytes : [bytes as string]),
  };
}

/** Every chunk is a write of its own, each after the one before has left. */
function exchangeRaw(port: number, chunks: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => {
      const next = (index: number): void => {
        const chunk = chunks[index];
        if (chunk !== undefined && socket.writable) socket.write(chunk, () => next(index + 1));
      };
      next(0);
    });
    socket.setEncoding('latin1').setTimeout(SILENCE_MS, () => {
      socket.destroy(new Error(`the connection stays open; received ${JSON.stringify(received.slice(0, 200))}`));
    });
    socket.on('data', (chunk: string) => (received += chunk));
    // A server that refuses early resets what is still being sent; what it said counts.
    socket.on('error', (error) => (received === '' ? reject(error) : resolve(received)));
    socket.on('close', () => resolve(received));
  });
}

/** The head of a request for `raw`. */
export function formatRequestHead(
  method: string,
  path: string,
  headers: Readonly<Record<string, string | number>> = {},
): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** Status and body of an answer that `raw` gave. */
export function parseRaw(answer: string): { readonly status: number; readonly head: string; readonly body: string } {
  const end = answer.indexOf('\r\n\r\n');
  const top = end === -1 ? answer : answer.slice(0, end);
  return { status: Number(top.split(' ')[1]), head: top.toLowerCase(), body: end === -1 ? '' : answer.slice(end + 4) };
}

/** Sends bytes; when they have left and `then` is over, the connection is closed, or reset where `hard` says so. */
export function sendAndClose(
  port: number,
  bytes: Buffer,
  hard: boolean,
  then = () => Promise.resolve(),
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(bytes, () => {
        then().then(() => (hard ? socket.resetAndDestroy() : socket.destroy()), reject);
      }),
    );
    socket.on('error', reject);
    socket.on('close', () => resolve());
  });
}

/** Whether a write may have taken effect; then `Retry-After` is absent, because a caller must look first. */
export const isOutcomeUnknown = (body: Readonly<Record<string, unknown>>): boolean =>
  String(body['detail']).includes('took effect is not known');

/**
 * A page of another origin, as a browser runs it: a call that needs a preflight sends one, and a response without the
 * origin is an error of the page. The responses are those of the earlier system: an envelope, and problems as plain
 * JSON.
 */
import { expect } from 'chai';
import type { Loose } from './client.js';
import { connect, type SocketClient } from './sockets.js';

export interface PageResponse {
  readonly status: number;
  readonly data: unknown;
  readonly message: unknown;
}

type Headers = Readonly<Record<string, string>>;

export interface Page {
  /** POST with JSON; the member `data` of a success. */
  post<T = Loose>(path: string, body?: unknown, headers?: Headers): Promise<T>;
  get<T = Loose>(path: string): Promise<T>;
  /** A multipart form. */
  upload<T = Loose>(path: string, form: FormData, headers?: Headers): Promise<T>;
  /** A rejected call: its status, and the message that the client shows. */
  expectRejected(status: number, path: string, body?: unknown, headers?: Headers): Promise<string>;
  /** As `post`, with the status: for accepted work. */
  sendRequest(method: string, path: string, body?: unknown, headers?: Headers): Promise<PageResponse>;
  socket(uid: string, ...protocols: string[]): Promise<SocketClient>;
}

/** One endpoint of an application: its name, and the expectations of its client. */
export type Endpoint = readonly [name: string, expects: (page: Page) => Promise<void>];

const isForm = (body: unknown): body is FormData => body instanceof FormData;

export function createPage(url: string, origin: string, socketPath: string): Page {
  async function sendPreflight(method: string, path: string, names: readonly string[]): Promise<void> {
    const headers = {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': names.join(','),
    };
    const answer = await fetch(`${url}/${path}`, { method: 'OPTIONS', headers });
    const allowed = (answer.headers.get('access-control-allow-headers') ?? '').toLowerCase();
    const isAllowed = answer.ok && (allowed === '*' || names.every((name) => allowed.includes(name)));
    if (!isAllowed)
      throw new Error(`Failed to fetch: the preflight of ${path} is ${answer.status}, allowed "${allowed}"`);
  }

  async function sendRequest(
    method: string,
    path: string,
    body?: unknown,
    headers: Headers = {},
  ): Promise<PageResponse> {
    const isJson = body !== undefined && !isForm(body);
    const own = isJson ? { 'content-type': 'application/json', ...headers } : { ...headers };
    const names = Object.keys(own).map((name) => name.toLowerCase());
    if (names.length > 0) await sendPreflight(method, path, names);
    const sent = isJson ? JSON.stringify(body) : body;
    const answer = await fetch(`${url}/${path}`, {
      method,
      headers: { ...own, origin },
      ...(sent !== undefined && { body: sent }),
    });
    if (answer.headers.get('access-control-allow-origin') !== origin) {
      throw new Error(`Failed to fetch: the answer of ${path} (${answer.status}) does not name ${origin}`);
    }
    expect(answer.headers.get('content-type'), path).to.match(/^application\/json(;|$)/);
    const { success, data, message } = (await answer.json()) as Loose;
    expect(success, `${path}: ${answer.status} ${String(message)}`).to.equal(answer.ok);
    return { status: answer.status, data, message };
  }

  async function expectSuccess<T>(method: string, path: string, body?: unknown, headers?: Headers): Promise<T> {
    const { status, data, message } = await sendRequest(method, path, body, headers);
    expect(status, `${path}: ${String(message)}`).to.equal(200);
    return data as T;
  }

  return {
    sendRequest,
    post: (path, body = {}, headers = {}) => expectSuccess('POST', path, body, headers),
    get: (path) => expectSuccess('GET', path),
    upload: (path, form, headers = {}) => expectSuccess('POST', path, form, headers),
    async expectRejected(status, path, body = {}, headers = {}) {
      const answer = await sendRequest('POST', path, body, headers);
      expect(answer.status, `${path}: ${String(answer.message)}`).to.equal(status);
      expect(answer.message, path).to.be.a('string').and.not.equal('');
      return String(answer.message);
    },
    socket: (uid, ...protocols) => connect(url, { path: socketPath, query: `?uid=${uid}`, protocols, origin }),
  };
}

/**
 * Stands in for all services that definitions call: one server on loopback receives every outbound call, and answers
 * as the case says. An unexpected call fails the case.
 */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { nextTick } from 'node:process';
import { asText, isObject, type JsonObject } from '../../contract/json.js';
import { makeCertificate } from './certificate.js';
import { asObject } from './definition.js';
import type { Match } from './match.js';
import { parseJson } from './send.js';

export interface ServiceCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed where it is JSON. */
  readonly body: unknown;
}

export interface TestServices {
  /** `host:port` that receives every call. */
  readonly address: string;
  readonly authority: string;
  begin(services: readonly JsonObject[], match: Match): void;
  readonly calls: readonly ServiceCall[];
  /** Calls that no service expects. */
  readonly unexpected: readonly string[];
  close(): Promise<void>;
}

const TLS_HANDSHAKE = 0x16;

/** `hosts`: the names for which calls over HTTPS are answered. */
export async function startServices(hosts: readonly string[]): Promise<TestServices> {
  let services: readonly JsonObject[] = [];
  let match: Match = () => [];
  let calls: ServiceCall[] = [];
  let unexpected: string[] = [];
  const sockets = new Set<Socket>();
  const { cert, key } = makeCertificate(hosts.length === 0 ? ['localhost'] : hosts);

  const handle = (scheme: string) => (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = `${scheme}://${request.headers.host ?? ''}${request.url ?? ''}`;
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
      );
      const call = { method: request.method ?? '', url, headers, body: parseJson(Buffer.concat(chunks).toString()) };
      calls.push(call);
      const service = services.find((one) => isMeant(one, call, match));
      if (service === undefined) {
        unexpected.push(`${call.method} ${call.url}`);
        response.writeHead(501).end();
      } else setTimeout(() => answerCall(service, response), Number(service['delay'] ?? 0) * 1000);
    });
  };
  const plain = createHttpServer(handle('http'));
  // Before the client rejects the certificate, which lacks the name.
  const noteHost = (host: string, done: (error: null) => void): void => {
    if (!hosts.includes(host)) unexpected.push(`over HTTPS to ${host}`);
    done(null);
  };
  const secure = createHttpsServer({ cert, key, SNICallback: noteHost }, handle('https'));
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.once('data', (first: Buffer) => {
      socket.pause();
      socket.unshift(first);
      (first[0] === TLS_HANDSHAKE ? secure : plain).emit('connection', socket);
      nextTick(() => socket.resume());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    authority: cert,
    begin(given, matching) {
      [services, match, calls, unexpected] = [given, matching, [], []];
    },
    get calls() {
      return calls;
    },
    get unexpected() {
      return unexpected;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** The query counts only where the service has one. */
function isMeant(service: JsonObject, { method, url, body }: ServiceCall, match: Match): boolean {
  const wanted = asText(service['url']);
  const isSame = URL.canParse(wanted) && toComparable(wanted, wanted) === toComparable(url, wanted);
  const isMethod = service['method'] === undefined || service['method'] === method;
  return isSame && isMethod && (service['body'] === undefined || match(service['body'], body).length === 0);
}

function toComparable(url: string, wanted: string): string {
  const { origin, pathname, search } = new URL(url);
  return wanted.includes('?') ? origin + pathname + search : origin + pathname;
}

function answerCall({ answer, failure }: JsonObject, response: ServerResponse): void {
  if (failure === 'disconnect') {
    response.destroy();
    return;
  }
  const { status = 200, headers, body } = asObject(answer);
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const type = isObject(body) || Array.isArray(body) ? { 'content-type': 'application/json' } : {};
  response.writeHead(Number(status), { ...type, ...(asObject(headers) as Record<string, string>) }).end(text);
}

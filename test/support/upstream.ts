/**
 * Another service, on this machine: responds or fails as each test requires, and records its requests. Over TLS it
 * replaces the hosts of examples.
 */
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { makeCertificate } from '../../cli/test/certificate.js';

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export type Behaviour = (req: IncomingMessage, res: ServerResponse, asked: ReceivedRequest) => void;

export interface Upstream {
  readonly port: number;
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** Connections that were opened so far, and that are open. */
  readonly countOpened: () => number;
  readonly countOpen: () => number;
  close(): Promise<void>;
}

export const createJsonBehaviour =
  (value: unknown, status = 200, headers: http.OutgoingHttpHeaders = {}): Behaviour =>
  (_req, res) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  };

export interface UpstreamOptions {
  readonly host?: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly port?: number;
}

export async function startUpstream(behave: Behaviour, options: UpstreamOptions = {}): Promise<Upstream> {
  const { host = '127.0.0.1', tls, port: wanted = 0 } = options;
  const asked: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  let opened = 0;
  const handleRequest = (req: IncomingMessage, res: ServerResponse): void => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('error', () => undefined);
    req.on('end', () => {
      const { method = '', url = '', headers, rawHeaders } = req;
      const one = { method, url, headers, rawHeaders, body: Buffer.concat(chunks).toString('utf8') };
      asked.push(one);
      behave(req, res, one);
    });
  };
  const server = tls === undefined ? http.createServer(handleRequest) : https.createServer({ ...tls }, handleRequest);
  server.on('connection', (socket: Socket) => {
    opened++;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.listen(wanted, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${tls === undefined ? 'http' : 'https'}://${host}:${port}`,
    requests: asked,
    countOpened: () => opened,
    countOpen: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

export interface StandIn {
  readonly upstream: Upstream;
  /** Fields for the config, and the file that they name. */
  readonly outbound: Readonly<Record<string, unknown>>;
  readonly files: Readonly<Record<string, string>>;
}

/** One service in place of external hosts: definitions call them by their own names, over TLS. */
export async function startStandIn(hosts: readonly string[], behave: Behaviour): Promise<StandIn> {
  const tls = makeCertificate(hosts);
  const upstream = await startUpstream(behave, { tls });
  return {
    upstream,
    outbound: {
      ca: './stand-in.pem',
      connect_to: Object.fromEntries(hosts.map((host) => [`${host}:443`, `127.0.0.1:${upstream.port}`])),
    },
    files: { 'stand-in.pem': tls.cert },
  };
}

/**
 * Runs statements of an editor (POST /) and reports requests to it (GET /requests), on loopback, with a token.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject } from '../contract/json.js';
import type { Kernel } from '../kernel/runtime/kernel.js';
import { createToken, isSameText, LOOPBACK, removeAddress, writeAddress } from './loopback-address.js';
import type { RequestReports } from './request-reports.js';
import { runStatement, type StatementRequest } from './statements/run-statement.js';

const FILE = 'dev';
const MOST_BYTES = 1_048_576;

export interface EditorListener {
  close(): Promise<void>;
}

export async function listenForEditors(kernel: Kernel, reports: RequestReports): Promise<EditorListener> {
  const token = createToken();
  const server = createServer((request, response) => {
    answerRequest(request, response).catch(() => response.destroy());
  });

  async function answerRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
      response.end(JSON.stringify(body));
    };
    if (!isSameText(request.headers.authorization ?? '', `Bearer ${token}`)) return send(403, { message: WRONG_TOKEN });
    if (request.method === 'GET' && request.url === '/requests') return streamReports(response, reports);
    if (request.method !== 'POST') return send(405, { message: 'Send a statement with POST.' });
    const text = await readBody(request);
    const statement = text === null ? null : readRequest(text);
    if (statement === null) return send(400, { message: 'This is no statement.' });
    send(200, await runStatement(kernel, statement));
  }

  await new Promise<void>((done, failed) => server.once('error', failed).listen(0, LOOPBACK, done));
  const address = { port: (server.address() as AddressInfo).port, token };
  const { folder } = kernel.project;
  await writeAddress(folder, FILE, address);
  return {
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await removeAddress(folder, FILE, address);
    },
  };
}

/** Until the client closes the connection, or the server does. */
function streamReports(response: ServerResponse, reports: RequestReports): void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  response.flushHeaders();
  // A client that does not read is sent no more.
  const unsubscribe = reports.subscribe((report) => {
    if (response.writableLength < MOST_BYTES) response.write(`${JSON.stringify(report)}\n`);
  });
  response.once('close', unsubscribe);
}

const WRONG_TOKEN = 'The token is not that of this server: it is in .lintel/dev.json of the project.';

/** Null if it is too long. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readRequest(text: string): StatementRequest | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return null;
    const { sql, parameters = [], connection = null, explain, confirmed } = value;
    if (typeof sql !== 'string' || !Array.isArray(parameters)) return null;
    if (connection !== null && typeof connection !== 'string') return null;
    return { sql, parameters, connection, explain: explain === true, confirmed: confirmed === true };
  } catch {
    return null;
  }
}

/** A bare `node:http` server: no promise where none is needed, and one write for the head and the body of a response. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { empty, readBody } from './body.js';
import { Refusal } from './refusal.js';
import { findRoute, type Route } from './routes.js';
import { closeStore } from './store.js';

function send(res: ServerResponse, status: number, text: string): void {
  if (status === 413) res.setHeader('Connection', 'close');
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  res.end(text);
}

function sendError(res: ServerResponse, error: unknown): void {
  const known = error instanceof Refusal;
  if (!known) console.error(error);
  send(res, known ? error.status : 500, JSON.stringify({ message: known ? error.message : 'internal error' }));
}

function answer(route: Route, body: Buffer, req: IncomingMessage, res: ServerResponse): void {
  try {
    const text = route(body, req.headers);
    if (typeof text === 'string') {
      send(res, 200, text);
      return;
    }
    text.then(
      (late) => {
        send(res, 200, late);
      },
      (error: unknown) => {
        sendError(res, error);
      },
    );
  } catch (error) {
    sendError(res, error);
  }
}

const server = createServer((req, res) => {
  const { method = '', url = '' } = req;
  const end = url.indexOf('?');
  const route = findRoute(method, end < 0 ? url : url.slice(0, end));
  if (route === undefined) {
    sendError(res, new Refusal(404, 'no such resource'));
  } else if (method === 'GET') {
    answer(route, empty, req, res);
  } else {
    readBody(req, (error, body) => {
      if (error === null) answer(route, body, req, res);
      else sendError(res, error);
    });
  }
});
server.listen(Number(process.env.PORT ?? 3000), process.env.HOST ?? '127.0.0.1');

process.once('SIGTERM', () => {
  server.close(() => void closeStore());
  server.closeIdleConnections();
});

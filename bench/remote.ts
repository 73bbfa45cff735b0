/**
 * The service that the row with an outbound call requests: a bare `node:http` server in a separate process, so that its
 * own time is small.
 */
import { createServer } from 'node:http';

const server = createServer((req, res) => {
  req.resume();
  const id = Number(/^\/quotes\/(\d+)$/.exec(req.url ?? '')?.[1] ?? 0);
  const quote = {
    id,
    price: id + 0.5,
    currency: 'EUR',
    valid_until: '2030-01-01T00:00:00.000Z',
    internal: 'x'.repeat(200),
  };
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(quote));
});
// No connection is closed under load.
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), process.env.HOST ?? '127.0.0.1');

process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});

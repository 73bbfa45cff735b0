/**
 * Another service that receives calls with permanent effects: it records every call, its caller and time, and responds
 * after a moment, so that work can be interrupted in the middle. It asserts nothing.
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface Effect {
  readonly id: number;
  /** The process that called. */
  readonly by: string;
  /** `Idempotency-Key`. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface Effects {
  readonly url: string;
  /** In the order of arrival. */
  readonly all: readonly Effect[];
  close(): Promise<void>;
}

/** `slow`: the maximum duration of a call in milliseconds. */
export async function startEffects(slow: number): Promise<Effects> {
  const all: Effect[] = [];
  const server = createServer((req, res) => {
    let text = '';
    req.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    req.on('error', () => undefined);
    req.on('end', () => {
      const { id, by } = JSON.parse(text) as { id: number; by: string };
      all.push({ id, by, key: String(req.headers['idempotency-key']), at: Date.now() });
      setTimeout(() => res.writeHead(200, { 'content-type': 'application/json' }).end('{}'), Math.random() * slow);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    all,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

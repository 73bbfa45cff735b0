/**
 * A TCP proxy that fails on demand: rejects, resets, stalls, drops responses, or cuts a connection after a number of
 * bytes. It is between the tested code and a real server; it counts bytes, never time.
 */
import { createConnection, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { pickFreePort } from './guarded-server.js';

export interface FaultProxy {
  readonly port: number;
  /** Everything passes, from now on. */
  passTraffic(): Promise<void>;
  /** Cuts open connections, and stops listening. */
  rejectConnections(): Promise<void>;
  /** Cuts open connections; new ones are accepted and reset. */
  reset(): void;
  /** New connections are accepted, and no byte passes, in either direction; nor on open ones. */
  stall(): void;
  /** Everything arrives, and no response returns. */
  muteResponses(): void;
  /** Every chunk arrives so many milliseconds later, in both directions. */
  delayTraffic(milliseconds: number): void;
  /**
   * Cuts all connections once clients have sent so many bytes from now on; later ones pass (`passes`), or are rejected.
   */
  cutAfter(bytes: number, after: 'pass' | 'refuse'): void;
  /** Bytes that clients have sent. */
  sent(): number;
  close(): Promise<void>;
}

export async function startFaultProxy(target: { readonly host: string; readonly port: number }): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  let way: 'pass' | 'reset' | 'stall' | 'mute' = 'pass';
  let latency = 0;
  let [total, limit, after] = [0, Infinity, 'pass' as 'pass' | 'refuse'];
  const server = createServer((client) => {
    if (way === 'reset') {
      client.on('error', () => {});
      client.resetAndDestroy();
      return;
    }
    sockets.add(client);
    const upstream = createConnection(target);
    sockets.add(upstream);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      let [delayed, delay] = [0, 0];
      const writeLater = (chunk: Buffer): void => {
        delayed++;
        setTimeout(() => {
          delayed--;
          to.write(chunk);
        }, delay);
      };
      from.on('error', () => {});
      from.once('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('data', (chunk) => {
        if (way === 'stall' || (way === 'mute' && from === upstream)) return;
        if (from === client) total += chunk.length;
        if (total >= limit) cutConnections();
        // Data that arrives after the latency ends does not overtake.
        else if (latency > 0 || delayed > 0) {
          if (latency > 0) delay = latency;
          writeLater(chunk);
        } else if (!to.write(chunk)) {
          from.pause();
          to.once('drain', () => from.resume());
        }
      });
    }
  });

  function destroyAll(): void {
    for (const socket of sockets) socket.destroy();
  }
  function cutConnections(): void {
    limit = Infinity;
    if (after === 'refuse') void rejectConnections();
    else destroyAll();
  }
  async function rejectConnections(): Promise<void> {
    const closed = server.listening ? once(server, 'close') : undefined;
    server.close();
    destroyAll();
    await closed;
  }
  const port = await pickFreePort();
  async function listen(): Promise<void> {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  }
  await listen();

  return {
    port,
    async passTraffic() {
      way = 'pass';
      latency = 0;
      limit = Infinity;
      if (!server.listening) await listen();
    },
    rejectConnections,
    reset() {
      way = 'reset';
      for (const socket of sockets) socket.resetAndDestroy();
    },
    stall() {
      way = 'stall';
    },
    muteResponses() {
      way = 'mute';
    },
    delayTraffic(milliseconds) {
      latency = milliseconds;
    },
    cutAfter(bytes, then) {
      limit = total + bytes;
      after = then;
    },
    sent: () => total,
    close: rejectConnections,
  };
}

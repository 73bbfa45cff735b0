/** A way to a server that tests can close, or make hang: nothing that is sent comes back, and no connection ends. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

export interface FlakyProxy {
  readonly port: number;
  /** `open`: bytes pass. `silent`: connections stand and say nothing. `closed`: they are reset. */
  turn(way: 'open' | 'silent' | 'closed'): void;
  close(): Promise<void>;
}

export async function flakyProxy(host: string, target: number): Promise<FlakyProxy> {
  let way: 'open' | 'silent' | 'closed' = 'open';
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    keep(client);
    if (way === 'closed') {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(target, host);
    keep(upstream);
    client.on('data', (chunk) => way === 'open' && upstream.write(chunk));
    upstream.on('data', (chunk) => way === 'open' && client.write(chunk));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    turn(next) {
      way = next;
      if (next === 'closed') for (const socket of sockets) socket.resetAndDestroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** HTTP clients that stop reading after the first bytes of a response. */
import { connect, type Socket } from 'node:net';
import { formatRequestHead } from './client.js';

/** A whole request with a JSON body. */
export function formatPost(path: string, body: object = {}, headers: object = {}): string {
  const text = JSON.stringify(body);
  const own = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers };
  return `${formatRequestHead('POST', path, own)}${text}`;
}

export interface StalledReaders {
  /** Resolves at the first bytes. */
  read(port: number, path: string, body: object): Promise<Socket>;
  close(): void;
}

export function createStalledReaders(): StalledReaders {
  const sockets: Socket[] = [];
  return {
    read: (port, path, body) =>
      new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1');
        sockets.push(socket);
        socket.once('data', () => resolve(socket.pause()));
        socket.on('error', reject);
        socket.write(formatPost(path, body));
      }),
    close: () => sockets.splice(0).forEach((socket) => socket.destroy()),
  };
}

/** Creates MongoDB clients that end their pending commands with the connection. */
import { createRequire } from 'node:module';
import { MongoClient, type MongoClientOptions } from 'mongodb';

interface DriverConnection {
  readonly closed: boolean;
  readonly socket: { write: (chunk: Uint8Array) => boolean; emit: (event: 'drain') => boolean };
  cleanup?: (error: Error) => void;
}

export const createMongoClient = (url: string, options: MongoClientOptions): MongoClient =>
  new MongoClient(url, options);

/**
 * After a write that returns false, the driver waits for the socket to drain. A destroyed socket never drains, so a
 * command written between `destroy` and `close` would keep its connection in the pool. Here the end of a connection
 * ends its waiting writes.
 */
function endWritesOnClose(): void {
  const require = createRequire(import.meta.url);
  const { Connection } = require('mongodb/lib/cmap/connection.js') as { Connection: { prototype: DriverConnection } };
  const { cleanup } = Connection.prototype;
  if (cleanup === undefined) return;
  Connection.prototype.cleanup = function (this: DriverConnection, error) {
    if (this.closed) return;
    cleanup.call(this, error);
    this.socket.write = () => true;
    this.socket.emit('drain');
  };
}

endWritesOnClose();

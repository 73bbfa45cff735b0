/** Creates MongoDB clients whose pending commands end with their connection. */
import { createRequire } from 'node:module';
import { MongoClient, type MongoClientOptions } from 'mongodb';

/** The part of the driver's connection that is extended here. It is not public and may differ in other versions. */
interface DriverConnection {
  readonly closed: boolean;
  readonly socket: { write: (chunk: Uint8Array) => boolean; emit: (event: 'drain') => boolean };
  cleanup?: (error: Error) => void;
}

/** Throws the driver's error for an invalid address. */
export const createMongoClient = (url: string, options: MongoClientOptions): MongoClient =>
  new MongoClient(url, options);

/**
 * When a write returns false, the driver waits for the socket to drain. A destroyed socket returns false and never drains, so a
 * command written between `destroy` and `close` would never settle and would keep its connection in the pool. Here the end of a
 * connection ends its waiting writes: the driver checks the connection after every write.
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

/**
 * Cancels the current statement over a separate connection, as the protocol requires. Best effort: otherwise its
 * timeout applies.
 */
import { connect } from 'node:net';
import type { PgConnection } from './connection.js';
import { dropClient, getCancelKey, type RowClient } from './pg-internals.js';

/** Milliseconds for the whole exchange. */
const PATIENCE = 2000;
const LENGTH = 16;
const CANCEL_REQUEST = 80_877_102;

export function cancelStatement(client: RowClient): void {
  const { host, port } = client;
  const key = getCancelKey(client);
  if (key === null) return;
  const message = Buffer.alloc(LENGTH);
  [LENGTH, CANCEL_REQUEST, key.processID, key.secretKey].forEach((part, at) => message.writeInt32BE(part, 4 * at));
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.on('error', () => undefined);
  socket.setTimeout(PATIENCE, () => socket.destroy());
  socket.end(message);
}

/** Closes a connection with a statement that would take long to read to its end. */
export function dropConnection(wire: PgConnection): void {
  wire.dropped = true;
  cancelStatement(wire.client);
  dropClient(wire.client);
}

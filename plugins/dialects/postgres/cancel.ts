/**
 * Cancels the current statement of a connection over a separate one, as the protocol requires. Best effort: otherwise the
 * statement timeout applies.
 */
import { connect } from 'node:net';
import type { RowClient } from './reader.js';

/** Milliseconds for the whole exchange. */
const PATIENCE = 2000;
const LENGTH = 16;
const CANCEL_REQUEST = 80_877_102;

/** Fields of pg's client. */
interface CancelKey {
  readonly processID: unknown;
  readonly secretKey: unknown;
}

export function cancelStatement(client: RowClient): void {
  const { host, port } = client;
  const { processID, secretKey } = client as unknown as CancelKey;
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return;
  const message = Buffer.alloc(LENGTH);
  [LENGTH, CANCEL_REQUEST, processID, secretKey].forEach((part, at) => message.writeInt32BE(part, 4 * at));
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.on('error', () => undefined);
  socket.setTimeout(PATIENCE, () => socket.destroy());
  socket.end(message);
}

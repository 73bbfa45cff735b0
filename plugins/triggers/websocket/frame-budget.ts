/** Counts the bytes of unfinished messages of a connection: each message alone may be small. */
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { ByteBudget, ByteHolder } from '../../../contract/byte-budget.js';

/** Of one chunk or fragment, in addition to its bytes. */
const OVERHEAD = 128;

/** `ws` has no public figure for what it holds; tests fail where it changes. */
type Receiver = Record<'_bufferedBytes' | '_messageLength', number> & Record<'_buffers' | '_fragments', unknown[]>;

/** `end` closes the connection. */
export function watchFrames(
  budget: ByteBudget,
  socket: WebSocket,
  raw: Socket,
  network: string,
  end: () => void,
): void {
  const measureHeld = (): void => {
    const receiver = Reflect.get(socket, '_receiver') as Receiver | null;
    if (receiver === null) return;
    const pieces = receiver._buffers.length + receiver._fragments.length;
    budget.setHeld(holder, receiver._bufferedBytes + receiver._messageLength + pieces * OVERHEAD);
  };
  const endConnection = (): void => {
    raw.off('data', measureHeld);
    end();
    // A client that goes on sending is not read to its close frame.
    raw.destroySoon();
  };
  const holder: ByteHolder = { network, bytes: 0, end: endConnection };
  // Called after the listener of `ws`, so that complete messages are gone.
  raw.on('data', measureHeld);
  raw.once('close', () => budget.setHeld(holder, 0));
}

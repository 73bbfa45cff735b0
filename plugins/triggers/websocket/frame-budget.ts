/** Counts the bytes of unfinished messages of a connection: each message alone may be small. */
import type { WebSocket } from 'ws';

/** Of one chunk or fragment, in addition to its bytes. */
const OVERHEAD = 128;

/** `ws` has no public figure for what it holds; tests fail where it changes. */
type Receiver = Record<'_bufferedBytes' | '_messageLength', number> & Record<'_buffers' | '_fragments', unknown[]>;

/** Bytes that the connection holds. */
export function measureFrames(socket: WebSocket): number {
  const receiver = Reflect.get(socket, '_receiver') as Receiver | null;
  if (receiver === null) return 0;
  const pieces = receiver._buffers.length + receiver._fragments.length;
  return receiver._bufferedBytes + receiver._messageLength + pieces * OVERHEAD;
}

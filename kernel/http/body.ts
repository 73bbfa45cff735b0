/** Reads JSON bodies within limits. It knows nothing of resources. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { CLOSE, createFault } from '../../contract/fault.js';
import { parseBounded, type JsonLimits } from '../../language/strings/bounded-json.js';

export interface BodyLimits extends JsonLimits {
  readonly body: number;
}

/** Rejects an excessive `content-length` immediately, and other bodies once they exceed `max`. */
export function readBytes(req: IncomingMessage, max: number): Promise<Buffer> {
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > max) return Promise.reject(createFault('REQ_TOO_LARGE', { max }, CLOSE));
  // The client disconnected earlier, so no event will follow.
  if (req.destroyed) return Promise.reject(createFault('REQ_ABORTED', {}, CLOSE));
  return new Promise((resolve, reject) => {
    let held: Buffer = NOTHING;
    let size = 0;
    const onData = (chunk: Buffer): void => {
      if (size + chunk.length > max) {
        stop();
        req.pause();
        reject(createFault('REQ_TOO_LARGE', { max }, CLOSE));
        return;
      }
      held = size === 0 ? chunk : appendChunk(held, size, chunk, max);
      size += chunk.length;
    };
    // The stream has ended, so its listeners need not be removed.
    const onEnd = (): void => {
      resolve(held.length === size ? held : held.subarray(0, size));
      held = NOTHING;
    };
    const onFail = (): void => {
      stop();
      reject(createFault('REQ_ABORTED', {}, CLOSE));
    };
    const stop = (): void => {
      req.off('data', onData).off('end', onEnd).off('error', onFail).off('aborted', onFail);
    };
    req.on('data', onData).on('end', onEnd).on('error', onFail).on('aborted', onFail);
  });
}

const NOTHING = Buffer.alloc(0);

/** Grows one buffer. A list of chunks would cost some four hundred bytes for each, and a client may send single bytes. */
function appendChunk(held: Buffer, size: number, chunk: Buffer, max: number): Buffer {
  const needed = size + chunk.length;
  let room = held;
  if (room.length < needed) {
    room = Buffer.allocUnsafe(Math.min(max, 2 * needed));
    held.copy(room, 0, 0, size);
  }
  chunk.copy(room, size);
  return room;
}

/** Throws REQ_MALFORMED, REQ_TOO_COMPLEX or REQ_NAME_REFUSED. */
export function parseJson(bytes: Buffer, limits: BodyLimits): unknown {
  if (!isUtf8(bytes)) throw createFault('REQ_MALFORMED');
  return parseBounded(bytes, () => bytes.toString('utf8'), limits);
}

/**
 * Reads a JSON body under limits: bytes counted as they come, UTF-8 and shape checked before a value exists. Knows
 * nothing of resources; every refusal is a Fault of the door.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { fault } from '../contract/fault.js';
import { parseBounded, type JsonLimits } from '../language/bounded-json.js';

export interface BodyLimits extends JsonLimits {
  /** Bytes. */
  readonly body: number;
}

/** After an early refusal the rest of the body is never read, so the connection cannot be used again. */
export const CLOSE = { headers: { connection: 'close' } };

/** The bytes of the body. Refuses what is announced too large at once, and what turns out too large as soon as it does. */
export function readBytes(req: IncomingMessage, max: number): Promise<Buffer> {
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > max) return Promise.reject(fault('REQ_TOO_LARGE', { max }, CLOSE));
  // A client that left while guards were at work: no event would come any more.
  if (req.destroyed) return Promise.reject(fault('REQ_ABORTED', {}, CLOSE));
  return new Promise((resolve, reject) => {
    let held: Buffer = NOTHING;
    let size = 0;
    const onData = (chunk: Buffer): void => {
      if (size + chunk.length > max) {
        stop();
        req.pause();
        reject(fault('REQ_TOO_LARGE', { max }, CLOSE));
        return;
      }
      held = size === 0 ? chunk : append(held, size, chunk, max);
      size += chunk.length;
    };
    // Over is over: listeners that nothing calls any more need not be taken off.
    const onEnd = (): void => {
      resolve(held.length === size ? held : held.subarray(0, size));
      held = NOTHING;
    };
    const onFail = (): void => {
      stop();
      reject(fault('REQ_ABORTED', {}, CLOSE));
    };
    const stop = (): void => {
      req.off('data', onData).off('end', onEnd).off('error', onFail).off('aborted', onFail);
    };
    req.on('data', onData).on('end', onEnd).on('error', onFail).on('aborted', onFail);
  });
}

const NOTHING = Buffer.alloc(0);

/**
 * The first `size` bytes of `held`, and the chunk behind them, in one buffer that grows. A list of chunks would hold some four hundred
 * bytes for each, and a client may send one byte at a time.
 */
function append(held: Buffer, size: number, chunk: Buffer, max: number): Buffer {
  const needed = size + chunk.length;
  let room = held;
  if (room.length < needed) {
    room = Buffer.allocUnsafe(Math.min(max, 2 * needed));
    held.copy(room, 0, 0, size);
  }
  chunk.copy(room, size);
  return room;
}

/** True when the bytes may be JSON of this product: `application/json`, with UTF-8 if a charset is named. */
export function isJsonType(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  if (contentType === undefined) return false;
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  if (type.trim() !== 'application/json') return false;
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset);
}

/** Throws REQ_MALFORMED, REQ_TOO_COMPLEX or REQ_NAME_REFUSED. */
export function parseJson(bytes: Buffer, limits: BodyLimits): unknown {
  if (!isUtf8(bytes)) throw fault('REQ_MALFORMED');
  return parseBounded(bytes, () => bytes.toString('utf8'), limits);
}

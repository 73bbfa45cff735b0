/**
 * Reads a JSON body under limits: bytes counted as they come, UTF-8 and shape checked before a value exists. Knows
 * nothing of resources; every refusal is a Fault of the door.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { fault } from '../contract/fault.js';
import { POISON_KEYS } from '../contract/json.js';

export interface BodyLimits {
  /** Bytes. */
  readonly body: number;
  readonly depth: number;
  readonly keys: number;
  readonly array: number;
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
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > max) {
        stop();
        req.pause();
        reject(fault('REQ_TOO_LARGE', { max }, CLOSE));
      } else chunks.push(chunk);
    };
    const onEnd = (): void => {
      stop();
      const [only] = chunks;
      resolve(only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, size));
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
  const doubtful = measure(bytes, limits);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw fault('REQ_MALFORMED', {}, { cause: error });
  }
  if (doubtful) inspect(value, limits);
  return value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const LETTER_U = 0x75;

/**
 * One pass over the bytes, before anything is built. Refuses depth and number of keys; true when the value must be
 * looked at again, because a long array, an escape or a reserved name is possible.
 */
function measure(bytes: Buffer, { depth: maxDepth, keys: maxKeys, array: maxArray }: BodyLimits): boolean {
  let depth = 0;
  let deepest = 0;
  let colons = 0;
  let commas = 0;
  let doubtful = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === QUOTE) {
      const start = i + 1;
      for (i++; i < bytes.length && bytes[i] !== QUOTE; i++) {
        if (bytes[i] === BACKSLASH) {
          i++;
          if (bytes[i] === LETTER_U) doubtful = true;
        }
      }
      doubtful ||= mayBePoison(bytes, start, i);
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > deepest) deepest = depth;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
    else if (byte === COLON) colons++;
    else if (byte === COMMA) commas++;
  }
  // Text that is too deep and never closed again is no JSON in the first place.
  if (deepest > maxDepth && depth > 0) throw fault('REQ_MALFORMED');
  if (deepest > maxDepth) throw fault('REQ_TOO_COMPLEX', { what: 'levels', max: maxDepth });
  if (colons > maxKeys) throw fault('REQ_TOO_COMPLEX', { what: 'properties', max: maxKeys });
  return doubtful || commas >= maxArray;
}

/** Lengths of `__proto__`/`prototype` and `constructor`, and a first letter of one of them. */
function mayBePoison(bytes: Buffer, start: number, end: number): boolean {
  const length = end - start;
  if (length !== 9 && length !== 11) return false;
  const first = bytes[start];
  return first === 0x5f || first === 0x70 || first === 0x63;
}

/** Iterative: a deep value must not overflow the stack. */
function inspect(root: unknown, { array }: BodyLimits): void {
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value === 'string') {
      if (!value.isWellFormed()) throw fault('REQ_MALFORMED');
      continue;
    }
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      if (value.length > array) throw fault('REQ_TOO_COMPLEX', { what: 'items in an array', max: array });
      for (const item of value as unknown[]) stack.push(item);
      continue;
    }
    for (const key of Object.keys(value)) {
      if (POISON_KEYS.has(key)) throw fault('REQ_NAME_REFUSED');
      if (!key.isWellFormed()) throw fault('REQ_MALFORMED');
      stack.push((value as Record<string, unknown>)[key]);
    }
  }
}

/**
 * Parses untrusted JSON; depth and key count are checked before any value is created. Throws Faults of the HTTP
 * layer.
 */
import { Fault, createFault } from '../../contract/fault.js';
import { POISON_KEYS } from '../../contract/json.js';
import { isBeyondDouble, isNumeric, parseExact } from './exact-json.js';

export interface JsonLimits {
  readonly depth: number;
  readonly keys: number;
  readonly array: number;
}

/** `decode` reads UTF-8. Throws REQ_MALFORMED, REQ_TOO_COMPLEX, REQ_NAME_REFUSED or REQ_NUMBER. */
export function parseBounded(bytes: Uint8Array, decode: () => string, limits: JsonLimits): unknown {
  const isPlain = checkShape(bytes, limits);
  let value: unknown;
  try {
    value = isPlain ? JSON.parse(decode()) : parseExact(decode(), rejectBeyond);
  } catch (error) {
    throw error instanceof Fault ? error : createFault('REQ_MALFORMED', {}, { cause: error });
  }
  checkValues(value, limits);
  return value;
}

function rejectBeyond(text: string): void {
  if (isBeyondDouble(text)) throw createFault('REQ_NUMBER');
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
/** A double holds every number of as many digits. */
const SURE_DIGITS = 15;

/** True if every number fits a double. Throws beyond the limits of depth and keys. */
function checkShape(bytes: Uint8Array, { depth: maxDepth, keys: maxKeys }: JsonLimits): boolean {
  let isPlain = true;
  let depth = 0;
  let deepest = 0;
  let colons = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      for (i++; i < bytes.length && bytes[i] !== QUOTE; i++) if (bytes[i] === BACKSLASH) i++;
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > deepest) deepest = depth;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
    else if (byte === COLON) colons++;
    else if (byte !== undefined && byte >= 0x30 && byte <= 0x39) {
      const start = i;
      for (; isNumeric(bytes[i + 1] ?? 0); i++) if (((bytes[i + 1] ?? 0) | 0x20) === 0x65) isPlain = false;
      if (i - start >= SURE_DIGITS) isPlain = false;
    }
  }
  // Unclosed text is malformed, whatever its depth.
  if (deepest > maxDepth && depth > 0) throw createFault('REQ_MALFORMED');
  if (deepest > maxDepth) throw createFault('REQ_TOO_COMPLEX', { what: 'levels', max: maxDepth });
  if (colons > maxKeys) throw createFault('REQ_TOO_COMPLEX', { what: 'properties', max: maxKeys });
  return isPlain;
}

/** Iterative, because a deep value could overflow the stack. */
function checkValues(root: unknown, { array }: JsonLimits): void {
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value === 'string') {
      if (!value.isWellFormed()) throw createFault('REQ_MALFORMED');
      continue;
    }
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      if (value.length > array) throw createFault('REQ_TOO_COMPLEX', { what: 'items in an array', max: array });
      for (const item of value as unknown[]) stack.push(item);
      continue;
    }
    for (const key of Object.keys(value)) {
      if (POISON_KEYS.has(key)) throw createFault('REQ_NAME_REFUSED');
      if (!key.isWellFormed()) throw createFault('REQ_MALFORMED');
      stack.push((value as Record<string, unknown>)[key]);
    }
  }
}

/**
 * Parses untrusted JSON; depth and key count are checked before any value is created. Throws Faults of the HTTP
 * layer.
 */
import { Fault, createFault } from '../../contract/fault.js';
import { POISON_KEYS } from '../../contract/json.js';
import { isBeyond, parseExact } from './exact-json.js';

export interface JsonLimits {
  readonly depth: number;
  readonly keys: number;
  readonly array: number;
}

/** `decode` reads UTF-8. Throws REQ_MALFORMED, REQ_TOO_COMPLEX, REQ_NAME_REFUSED or REQ_NUMBER. */
export function parseBounded(bytes: Uint8Array, decode: () => string, limits: JsonLimits): unknown {
  const marks = measureJson(bytes, limits);
  let value: unknown;
  try {
    value = marks & LONG ? parseExact(decode(), rejectBeyond) : JSON.parse(decode());
  } catch (error) {
    throw error instanceof Fault ? error : createFault('REQ_MALFORMED', {}, { cause: error });
  }
  if (marks & DOUBTFUL) checkValues(value, limits);
  return value;
}

function rejectBeyond(text: string): void {
  if (isBeyond(text)) throw createFault('REQ_NUMBER');
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const LETTER_U = 0x75;

/** A double represents this many decimal digits exactly. */
const EXACT_DIGITS = 15;

/** Flag: the value may contain long arrays, escapes or reserved names. */
const DOUBTFUL = 1;
/** Flag: a number may not be exact as a double. */
const LONG = 2;

/** Throws beyond a limit; returns DOUBTFUL, LONG, both or 0. */
function measureJson(bytes: Uint8Array, { depth: maxDepth, keys: maxKeys, array: maxArray }: JsonLimits): number {
  let depth = 0;
  let deepest = 0;
  let colons = 0;
  let commas = 0;
  let doubtful = false;
  let long = false;
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
    else if (byte >= 0x30 && byte <= 0x39) {
      const start = i;
      let next = bytes[i + 1] ?? 0;
      for (; (next >= 0x30 && next <= 0x39) || next === 0x2e; next = bytes[i + 1] ?? 0) i++;
      if (i - start >= EXACT_DIGITS || next === 0x65 || next === 0x45) long = true;
    }
  }
  // Unclosed text is malformed, whatever its depth.
  if (deepest > maxDepth && depth > 0) throw createFault('REQ_MALFORMED');
  if (deepest > maxDepth) throw createFault('REQ_TOO_COMPLEX', { what: 'levels', max: maxDepth });
  if (colons > maxKeys) throw createFault('REQ_TOO_COMPLEX', { what: 'properties', max: maxKeys });
  return (doubtful || commas >= maxArray ? DOUBTFUL : 0) | (long ? LONG : 0);
}

function mayBePoison(bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (length !== 9 && length !== 11) return false;
  const first = bytes[start];
  return first === 0x5f || first === 0x70 || first === 0x63;
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

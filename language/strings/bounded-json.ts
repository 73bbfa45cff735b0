/**
 * Parses untrusted JSON; depth and key count are checked before any value is created. Throws Faults of the HTTP
 * layer.
 */
import { Fault, createFault } from '../../contract/fault.js';
import { POISON_KEYS } from '../../contract/json.js';
import { isBeyondDouble, parseExact } from './exact-json.js';
import { parseParts, type DecodeBytes } from './json-parts.js';

export interface JsonLimits {
  readonly depth: number;
  readonly keys: number;
  readonly array: number;
}

/** `decode` reads UTF-8. Throws REQ_MALFORMED, REQ_TOO_COMPLEX, REQ_NAME_REFUSED or REQ_NUMBER. */
export function parseBounded(bytes: Uint8Array, decode: () => string, limits: JsonLimits): unknown {
  const shape = new TextShape(bytes);
  shape.read(bytes.length);
  shape.check(limits);
  const value = shape.parse(decode());
  checkValues([value], limits, Infinity);
  return value;
}

/** Bytes, and values. */
const STEP = { bytes: 262_144, values: 20_000 };

/** The same for a long text, in steps between which other work can be done. */
export function* parseInSteps(bytes: Uint8Array, decode: DecodeBytes, limits: JsonLimits): Generator<void, unknown> {
  const shape = new TextShape(bytes);
  for (let until = 0; until < bytes.length; yield) {
    until = Math.min(until + STEP.bytes, bytes.length);
    shape.read(until);
  }
  shape.check(limits);
  const value = yield* parseParts(bytes, decode, (text) => shape.parse(text));
  for (const stack = [value]; stack.length > 0; checkValues(stack, limits, STEP.values)) yield;
  return value;
}

function rejectBeyond(text: string): void {
  if (isBeyondDouble(text)) throw createFault('REQ_NUMBER');
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

const [DOT, ZERO, NINE] = [0x2e, 0x30, 0x39];
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE;

const SAFE_DIGITS = 15;

/** Depth, properties and long numbers of a text, before any value is created. */
class TextShape {
  private at = 0;
  private inString = false;
  private depth = 0;
  private deepest = 0;
  private colons = 0;
  private mayBeInexact = false;

  constructor(private readonly bytes: Uint8Array) {}

  read(until: number): void {
    const { bytes } = this;
    let { at: i, depth, deepest, colons } = this;
    for (; i < until; i++) {
      const byte = bytes[i] as number;
      if (byte === QUOTE || this.inString) {
        if (!this.inString) i++;
        for (; i < until && bytes[i] !== QUOTE; i++) if (bytes[i] === BACKSLASH) i++;
        this.inString = i >= until;
        if (this.inString) break;
      } else if (byte === 0x7b || byte === 0x5b) {
        if (++depth > deepest) deepest = depth;
      } else if (byte === 0x7d || byte === 0x5d) depth--;
      else if (byte === COLON) colons++;
      else if (isDigit(byte)) {
        const start = i;
        while (isDigit(bytes[i + 1]) || bytes[i + 1] === DOT) i++;
        const isExponent = ((bytes[i + 1] ?? 0) | 0x20) === 0x65;
        if (i - start >= SAFE_DIGITS || isExponent) this.mayBeInexact = true;
      }
    }
    this.at = i;
    this.depth = depth;
    this.deepest = deepest;
    this.colons = colons;
  }

  /** Throws beyond the limits of depth and keys. */
  check({ depth: maxDepth, keys: maxKeys }: JsonLimits): void {
    const { deepest, depth, colons } = this;
    // Unclosed text is malformed, whatever its depth.
    if (deepest > maxDepth && depth > 0) throw createFault('REQ_MALFORMED');
    if (deepest > maxDepth) throw createFault('REQ_TOO_COMPLEX', { what: 'levels', max: maxDepth });
    if (colons > maxKeys) throw createFault('REQ_TOO_COMPLEX', { what: 'properties', max: maxKeys });
  }

  parse(text: string): unknown {
    try {
      return this.mayBeInexact ? parseExact(text, rejectBeyond) : (JSON.parse(text) as unknown);
    } catch (error) {
      throw error instanceof Fault ? error : createFault('REQ_MALFORMED', {}, { cause: error });
    }
  }
}

/** Iterative, because a deep value could overflow the stack. At most `most` values of the stack. */
function checkValues(stack: unknown[], { array }: JsonLimits, most: number): void {
  for (let left = most; left > 0 && stack.length > 0; left--) {
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

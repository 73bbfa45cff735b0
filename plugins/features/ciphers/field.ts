/**
 * The stored form of one value: text of version, nonce and ciphertext. The value is sealed as JSON, so that it comes back as
 * what it was; algorithm and version are sealed with it, so that no text is opened as something else.
 */
import { randomBytes } from 'node:crypto';
import { readJson, writeJson } from '../../../kernel/language/exact-json.js';
import type { Cipher } from '../../kinds/cipher.js';
import type { Encoding } from '../../kinds/encoding.js';

/** The first byte of every stored value. */
const VERSION = 1;
const PREFIX = Buffer.of(VERSION);
const NOTHING = Buffer.alloc(0);
const TAG_BYTES = 16;
/** Bytes drawn from the system at a time; each is part of one nonce and never used again. */
const POOL = 3072;

export const NOT_OPENED: unique symbol = Symbol('not opened');

export interface FieldCipher {
  /** The data that goes with each value: what the definition says, behind what is always bound. */
  readonly bound: (aad: Uint8Array) => Uint8Array;
  /** Bytes of JSON that it takes; null: any number. */
  readonly most: number | null;
  readonly seal: (value: unknown, bound: Uint8Array) => string;
  readonly open: (text: unknown, bound: Uint8Array) => unknown;
}

export interface FieldSettings {
  readonly algorithm: string;
  readonly cipher: Cipher;
  readonly encoding: Encoding;
  readonly key: Uint8Array;
  /** The same nonce for every value; null: a new one for each. */
  readonly nonce: Uint8Array | null;
}

export function fieldCipher({ algorithm, cipher, encoding, key: bytes, nonce: fixed }: FieldSettings): FieldCipher {
  const key = cipher.key(bytes);
  const label = Buffer.from(`lintel ciphers ${VERSION} ${algorithm}\0`);
  const start = PREFIX.length + cipher.nonceBytes;
  return {
    bound: (aad) => Buffer.concat([label, aad]),
    most: encoding.most === null ? null : encoding.most - start - TAG_BYTES,
    seal: (value, bound) => {
      const nonce = fixed ?? freshNonce(cipher.nonceBytes);
      const sealed = key.seal(nonce, Buffer.from(writeJson(value) ?? 'null'), bound);
      return encoding.encode(Buffer.concat([PREFIX, nonce, sealed], start + sealed.length));
    },
    open: (text, bound) => {
      const stored = typeof text === 'string' ? encoding.decode(text) : null;
      if (stored === null || stored.length < start + TAG_BYTES || stored[0] !== VERSION) return NOT_OPENED;
      const plain = key.open(stored.subarray(PREFIX.length, start), stored.subarray(start), bound);
      return plain === null ? NOT_OPENED : parsed(plain);
    },
  };
}

/** What is right and yet no JSON was sealed by somebody else. */
function parsed(plain: Uint8Array): unknown {
  try {
    return readJson(Buffer.from(plain.buffer, plain.byteOffset, plain.length).toString());
  } catch {
    return NOT_OPENED;
  }
}

let pool: Buffer = NOTHING;
let used = 0;

function freshNonce(bytes: number): Buffer {
  if (used + bytes > pool.length) {
    // A new buffer: nonces that were given out keep theirs.
    pool = randomBytes(POOL);
    used = 0;
  }
  used += bytes;
  return pool.subarray(used - bytes, used);
}

/**
 * The stored form of one value: encoded version, nonce and ciphertext. Values are sealed as JSON; version and
 * algorithm are authenticated.
 */
import { randomBytes } from 'node:crypto';
import { parseExactJson, writeJson } from '../../../language/strings/exact-json.js';
import type { Cipher } from '../../ciphers/kind.js';
import type { Encoding } from '../../encodings/kind.js';

const VERSION = 1;
const PREFIX = Buffer.of(VERSION);
const NOTHING = Buffer.alloc(0);
const TAG_BYTES = 16;
/** Random bytes drawn at a time; each is used in one nonce only. Drawn singly, an encrypted insert takes 1.16 times the processor time. */
const POOL = 3072;

export const NOT_OPENED: unique symbol = Symbol('not opened');

export interface FieldCipher {
  /** Prepends the version and algorithm label to the additional data. */
  readonly bindAad: (aad: Uint8Array) => Uint8Array;
  /** Maximum bytes of JSON; null: unlimited. */
  readonly most: number | null;
  readonly seal: (value: unknown, bound: Uint8Array) => string;
  readonly open: (text: unknown, bound: Uint8Array) => unknown;
}

export interface FieldSettings {
  readonly algorithm: string;
  readonly cipher: Cipher;
  readonly encoding: Encoding;
  readonly key: Uint8Array;
  /** Fixed for every value (testing only); null: random. */
  readonly nonce: Uint8Array | null;
}

export function createFieldCipher({
  algorithm,
  cipher,
  encoding,
  key: bytes,
  nonce: fixed,
}: FieldSettings): FieldCipher {
  const key = cipher.key(bytes);
  const label = Buffer.from(`lintel ciphers ${VERSION} ${algorithm}\0`);
  const start = PREFIX.length + cipher.nonceBytes;
  return {
    bindAad: (aad) => Buffer.concat([label, aad]),
    most: encoding.most === null ? null : encoding.most - start - TAG_BYTES,
    seal: (value, bound) => {
      const nonce = fixed ?? drawNonce(cipher.nonceBytes);
      const sealed = key.seal(nonce, Buffer.from(writeJson(value) ?? 'null'), bound);
      return encoding.encode(Buffer.concat([PREFIX, nonce, sealed], start + sealed.length));
    },
    open: (text, bound) => {
      const stored = typeof text === 'string' ? encoding.decode(text) : null;
      if (stored === null || stored.length < start + TAG_BYTES || stored[0] !== VERSION) return NOT_OPENED;
      const plain = key.open(stored.subarray(PREFIX.length, start), stored.subarray(start), bound);
      return plain === null ? NOT_OPENED : parsePlaintext(plain);
    },
  };
}

/** Authenticated bytes that are not JSON have another writer. */
function parsePlaintext(plain: Uint8Array): unknown {
  try {
    return parseExactJson(Buffer.from(plain.buffer, plain.byteOffset, plain.length).toString());
  } catch {
    return NOT_OPENED;
  }
}

let pool: Buffer = NOTHING;
let used = 0;

function drawNonce(bytes: number): Buffer {
  if (used + bytes > pool.length) {
    // Earlier nonces still reference the old buffer.
    pool = randomBytes(POOL);
    used = 0;
  }
  used += bytes;
  return pool.subarray(used - bytes, used);
}

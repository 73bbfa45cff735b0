/**
 * PASETO v4.local: XChaCha20 and BLAKE2b, encrypt-then-MAC. Payload and footer must not be read before the tag is verified.
 * Encodings are strict.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { hash } from '@stablelib/blake2b';
import { streamXOR } from '@stablelib/xchacha20';
import { MAX_TOKEN, TokenRefused } from '../kind.js';
import { decodeBase64Url } from '../shared/base64url.js';
import { decodeText } from '../shared/strict-json.js';

const HEADER = 'v4.local.';
const NONCE = 32;
const TAG = 32;
const ENCRYPTION = Buffer.from('paseto-encryption-key');
const AUTHENTICATION = Buffer.from('paseto-auth-key-for-aead');
const NOTHING = Buffer.alloc(0);

export interface LocalToken {
  readonly text: string;
  readonly footer: string;
}

/** `implicit`: authenticated data that the token does not contain. Throws TokenRefused. */
export function openLocal(token: string, key: Uint8Array, implicit: Uint8Array = NOTHING): LocalToken {
  if (token.length > MAX_TOKEN) throw new TokenRefused('too long');
  if (!token.startsWith(HEADER)) throw new TokenRefused('another version or purpose');
  const parts = token.slice(HEADER.length).split('.');
  if (parts.length > 2) throw new TokenRefused('too many parts');
  const [body, footer = NOTHING] = parts.map(decodeBase64Url);
  if (body === undefined || body.length < NONCE + TAG) throw new TokenRefused('too short');
  const nonce = body.subarray(0, NONCE);
  const sealed = body.subarray(NONCE, -TAG);
  const keys = deriveKeys(key, nonce);
  const tag = computeTag(keys.authentication, nonce, sealed, footer, implicit);
  if (!timingSafeEqual(tag, body.subarray(-TAG))) throw new TokenRefused('the tag does not fit');
  const text = streamXOR(keys.encryption, keys.counter, sealed, new Uint8Array(sealed.length));
  return { text: decodeText(text), footer: decodeText(footer) };
}

export function sealLocal(payload: string, key: Uint8Array): string {
  const nonce = randomBytes(NONCE);
  const plain = Buffer.from(payload);
  const keys = deriveKeys(key, nonce);
  const sealed = streamXOR(keys.encryption, keys.counter, plain, new Uint8Array(plain.length));
  const tag = computeTag(keys.authentication, nonce, sealed, NOTHING, NOTHING);
  return HEADER + Buffer.concat([nonce, sealed, tag]).toString('base64url');
}

function deriveKeys(key: Uint8Array, nonce: Uint8Array) {
  const both = hash(Buffer.concat([ENCRYPTION, nonce]), 56, { key });
  const authentication = hash(Buffer.concat([AUTHENTICATION, nonce]), 32, { key });
  return { encryption: both.subarray(0, 32), counter: both.subarray(32), authentication };
}

const computeTag = (key: Uint8Array, ...[nonce, sealed, footer, implicit]: readonly Uint8Array[]): Uint8Array =>
  hash(encodePieces([Buffer.from(HEADER), nonce, sealed, footer, implicit]), TAG, { key });

/** Prefixes each piece with its length (PAE), so that no two lists have the same encoding. */
function encodePieces(pieces: readonly (Uint8Array | undefined)[]): Buffer {
  const encodeLength = (n: number): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32LE(n);
    return bytes;
  };
  const framed = pieces.flatMap((piece = NOTHING) => [encodeLength(piece.length), piece]);
  return Buffer.concat([encodeLength(pieces.length), ...framed]);
}

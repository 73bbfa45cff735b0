/**
 * PASETO v4.local. The extension API of `paseto` takes XChaCha20 and BLAKE2b from `@noble`, because Node lacks both.
 * Nothing is read before the tag is verified.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { xchacha20 } from '@noble/ciphers/chacha.js';
import { blake2b } from '@noble/hashes/blake2.js';
import { LocalDecrypt, LocalEncrypt, LocalProtocol, PAE, PasetoError, type Key } from 'paseto';
import { createFault } from '../../../contract/fault.js';
import { MAX_TOKEN, TokenRefused } from '../kind.js';
import { decodeText } from '../shared/strict-json.js';

const HEADER = Buffer.from('v4.local.');
const NONCE = 32;
const TAG = 32;
const ENCRYPTION = Buffer.from('paseto-encryption-key');
const AUTHENTICATION = Buffer.from('paseto-auth-key-for-aead');

/** validateClaims checks claims instead, with the time of the request. */
const ANY_CLAIMS = { allowNonExpiring: true, clockTolerance: Number.MAX_SAFE_INTEGER } as const;

/** The key of one call. Parsed claims lose a repeated name: `text` keeps the payload as written. */
interface LocalKey extends Key {
  readonly bytes: Uint8Array;
  text: string;
}

export interface LocalToken {
  readonly text: string;
  readonly footer: string;
}

const createKey = (bytes: Uint8Array): LocalKey => ({
  type: 'secret',
  algorithm: { name: 'v4.local' },
  extractable: false,
  bytes,
  text: '',
});

const protocol = new LocalProtocol(
  LocalEncrypt<4, LocalKey>({
    version: 4,
    run: async ({ bytes }, plain, footer, implicit) => {
      const nonce = randomBytes(NONCE);
      const keys = deriveKeys(bytes, nonce);
      const sealed = xchacha20(keys.encryption, keys.counter, plain);
      return Buffer.concat([nonce, sealed, computeTag(keys.authentication, [nonce, sealed, footer, implicit])]);
    },
  }),
  LocalDecrypt<4, LocalKey>({
    version: 4,
    run: async (key, body, footer, implicit) => {
      if (body.length < NONCE + TAG) throw new TokenRefused('too short');
      const nonce = body.subarray(0, NONCE);
      const sealed = body.subarray(NONCE, -TAG);
      const keys = deriveKeys(key.bytes, nonce);
      const tag = computeTag(keys.authentication, [nonce, sealed, footer, implicit]);
      if (!timingSafeEqual(tag, body.subarray(-TAG))) throw new TokenRefused('the tag does not fit');
      const plain = xchacha20(keys.encryption, keys.counter, sealed);
      key.text = decodeText(plain);
      return plain;
    },
  }),
);

/** `implicit`: authenticated data that the token does not contain. Rejects with TokenRefused. */
export async function openLocal(token: string, bytes: Uint8Array, implicit?: Uint8Array): Promise<LocalToken> {
  if (token.length > MAX_TOKEN) throw new TokenRefused('too long');
  const key = createKey(bytes);
  try {
    const { footer } = await protocol.Decrypt(key, token, {
      ...ANY_CLAIMS,
      ...(implicit !== undefined && { implicitAssertion: implicit }),
    });
    return { text: key.text, footer: decodeText(footer) };
  } catch (error) {
    throw error instanceof PasetoError ? new TokenRefused(error.message) : error;
  }
}

/** Rejects with TOK_UNFIT for registered claims that are not text, or no instant. */
export async function sealLocal(payload: string, bytes: Uint8Array): Promise<string> {
  try {
    return await protocol.Encrypt(createKey(bytes), JSON.parse(payload) as object, { addIssuedAt: false });
  } catch (error) {
    throw error instanceof PasetoError ? createFault('TOK_UNFIT', {}, { cause: error }) : error;
  }
}

function deriveKeys(key: Uint8Array, nonce: Uint8Array) {
  const both = blake2b(Buffer.concat([ENCRYPTION, nonce]), { key, dkLen: 56 });
  const authentication = blake2b(Buffer.concat([AUTHENTICATION, nonce]), { key, dkLen: 32 });
  return { encryption: both.subarray(0, 32), counter: both.subarray(32), authentication };
}

const computeTag = (key: Uint8Array, pieces: readonly Uint8Array[]): Uint8Array =>
  blake2b(PAE([HEADER, ...pieces]), { key, dkLen: TAG });

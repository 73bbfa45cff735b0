/**
 * Validates and imports JWT keys at load: a shared secret for HS algorithms, PEM for others. Messages never contain a
 * key.
 */
import { createHash, createHmac, createPrivateKey, createPublicKey, webcrypto, type KeyObject } from 'node:crypto';
import { BootError } from '../../../contract/boot-error.js';
import type { TokenSettings } from '../kind.js';
import { findKeyFlaw } from '../shared/keys.light.js';
import { createKeyRealm } from '../shared/realm.js';
import { isShared, getMinKeyBytes } from './algorithms.light.js';

type SecretKey = webcrypto.CryptoKey;

export interface JwtKeys {
  /** Fingerprint that distinguishes keys without containing them. */
  readonly id: string;
  /** Equal for a private key and its public key. */
  readonly realm: string;
  readonly verify: () => Promise<SecretKey> | KeyObject;
  /** Null where only a public key is known. */
  readonly sign: (() => Promise<SecretKey> | KeyObject) | null;
  /** Set when a shared key is shorter than its algorithm requires. */
  readonly short: { readonly bytes: number; readonly min: number } | null;
}

const EXPECTED: Readonly<Record<string, { readonly type: string; readonly curve?: string; readonly words: string }>> = {
  RS: { type: 'rsa', words: 'an RSA key of at least 2048 bits' },
  ES256: { type: 'ec', curve: 'prime256v1', words: 'a key on the curve P-256' },
  ES384: { type: 'ec', curve: 'secp384r1', words: 'a key on the curve P-384' },
  EdDSA: { type: 'ed25519', words: 'an Ed25519 key' },
};

/** Throws BootError TOK_KEY. */
export function createJwtKeys(algorithm: string, settings: TokenSettings): JwtKeys {
  const { key } = settings;
  const what = typeof key === 'string' ? findKeyFlaw(key) : key.length === 0 ? 'it is empty' : null;
  if (what !== null) throw new BootError('TOK_KEY', { place: settings.place, what });
  return isShared(algorithm) ? createSecretKeys(algorithm, settings) : createPemKeys(algorithm, settings);
}

function createSecretKeys(algorithm: string, { key, place }: TokenSettings): JwtKeys {
  const bytes = Buffer.from(key);
  if (bytes.includes('-----BEGIN ')) {
    const what = `it is a PEM key, which ${algorithm} would take for a password; name RS256, ES256 or EdDSA as algorithm`;
    throw new BootError('TOK_KEY', { place, what });
  }
  const min = getMinKeyBytes(algorithm);
  const hash = `SHA-${algorithm.slice(2)}`;
  let imported: Promise<SecretKey> | undefined;
  const loadKey = (): Promise<SecretKey> =>
    (imported ??= webcrypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash }, false, ['sign', 'verify']));
  return {
    id: hashKey(algorithm, bytes),
    realm: createKeyRealm(createHmac('sha256', bytes)),
    verify: loadKey,
    sign: loadKey,
    short: bytes.length < min ? { bytes: bytes.length, min } : null,
  };
}

function createPemKeys(algorithm: string, { key, place, issues }: TokenSettings): JwtKeys {
  // Environment files may contain line breaks as a backslash and `n`.
  const text = Buffer.from(key).toString('utf8').replaceAll('\\n', '\n').trim();
  const throwKeyError = (what: string, cause?: unknown): never => {
    throw new BootError('TOK_KEY', { place, what }, cause);
  };
  const isPrivate = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/.test(text);
  if (!isPrivate && !/-----BEGIN (?:[A-Z]+ )?PUBLIC KEY-----/.test(text)) {
    return throwKeyError(`${algorithm} needs a key in PEM form, which begins with \`-----BEGIN\``);
  }
  if (!isPrivate && issues) return throwKeyError('it is a public key, and making tokens needs the private one');
  const { type, curve, words } = EXPECTED[algorithm] ?? EXPECTED['RS'] ?? throwKeyError('the algorithm is unknown');
  let secret: KeyObject | null;
  let open: KeyObject;
  try {
    secret = isPrivate ? createPrivateKey(text) : null;
    open = createPublicKey(secret ?? text);
  } catch (error) {
    return throwKeyError('the PEM text cannot be read', error);
  }
  const { namedCurve, modulusLength = 2048 } = open.asymmetricKeyDetails ?? {};
  if (open.asymmetricKeyType !== type || (curve !== undefined && namedCurve !== curve) || modulusLength < 2048) {
    return throwKeyError(`${algorithm} needs ${words}`);
  }
  const signing = secret;
  const id = hashKey(`${algorithm} ${isPrivate ? 'private' : 'public'}`, Buffer.from(text));
  const realm = createKeyRealm(createHash('sha256').update(open.export({ type: 'spki', format: 'der' })));
  return { id, realm, verify: () => open, sign: signing === null ? null : () => signing, short: null };
}

const hashKey = (algorithm: string, bytes: Buffer): string =>
  createHash('sha256').update(`${algorithm}\0`).update(bytes).digest('base64url');

/**
 * Validates and imports JWT keys at load: a shared secret for HS algorithms, a PEM key of the right type for others. Messages
 * must never contain a key.
 */
import { createHash, createHmac, createPrivateKey, createPublicKey, webcrypto, type KeyObject } from 'node:crypto';
import { BootError } from '../../../contract/boot-error.js';
import type { TokenSettings } from '../kind.js';
import { keyFlaw } from '../shared/keys.light.js';
import { realmOf } from '../shared/realm.js';
import { isShared, shortestKey } from './algorithms.light.js';

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
export function jwtKeys(algorithm: string, settings: TokenSettings): JwtKeys {
  const { key } = settings;
  const what = typeof key === 'string' ? keyFlaw(key) : key.length === 0 ? 'it is empty' : null;
  if (what !== null) throw new BootError('TOK_KEY', { place: settings.place, what });
  return isShared(algorithm) ? secretKey(algorithm, settings) : pemKey(algorithm, settings);
}

function secretKey(algorithm: string, { key, place }: TokenSettings): JwtKeys {
  const bytes = Buffer.from(key);
  if (bytes.includes('-----BEGIN ')) {
    const what = `it is a PEM key, which ${algorithm} would take for a password; name RS256, ES256 or EdDSA as algorithm`;
    throw new BootError('TOK_KEY', { place, what });
  }
  const min = shortestKey(algorithm);
  const hash = `SHA-${algorithm.slice(2)}`;
  let imported: Promise<SecretKey> | undefined;
  const use = (): Promise<SecretKey> =>
    (imported ??= webcrypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash }, false, ['sign', 'verify']));
  return {
    id: fingerprint(algorithm, bytes),
    realm: realmOf(createHmac('sha256', bytes)),
    verify: use,
    sign: use,
    short: bytes.length < min ? { bytes: bytes.length, min } : null,
  };
}

function pemKey(algorithm: string, { key, place, issues }: TokenSettings): JwtKeys {
  // Environment files may contain line breaks as a backslash and `n`.
  const text = Buffer.from(key).toString('utf8').replaceAll('\\n', '\n').trim();
  const refuse = (what: string, cause?: unknown): never => {
    throw new BootError('TOK_KEY', { place, what }, cause);
  };
  const isPrivate = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/.test(text);
  if (!isPrivate && !/-----BEGIN (?:[A-Z]+ )?PUBLIC KEY-----/.test(text)) {
    return refuse(`${algorithm} needs a key in PEM form, which begins with \`-----BEGIN\``);
  }
  if (!isPrivate && issues) return refuse('it is a public key, and making tokens needs the private one');
  const { type, curve, words } = EXPECTED[algorithm] ?? EXPECTED['RS'] ?? refuse('the algorithm is unknown');
  let secret: KeyObject | null;
  let open: KeyObject;
  try {
    secret = isPrivate ? createPrivateKey(text) : null;
    open = createPublicKey(secret ?? text);
  } catch (error) {
    return refuse('the PEM text cannot be read', error);
  }
  const { namedCurve, modulusLength = 2048 } = open.asymmetricKeyDetails ?? {};
  if (open.asymmetricKeyType !== type || (curve !== undefined && namedCurve !== curve) || modulusLength < 2048) {
    return refuse(`${algorithm} needs ${words}`);
  }
  const signing = secret;
  const id = fingerprint(`${algorithm} ${isPrivate ? 'private' : 'public'}`, Buffer.from(text));
  const realm = realmOf(createHash('sha256').update(open.export({ type: 'spki', format: 'der' })));
  return { id, realm, verify: () => open, sign: signing === null ? null : () => signing, short: null };
}

const fingerprint = (algorithm: string, bytes: Buffer): string =>
  createHash('sha256').update(`${algorithm}\0`).update(bytes).digest('base64url');

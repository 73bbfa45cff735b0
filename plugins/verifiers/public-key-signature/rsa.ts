/** RSA PKCS#1 v1.5 with SHA-256: validates keys once, and accepts only canonical Base64 signatures. */
import { constants, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

export function parseRsaKey(pem: string): KeyObject | string {
  // Environment files may contain line breaks as a backslash and `n`.
  const text = pem.replaceAll('\\n', '\n').trim();
  if (!/^-----BEGIN (?:RSA )?PUBLIC KEY-----/.test(text)) {
    return 'it is no public key in PEM form, which begins with `-----BEGIN PUBLIC KEY-----`';
  }
  let key: KeyObject;
  try {
    key = createPublicKey(text);
  } catch {
    return 'the PEM text cannot be read';
  }
  const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  return key.asymmetricKeyType === 'rsa' && modulusLength >= 2048 ? key : 'an RSA key of at least 2048 bits is needed';
}

/** Null unless the text is canonical padded Base64 of exactly the signature length of the key. */
export function parseSignature(header: string, key: KeyObject): Buffer | null {
  const bytes = Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
  if (header.length !== Math.ceil(bytes / 3) * 4) return null;
  const signature = Buffer.from(header, 'base64');
  return signature.length === bytes && signature.toString('base64') === header ? signature : null;
}

export const isSignedBy = (key: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean =>
  verify('sha256', bytes, { key, padding: constants.RSA_PKCS1_PADDING }, signature);

export const signBytes = (key: KeyObject, bytes: Uint8Array): string =>
  sign('sha256', bytes, { key, padding: constants.RSA_PKCS1_PADDING }).toString('base64');

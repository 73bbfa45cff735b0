/** RSA PKCS#1 v1.5 with SHA-256: keys are judged once, signatures in the one spelling that Base64 has. */
import { constants, createPublicKey, verify, type KeyObject } from 'node:crypto';

/** The key, or what is wrong with it. */
export function rsaKey(pem: string): KeyObject | string {
  // Environment files cannot always hold line breaks.
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

/** Null for text that is not Base64, padded and canonical, of exactly the length that signatures of the key have. */
export function signatureOf(header: string, key: KeyObject): Buffer | null {
  const bytes = Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
  if (header.length !== Math.ceil(bytes / 3) * 4) return null;
  const signature = Buffer.from(header, 'base64');
  return signature.length === bytes && signature.toString('base64') === header ? signature : null;
}

export const isSignedBy = (key: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean =>
  verify('sha256', bytes, { key, padding: constants.RSA_PKCS1_PADDING }, signature);

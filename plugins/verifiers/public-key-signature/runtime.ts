/** The key is validated at load; a malformed header is rejected before the body is read. */
import {
  generateKeyPairSync,
  createPublicKey,
  verify,
  constants,
  sign,
  type KeyPairKeyObjectResult,
  type KeyObject,
} from 'node:crypto';
import { defineRuntime } from '../../../contract/plugin.js';
import { verifier, type Verify } from '../kind.js';
import {
  readHeaderName,
  readSingleValue,
  throwSettingError,
  readSetting,
  readSignedBytes,
  UNSIGNED,
} from '../shared/settings.js';

export default defineRuntime(verifier, {
  create: ({ tests }) => {
    /** In `lintel test`, no test has the private key of the real sender. */
    let pair: KeyPairKeyObjectResult | null = null;
    const getPair = (): KeyPairKeyObjectResult => (pair ??= generateKeyPairSync('rsa', { modulusLength: 2048 }));
    return {
      needsBody: true,
      sign(options, { target, body, right }, tools) {
        const signed = options['path'] === 'signed' ? [Buffer.from(`${target}\n`), body] : [body];
        const bytes = Buffer.concat(right ? signed : [...signed, Buffer.from(' ')]);
        return { [readHeaderName(options, 'header_key', tools)]: signBytes(getPair().privateKey, bytes) };
      },
      plan(options, tools): Verify {
        const name = readHeaderName(options, 'header_key', tools);
        const parsed = parseRsaKey(readSetting(options, 'public_key_pem', tools));
        const real = typeof parsed === 'string' ? throwSettingError('public_key_pem', tools, parsed) : parsed;
        const key = tests === true ? getPair().publicKey : real;
        return async (invocation) => {
          const sent = readSingleValue(invocation, name);
          if ('refused' in sent) return sent;
          const signature = parseSignature(sent.value, key);
          if (signature === null) return { refused: 'the signature has another form' };
          const bytes = await readSignedBytes(invocation, options);
          if (bytes === null) return UNSIGNED;
          return isSignedBy(key, bytes, signature) || { refused: 'the signature does not fit' };
        };
      },
    };
  },
});

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

const signBytes = (key: KeyObject, bytes: Uint8Array): string =>
  sign('sha256', bytes, { key, padding: constants.RSA_PKCS1_PADDING }).toString('base64');

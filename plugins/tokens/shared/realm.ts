/** Identifier of a key, the default audience of its tokens. Short, because each token contains it. */
import type { Hash, Hmac } from 'node:crypto';

const LABEL = 'audience of tokens';
const BYTES = 12;

/** `begun`: a hash of the public key, or an HMAC with the secret. */
export const createKeyRealm = (begun: Hash | Hmac): string =>
  `key-${begun.update(LABEL).digest().subarray(0, BYTES).toString('base64url')}`;

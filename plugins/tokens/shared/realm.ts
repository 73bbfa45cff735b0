/** The name of a key: what its tokens say as audience where nobody names another. Short, for it stands in each token. */
import type { Hash, Hmac } from 'node:crypto';

const LABEL = 'audience of tokens';
const BYTES = 12;

/** `begun`: a hash of the public key, or one keyed with the secret, which tells no more of it than a signature does. */
export const realmOf = (begun: Hash | Hmac): string =>
  `key-${begun.update(LABEL).digest().subarray(0, BYTES).toString('base64url')}`;

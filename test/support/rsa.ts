/** A pair of RSA keys that tests share, because the processor works for a fifth of a second to create one. */
import { generateKeyPairSync } from 'node:crypto';

export const RSA_PAIR = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const RSA_PUBLIC_PEM = RSA_PAIR.publicKey.export({ type: 'spki', format: 'pem' }).toString();

/** The key is imported at load; a malformed header is rejected before the body is read. */
import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { defineRuntime } from '../../../contract/plugin.js';
import { verifier, type Verify } from '../kind.js';
import { readHeaderName, readSingleValue, readSecret, readSignedBytes, UNSIGNED } from '../shared/settings.js';
import { ALGORITHMS, DEFAULT_ALGORITHM, type Algorithm } from './algorithms.light.js';

export default defineRuntime(verifier, {
  create: () => ({
    needsBody: true,
    sign(options, { target, body, right }, tools) {
      const algorithm = ALGORITHMS.find((known) => known === options['algorithm']) ?? DEFAULT_ALGORITHM;
      const signed = options['path'] === 'signed' ? [Buffer.from(`${target}\n`), body] : [body];
      const bytes = Buffer.concat(right ? signed : [...signed, Buffer.from(' ')]);
      const digest = createHmac(algorithm, readSecret(options, tools)).update(bytes).digest('hex');
      return { [readHeaderName(options, 'sig_header', tools)]: digest };
    },
    plan(options, tools): Verify {
      const name = readHeaderName(options, 'sig_header', tools);
      const key = createSecretKey(Buffer.from(readSecret(options, tools)));
      const algorithm = ALGORITHMS.find((known) => known === options['algorithm']) ?? DEFAULT_ALGORITHM;
      const read = createSignatureReader(algorithm);
      return async (invocation) => {
        const sent = readSingleValue(invocation, name);
        if ('refused' in sent) return sent;
        const signature = read(sent.value);
        if (signature === null) return { refused: 'the signature has another form' };
        const bytes = await readSignedBytes(invocation, options);
        if (bytes === null) return UNSIGNED;
        return isSigned(algorithm, key, bytes, signature) || { refused: 'the signature does not fit' };
      };
    },
  }),
});

const getHexLength = (algorithm: Algorithm): number => Number(algorithm.slice(3)) / 4;

/** Null for any other form; a lenient decoder would accept half a digest. */
export function createSignatureReader(algorithm: Algorithm): (header: string) => Buffer | null {
  const form = new RegExp(`^(?:${algorithm}=)?([0-9a-fA-F]{${getHexLength(algorithm)}})$`);
  return (header) => {
    const digits = form.exec(header)?.[1];
    return digits === undefined ? null : Buffer.from(digits, 'hex');
  };
}

/** Compares in constant time. */
export function isSigned(algorithm: Algorithm, key: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean {
  return timingSafeEqual(createHmac(algorithm, key).update(bytes).digest(), signature);
}

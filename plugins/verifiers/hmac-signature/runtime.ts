/**
 * A malformed header is rejected before the body is read. A request calculates HMAC (RFC 2104) from two hashes, because an object
 * of `createHmac` takes a tenth of the processor time of a webhook.
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
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
      const algorithm = ALGORITHMS.find((known) => known === options['algorithm']) ?? DEFAULT_ALGORITHM;
      const read = createSignatureReader(algorithm);
      const isSigned = createHmacCheck(algorithm, Buffer.from(readSecret(options, tools)));
      return async (invocation) => {
        const sent = readSingleValue(invocation, name);
        if ('refused' in sent) return sent;
        const signature = read(sent.value);
        if (signature === null) return { refused: 'the signature has another form' };
        const bytes = await readSignedBytes(invocation, options);
        if (bytes === null) return UNSIGNED;
        return isSigned(bytes, signature) || { refused: 'the signature does not fit' };
      };
    },
  }),
});

const getHexLength = (algorithm: Algorithm): number => Number(algorithm.slice(3)) / 4;

/** Null for any other form; a lenient decoder would accept half a digest. */
export function createSignatureReader(algorithm: Algorithm): (header: string) => Buffer | null {
  const [digits, prefix] = [getHexLength(algorithm), `${algorithm}=`];
  return (header) => {
    const text = header.startsWith(prefix) ? header.slice(prefix.length) : header;
    if (text.length !== digits) return null;
    // Decoding ends at the first other character.
    const signature = Buffer.from(text, 'hex');
    return 2 * signature.length === digits ? signature : null;
  };
}

/** Compares in constant time. */
export function createHmacCheck(
  algorithm: Algorithm,
  secret: Uint8Array,
): (bytes: Uint8Array, signature: Uint8Array) => boolean {
  const block = algorithm === 'sha256' ? 64 : 128;
  const key = secret.length > block ? hash(algorithm, secret, 'buffer') : secret;
  const inner = Buffer.alloc(block, 0x36);
  const outer = Buffer.alloc(block + getHexLength(algorithm) / 2, 0x5c);
  for (const [at, byte] of key.entries()) for (const pad of [inner, outer]) pad[at] = (pad[at] ?? 0) ^ byte;
  return (bytes, signature) => {
    outer.write(hash(algorithm, Buffer.concat([inner, bytes]), 'binary'), block, 'binary');
    return timingSafeEqual(hash(algorithm, outer, 'buffer'), signature);
  };
}

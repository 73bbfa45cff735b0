/** The key is imported at load; a malformed header is rejected before the body is read. */
import { createHmac, createSecretKey } from 'node:crypto';
import { defineRuntime } from '../../../contract/plugin.js';
import { verifier, type Verify } from '../kind.js';
import { readHeaderName, readSingleValue, readSecret, readSignedBytes, UNSIGNED } from '../shared/settings.js';
import { ALGORITHMS, DEFAULT_ALGORITHM } from './algorithms.light.js';
import { isSigned, createSignatureReader } from './hmac.js';

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

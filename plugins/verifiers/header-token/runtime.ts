/** Compares keyed digests, so that timing reveals neither length nor content of the secret. */
import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import { asText } from '../../../contract/json.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { getProof } from '../../../language/strings/header.js';
import { verifier, type Verify } from '../kind.js';
import { readHeaderName, readSingleValue, readSecret } from '../shared/settings.js';

const KEY = createSecretKey(randomBytes(32));

const computeDigest = (bytes: Uint8Array): Buffer => createHmac('sha256', KEY).update(bytes).digest();

export default defineRuntime(verifier, {
  create: () => ({
    needsBody: false,
    proof: ({ header_key: header }) => getProof(asText(header)),
    sign(options, { right }, tools) {
      const secret = readSecret(options, tools);
      return { [readHeaderName(options, 'header_key', tools)]: right ? secret : `${secret}x` };
    },
    plan(options, tools): Verify {
      const name = readHeaderName(options, 'header_key', tools);
      const secret = computeDigest(Buffer.from(readSecret(options, tools)));
      return (invocation) => {
        const sent = readSingleValue(invocation, name);
        if ('refused' in sent) return sent;
        // Node decodes header bytes as Latin-1.
        const given = computeDigest(Buffer.from(sent.value, 'latin1'));
        return timingSafeEqual(secret, given) || { refused: 'another token' };
      };
    },
  }),
});

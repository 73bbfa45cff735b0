/** Compares keyed digests, so that timing reveals neither length nor content of the secret. */
import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import { asText } from '../../../contract/json.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { proofIn } from '../../../language/strings/header.js';
import { verifier, type Verify } from '../kind.js';
import { headerOf, onlyValue, secretOf } from '../shared/settings.js';

const KEY = createSecretKey(randomBytes(32));

const digest = (bytes: Uint8Array): Buffer => createHmac('sha256', KEY).update(bytes).digest();

export default defineRuntime(verifier, {
  create: () => ({
    needsBody: false,
    proof: ({ header_key: header }) => proofIn(asText(header)),
    plan(options, tools): Verify {
      const name = headerOf(options, 'header_key', tools);
      const secret = digest(Buffer.from(secretOf(options, tools)));
      return (invocation) => {
        const sent = onlyValue(invocation, name);
        if ('refused' in sent) return sent;
        // Node decodes header bytes as Latin-1.
        const given = digest(Buffer.from(sent.value, 'latin1'));
        return timingSafeEqual(secret, given) || { refused: 'another token' };
      };
    },
  }),
});

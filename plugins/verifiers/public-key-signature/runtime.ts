/** The key is validated at load; a malformed header is rejected before the body is read. */
import { defineRuntime } from '../../../contract/plugin.js';
import { verifier, type Verify } from '../kind.js';
import { headerOf, onlyValue, refuseSetting, settingOf, signedBytes, UNSIGNED } from '../shared/settings.js';
import { isSignedBy, rsaKey, signatureOf } from './rsa.js';

export default defineRuntime(verifier, {
  create: () => ({
    needsBody: true,
    plan(options, tools): Verify {
      const name = headerOf(options, 'header_key', tools);
      const judged = rsaKey(settingOf(options, 'public_key_pem', tools));
      const key = typeof judged === 'string' ? refuseSetting('public_key_pem', tools, judged) : judged;
      return async (invocation) => {
        const sent = onlyValue(invocation, name);
        if ('refused' in sent) return sent;
        const signature = signatureOf(sent.value, key);
        if (signature === null) return { refused: 'the signature has another form' };
        const bytes = await signedBytes(invocation, options);
        if (bytes === null) return UNSIGNED;
        return isSignedBy(key, bytes, signature) || { refused: 'the signature does not fit' };
      };
    },
  }),
});

/** The key is validated at load; a malformed header is rejected before the body is read. */
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
import { isSignedBy, parseRsaKey, parseSignature } from './rsa.js';

export default defineRuntime(verifier, {
  create: () => ({
    needsBody: true,
    plan(options, tools): Verify {
      const name = readHeaderName(options, 'header_key', tools);
      const judged = parseRsaKey(readSetting(options, 'public_key_pem', tools));
      const key = typeof judged === 'string' ? throwSettingError('public_key_pem', tools, judged) : judged;
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
  }),
});

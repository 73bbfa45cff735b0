/** The key is validated at load; a malformed header is rejected before the body is read. */
import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';
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
import { isSignedBy, signBytes, parseRsaKey, parseSignature } from './rsa.js';

export default defineRuntime(verifier, {
  create: ({ tests }) => {
    /** In `lintel test`, the sender is the test, and no test has the private key of the real sender. */
    let pair: KeyPairKeyObjectResult | null = null;
    const getPair = (): KeyPairKeyObjectResult => (pair ??= generateKeyPairSync('rsa', { modulusLength: 2048 }));
    return {
      needsBody: true,
      sign(options, { target, body, right }, tools) {
        const signed = options['path'] === 'signed' ? [Buffer.from(`${target}\n`), body] : [body];
        const bytes = Buffer.concat(right ? signed : [...signed, Buffer.from(' ')]);
        return { [readHeaderName(options, 'header_key', tools)]: signBytes(getPair().privateKey, bytes) };
      },
      plan(options, tools): Verify {
        const name = readHeaderName(options, 'header_key', tools);
        const judged = parseRsaKey(readSetting(options, 'public_key_pem', tools));
        const real = typeof judged === 'string' ? throwSettingError('public_key_pem', tools, judged) : judged;
        const key = tests === true ? getPair().publicKey : real;
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
    };
  },
});

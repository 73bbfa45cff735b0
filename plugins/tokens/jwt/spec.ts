/** Spec of `JWT`: signed tokens (RFC 7519) in compact form. */
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { asText } from '../../../contract/json.js';
import { isSampleSecret } from '../../../language/strings/sample-secrets.js';
import { shape, text } from '../../../contract/combinators.js';
import { getByteLength, findKeyFlaw, TOK_KEY, getVariableName } from '../shared/keys.light.js';
import { ALGORITHMS, DEFAULT_ALGORITHM, isShared, getMinKeyBytes } from './algorithms.light.js';

export default definePlugin({
  kind: 'token',
  name: 'JWT',
  aliases: ['BEARER', 'JSONWEBTOKEN'],
  since: '0.2.0',
  summary: 'Signed tokens. Their holder can read the claims, but not change them.',
  details:
    'HS algorithms use one secret, which should have as many bytes as the hash (32 for HS256). RS, ES and EdDSA use a ' +
    'key in PEM form: the private key where tokens are issued, the public key where they are only validated. A token ' +
    'must have exactly the algorithm of the definition.',
  facts: { algorithms: ALGORITHMS, algorithm: DEFAULT_ALGORITHM },
  schema: shape({
    algorithm: text({ doc: 'How tokens are signed.', default: DEFAULT_ALGORITHM, examples: ['HS256'] }).oneOf(
      ALGORITHMS,
    ),
  }),
  check,
  errors: {
    TOK_KEY,
    TOK_KEY_SHORT: {
      severity: 'warning',
      title: 'Short key',
      message: 'The key has {actual} bytes; {algorithm} is only as strong as it can be with {min} or more.',
      help: 'A key that is too short can be guessed from one token. Generate a random one, such as `openssl rand -base64 48`.',
    },
  },
  examples: [
    {
      title: 'A day, with two claims',
      json: {
        type: 'JWT',
        algorithm: 'HS256',
        expiration: 86_400,
        encryption_key: '$ENV.EXAMPLE_KEY',
        custom_claim_fields: ['id', 'name'],
      },
    },
    { title: 'Only the required fields', json: { type: 'JWT', encryption_key: '$ENV.EXAMPLE_KEY' } },
  ],
  counterExamples: [
    {
      title: 'No signature at all',
      json: { type: 'JWT', algorithm: 'none', encryption_key: '$ENV.EXAMPLE_KEY' },
      code: 'DEF_VALUE',
      at: '/algorithm',
    },
    { title: 'A blank key', json: { type: 'JWT', encryption_key: ' ' }, code: 'TOK_KEY', at: '/encryption_key' },
    {
      title: 'A key from the caller',
      json: { type: 'JWT', encryption_key: '$PAYLOAD.key' },
      code: 'ACC_NOT_HERE',
      at: '/encryption_key',
    },
  ],
});

/** Of an environment variable only the length is checked; sample secrets are reported elsewhere. */
function check({ value, holder, env }: CheckPlace): Finding[] {
  const key = asText(holder['encryption_key']);
  const at = '/encryption_key';
  const algorithm = asText(value['algorithm'] ?? DEFAULT_ALGORITHM);
  const variable = getVariableName(key);
  const flaw = variable === null && key !== '' && !isSampleSecret(key) ? findKeyFlaw(key) : null;
  if (flaw !== null) return [{ code: 'TOK_KEY', at, params: { place: '`tokenize`', what: flaw } }];
  if (!isShared(algorithm) || key === '') return [];
  const fact = variable === null ? null : env(variable);
  const min = getMinKeyBytes(algorithm);
  // A blank variable is reported as such.
  if (fact?.blank === true || fact?.hasBytes(min) === true) return [];
  const actual = variable === null ? getByteLength(key) : fact?.bytes;
  return actual !== undefined && actual < min
    ? [{ code: 'TOK_KEY_SHORT', at, params: { actual, algorithm, min } }]
    : [];
}

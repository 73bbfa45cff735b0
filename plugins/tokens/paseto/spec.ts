/** Spec of `PASETO`: encrypted tokens, version 4, purpose `local`. */
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { asText } from '../../../contract/json.js';
import { isSampleSecret } from '../../../language/strings/sample-secrets.js';
import { shape, text } from '../../../contract/combinators.js';
import { TOK_KEY, getVariableName } from '../shared/keys.light.js';
import { findLengthProblem, findLocalKeyFlaw } from './key.light.js';

export default definePlugin({
  kind: 'token',
  name: 'PASETO',
  since: '0.2.0',
  summary: 'Encrypted tokens (v4.local). Their holder can neither read nor change the claims.',
  details:
    'The key has exactly 32 characters; with the prefix `hex:` or `base64:` it is 32 arbitrary bytes. Tokens of ' +
    'another version or purpose are rejected.',
  facts: { algorithms: ['v4.local'], algorithm: 'v4.local' },
  schema: shape({
    algorithm: text({ doc: 'Version and purpose.', default: 'v4.local', examples: ['v4.local'] }).oneOf(['v4.local']),
  }),
  check,
  errors: { TOK_KEY },
  examples: [
    {
      title: 'An hour, with one claim',
      json: { type: 'PASETO', encryption_key: '$ENV.EXAMPLE_KEY', custom_claim_fields: ['id'] },
    },
  ],
  counterExamples: [
    {
      title: 'Another version',
      json: { type: 'PASETO', algorithm: 'v2.local', encryption_key: '$ENV.EXAMPLE_KEY' },
      code: 'DEF_VALUE',
      at: '/algorithm',
    },
    {
      title: 'A key that is too short',
      json: { type: 'PASETO', encryption_key: 'thirty-one characters are few..' },
      code: 'TOK_KEY',
      at: '/encryption_key',
    },
  ],
});

/** Of an environment variable only the length is checked, plain or prefixed. */
function check({ holder, env }: CheckPlace): Finding[] {
  const key = asText(holder['encryption_key']);
  const variable = getVariableName(key);
  if (key === '' || (variable === null && isSampleSecret(key))) return [];
  const fact = variable === null ? null : env(variable);
  const what =
    variable === null ? findLocalKeyFlaw(key) : fact === null || fact.blank ? null : findLengthProblem(fact.length);
  return what === null ? [] : [{ code: 'TOK_KEY', at: '/encryption_key', params: { place: '`tokenize`', what } }];
}

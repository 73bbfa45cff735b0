/** Spec of `$ENV`: an environment variable, read once at load. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'accessor',
  name: 'ENV',
  since: '0.1.0',
  summary: 'An environment variable: `$ENV.API_KEY`. Read once, when the definitions are loaded.',
  details:
    'If a variable is not set, the start fails. Values are secret: they cannot be used where they would be returned.',
  facts: { tail: 'env', secret: true, aliases: ['ENVIRONMENT', 'PROCESS', 'ENVS', 'SECRET', 'SECRETS', 'CONFIG'] },
  examples: [{ title: 'A variable', json: '$ENV.EXAMPLE_KEY' }],
  counterExamples: [
    { title: 'No variable named', json: '$ENV', code: 'ACC_TAIL', at: '' },
    { title: 'A variable that is not set', json: '$ENV.NOT_SET_ANYWHERE', code: 'ENV_MISSING', at: '' },
  ],
});

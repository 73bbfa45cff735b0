/** Spec of `UUID`, version 4. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'generator',
  name: 'UUID',
  since: '0.1.0',
  summary: 'A random UUID, version 4 (RFC 9562).',
  facts: {
    length: 36,
    pattern: '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}',
    sortable: false,
    guessable: false,
  },
  examples: [{ title: 'A random identifier', json: '$GENERATOR.UUID' }],
  counterExamples: [{ title: 'Names are upper case', json: '$GENERATOR.Uuid', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
});

/** Spec of `STRING`. */
import { definePlugin } from '../../../contract/plugin.js';
import { lengthBounds } from '../shared/bounds.light.js';
import { createTextSchema } from '../shared/rule-schemas.light.js';

export default definePlugin({
  kind: 'validation-type',
  name: 'STRING',
  aliases: ['TEXT', 'VARCHAR'],
  since: '0.1.0',
  summary: 'Text. Bounds count characters (code points) of the value as it was sent, or of its `canonical` form.',
  facts: { jsType: 'string', bounded: true },
  schema: lengthBounds,
  openapi: ({ value }) => ({ value: createTextSchema(value) }),
  examples: [
    { title: 'A name, in lower case and trimmed', json: { type: 'STRING', canonical: ['trim', 'lower'] } },
    { title: 'Any text', json: { type: 'STRING' } },
    { title: 'Bounded text', json: { type: 'STRING', min_length: 1, max_length: 80 } },
  ],
  counterExamples: [
    { title: 'A bound as text', json: { type: 'STRING', max_length: '80' }, code: 'DEF_TYPE', at: '/max_length' },
  ],
});

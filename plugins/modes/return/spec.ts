/** Spec of mode `RETURN`: a value written in the definition, with accessors. An extension of the interface. */
import { definePlugin } from '../../../contract/plugin.js';
import { ActionPhase } from '../../../contract/slot.js';
import { splitForms } from '../../../contract/forms.js';
import { shape, value } from '../../../contract/combinators.js';

const VALUE = { say: 'what is given is `"value"`', rename: 'value' };

export default definePlugin({
  kind: 'mode',
  name: 'RETURN',
  aliases: ['RESPONSE', 'RESPOND', 'REPLY', 'STATIC', 'CONSTANT', 'VALUE'],
  since: '0.1.0',
  summary: 'Gives a value written in the definition: constants, accessors, or both.',
  details: 'An extension: for health answers, echoes, and for shaping what other actionables produced.',
  facts: { touches: 'nothing' },
  schema: shape({
    value: value(null, {
      doc: 'Any JSON; strings in it may hold accessors.',
      examples: [{ status: 'ok', at: '$DATETIME' }],
      leaves: true,
    }).required(),
  }).meta({ doc: 'What is given.', mistaken: { body: VALUE, response: VALUE, data: VALUE, result: VALUE } }),
  openapi: ({ value: { value: written }, written: schemaOf }) => ({
    changes: [{ phase: ActionPhase.EXECUTE, change: () => splitForms(schemaOf(written ?? null)) }],
  }),
  examples: [{ title: 'A health answer', json: { mode: 'RETURN', value: { status: 'ok', at: '$DATETIME' } } }],
  counterExamples: [
    { title: 'Nothing to return', json: { mode: 'RETURN' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'A secret would leave',
      json: { mode: 'RETURN', value: { key: '$ENV.EXAMPLE_KEY' } },
      code: 'ACC_NOT_HERE',
      at: '/value/key',
    },
  ],
});

/** Mode `RETURN`: a value written in the definition. An extension of the interface. */
import { definePlugin } from '../../../contract/plugin.js';
import { ActionPhase } from '../../../contract/slot.js';
import { splitForms } from '../../../contract/forms.js';
import { shape, value } from '../../../contract/combinators.js';

const VALUE = { say: 'the returned value is `"value"`', rename: 'value' };

export default definePlugin({
  kind: 'mode',
  name: 'RETURN',
  aliases: ['RESPONSE', 'RESPOND', 'REPLY', 'STATIC', 'CONSTANT', 'VALUE'],
  since: '0.1.0',
  summary: 'Returns a value from the definition: constants, accessors, or both.',
  details: 'An extension: for health checks, echoes, and for shaping the results of other actionables.',
  facts: { touches: 'nothing', returns: 'value' },
  schema: shape({
    value: value(null, {
      doc: 'Any JSON; its strings may contain accessors.',
      examples: [{ status: 'ok', at: '$DATETIME' }],
      leaves: true,
    }).required(),
  }).meta({ doc: 'The value to return.', mistaken: { body: VALUE, response: VALUE, data: VALUE, result: VALUE } }),
  openapi: ({ value: { value: written }, written: schemaOf }) => ({
    repeatable: true,
    changes: [{ phase: ActionPhase.EXECUTE, change: () => splitForms(schemaOf(written ?? null)) }],
  }),
  examples: [{ title: 'A health check', json: { mode: 'RETURN', value: { status: 'ok', at: '$DATETIME' } } }],
  counterExamples: [
    { title: 'Nothing to return', json: { mode: 'RETURN' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'A secret in the response',
      json: { mode: 'RETURN', value: { key: '$ENV.EXAMPLE_KEY' } },
      code: 'ACC_NOT_HERE',
      at: '/value/key',
    },
  ],
});

/** Wraps results with a success flag and a message. */
import { definePlugin } from '../../../contract/plugin.js';
import { ResourcePhase } from '../../../contract/slot.js';
import { combineForms, createObjectSchema } from '../../../contract/forms.js';
import { shape, text } from '../../../contract/combinators.js';

export default definePlugin({
  kind: 'envelope',
  name: 'success-message-data',
  since: '0.1.0',
  summary: 'Returns `{"success": true, "message": "...", "data": <result>}`.',
  schema: shape({
    message: text({
      doc: 'The message of every successful response.',
      default: 'Operation successful',
      examples: ['OK'],
    }),
  }),
  openapi: () => ({
    changes: [
      {
        phase: ResourcePhase.SETTLE,
        order: 1000,
        change: (forms) => [
          createObjectSchema({
            success: { type: 'boolean', const: true },
            message: { type: 'string' },
            data: combineForms(forms),
          }),
        ],
      },
    ],
  }),
  examples: [
    { title: 'By name', json: 'success-message-data' },
    { title: 'With another message', json: { use: 'success-message-data', message: 'OK' } },
  ],
  counterExamples: [
    {
      title: 'A message that is not text',
      json: { use: 'success-message-data', message: 1 },
      code: 'DEF_TYPE',
      at: '/message',
    },
  ],
});

/** Wraps the body of every success, last of all taps. */
import { Stage } from '../../../kernel/contract/slot.js';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { envelope } from '../../kinds/envelope.js';

export default defineRuntime(envelope, {
  register(hooks, { options }) {
    const message = typeof options['message'] === 'string' ? options['message'] : 'Operation successful';
    hooks.tap('reply', (reply) => ({ ...reply, body: { success: true, message, data: reply.body } }), {
      stage: Stage.LAST,
    });
  },
});

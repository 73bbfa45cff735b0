/** Wraps the body of every successful response, after all other hooks. */
import { Stage } from '../../../contract/slot.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { envelope } from '../kind.js';

export default defineRuntime(envelope, {
  register(hooks, { options }) {
    const message = typeof options['message'] === 'string' ? options['message'] : 'Operation successful';
    hooks.tap(
      'reply',
      (reply, { connection }) =>
        connection === null ? { ...reply, body: { success: true, message, data: reply.body } } : reply,
      { stage: Stage.LAST },
    );
  },
});

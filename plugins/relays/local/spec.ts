/** Spec of the relay `local`: clients of this process only. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape } from '../../../contract/combinators.js';
import { relayErrors, relayFields } from '../shared/fields.light.js';

export default definePlugin({
  kind: 'relay',
  name: 'local',
  since: '0.4.0',
  aliases: ['memory', 'in-memory', 'embedded', 'none'],
  summary: 'Messages reach only the clients of this process.',
  details:
    'For one process. With `replay` the last messages are stored in memory; a restart removes them, and a client that ' +
    'reconnects with an older id is notified that messages may be missing.',
  facts: { shared: false },
  schema: shape(relayFields),
  openapi: () => ({ refuses: [] }),
  errors: relayErrors,
  examples: [
    { title: 'By name', json: 'local' },
    { title: 'With replay of missed messages', json: { use: 'local', replay: true, keep: 300, most: 5000 } },
  ],
  counterExamples: [
    { title: 'Seconds as text', json: { use: 'local', keep: '2m' }, code: 'DEF_TYPE', at: '/keep' },
    { title: 'Too short', json: { use: 'local', keep: 1 }, code: 'DEF_RANGE', at: '/keep' },
  ],
});

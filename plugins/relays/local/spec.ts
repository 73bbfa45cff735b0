/** Spec of the relay `local`: clients of this process only. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape } from '../../../contract/combinators.js';
import { relayErrors, relayFields } from '../shared/fields.light.js';

export default definePlugin({
  kind: 'relay',
  name: 'local',
  since: '0.4.0',
  aliases: ['memory', 'in-memory', 'embedded', 'none'],
  summary: 'Messages reach the clients of this process, and no others.',
  details:
    'Enough for one process. With `replay` the last messages are kept in memory; a restart forgets them, and a client that comes ' +
    'back with an id from before is told that some may be missing.',
  facts: { shared: false },
  schema: shape(relayFields),
  openapi: () => ({ refuses: [] }),
  errors: relayErrors,
  examples: [
    { title: 'By name', json: 'local' },
    { title: 'With what clients missed', json: { use: 'local', replay: true, keep: 300, most: 5000 } },
  ],
  counterExamples: [
    { title: 'Seconds are a number', json: { use: 'local', keep: '2m' }, code: 'DEF_TYPE', at: '/keep' },
    { title: 'Too short', json: { use: 'local', keep: 1 }, code: 'DEF_RANGE', at: '/keep' },
  ],
});

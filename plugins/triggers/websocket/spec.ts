/** Spec of the trigger `websocket`: messages of connected clients. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'trigger',
  name: 'websocket',
  since: '0.4.0',
  summary: 'Messages of clients that stay connected invoke resources.',
  details:
    'The section `websocket` of the config enables it. Clients connect on the port of HTTP; a message names a resource and ' +
    'receives the response that a request would receive.',
  facts: { section: 'websocket' },
  examples: [
    { title: 'Connections at `/ws`', json: { enabled: true } },
    { title: 'Connections with a token only', json: { enabled: true, path: '/live', force_token: true } },
  ],
  counterExamples: [
    { title: 'A path without a slash', json: { enabled: true, path: 'live' }, code: 'DEF_FORMAT', at: '/path' },
  ],
});

/** Spec of `access_log`: one line per request, message, run and connection. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'observer',
  name: 'access_log',
  since: '0.3.0',
  summary:
    'Logs one line for each request, message, run of deferred or scheduled work, and connection: id, resource, verb, status, code of a problem, milliseconds.',
  details: [
    'At level info. No value of a request is in it: no header, no address, no token, no uid, no part of a body.',
    '',
    '| line | one for each | fields |',
    '| --- | --- | --- |',
    '| `request` | request | id, trigger, resource, verb, status, code of a problem, milliseconds |',
    '| `message` | message of a client that stays connected | the same, without a verb |',
    '| `work` | run of work that was put off | the same, with the attempt; the id is that of the request that accepted it |',
    '| `scheduled run` | run that the clock began | as for a message |',
    '| `connection opened` | WebSocket connection | id, how many are open |',
    '| `connection closed` | WebSocket connection | the same, with the code of the close and milliseconds |',
    '',
    'Work that fails is told of once more, as a warning or an error, with what becomes of it; so are scheduled runs that are',
    'skipped or missed.',
  ].join('\n'),
  facts: {},
  examples: [{ title: 'By name', json: { use: 'access_log' } }],
  counterExamples: [
    { title: 'Unknown option', json: { use: 'access_log', level: 'debug' }, code: 'DEF_UNKNOWN_KEY', at: '/level' },
  ],
});

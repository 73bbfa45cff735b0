/** Spec of `access_log`: one line per request, message, run and connection. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'observer',
  name: 'access_log',
  since: '0.3.0',
  summary:
    'Logs one line for each request, message, run of deferred or scheduled work, and connection: id, resource, verb, status, code of a problem, milliseconds.',
  details: [
    'At level info. A line contains no value of a request: no header, no address, no token, no uid, no part of a',
    'body.',
    '',
    '| line | one for each | fields |',
    '| --- | --- | --- |',
    '| `request` | request | id, trigger, resource, verb, status, code of a problem, milliseconds |',
    '| `message` | message of a WebSocket client | the same, without a verb |',
    '| `work` | run of deferred work | the same, with the attempt; the id is that of the request that accepted it |',
    '| `scheduled run` | scheduled run | as for a message |',
    '| `connection opened` | WebSocket connection | id, number of open connections |',
    '| `connection closed` | WebSocket connection | the same, with the close code and milliseconds |',
    '',
    'Failed work has a second line, a warning or an error, with what happens next; so have scheduled runs that are',
    'skipped or missed.',
  ].join('\n'),
  facts: {},
  examples: [{ title: 'By name', json: { use: 'access_log' } }],
  counterExamples: [
    { title: 'Unknown option', json: { use: 'access_log', level: 'debug' }, code: 'DEF_UNKNOWN_KEY', at: '/level' },
  ],
});

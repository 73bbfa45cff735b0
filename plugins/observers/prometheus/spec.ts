/** Spec of `prometheus`: metrics on a page for a collector. */
import { string } from 'yup';
import { asText } from '../../../contract/json.js';
import { definePlugin } from '../../../contract/plugin.js';
import { shape, text, value } from '../../../contract/combinators.js';
import { getVariableName } from '../../tokens/shared/keys.light.js';

export default definePlugin({
  kind: 'observer',
  name: 'prometheus',
  since: '0.3.0',
  summary: 'Counts and times what is served; a page shows the figures in the text format of Prometheus.',
  details: [
    '| figure | labels |',
    '| --- | --- |',
    '| `lintel_requests_total` | resource, method, status |',
    '| `lintel_request_duration_seconds` | resource, method |',
    '| `lintel_action_duration_seconds` | resource, action, mode |',
    '| `lintel_problems_total` | resource, code |',
    '| `lintel_runs_total` | resource, trigger (`websocket`, `job`, `cron`), status |',
    '| `lintel_run_duration_seconds` | resource, trigger |',
    '| `lintel_connections` | - |',
    '| `lintel_connections_opened_total` | - |',
    '| `lintel_connections_closed_total` | code (of the close) |',
    '| `lintel_messages_sent_total` | action (of the broadcast) |',
    '| `lintel_messages_delivered_total`, `lintel_messages_dropped_total` | action |',
    '| `lintel_work_accepted_total` | resource |',
    '| `lintel_work_ended_total` | resource, outcome (`done`, `again`, `dead`), code |',
    '| `lintel_work` | state (`ready`, `delayed`, `running`, `dead`) |',
    '| `lintel_work_oldest_seconds` | - |',
    '| `lintel_scheduled_runs_not_begun_total` | action (key of the actionable), why (`skipped`, `missed`) |',
    '',
    'Connections and messages are those of this process. A message is delivered once for each connection that it was handed',
    'to, and dropped where a connection does not keep up: that connection is closed. The work is that of the whole queue, so',
    'all processes show the same figure; the queue is asked when the page is, every five seconds at most, and counting may end',
    'at ten thousand. `lintel_work_oldest_seconds` says how long the oldest of the work that may run has waited since then.',
    '',
    'Beside them the usual figures of a Node process. A label is a name of a definition, a verb, a status or a code; what no',
    'resource answers is counted under `-`. No address and no value of a request ever becomes a label.',
    '',
    'Without `token` the page is open to everybody who reaches the port.',
  ].join('\n'),
  facts: {},
  schema: shape({
    path: text({ doc: 'Address of the page.', default: '/metrics', examples: ['/internal/metrics'] }).matches(
      /^(\/[A-Za-z0-9._-]+)+$/,
    ),
    token: value(string().required().min(16), {
      doc: 'Whoever asks must send it: `Authorization: Bearer <token>`. At least 16 characters.',
      examples: ['$ENV.EXAMPLE_KEY'],
      roots: ['ENV'],
      secret: true,
    }),
  }),
  errors: {
    OBS_TOKEN: {
      title: 'No token',
      message: 'This page requires a bearer token.',
      help: 'Send the token of the config as `Authorization: Bearer <token>`.',
      status: 401,
    },
    OBS_TOKEN_SHORT: {
      title: 'Token too short',
      message: '"{name}" holds {length} characters, and a token needs at least {min}.',
      help: 'Put random text into the variable, such as 32 characters of a password generator.',
      severity: 'error',
    },
  },
  check: ({ value: { token }, env }) => {
    const name = getVariableName(asText(token));
    const known = name === null ? null : env(name);
    // A blank variable is reported elsewhere.
    if (name === null || known === null || known.blank || known.length >= MIN_TOKEN) return [];
    return [{ code: 'OBS_TOKEN_SHORT', at: '/token', params: { name, length: known.length, min: MIN_TOKEN } }];
  },
  examples: [
    { title: 'By name', json: { use: 'prometheus' } },
    {
      title: 'On another page, with a token',
      json: { use: 'prometheus', path: '/internal/metrics', token: '$ENV.EXAMPLE_KEY' },
    },
  ],
  counterExamples: [
    { title: 'No path', json: { use: 'prometheus', path: 'metrics' }, code: 'DEF_FORMAT', at: '/path' },
    {
      title: 'A token from a request',
      json: { use: 'prometheus', token: '$PAYLOAD.t' },
      code: 'ACC_NOT_HERE',
      at: '/token',
    },
  ],
});

const MIN_TOKEN = 16;

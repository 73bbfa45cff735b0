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
  summary: 'Counts and measures requests; a page shows the metrics in the text format of Prometheus.',
  details: [
    '| metric | labels |',
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
    'Connections and messages are counted for this process. A message is delivered once for each connection that',
    'receives it, and dropped if a connection is too slow: that connection is closed. Jobs are counted for the whole',
    'queue, so all processes show the same value; the queue is read when the page is requested, every five seconds at',
    'most, and the count may stop at ten thousand. `lintel_work_oldest_seconds` is the time that the oldest runnable',
    'job has waited.',
    '',
    'The page also has the default metrics of a Node process. A label is a name of a definition, a verb, a status or',
    'a code; requests that reach no resource are counted under `-`. An address or a value of a request is never a',
    'label.',
    '',
    'Without `token` every client that reaches the port can read the page.',
  ].join('\n'),
  facts: {},
  schema: shape({
    path: text({ doc: 'Path of the page.', default: '/metrics', examples: ['/internal/metrics'] }).matches(
      /^(\/[A-Za-z0-9._-]+)+$/,
    ),
    token: value(string().required().min(16), {
      doc: 'Token that requests must send: `Authorization: Bearer <token>`. At least 16 characters.',
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
    { title: 'Not a path', json: { use: 'prometheus', path: 'metrics' }, code: 'DEF_FORMAT', at: '/path' },
    {
      title: 'A token from a request',
      json: { use: 'prometheus', token: '$PAYLOAD.t' },
      code: 'ACC_NOT_HERE',
      at: '/token',
    },
  ],
});

const MIN_TOKEN = 16;

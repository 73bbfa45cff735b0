/** Spec of `console`: what happens in requests, on a page. */
import { string } from 'yup';
import { asText } from '../../../contract/json.js';
import { definePlugin } from '../../../contract/plugin.js';
import { flag, numeric, shape, value } from '../../../contract/combinators.js';
import { getVariableName } from '../../tokens/shared/keys.light.js';

const MIN_TOKEN = 32;

export default definePlugin({
  kind: 'observer',
  name: 'web_console',
  since: '0.6.0',
  summary: 'Records requests, messages, jobs and scheduled runs, and shows them on the page `/console`.',
  details:
    'Active by default only in `lintel dev`, which prints the address. `lintel serve` serves the page only with `token`. Recorded are the last ' +
    'requests up to the limits, in memory, with their statements, calls and times; secrets, tokens and protected fields are not shown. ' +
    '`disable` with `observer:web_console` turns it off: nothing is recorded then, and nothing costs time.',
  facts: {},
  schema: shape({
    token: value(string().required().min(16), {
      doc: 'What a reader of the console shows in `lintel serve`: random text of at least 32 characters. Without it the page is not served there.',
      examples: ['$ENV.EXAMPLE_KEY'],
      roots: ['ENV'],
      secret: true,
    }),
    writable: flag({
      doc: 'In `lintel serve`: jobs can be retried and removed, and schedules run, from the page.',
      default: false,
    }),
    requests: numeric({ doc: 'Maximum number of recorded requests.', unit: 'requests', default: 500 })
      .integer()
      .min(1)
      .max(100_000),
    bytes: numeric({ doc: 'Maximum size of all records, about.', unit: 'bytes', default: 8_388_608 })
      .integer()
      .min(65_536),
  }),
  errors: {
    OBS_CONSOLE: {
      title: 'No access to the console',
      message: 'The console requires its token.',
      help: 'Open the address that `lintel dev` printed, or send the token of the config as `Authorization: Bearer <token>`.',
      status: 401,
    },
    OBS_CONSOLE_SHORT: {
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
    return [{ code: 'OBS_CONSOLE_SHORT', at: '/token', params: { name, length: known.length, min: MIN_TOKEN } }];
  },
  examples: [
    { title: 'By name', json: { use: 'web_console' } },
    {
      title: 'In `lintel serve`, with fewer records',
      json: { use: 'web_console', token: '$ENV.EXAMPLE_KEY', requests: 100 },
    },
  ],
  counterExamples: [
    {
      title: 'A token from a request',
      json: { use: 'web_console', token: '$PAYLOAD.t' },
      code: 'ACC_NOT_HERE',
      at: '/token',
    },
    { title: 'No records', json: { use: 'web_console', requests: 0 }, code: 'DEF_RANGE', at: '/requests' },
  ],
});

/** Spec of `run_in_background`: the work runs after the response. */
import { definePlugin } from '../../../contract/plugin.js';
import { flag, shape } from '../../../contract/combinators.js';
import { isObject } from '../../../contract/json.js';
import { checkDeferred } from '../shared/deferred-checks.light.js';
import { deferredErrors } from '../shared/deferred-errors.light.js';
import { queueErrors } from '../../queues/kind.js';

const SWITCH = {
  say: 'work after the response is marked `"run_in_background": true`',
  rename: 'run_in_background',
};
const SWITCHED = { say: SWITCH.say, means: 'run_in_background' };
const INVENTED = {
  background: SWITCH,
  async: SWITCH,
  fire_and_forget: SWITCH,
  is_background: SWITCH,
  detached: SWITCH,
  deferred: SWITCH,
  await: SWITCHED,
  wait: SWITCHED,
  blocking: SWITCHED,
};

export default definePlugin({
  kind: 'feature',
  name: 'run_in_background',
  since: '0.4.0',
  summary: 'Returns the response immediately and runs the work afterwards.',
  details:
    'The response is 202 with `{"accepted": true, "id": "..."}`. Guards and rules are checked before it: a rejected ' +
    'request is never accepted. Once the response is sent, the work is durable: it runs at least once, in this or ' +
    'another process, even if all of them stop in between. Failed work is retried (`retries`, 4 by default), and then ' +
    'kept for operators (`lintel jobs`). On an actionable, only that one is deferred, with the `no_op` ones it needs; ' +
    'the others run in the foreground and provide the response, with 200. Payload, claims, headers and values are ' +
    'stored as they were when the work was accepted, without secrets: `hashables` and `ciphers` of the actionable run ' +
    'first. Files are always stored before the response.',
  facts: { applies: 'when-present' },
  requires: ['feature:queue'],
  slots: {
    resource: shape(
      {
        run_in_background: flag({
          doc: 'The whole resource runs after the response, which confirms that the work was accepted.',
          default: false,
          form: 'true',
        }),
      },
      { mistaken: INVENTED },
    ),
    actionable: shape(
      { run_in_background: flag({ doc: 'This actionable runs after the response.', default: false, form: 'true' }) },
      { mistaken: INVENTED },
    ),
  },
  timing: ({ value }) => (value['run_in_background'] === true ? 'later' : null),
  // Next to `queue`, that feature reports.
  check: (place) =>
    place.value['run_in_background'] === true && !isObject(place.holder['queue'])
      ? checkDeferred(place, 'run_in_background')
      : [],
  openapi: ({ value }) => ({ refuses: value['run_in_background'] === true ? ['JOB_AWAY', 'JOB_TOO_LARGE'] : [] }),
  errors: { ...deferredErrors, ...queueErrors },
  examples: [
    { title: 'One actionable', json: { run_in_background: true } },
    {
      title: 'A call that the caller does not wait for',
      json: {
        mode: 'HTTPREQUEST',
        run_in_background: true,
        http: { url: 'https://hooks.example.com/orders', method: 'POST', request_body: { order: 4711 } },
      },
    },
  ],
  counterExamples: [
    {
      title: 'Text instead of true or false',
      json: { run_in_background: 'yes' },
      code: 'DEF_TYPE',
      at: '/run_in_background',
    },
    {
      title: 'The main result',
      json: { run_in_background: true, main_returnable: true },
      code: 'LTR_MAIN',
      at: '/main_returnable',
    },
    {
      title: 'A check of a password after the response',
      json: {
        run_in_background: true,
        verify_hashables: [{ property: 'password', algorithm: 'BCRYPT' }],
      },
      code: 'LTR_VERIFY',
      at: '/verify_hashables',
    },
    {
      title: 'The header that carries the token',
      json: { run_in_background: true, value: '$HEADER.authorization' },
      code: 'LTR_CREDENTIAL',
      at: '/value',
    },
  ],
});

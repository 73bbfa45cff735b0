/** Spec of `run_in_background`: the work runs after the response. */
import { definePlugin } from '../../../contract/plugin.js';
import { flag, shape } from '../../../contract/combinators.js';
import { isObject } from '../../../contract/json.js';
import { checkDeferred } from '../shared/deferred-checks.light.js';
import { laterErrors } from '../shared/deferred-errors.light.js';
import { queueErrors } from '../../queues/kind.js';

const SWITCH = {
  say: 'work that goes on after the answer is marked `"run_in_background": true`',
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
  summary: 'The request is answered at once; the work is done behind the answer.',
  details:
    'The answer is 202 with `{"accepted": true, "id": "..."}`. Guards and rules are judged before: what they refuse is never ' +
    'accepted. Once the answer is sent the work is durable: it is done at least once, by this process or another, also when ' +
    'all of them end meanwhile; what fails is tried again (`retries`, 4 by default), and kept where operators find it ' +
    '(`lintel jobs`). On an actionable, only that one is put off, with the `no_op` ones it needs; where others are done for ' +
    'the answer, theirs is the answer, with 200. Payload, claims, headers and values travel as they were when the work was ' +
    'accepted, and no secret with them: `hashables` and `ciphers` of the actionable are done first. Files are always ' +
    'stored for the answer.',
  facts: { applies: 'when-present' },
  requires: ['feature:queue'],
  slots: {
    resource: shape(
      {
        run_in_background: flag({
          doc: 'Everything is done behind the answer, which says that it was accepted.',
          default: false,
          form: 'true',
        }),
      },
      { mistaken: INVENTED },
    ),
    actionable: shape(
      { run_in_background: flag({ doc: 'This actionable is done behind the answer.', default: false, form: 'true' }) },
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
  errors: { ...laterErrors, ...queueErrors },
  examples: [
    { title: 'One actionable', json: { run_in_background: true } },
    {
      title: 'A call that the caller need not wait for',
      json: {
        mode: 'HTTPREQUEST',
        run_in_background: true,
        http: { url: 'https://hooks.example.com/orders', method: 'POST', request_body: { order: 4711 } },
      },
    },
  ],
  counterExamples: [
    { title: 'A switch', json: { run_in_background: 'yes' }, code: 'DEF_TYPE', at: '/run_in_background' },
    {
      title: 'The main result',
      json: { run_in_background: true, main_returnable: true },
      code: 'LTR_MAIN',
      at: '/main_returnable',
    },
    {
      title: 'Compared when nobody can be refused',
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

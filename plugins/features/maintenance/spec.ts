/** Spec of `maintenance`: disables an endpoint without removing it. */
import { flag, shape } from '../../../contract/combinators.js';
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'feature',
  name: 'maintenance',
  since: '0.2.0',
  summary: 'The endpoint returns 503 with `Retry-After` for every request.',
  details:
    'Nothing of the resource runs: resources that use its actionables by `depends_on` return 503 too, its jobs wait ' +
    'without using an attempt, and scheduled runs wait for their next time.',
  facts: { applies: 'when-present', holds: 'work' },
  slots: { resource: shape({ maintenance: flag({ doc: 'Return 503 for every request.', default: false }) }) },
  openapi: ({ value }) => ({
    repeatable: true,
    refuses:
      value['maintenance'] === true
        ? [{ code: 'RES_MAINTENANCE', headers: { 'retry-after': 'Seconds after which to ask again.' } }]
        : [],
    ...(value['maintenance'] === true && { notes: ['In maintenance: every request gets 503.'] }),
  }),
  errors: {
    RES_MAINTENANCE: {
      status: 503,
      title: 'Under maintenance',
      message: 'This endpoint is under maintenance.',
      help: 'Send the request again later.',
    },
  },
  examples: [{ title: 'In service; `true` takes the endpoint out of service', json: { maintenance: false } }],
  counterExamples: [
    { title: 'Text instead of true or false', json: { maintenance: 'soon' }, code: 'DEF_TYPE', at: '/maintenance' },
  ],
});

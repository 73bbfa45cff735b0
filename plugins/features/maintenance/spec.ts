/** Spec of `maintenance`: disables an endpoint without removing it. */
import { flag, shape } from '../../../contract/combinators.js';
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'feature',
  name: 'maintenance',
  since: '0.2.0',
  summary: 'The endpoint answers 503 with `Retry-After`, whoever asks and whatever is sent.',
  details:
    'Nothing of the resource runs: resources that reach its actionables by `depends_on` answer 503 too, its jobs wait ' +
    'without spending a try, and what the clock begins waits for its next time.',
  facts: { applies: 'when-present', holds: 'work' },
  slots: { resource: shape({ maintenance: flag({ doc: 'Answer 503 to everybody.', default: false }) }) },
  openapi: ({ value }) => ({
    refuses:
      value['maintenance'] === true
        ? [{ code: 'RES_MAINTENANCE', headers: { 'retry-after': 'Seconds after which to ask again.' } }]
        : [],
    ...(value['maintenance'] === true && { notes: ['Under maintenance: whoever asks is refused with 503.'] }),
  }),
  errors: {
    RES_MAINTENANCE: {
      status: 503,
      title: 'Under maintenance',
      message: 'This endpoint is under maintenance.',
      help: 'Send the request again later.',
    },
  },
  examples: [{ title: 'In service again; `true` takes it out', json: { maintenance: false } }],
  counterExamples: [
    { title: 'A switch, not a text', json: { maintenance: 'soon' }, code: 'DEF_TYPE', at: '/maintenance' },
  ],
});

/** Spec of the cache `memory`: stored in this process only. */
import { definePlugin } from '../../../contract/plugin.js';
import { numeric, shape } from '../../../contract/combinators.js';
import { cacheErrors } from '../shared/errors.light.js';

export default definePlugin({
  kind: 'cache',
  name: 'memory',
  since: '0.3.0',
  summary: 'Cached results, counters and revoked tokens in the memory of the process.',
  details: [
    'For one process: another one sees nothing of it, and a restart forgets everything. Of cached results those that were not',
    'asked for longest make room for new ones. Counters and revoked tokens are kept apart, so that no number of results pushes',
    'them out.',
  ].join('\n'),
  facts: { shared: false },
  schema: shape({
    max_entries: numeric({ doc: 'Cached results at most.', unit: 'entries', default: 10_000 })
      .integer()
      .min(1)
      .max(1_000_000),
    max_bytes: numeric({
      doc: 'All cached results together, keys included. A result larger than this is not kept.',
      unit: 'bytes',
      default: 67_108_864,
    })
      .integer()
      .min(1024),
  }),
  errors: cacheErrors,
  examples: [
    { title: 'By name', json: 'memory' },
    { title: 'With more room', json: { use: 'memory', max_entries: 50_000, max_bytes: 268_435_456 } },
  ],
  counterExamples: [
    {
      title: 'Bytes are a number',
      json: { use: 'memory', max_bytes: '64MB' },
      code: 'DEF_TYPE',
      at: '/max_bytes',
    },
  ],
});

/** Spec of the cache `memory`: stored in this process only. */
import { definePlugin } from '../../../contract/plugin.js';
import { numeric, shape } from '../../../contract/combinators.js';
import { cacheErrors } from '../shared/errors.light.js';

export default definePlugin({
  kind: 'cache',
  name: 'memory',
  since: '0.3.0',
  summary: 'Stores cached results, counters and revoked tokens in the memory of the process.',
  details:
    'For one process: other processes do not see the data, and a restart removes it. When the cache is full, the ' +
    'least recently used results are removed. Counters and revoked tokens are stored separately, so cached results ' +
    'never displace them.',
  facts: { shared: false },
  schema: shape({
    max_entries: numeric({ doc: 'Maximum number of cached results.', unit: 'entries', default: 10_000 })
      .integer()
      .min(1)
      .max(1_000_000),
    max_bytes: numeric({
      doc: 'Maximum size of all cached results with their keys. A result larger than this is not cached.',
      unit: 'bytes',
      default: 67_108_864,
    })
      .integer()
      .min(1024),
  }),
  errors: cacheErrors,
  examples: [
    { title: 'By name', json: 'memory' },
    { title: 'With a larger size', json: { use: 'memory', max_entries: 50_000, max_bytes: 268_435_456 } },
  ],
  counterExamples: [
    {
      title: 'A size as text',
      json: { use: 'memory', max_bytes: '64MB' },
      code: 'DEF_TYPE',
      at: '/max_bytes',
    },
  ],
});

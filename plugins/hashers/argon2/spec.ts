/** Spec of `ARGON2`: argon2id, which costs memory and time. */
import { isObject } from '../../../contract/json.js';
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { numeric, shape } from '../../../contract/combinators.js';
import { hasherErrors } from '../shared/errors.light.js';
import { salt } from '../shared/fields.light.js';

const DEFAULT_MEMORY = 19_456;
const DEFAULT_TIME = 2;
/** Memory times passes of the lowest recommended setting (7 MiB, 5 passes). */
const ADVISED = 7168 * 5;

export default definePlugin({
  kind: 'hasher',
  name: 'ARGON2',
  since: '0.2.0',
  summary: 'argon2id, written as `$argon2id$v=19$`. Costs memory as well as time; takes text of any length.',
  details:
    'A hash contains its parameters, so hashes with other parameters verify too. Variants other than argon2id are ' +
    'rejected.',
  facts: { conceals: '\\$argon2(?:id|i|d)\\$v=\\d+\\$m=' },
  slots: {
    'hashables.item': shape({
      options: shape({
        memory_cost: numeric({ doc: 'Memory of one hash.', unit: 'KiB', default: DEFAULT_MEMORY, examples: [19_456] })
          .integer()
          .min(128)
          .max(1_048_576),
        time_cost: numeric({ doc: 'Passes over the memory.', default: DEFAULT_TIME, examples: [2] })
          .integer()
          .min(1)
          .max(64),
        parallelism: numeric({ doc: 'Threads that work on one hash.', default: 1, examples: [1] })
          .integer()
          .min(1)
          .max(16),
        salt,
      }).meta({ doc: 'How the hash is made.' }),
    }),
  },
  check,
  errors: {
    ...hasherErrors,
    ARG_WEAK: {
      severity: 'hint',
      title: 'Cheap hash',
      message: 'A memory_cost of {memory} with a time_cost of {passes} makes guessing cheap; 19456 with 2 is usual.',
      help: 'Raise `memory_cost`, or `time_cost` where memory is short.',
    },
  },
  examples: [
    { title: 'With its defaults', json: { algorithm: 'ARGON2' } },
    {
      title: 'Less memory, more passes, a salt from the environment',
      json: { algorithm: 'ARGON2', options: { memory_cost: 7168, time_cost: 5, salt: '$ENV.EXAMPLE_KEY' } },
    },
  ],
  counterExamples: [
    {
      title: 'An option of another algorithm',
      json: { algorithm: 'ARGON2', options: { rounds_cost: 12 } },
      code: 'DEF_UNKNOWN_KEY',
      at: '/options/rounds_cost',
    },
    {
      title: 'Too little memory',
      json: { algorithm: 'ARGON2', options: { memory_cost: 128 } },
      code: 'ARG_WEAK',
      at: '/options/memory_cost',
    },
  ],
});

function check({ value: { options } }: CheckPlace): Finding[] {
  if (!isObject(options)) return [];
  const { memory_cost: memory = DEFAULT_MEMORY, time_cost: passes = DEFAULT_TIME } = options;
  if (typeof memory !== 'number' || typeof passes !== 'number' || memory * passes >= ADVISED) return [];
  const at = options['memory_cost'] === undefined ? '/options/time_cost' : '/options/memory_cost';
  return [{ code: 'ARG_WEAK', at, params: { memory, passes } }];
}

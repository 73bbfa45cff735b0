/** Spec of `BCRYPT`. Each step of `rounds_cost` doubles the work. */
import { isObject } from '../../../contract/json.js';
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { numeric, shape } from '../../../contract/combinators.js';
import { hasherErrors } from '../shared/errors.light.js';
import { salt } from '../shared/fields.light.js';

const WEAK_BELOW = 10;
const SLOW_ABOVE = 14;
/** Milliseconds of one processor at cost 10 on a typical machine. */
const MILLISECONDS_AT_10 = 45;

export default definePlugin({
  kind: 'hasher',
  name: 'BCRYPT',
  // Suggests this plugin for hashes that are unsuitable or unavailable for passwords.
  aliases: ['SHA1', 'SHA256', 'SHA512', 'MD5', 'SCRYPT', 'PBKDF2'],
  since: '0.2.0',
  summary: 'bcrypt, written as `$2b$`. Takes at most 72 bytes; longer passwords are rejected with 422.',
  details:
    'Hashes that begin with `$2a$`, `$2b$` or `$2y$` are verified in the same way; `$2x$` is rejected. Text is hashed ' +
    'as it was sent, without normalisation. A sign-in with more than 72 bytes fails, even if another system has cut ' +
    'the password.',
  facts: { maxBytes: 72, conceals: '\\$2[abxy]\\$\\d\\d\\$[./A-Za-z0-9]{53}' },
  slots: {
    'hashables.item': shape({
      options: shape({
        rounds_cost: numeric({ doc: 'Each step doubles the work; 12 takes about 180 ms.', default: 12, examples: [12] })
          .integer()
          .min(4)
          .max(31),
        salt,
      }).meta({ doc: 'How the hash is made.' }),
    }),
  },
  check,
  errors: {
    ...hasherErrors,
    HSH_WEAK: {
      severity: 'hint',
      title: 'Cheap hash',
      message: 'A rounds_cost of {cost} makes guessing cheap; 12 is usual.',
      help: 'Use at least 10, and more as machines get faster.',
    },
    HSH_SLOW: {
      severity: 'warning',
      title: 'Slow hash',
      message: 'A rounds_cost of {cost} takes a processor about {milliseconds} ms for each sign-up and sign-in.',
      help: 'Each step doubles the time; 12 is usual.',
    },
  },
  examples: [
    { title: 'The usual cost', json: { algorithm: 'BCRYPT', options: { rounds_cost: 12 } } },
    {
      title: 'With a salt from the environment',
      json: { algorithm: 'BCRYPT', options: { rounds_cost: 10, salt: '$ENV.EXAMPLE_KEY' } },
    },
  ],
  counterExamples: [
    {
      title: 'Too cheap',
      json: { algorithm: 'BCRYPT', options: { rounds_cost: 3 } },
      code: 'DEF_RANGE',
      at: '/options/rounds_cost',
    },
    {
      title: 'A salt from the caller',
      json: { algorithm: 'BCRYPT', options: { salt: '$PAYLOAD.salt' } },
      code: 'ACC_NOT_HERE',
      at: '/options/salt',
    },
    {
      title: 'Very slow',
      json: { algorithm: 'BCRYPT', options: { rounds_cost: 16 } },
      code: 'HSH_SLOW',
      at: '/options/rounds_cost',
    },
  ],
});

function check({ value: { options } }: CheckPlace): Finding[] {
  const cost = isObject(options) ? options['rounds_cost'] : undefined;
  const at = '/options/rounds_cost';
  if (typeof cost !== 'number') return [];
  if (cost < WEAK_BELOW) return [{ code: 'HSH_WEAK', at, params: { cost } }];
  const milliseconds = MILLISECONDS_AT_10 * 2 ** (cost - 10);
  return cost > SLOW_ABOVE ? [{ code: 'HSH_SLOW', at, params: { cost, milliseconds } }] : [];
}

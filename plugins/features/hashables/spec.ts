/** Replaces payload fields by their hash before the actionable. */
import { definePlugin } from '../../../contract/plugin.js';
import { list, shape } from '../../../contract/combinators.js';
import { protectedProperty as property } from '../../hashers/shared/fields.light.js';
import { check } from './check.light.js';

export default definePlugin({
  kind: 'feature',
  name: 'hashables',
  since: '0.2.0',
  summary: 'Payload fields that are replaced by their hash before this actionable uses them.',
  details:
    'Each field is hashed once per request, after the rules and before any transaction begins. This actionable and ' +
    'later ones see the hash; earlier ones see the value that was sent. The value is a field of the payload, or a ' +
    'name that an actionable defines (`for`). A missing or null value is not hashed; if a query writes it, the ' +
    'request is rejected with 422, unless a rule makes it `optional`. A value that is not text is rejected with 422. ' +
    'If the body is a list, or the statement is repeated for the items of one, the field of each item is hashed, at ' +
    'most 100; `users.password` means that of every user. A hashed field is never returned unless `returnables` names ' +
    'it.',
  facts: { applies: 'when-present' },
  requires: ['hasher:*'],
  slots: {
    actionable: shape({
      hashables: list(
        shape({
          property,
        }).meta({ doc: 'A payload field and how it is hashed.', parts: ['hashables.item'] }),
        { doc: 'Payload fields that are hashed.', itemLabel: 'an entry of "hashables"' },
      ),
    }),
  },
  check,
  openapi: () => ({ refuses: ['HSH_TOO_MANY', 'VAL_PAYLOAD', 'HSH_ITEMS', 'HSH_NAME'] }),
  errors: {
    HSH_TOO_MANY: {
      status: 413,
      title: 'Too many values to hash',
      message: 'The list has more than {max} values to hash, the limit for one request.',
      help: 'Send the list in parts.',
    },
    HSH_ITEMS: {
      status: 422,
      title: 'Items that are not hashed',
      message: 'The items of the list have "{name}" themselves, and only what is sent, or has a name, is hashed.',
      help: 'Take the list out with `extract_response_for` and write its name at `multi`: items of a list with a name are hashed.',
    },
    HSH_NAME: {
      status: 422,
      title: 'Value that cannot be hashed',
      message: 'The value "{name}" cannot be hashed: it {what}.',
      help: 'It comes from another actionable (`for`); it has to be text that the algorithm takes.',
    },
    HSH_TWICE: {
      severity: 'error',
      title: 'Hashed twice',
      message: '"{property}" is already hashed by another entry of this actionable.',
      help: 'Keep one of the two.',
    },
    HSH_LONG: {
      severity: 'warning',
      title: 'Longer than the algorithm takes',
      message: 'A max_length of {length} allows text that {algorithm} rejects: its limit is {max} bytes.',
      help: 'Lower the bound, so that callers read it from the rules; letters beyond ASCII take several bytes.',
    },
    HSH_RAW_BEFORE: {
      severity: 'hint',
      title: 'Written before it is hashed',
      message: 'Actionable {action} runs before this one and writes "{property}" as it was sent.',
      help: 'Hash it in the first actionable that writes it; those after it see the hash too.',
    },
  },
  examples: [
    {
      title: 'A password',
      json: {
        payload_validation: [{ field: { password: { type: 'STRING', min_length: 8, max_length: 72 } } }],
        hashables: [{ property: 'password', algorithm: 'BCRYPT', options: { rounds_cost: 10 } }],
      },
    },
  ],
  counterExamples: [
    {
      title: 'No algorithm',
      json: { hashables: [{ property: 'password' }] },
      code: 'DEF_REQUIRED',
      at: '/hashables/0',
    },
    {
      title: 'Unknown algorithm',
      json: { hashables: [{ property: 'password', algorithm: 'BCRIPT' }] },
      code: 'DEF_UNKNOWN_PLUGIN',
      at: '/hashables/0/algorithm',
    },
    {
      title: 'Twice',
      json: {
        hashables: [
          { property: 'password', algorithm: 'ARGON2' },
          { property: 'password', algorithm: 'ARGON2' },
        ],
      },
      code: 'HSH_TWICE',
      at: '/hashables/1/property',
    },
    {
      title: 'Misspelt',
      json: {
        payload_validation: [{ field: { password: { type: 'STRING' } } }],
        hashables: [{ property: 'pasword', algorithm: 'ARGON2' }],
      },
      code: 'LNK_NO_VALUE',
      at: '/hashables/0/property',
    },
  ],
});

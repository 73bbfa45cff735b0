/** Spec of `SINGLE`: the connections of one uid. */
import type { Json } from '../../../contract/json.js';
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { shape, value } from '../../../contract/combinators.js';
import { constantErrors, checkConstantReceiver } from '../shared/receiver-names.light.js';
import { guardField, isInvalidReceiver, RECEIVER_ROOTS, receiverErrors } from '../shared/receivers.light.js';

export default definePlugin({
  kind: 'broadcast',
  name: 'SINGLE',
  since: '0.4.0',
  aliases: ['USER', 'ONE', 'CLIENT', 'UNICAST', 'PRIVATE', 'DIRECT', 'INDIVIDUAL', 'SELF'],
  summary: 'Sends the message to every connection of one `uid`.',
  details:
    'A number is converted to text. If the value is null, missing, or neither text nor a number, the request is ' +
    'rejected with 422. A `uid` without a connection is not an error. A `uid` belongs to the callers of a guard: a ' +
    'message of a `protected` resource reaches connections whose token this guard accepts. A message of a resource ' +
    'without a guard also reaches connections that have no token and declare the `uid`. If the definitions contain ' +
    'several different guards, such a resource must name one with `broadcast_guard`.',
  facts: { receivers: 'broadcast_to', realm: 'broadcast_guard' },
  schema: shape({
    broadcast_guard: guardField,
    broadcast_to: value(null, {
      doc: 'The `uid` of the receiver: an accessor, or a text with accessors.',
      examples: ['$PAYLOAD.owner_id'],
      roots: RECEIVER_ROOTS,
      afterwards: true,
      sent: true,
    }).required(),
  }),
  check,
  openapi: () => ({ refuses: ['BRC_RECEIVER'] }),
  errors: {
    ...receiverErrors,
    ...constantErrors,
    BRC_NOBODY: {
      severity: 'error',
      title: 'No receiver',
      message: '`broadcast_to` must name one receiver: an accessor, such as "$PAYLOAD.owner_id", text, or a number.',
      help: 'For a list of receivers use `"broadcast_type": "BULK"`.',
    },
  },
  examples: [
    {
      title: 'To all connections of the caller',
      json: { broadcast_type: 'SINGLE', action: 'profile_changed', broadcast_to: '$PAYLOAD.id' },
    },
  ],
  counterExamples: [
    {
      title: 'A resource that does not exist',
      json: {
        broadcast_type: 'SINGLE',
        action: 'profile_changed',
        broadcast_to: '$PAYLOAD.id',
        broadcast_guard: 'my-orders',
      },
      code: 'LNK_UNKNOWN_RESOURCE',
      at: '/broadcast_guard',
    },
    {
      title: 'No receiver',
      json: { broadcast_type: 'SINGLE', action: 'profile_changed' },
      code: 'DEF_REQUIRED',
      at: '',
    },
    {
      title: 'A list instead of one receiver',
      json: { broadcast_type: 'SINGLE', action: 'profile_changed', broadcast_to: ['$PAYLOAD.id'] },
      code: 'BRC_NOBODY',
      at: '/broadcast_to',
    },
    {
      title: 'The whole payload as receiver',
      json: { broadcast_type: 'SINGLE', action: 'profile_changed', broadcast_to: '$PAYLOAD' },
      code: 'BRC_NOBODY',
      at: '/broadcast_to',
    },
    {
      title: 'A name without its accessor',
      json: { broadcast_type: 'SINGLE', action: 'profile_changed', broadcast_to: 'owner_id' },
      code: 'BRC_CONSTANT',
      at: '/broadcast_to',
    },
    {
      title: 'A field of another type',
      json: {
        broadcast_type: 'SINGLE',
        action: 'profile_changed',
        broadcast_to: '$PAYLOAD.id',
        broadcast_to_room: 'a',
      },
      code: 'DEF_UNKNOWN_KEY',
      at: '/broadcast_to_room',
    },
  ],
});

function check({ value: { broadcast_to: to }, root }: CheckPlace): Finding[] {
  if (to === undefined) return [];
  if (!isInvalidReceiver(to) && to !== '$PAYLOAD') return checkConstantReceiver(to, '/broadcast_to', root);
  const [only, other] = Array.isArray(to) ? (to as readonly Json[]) : [];
  if (typeof only !== 'string' || other !== undefined) return [{ code: 'BRC_NOBODY', at: '/broadcast_to' }];
  const text = JSON.stringify(only);
  return [{ code: 'BRC_NOBODY', at: '/broadcast_to', fix: { title: `change to ${text}`, text } }];
}

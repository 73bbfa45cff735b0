/** Spec of `ALL`: every connected client. */
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { anyJson, shape } from '../../../contract/combinators.js';
import { createRemovalFix } from '../../shared/field-removal.light.js';

export default definePlugin({
  kind: 'broadcast',
  name: 'ALL',
  since: '0.4.0',
  aliases: ['EVERYONE', 'EVERYBODY', 'BROADCAST', 'GLOBAL', 'PUBLIC'],
  summary: 'Sends the message to every connection.',
  details:
    'The message reaches connections with or without a `uid` or a token, in every process. Do not send data of a ' +
    'single user.',
  facts: { everybody: true },
  schema: shape({
    broadcast_to: anyJson({
      doc: 'No effect here: every connection receives the message. `SINGLE` and `BULK` have receivers.',
      advanced: true,
    }),
  }),
  check,
  errors: {
    BRC_ALL: {
      severity: 'warning',
      tag: 'unnecessary',
      title: 'Receivers without effect',
      message: '"broadcast_to" has no effect: with `ALL` every connected client receives the message.',
      help: 'Remove it, or write `"broadcast_type": "SINGLE"` (one receiver) or `"BULK"` (a list).',
    },
  },
  examples: [{ title: 'A message to all connections', json: { broadcast_type: 'ALL', action: 'menu_changed' } }],
  counterExamples: [
    { title: 'No name of the event', json: { broadcast_type: 'ALL' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'Receivers of a message to all',
      json: { broadcast_type: 'ALL', action: 'menu_changed', broadcast_to: '$PAYLOAD.id' },
      code: 'BRC_ALL',
      at: '/broadcast_to',
    },
    {
      title: 'An event name with an accessor',
      json: { broadcast_type: 'ALL', action: '$PAYLOAD.action' },
      code: 'BRC_NAME',
      at: '/action',
    },
    {
      title: 'Type in lower case',
      json: { broadcast_type: 'all', action: 'menu_changed' },
      code: 'DEF_UNKNOWN_PLUGIN',
      at: '/broadcast_type',
    },
  ],
});

function check({ value }: CheckPlace): Finding[] {
  return value['broadcast_to'] === undefined
    ? []
    : [{ code: 'BRC_ALL', at: '/broadcast_to', key: true, ...createRemovalFix('/broadcast_to') }];
}

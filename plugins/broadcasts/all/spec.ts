/** Spec of `ALL`: every connected client. */
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { anyJson, shape } from '../../../contract/combinators.js';
import { createRemovalFix } from '../../shared/field-removal.light.js';

export default definePlugin({
  kind: 'broadcast',
  name: 'ALL',
  since: '0.4.0',
  aliases: ['EVERYONE', 'EVERYBODY', 'BROADCAST', 'GLOBAL', 'PUBLIC'],
  summary: 'Everybody who is connected gets the message.',
  details:
    'The message reaches connections with or without a `uid` or a token, in every process. Do not send data of a ' +
    'single user.',
  facts: { everybody: true },
  schema: shape({
    broadcast_to: anyJson({
      doc: 'Means nothing here: nobody is left out. `SINGLE` and `BULK` have receivers.',
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
  examples: [{ title: 'Something changed for everybody', json: { broadcast_type: 'ALL', action: 'menu_changed' } }],
  counterExamples: [
    { title: 'No name', json: { broadcast_type: 'ALL' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'Receivers of a message to all',
      json: { broadcast_type: 'ALL', action: 'menu_changed', broadcast_to: '$PAYLOAD.id' },
      code: 'BRC_ALL',
      at: '/broadcast_to',
    },
    {
      title: 'A name that changes',
      json: { broadcast_type: 'ALL', action: '$PAYLOAD.action' },
      code: 'BRC_NAME',
      at: '/action',
    },
    {
      title: 'Lower case',
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

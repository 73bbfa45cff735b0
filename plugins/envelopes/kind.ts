/** Kind `envelope`: how a result is wrapped in the response body. The config selects one. */
import { defineKind } from '../../contract/kind.js';
import { isSub0 } from '../../contract/profile.js';

export const envelope = defineKind<object>({
  kind: 'envelope',
  title: 'Envelope',
  summary: 'How a result is wrapped in the body of a response.',
  slots: ['config.envelope'],
  select: { by: 'field', field: 'use' },
  config: {
    field: 'envelope',
    doc: 'How results are wrapped.',
    many: false,
    load: 'always',
    default: ({ profile }) => (isSub0(profile) ? 'success-message-data' : 'bare'),
  },
  facts: {},
  handle: [],
  host: (fragment) => ({ file: 'config', json: { envelope: fragment }, at: '/envelope' }),
});

/** Kind `observer`: observes requests for logs, metrics and traces. Registers hooks and has no handle. */
import { defineKind } from '../../contract/kind.js';

export const observer = defineKind<object>({
  kind: 'observer',
  title: 'Observer',
  summary: 'Watches what is served: a log, figures, traces.',
  slots: ['config.observers'],
  select: { by: 'field', field: 'use' },
  config: {
    field: 'observers',
    doc: 'What watches the service. The access log is there unless `disable` names it; others stand beside it.',
    many: true,
    keeps: true,
    load: 'always',
    default: ({ dev }) => ({ log: { use: 'access_log' }, ...(dev && { timing: { use: 'server_timing' } }) }),
  },
  facts: {},
  handle: [],
  host: (fragment) => ({ file: 'config', json: { observers: { example: fragment } }, at: '/observers/example' }),
});

/** Kind `observer`: observes requests for logs, metrics and traces. */
import { defineKind } from '../../contract/kind.js';

export const observer = defineKind<object>({
  kind: 'observer',
  title: 'Observer',
  summary: 'Observes requests: a log, metrics, traces.',
  slots: ['config.observers'],
  select: { by: 'field', field: 'use' },
  config: {
    field: 'observers',
    doc: 'Logs, metrics and traces. The access log is always active, unless `disable` names it; `lintel dev` adds `server_timing` and `web_console`.',
    many: true,
    keeps: true,
    load: 'always',
    tested: null,
    default: ({ dev }) => ({
      log: { use: 'access_log' },
      ...(dev && { timing: { use: 'server_timing' }, console: { use: 'web_console' } }),
    }),
  },
  facts: {},
  handle: [],
  host: (fragment) => ({ file: 'config', json: { observers: { example: fragment } }, at: '/observers/example' }),
});

/** Kind `middleware`: Koa middlewares before those of the kernel, registered through `hooks.use`. */
import { defineKind } from '../../contract/kind.js';

export const middleware = defineKind<object>({
  kind: 'middleware',
  title: 'Middleware',
  summary: 'A Koa middleware that runs before the kernel handles an HTTP request.',
  slots: ['config.middlewares'],
  select: { by: 'field', field: 'use' },
  config: {
    field: 'middlewares',
    doc: 'Koa middlewares, the outermost first.',
    aliases: ['middleware'],
    many: true,
    load: 'always',
    default: () => ({}),
  },
  facts: {},
  handle: [],
  host: (fragment) => ({ file: 'config', json: { middlewares: { example: fragment } }, at: '/middlewares/example' }),
});

/** Spec of the middleware `koa`: any Koa middleware from an npm package. */
import { anyJson, list, shape, text } from '../../../contract/combinators.js';
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'middleware',
  name: 'koa',
  since: '0.5.0',
  summary: 'Runs the Koa middleware of a package: security headers, compression, etags, static files.',
  details:
    'The export is called at start and returns a Koa middleware, which sees status, body and headers of every response. It must not read the body of a request.',
  facts: {},
  schema: shape({
    package: text({ doc: 'Package, or a path from the config.', examples: ['koa-helmet'] })
      .required()
      .min(1),
    export: text({ doc: 'Name of the export. Default: the default export.', examples: ['conditional'] }).min(1),
    arguments: list(anyJson({ doc: 'An argument.' }), {
      doc: 'Arguments of the export.',
      examples: [[{ threshold: 1024 }]],
    }),
  }),
  examples: [
    { title: 'Security headers', json: { use: 'koa', package: 'koa-helmet' } },
    {
      title: 'Compression with options',
      json: { use: 'koa', package: 'koa-compress', arguments: [{ threshold: 1024 }] },
    },
  ],
  counterExamples: [
    { title: 'Without a package', json: { use: 'koa' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'Arguments that are not a list',
      json: { use: 'koa', package: 'koa-etag', arguments: {} },
      code: 'DEF_TYPE',
      at: '/arguments',
    },
  ],
});

/** Spec of the middleware `koa`: any Koa middleware from an npm package. */
import { anyJson, list, shape, text } from '../../../contract/combinators.js';
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'middleware',
  name: 'koa',
  since: '0.5.0',
  summary: 'Runs the Koa middleware of a package: security headers, compression, etags, static files.',
  details: [
    'The package is installed in the project (`npm install koa-helmet`). Its export is called with `arguments` at start and must',
    'return a Koa middleware. It sees `ctx.status`, `ctx.body` and all headers of a response, also of error responses. Errors of',
    '`ctx.throw(4xx)` become problem documents. A middleware must not read the body of a request.',
  ].join('\n'),
  facts: {},
  schema: shape({
    package: text({ doc: 'Name of the package, or a path relative to the config.', examples: ['koa-helmet'] })
      .required()
      .min(1),
    export: text({ doc: 'Name of the export. Default: the default export.', examples: ['conditional'] }).min(1),
    arguments: list(anyJson({ doc: 'An argument.' }), {
      doc: 'Arguments of the export.',
      examples: [[{ threshold: 1024 }]],
    }),
  }),
  errors: {
    MID_PACKAGE: {
      title: 'Middleware not loaded',
      message: 'The middleware of "{package}" cannot be loaded: {what}.',
      help: 'Install the package in the folder of the config (`npm install {package}`); `export` names an export that creates a Koa middleware.',
    },
  },
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
      title: 'Arguments are a list',
      json: { use: 'koa', package: 'koa-etag', arguments: {} },
      code: 'DEF_TYPE',
      at: '/arguments',
    },
  ],
});

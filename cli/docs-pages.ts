/** Pages of `lintel dev`: the OpenAPI document and Swagger UI. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createFault } from '../contract/fault.js';
import type { Route, RouteReply } from '../contract/route.js';
import type { JsonObject } from '../contract/json.js';
import { formatInstallCommand, isInstalled } from '../language/project/missing-packages.js';
import type { Kernel } from '../kernel/runtime/kernel.js';
import { describeKernel } from './openapi.js';

export const PAGE_PATH = '/docs';
export const API_PATH = '/openapi.json';

/** Scripts and calls of this server only; Swagger UI needs inline styles and `data:` images. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const createReply = (type: string, body: RouteReply['body']): RouteReply => ({
  status: 200,
  headers: {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': POLICY,
    'cache-control': 'no-cache',
  },
  body,
});

/** Created on request and cached until the plans change. */
export function createDocsRoutes(kernel: Kernel): readonly Route[] {
  const assets = listAssets(kernel);
  let described: { readonly of: unknown; readonly document: Promise<JsonObject> } | null = null;
  const describeCurrent = (): Promise<JsonObject> => {
    const of = kernel.plans();
    if (described?.of !== of) described = { of, document: describeKernel(kernel) };
    return described.document;
  };
  const get = (path: string, handle: Route['handle']): Route => ({ path, methods: ['GET'], handle });
  return [
    get(API_PATH, async () => createReply('application/json', JSON.stringify(await describeCurrent()))),
    get(PAGE_PATH, () => createReply('text/html', assets === null ? createInstallPage() : PAGE)),
    get(`${PAGE_PATH}/`, async ({ rest }) => {
      const asset = assets !== null && Object.hasOwn(assets, rest) ? assets[rest] : undefined;
      if (asset === undefined) throw createFault('REQ_NOT_FOUND');
      return createReply(asset.type, typeof asset.body === 'string' ? asset.body : await asset.body());
    }),
  ];
}

export function findTakenPages(kernel: Kernel): { readonly path: string; readonly id: string }[] {
  const { byPath } = kernel.plans();
  return [API_PATH, PAGE_PATH].flatMap((path) => {
    const id = byPath.get(path)?.id;
    return id === undefined ? [] : [{ path, id }];
  });
}

interface Asset {
  readonly type: string;
  readonly body: string | (() => Promise<Uint8Array>);
}

/** A fixed list, so no part of a request becomes a path. Null: Swagger UI is not installed. */
function listAssets(kernel: Kernel): Readonly<Record<string, Asset>> | null {
  if (!isInstalled('swagger-ui-dist')) return null;
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const createFileAsset = (name: string, type: string): Asset => ({ type, body: () => readFile(join(folder, name)) });
  const { methods } = kernel.config.http;
  return {
    'swagger-ui.css': createFileAsset('swagger-ui.css', 'text/css'),
    'swagger-ui-bundle.js': createFileAsset('swagger-ui-bundle.js', 'text/javascript'),
    'favicon.png': createFileAsset('favicon-32x32.png', 'image/png'),
    'page.css': { type: 'text/css', body: STYLE },
    'start.js': { type: 'text/javascript', body: createStartScript(methods) },
  };
}

const createInstallPage = (): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>API</title>
  </head>
  <body>
    <p>The API is described in <a href="${API_PATH}">${API_PATH}</a>. This page tries it once Swagger UI is installed:</p>
    <pre>${formatInstallCommand(['swagger-ui-dist'], '--save-dev ')}</pre>
  </body>
</html>
`;

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>API</title>
    <link rel="icon" type="image/png" href="/docs/favicon.png" />
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
    <link rel="stylesheet" href="/docs/page.css" />
  </head>
  <body>
    <div id="page"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/** Hides the list of one server and the equal schemas of errors. */
const STYLE = `body { margin: 0; }
.swagger-ui .scheme-container { padding: 12px 0; box-shadow: none; background: none; }
.swagger-ui .schemes .servers-title, .swagger-ui .schemes .servers { display: none; }
.swagger-ui .info { margin: 24px 0 8px; }
.swagger-ui .responses-table:not(.live-responses-table) .response:not([data-code='200']) :is(.model-example, .response-controls, .headers-wrapper) { display: none; }
`;

const createStartScript = (methods: readonly string[]): string => `SwaggerUIBundle({
  url: ${JSON.stringify(API_PATH)},
  dom_id: '#page',
  deepLinking: true,
  tryItOutEnabled: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  displayOperationId: false,
  filter: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  docExpansion: 'list',
  supportedSubmitMethods: ${JSON.stringify(methods.map((method) => method.toLowerCase()))},
});
`;

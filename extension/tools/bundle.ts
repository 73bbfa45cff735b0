/** Bundles the extension and the language server with esbuild. */
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { builtInAsData, withoutTextsOfData, writeBuiltIn, writeProjectTemplate } from './built-in.js';
import { EXTENSION, ROOT } from './places.js';

const LANGUAGE = 'language-server/language.ts';

/** Entry file of each bundle. `built-in` contains the code of specs; it, `endpoint-files` and `request-samples` are loaded on first call. */
const ENTRIES = {
  extension: 'extension/src/extension.ts',
  server: 'language-server/standalone.ts',
  'built-in': 'language-server/built-in.ts',
  'manifest-worker': 'language-server/manifest-worker.ts',
  language: LANGUAGE,
  'endpoint-files': 'language-server/endpoint-files.ts',
  'request-samples': 'language-server/request-samples.ts',
  yup: 'yup',
} as const;

/** Copied next to the bundle and read on demand. */
const FILES_BESIDE = ['libpg-query/wasm/libpg-query.wasm'];

const versionOf = (): string =>
  (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }).version;

/** A single non-Latin-1 character makes V8 store the whole bundle with two bytes per character. */
const narrow: Plugin = {
  name: 'narrow characters',
  setup(build) {
    build.onLoad({ filter: /tiny-case[/\\]index\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll('’', '\\u2019'),
    }));
  },
};

/** Files that `language.ts` re-exports, without extension. */
const languageFiles = new Set(
  [...readFileSync(join(ROOT, LANGUAGE), 'utf8').matchAll(/from '\.\.\/(.+)\.js'/g)].map(([, file = '']) =>
    join(ROOT, file),
  ),
);

/** Makes the bundles load one shared copy of these modules. */
const shareCode = (bundleName: string): Plugin => ({
  name: 'shared code',
  setup(build) {
    build.onResolve({ filter: /^yup$/ }, ({ kind }) =>
      kind === 'entry-point' ? null : { path: './yup.js', external: true },
    );
    build.onResolve({ filter: /[/\\](?:endpoint-files|request-samples)\.js$/ }, ({ path }) => ({
      path: `./${basename(path)}`,
      external: true,
    }));
    if (bundleName === 'language') return;
    build.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) =>
      languageFiles.has(join(resolveDir, path.replace(/\.js$/, ''))) ? { path: './language.js', external: true } : null,
    );
  },
});

/** Features of the protocol that the server does not have. */
const UNUSED = [
  'Configuration',
  'InlineCompletion',
  'InlineValue',
  'LinkedEditingRange',
  'Moniker',
  'ShowDocument',
  'TextDocumentContent',
  'TypeHierarchy',
];

const toModuleName = (feature: string): string => `${feature.charAt(0).toLowerCase()}${feature.slice(1)}`;

/** What takes the place of unused modules of the protocol packages. */
const REPLACED: ReadonlyMap<string, string> = new Map([
  [
    'vscode-languageserver/lib/common/notebook.js',
    'exports.NotebookSyncFeature = (Base) => Base; exports.NotebookDocuments = class {};',
  ],
  ['vscode-languageserver-protocol/lib/common/protocol.notebook.js', ''],
  ...['colorProvider', 'declaration', 'implementation', 'progress', 'typeDefinition'].map((name): [string, string] => [
    `vscode-languageserver-protocol/lib/common/protocol.${name}.js`,
    '',
  ]),
  [
    'vscode-jsonrpc/lib/common/sharedArrayCancellation.js',
    'exports.SharedArraySenderStrategy = exports.SharedArrayReceiverStrategy = class {};',
  ],
  [
    'vscode-languageserver/lib/common/utils/uuid.js',
    "exports.generateUuid = () => require('node:crypto').randomUUID();",
  ],
  [
    'vscode-languageserver/lib/common/progress.js',
    `exports.ProgressFeature = (Base) => Base;
exports.attachWorkDone = () => undefined;
exports.attachPartialResult = (connection, { partialResultToken: token } = {}) =>
  token === undefined ? undefined : { report: (data) => connection.sendProgress({}, token, data) };`,
  ],
  ['vscode-languageserver/lib/node/files.js', ''],
  ...UNUSED.flatMap((feature): [string, string][] => [
    [`vscode-languageserver/lib/common/${toModuleName(feature)}.js`, `exports.${feature}Feature = (Base) => Base;`],
    [`vscode-languageserver-protocol/lib/common/protocol.${toModuleName(feature)}.js`, ''],
  ]),
]);

const withoutUnused: Plugin = {
  name: 'without unused modules',
  setup(build) {
    build.onLoad(
      { filter: /vscode-(languageserver|languageserver-protocol|jsonrpc)[/\\]lib[/\\].*\.js$/ },
      ({ path }) => {
        const contents = REPLACED.get(path.replaceAll('\\', '/').replace(/^.*node_modules\//, ''));
        return contents === undefined ? null : { contents };
      },
    );
  },
};

const PROTOCOL = 'language-server/protocol.ts';

/** Of the types package, the server uses only the enumerations that `protocol.ts` re-exports. */
const onlyUsedTypes: Plugin = {
  name: 'only used protocol types',
  setup(build) {
    build.onLoad({ filter: /vscode-languageserver-types[/\\]lib[/\\]esm[/\\]main\.js$/ }, async ({ path }) => {
      const used = new Set((await readFile(join(ROOT, PROTOCOL), 'utf8')).match(/\w+/g));
      const blocks =
        (await readFile(path, 'utf8')).match(/^export var (\w+);\n[^]*?^\}\)\(\1 \|\| \(\1 = \{\}\)\);$/gm) ?? [];
      const isUsed = (block: string): boolean => used.has(/\w+(?=;)/.exec(block)?.[0] ?? '');
      return { contents: blocks.filter(isUsed).join('\n') };
    });
  },
};

/** Modules that take milliseconds to load and are not needed at startup. */
const LATE = ['crypto', 'child_process'];

/** Loads these modules on first property access. */
const late: Plugin = {
  name: 'late modules',
  setup(build) {
    const filter = new RegExp(`^(node:)?(${LATE.join('|')})$`);
    build.onResolve({ filter }, ({ path, namespace }) =>
      namespace === 'late' ? null : { path: path.replace('node:', ''), namespace: 'late' },
    );
    build.onLoad({ filter: /./, namespace: 'late' }, ({ path }) => ({
      contents: `
        const get = (name) => ({ enumerable: true, get: () => require('${path}')[name] });
        for (const name of '${Object.keys(createRequire(import.meta.url)(path) as object).join(' ')}'.split(' '))
          Object.defineProperty(exports, name, get(name));
      `,
      resolveDir: ROOT,
    }));
  },
};

const COMMON: BuildOptions = {
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  // Editors may still load extensions with `require`.
  format: 'cjs',
  external: ['vscode'],
  mainFields: ['module', 'main'],
  define: { 'import.meta.url': 'importMetaUrl', LINTEL_VERSION: JSON.stringify(versionOf()) },
  banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
  legalComments: 'none',
  metafile: true,
  logLevel: 'silent',
};

export type Bundles = Readonly<Record<keyof typeof ENTRIES, Metafile>>;

/** `debug`: unminified, with source maps. */
export async function bundle({ debug = false, folder = join(EXTENSION, 'dist') } = {}): Promise<Bundles> {
  const options: BuildOptions = debug ? { ...COMMON, minify: false, sourcemap: true } : COMMON;
  await mkdir(folder, { recursive: true });
  const make = async (name: keyof typeof ENTRIES): Promise<Metafile> => {
    const plugins = [narrow, shareCode(name)];
    if (name === 'server') plugins.push(late, withoutUnused, onlyUsedTypes, builtInAsData);
    if (name === 'built-in') plugins.push(withoutTextsOfData);
    const own = { entryPoints: [ENTRIES[name]], outfile: join(folder, `${name}.js`), plugins };
    return (await build({ ...options, ...own, metafile: true })).metafile;
  };
  const [extension, server, code, worker, language, endpoints, samples, yup] = await Promise.all([
    make('extension'),
    make('server'),
    make('built-in'),
    make('manifest-worker'),
    make('language'),
    make('endpoint-files'),
    make('request-samples'),
    make('yup'),
  ]);
  const { resolve } = createRequire(join(ROOT, 'package.json'));
  for (const file of FILES_BESIDE) await copyFile(resolve(file), join(folder, file.split('/').pop() ?? file));
  await writeBuiltIn(folder);
  await writeProjectTemplate(folder);
  return {
    extension,
    server,
    'built-in': code,
    'manifest-worker': worker,
    language,
    'endpoint-files': endpoints,
    'request-samples': samples,
    yup,
  };
}

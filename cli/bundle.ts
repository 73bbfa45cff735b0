/**
 * Bundles the command line and the package's entry points into `dist/bundle`: what every start evaluates is one file
 * instead of some 600. The build runs this file as a script.
 */
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { build, type Plugin } from 'rolldown';
import { minify } from 'rolldown/utils';
import { findPackageFolder } from '../language/project/package-folder.js';

const ROOT = findPackageFolder(import.meta.url);
const FOLDER = join(ROOT, 'dist/bundle');
const TYPES = join(ROOT, 'dist/types');

/** File names of the bundle by the module that each exports. `package.json` refers to them. */
const ENTRIES = {
  cli: 'dist/cli/bin.js',
  index: 'dist/contract/index.js',
  runtime: 'dist/kernel/index.js',
  kinds: 'dist/plugins/index.kinds.js',
  testing: 'dist/test/contracts/index.js',
  'manifest-worker': 'dist/language-server/manifest-worker.js',
  'scratch-worker': 'dist/cli/scratch-worker.js',
} as const;

/** The image is built without the tests, so it has no `lintel/testing`. */
const HAS_TESTS = existsSync(join(ROOT, ENTRIES.testing));

/** What every `serve` evaluates anyway, with its static imports. */
const START = /[/\\]dist[/\\]cli[/\\]serve\.js$/;
/** What every command evaluates. Not the entry point: a module that awaits at its top level cannot be imported by what it waits for. */
const COMMANDS = /[/\\]dist[/\\]cli[/\\](?:main|signals)\.js$/;

/**
 * Packages of which npm installs several versions that do the same here. A second `mime-db` alone is 137 KB that every
 * start would read.
 */
const ONE_COPY = ['mime-types', 'debug', 'ms'];

/** Parts of inlined packages that no call of Lintel reaches: HTTP/2, migrations of knex, dates as English words. */
const UNUSED = /[/\\]node_modules[/\\](?:http2-wrapper|date\.js|knex[/\\]lib[/\\]migrations)[/\\].*\.js$/;

const INLINED = /[/\\]node_modules[/\\].*\.[cm]?js$/;

/** Local names of inlined packages are shortened; ours remain, so that stack traces can be read. */
const shrinkPackages: Plugin = {
  name: 'shrink packages',
  async load(file) {
    if (!INLINED.test(file)) return null;
    if (UNUSED.test(file)) return 'module.exports = {};';
    const { code } = await minify(file, await readFile(file, 'utf8'), { compress: false, mangle: true });
    return code;
  },
};

/**
 * Modules of Node as `require` returns them: an import reads all their exports, and `http` of Node 24 loads undici for its
 * `WebSocket`, which is 60 ms of a start.
 */
const requireBuiltins: Plugin = {
  name: 'require modules of Node',
  // The bundler's own helpers, which the others need, import `node:module`.
  resolveId: (name, _importer, { kind }) =>
    isBuiltin(name) && kind !== 'require-call' && name !== 'node:module' ? `${BUILTIN}${name}` : null,
  load: (id) =>
    id.startsWith(BUILTIN)
      ? `module.exports = process.getBuiltinModule(${JSON.stringify(id.slice(BUILTIN.length))});`
      : null,
};
const BUILTIN = '\0builtin:';

async function bundleEntries(): Promise<void> {
  await rm(FOLDER, { recursive: true, force: true });
  // It has the code of earlier builds.
  await rm(join(ROOT, 'dist/compile-cache'), { recursive: true, force: true });
  const { dependencies, peerDependencies, inlinedDependencies, unusedImports } = await readPackage(ROOT);
  const installed = Object.keys({ ...dependencies, ...peerDependencies }).filter(
    (name) => !inlinedDependencies.includes(name),
  );
  const { output } = await build({
    cwd: ROOT,
    input: Object.fromEntries(Object.entries(ENTRIES).filter(([name]) => name !== 'testing' || HAS_TESTS)),
    platform: 'node',
    external: (name) =>
      unusedImports.includes(name) || installed.some((one) => name === one || name.startsWith(`${one}/`)),
    resolve: {
      // jsonc-parser's CommonJS form loads its parts in a way that cannot be bundled.
      mainFields: ['module', 'main'],
      alias: Object.fromEntries(ONE_COPY.map((name) => [name, join(ROOT, 'node_modules', name)])),
    },
    transform: { target: 'node20.19' },
    plugins: [requireBuiltins, shrinkPackages],
    // koa's depd.
    checks: { eval: false },
    output: {
      dir: FOLDER,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      codeSplitting: {
        groups: [
          { name: 'commands', test: (id) => id.startsWith(BUILTIN) || COMMANDS.test(id), priority: 2 },
          { name: 'start', test: START, priority: 1 },
        ],
      },
      minify: { mangle: false },
      comments: false,
    },
  });
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  await writeFile(join(FOLDER, 'LICENSES.txt'), await collectLicenses(modules));
}

/** The declarations that `exports` leads to: a tenth of what the compiler writes. */
async function copyDeclarations(): Promise<void> {
  await rm(TYPES, { recursive: true, force: true });
  const { exports } = await readPackage(ROOT);
  const open = Object.entries(exports)
    .filter(([name]) => name !== './testing' || HAS_TESTS)
    .map(([, { types }]) => join(ROOT, types.replace('./dist/types/', 'dist/')));
  const known = new Set(open);
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    const text = await readFile(file, 'utf8');
    const target = join(TYPES, relative(join(ROOT, 'dist'), file));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text.replace(/^\/\/# sourceMappingURL=.*$/m, ''));
    for (const [, path = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
      const next = join(dirname(file), `${path}.d.ts`);
      if (!known.has(next)) open.push(next);
      known.add(next);
    }
  }
}

interface PackageFile {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, { readonly types: string }>>;
  /** In the bundle although installed: plugins of projects need their types. */
  readonly inlinedDependencies: readonly string[];
  /** Imports of inlined packages that Lintel does not use: knex only writes statements. */
  readonly unusedImports: readonly string[];
}

const readPackage = async (folder: string): Promise<PackageFile> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as PackageFile;

const PACKAGE_FOLDER = /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/;

/** The licence texts of all inlined packages; equal texts are written once, below the copyright lines. */
async function collectLicenses(modules: readonly string[]): Promise<string> {
  const folders = new Set(modules.flatMap((file) => PACKAGE_FOLDER.exec(file)?.[1] ?? []));
  const owners = new Map<string, string[]>();
  for (const folder of [...folders].sort()) {
    const { name, version, license } = await readPackage(folder);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? `Licence: ${license}` : await readFile(join(folder, file), 'utf8');
    const lines = text.split('\n').map((line) => line.trim());
    const rest = lines
      .filter((line) => !COPYRIGHT.test(line))
      .join(' ')
      .replace(/\s+/g, ' ')
      .trim();
    const header = [`${name} ${version}`, ...lines.filter((line) => COPYRIGHT.test(line))].join('\n');
    owners.set(rest, [...(owners.get(rest) ?? []), header]);
  }
  return [...owners].map(([text, headers]) => `${headers.join('\n')}\n\n${text}\n`).join(`\n${'-'.repeat(80)}\n\n`);
}

const COPYRIGHT = /^(?:copyright\b.*(?:\(c\)|©|\d{4})|\(c\)|©)/i;

if (!existsSync(join(ROOT, ENTRIES.cli)))
  throw new Error(`${ENTRIES.cli} does not exist: run the TypeScript build first`);
await Promise.all([bundleEntries(), copyDeclarations()]);

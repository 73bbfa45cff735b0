/**
 * Bundles the command line and the package's entry points into `dist/bundle`: a few files instead of some 600 halve
 * the time to the first response. The build runs this file as a script.
 */
import { build, transform, type Metafile, type Plugin } from 'esbuild';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
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

/** Inlined CommonJS modules call `require` for those of Node. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/**
 * Packages of which npm installs several versions that do the same here. A second `mime-db` alone is 137 KB that every
 * start would read.
 */
const ONE_COPY = { 'mime-types': './node_modules/mime-types', debug: './node_modules/debug', ms: './node_modules/ms' };

/** Parts of inlined packages that no call of Lintel reaches: HTTP/2, migrations of knex, dates as English words. */
const UNUSED = /[/\\]node_modules[/\\](?:http2-wrapper|date\.js|knex[/\\]lib[/\\]migrations)[/\\].*\.js$/;

/** Local names of inlined packages are shortened; ours remain, so that stack traces can be read. */
const shrinkPackages: Plugin = {
  name: 'shrink packages',
  setup(bundler) {
    bundler.onLoad({ filter: /[/\\]node_modules[/\\].*\.[cm]?js$/ }, async ({ path }) => {
      if (UNUSED.test(path)) return { contents: 'module.exports = {};' };
      const { code } = await transform(await readFile(path, 'utf8'), {
        minifyIdentifiers: true,
        legalComments: 'none',
      });
      return { contents: code, loader: 'js' };
    });
  },
};

async function bundleEntries(): Promise<void> {
  await rm(FOLDER, { recursive: true, force: true });
  // It has the code of earlier builds.
  await rm(join(ROOT, 'dist/compile-cache'), { recursive: true, force: true });
  const { dependencies, peerDependencies, inlinedDependencies, unusedImports } = await readPackage(ROOT);
  const installed = Object.keys({ ...dependencies, ...peerDependencies });
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(Object.entries(ENTRIES).filter(([name]) => name !== 'testing' || HAS_TESTS)),
    outdir: FOLDER,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    // jsonc-parser's CommonJS form loads its parts in a way that cannot be bundled.
    mainFields: ['module', 'main'],
    alias: ONE_COPY,
    plugins: [shrinkPackages],
    external: [...installed.filter((name) => !inlinedDependencies.includes(name)), ...unusedImports],
    banner: { js: REQUIRE },
    minifyWhitespace: true,
    minifySyntax: true,
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
  await writeFile(join(FOLDER, 'LICENSES.txt'), await collectLicenses(metafile));
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

/** The licence texts of all inlined packages; equal texts are written once, below the copyright lines. */
async function collectLicenses({ inputs }: Metafile): Promise<string> {
  const folders = new Set(
    Object.keys(inputs).flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
  );
  const owners = new Map<string, string[]>();
  for (const folder of [...folders].sort()) {
    const { name, version, license } = await readPackage(join(ROOT, folder));
    const file = readdirSync(join(ROOT, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? `Licence: ${license}` : await readFile(join(ROOT, folder, file), 'utf8');
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

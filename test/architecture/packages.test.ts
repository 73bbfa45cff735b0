/**
 * Every package is named with its reason in docs/decisions.md, and is used: an unused dependency is one more to install
 * and to trust.
 */
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pluginId } from '../../contract/plugin.js';
import type { PluginSpec } from '../../contract/plugin-spec.js';
import { specs } from '../../plugins/index.spec.js';
import { ROOT } from '../support/project.js';

const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
type Versions = Readonly<Record<string, string>>;
const { dependencies, peerDependencies, devDependencies, inlinedDependencies, bin, exports } = JSON.parse(
  read('package.json'),
) as {
  readonly dependencies: Versions;
  readonly peerDependencies: Versions;
  readonly devDependencies: Versions;
  readonly inlinedDependencies: readonly string[];
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
};
const table = [...read('docs/decisions.md').matchAll(/^\| `([^`]+)` +\| (.*)\|$/gm)].map(([, name = '', why = '']) => ({
  name,
  why: why.trim(),
}));
const row = (name: string): string => (name.startsWith('@types/') ? '@types/*' : name);

/** Command lines and types: nothing imports them. */
const TOOLS = /^(@types\/.*|oxlint|oxlint-tsgolint)$/;

const sources = [
  'contract',
  'language',
  'kernel',
  'cli',
  'language-server',
  'plugins',
  'extension',
  'test',
  'bench',
  '.',
]
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: folder !== '.', encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((name) => /\.(ts|js)$/.test(name) && !/node_modules|extension.dist/.test(name))
  .map(read);
const isImported = (name: string): boolean =>
  sources.some((text) => text.includes(`'${name}'`) || text.includes(`'${name}/`));

const licences = read('dist/bundle/LICENSES.txt');
const isInlined = (name: string): boolean => new RegExp(`^${name} \\d`, 'm').test(licences);

const RUNTIMES = join(ROOT, 'dist/plugins/index.runtime.js');

/** The runtime file of a built-in plugin, from the index of runtimes. */
function findRuntimeFile(spec: PluginSpec): string | null {
  const line = readFileSync(RUNTIMES, 'utf8')
    .split('\n')
    .find((text) => text.includes(`'${pluginId(spec)}'`));
  const path = /import\('([^']+)'\)/.exec(line ?? '')?.[1];
  return path === undefined ? null : join(dirname(RUNTIMES), path);
}

/** Names of packages that a module and all that it imports load, at once or later. */
function listImports(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const paths = [...readFileSync(file, 'utf8').matchAll(/(?:\bfrom|\bimport\(|\bimport|resolve\()\s*'([^']+)'/g)];
  return [
    ...new Set(
      paths.flatMap(([, path = '']) =>
        path.startsWith('.')
          ? listImports(join(dirname(file), path), seen)
          : [
              path
                .split('/')
                .slice(0, path.startsWith('@') ? 2 : 1)
                .join('/'),
            ],
      ),
    ),
  ];
}

describe('architecture: packages', () => {
  it('have one reason each, in order', () => {
    const others = Object.keys(devDependencies).filter((name) => !(name in peerDependencies));
    const ofDevelopment = new Set(others.filter((name) => !isInlined(name)).map(row));
    expect(table.map(({ name }) => name)).to.deep.equal(
      [Object.keys(dependencies), Object.keys(peerDependencies), others.filter(isInlined), [...ofDevelopment]].flatMap(
        (names) => names.sort(),
      ),
    );
    for (const { name, why } of table) expect(why, name).not.to.equal('');
  });

  it('are imported by some file', () => {
    const all = [...Object.keys(dependencies), ...Object.keys(devDependencies)];
    expect(all.filter((name) => !TOOLS.test(name) && !isImported(name))).to.deep.equal([]);
  });

  it('of an installation are not in the bundle too, except those whose types a plugin needs', () => {
    for (const name of inlinedDependencies) expect(isInlined(name) && name in dependencies, name).to.equal(true);
    const outside = Object.keys({ ...dependencies, ...peerDependencies });
    expect(outside.filter((name) => !inlinedDependencies.includes(name) && isInlined(name))).to.deep.equal([]);
  });

  it('of a project are those that its plugins name, in the versions of the tests', () => {
    for (const [name, version] of Object.entries(peerDependencies))
      expect(devDependencies[name], name).to.equal(version);
    for (const spec of specs) {
      const file = findRuntimeFile(spec);
      const imported = file === null ? [] : listImports(file).filter((name) => name in peerDependencies);
      expect([...(spec.packages ?? [])].sort(), pluginId(spec)).to.deep.equal(imported.sort());
    }
    const named = new Set(specs.flatMap(({ packages = [] }) => packages));
    // `lintel mcp` and the page of `lintel dev`, which are no plugins, and packages of `lintel/testing`, which the image does not have.
    const testing = ['chai', 'fast-check'];
    expect(Object.keys(peerDependencies).filter((name) => !named.has(name))).to.deep.equal([
      '@modelcontextprotocol/sdk',
      ...testing,
      'swagger-ui-dist',
    ]);
    expect(read('deploy/Dockerfile')).to.contain(`if (!['${testing.join("', '")}'].includes(name))`);
  });

  it('import no module of Node, which would read all its exports, but the one that finds them', () => {
    const imported = readdirSync(join(ROOT, 'dist/bundle')).flatMap((name) =>
      [...read(`dist/bundle/${name}`).matchAll(/\b(?:from|import\(?)["'`](node:[^"'`]+)/g)].map(([, found]) => found),
    );
    expect([...new Set(imported)]).to.deep.equal(['node:module']);
  });

  it('have one copy of their modules, whichever entry point is imported', () => {
    const files = [...Object.values(bin), ...Object.values(exports).map((entry) => entry['default'] ?? '')];
    expect(files.every((file) => file.startsWith('./dist/bundle/') || file.startsWith('dist/bundle/'))).to.equal(true);
    const texts = readdirSync(join(ROOT, 'dist/bundle')).map((name) => read(`dist/bundle/${name}`));
    for (const name of ['Fault', 'FinalResult', 'JsonStream', 'RawJson'])
      expect(
        texts.filter((text) => new RegExp(`class ${name}\\b|\\b${name}=class\\b`).test(text)),
        name,
      ).to.have.lengthOf(1);
  });
});

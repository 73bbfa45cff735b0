/**
 * Who may import whom. The table below is the architecture; every file of `kernel/`, `plugins/` and `extension/` belongs to exactly
 * one row of it, and an import that its row does not allow fails here with both names.
 */
import { expect } from 'chai';
import ts from 'typescript';
import { eachNode, importsOf, sourcesIn, type Source } from '../support/sources.js';

interface Zone {
  readonly name: string;
  /** The files of the zone; the first row that matches a file is its zone. */
  readonly files: RegExp;
  /** Files of the repository and packages that may be imported. `{own}` is the plugin's folder, `{group}` the one above. */
  readonly may: readonly string[];
  /** No Node built-in, no platform global: an editor runs it. */
  readonly light?: true;
}

const LIGHT_KERNEL = ['contract', 'schema', 'source', 'language', 'problems', 'analysis'].map(
  (name) => `kernel/${name}/`,
);
const RUNTIME_OF_PLUGIN = [
  'kernel/contract/',
  'kernel/platform/',
  'kernel/language/',
  'kernel/source/',
  'plugins/kinds/',
  'plugins/shared/',
  '{group}/shared/',
];

const ZONES: readonly Zone[] = [
  { name: 'contract', files: /^kernel\/contract\//, may: ['kernel/contract/'], light: true },
  { name: 'schema', files: /^kernel\/schema\//, may: ['kernel/contract/', 'kernel/schema/', 'yup'], light: true },
  {
    name: 'source',
    files: /^kernel\/source\//,
    may: ['kernel/contract/', 'kernel/source/', 'jsonc-parser', 'fastest-levenshtein'],
    light: true,
  },
  {
    name: 'language',
    files: /^kernel\/language\//,
    may: ['kernel/contract/', 'kernel/source/', 'kernel/language/'],
    light: true,
  },
  { name: 'front end', files: /^kernel\/(analysis|problems)\//, may: [...LIGHT_KERNEL, 'yup'], light: true },
  {
    name: 'exporters',
    files: /^kernel\/export\//,
    may: [...LIGHT_KERNEL, 'kernel/export/'],
    light: true,
  },
  { name: 'platform', files: /^kernel\/platform\//, may: ['node:'] },
  { name: 'light index', files: /^kernel\/index\.ts$/, may: LIGHT_KERNEL, light: true },
  {
    name: 'project files',
    files: /^kernel\/project\//,
    // A manifest is read in the place of a plugin's code.
    may: [
      ...LIGHT_KERNEL,
      'kernel/export/manifest.ts',
      'kernel/export/manifest-read.ts',
      'kernel/export/manifest-specs.ts',
      'kernel/platform/',
      'kernel/project/',
      'tinyglobby',
      'libpg-query',
      'node:',
    ],
  },
  {
    name: 'language server',
    files: /^language-server\//,
    may: [
      ...LIGHT_KERNEL,
      'kernel/export/',
      'kernel/project/',
      'language-server/',
      'plugins/index.spec.ts',
      'plugins/kinds/index.ts',
      'vscode-languageserver',
      'vscode-languageserver-textdocument',
      'vscode-languageserver/node',
      'node:',
    ],
  },
  { name: 'compiler', files: /^kernel\/compile\//, may: [...LIGHT_KERNEL, 'kernel/compile/', '*'] },
  {
    name: 'the door to plugins',
    files: /^kernel\/runtime\/packages\.ts$/,
    may: [...LIGHT_KERNEL, 'kernel/project/', 'kernel/runtime/', 'plugins/index.', 'plugins/kinds/index.ts', '*'],
  },
  {
    name: 'runtime',
    files: /^kernel\/runtime\//,
    may: [...LIGHT_KERNEL, 'kernel/platform/', 'kernel/project/', 'kernel/compile/', 'kernel/runtime/', '*'],
  },
  {
    name: 'http',
    files: /^kernel\/http\//,
    may: [...LIGHT_KERNEL, 'kernel/compile/', 'kernel/runtime/', 'kernel/http/', 'kernel/sockets/door.ts', '*'],
  },
  {
    name: 'sockets',
    files: /^kernel\/sockets\//,
    may: [...LIGHT_KERNEL, 'kernel/compile/', 'kernel/runtime/', 'kernel/http/', 'kernel/sockets/', '*'],
  },
  {
    name: 'command line',
    files: /^kernel\/(cli\/|cli\.ts$|index\.runtime\.ts$)/,
    may: ['kernel/', 'language-server/main.ts', '*'],
  },
  {
    name: 'kinds',
    files: /^plugins\/kinds\//,
    may: ['kernel/contract/', 'kernel/schema/', 'kernel/language/', 'plugins/kinds/', 'yup'],
    light: true,
  },
  { name: 'list of specs', files: /^plugins\/index\.spec\.ts$/, may: ['kernel/contract/', 'spec.ts'], light: true },
  { name: 'list of runtimes', files: /^plugins\/index\.runtime\.ts$/, may: ['kernel/contract/', 'runtime.ts'] },
  {
    name: 'spec',
    files: /^plugins\/.*\/spec\.ts$/,
    may: ['kernel/contract/', 'kernel/schema/', 'kernel/language/', 'plugins/kinds/', '{own}/', 'yup'],
    light: true,
  },
  { name: 'shared by groups', files: /^plugins\/shared\//, may: RUNTIME_OF_PLUGIN.concat('*') },
  { name: 'shared by a group', files: /^plugins\/[^/]+\/shared\//, may: [...RUNTIME_OF_PLUGIN, '*'] },
  { name: 'plugin', files: /^plugins\/[^/]+\/[^/]+\//, may: [...RUNTIME_OF_PLUGIN, '{own}/', '*'] },
  {
    name: 'extension',
    files: /^extension\/src\//,
    may: ['extension/src/', 'vscode', 'vscode-languageclient/node', 'node:'],
  },
  {
    name: 'tools of the extension',
    files: /^extension\/tools\//,
    may: [
      ...LIGHT_KERNEL,
      'kernel/export/',
      'plugins/index.spec.ts',
      'plugins/kinds/index.ts',
      'extension/src/gallery.ts',
      'extension/tools/',
      '*',
    ],
  },
];

const ownFolder = (path: string): string => path.split('/').slice(0, 3).join('/');
const groupFolder = (path: string): string => path.split('/').slice(0, 2).join('/');

const sources = sourcesIn('kernel', 'language-server', 'plugins', 'extension');
const byPath = new Map(sources.map((source) => [source.path, source]));

/** What a spec imports from its own folder is as light as the spec. */
const lightHelpers = new Set(
  sources.filter(({ path }) => path.endsWith('/spec.ts')).flatMap((spec) => helpersOf(spec, new Set())),
);

function helpersOf(source: Source, seen: Set<string>): string[] {
  for (const target of importsOf(source)) {
    const helper = byPath.get(target);
    if (helper === undefined || seen.has(target) || !target.startsWith(ownFolder(source.path))) continue;
    seen.add(target);
    helpersOf(helper, seen);
  }
  return [...seen];
}

function zoneOf(path: string): Zone | undefined {
  if (lightHelpers.has(path)) return ZONES.find(({ name }) => name === 'spec');
  return ZONES.find(({ files }) => files.test(path));
}

function isAllowed(zone: Zone, from: string, target: string): boolean {
  const inside = byPath.has(target);
  return zone.may.some((entry) => {
    if (entry === '*') return !inside && !/^(kernel|language-server|plugins)\//.test(target);
    if (entry === 'spec.ts' || entry === 'runtime.ts')
      return /^plugins\/[^/]+\/[^/]+\//.test(target) && target.endsWith(`/${entry}`);
    if (/[/.:]$/.test(entry)) {
      return target.startsWith(entry.replace('{own}', ownFolder(from)).replace('{group}', groupFolder(from)));
    }
    return target === entry;
  });
}

describe('architecture: imports', () => {
  it('every file belongs to a zone', () => {
    expect(sources.length).to.be.greaterThan(100);
    expect(sources.map(({ path }) => path).filter((path) => zoneOf(path) === undefined)).to.deep.equal([]);
  });

  for (const zone of ZONES) {
    it(`${zone.name} imports only what it may`, () => {
      const files = sources.filter(({ path }) => zoneOf(path) === zone);
      expect(files.length, 'a row without files is a typing mistake').to.be.greaterThan(0);
      const wrong = files.flatMap((file) =>
        importsOf(file)
          .filter((target) => !isAllowed(zone, file.path, target))
          .map((target) => `${file.path} -> ${target}`),
      );
      expect(wrong).to.deep.equal([]);
    });
  }

  it('every import of a file finds one', () => {
    const broken = sources.flatMap((source) =>
      importsOf(source)
        .filter((target) => target.endsWith('.ts') && !byPath.has(target))
        .map((target) => `${source.path} -> ${target}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it('what a spec imports from its own folder is called .light.ts, and nothing else is', () => {
    const named = sources.filter(({ path }) => path.endsWith('.light.ts')).map(({ path }) => path);
    expect(named.length).to.be.greaterThan(3);
    expect([...lightHelpers].sort()).to.deep.equal(named.sort());
  });

  it('no spec names its runtime, not even in a dynamic import', () => {
    const specs = sources.filter(({ path }) => path.endsWith('/spec.ts') || lightHelpers.has(path));
    expect(specs.filter((spec) => importsOf(spec).some((target) => target.includes('runtime')))).to.deep.equal([]);
  });

  it('light zones use no global of a platform', () => {
    const globals = new Set(
      'process Buffer setTimeout setInterval setImmediate queueMicrotask console require global globalThis fetch performance'.split(
        ' ',
      ),
    );
    const found = sources
      .filter(({ path }) => zoneOf(path)?.light === true)
      .flatMap((source) =>
        identifiersOf(source)
          .filter((name) => globals.has(name))
          .map((name) => `${source.path}: ${name}`),
      );
    expect(found).to.deep.equal([]);
  });

  it('the table can refuse: imports that must never be allowed are not', () => {
    const refused: readonly (readonly [string, string])[] = [
      ['kernel/contract/kind.ts', 'kernel/schema/fold.ts'],
      ['kernel/analysis/analyse.ts', 'node:fs'],
      ['kernel/analysis/analyse.ts', 'plugins/index.spec.ts'],
      ['kernel/runtime/kernel.ts', 'plugins/index.spec.ts'],
      ['kernel/compile/plan.ts', 'kernel/runtime/kernel.ts'],
      ['plugins/queries/sql/spec.ts', 'plugins/queries/sql/runtime.ts'.replace('sql/', 'mongo/')],
      ['plugins/queries/sql/spec.ts', 'pg'],
      ['plugins/queries/sql/runtime.ts', 'kernel/runtime/kernel.ts'],
      ['plugins/queries/sql/runtime.ts', 'kernel/compile/plan.ts'],
      ['plugins/queries/sql/runtime.ts', 'plugins/dialects/postgres/runtime.ts'],
      ['plugins/queries/sql/runtime.ts', 'plugins/dialects/shared/values.ts'],
      ['extension/src/client.ts', 'kernel/contract/problem.ts'],
      ['extension/src/client.ts', 'extension/tools/grammar.ts'],
      ['extension/src/client.ts', 'jsonc-parser'],
      ['extension/tools/bundle.ts', 'kernel/runtime/kernel.ts'],
      ['extension/tools/bundle.ts', 'plugins/queries/sql/spec.ts'],
    ];
    for (const [from, target] of refused) {
      const zone = zoneOf(from);
      expect(zone, from).not.to.equal(undefined);
      if (zone !== undefined) expect(isAllowed(zone, from, target), `${from} -> ${target}`).to.equal(false);
    }
  });
});

/** Names that are read as variables: not property names, not parts of types. */
function identifiersOf(source: Source): string[] {
  const names: string[] = [];
  eachNode(source, (node) => {
    if (!ts.isIdentifier(node)) return;
    const { parent } = node;
    const isMember = (ts.isPropertyAccessExpression(parent) && parent.name === node) || ts.isTypeElement(parent);
    if (!isMember && !ts.isPropertyAssignment(parent)) names.push(node.text);
  });
  return names;
}

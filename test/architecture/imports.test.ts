/**
 * The allowed imports. Every source file belongs to exactly one row of the table below; an import that its row does not allow fails
 * with both names.
 */
import { expect } from 'chai';
import { listImports, loadSources, type Source, listIdentifiers } from '../support/sources.js';

interface Zone {
  readonly name: string;
  /** The files of the zone; the first row that matches a file is its zone. */
  readonly files: RegExp;
  /** Files of the repository and packages that may be imported. `{own}` is the plugin's folder, `{group}` the one above. */
  readonly may: readonly string[];
  /** No Node built-in, no platform global: an editor runs it. */
  readonly light?: true;
}

const LANGUAGE = ['schema', 'source', 'strings', 'problems', 'analysis'].map((name) => `language/${name}/`);
const LIGHT = ['contract/', ...LANGUAGE];
/** Kinds, and what their groups share with others: types, schemas and data. */
const KINDS = ['plugins/{any}/kind.ts', 'plugins/{any}/shared/{any}.light.ts', 'plugins/shared/{any}.light.ts'];
/** Reads the text of statements: pure and light, so whatever handles statements may use it. */
const READER = 'plugins/queries/sql/text/';
/** Loads the full parser, which is not light. */
const PARSER = 'plugins/queries/sql/parser/';
const SPEC = ['contract/', 'language/strings/', READER, 'plugins/queries/mongo/form.light.ts', ...KINDS, 'yup'];
const RUNTIME_OF_PLUGIN = [
  'contract/',
  'language/project/cache-file.ts',
  'language/project/clock.ts',
  'language/project/package-folder.ts',
  'language/project/turn-queue.ts',
  'language/project/wasm-tiering.ts',
  'language/strings/',
  'language/source/',
  READER,
  ...KINDS,
  'plugins/shared/',
  '{group}/shared/',
];

const LIGHT_FOLDERS = /^plugins\/queries\/sql\/(text|editing|analysis)\//;

const ZONES: readonly Zone[] = [
  { name: 'contract', files: /^contract\//, may: ['contract/', 'yup'], light: true },
  { name: 'schema', files: /^language\/schema\//, may: ['contract/', 'language/schema/', 'yup'], light: true },
  {
    name: 'source',
    files: /^language\/source\//,
    may: ['contract/', 'language/source/', 'jsonc-parser', 'fastest-levenshtein'],
    light: true,
  },
  {
    name: 'strings',
    files: /^language\/strings\//,
    may: ['contract/', 'language/source/', 'language/strings/'],
    light: true,
  },
  {
    name: 'reader of statements',
    files: /^plugins\/queries\/sql\/text\//,
    may: ['contract/', 'language/source/', READER],
    light: true,
  },
  {
    name: 'analysis and editing of statements',
    files: LIGHT_FOLDERS,
    may: ['contract/', 'language/source/', READER, '{own}/editing/', '{own}/analysis/'],
    light: true,
  },
  { name: 'analysis', files: /^language\/(analysis|problems)\//, may: [...LIGHT, 'yup'], light: true },
  {
    name: 'exporters',
    files: /^language\/export\//,
    may: [...LIGHT, 'language/export/'],
    light: true,
  },
  {
    name: 'project files',
    files: /^language\/project\//,
    // A manifest is read in the place of a plugin's code.
    may: [
      ...LIGHT,
      'language/export/manifest.ts',
      'language/export/manifest-read.ts',
      'language/export/manifest-specs.ts',
      'language/project/',
      'tinyglobby',
      'node:',
    ],
  },
  {
    name: 'language server',
    files: /^language-server\//,
    may: [
      ...LIGHT,
      'language/export/',
      'language/project/',
      'language-server/',
      'plugins/index.spec.ts',
      'plugins/index.kinds.ts',
      READER,
      'plugins/queries/sql/editing/',
      'plugins/queries/sql/language.light.ts',
      PARSER,
      'plugins/index.crud.ts',
      'vscode-languageserver',
      'vscode-languageserver-textdocument',
      'vscode-languageserver/node',
      'node:',
    ],
  },
  {
    name: 'plans',
    files: /^kernel\/plan\//,
    may: [...LIGHT, 'language/export/plan-description.ts', 'kernel/plan/', '*'],
  },
  {
    name: 'the distribution',
    files: /^plugins\/distribution\.ts$/,
    may: [...LIGHT, 'language/project/', 'plugins/index.', PARSER],
  },
  {
    name: 'process with scratch stores',
    files: /^cli\/scratch-worker\.ts$/,
    may: [
      'contract/',
      'language/project/scratch-messages.ts',
      'plugins/index.runtime.ts',
      'cli/setting-problems.ts',
      'node:',
    ],
  },
  {
    name: 'runtime',
    files: /^kernel\/runtime\//,
    may: [...LIGHT, 'language/project/', 'kernel/plan/', 'kernel/runtime/', '*'],
  },
  {
    name: 'http',
    files: /^kernel\/http\//,
    may: [
      ...LIGHT,
      'language/project/project.ts',
      'language/project/long-json.ts',
      'language/project/turn-queue.ts',
      'kernel/plan/',
      'kernel/runtime/',
      'kernel/http/',
      '*',
    ],
  },
  {
    name: 'runtime entry point',
    files: /^kernel\/index\.ts$/,
    may: ['contract/', 'kernel/', 'language/project/clock.ts', 'plugins/distribution.ts', '*'],
  },
  {
    name: 'command line',
    files: /^cli\//,
    may: [
      'contract/',
      'language/',
      'kernel/',
      'plugins/distribution.ts',
      READER,
      PARSER,
      'cli/',
      'language-server/main.ts',
      '*',
    ],
  },
  { name: 'kinds', files: /^plugins\/[^/]+\/kind\.ts$/, may: SPEC, light: true },
  {
    name: 'list of kinds',
    files: /^plugins\/index\.kinds\.ts$/,
    may: ['contract/', 'plugins/{any}/kind.ts'],
    light: true,
  },
  { name: 'endpoints of tables', files: /^plugins\/index\.crud\.ts$/, may: ['plugins/queries/sql/crud/'], light: true },
  {
    name: 'their generator',
    files: /^plugins\/queries\/sql\/crud\//,
    may: ['contract/', 'language/strings/', 'plugins/queries/sql/'],
    light: true,
  },
  { name: 'list of specs', files: /^plugins\/index\.spec\.ts$/, may: ['contract/', 'spec.ts'], light: true },
  { name: 'list of runtimes', files: /^plugins\/index\.runtime\.ts$/, may: ['contract/', 'runtime.ts'] },
  { name: 'spec', files: /^plugins\/.*\/spec\.ts$/, may: [...SPEC, '{own}/'], light: true },
  { name: 'shared by specs', files: /^plugins\/([^/]+\/)?shared\/[^/]+\.light\.ts$/, may: SPEC, light: true },
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
      ...LIGHT,
      'language/export/',
      'language/project/project-template.ts',
      'plugins/index.spec.ts',
      'plugins/index.kinds.ts',
      'extension/src/gallery.ts',
      'extension/tools/',
      '*',
    ],
  },
];

const ownFolder = (path: string): string => path.split('/').slice(0, 3).join('/');
const groupFolder = (path: string): string => path.split('/').slice(0, 2).join('/');

const sources = loadSources('contract', 'language', 'kernel', 'cli', 'language-server', 'plugins', 'extension');
const byPath = new Map(sources.map((source) => [source.path, source]));

/** What a spec imports from its own folder is as light as the spec. */
const lightHelpers = new Set(
  sources.filter(({ path }) => path.endsWith('/spec.ts')).flatMap((spec) => listHelpers(spec, new Set())),
);

function listHelpers(source: Source, seen: Set<string>): string[] {
  for (const target of listImports(source)) {
    const helper = byPath.get(target);
    if (helper === undefined || seen.has(target) || !target.startsWith(ownFolder(source.path))) continue;
    seen.add(target);
    listHelpers(helper, seen);
  }
  return [...seen];
}

function findZone(path: string): Zone | undefined {
  if (lightHelpers.has(path) && !LIGHT_FOLDERS.test(path)) return ZONES.find(({ name }) => name === 'spec');
  return ZONES.find(({ files }) => files.test(path));
}

function isAllowed(zone: Zone, from: string, target: string): boolean {
  const inside = byPath.has(target);
  return zone.may.some((entry) => {
    if (entry === '*') return !inside && !/^(contract|language|kernel|cli|language-server|plugins)\//.test(target);
    if (entry === 'spec.ts' || entry === 'runtime.ts')
      return /^plugins\/[^/]+\/[^/]+\//.test(target) && target.endsWith(`/${entry}`);
    if (/[/.:]$/.test(entry)) {
      return target.startsWith(entry.replace('{own}', ownFolder(from)).replace('{group}', groupFolder(from)));
    }
    const pattern = entry.split('{any}').map((part) => part.replace(/[.]/g, '\\.'));
    return new RegExp(`^${pattern.join('[^/]+')}$`).test(target);
  });
}

describe('architecture: imports', () => {
  it('every file belongs to a zone', () => {
    expect(sources.length).to.be.greaterThan(100);
    expect(sources.map(({ path }) => path).filter((path) => findZone(path) === undefined)).to.deep.equal([]);
  });

  for (const zone of ZONES) {
    it(`${zone.name} imports only what it may`, () => {
      const files = sources.filter(({ path }) => findZone(path) === zone);
      expect(files.length, 'a row without files is a typing mistake').to.be.greaterThan(0);
      const wrong = files.flatMap((file) =>
        listImports(file)
          .filter((target) => !isAllowed(zone, file.path, target))
          .map((target) => `${file.path} -> ${target}`),
      );
      expect(wrong).to.deep.equal([]);
    });
  }

  it('every import of a file finds one', () => {
    const broken = sources.flatMap((source) =>
      listImports(source)
        .filter((target) => target.endsWith('.ts') && !byPath.has(target))
        .map((target) => `${source.path} -> ${target}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it('what a spec imports from its own folder is called .light.ts or in a light folder, and nothing else is', () => {
    const named = sources
      .filter(({ path }) => path.endsWith('.light.ts') && !path.includes('/shared/'))
      .map(({ path }) => path);
    expect(named.length).to.be.greaterThan(3);
    expect([...lightHelpers].filter((path) => !LIGHT_FOLDERS.test(path)).sort()).to.deep.equal(named.sort());
  });

  it('no spec names its runtime, not even in a dynamic import', () => {
    const specs = sources.filter(({ path }) => path.endsWith('/spec.ts') || lightHelpers.has(path));
    expect(specs.filter((spec) => listImports(spec).some((target) => target.includes('runtime')))).to.deep.equal([]);
  });

  it('light zones use no global of a platform', () => {
    const globals = new Set(
      'process Buffer setTimeout setInterval setImmediate queueMicrotask console require global globalThis fetch performance'.split(
        ' ',
      ),
    );
    const found = sources
      .filter(({ path }) => findZone(path)?.light === true)
      .flatMap((source) =>
        listIdentifiers(source)
          .filter((name) => globals.has(name))
          .map((name) => `${source.path}: ${name}`),
      );
    expect(found).to.deep.equal([]);
  });

  it('the table can reject: imports that must never be allowed are not', () => {
    const refused: readonly (readonly [string, string])[] = [
      ['contract/kind.ts', 'language/schema/fold.ts'],
      ['language/analysis/analyse.ts', 'node:fs'],
      ['language/analysis/analyse.ts', 'plugins/index.spec.ts'],
      ['language/analysis/analyse.ts', 'plugins/queries/sql/text/scan.ts'],
      ['language-server/server.ts', 'plugins/queries/sql/analysis/resolve.ts'],
      ['plugins/queries/sql/text/scan.ts', 'plugins/queries/sql/analysis/resolve.ts'],
      ['plugins/features/cacheable/spec.ts', 'plugins/queries/sql/language.light.ts'],
      ['language/analysis/analyse.ts', 'kernel/runtime/kernel.ts'],
      ['plugins/queries/sql/spec.ts', 'plugins/dialects/shared/values.ts'],
      ['plugins/queries/kind.ts', 'plugins/queries/sql/spec.ts'],
      ['kernel/runtime/kernel.ts', 'plugins/index.spec.ts'],
      ['kernel/plan/plan.ts', 'kernel/runtime/kernel.ts'],
      ['plugins/queries/sql/spec.ts', 'plugins/queries/sql/runtime.ts'.replace('sql/', 'mongo/')],
      ['plugins/queries/sql/spec.ts', 'pg'],
      ['plugins/queries/sql/runtime.ts', 'kernel/runtime/kernel.ts'],
      ['plugins/queries/sql/runtime.ts', 'kernel/plan/plan.ts'],
      ['plugins/triggers/websocket/server.ts', 'kernel/http/server.ts'],
      ['kernel/http/server.ts', 'plugins/triggers/websocket/server.ts'],
      ['plugins/queries/sql/runtime.ts', 'plugins/dialects/postgres/runtime.ts'],
      ['plugins/queries/sql/runtime.ts', 'plugins/dialects/shared/values.ts'],
      ['extension/src/client.ts', 'contract/problem.ts'],
      ['extension/src/client.ts', 'extension/tools/grammar.ts'],
      ['extension/src/client.ts', 'jsonc-parser'],
      ['extension/tools/bundle.ts', 'kernel/runtime/kernel.ts'],
      ['extension/tools/bundle.ts', 'plugins/queries/sql/spec.ts'],
    ];
    for (const [from, target] of refused) {
      const zone = findZone(from);
      expect(zone, from).not.to.equal(undefined);
      if (zone !== undefined) expect(isAllowed(zone, from, target), `${from} -> ${target}`).to.equal(false);
    }
  });
});

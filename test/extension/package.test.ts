/**
 * The .vsix, built as `npm run package` does: what is in it, how large it is, that its bundles hold no driver, that its
 * language server answers, and that the client registers what the manifest promises.
 */
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import type { Bundles } from '../../extension/tools/bundle.js';
import { ROOT } from '../support/project.js';
import { loadExtension } from '../support/vscode-stand-in.js';
import { makeVsix } from '../support/vsix.js';
import { readZipEntries } from '../support/zip.js';

interface Manifest {
  readonly version: string;
  readonly main: string;
  readonly icon: string;
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, object>> };
    readonly taskDefinitions: readonly { readonly type: string }[];
    readonly languages: readonly { readonly extensions: readonly string[]; readonly filenames: readonly string[] }[];
    readonly walkthroughs: readonly { readonly steps: readonly object[] }[];
  };
}

const EXTENSION = join(ROOT, 'extension');
const text = readFileSync(join(EXTENSION, 'package.json'), 'utf8');
const manifest = JSON.parse(text) as Manifest;
const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};
const MAX_MEGABYTES = 3;
const MAX_SERVER_KILOBYTES = 1200;
const MAX_ENDPOINT_KILOBYTES = 24;
const MAX_SAMPLES_KILOBYTES = 72;
/** Dependencies of the kernel that the language server has too. */
const LIGHT = /^(yup|jsonc-parser|fastest-levenshtein|libpg-query|tinyglobby|vscode-.*)$/;

const packagesIn = ({ inputs }: Metafile): string[] => [
  ...new Set(Object.keys(inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [])),
];

describe('extension: package', function () {
  let vsix = '';
  let bundles: Bundles;

  before(async () => {
    const { file, metafile } = await makeVsix();
    vsix = file;
    bundles = JSON.parse(readFileSync(metafile, 'utf8')) as Bundles;
  });

  it('contains what an editor needs, and no sources', () => {
    const files = [...readZipEntries(vsix).keys()].map((name) => name.replace(/^extension\//, ''));
    const kinds = files.map((name) => (name.startsWith('gallery/') ? 'gallery/' : name));
    expect([...new Set(kinds)].sort()).to.deep.equal([
      'LICENSE.txt',
      '[Content_Types].xml',
      'changelog.md',
      'dist/built-in.js',
      'dist/built-in.txt.br',
      'dist/endpoint-files.js',
      'dist/extension.js',
      'dist/language.js',
      'dist/libpg-query.wasm',
      'dist/manifest-worker.js',
      'dist/problems.txt.br',
      'dist/project.txt.br',
      'dist/request-samples.js',
      'dist/server.js',
      'dist/yup.js',
      'extension.vsixmanifest',
      'gallery/',
      'icons/file-dark.svg',
      'icons/file-light.svg',
      'icons/lintel.png',
      'language/language-configuration.json',
      'media/panel.css',
      'media/plan.css',
      'media/plan.js',
      'media/request.css',
      'media/request.js',
      'package.json',
      'readme.md',
      'syntaxes/lintel.tmLanguage.json',
      'walkthrough/install.md',
      'walkthrough/model.md',
      'walkthrough/project.md',
      'walkthrough/resource.md',
      'walkthrough/run.svg',
      'walkthrough/try.md',
      'walkthrough/type.md',
    ]);
    for (const [, path = ''] of text.matchAll(/"(?:\.\/)?((?:icons|language|syntaxes|walkthrough|dist)\/[^"]+)"/g))
      expect(files, path).to.include(path);
  });

  it(`is smaller than ${MAX_MEGABYTES} MB, its server than ${MAX_SERVER_KILOBYTES} KB`, () => {
    const size = (path: string): number => Math.round(statSync(path).size / 1024);
    const [whole, client] = [size(vsix), size(join(EXTENSION, 'dist/extension.js'))];
    const parts = ['server.js', 'built-in.js', 'language.js', 'yup.js', 'built-in.txt.br', 'problems.txt.br'].map(
      (name) => size(join(EXTENSION, 'dist', name)),
    );
    const server = parts.reduce((sum, part) => sum + part, 0);
    process.stdout.write(`      .vsix: ${whole} KB; client: ${client} KB, server: ${server} KB\n`);
    expect(whole).to.be.lessThan(MAX_MEGABYTES * 1024);
    expect(server).to.be.lessThan(MAX_SERVER_KILOBYTES);
    // Loaded when a code action, a test or the request panel first needs it.
    expect(size(join(EXTENSION, 'dist/endpoint-files.js'))).to.be.lessThan(MAX_ENDPOINT_KILOBYTES);
    expect(size(join(EXTENSION, 'dist/request-samples.js'))).to.be.lessThan(MAX_SAMPLES_KILOBYTES);
  });

  it('has no driver, no runtime and no server of the kernel in its language server', () => {
    const packages = packagesIn(bundles.server);
    expect(packages).to.include('vscode-languageserver');
    const heavy = Object.keys({ ...own.dependencies, ...own.devDependencies }).filter((name) => !LIGHT.test(name));
    expect(heavy).to.include.members(['pg', 'mongodb', 'koa']);
    expect(packages.filter((name) => heavy.includes(name))).to.deep.equal([]);
    const parts = Object.keys({ ...bundles.server.inputs, ...bundles['built-in'].inputs });
    expect(
      parts.filter((path) => /^plugins\/.*runtime\.ts$|^kernel\/(compile|http|sockets|cli)\//.test(path)),
    ).to.deep.equal([]);
  });

  it('loads no code of a spec with its language server, and is read byte for byte', () => {
    const parts = Object.keys(bundles.server.inputs);
    // The reader of statements is one for the server and for the specs.
    const READER = /^plugins\/queries\/sql\/(?:text|editing|parser)\//;
    expect(parts.filter((path) => path.startsWith('plugins/') && !READER.test(path))).to.deep.equal([]);
    expect(Object.keys(bundles['built-in'].inputs)).to.include('plugins/index.spec.ts');
    for (const name of ['server.js', 'built-in.js', 'language.js', 'yup.js'])
      expect(
        readFileSync(join(EXTENSION, 'dist', name)).every((byte) => byte < 128),
        name,
      ).to.equal(true);
  });

  it('has a client without code for definitions', () => {
    const parts = Object.keys(bundles.extension.inputs).filter((path) => !path.includes('node_modules'));
    expect(parts).to.include('extension/src/extension.ts');
    expect(parts.filter((path) => !path.startsWith('extension/src/'))).to.deep.equal([]);
    expect(packagesIn(bundles.extension)).to.include('vscode-languageclient');
  });

  it('has a language server that responds', async () => {
    const child = spawn(process.execPath, [join(EXTENSION, 'dist/server.js'), '--stdio']);
    try {
      const send = (message: object): void => {
        const json = JSON.stringify({ jsonrpc: '2.0', ...message });
        child.stdin.write(`Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`);
      };
      send({ id: 1, method: 'initialize', params: { processId: process.pid, rootUri: null, capabilities: {} } });
      let answer = '';
      const answered = async (word: string): Promise<void> => {
        while (!answer.includes(word)) answer += String((await once(child.stdout, 'data'))[0]);
      };
      await answered('"capabilities"');
      expect(answer).to.contain('"id":1');
      const ended = once(child, 'exit');
      send({ id: 2, method: 'shutdown' });
      await answered('"id":2');
      send({ method: 'exit' });
      expect((await ended)[0]).to.equal(0);
    } finally {
      child.kill();
    }
  });

  describe('its manifest', () => {
    it('lists the commands, tasks and settings of the client', async () => {
      const { extension, recorded } = loadExtension(join(EXTENSION, 'dist/extension.js'));
      const subscriptions: { dispose: () => void }[] = [];
      await extension.activate({ subscriptions, asAbsolutePath: (path: string) => join(EXTENSION, path) });
      const { commands, configuration, taskDefinitions } = manifest.contributes;
      expect([...recorded.commands.keys()]).to.have.members(commands.map(({ command }) => command));
      expect(recorded.taskTypes).to.deep.equal(taskDefinitions.map(({ type }) => type));
      expect(recorded.statusItems).to.have.lengthOf(2);
      expect(subscriptions.length).to.be.greaterThan(commands.length);
      const settings = readFileSync(join(EXTENSION, 'src/settings.ts'), 'utf8');
      const read = [...settings.matchAll(/readonly '([\w.]+)':/g)].map(([, name]) => `lintel.${name}`);
      expect(Object.keys(configuration.properties)).to.have.members([...read, 'lintel.trace.server']);
    });

    it('names only commands that exist', () => {
      const known = manifest.contributes.commands.map(({ command }) => command);
      const named = [...text.matchAll(/(?:command:|onCommand:|"command": ")(lintel\.\w+)/g)].map(([, id = '']) => id);
      expect(named.length).to.be.greaterThan(known.length);
      expect(named.filter((id) => !known.includes(id))).to.deep.equal([]);
    });

    it('ignores settings with programs and addresses in untrusted folders', () => {
      const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
      expect(restrictedConfigurations).to.have.members(['lintel.server.path', 'lintel.request.baseUrl']);
      expect(Object.keys(manifest.contributes.configuration.properties)).to.include.members(restrictedConfigurations);
    });

    it('has the version of the kernel, and the files of a definition', () => {
      expect(manifest.version).to.equal(own.version);
      const [language] = manifest.contributes.languages;
      expect(language?.extensions).to.deep.equal(['.resource.json', '.resource.jsonc', '.model.json', '.model.jsonc']);
      expect(language?.filenames).to.deep.equal(['lintel.config.json']);
      expect(readFileSync(join(EXTENSION, 'CHANGELOG.md'), 'utf8')).to.contain(`## ${own.version}`);
      expect(readFileSync(join(EXTENSION, 'LICENSE'), 'utf8')).to.equal(readFileSync(join(ROOT, 'LICENSE'), 'utf8'));
    });
  });
});

/** Debug sessions in a fake editor: F5 without a configuration, and the adapter that is started. */
import { expect } from 'chai';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTempProject, ROOT, type TempProject } from '../support/project.js';
import { loadExtensionModule } from '../support/vscode-stand-in.js';

interface Provider {
  readonly provideDebugConfigurations: () => readonly object[];
  readonly resolveDebugConfiguration: (folder: undefined, given: object) => Record<string, unknown> | undefined;
}
interface Factory {
  readonly createDebugAdapterDescriptor: (session: object) => { readonly words: readonly unknown[] };
}
type Provide = (projects: object) => unknown;

describe('extension: debugging', () => {
  let project: TempProject;
  let provider: Provider;
  let factory: Factory;
  let provide: Provide;
  let isTrusted = true;
  const warnings: string[] = [];
  const toUri = (path: string) => ({ path, fsPath: path });

  before(async () => {
    project = await createTempProject({ 'lintel.config.json': {} });
    const bin = join(project.folder, 'node_modules', '.bin');
    await mkdir(bin, { recursive: true });
    await writeFile(join(bin, 'lintel'), '', { mode: 0o755 });
    const none = { dispose: () => undefined };
    const vscode = {
      Disposable: { from: () => none },
      DebugAdapterExecutable: class {
        readonly words: readonly unknown[];
        constructor(...words: readonly unknown[]) {
          this.words = words;
        }
      },
      Uri: { file: toUri, joinPath: ({ path }: { readonly path: string }, name: string) => toUri(join(path, name)) },
      debug: {
        registerDebugConfigurationProvider: (_type: string, given: Provider) => ((provider = given), none),
        registerDebugAdapterDescriptorFactory: (_type: string, given: Factory) => ((factory = given), none),
      },
      window: {
        activeTextEditor: undefined,
        showWarningMessage: (text: string) => warnings.push(text),
        showInformationMessage: (text: string) => warnings.push(text),
      },
      workspace: {
        get isTrusted() {
          return isTrusted;
        },
        getConfiguration: () => ({ get: () => '' }),
      },
    };
    const module = await loadExtensionModule('tasks', vscode);
    provide = (module as { readonly provideDebugging: Provide }).provideDebugging;
    provide({ find: () => ({ folder: toUri(project.folder) }) });
  });
  after(() => project.dispose());

  it('starts `lintel dap` of the project without a configuration', async () => {
    const configuration = provider.resolveDebugConfiguration(undefined, {});
    expect(configuration).to.deep.equal({
      ...{ type: 'lintel', request: 'launch', name: 'Debug definitions' },
      cwd: project.folder,
    });
    const { words } = factory.createDebugAdapterDescriptor({ configuration });
    expect(words).to.deep.equal([join(project.folder, 'node_modules/.bin/lintel'), ['dap'], { cwd: project.folder }]);
    const manifest = JSON.parse(await readFile(join(ROOT, 'extension/package.json'), 'utf8')) as {
      readonly contributes: { readonly debuggers: readonly Record<string, unknown>[] };
    };
    const [contributed] = manifest.contributes.debuggers;
    expect(contributed?.['type']).to.equal('lintel');
    expect(contributed?.['initialConfigurations']).to.deep.equal(provider.provideDebugConfigurations());
  });

  it('keeps the members of a configuration', () => {
    const given = { type: 'lintel', request: 'attach', name: 'a', cwd: '/elsewhere', showSecrets: true };
    expect(provider.resolveDebugConfiguration(undefined, given)).to.deep.equal(given);
  });

  it('starts nothing in a workspace that is not trusted, and shows a message without a project', () => {
    isTrusted = false;
    const start = (): unknown => factory.createDebugAdapterDescriptor({ configuration: { cwd: project.folder } });
    expect(start).to.throw('This workspace is not trusted');
    isTrusted = true;
    provide({ find: () => undefined });
    expect(provider.resolveDebugConfiguration(undefined, {})).to.equal(undefined);
    expect(warnings[0]).to.contain('There is no lintel.config.json');
  });
});

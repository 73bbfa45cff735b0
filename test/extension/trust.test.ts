/**
 * The module of the extension that starts programs, in a fake editor: nothing starts in a folder that is not trusted.
 * The same calls with trust show that the test detects a start.
 */
import { expect } from 'chai';
import { build } from 'esbuild';
import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT, createTempProject, type TempProject } from '../support/project.js';

interface Uri {
  readonly path: string;
  readonly fsPath: string;
}

interface Programs {
  readonly runLintel: (
    folder: Uri,
    args: readonly string[],
    signal: AbortSignal,
  ) => Promise<string | { readonly stdout: string }>;
  readonly createLintelTask: (
    definition: object,
    command: readonly string[],
    folder: Uri,
    matcher: string,
  ) => string | object;
  readonly createDebugAdapter: (folder: string) => string | object;
  readonly createLanguageClient: (
    context: object,
    options: object,
  ) => { readonly given: { readonly run?: { readonly module: string } } };
}

const uri = (path: string): Uri => ({ path, fsPath: path });

class StubLanguageClient {
  readonly given: unknown;
  constructor(_id: string, _name: string, given: unknown) {
    this.given = given;
  }
}

describe('extension: programs of a folder', () => {
  let project!: TempProject;
  let load!: (trusted: boolean, path?: string) => Programs;
  const marker = (): boolean => existsSync(join(project.folder, 'ran'));

  before(async () => {
    project = await createTempProject({
      'node_modules/.bin/lintel': '#!/bin/sh\ntouch ran\necho said\n',
      'own.js': '',
    });
    await chmod(join(project.folder, 'node_modules/.bin/lintel'), 0o755);
    const { outputFiles } = await build({
      entryPoints: [join(ROOT, 'extension/src/programs.ts')],
      bundle: true,
      platform: 'node',
      format: 'cjs',
      external: ['vscode', 'vscode-languageclient/node'],
      write: false,
    });
    const require = createRequire(import.meta.filename);
    load = (isTrusted, path = '') => {
      const vscode = {
        ShellExecution: Object,
        ShellQuoting: {},
        Task: Object,
        TaskScope: {},
        DebugAdapterExecutable: Object,
        Uri: { file: uri, joinPath: ({ path: of }: Uri, name: string) => uri(join(of, name)) },
        workspace: {
          isTrusted,
          getConfiguration: () => ({ get: () => path }),
          getWorkspaceFolder: () => undefined,
          workspaceFolders: [{ uri: uri(project.folder) }],
        },
      };
      const stubs: Readonly<Record<string, object>> = {
        vscode,
        'vscode-languageclient/node': { LanguageClient: StubLanguageClient, TransportKind: { stdio: 0 } },
      };
      const module = { exports: {} as Programs };
      // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- what `require` does
      new Function('require', 'module', 'exports', outputFiles[0]?.text ?? '')(
        (name: string) => stubs[name] ?? (require(name) as unknown),
        module,
        module.exports,
      );
      return module.exports;
    };
  });
  after(() => project.dispose());

  const all = async ({
    runLintel,
    createLintelTask,
    createDebugAdapter,
    createLanguageClient,
  }: Programs): Promise<unknown[]> => {
    const folder = uri(project.folder);
    const asked = await runLintel(folder, ['plan', 'a'], new AbortController().signal);
    const task = createLintelTask({}, ['dev'], folder, '$lintel');
    const adapter = createDebugAdapter(project.folder);
    const context = { globalStorageUri: uri('/storage'), asAbsolutePath: (name: string) => `/extension/${name}` };
    const { given } = createLanguageClient(context, {});
    const server = given.run?.module ?? (given as { readonly module?: string }).module;
    return [
      typeof asked === 'string' ? asked : asked.stdout,
      typeof task === 'string' ? task : 'a task',
      typeof adapter === 'string' ? adapter : 'an adapter',
      server,
    ];
  };

  it('do not start without trust, also if a user setting names a file of the folder', async () => {
    const nothing = ['restricted', 'restricted', 'restricted', '/extension/dist/server.js'];
    for (const path of ['', 'node_modules/.bin/lintel', 'own.js']) {
      expect(await all(load(false, path)), path).to.deep.equal(nothing);
      expect(marker()).to.equal(false);
    }
  });

  it('start with trust', async () => {
    expect(await all(load(true))).to.deep.equal(['said\n', 'a task', 'an adapter', '/extension/dist/server.js']);
    expect(marker()).to.equal(true);
    const [, , , server] = await all(load(true, 'own.js'));
    expect(server).to.equal(join(project.folder, 'own.js'));
  });
});

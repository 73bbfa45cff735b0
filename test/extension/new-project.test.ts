/** "New Project" in a fake editor: the files it writes, the processes it starts, and the pages it opens. */
import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseEnv } from 'node:util';
import { validateFolderName } from '../../extension/src/project-files.js';
import { writeProjectTemplate } from '../../extension/tools/built-in.js';
import { runCli } from '../support/cli.js';
import { waitUntil } from '../support/until.js';
import { createTempProject, ROOT, type TempProject } from '../support/project.js';
import { loadExtensionModule } from '../support/vscode-stand-in.js';

interface Uri {
  readonly path: string;
  readonly fsPath: string;
  readonly toString: () => string;
}
const uri = (path: string): Uri => ({ path, fsPath: path, toString: () => `file://${path}` });

interface NewProject {
  readonly createProject: (context: object) => Promise<void>;
  readonly continueNewProject: (services: object) => Promise<void>;
}

interface Window {
  readonly trusted?: boolean;
  /** That is open. */
  readonly folder?: string;
  /** The user's `lintel.server.path`. */
  readonly path?: string;
  /** What the user chooses in messages, in their order. */
  readonly answers?: readonly string[];
  /** Of `npm install`, each time. */
  readonly exitCodes?: readonly (number | undefined)[];
}

describe('extension: new project', () => {
  let project!: TempProject;
  const state = new Map<string, unknown>();
  const seen: string[] = [];
  const { version } = JSON.parse(readFileSync(join(ROOT, 'extension/package.json'), 'utf8')) as { version: string };
  const context = {
    globalState: {
      get: (key: string) => state.get(key),
      update: async (key: string, value: unknown) => void state.set(key, value),
    },
    extension: { packageJSON: { version } },
    asAbsolutePath: (name: string) => join(project.folder, basename(name)),
  };

  let isGranted = false;
  let grantTrust = (): void => undefined;
  async function openWindow(
    name: string,
    { trusted = true, folder, path, answers = [], exitCodes = [] }: Window,
  ): Promise<NewProject> {
    const [left, codes] = [[...answers], [...exitCodes]];
    const say = async (message: string): Promise<string | undefined> => (seen.push(message), left.shift());
    let ended = (_event: object): void => undefined;
    const vscode = {
      Uri: {
        joinPath: ({ path: of }: Uri, ...names: string[]) => uri(join(of, ...names)),
        file: uri,
      },
      ShellExecution: class {
        constructor(...words: readonly unknown[]) {
          seen.push(`shell: ${JSON.stringify(words.slice(0, 2))}`);
        }
      },
      Task: class {
        constructor(
          readonly definition: object,
          readonly scope: unknown,
          readonly name: string,
        ) {}
      },
      ShellQuoting: {},
      TaskScope: {},
      TaskGroup: {},
      TaskPanelKind: {},
      TaskRevealKind: {},
      tasks: {
        taskExecutions: [],
        onDidEndTaskProcess: (listener: typeof ended) => ((ended = listener), { dispose: () => undefined }),
        executeTask: async (task: { readonly name: string }) => {
          seen.push(`task: ${task.name}`);
          ended({ execution: { task }, exitCode: codes.length > 0 ? codes.shift() : 0 });
        },
      },
      window: {
        showInputBox: async () => name,
        showOpenDialog: async () => [uri(project.folder)],
        showErrorMessage: say,
        showWarningMessage: say,
        showInformationMessage: say,
        showTextDocument: async ({ path: of }: Uri) => void seen.push(`shows ${basename(of)}`),
      },
      workspace: {
        get isTrusted() {
          return trusted || isGranted;
        },
        onDidGrantWorkspaceTrust: (listener: () => void) => {
          grantTrust = () => {
            isGranted = true;
            listener();
          };
          return { dispose: () => undefined };
        },
        workspaceFolders: folder === undefined ? undefined : [{ uri: uri(folder) }],
        getWorkspaceFolder: () => undefined,
        getConfiguration: () => ({ get: () => path ?? '', inspect: () => ({ globalValue: path }) }),
      },
      commands: {
        executeCommand: async (id: string, ...args: readonly unknown[]) =>
          seen.push(`${id} ${args.map((one) => (typeof one === 'string' ? one : basename(String(one)))).join(' ')}`),
      },
    };
    return (await loadExtensionModule('new-project', vscode)) as NewProject;
  }

  before(async () => {
    project = await createTempProject();
    await writeProjectTemplate(project.folder);
  });
  after(() => project.dispose());
  beforeEach(() => {
    state.clear();
    seen.length = 0;
    isGranted = false;
  });

  const listFiles = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .sort();

  it('writes the files that `lintel init` writes, with secrets of its own, also in a restricted window', async () => {
    const { createProject } = await openWindow('My Shop', { trusted: false, path: '/usr/bin/lintel' });
    await createProject(context);
    const made = join(project.folder, 'My Shop');
    expect((await runCli(['init', 'by init/My Shop'], { cwd: project.folder })).code).to.equal(0);
    const other = join(project.folder, 'by init', 'My Shop');
    expect(listFiles(made)).to.deep.equal(listFiles(other));
    const read = (folder: string, file: string): string => readFileSync(join(folder, file), 'utf8');
    for (const file of listFiles(made).filter((name) => name !== '.env' && name !== 'package.json'))
      expect(read(made, file), file).to.equal(read(other, file));
    const [own, theirs] = [made, other].map((folder) => JSON.parse(read(folder, 'package.json')) as Package);
    expect(own).to.deep.equal({ ...theirs, dependencies: { ...theirs?.dependencies, lintel: version } });
    const variables = parseEnv(read(made, '.env'));
    expect(Object.keys(variables)).to.deep.equal(Object.keys(parseEnv(read(other, '.env'))));
    expect(variables['JWT_SECRET_KEY']).to.match(/^[\w-]{48}$/);
    expect(statSync(join(made, '.env')).mode & 0o777).to.equal(0o600);
    expect(seen).to.deep.equal(['vscode.openFolder My Shop [object Object]']);
  });

  it('overwrites nothing, and shows a message', async () => {
    await project.write('taken/mine.txt', 'mine');
    await (await openWindow('taken', { answers: ['Choose Another Name'] })).createProject(context);
    expect(seen)
      .to.have.lengthOf(2)
      .and.to.include(`${join(project.folder, 'taken')} is not empty; nothing was written.`);
    expect(readdirSync(join(project.folder, 'taken'))).to.deep.equal(['mine.txt']);
  });

  it("runs the `lintel` of the user's settings only in a trusted window", async () => {
    await project.write('own/lintel', '#!/bin/sh\nmkdir "$2" && echo "$@" > "$2/ran"\n');
    const path = join(project.folder, 'own/lintel');
    await chmod(path, 0o755);
    await (await openWindow('given', { path })).createProject(context);
    expect(readFileSync(join(project.folder, 'given/ran'), 'utf8')).to.equal('init given\n');
    await (await openWindow('restricted', { path, trusted: false, folder: '/elsewhere' })).createProject(context);
    expect(existsSync(join(project.folder, 'restricted/ran'))).to.equal(false);
    expect(existsSync(join(project.folder, 'restricted/lintel.config.json'))).to.equal(true);
    await project.write('own/lintel', '#!/bin/sh\necho no space >&2; exit 1\n');
    seen.length = 0;
    await (await openWindow('failed', { path })).createProject(context);
    expect(seen).to.deep.equal(['`lintel init` failed: no space\n']);
  });

  describe('in the window of the new folder', () => {
    const FOLDER = '/projects/shop';
    const begin = async (options: Window): Promise<void> => {
      state.set('lintel.newProject', `file://${FOLDER}`);
      const { continueNewProject } = await openWindow('', { folder: FOLDER, ...options });
      await continueNewProject({ context, projects: { find: () => ({ folder: uri(FOLDER) }) } });
    };

    it('installs the packages, runs the kernel and opens the first request, after one click', async () => {
      await begin({ path: join(project.folder, 'own/lintel'), answers: ['Install and Run'] });
      expect(seen.filter((what) => !what.startsWith('shell'))).to.deep.equal([
        'shows notes.resource.json',
        'shop is created',
        'task: install',
        'task: dev',
        'lintel.sendRequest health.resource.json health',
      ]);
      expect(seen.find((what) => what.startsWith('shell')))
        .to.include('"npm"')
        .and.include('"install"');
    });

    it('starts nothing in a folder that is not trusted, and goes on when it is', async () => {
      const done = begin({ trusted: false, answers: ['Trust, Install and Run'] });
      await waitUntil(() => seen.includes('workbench.trust.manage '));
      expect(seen.some((what) => /^(shell|task)/.test(what))).to.equal(false);
      grantTrust();
      await done;
      expect(seen.filter((what) => what.startsWith('task'))).to.deep.equal(['task: install']);
    });

    it('shows that packages were not installed, and installs them again', async () => {
      await begin({ answers: ['Install and Run', 'Try Again'], exitCodes: [1, undefined] });
      expect(seen.filter((what) => !what.startsWith('shell')).slice(2)).to.deep.equal([
        'task: install',
        '`npm install` failed (exit code 1). Its terminal shows why.',
        'task: install',
      ]);
    });

    it('shows the steps, and only once', async () => {
      await begin({ answers: ['Show the Steps'] });
      expect(seen.at(-1)).to.equal('workbench.action.openWalkthrough lintel.lintel#start');
      expect(state.get('lintel.newProject')).to.equal(undefined);
    });
  });

  it('accepts names that are valid folders on every system', () => {
    for (const name of ['my-backend', 'My Shop', 'a.b']) expect(validateFolderName(name), name).to.equal(null);
    for (const name of ['', ' ', '.', '..', '.hidden', 'a/b', 'a\\b', 'a:b', 'end.', 'end '])
      expect(validateFolderName(name), name).to.be.a('string');
  });
});

interface Package {
  readonly dependencies: Readonly<Record<string, string>>;
}

describe('extension: walkthrough', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'extension/package.json'), 'utf8')) as {
    readonly contributes: {
      readonly commands: readonly { readonly command: string }[];
      readonly walkthroughs: readonly {
        readonly steps: readonly { readonly id: string; readonly description: string }[];
      }[];
    };
  };
  it('has a button in each step', () => {
    const own = manifest.contributes.commands.map(({ command }) => command);
    for (const { id, description } of manifest.contributes.walkthroughs[0]?.steps ?? []) {
      // A link on a line of its own is a button.
      const buttons = [...description.matchAll(/^\[[^\]]+\]\(command:([\w.]+)\)$/gm)].map(
        ([, command = '']) => command,
      );
      expect(buttons, id).not.to.deep.equal([]);
      expect([...own, 'vscode.openFolder'], id).to.include.members(buttons);
    }
  });
});

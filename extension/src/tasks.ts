/**
 * Tasks of the type `lintel` run the project's `lintel` and list its problems. Debug sessions start its `lintel dap`;
 * F5 works without a launch configuration.
 */
import {
  Disposable,
  TaskGroup,
  TaskPanelKind,
  TaskRevealKind,
  commands,
  debug,
  tasks,
  window,
  type DebugConfiguration,
  type Task,
  type TaskDefinition,
  type TaskExecution,
  type WorkspaceFolder,
} from 'vscode';
import {
  NOT_STARTED_MESSAGES,
  createDebugAdapter,
  createInstallTask,
  createLintelTask,
  startTask,
  type NotStarted,
} from './programs.js';
import { offerProject } from './offer-project.js';
import type { Project, Projects } from './projects.js';

interface LintelTask extends TaskDefinition {
  readonly command: string;
  readonly args?: readonly string[];
}

const TYPE = 'lintel';
const NO_PROJECT = 'There is no lintel.config.json in this workspace.';

/** Offered by default; `tasks.json` can define others. */
const OFFERED = ['dev', 'check'];

export const provideTasks = (projects: Projects): Disposable =>
  tasks.registerTaskProvider('lintel', {
    provideTasks: () =>
      projects
        .all()
        .flatMap((project) =>
          OFFERED.flatMap((command) => ignoreNotStarted(createTask({ type: 'lintel', command }, project)) ?? []),
        ),
    resolveTask: (task) => {
      const scope = typeof task.scope === 'object' ? task.scope.uri : undefined;
      const project = projects.find(scope);
      return project === undefined ? undefined : ignoreNotStarted(createTask(task.definition as LintelTask, project));
    },
  });

const ignoreNotStarted = (task: Task | NotStarted): Task | undefined => (typeof task === 'string' ? undefined : task);

export async function runTask(project: Project | undefined, command: string, ...args: string[]): Promise<void> {
  if (project === undefined) {
    await offerProject(NO_PROJECT);
    return;
  }
  const task = createTask({ type: 'lintel', command, args }, project);
  if (typeof task === 'string') return showNotStarted(task);
  if (!showRunning(task)) await startTask(task);
}

/** Returns true if `npm install` has installed everything. */
export async function installPackages(project: Project | undefined): Promise<boolean> {
  if (project === undefined) {
    await offerProject(NO_PROJECT);
    return false;
  }
  const task = createInstallTask(project.folder);
  if (typeof task === 'string') {
    await showNotStarted(task);
    return false;
  }
  const exitCode = await runToEnd(task);
  if (exitCode === 0) return true;
  const again = 'Try Again';
  const message = `\`npm install\` failed (exit code ${exitCode}). Its terminal shows why.`;
  // Without a code, the user has stopped it.
  if (exitCode === undefined || (await window.showErrorMessage(message, again)) !== again) return false;
  return installPackages(project);
}

/** Returns the exit code. */
const runToEnd = (task: Task): Promise<number | undefined> =>
  new Promise((resolve) => {
    const listener = tasks.onDidEndTaskProcess(({ execution, exitCode }) => {
      if (execution.task.name !== task.name || execution.task.definition.type !== TYPE) return;
      listener.dispose();
      resolve(exitCode);
    });
    void startTask(task);
  });

async function showNotStarted(why: NotStarted): Promise<void> {
  const manage = 'Manage Workspace Trust';
  const answer = await window.showWarningMessage(NOT_STARTED_MESSAGES[why], ...(why === 'restricted' ? [manage] : []));
  if (answer === manage) await commands.executeCommand('workbench.trust.manage');
}

/** A running background task is shown, not started twice. */
function showRunning({ isBackground, name, scope }: Task): boolean {
  const isSame = ({ task }: TaskExecution): boolean =>
    task.definition.type === 'lintel' && task.name === name && task.scope === scope;
  if (!isBackground || !tasks.taskExecutions.some(isSame)) return false;
  window.terminals.find((terminal) => terminal.name.includes(name))?.show();
  return true;
}

function createTask(definition: LintelTask, { folder }: Project): Task | NotStarted {
  const watches = definition.command === 'dev';
  const words = [definition.command, ...(definition.args ?? [])];
  const task = createLintelTask(definition, words, folder, watches ? '$lintel-dev' : '$lintel');
  if (typeof task === 'string') return task;
  task.isBackground = watches;
  if (definition.command === 'check') task.group = TaskGroup.Build;
  task.presentationOptions = { reveal: TaskRevealKind.Always, panel: TaskPanelKind.Dedicated, clear: !watches };
  return task;
}

const INITIAL: DebugConfiguration = { type: TYPE, request: 'launch', name: 'Debug definitions' };

export function provideDebugging(projects: Projects): Disposable {
  const findProject = (folder: WorkspaceFolder | undefined): Project | undefined =>
    projects.find(window.activeTextEditor?.document.uri ?? folder?.uri);
  return Disposable.from(
    debug.registerDebugConfigurationProvider(TYPE, {
      provideDebugConfigurations: () => [INITIAL],
      resolveDebugConfiguration(folder, given) {
        // Without a launch.json, all fields are missing.
        const configuration: DebugConfiguration = { ...INITIAL, ...given };
        const project = findProject(folder);
        if (project === undefined && configuration['cwd'] === undefined) {
          void offerProject(NO_PROJECT);
          return undefined;
        }
        return { cwd: project?.folder.fsPath, ...configuration };
      },
    }),
    debug.registerDebugAdapterDescriptorFactory(TYPE, {
      createDebugAdapterDescriptor({ configuration, workspaceFolder }) {
        const adapter = createDebugAdapter(String(configuration['cwd'] ?? workspaceFolder?.uri.fsPath ?? ''));
        if (typeof adapter === 'string') throw new Error(NOT_STARTED_MESSAGES[adapter]);
        return adapter;
      },
    }),
  );
}

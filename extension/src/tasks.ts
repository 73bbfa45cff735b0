/**
 * `lintel` in a terminal: tasks of the type `lintel`, whose problems the editor lists. Which `lintel` is run: the one that
 * the setting names, else the one that the project has installed.
 */
import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import {
  ShellExecution,
  ShellQuoting,
  Task,
  TaskGroup,
  TaskPanelKind,
  TaskRevealKind,
  TaskScope,
  Uri,
  tasks,
  window,
  workspace,
  type Disposable,
  type ShellQuotedString,
  type TaskDefinition,
  type TaskExecution,
} from 'vscode';
import type { Project, Projects } from './projects.js';
import { setting } from './settings.js';

interface LintelTask extends TaskDefinition {
  readonly command: string;
  readonly args?: readonly string[];
}

/** Those that everybody needs; `tasks.json` can name others. */
const OFFERED = ['dev', 'check'];

export const provideTasks = (projects: Projects): Disposable =>
  tasks.registerTaskProvider('lintel', {
    provideTasks: () =>
      projects
        .all()
        .flatMap((project) => OFFERED.flatMap((command) => taskOf({ type: 'lintel', command }, project) ?? [])),
    resolveTask: (task) => {
      const scope = typeof task.scope === 'object' ? task.scope.uri : undefined;
      const project = projects.of(scope);
      return project === undefined ? undefined : (taskOf(task.definition as LintelTask, project) ?? undefined);
    },
  });

/** Runs a command of lintel in the project; says why when it cannot. */
export async function runTask(project: Project | undefined, command: string, ...args: string[]): Promise<void> {
  if (project === undefined) {
    void window.showWarningMessage(
      'There is no lintel.config.json in this workspace. `npx lintel init` makes a project.',
    );
    return;
  }
  const task = taskOf({ type: 'lintel', command, args }, project);
  if (task === null) {
    void window.showWarningMessage(
      'This project has no `lintel` installed: `npm install lintel`, or name one in the setting lintel.server.path.',
    );
    return;
  }
  if (!showRunning(task)) await tasks.executeTask(task);
}

/** A kernel that watches is not started twice: its terminal is shown. */
function showRunning({ isBackground, name, scope }: Task): boolean {
  const isSame = ({ task }: TaskExecution): boolean =>
    task.definition.type === 'lintel' && task.name === name && task.scope === scope;
  if (!isBackground || !tasks.taskExecutions.some(isSame)) return false;
  window.terminals.find((terminal) => terminal.name.includes(name))?.show();
  return true;
}

/** Null where there is no lintel to run. */
function taskOf(definition: LintelTask, { folder }: Project): Task | null {
  const words = lintelOf(folder);
  if (words === null) return null;
  const [first, ...rest] = [...words, definition.command, ...(definition.args ?? [])].map(
    (value): ShellQuotedString => ({ value, quoting: ShellQuoting.Strong }),
  );
  if (first === undefined) return null;
  const watches = definition.command === 'dev';
  const task = new Task(
    definition,
    workspace.getWorkspaceFolder(folder) ?? TaskScope.Workspace,
    [definition.command, ...(definition.args ?? [])].join(' '),
    'lintel',
    new ShellExecution(first, rest, { cwd: folder.fsPath }),
    [watches ? '$lintel-dev' : '$lintel'],
  );
  task.isBackground = watches;
  if (definition.command === 'check') task.group = TaskGroup.Build;
  task.presentationOptions = { reveal: TaskRevealKind.Always, panel: TaskPanelKind.Dedicated, clear: !watches };
  return task;
}

/** The words that begin the command line. Folders around the project may hold the packages too. */
export function lintelOf(folder: Uri): readonly string[] | null {
  const own = setting('server.path', folder).trim();
  if (own !== '') {
    const whole = isAbsolute(own) ? own : join(folder.fsPath, own);
    return /\.[cm]?js$/.test(whole) ? ['node', whole] : [whole];
  }
  const name = process.platform === 'win32' ? 'lintel.cmd' : 'lintel';
  for (let at = folder; ; at = Uri.joinPath(at, '..')) {
    const file = join(at.fsPath, 'node_modules', '.bin', name);
    if (existsSync(file)) return [file];
    if (at.path === '/' || Uri.joinPath(at, '..').path === at.path) return null;
  }
}

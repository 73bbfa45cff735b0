/**
 * Starts every program of the extension, none from an untrusted workspace. An architecture test forbids it elsewhere.
 */
import { execFile, type ExecFileOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import {
  DebugAdapterExecutable,
  ShellExecution,
  ShellQuoting,
  Task,
  TaskScope,
  Uri,
  debug,
  tasks,
  window,
  workspace,
  type ExtensionContext,
  type ShellQuotedString,
  type TaskDefinition,
  type TestRun,
} from 'vscode';
import {
  LanguageClient,
  TransportKind,
  type LanguageClientOptions,
  type ServerOptions,
} from 'vscode-languageclient/node';
import { getServerProcess } from './server-process.js';
import { getSetting } from './settings.js';

/** Reason why a program is not started. */
export type NotStarted = 'restricted' | 'missing';

export const NOT_STARTED_MESSAGES: Readonly<Record<NotStarted, string>> = {
  restricted:
    'This workspace is not trusted, so nothing of it is run. The command "Workspaces: Manage Workspace Trust" changes that.',
  missing:
    'This project has no `lintel` installed: `npm install lintel`, or name one in the setting lintel.server.path.',
};

/** Milliseconds. Generous, because the machine may be busy. */
const PATIENCE = 60_000;
const READY = /^debugger at \S+:\d+$/m;
const NOT_ATTACHED = 'The debugger was not attached, so no case was run.';
const MOST_BYTES = 32 * 1024 * 1024;
const isWindows = process.platform === 'win32';

/** Searches parent folders too, because the package may be installed there. */
function findLintel(folder: Uri): readonly string[] | NotStarted {
  if (!workspace.isTrusted) return 'restricted';
  const own = getSetting('server.path', folder).trim();
  if (own !== '') {
    const whole = isAbsolute(own) ? own : join(folder.fsPath, own);
    return toCommand(whole);
  }
  for (let at = folder; ; at = Uri.joinPath(at, '..')) {
    const file = join(at.fsPath, 'node_modules', '.bin', isWindows ? 'lintel.cmd' : 'lintel');
    if (existsSync(file)) return [file];
    if (at.path === '/' || Uri.joinPath(at, '..').path === at.path) return 'missing';
  }
}

export interface ProgramOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly error: Error | null;
}

export function runLintel(
  folder: Uri,
  args: readonly string[],
  signal: AbortSignal,
): Promise<ProgramOutput | NotStarted> {
  const words = findLintel(folder);
  if (typeof words === 'string') return Promise.resolve(words);
  return runProgram(words, args, { cwd: folder.fsPath, signal, timeout: PATIENCE });
}

/** Attaches a debug session once `lintel test --debug` waits for one. */
export async function debugLintel(
  folder: Uri,
  args: readonly string[],
  signal: AbortSignal,
  testRun: TestRun,
): Promise<ProgramOutput | NotStarted> {
  const words = findLintel(folder);
  if (typeof words === 'string') return words;
  const failed = new AbortController();
  const attach = async (): Promise<void> => {
    const configuration = { type: 'lintel', request: 'attach', name: 'Debug tests', cwd: folder.fsPath, test: true };
    const scope = workspace.getWorkspaceFolder(folder);
    const isStarted = await debug.startDebugging(scope, configuration, { testRun }).then(Boolean, () => false);
    if (!isStarted) failed.abort();
  };
  const limits = { cwd: folder.fsPath, signal: AbortSignal.any([signal, failed.signal]) };
  let printed = '';
  const output = await runProgram(words, args, limits, (text) => {
    const isReady = READY.test(printed);
    printed += text;
    if (!isReady && READY.test(printed)) void attach();
  });
  return failed.signal.aborted ? { ...output, stderr: NOT_ATTACHED } : output;
}

function runProgram(
  words: readonly string[],
  args: readonly string[],
  limits: ExecFileOptions,
  read: (text: string) => void = () => undefined,
): Promise<ProgramOutput> {
  // On Windows `lintel.cmd` needs a shell.
  const [program = '', ...rest] = isWindows ? words.map((word) => `"${word}"`) : words;
  const options = { ...limits, maxBuffer: MOST_BYTES, encoding: 'utf8' as const, shell: isWindows, windowsHide: true };
  return new Promise((resolve) => {
    execFile(program, [...rest, ...args], options, (error, stdout, stderr) =>
      resolve({ stdout, stderr, error }),
    ).stderr?.on('data', read);
  });
}

/** By the absolute path in the user's settings, which no folder can change. Null without one. */
export function initWithOwnLintel(folder: string): Promise<ProgramOutput | null> {
  const own = workspace.getConfiguration('lintel').inspect<string>('server.path')?.globalValue?.trim() ?? '';
  if (!workspace.isTrusted || !isAbsolute(own)) return Promise.resolve(null);
  return runProgram(toCommand(own), ['init', basename(folder)], { cwd: dirname(folder), timeout: PATIENCE });
}

const toCommand = (file: string): readonly string[] => (/\.[cm]?js$/.test(file) ? ['node', file] : [file]);

export function createInstallTask(folder: Uri): Task | NotStarted {
  if (!workspace.isTrusted) return 'restricted';
  return createShellTask({ type: 'lintel', command: 'install' }, ['npm', 'install'], folder, []);
}

export function createLintelTask(
  definition: TaskDefinition,
  command: readonly string[],
  folder: Uri,
  matcher: string,
): Task | NotStarted {
  const words = findLintel(folder);
  return typeof words === 'string' ? words : createShellTask(definition, [...words, ...command], folder, [matcher]);
}

/** The task is named after the command and its arguments. */
function createShellTask(
  definition: TaskDefinition,
  words: readonly string[],
  folder: Uri,
  matchers: readonly string[],
): Task {
  // The editor shows the command line with its quotes.
  const [first, ...rest] = words.map((value): ShellQuotedString | string =>
    /^[\w./-]+$/.test(value) ? value : { value, quoting: ShellQuoting.Strong },
  );
  const execution = new ShellExecution(first ?? '', rest, { cwd: folder.fsPath });
  const scope = workspace.getWorkspaceFolder(folder) ?? TaskScope.Workspace;
  const { command, args = [] } = definition as { readonly command?: string; readonly args?: readonly string[] };
  return new Task(definition, scope, [command, ...args].join(' '), 'lintel', execution, [...matchers]);
}

export function createDebugAdapter(folder: string): DebugAdapterExecutable | NotStarted {
  const words = findLintel(Uri.file(folder));
  if (typeof words === 'string') return words;
  // On Windows `lintel.cmd` needs a shell.
  const [program = '', ...rest] = isWindows ? ['cmd.exe', '/d', '/c', ...words] : words;
  return new DebugAdapterExecutable(program, [...rest, 'dap'], { cwd: folder });
}

/** Trust cannot be revoked while the window is open, so no check is needed. */
export const startTask = (task: Task): Thenable<unknown> => tasks.executeTask(task);

export const createLanguageClient = (context: ExtensionContext, options: LanguageClientOptions): LanguageClient =>
  new LanguageClient('lintel', 'Lintel', serverOptions(context), options);

function serverOptions(context: ExtensionContext): ServerOptions {
  const own = ownServer();
  if (own === null) {
    const { execArgv, env } = getServerProcess(join(context.globalStorageUri.fsPath, 'compiled'));
    const options = { execArgv: [...execArgv], env };
    const run = { module: context.asAbsolutePath('dist/server.js'), transport: TransportKind.stdio, options };
    // Used when the extension itself is debugged; `.vscode/launch.json` attaches to this port.
    return { run, debug: { ...run, options: { ...options, execArgv: [...execArgv, '--inspect=6009'] } } };
  }
  if (/\.[cm]?js$/.test(own)) return { module: own, args: ['lsp'], transport: TransportKind.stdio };
  // On Windows `lintel.cmd` needs a shell; elsewhere the file is executable.
  return { command: isWindows ? `"${own}"` : own, args: ['lsp', '--stdio'], options: { shell: isWindows } };
}

/** A user value may name a file inside the workspace, so trust is required. */
function ownServer(): string | null {
  const path = getSetting('server.path').trim();
  if (path === '' || !workspace.isTrusted) return null;
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
  const whole = isAbsolute(path) || folder === undefined ? path : join(folder, path);
  if (existsSync(whole)) return whole;
  void window.showWarningMessage(
    `There is no file ${whole}, which the setting lintel.server.path names. The language server of the extension is used.`,
  );
  return null;
}

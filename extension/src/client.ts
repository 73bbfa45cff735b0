/**
 * The language client: which server is started and how, and what of its answers the editor's settings hold back. Knows
 * nothing of definitions.
 */
import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { EventEmitter, window, workspace, type Disposable, type Event, type ExtensionContext } from 'vscode';
import type { LogOutputChannel } from 'vscode';
import {
  CodeLensRequest,
  LanguageClient,
  State,
  TransportKind,
  type LanguageClientOptions,
  type ServerOptions,
} from 'vscode-languageclient/node';
import { serverProcess } from './server-process.js';
import { createProjectWords, type ServerReading, type ServerStatus, type ProjectWords } from './project-words.js';
import { setting } from './settings.js';

export type ServerState = 'starting' | 'running' | 'stopped' | 'failed';

export interface Session extends Disposable {
  readonly onDidChange: Event<void>;
  state(): ServerState;
  /** What the server has said of a project. */
  readonly said: Pick<ProjectWords, 'of'>;
  start(): Promise<void>;
  restart(): Promise<void>;
  /** Null while no server runs. */
  client(): LanguageClient | null;
}

export function createSession(context: ExtensionContext, output: LogOutputChannel): Session {
  const changed = new EventEmitter<void>();
  let client: LanguageClient | null = null;
  let state: ServerState = 'stopped';
  const words = createProjectWords();
  const become = (next: ServerState): void => {
    state = next;
    changed.fire();
  };

  const start = async (): Promise<void> => {
    if (client !== null) return;
    words.clear();
    const next = new LanguageClient('lintel', 'Lintel', serverOptions(context), clientOptions(output));
    client = next;
    next.onDidChangeState(({ newState }) => {
      if (client === next)
        become(newState === State.Running ? 'running' : newState === State.Starting ? 'starting' : 'stopped');
    });
    next.onNotification('lintel/status', (status: ServerStatus) => {
      words.status(status);
      changed.fire();
    });
    next.onNotification('lintel/reading', (reading: ServerReading) => {
      words.reading(reading);
      changed.fire();
    });
    try {
      await next.start();
    } catch (error) {
      become('failed');
      output.error(`The language server did not start: ${error instanceof Error ? error.message : String(error)}`);
    }
  };

  const stop = async (): Promise<void> => {
    const last = client;
    client = null;
    // What failed to start, or is just starting, cannot be stopped; its process has ended or ends with the pipe.
    await last?.dispose().catch(() => undefined);
  };

  const listener = workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration('lintel.server.path')) void session.restart();
    if (event.affectsConfiguration('lintel.codeLens')) refreshLenses(client);
  });

  const session: Session = {
    onDidChange: changed.event,
    state: () => state,
    said: words,
    client: () => (state === 'running' ? client : null),
    start,
    async restart() {
      await stop();
      await start();
    },
    dispose() {
      listener.dispose();
      void stop().then(() => changed.dispose());
    },
  };
  return session;
}

/** The server of this extension, or the one that the setting names; the editor hides that setting where nobody trusts. */
function serverOptions(context: ExtensionContext): ServerOptions {
  const own = ownServer();
  if (own === null) {
    const { execArgv, env } = serverProcess(join(context.globalStorageUri.fsPath, 'compiled'));
    const options = { execArgv: [...execArgv], env };
    const run = { module: context.asAbsolutePath('dist/server.js'), transport: TransportKind.stdio, options };
    // When the extension itself is debugged; .vscode/launch.json attaches there.
    return { run, debug: { ...run, options: { ...options, execArgv: [...execArgv, '--inspect=6009'] } } };
  }
  if (/\.[cm]?js$/.test(own)) return { module: own, args: ['lsp'], transport: TransportKind.stdio };
  // A shell finds `lintel.cmd` on Windows; elsewhere the file starts by itself.
  const shell = process.platform === 'win32';
  return { command: shell ? `"${own}"` : own, args: ['lsp', '--stdio'], options: { shell } };
}

function ownServer(): string | null {
  const path = setting('server.path').trim();
  if (path === '') return null;
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
  const whole = isAbsolute(path) || folder === undefined ? path : join(folder, path);
  if (existsSync(whole)) return whole;
  void window.showWarningMessage(
    `There is no file ${whole}, which the setting lintel.server.path names. The language server of the extension is used.`,
  );
  return null;
}

const clientOptions = (output: LogOutputChannel): LanguageClientOptions => ({
  documentSelector: [
    { language: 'lintel', scheme: 'file' },
    { language: 'lintel', scheme: 'untitled' },
  ],
  outputChannel: output,
  initializationOptions: () => ({ trusted: workspace.isTrusted }),
  middleware: {
    provideCodeLenses: (document, token, next) =>
      setting('codeLens.enabled', document.uri) ? next(document, token) : [],
  },
});

/** Asks for lenses again: whether they are shown has changed. */
function refreshLenses(client: LanguageClient | null): void {
  const feature = client?.getFeature(CodeLensRequest.method);
  for (const document of workspace.textDocuments) feature?.getProvider(document)?.onDidChangeCodeLensEmitter.fire();
}

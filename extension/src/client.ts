/** The language client: server lifecycle, and filtering by settings. */
import { EventEmitter, workspace, type Disposable, type Event, type ExtensionContext } from 'vscode';
import type { LogOutputChannel } from 'vscode';
import { CodeLensRequest, State, type LanguageClient, type LanguageClientOptions } from 'vscode-languageclient/node';
import { createLanguageClient } from './programs.js';
import {
  createProjectStatusStore,
  type ServerReading,
  type ServerStatus,
  type ProjectStatusStore,
} from './project-status.js';
import { getSetting } from './settings.js';
import { STATEMENT_SCHEME } from './statements/statement-protocol.js';

export type ServerState = 'starting' | 'running' | 'stopped' | 'failed';

export interface Session extends Disposable {
  readonly onDidChange: Event<void>;
  state(): ServerState;
  readonly projectStatus: Pick<ProjectStatusStore, 'get'>;
  start(): Promise<void>;
  restartServer(): Promise<void>;
  /** Null while no server runs. */
  client(): LanguageClient | null;
}

export function createSession(context: ExtensionContext, output: LogOutputChannel): Session {
  const changed = new EventEmitter<void>();
  let client: LanguageClient | null = null;
  let state: ServerState = 'stopped';
  const words = createProjectStatusStore();
  const setState = (next: ServerState): void => {
    state = next;
    changed.fire();
  };

  const start = async (): Promise<void> => {
    if (client !== null) return;
    words.clear();
    const next = createLanguageClient(context, clientOptions(output));
    client = next;
    next.onDidChangeState(({ newState }) => {
      if (client === next)
        setState(newState === State.Running ? 'running' : newState === State.Starting ? 'starting' : 'stopped');
    });
    next.onNotification('lintel/status', (status: ServerStatus) => {
      words.setStatus(status);
      changed.fire();
    });
    next.onNotification('lintel/reading', (reading: ServerReading) => {
      words.setReading(reading);
      changed.fire();
    });
    try {
      await next.start();
    } catch (error) {
      setState('failed');
      output.error(`The language server did not start: ${error instanceof Error ? error.message : String(error)}`);
    }
  };

  const stop = async (): Promise<void> => {
    const last = client;
    client = null;
    // Rejects for a client that has not started; its process exits when the pipe closes.
    await last?.dispose().catch(() => undefined);
  };

  const listener = workspace.onDidChangeConfiguration((event) => {
    if (RESTARTING.some((name) => event.affectsConfiguration(name))) void session.restartServer();
    if (event.affectsConfiguration('lintel.codeLens')) refreshLenses(client);
  });

  const session: Session = {
    onDidChange: changed.event,
    state: () => state,
    projectStatus: words,
    client: () => (state === 'running' ? client : null),
    start,
    async restartServer() {
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

/** Settings that the server takes at its start. */
const RESTARTING = ['lintel.server.path', 'lintel.database.enabled'];

const clientOptions = (output: LogOutputChannel): LanguageClientOptions => ({
  documentSelector: [
    { language: 'lintel', scheme: 'file' },
    { language: 'lintel', scheme: 'untitled' },
    { scheme: STATEMENT_SCHEME },
  ],
  outputChannel: output,
  initializationOptions: () => ({ trusted: workspace.isTrusted, database: getSetting('database.enabled') }),
  middleware: {
    provideCodeLenses: (document, token, next) =>
      getSetting('codeLens.enabled', document.uri) ? next(document, token) : [],
  },
});

/** After the setting that shows code lenses has changed. */
function refreshLenses(client: LanguageClient | null): void {
  const feature = client?.getFeature(CodeLensRequest.method);
  for (const document of workspace.textDocuments) feature?.getProvider(document)?.onDidChangeCodeLensEmitter.fire();
}

/** Entry point of the extension: wires the parts together. */
import { commands, window, workspace, Disposable, languages, type ExtensionContext, type TextDocument } from 'vscode';
import { createSession, type Session } from './client.js';
import { registerCommands } from './commands.js';
import { watchProjects, type Projects } from './projects.js';
import { showStatus } from './status.js';
import { provideDebugging, provideTasks } from './tasks.js';
import { serveStatements } from './statements/statement-files.js';
import { showTests } from './test-explorer.js';
import { getSetting } from './settings.js';

export async function activate(context: ExtensionContext): Promise<void> {
  const output = window.createOutputChannel('Lintel', { log: true });
  const projects = watchProjects();
  const session = createSession(context, output);
  context.subscriptions.push(
    output,
    projects,
    session,
    assignLanguage(projects),
    provideTasks(projects),
    provideDebugging(projects),
    showTests(session),
    showStatus(session, projects),
    notifyTrust(session),
    serveStatements(session),
    ...registerCommands({ context, output, projects, session }),
    projects.onDidChange(() => void commands.executeCommand('setContext', 'lintel.active', projects.all().length > 0)),
  );
  await Promise.all([projects.refresh(), startWhenNeeded(context, session)]);
}

/** In a window without a folder, the first definition that is opened starts the server. */
async function startWhenNeeded(context: ExtensionContext, session: Session): Promise<void> {
  const isOurs = ({ languageId }: TextDocument): boolean => languageId === 'lintel';
  if (workspace.workspaceFolders !== undefined || workspace.textDocuments.some(isOurs)) return session.start();
  context.subscriptions.push(
    workspace.onDidOpenTextDocument((document) => {
      if (isOurs(document)) void session.start();
    }),
  );
}

/** Everything is disposed through `context.subscriptions`. */
export function deactivate(): void {
  // Nothing to do.
}

const JSON_LANGUAGES = ['json', 'jsonc'];

/** Sets the language of JSON files that the config includes to `lintel`, unless the user picked another one. */
function assignLanguage(projects: Projects): Disposable {
  /** Documents closed in this event-loop turn, with their language: an immediate reopen is a change of language. */
  const closing = new Map<string, string>();
  const chosen = new Set<string>();
  const applyLanguage = (document: TextDocument): void => {
    if (!JSON_LANGUAGES.includes(document.languageId) || document.uri.scheme !== 'file') return;
    if (chosen.has(document.uri.toString()) || !projects.hasDefinition(document)) return;
    void languages.setTextDocumentLanguage(document, 'lintel');
  };
  const applyToAll = (): void => workspace.textDocuments.forEach(applyLanguage);
  applyToAll();
  return Disposable.from(
    projects.onDidChange(applyToAll),
    workspace.onDidCloseTextDocument(({ uri, languageId }) => {
      const key = uri.toString();
      closing.set(key, languageId);
      queueMicrotask(() => {
        if (closing.delete(key)) chosen.delete(key);
      });
    }),
    workspace.onDidOpenTextDocument((document) => {
      const key = document.uri.toString();
      if (closing.get(key) === 'lintel' && document.languageId !== 'lintel') chosen.add(key);
      closing.delete(key);
      applyLanguage(document);
    }),
  );
}

/** Restarts the server if a setting names one; otherwise it loads the plugins of the workspace. */
const notifyTrust = (session: Session): Disposable =>
  workspace.onDidGrantWorkspaceTrust(() => {
    if (getSetting('server.path').trim() !== '') void session.restartServer();
    else void session.client()?.sendNotification('lintel/trust', { trusted: true });
  });

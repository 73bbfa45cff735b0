/** Entry point of the extension: wires the parts together. */
import { commands, window, workspace, type Disposable, type ExtensionContext, type TextDocument } from 'vscode';
import { assignLanguage } from './language-mode.js';
import { createSession, type Session } from './client.js';
import { showLiveHints } from './live-hints.js';
import { registerCommands } from './commands.js';
import { continueNewProject } from './new-project.js';
import { watchProjects } from './projects.js';
import { showStatus } from './status.js';
import { provideDebugging, provideTasks } from './tasks.js';
import { serveStatements } from './statements/statement-files.js';
import { showTests } from './test-explorer.js';
import { getSetting } from './settings.js';

export async function activate(context: ExtensionContext): Promise<void> {
  const output = window.createOutputChannel('Lintel', { log: true });
  const projects = watchProjects();
  const session = createSession(context, output);
  const services = { context, output, projects, session };
  context.subscriptions.push(
    output,
    projects,
    session,
    assignLanguage(projects),
    provideTasks(projects),
    provideDebugging(projects),
    showTests(session),
    showLiveHints(session, projects),
    showStatus(session, projects),
    notifyTrust(session),
    serveStatements(session),
    ...registerCommands(services),
    projects.onDidChange(() => void commands.executeCommand('setContext', 'lintel.active', projects.all().length > 0)),
  );
  await Promise.all([projects.refresh(), startWhenNeeded(context, session)]);
  // Not awaited: it waits for answers.
  void continueNewProject(services);
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

/** Restarts the server if a setting names one; otherwise it loads the plugins of the workspace. */
const notifyTrust = (session: Session): Disposable =>
  workspace.onDidGrantWorkspaceTrust(() => {
    if (getSetting('server.path').trim() !== '') void session.restartServer();
    else void session.client()?.sendNotification('lintel/trust', { trusted: true });
  });

/** The language status bar: the server, and the project of the active file. */
import { Disposable, DiagnosticSeverity, LanguageStatusSeverity, languages, window, workspace } from 'vscode';
import type { ServerState, Session } from './client.js';
import type { Projects } from './projects.js';
import { formatCount } from './file-names.js';

const SELECTOR = { language: 'lintel' };
const SERVER_WORDS: Readonly<Record<ServerState, string>> = {
  starting: 'language server starts',
  running: 'language server runs',
  stopped: 'language server is stopped',
  failed: 'language server did not start',
};

export function showStatus(session: Session, projects: Projects): Disposable {
  const server = languages.createLanguageStatusItem('lintel.server', SELECTOR);
  server.name = 'Lintel: language server';
  const project = languages.createLanguageStatusItem('lintel.project', SELECTOR);
  project.name = 'Lintel: project';

  const showServer = (): void => {
    const state = session.state();
    server.text = SERVER_WORDS[state];
    server.busy = state === 'starting';
    server.severity =
      state === 'failed'
        ? LanguageStatusSeverity.Error
        : state === 'stopped'
          ? LanguageStatusSeverity.Warning
          : LanguageStatusSeverity.Information;
    server.command =
      state === 'running' || state === 'starting'
        ? { command: 'lintel.showOutput', title: 'Show output' }
        : { command: 'lintel.restartServer', title: 'Restart' };
  };

  const showProject = (): void => {
    const current = projects.find(window.activeTextEditor?.document.uri);
    const { status, isRead } = session.projectStatus.get(current?.folder.toString());
    const isReading = session.state() === 'running' && !isRead;
    const { errors, warnings } = countProblems();
    const counts = `${formatCount(errors, 'error')}, ${formatCount(warnings, 'warning')}`;
    // While the project is loading, only open files have diagnostics.
    project.text = isReading ? `${counts}, reading the definitions` : counts;
    project.busy = isReading;
    project.severity = errors > 0 ? LanguageStatusSeverity.Error : LanguageStatusSeverity.Information;
    const manifests = status?.manifests ?? [];
    project.detail = [
      current === undefined ? 'no config file: defaults apply' : workspace.asRelativePath(current.config),
      ...(status === undefined ? [] : [formatCount(status.resources, 'resource'), formatCount(status.models, 'model')]),
      ...(typeof status?.profile === 'string' ? [`profile ${status.profile}`] : []),
      ...manifests.map(({ name, version }) => `${name} ${version}`),
    ].join(', ');
    project.command = current === undefined ? undefined : { command: 'lintel.openConfig', title: 'Open config' };
  };

  const showAll = (): void => {
    showServer();
    showProject();
  };
  showAll();
  return Disposable.from(
    server,
    project,
    session.onDidChange(showAll),
    projects.onDidChange(showProject),
    languages.onDidChangeDiagnostics(showProject),
    window.onDidChangeActiveTextEditor(showProject),
  );
}

/** Counts only this extension's diagnostics. */
function countProblems(): { readonly errors: number; readonly warnings: number } {
  const ours = languages
    .getDiagnostics()
    .flatMap(([, list]) => list.filter(({ source }) => source === 'lintel').map(({ severity }) => severity));
  const count = (wanted: DiagnosticSeverity): number => ours.filter((severity) => severity === wanted).length;
  return { errors: count(DiagnosticSeverity.Error), warnings: count(DiagnosticSeverity.Warning) };
}

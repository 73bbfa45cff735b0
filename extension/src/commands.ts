/** Maps every command id of the manifest to its handler. Most handlers are in their own modules. */
import { Location, Position, Range, Uri, commands, window, type Disposable } from 'vscode';
import type { ExtensionServices } from './services.js';
import type { Location as ProtocolLocation, Position as ProtocolPosition } from 'vscode-languageclient/node';
import { resolveBaseUrl } from './base-url.js';
import { createDefinitionFile } from './new-file.js';
import { createProject } from './new-project.js';
import type { Memento } from 'vscode';
import { workspace, env } from 'vscode';
import { confirmRequest } from './panels/confirm-request.js';
import { sendRequest } from './panels/request.js';
import { showPlan } from './panels/plan.js';
import type { FlowMarks } from './panels/plan-texts.js';
import type { Projects } from './projects.js';
import type { TextEditor, DocumentSymbol } from 'vscode';
import { editStatement } from './statements/statement-files.js';
import { createStatementRunner } from './statements/run-statement.js';
import { showValueFlow } from './value-flow.js';
import { installPackages, runTask } from './tasks.js';

/** Arguments come from the editor or a code lens. */
type Run = (...args: readonly unknown[]) => unknown;

export function registerCommands(parts: ExtensionServices): Disposable[] {
  const { context, output, projects, session } = parts;
  const getCurrentProject = () => projects.find(window.activeTextEditor?.document.uri);
  const runner = createStatementRunner(session);
  const all: Readonly<Record<string, Run>> = {
    'lintel.newProject': () => createProject(context),
    'lintel.newUntitled': openUntitled,
    'lintel.newResource': (target) => createDefinitionFile(context, parts, 'resource', toUri(target)),
    'lintel.newModel': (target) => createDefinitionFile(context, parts, 'model', toUri(target)),
    'lintel.install': async () => showInstalled(await installPackages(getCurrentProject())),
    'lintel.run': (target) => runTask(target === undefined ? getCurrentProject() : projects.find(toUri(target)), 'dev'),
    'lintel.check': () => runTask(getCurrentProject(), 'check'),
    'lintel.openApi': async () =>
      openApiPage(await resolveBaseUrl(session, getCurrentProject()?.folder.toString()), context.workspaceState),
    'lintel.openConfig': () => openConfig(projects),
    'lintel.restartServer': () => session.restartServer(),
    'lintel.showOutput': () => output.show(),
    'lintel.showReferences': (uri, position, locations) =>
      showReferences(String(uri), position as ProtocolPosition, locations as readonly ProtocolLocation[]),
    'lintel.editStatement': () => editStatement(session),
    'lintel.runStatement': () => runner.run(false),
    'lintel.explainStatement': () => runner.run(true),
    'lintel.showValueFlow': () => showValueFlow(session, window.activeTextEditor),
    ...Object.fromEntries(Object.entries(PANELS).map(([id, panel]) => [id, openPanel(parts, panel)])),
  };
  return [runner, ...Object.entries(all).map(([id, run]) => commands.registerCommand(id, run))];
}

/** By the command: a document that an extension opens has problems for minutes after its editor is closed. */
async function openUntitled(): Promise<void> {
  await commands.executeCommand('workbench.action.files.newUntitledFile', { languageId: 'lintel' });
  await commands.executeCommand('editor.action.triggerSuggest');
}

async function showInstalled(isInstalled: boolean): Promise<void> {
  const run = 'Run the Kernel';
  if (isInstalled && (await window.showInformationMessage('The packages are installed.', run)) === run)
    await commands.executeCommand('lintel.run');
}

const toUri = (given: unknown): Uri | undefined => {
  if (given instanceof Uri) return given;
  return typeof given === 'string' ? Uri.parse(given) : undefined;
};

/** A code lens passes file and resource; from the palette, the resource around the cursor is used. */
const openPanel =
  (parts: ExtensionServices, panel: Panel): Run =>
  async (given, id, marks) => {
    const editor = window.activeTextEditor;
    const uri = toUri(given) ?? editor?.document.uri;
    const named = typeof id === 'string' ? id : undefined;
    await panel(
      parts,
      uri,
      named ?? (editor === undefined ? undefined : await findResourceAt(editor)),
      marks as FlowMarks | undefined,
    );
  };

async function openConfig(projects: Projects): Promise<void> {
  const config = projects.find(window.activeTextEditor?.document.uri)?.config;
  if (config !== undefined) await window.showTextDocument(config);
  else void window.showInformationMessage('There is no lintel.config.json in this workspace: the defaults apply.');
}

/** Converts protocol positions to the types that the editor's own command expects. */
const showReferences = (uri: string, at: ProtocolPosition, found: readonly ProtocolLocation[]): Thenable<unknown> =>
  commands.executeCommand(
    'editor.action.showReferences',
    Uri.parse(uri),
    new Position(at.line, at.character),
    found.map(
      ({ uri: file, range: { start, end } }) =>
        new Location(Uri.parse(file), new Range(start.line, start.character, end.line, end.character)),
    ),
  );

/** Without a resource id, the user picks the resource. */
type Panel = (
  parts: ExtensionServices,
  uri: Uri | undefined,
  resourceId: string | undefined,
  marks?: FlowMarks,
) => Promise<void>;

const PANELS: Readonly<Record<string, Panel>> = {
  'lintel.sendRequest': sendRequest,
  'lintel.showPlan': showPlan,
};

/** Milliseconds. Short, because the kernel usually runs on the same machine. */
const PATIENCE = 2000;

/** `base` may come from an untrusted config, hence the confirmation. `kept` stores the allowed hosts for `confirmRequest`. */
async function openApiPage(base: string, kept: Memento): Promise<void> {
  const url = `${base}/docs`;
  if (!workspace.isTrusted && !(await confirmRequest(url, kept))) return;
  if (!(await isReachable(url))) {
    const run = 'Run the Kernel';
    const anyway = 'Open Anyway';
    const message = `Nothing answers at ${url}. The page is served by \`lintel dev\`; the setting lintel.request.baseUrl says where.`;
    const answer = await window.showWarningMessage(message, run, anyway);
    if (answer === run) await commands.executeCommand('lintel.run');
    if (answer !== anyway) return;
  }
  try {
    await commands.executeCommand('simpleBrowser.show', url);
  } catch {
    // The built-in browser is an extension that may be disabled.
    await env.openExternal(Uri.parse(url));
  }
}

const isReachable = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(PATIENCE) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** The outermost symbol of the server's outline around the cursor. */
async function findResourceAt({ document, selection }: TextEditor): Promise<string | undefined> {
  const symbols = await commands.executeCommand<DocumentSymbol[] | undefined>(
    'vscode.executeDocumentSymbolProvider',
    document.uri,
  );
  const all = symbols ?? [];
  return (all.find(({ range }) => range.contains(selection.active)) ?? (all.length === 1 ? all[0] : undefined))?.name;
}

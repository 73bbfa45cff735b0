/** Maps every command id of the manifest to its handler. The handlers are in their own modules. */
import { Location, Position, Range, Uri, commands, window, type Disposable } from 'vscode';
import type { ExtensionContext, LogOutputChannel } from 'vscode';
import type { Location as ProtocolLocation, Position as ProtocolPosition } from 'vscode-languageclient/node';
import { resolveBaseUrl } from './base-url.js';
import type { Session } from './client.js';
import { createDefinitionFile } from './new-file.js';
import { openApiPage } from './openapi-page.js';
import { PANELS, type Panel } from './panels/panels.js';
import type { FlowMarks } from './panels/plan-texts.js';
import type { Projects } from './projects.js';
import { findResourceAt } from './resource-at.js';
import { showValueFlow } from './value-flow.js';
import { runTask } from './tasks.js';

export interface ExtensionServices {
  readonly context: ExtensionContext;
  readonly output: LogOutputChannel;
  readonly projects: Projects;
  readonly session: Session;
}

/** Arguments come from the editor or a code lens. */
type Run = (...args: readonly unknown[]) => unknown;

export function registerCommands(parts: ExtensionServices): Disposable[] {
  const { context, output, projects, session } = parts;
  const getCurrentProject = () => projects.find(window.activeTextEditor?.document.uri);
  const all: Readonly<Record<string, Run>> = {
    'lintel.newResource': (target) => createDefinitionFile(context, parts, 'resource', toUri(target)),
    'lintel.newModel': (target) => createDefinitionFile(context, parts, 'model', toUri(target)),
    'lintel.run': (target) => runTask(target === undefined ? getCurrentProject() : projects.find(toUri(target)), 'dev'),
    'lintel.check': () => runTask(getCurrentProject(), 'check'),
    'lintel.openApi': async () =>
      openApiPage(await resolveBaseUrl(session, getCurrentProject()?.folder.toString()), context.workspaceState),
    'lintel.openConfig': () => openConfig(projects),
    'lintel.restartServer': () => session.restartServer(),
    'lintel.showOutput': () => output.show(),
    'lintel.showReferences': (uri, position, locations) =>
      showReferences(String(uri), position as ProtocolPosition, locations as readonly ProtocolLocation[]),
    'lintel.showValueFlow': () => showValueFlow(session, window.activeTextEditor),
    ...Object.fromEntries(Object.entries(PANELS).map(([id, panel]) => [id, openPanel(parts, panel)])),
  };
  return Object.entries(all).map(([id, run]) => commands.registerCommand(id, run));
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

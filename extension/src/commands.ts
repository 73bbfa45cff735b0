/** Maps every command id of the manifest to its handler. The handlers are in their own modules. */
import { Location, Position, Range, Uri, commands, window, type Disposable } from 'vscode';
import type { ExtensionContext, LogOutputChannel } from 'vscode';
import type { Location as ProtocolLocation, Position as ProtocolPosition } from 'vscode-languageclient/node';
import { baseUrlOf } from './base-url.js';
import type { Session } from './client.js';
import { newFile } from './new-file.js';
import { openApiPage } from './openapi-page.js';
import { PANELS, type Panel } from './panels/panels.js';
import type { Projects } from './projects.js';
import { resourceAt } from './resource-at.js';
import { runTask } from './tasks.js';

export interface Parts {
  readonly context: ExtensionContext;
  readonly output: LogOutputChannel;
  readonly projects: Projects;
  readonly session: Session;
}

/** Arguments come from the editor or a code lens. */
type Run = (...args: readonly unknown[]) => unknown;

export function registerCommands(parts: Parts): Disposable[] {
  const { context, output, projects, session } = parts;
  const current = () => projects.of(window.activeTextEditor?.document.uri);
  const all: Readonly<Record<string, Run>> = {
    'lintel.newResource': (target) => newFile(context, projects, 'resource', uriOf(target)),
    'lintel.newModel': (target) => newFile(context, projects, 'model', uriOf(target)),
    'lintel.run': (target) => runTask(target === undefined ? current() : projects.of(uriOf(target)), 'dev'),
    'lintel.check': () => runTask(current(), 'check'),
    'lintel.openApi': async () =>
      openApiPage(await baseUrlOf(session, current()?.folder.toString()), context.workspaceState),
    'lintel.openConfig': () => openConfig(projects),
    'lintel.restartServer': () => session.restart(),
    'lintel.showOutput': () => output.show(),
    'lintel.showReferences': (uri, position, locations) =>
      showReferences(String(uri), position as ProtocolPosition, locations as readonly ProtocolLocation[]),
    ...Object.fromEntries(Object.entries(PANELS).map(([id, panel]) => [id, openPanel(parts, panel)])),
  };
  return Object.entries(all).map(([id, run]) => commands.registerCommand(id, run));
}

const uriOf = (given: unknown): Uri | undefined => {
  if (given instanceof Uri) return given;
  return typeof given === 'string' ? Uri.parse(given) : undefined;
};

/** A code lens passes file and resource; from the palette, the resource around the cursor is used. */
const openPanel =
  (parts: Parts, panel: Panel): Run =>
  async (given, id) => {
    const editor = window.activeTextEditor;
    const uri = uriOf(given) ?? editor?.document.uri;
    const named = typeof id === 'string' ? id : undefined;
    await panel(parts, uri, named ?? (editor === undefined ? undefined : await resourceAt(editor)));
  };

async function openConfig(projects: Projects): Promise<void> {
  const config = projects.of(window.activeTextEditor?.document.uri)?.config;
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

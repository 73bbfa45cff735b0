/**
 * "New Project": writes the files of `lintel init` into a new folder and opens it; the editor then asks whether the folder is
 * trusted, and the packages are installed only if it is. Until then nothing of the folder is run.
 */
import { basename } from 'node:path';
import { Uri, commands, window, workspace, type ExtensionContext } from 'vscode';
import { initWithOwnLintel } from './programs.js';
import { ProjectFolderError, assertEmpty, validateFolderName, writeProject } from './project-files.js';
import type { ExtensionServices } from './services.js';
import { installPackages, runTask } from './tasks.js';

/** The folder that the next window continues with, in the state of all windows. */
const CONTINUED = 'lintel.newProject';
const FIRST_FILE = 'definitions/resources/notes.resource.json';
const FIRST_REQUEST = { file: 'definitions/resources/health.resource.json', id: 'health' };
const WALKTHROUGH = 'lintel.lintel#start';

export async function createProject(context: ExtensionContext): Promise<void> {
  const name = await window.showInputBox({
    title: 'New project',
    prompt: 'Name of the folder that is made',
    value: 'my-backend',
    validateInput: validateFolderName,
    ignoreFocusOut: true,
  });
  if (name === undefined) return;
  const [around] =
    (await window.showOpenDialog({
      title: `The folder in which "${name}" is made`,
      openLabel: 'Make It Here',
      canSelectFiles: false,
      canSelectFolders: true,
    })) ?? [];
  if (around === undefined) return;
  const folder = Uri.joinPath(around, name);
  try {
    await writeFiles(context, folder.fsPath);
  } catch (error) {
    if (!(error instanceof ProjectFolderError)) throw error;
    void window.showErrorMessage(error.message);
    return;
  }
  await context.globalState.update(CONTINUED, folder.toString());
  // A window that has a folder keeps it.
  const forceNewWindow = workspace.workspaceFolders !== undefined;
  await commands.executeCommand('vscode.openFolder', folder, { forceNewWindow });
}

/** By the `lintel` that the user's own settings name, otherwise from the files of the extension. */
async function writeFiles(context: ExtensionContext, folder: string): Promise<void> {
  await assertEmpty(folder);
  const made = await initWithOwnLintel(folder);
  if (made === null) {
    const { version } = context.extension.packageJSON as { readonly version: string };
    await writeProject(folder, context.asAbsolutePath('dist/project.txt.br'), version);
  } else if (made.error !== null)
    throw new ProjectFolderError(`\`lintel init\` failed: ${made.stderr || made.error.message}`);
}

/** In the window of the new folder. */
export async function continueNewProject({ context, projects }: ExtensionServices): Promise<void> {
  // A window without a folder leaves it to the next one.
  if (workspace.workspaceFolders === undefined) return;
  const made = context.globalState.get<string>(CONTINUED);
  const folder = workspace.workspaceFolders.find(({ uri }) => uri.toString() === made)?.uri;
  if (folder === undefined) return;
  await context.globalState.update(CONTINUED, undefined);
  await window.showTextDocument(Uri.joinPath(folder, FIRST_FILE));
  const [install, steps] = ['Install and Run', 'Show the Steps'];
  const message = `${basename(folder.fsPath)} has a config, two tables, endpoints with tests, and secrets in .env.`;
  const answer = await window.showInformationMessage(message, install, steps);
  if (answer === steps) await commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH);
  if (answer !== install) return;
  const project = projects.find(folder);
  if (!(await installPackages(project))) return;
  await runTask(project, 'dev');
  const { file, id } = FIRST_REQUEST;
  await commands.executeCommand('lintel.sendRequest', Uri.joinPath(folder, file), id);
}

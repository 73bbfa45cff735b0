/**
 * "New Project": writes the files of `lintel init` into a new folder and opens it. Packages are installed and run once the user
 * trusts the folder.
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
    prompt: 'Name of the folder to create',
    value: 'my-backend',
    validateInput: validateFolderName,
    ignoreFocusOut: true,
  });
  if (name === undefined) return;
  const [around] =
    (await window.showOpenDialog({
      title: `Where to create the folder "${name}"`,
      openLabel: 'Create Here',
      canSelectFiles: false,
      canSelectFolders: true,
    })) ?? [];
  if (around === undefined) return;
  const folder = Uri.joinPath(around, name);
  try {
    await writeFiles(context, folder.fsPath);
  } catch (error) {
    if (!(error instanceof ProjectFolderError)) throw error;
    const again = 'Choose Another Name';
    if ((await window.showErrorMessage(error.message, again)) === again) await createProject(context);
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
  const [install, steps] = [workspace.isTrusted ? 'Install and Run' : 'Trust, Install and Run', 'Show the Steps'];
  const detail = [
    'It has a config, two tables, endpoints with tests, and secrets in .env.',
    'Next: npm install, lintel dev and a first request.',
    ...(workspace.isTrusted ? [] : ['Nothing of this folder runs until you trust it.']),
  ].join('\n');
  const message = `${basename(folder.fsPath)} is created`;
  // A notification disappears before it is read.
  const answer = await window.showInformationMessage(message, { modal: true, detail }, install, steps);
  if (answer === steps) await commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH);
  if (answer !== install) return;
  await waitForTrust();
  const project = projects.find(folder);
  if (!(await installPackages(project))) return;
  await runTask(project, 'dev');
  const { file, id } = FIRST_REQUEST;
  await commands.executeCommand('lintel.sendRequest', Uri.joinPath(folder, file), id);
}

async function waitForTrust(): Promise<void> {
  if (workspace.isTrusted) return;
  const granted = new Promise<void>((resolve) => {
    const listener = workspace.onDidGrantWorkspaceTrust(() => {
      listener.dispose();
      resolve();
    });
  });
  await commands.executeCommand('workbench.trust.manage');
  await granted;
  // The page covers the terminal.
  await commands.executeCommand('workbench.action.closeModalEditor').then(undefined, () => undefined);
}

/** What a command says that needs a project where there is none. */
import { commands, window } from 'vscode';

export async function offerProject(message: string): Promise<void> {
  const [make, open] = ['New Project...', 'Open Folder...'];
  const answer = await window.showInformationMessage(message, make, open);
  if (answer === make) await commands.executeCommand('lintel.newProject');
  if (answer === open) await commands.executeCommand('vscode.openFolder');
}

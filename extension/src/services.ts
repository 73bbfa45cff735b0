/** What the parts of the extension share. */
import type { ExtensionContext, LogOutputChannel } from 'vscode';
import type { Projects } from './projects.js';
import type { Session } from './client.js';

export interface ExtensionServices {
  readonly context: ExtensionContext;
  readonly output: LogOutputChannel;
  readonly projects: Projects;
  readonly session: Session;
}

/** What trust changes when it is given: plugins of the workspace speak, and the server that a setting names may run. */
import { workspace, type Disposable } from 'vscode';
import type { Session } from './client.js';
import { setting } from './settings.js';

export const tellTrust = (session: Session): Disposable =>
  workspace.onDidGrantWorkspaceTrust(() => {
    if (setting('server.path').trim() !== '') void session.restart();
    else void session.client()?.sendNotification('lintel/trust', { trusted: true });
  });

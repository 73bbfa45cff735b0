/** After trust is granted, restarts the server if a setting names one, otherwise notifies it to load workspace plugins. */
import { workspace, type Disposable } from 'vscode';
import type { Session } from './client.js';
import { setting } from './settings.js';

export const tellTrust = (session: Session): Disposable =>
  workspace.onDidGrantWorkspaceTrust(() => {
    if (setting('server.path').trim() !== '') void session.restart();
    else void session.client()?.sendNotification('lintel/trust', { trusted: true });
  });

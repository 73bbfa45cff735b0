/** After trust is granted, restarts the server if a setting names one, otherwise notifies it to load workspace plugins. */
import { workspace, type Disposable } from 'vscode';
import type { Session } from './client.js';
import { getSetting } from './settings.js';

export const notifyTrust = (session: Session): Disposable =>
  workspace.onDidGrantWorkspaceTrust(() => {
    if (getSetting('server.path').trim() !== '') void session.restartServer();
    else void session.client()?.sendNotification('lintel/trust', { trusted: true });
  });
